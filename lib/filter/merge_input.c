/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of an input: shifted to the zero of the output, and with their sort keys.
 *
 * The key of a record is its start. A timed directive has its time as the key, but not less than
 * the preceding record of its trace and not more than the following one; an untimed one, or a
 * comment, has the key of the event that follows it. Keys therefore never decrease within a stream.
 * Directives after the last record of a batch are held until the next record is known; if there are
 * too many of them, they get the key of the preceding record: early rather than late.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"

#include "merge.h"

enum { WHY_MAX = 300 };

/* Held events */

static bool hold(struct merge_stream *s, struct iot_event ev)
{
	if (!array_reserve(&s->held.ev, &s->held.capacity, s->held.count + 1, sizeof(ev)) ||
	    !text_blocks_copy(&s->text[s->turn], &ev.text))
		return false;
	s->held.ev[s->held.count++] = ev;
	s->held.bytes += sizeof(ev) + ev.text.size;
	return true;
}

static bool hold_all(struct merge_stream *s, const struct iot_event *ev, size_t n)
{
	bool fine = true;
	for (size_t i = 0; i < n && fine; i++)
		fine = hold(s, ev[i]);
	return fine;
}

/* A %lost in the output where this input ends early. */
static bool add_lost(struct merge_stream *s)
{
	char memory[1024];
	struct iot_builder builder;
	struct iot_event ev;
	const char *why = iot_stream_error(s->upstream);
	iot_directive_begin(&builder, memory, sizeof(memory), "lost");
	iot_directive_number(&builder, "time", (uint64_t)s->max_ns);
	iot_directive_text(&builder, "why", why, strnlen(why, WHY_MAX));
	return iot_directive_end(&builder, &ev) != IOT_OK || hold(s, ev);
}

/* Time */

static bool move_time(int64_t *start, uint64_t took, int64_t by)
{
	int64_t end;
	return !__builtin_add_overflow(*start, by, start) && took <= INT64_MAX &&
	       !__builtin_add_overflow(*start, (int64_t)took, &end);
}

static int fail(const struct merge_stream *s, struct error *error, int status, const char *why)
{
	char name[256];
	return error_set(error, status, "%s: %s",
			 escape_text(name, sizeof(name), s->input->name, strlen(s->input->name)),
			 why);
}

static void find_ready(struct merge_stream *s)
{
	s->ready = s->batch->count;
	while (s->ready > 0 && s->batch->events[s->ready - 1].kind != IOT_RECORD)
		s->ready--;
}

/* The text of %trace is generated when it is written. */
static int shift_directive(struct merge_stream *s, struct iot_event *ev, struct error *error)
{
	const int64_t by = s->input->move_ns;
	struct iot_event shifted = *ev;
	if (!move_time(&ev->rec.start_ns, ev->has & IOT_HAS_TOOK ? ev->rec.duration_ns : 0, by))
		return fail(s, error, IOT_ELIMIT, "a time leads beyond 2^63-1 nanoseconds");
	s->max_ns = ev->rec.start_ns > s->max_ns ? ev->rec.start_ns : s->max_ns;
	if (by == 0 || ev->kind == IOT_TRACE)
		return IOT_OK;
	s->shift.zero_ns = -by;
	if (!time_shift_events(&s->shift, &shifted, 1) ||
	    !text_blocks_copy(&s->text[s->turn], &shifted.text))
		return error_no_memory(error);
	ev->text = shifted.text;
	return IOT_OK;
}

static int shift_record(struct merge_stream *s, struct iot_record *rec, struct error *error)
{
	const int64_t by = s->input->move_ns;
	if (by != 0 && !move_time(&rec->start_ns, rec->duration_ns, by))
		return fail(s, error, IOT_ELIMIT, "a time leads beyond 2^63-1 nanoseconds");
	if (rec->start_ns < s->last_ns)
		return fail(s, error, IOT_EFORMAT, "a record starts before the one before it");
	s->last_ns = rec->start_ns;
	return IOT_OK;
}

/* *n becomes the number of events that precede an error. */
static int shift(struct merge_stream *s, struct iot_event *ev, size_t *n, struct error *error)
{
	int status = IOT_OK;
	for (size_t i = 0; i < *n && status == IOT_OK; i++) {
		if (ev[i].kind == IOT_RECORD)
			status = shift_record(s, &ev[i].rec, error);
		else if (ev[i].has & IOT_HAS_TIME)
			status = shift_directive(s, &ev[i], error);
		if (status != IOT_OK)
			*n = i;
	}
	s->max_ns = s->last_ns > s->max_ns ? s->last_ns : s->max_ns;
	return status;
}

/* Shifts the batch. Events up to the last record before an error are delivered before it. */
static int shift_batch(struct merge_stream *s, struct error *error)
{
	const int status = shift(s, s->batch->events, &s->batch->count, error);
	if (status == IOT_OK)
		return IOT_OK;
	find_ready(s);
	s->batch->count = s->ready;
	s->failed = status;
	s->ended = true;
	return s->ready > 0 ? IOT_OK : status;
}

/* Sort keys */

static void take_key(struct iot_event *ev, const struct iot_event *from)
{
	const bool own = from->kind != IOT_RECORD && (from->has & IOT_HAS_TIME);
	ev->rec = from->rec;
	ev->has = own ? IOT_HAS_TIME : 0;
}

/* next, record: the event and the record that follow the n ones, or NULL. */
static void find_keys(struct iot_event *ev, size_t n, const struct iot_event *next,
		      const struct iot_event *record)
{
	for (size_t i = n; i-- > 0; next = &ev[i]) {
		const bool timed = ev[i].has & IOT_HAS_TIME;
		if (ev[i].kind == IOT_RECORD)
			record = &ev[i];
		else if (!timed && next != NULL)
			take_key(&ev[i], next);
		else if (!timed)
			ev[i] = (struct iot_event){.rec.start_ns = INT64_MIN,
						   .kind = ev[i].kind,
						   .has = IOT_HAS_TIME,
						   .text = ev[i].text};
		else if (record != NULL && record->rec.start_ns < ev[i].rec.start_ns)
			take_key(&ev[i], record);
	}
}

static void raise_keys(struct merge_stream *s, struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t *start = &ev[i].rec.start_ns;
		*start = *start < s->placed_ns ? s->placed_ns : *start;
		s->placed_ns = *start;
	}
}

static bool has_time(const struct merge_stream *s)
{
	bool found = s->input->first_ns != INT64_MAX || s->placed_ns != s->input->move_ns;
	for (size_t i = 0; i < s->held.count && !found; i++)
		found = (s->held.ev[i].has & IOT_HAS_TIME) != 0;
	return found;
}

/*
 * The directives after the last record. An input without any time, such as a part of a recording
 * with nothing but the counters of processes that ended, follows all others.
 */
static void find_last_keys(struct merge_stream *s)
{
	const bool is_last = !has_time(s);
	find_keys(s->held.ev, s->held.count, NULL, NULL);
	if (is_last)
		s->placed_ns = INT64_MAX;
}

/* Makes all events that were read, except those after the last record, the next ones. */
static void deliver(struct merge_stream *s)
{
	struct iot_event *ev = s->batch->events;
	const struct iot_event early = {
	    .rec.start_ns = s->last_ns, .kind = IOT_COMMENT, .has = IOT_HAS_TIME};
	size_t first = 0;
	find_keys(ev, s->ready, NULL, NULL);
	while (first < s->ready && ev[first].kind != IOT_RECORD)
		first++;
	if (s->ready > 0)
		find_keys(s->held.ev, s->held.count, &ev[0], &ev[first]);
	else if (s->ended)
		find_last_keys(s);
	else
		find_keys(s->held.ev, s->held.count, &early, &early);
	raise_keys(s, s->held.ev, s->held.count);
	raise_keys(s, ev, s->ready);
	s->at = s->held.ev;
	s->end = s->held.count > 0 ? s->held.ev + s->held.count : s->at;
	s->in_held = true;
	if (s->at == s->end)
		merge_stream_advance(s);
}

void merge_stream_advance(struct merge_stream *s)
{
	assert(s->at == s->end && s->in_held);
	s->in_held = false;
	s->at = s->batch->events;
	s->end = s->at + s->ready;
}

/* Reading */

/* Returns 1, 0 at the end, or a negative status. */
static int pull(struct merge_stream *s, struct error *error)
{
	int got;
	do
		got = iot_stream_next(s->upstream, s->batch);
	while (got > 0 && s->batch->count == 0);
	s->batch->count = got > 0 ? s->batch->count : 0;
	if (s->batch->bytes_done > s->bytes_done)
		s->bytes_done = s->batch->bytes_done;
	if (got > 0)
		s->bytes_total = s->batch->bytes_total;
	find_ready(s);
	if (got > 0)
		return got;
	s->ended = true;
	s->status = got;
	if (got == IOT_OK || got == IOT_EFORMAT || got == IOT_EIO || got == IOT_ETRUNCATED)
		return 0;
	return error_set(error, got, "%s", iot_stream_error(s->upstream));
}

static bool can_hold(const struct merge_stream *s)
{
	return s->held.bytes < s->held.bytes_max;
}

int merge_stream_fill(struct merge_stream *s, struct error *error)
{
	struct iot_batch *b = s->batch;
	const size_t last = s->ready;
	int got = 1;
	s->turn = !s->turn; /* events to be held may have their text in the other one */
	text_blocks_reset(&s->text[s->turn]);
	s->held.count = s->held.bytes = 0;
	if (!hold_all(s, b->events + last, b->count - last))
		return error_no_memory(error);
	s->ready = b->count = 0;
	while (got > 0 && s->ready == 0 && can_hold(s)) {
		got = pull(s, error);
		if (got < 0 || shift_batch(s, error) != IOT_OK)
			return error->status;
		if (s->ready > 0)
			break;
		if (!hold_all(s, b->events, b->count))
			return error_no_memory(error);
		b->count = 0;
	}
	if (s->ended && s->status != IOT_OK && !add_lost(s))
		return error_no_memory(error);
	deliver(s);
	return IOT_OK;
}

/* The first events */

/* A remap_id_fn that changes nothing. */
static bool see_id(void *context, enum remapped_id kind, uint32_t id, const struct iot_event *ev,
		   uint32_t *to)
{
	uint32_t *max = context;
	(void)ev;
	*to = id;
	max[kind] = id > max[kind] ? id : max[kind];
	return true;
}

static int learn_epoch(struct merge_stream *s, struct merge_input *in, struct iot_text epoch,
		       struct error *error)
{
	uint64_t number;
	if (in->trace.has_epoch || !number_decimal(epoch.data, epoch.size, &number))
		return IOT_OK;
	if (number > INT64_MAX)
		return fail(s, error, IOT_ELIMIT,
			    "epoch= of its %trace exceeds 2^63-1 nanoseconds");
	in->trace.has_epoch = true;
	in->trace.epoch_ns = (int64_t)number;
	return IOT_OK;
}

/* Keeps the first value of a key. Returns false if out of memory. */
static bool learn_text(const struct iot_event *ev, const char *key, char **text)
{
	const struct iot_text value = iot_directive_get(ev, key);
	if (value.data == NULL || *text != NULL)
		return true;
	*text = calloc(1, value.size + 1);
	if (*text == NULL)
		return false;
	(void)iot_percent_decode(value, *text, NULL);
	return true;
}

static int learn_trace(struct merge_stream *s, struct merge_input *in, const struct iot_event *ev,
		       struct error *error)
{
	const size_t size = in->trace.size + ev->text.size + 1;
	if (size > s->held.bytes_max)
		return fail(s, error, IOT_ELIMIT, "too many %trace before its first record");
	if (!array_reserve(&in->trace.text, &in->trace.capacity, size, 1))
		return error_no_memory(error);
	memcpy(in->trace.text + in->trace.size, ev->text.data, ev->text.size);
	in->trace.text[size - 1] = '\n';
	in->trace.size = size;
	(void)iot_directive_lacks(ev, &in->trace.lacks);
	if (!learn_text(ev, "host", &in->trace.host) || !learn_text(ev, "job", &in->trace.job))
		return error_no_memory(error);
	return learn_epoch(s, in, iot_directive_get(ev, "epoch"), error);
}

/* Examines and keeps events; returns in *n how many are kept. */
static int learn(struct merge_stream *s, struct merge_input *in, struct iot_event *events,
		 size_t *n, struct error *error)
{
	struct remap_ids see = {.map = see_id, .context = in->ids_max};
	int status = IOT_OK;
	size_t kept = 0;
	for (size_t i = 0; i < *n && status == IOT_OK; i++) {
		struct iot_event ev = events[i];
		const bool in_head = in->first_ns == INT64_MAX;
		if (ev.kind == IOT_RECORD && in_head)
			in->first_ns = ev.rec.start_ns;
		if (ev.kind == IOT_TRACE && in_head)
			status = learn_trace(s, in, &ev, error);
		if (ev.kind != IOT_TRACE || !in_head || !s->drops_traces)
			events[kept++] = events[i];
		ev.has = 0;
		if (status == IOT_OK && !remap_ids_event(&see, &ev))
			status = error_no_memory(error);
	}
	remap_ids_free(&see);
	*n = kept;
	return status;
}

int merge_stream_open(struct merge_stream *s, struct merge_input *in, struct error *error)
{
	struct iot_batch *b = s->batch;
	int got = 1;
	s->input = in;
	in->stream = s;
	in->first_ns = INT64_MAX;
	while (got > 0 && s->ready == 0 && can_hold(s)) {
		got = pull(s, error);
		const size_t after = b->count - s->ready;
		if (got < 0 || learn(s, in, b->events, &b->count, error) != IOT_OK)
			return error->status;
		if (s->ready > 0) {
			s->ready = b->count - after;
			break;
		}
		if (!hold_all(s, b->events, b->count))
			return error_no_memory(error);
		b->count = 0;
	}
	return IOT_OK;
}

int merge_stream_begin(struct merge_stream *s, const struct merge_input *in, struct error *error)
{
	s->input = in;
	s->last_ns = s->max_ns = s->placed_ns = in->move_ns;
	if (shift(s, s->held.ev, &s->held.count, error) != IOT_OK ||
	    shift_batch(s, error) != IOT_OK)
		return error->status;
	if (s->ended && s->status != IOT_OK && !add_lost(s))
		return error_no_memory(error);
	deliver(s);
	return IOT_OK;
}

struct merge_stream *merge_stream_new(struct iot_stream *upstream, size_t held_max)
{
	struct merge_stream *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->upstream = upstream;
	s->held.bytes_max = held_max;
	s->batch = iot_batch_new(IOT_BATCH_EVENTS);
	if (s->batch != NULL)
		return s;
	free(s);
	return NULL;
}

void merge_stream_free(struct merge_stream *s)
{
	if (s == NULL)
		return;
	free(s->run);
	text_blocks_free(&s->text[0]);
	text_blocks_free(&s->text[1]);
	time_shift_free(&s->shift);
	iot_batch_free(s->batch);
	free(s->held.ev);
	free(s->from);
	free(s);
}
