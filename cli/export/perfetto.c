/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perfetto's protobuf trace, for ui.perfetto.dev and trace_processor: a stream of TracePackets. A
 * process is a track, and each of its lanes a child track; an I/O or operation is a pair of slice
 * events. The constants are the field numbers of perfetto.protos.Trace.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

#include "protobuf.h"
#include "lib/base/utf8.h"
#include "timeline.h"

enum trace_field { TRACE_PACKET = 1 };

enum packet_field {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
};

enum packet_flag { STATE_CLEARED = 1, STATE_NEEDED = 2 };

enum clock { CLOCK_FIELD = 1, CLOCK_ID = 1, CLOCK_TIME = 2, REALTIME = 1, BOOTTIME = 6 };

enum track_field {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
};

enum event_field {
	EVENT_CATEGORY_IID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,
};

enum event_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

enum annotation_field {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_NUMBER = 3,
	ANNOTATION_TEXT = 6,
	ANNOTATION_TEXT_IID = 17,
};

enum interned_field {
	INTERNED_CATEGORY = 1,
	INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3,
	INTERNED_TEXT = 29,
	INTERNED_IID = 1,
	INTERNED_NAME = 2,
};

/* The interned names, numbered from 1. */
enum category { LOGICAL = 1, PHYSICAL, OPERATION };
enum event_name { READ = 1, WRITE };
enum annotation { ARG_FILE = 1, ARG_OFFSET, ARG_LENGTH, ARG_PATH, ARG_RESULT };

enum { PID_MAX = INT32_MAX };

struct perfetto {
	struct timeline timeline;
	struct byte_buffer packet;
	struct idmap known; /* processes that have a track */
	uint64_t interned;  /* names looked up until this number are interned */
	bool *counted;      /* by number in `known`: has tracks for its rates */
	size_t counted_capacity;
	bool clock_known;
};

/* Packets */

static size_t packet_begin(struct perfetto *p, unsigned flags)
{
	p->packet.size = 0;
	const size_t at = protobuf_begin(&p->packet, TRACE_PACKET);
	protobuf_number(&p->packet, PACKET_SEQUENCE, 1);
	protobuf_number(&p->packet, PACKET_FLAGS, flags);
	return at;
}

static void packet_end(struct export *x, size_t at)
{
	struct perfetto *p = x->state;
	protobuf_end(&p->packet, at);
	x->failed |= p->packet.failed;
	if (!x->failed)
		output_write(x->out, p->packet.data, p->packet.size);
}

static void put_interned(struct byte_buffer *b, enum interned_field field, uint64_t iid,
			 const char *text, size_t size)
{
	const size_t at = protobuf_begin(b, field);
	protobuf_number(b, INTERNED_IID, iid);
	protobuf_bytes(b, INTERNED_NAME, text, size);
	protobuf_end(b, at);
}

static void put_names(struct byte_buffer *b, enum interned_field field, const char *const *names,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_interned(b, field, i + 1, names[i], strlen(names[i]));
}

static void write_first(struct export *x)
{
	static const char *const categories[] = {"logical", "physical", "op"};
	static const char *const events[] = {"read", "write"};
	static const char *const args[] = {"file", "offset", "length", "path", "result"};
	struct perfetto *p = x->state;
	const size_t packet = packet_begin(p, STATE_CLEARED);
	const size_t at = protobuf_begin(&p->packet, PACKET_INTERNED);
	put_names(&p->packet, INTERNED_CATEGORY, categories, 3);
	put_names(&p->packet, INTERNED_EVENT_NAME, events, 2);
	put_names(&p->packet, INTERNED_ANNOTATION_NAME, args, 5);
	protobuf_end(&p->packet, at);
	packet_end(x, packet);
}

static void put_clock(struct byte_buffer *b, enum clock id, uint64_t ns)
{
	const size_t at = protobuf_begin(b, CLOCK_FIELD);
	protobuf_number(b, CLOCK_ID, (uint64_t)id);
	protobuf_number(b, CLOCK_TIME, ns);
	protobuf_end(b, at);
}

/* Time zero of the trace is time zero of the default clock. */
static void write_clock(struct export *x, const struct iot_event *ev)
{
	struct perfetto *p = x->state;
	const struct iot_text epoch = iot_directive_get(ev, "epoch");
	uint64_t ns;
	if (p->clock_known || epoch.data == NULL || !number_parse(epoch.data, epoch.size, 10, &ns))
		return;
	p->clock_known = true;
	const size_t packet = packet_begin(p, STATE_NEEDED);
	const size_t at = protobuf_begin(&p->packet, PACKET_CLOCK_SNAPSHOT);
	put_clock(&p->packet, BOOTTIME, 0);
	put_clock(&p->packet, REALTIME, ns);
	protobuf_end(&p->packet, at);
	packet_end(x, packet);
}

/* Tracks */

enum { TRACK_OF_PROCESS = 0, TRACK_READ = 4094, TRACK_WRITTEN = 4095 }; /* others are lanes */

/* Different for each track, and well distributed. */
static uint64_t uuid(uint32_t process, unsigned track)
{
	uint64_t v = ((uint64_t)process << 12 | track) + 0x9e3779b97f4a7c15U;
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9U;
	v = (v ^ v >> 27) * 0x94d049bb133111ebU;
	return v ^ v >> 31;
}

static void write_track(struct export *x, uint32_t process, unsigned track, const char *name)
{
	struct perfetto *p = x->state;
	const size_t packet = packet_begin(p, STATE_NEEDED);
	const size_t at = protobuf_begin(&p->packet, PACKET_TRACK);
	protobuf_number(&p->packet, TRACK_UUID, uuid(process, track));
	protobuf_text(&p->packet, TRACK_NAME, name);
	protobuf_number(&p->packet, TRACK_PARENT, uuid(process, TRACK_OF_PROCESS));
	if (track >= TRACK_READ)
		protobuf_bytes(&p->packet, TRACK_COUNTER, "", 0);
	protobuf_end(&p->packet, at);
	packet_end(x, packet);
}

static void put_process_name(struct export *x, uint32_t process)
{
	struct perfetto *p = x->state;
	char name[300];
	const struct name *program = names_process(&x->names, process, PROCESS_PROGRAM);
	const struct name *rank = names_process(&x->names, process, PROCESS_RANK);
	snprintf(name, sizeof name, "%.*s%s%.*s", (int)(program->size < 200 ? program->size : 200),
		 program->text != NULL ? program->text : "", rank->text != NULL ? " rank " : "",
		 (int)(rank->size < 32 ? rank->size : 32), rank->text != NULL ? rank->text : "");
	if (name[0] != '\0')
		protobuf_text(&p->packet, PROCESS_NAME, name);
}

static void write_process(struct export *x, uint32_t process)
{
	struct perfetto *p = x->state;
	const size_t packet = packet_begin(p, STATE_NEEDED);
	const size_t at = protobuf_begin(&p->packet, PACKET_TRACK);
	protobuf_number(&p->packet, TRACK_UUID, uuid(process, TRACK_OF_PROCESS));
	const size_t inner = protobuf_begin(&p->packet, TRACK_PROCESS);
	if (process <= PID_MAX)
		protobuf_number(&p->packet, PROCESS_PID, process);
	put_process_name(x, process);
	protobuf_end(&p->packet, inner);
	protobuf_end(&p->packet, at);
	packet_end(x, packet);
}

/* Writes the track of a process before its first use. Returns its number; SIZE_MAX on failure. */
static size_t require_process(struct export *x, uint32_t process)
{
	struct perfetto *p = x->state;
	const size_t known = p->known.count, n = idmap_number(&p->known, process);
	x->failed |= n == SIZE_MAX;
	if (!x->failed && p->known.count > known)
		write_process(x, process);
	return n;
}

/* Events */

static size_t event_begin(struct perfetto *p, uint64_t ns, enum event_type type, uint64_t track)
{
	protobuf_number(&p->packet, PACKET_TIMESTAMP, ns);
	const size_t at = protobuf_begin(&p->packet, PACKET_TRACK_EVENT);
	protobuf_number(&p->packet, EVENT_TYPE, type);
	protobuf_number(&p->packet, EVENT_TRACK, track);
	return at;
}

static void put_arg(struct byte_buffer *b, enum annotation name, uint64_t v)
{
	const size_t at = protobuf_begin(b, EVENT_ANNOTATION);
	protobuf_number(b, ANNOTATION_NAME_IID, name);
	protobuf_number(b, ANNOTATION_NUMBER, v);
	protobuf_end(b, at);
}

static void put_text_arg(struct byte_buffer *b, enum annotation name, const struct name *text)
{
	const size_t at = protobuf_begin(b, EVENT_ANNOTATION);
	protobuf_number(b, ANNOTATION_NAME_IID, name);
	protobuf_bytes(b, ANNOTATION_TEXT, text->text, text->size);
	protobuf_end(b, at);
}

/* Every lookup of a path is interned once, in the packet of the first event that uses it. */
static void intern_path(struct perfetto *p, const struct name *path)
{
	if (path->text == NULL || path->lookup <= p->interned)
		return;
	p->interned = path->lookup;
	const size_t at = protobuf_begin(&p->packet, PACKET_INTERNED);
	put_interned(&p->packet, INTERNED_TEXT, path->lookup, path->text, path->size);
	protobuf_end(&p->packet, at);
}

static void put_record(struct export *x, struct byte_buffer *b, const struct iot_record *rec,
		       const struct name *path)
{
	uint64_t bytes;
	protobuf_number(b, EVENT_CATEGORY_IID, rec->type & IOT_LOGICAL ? LOGICAL : PHYSICAL);
	protobuf_number(b, EVENT_NAME_IID, rec->type & IOT_WRITE ? WRITE : READ);
	put_arg(b, ARG_FILE, rec->file);
	if ((rec->flags & IOT_OFFSET_UNKNOWN) == 0 && export_bytes(x, rec, rec->offset, &bytes))
		put_arg(b, ARG_OFFSET, bytes);
	if (export_bytes(x, rec, rec->length, &bytes))
		put_arg(b, ARG_LENGTH, bytes);
	if (path->text != NULL) {
		const size_t at = protobuf_begin(b, EVENT_ANNOTATION);
		protobuf_number(b, ANNOTATION_NAME_IID, ARG_PATH);
		protobuf_number(b, ANNOTATION_TEXT_IID, path->lookup);
		protobuf_end(b, at);
	}
	if (rec->operation != 0)
		protobuf_fixed64(b, EVENT_FLOW, rec->operation);
}

static void put_op(struct export *x, const struct iot_event *ev)
{
	struct perfetto *p = x->state;
	struct name text = *names_value(&x->names, ev, "name");
	protobuf_number(&p->packet, EVENT_CATEGORY_IID, OPERATION);
	protobuf_bytes(&p->packet, EVENT_NAME, text.text != NULL ? text.text : "", text.size);
	text = timeline_op_path(x, ev);
	if (text.text != NULL)
		put_text_arg(&p->packet, ARG_PATH, &text);
	text = *names_value(&x->names, ev, "result");
	if (text.text != NULL)
		put_text_arg(&p->packet, ARG_RESULT, &text);
}

static void write_end(struct export *x, const struct timeline_slice *s)
{
	struct perfetto *p = x->state;
	const size_t packet = packet_begin(p, STATE_NEEDED);
	protobuf_end(&p->packet, event_begin(p, s->start_ns + s->duration_ns, SLICE_END,
					     uuid(s->process, s->lane)));
	packet_end(x, packet);
}

static void write_slice(struct export *x, const struct iot_event *ev)
{
	struct perfetto *p = x->state;
	struct timeline_slice s;
	if (!timeline_place(x, &p->timeline, ev, &s) || require_process(x, s.process) == SIZE_MAX)
		return;
	if (s.new_lane) {
		char name[32];
		timeline_lane_name(name, sizeof name, s.lane);
		write_track(x, s.process, s.lane, name);
	}
	const struct name *path = ev->kind == IOT_RECORD ? names_path(&x->names, &ev->rec) : NULL;
	const size_t packet = packet_begin(p, STATE_NEEDED);
	if (path != NULL)
		intern_path(p, path);
	const size_t at =
	    event_begin(p, s.start_ns, s.instant ? INSTANT : SLICE_BEGIN, uuid(s.process, s.lane));
	if (path != NULL)
		put_record(x, &p->packet, &ev->rec, path);
	else
		put_op(x, ev);
	protobuf_end(&p->packet, at);
	packet_end(x, packet);
	if (!s.instant)
		write_end(x, &s);
	if (ev->kind == IOT_RECORD)
		timeline_count(x, &p->timeline, &ev->rec);
}

static void write_counter(struct export *x, const struct rate *r, unsigned track, uint64_t value)
{
	struct perfetto *p = x->state;
	const size_t packet = packet_begin(p, STATE_NEEDED);
	const size_t at = event_begin(p, r->start_ns, COUNTER, uuid(r->process, track));
	protobuf_number(&p->packet, EVENT_COUNTER_VALUE, value < INT64_MAX ? value : INT64_MAX);
	protobuf_end(&p->packet, at);
	packet_end(x, packet);
}

static void write_rate(struct export *x, const struct rate *r)
{
	struct perfetto *p = x->state;
	const size_t n = require_process(x, r->process);
	if (!array_reserve_index(&p->counted, &p->counted_capacity, n, sizeof *p->counted)) {
		x->failed = true;
		return;
	}
	if (!p->counted[n]) {
		write_track(x, r->process, TRACK_READ, "read bytes/s");
		write_track(x, r->process, TRACK_WRITTEN, "write bytes/s");
		p->counted[n] = true;
	}
	write_counter(x, r, TRACK_READ, r->read);
	write_counter(x, r, TRACK_WRITTEN, r->written);
}

/* The format */

static size_t encode(char *out, const char *text, size_t size)
{
	return percent_encode(out, text, size, "");
}

static void begin(struct export *x)
{
	struct perfetto *p = export_state(x, sizeof *p);
	if (p == NULL)
		return;
	p->timeline.write_rate = write_rate;
	write_first(x);
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	const struct perfetto *p = x->state;
	for (size_t i = 0; i < n && !x->failed; i++) {
		if (ev[i].kind == IOT_RECORD || ev[i].kind == IOT_OP)
			write_slice(x, &ev[i]);
		if (ev[i].kind == IOT_TRACE)
			write_clock(x, &ev[i]);
		x->notes[NOTE_COUNTERS] += ev[i].kind == IOT_COUNTER;
		x->notes[NOTE_LOST] += ev[i].kind == IOT_LOST;
		export_event(x, &ev[i]);
		if (ev[i].kind == IOT_PROCESS &&
		    idmap_find(&p->known, ev[i].rec.process) != SIZE_MAX)
			write_process(x, ev[i].rec.process);
	}
}

static void end(struct export *x)
{
	struct perfetto *p = x->state;
	timeline_end(x, &p->timeline);
}

static void release(struct export *x)
{
	struct perfetto *p = x->state;
	if (p == NULL)
		return;
	timeline_free(&p->timeline);
	idmap_free(&p->known);
	free(p->packet.data);
	free(p->counted);
}

const struct export_format export_perfetto = {.encode = encode,
					      .begin = begin,
					      .events = events,
					      .end = end,
					      .free = release,
					      .binary = true};
