/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace events in JSON for chrome://tracing, ui.perfetto.dev and speedscope: a complete event for
 * each I/O and operation, in lanes, because the events of a thread must nest. Times are
 * microseconds with three decimals.
 */
#include <stdio.h>

#include "lib/base/number.h"

#include "cli/ui/json.h"
#include "timeline.h"

enum { EVENT_MAX = 1024 };

static const uint64_t exact_max = (uint64_t)1 << 53; /* larger numbers are strings */

struct chrome {
	struct timeline timeline;
	bool comma;
	bool epoch_known;
	uint64_t epoch_ns;
};

static void separate(struct export *x)
{
	struct chrome *c = x->state;
	output_text(x->out, c->comma ? ",\n" : "\n");
	c->comma = true;
}

static char *put_number(char *to, const char *key, uint64_t v)
{
	to = stpcpy(to, key);
	if (v <= exact_max)
		return number_fast(to, v);
	*to++ = '"';
	to = number_fast(to, v);
	*to++ = '"';
	return to;
}

static char *put_time(char *to, const char *key, uint64_t ns)
{
	to = number_fast(stpcpy(to, key), ns / 1000);
	*to++ = '.';
	return number_fixed(to, ns % 1000, 3);
}

static void write_metadata(struct export *x, const char *name, uint32_t process, unsigned lane,
			   const char *key, const char *text, size_t size)
{
	separate(x);
	output_printf(x->out,
		      "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"%s\":", name,
		      process, lane, key);
	json_string(x->out, text, size);
	output_text(x->out, "}}");
}

/* The name, rank and host of a process. */
static void write_process(struct export *x, uint32_t process)
{
	char labels[256];
	const struct name *program = names_process(&x->names, process, PROCESS_PROGRAM);
	if (program->text != NULL)
		write_metadata(x, "process_name", process, 0, "name", program->text, program->size);
	const struct name *rank = names_process(&x->names, process, PROCESS_RANK);
	const struct name *host = names_process(&x->names, process, PROCESS_HOST);
	if (rank->text == NULL && host->text == NULL)
		return;
	snprintf(labels, sizeof labels, "%s%.*s%s%.*s", rank->text != NULL ? "rank " : "",
		 (int)(rank->size < 32 ? rank->size : 32), rank->text != NULL ? rank->text : "",
		 rank->text != NULL && host->text != NULL ? ", " : "",
		 (int)(host->size < 128 ? host->size : 128), host->text != NULL ? host->text : "");
	write_metadata(x, "process_labels", process, 0, "labels", labels, strlen(labels));
}

static void write_lane(struct export *x, const struct timeline_slice *s)
{
	char name[32];
	timeline_lane_name(name, sizeof name, s->lane);
	write_metadata(x, "thread_name", s->process, s->lane, "name", name, strlen(name));
}

/* The members of every event after its name. */
static char *put_slice(char *to, const struct timeline_slice *s, const char *category)
{
	to = stpcpy(stpcpy(to, ",\"cat\":\""), category);
	to = stpcpy(to, s->instant ? "\",\"ph\":\"i\",\"s\":\"t\"" : "\",\"ph\":\"X\"");
	to = put_time(to, ",\"ts\":", s->start_ns);
	if (!s->instant)
		to = put_time(to, ",\"dur\":", s->duration_ns);
	to = number_fast(stpcpy(to, ",\"pid\":"), s->process);
	return number_fast(stpcpy(to, ",\"tid\":"), s->lane);
}

static char *put_record_args(struct export *x, char *to, const struct iot_record *rec)
{
	uint64_t bytes;
	to = number_fast(stpcpy(to, ",\"args\":{\"file\":"), rec->file);
	if ((rec->flags & IOT_OFFSET_UNKNOWN) == 0 && export_bytes(x, rec, rec->offset, &bytes))
		to = put_number(to, ",\"offset\":", bytes);
	if (export_bytes(x, rec, rec->length, &bytes))
		to = put_number(to, ",\"length\":", bytes);
	if (rec->operation != 0)
		to = put_number(to, ",\"operation\":", rec->operation);
	return to;
}

static void write_path(struct export *x, const char *text, size_t size)
{
	output_text(x->out, ",\"path\":");
	json_string(x->out, text, size);
}

static void write_record(struct export *x, const struct iot_record *rec,
			 const struct timeline_slice *s)
{
	const struct name *path = names_path(&x->names, rec);
	separate(x);
	char *to = output_reserve(x->out, EVENT_MAX);
	to = stpcpy(to, rec->type & IOT_WRITE ? "{\"name\":\"write\"" : "{\"name\":\"read\"");
	to = put_slice(to, s, rec->type & IOT_LOGICAL ? "logical" : "physical");
	output_took(x->out, put_record_args(x, to, rec));
	if (path->text != NULL)
		write_path(x, path->text, path->size);
	output_text(x->out, "}}");
}

static void write_op(struct export *x, const struct iot_event *ev, const struct timeline_slice *s)
{
	const struct name name = *names_value(&x->names, ev, "name");
	separate(x);
	output_text(x->out, "{\"name\":");
	json_string(x->out, name.text != NULL ? name.text : "", name.size);
	char *to = put_slice(output_reserve(x->out, EVENT_MAX), s, "op");
	output_took(x->out, stpcpy(to, ",\"args\":{\"result\":"));
	const struct name result = *names_value(&x->names, ev, "result");
	json_string(x->out, result.text != NULL ? result.text : "", result.size);
	const struct name path = timeline_op_path(x, ev);
	if (path.text != NULL)
		write_path(x, path.text, path.size);
	output_text(x->out, "}}");
}

static void write_rate(struct export *x, const struct rate *r)
{
	separate(x);
	char *to = output_reserve(x->out, EVENT_MAX);
	to = stpcpy(to, "{\"name\":\"bytes/s\",\"ph\":\"C\"");
	to = put_time(to, ",\"ts\":", r->start_ns);
	to = number_fast(stpcpy(to, ",\"pid\":"), r->process);
	to = number_fast(stpcpy(to, ",\"args\":{\"read\":"), r->read);
	to = number_fast(stpcpy(to, ",\"write\":"), r->written);
	output_took(x->out, stpcpy(to, "}}"));
}

static void begin(struct export *x)
{
	struct chrome *c = export_state(x, sizeof *c);
	if (c == NULL)
		return;
	c->timeline.write_rate = write_rate;
	output_text(x->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

static void write_slice(struct export *x, const struct iot_event *ev)
{
	struct chrome *c = x->state;
	struct timeline_slice s;
	if (!timeline_place(x, &c->timeline, ev, &s))
		return;
	if (s.new_lane)
		write_lane(x, &s);
	if (ev->kind == IOT_OP) {
		write_op(x, ev, &s);
		return;
	}
	write_record(x, &ev->rec, &s);
	timeline_count(x, &c->timeline, &ev->rec);
}

static void take_epoch(struct export *x, const struct iot_event *ev)
{
	struct chrome *c = x->state;
	const struct iot_text epoch = iot_directive_get(ev, "epoch");
	if (!c->epoch_known && epoch.data != NULL)
		c->epoch_known = number_parse(epoch.data, epoch.size, 10, &c->epoch_ns);
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && !x->failed; i++) {
		if (ev[i].kind == IOT_RECORD || ev[i].kind == IOT_OP)
			write_slice(x, &ev[i]);
		if (ev[i].kind == IOT_TRACE)
			take_epoch(x, &ev[i]);
		x->notes[NOTE_COUNTERS] += ev[i].kind == IOT_COUNTER;
		x->notes[NOTE_LOST] += ev[i].kind == IOT_LOST;
		export_event(x, &ev[i]);
		if (ev[i].kind == IOT_PROCESS)
			write_process(x, ev[i].rec.process);
	}
}

static void end(struct export *x)
{
	struct chrome *c = x->state;
	timeline_end(x, &c->timeline);
	output_text(x->out, "\n],\"otherData\":{\"exporter\":\"iotrace\"");
	if (c->epoch_known)
		output_printf(x->out, ",\"epoch_ns\":\"%ju\"", (uintmax_t)c->epoch_ns);
	output_text(x->out, "}}\n");
}

static void release(struct export *x)
{
	struct chrome *c = x->state;
	if (c != NULL)
		timeline_free(&c->timeline);
}

const struct export_format export_chrome = {
    .begin = begin, .events = events, .end = end, .free = release};
