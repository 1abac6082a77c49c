/* SPDX-License-Identifier: BSD-2-Clause */
#include "info.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/format/directive.h"
#include "lib/format/lacks.h"
#include "lib/format/sample.h"

const char *const info_keys[KEYS] = {"source", "command", "host",    "user",   "epoch",
				     "lacks",  "layer",   "lengths", "clocks", "seen"};

static void count_ids(struct info *f, const struct iot_record *rec, bool logical)
{
	struct known_fields *k = &f->known[(rec->process * 31 + rec->file) % KNOWN];
	if (k->any && k->process == rec->process && k->file == rec->file &&
	    k->object == rec->object && k->logical == logical)
		return;
	*k = (struct known_fields){rec->process, rec->file, rec->object, true, logical};
	if (idmap_number(&f->processes, rec->process) == SIZE_MAX)
		f->failed = true;
	if (logical && idmap_number(&f->files, idmap_pair(rec->process, rec->file)) == SIZE_MAX)
		f->failed = true;
	if (rec->object && idmap_number(&f->objects, rec->object) == SIZE_MAX)
		f->failed = true;
}

static void count_unknown(struct info *f, unsigned flags)
{
	f->unknown_offsets += (flags & IOT_OFFSET_UNKNOWN) != 0;
	f->unknown_durations += (flags & IOT_DURATION_UNKNOWN) != 0;
	f->unknown_cpu += (flags & IOT_CPU_UNKNOWN) != 0;
	f->unknown_starts += (flags & IOT_START_UNKNOWN) != 0;
}

static void add_starts(struct info *f, int64_t first_ns, int64_t last_ns)
{
	if (!f->any || first_ns < f->first_ns)
		f->first_ns = first_ns;
	if (!f->any || last_ns > f->last_ns)
		f->last_ns = last_ns;
	f->any = true;
}

static void add_end(struct info *f, int64_t end_ns)
{
	if (!f->any_end || end_ns > f->completed_ns)
		f->completed_ns = end_ns;
	f->any_end = true;
}

static void count_record(struct info *f, const struct iot_record *rec)
{
	bool logical = (rec->type & IOT_LOGICAL) != 0;
	int way = rec->type & IOT_WRITE ? WRITE : READ;
	struct ways *w = logical ? &f->logical : &f->physical;
	w->records[way]++;
	w->bytes[way] += logical ? rec->length : rec->length * IOT_BLOCK_SIZE;
	if (rec->flags != 0)
		count_unknown(f, rec->flags);
	if ((rec->flags & IOT_START_UNKNOWN) == 0) {
		add_starts(f, rec->start_ns, rec->start_ns);
		if ((rec->flags & IOT_DURATION_UNKNOWN) == 0)
			add_end(f, rec->start_ns + (int64_t)rec->duration_ns);
	}
	count_ids(f, rec, logical);
}

static void keep_reported(struct info *f, const struct iot_event *ev)
{
	for (int i = 0; i < KEYS; i++) {
		struct iot_text value = iot_directive_get(ev, info_keys[i]);
		if (!value.data || f->reported[i].text)
			continue;
		f->reported[i].text = malloc(value.size + 1);
		if (f->reported[i].text)
			f->reported[i].size = iot_percent_decode(value, f->reported[i].text, NULL);
		else
			f->failed = true;
	}
}

/* A trace can claim any number: the sum saturates. */
static void add_lost(struct info *f, uint64_t records)
{
	if (__builtin_add_overflow(f->lost_records, records, &f->lost_records))
		f->lost_records = UINT64_MAX;
}

static void count_lost(struct info *f, const struct iot_event *ev)
{
	const struct iot_text records = iot_directive_get(ev, "records");
	const struct iot_text why = iot_directive_get(ev, "why");
	static const char interrupted[] = "interrupted";
	uint64_t n;
	f->gaps++;
	f->interrupted |=
	    why.size == sizeof interrupted - 1 && memcmp(why.data, interrupted, why.size) == 0;
	if (records.data == NULL || !number_decimal(records.data, records.size, &n))
		return;
	add_lost(f, n);
	f->any_lost = true;
}

static void count_counter(struct info *f, const struct iot_event *ev)
{
	f->counters++;
	f->file_counters += (ev->has & (IOT_HAS_FILE | IOT_HAS_OBJECT)) != 0 ||
			    iot_directive_get(ev, "path").data != NULL;
}

static void add_observed(struct info *f, uint64_t from_ns, uint64_t to_ns)
{
	if (f->observed_ns[1] == 0 || from_ns < f->observed_ns[0])
		f->observed_ns[0] = from_ns;
	if (to_ns > f->observed_ns[1])
		f->observed_ns[1] = to_ns;
}

static void count_sample(struct info *f, const struct iot_event *ev)
{
	struct sample s;
	f->samples++;
	if (sample_of(ev, &s))
		add_observed(f, s.start_ns, s.start_ns + s.took_ns);
}

static void count_directive(struct info *f, const struct iot_event *ev)
{
	unseen_add(&f->unseen, ev);
	if (directive_is_sample(ev))
		count_sample(f, ev);
	switch (ev->kind) {
	case IOT_OP:
		if ((ev->has & IOT_HAS_PROCESS) != 0 &&
		    idmap_number(&f->processes, ev->rec.process) == SIZE_MAX)
			f->failed = true;
		break;
	case IOT_LOST:
		count_lost(f, ev);
		break;
	case IOT_COUNTER:
		count_counter(f, ev);
		break;
	case IOT_TRACE:
		f->traces++;
		f->no_processes |= (lacks_of(ev) & LACK_PROCESSES) != 0;
		keep_reported(f, ev);
		break;
	default:
		break;
	}
}

struct counting {
	struct info *info;
	struct trace_in *in;
};

/* Parts */

void info_free(struct info *f)
{
	idmap_free(&f->processes);
	idmap_free(&f->files);
	idmap_free(&f->objects);
	for (int i = 0; i < KEYS; i++)
		free(f->reported[i].text);
}

static void *begin_part(void *context)
{
	(void)context;
	return calloc(1, sizeof(struct info));
}

static int count_events(void *part, const struct iot_event *ev, size_t n)
{
	struct info *f = part;
	for (size_t i = 0; i < n; i++)
		if (ev[i].kind == IOT_RECORD)
			count_record(f, &ev[i].rec);
		else
			count_directive(f, &ev[i]);
	return f->failed ? IOT_ENOMEM : IOT_OK;
}

static void drop_part(void *context, void *part)
{
	(void)context;
	info_free(part);
	free(part);
}

static void add_ways(struct ways *w, const struct ways *more)
{
	for (int way = READ; way < WAYS; way++) {
		w->records[way] += more->records[way];
		w->bytes[way] += more->bytes[way];
	}
}

static bool add_keys(struct idmap *map, const struct idmap *more)
{
	for (size_t i = 0; i < more->count; i++)
		if (idmap_number(map, more->keys[i]) == SIZE_MAX)
			return false;
	return true;
}

static void add_span(struct info *f, const struct info *more)
{
	if (more->any)
		add_starts(f, more->first_ns, more->last_ns);
	if (more->any_end)
		add_end(f, more->completed_ns);
	if (more->observed_ns[1] > 0)
		add_observed(f, more->observed_ns[0], more->observed_ns[1]);
}

static void add_unknown(struct info *f, const struct info *more)
{
	f->unknown_offsets += more->unknown_offsets;
	f->unknown_durations += more->unknown_durations;
	f->unknown_cpu += more->unknown_cpu;
	f->unknown_starts += more->unknown_starts;
}

static void add_reported(struct info *f, struct info *more)
{
	for (int i = 0; i < KEYS; i++) {
		if (f->reported[i].text || !more->reported[i].text)
			continue;
		f->reported[i] = more->reported[i];
		more->reported[i].text = NULL;
	}
}

static int join_part(void *context, void *part)
{
	struct counting *all = context;
	struct info *f = all->info, *more = part;
	add_ways(&f->logical, &more->logical);
	add_ways(&f->physical, &more->physical);
	add_span(f, more);
	add_reported(f, more);
	add_unknown(f, more);
	f->traces += more->traces;
	f->counters += more->counters;
	f->file_counters += more->file_counters;
	f->samples += more->samples;
	f->gaps += more->gaps;
	f->interrupted |= more->interrupted;
	f->no_processes |= more->no_processes;
	add_lost(f, more->lost_records);
	f->any_lost |= more->any_lost;
	unseen_join(&f->unseen, &more->unseen);
	const bool ok = add_keys(&f->processes, &more->processes) &&
			add_keys(&f->files, &more->files) && add_keys(&f->objects, &more->objects);
	drop_part(NULL, part);
	trace_in_show_progress(all->in);
	return ok ? IOT_OK : IOT_ENOMEM;
}

void info_count(struct info *f, struct trace_in *in)
{
	struct counting counting = {f, in};
	const struct iot_fold fold = {&counting, begin_part, count_events, join_part, drop_part};
	trace_in_fold(in, &fold);
}

const char *info_state(const struct info *f, const struct trace_in *in)
{
	if (in->grows)
		return "being written";
	if (in->status == IOT_ETRUNCATED)
		return "cut short";
	if (in->status != IOT_OK || iot_reader_fact(in->reader, IOT_FACT_LOST) > 0)
		return "damaged";
	if (f->interrupted)
		return "incomplete: interrupted";
	if (f->gaps > 0)
		return "incomplete: gaps";
	if (unseen_any(&f->unseen))
		return unseen_state_name(&f->unseen);
	return iot_reader_fact(in->reader, IOT_FACT_FRAMED) ? "complete"
							    : "complete, without an end mark";
}

bool info_has_ios(const struct info *f, const struct trace_in *in)
{
	return iot_reader_fact(in->reader, IOT_FACT_RECORDS) > 0 ||
	       f->file_counters + f->samples == 0;
}

bool info_was_read(const struct trace_in *in)
{
	const struct iot_reader *r = in->reader;
	return in->status == IOT_OK ||
	       (in->log == NULL && iot_reader_fact(r, IOT_FACT_FRAMED) != 0) ||
	       iot_reader_fact(r, IOT_FACT_RECORDS) > 0 ||
	       iot_reader_fact(r, IOT_FACT_COMMENTS) > 0;
}

bool info_epoch(const struct info *f, uint64_t *ns)
{
	const struct reported *t = &f->reported[KEY_EPOCH];
	return t->text != NULL && number_decimal(t->text, t->size, ns);
}

const char *info_compression(const struct trace_in *in)
{
	const uint64_t compression = iot_reader_fact(in->reader, IOT_FACT_COMPRESSION);
	return compression == IOT_GZIP ? "gzip" : compression == IOT_ZSTD ? "zstd" : "plain";
}
