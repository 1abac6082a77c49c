/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events collect in a small sort buffer (sort_buffer.h), the front. When it is full, it is sorted
 * and most of it is appended to a sorted run (runs.h); the quarter with the latest starts stays,
 * because late arrivals are likely to sort before it. So nearly sorted input becomes one run, and
 * input that is sorted in parts becomes one run per part. Long sequences that are already in order
 * bypass the buffer. Runs are merged when events are returned.
 *
 * Stability: keys appended to a run never follow keys that are still buffered, so among equal
 * starts the event added first is in the earlier run, or earlier within it.
 */
#include "sorter.h"

#include <stdlib.h>

#include "sort_buffer.h"
#include "runs.h"

enum {
	MEMORY_MIN = 65536,
	FRONT = 4, /* 1/FRONT of the memory */
	FRONT_MAX = 2 << 20,
	FRONT_MAX_LIVE = 8 << 20, /* a live sorter returns most events without a run */
	STRETCH_MIN = 128,        /* minimum number of events in order that bypass the buffer */
	RUN_MIN = 4096, /* minimum length of a run before a bypass may start another one */
	BATCH = 64,
};

struct sorter {
	enum sorter_mode mode;
	bool by_process, ended, restart;
	bool goes_on; /* the last keys from the buffer continued the run */
	bool bypass;  /* the last events bypassed the buffer */
	int64_t watermark;
	int64_t passed; /* start of the latest event returned */
	uint64_t late, late_by;
	size_t front; /* capacity of the sort buffer in bytes */
	size_t ready; /* keys of pending before this index may be returned */
	struct sort_buffer pending;
	struct runs runs;
	struct error error;
};

struct sorter *sorter_new(size_t memory, enum sorter_mode mode)
{
	struct sorter *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	if (memory < MEMORY_MIN)
		memory = MEMORY_MIN;
	s->mode = mode;
	const size_t front_max = mode == SORTER_LIVE ? FRONT_MAX_LIVE : FRONT_MAX;
	s->front = memory / FRONT < front_max ? memory / FRONT : front_max;
	s->watermark = s->passed = INT64_MIN;
	s->goes_on = true;
	runs_init(&s->runs, memory - s->front, mode != SORTER_STREAM, &s->error);
	return s;
}

void sorter_free(struct sorter *s)
{
	if (s == NULL)
		return;
	sort_buffer_free(&s->pending);
	runs_free(&s->runs);
	free(s);
}

void sorter_tiebreak_by_process(struct sorter *s)
{
	s->by_process = s->pending.by_process = s->runs.by_process = true;
}

static enum sorter_result no_memory(struct sorter *s)
{
	error_set(&s->error, IOT_ENOMEM, "out of memory for sorting");
	return SORTER_FAILED;
}

static enum sorter_result append(struct sorter *s, const struct iot_event *ev, const uint32_t *tag,
				 size_t n)
{
	const enum runs_result result = runs_append(&s->runs, ev, tag, n);
	s->restart = result == RUNS_FULL;
	return result == RUNS_OK ? SORTER_OK : s->restart ? SORTER_RESTART : SORTER_FAILED;
}

/* Appends pending keys [head, end) to a run. */
static enum sorter_result append_pending(struct sorter *s, size_t end)
{
	struct iot_event ev[BATCH];
	uint32_t tag[BATCH];
	s->ready = 0;
	while (s->pending.head < end) {
		const size_t n = sort_buffer_pop(&s->pending, end, ev, tag, BATCH);
		const enum sorter_result result = append(s, ev, tag, n);
		if (result != SORTER_OK)
			return result;
	}
	return sort_buffer_compact(&s->pending) ? SORTER_OK : no_memory(s);
}

/*
 * Empties the full sort buffer. A quarter stays, so that later events can sort before it. Nothing
 * stays if the input was in order, or if the input starts over: then the rest belongs to the
 * preceding run.
 */
static enum sorter_result empty_front(struct sorter *s)
{
	struct sort_buffer *b = &s->pending;
	s->ready = 0;
	if (!sort_buffer_compact(b))
		return no_memory(s);
	if (sort_buffer_bytes(b) < s->front / 2)
		return SORTER_OK;
	bool all = b->in_order, went_on = s->goes_on;
	if (!sort_buffer_sort(b))
		return no_memory(s);
	const struct sort_key *key = &b->key[b->head];
	s->goes_on =
	    s->runs.count == 0 || runs_continue(&s->runs, key->start, (uint32_t)(key->tie >> 32));
	all = all || (went_on && !s->goes_on);
	return append_pending(s, all ? b->count : b->count - (b->count - b->head) / 4);
}

static bool in_order(const struct sorter *s, const struct iot_record *a, const struct iot_record *b)
{
	return a->start_ns < b->start_ns ||
	       (a->start_ns == b->start_ns && (!s->by_process || a->process <= b->process));
}

/*
 * Returns whether a sequence at ev may bypass the buffer, into the run after the run of the
 * buffered events.
 */
static bool may_go_bypass(const struct sorter *s, const struct iot_event *ev)
{
	const struct sort_buffer *b = &s->pending;
	const struct runs *r = &s->runs;
	const int64_t start = ev->rec.start_ns;
	const bool may_begin = r->count == 0 || r->length >= RUN_MIN;
	if (b->count == b->head)
		return may_begin || runs_continue(r, start, ev->rec.process);
	if (s->by_process)
		return false;
	if (r->count == 0) /* the first run may be short: directives that precede everything else */
		return true;
	if (b->in_order && start >= b->key[b->count - 1].start)
		return may_begin || runs_continue(r, b->key[b->head].start, 0);
	return may_begin && !sort_buffer_has_before(b, start); /* a sorted part of its own */
}

/* Returns whether no event can be returned yet. */
static bool waits(const struct sorter *s)
{
	return s->mode == SORTER_HOLD || s->watermark == INT64_MIN;
}

/* Returns the length of the sequence of events in order at ev. */
static size_t stretch(const struct sorter *s, const struct iot_event *ev, size_t n)
{
	size_t len = 1;
	while (len < n && in_order(s, &ev[len - 1].rec, &ev[len].rec))
		len++;
	return len;
}

/* Flushes the buffered events first, then appends the sequence. */
static enum sorter_result append_bypass(struct sorter *s, const struct iot_event *ev,
					const uint32_t *tag, size_t n)
{
	struct sort_buffer *b = &s->pending;
	if (b->count > 0) {
		const enum sorter_result result =
		    sort_buffer_sort(b) ? append_pending(s, b->count) : no_memory(s);
		if (result != SORTER_OK)
			return result;
	}
	return append(s, ev, tag, n);
}

/* Returns whether the events are in time for a stream; a live sorter counts late ones. */
static bool in_time(struct sorter *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && s->passed != INT64_MIN; i++) {
		if (ev[i].rec.start_ns >= s->passed)
			continue;
		if (s->mode == SORTER_STREAM)
			return false;
		if (ev[i].kind != IOT_RECORD)
			continue;
		uint64_t by = (uint64_t)s->passed - (uint64_t)ev[i].rec.start_ns;
		s->late_by = by > s->late_by ? by : s->late_by;
		s->late++;
	}
	return true;
}

/*
 * Adds what the sort buffer can hold; after flushing a full buffer completely adds nothing, because
 * the events may bypass it.
 */
static enum sorter_result add_to_front(struct sorter *s, const struct iot_event *ev,
				       const uint32_t *tag, size_t n, size_t *added)
{
	if (sort_buffer_bytes(&s->pending) >= s->front) {
		const enum sorter_result result = empty_front(s);
		*added = 0;
		if (result != SORTER_OK || s->pending.count == 0)
			return result;
	}
	*added = sort_buffer_add(&s->pending, ev, tag, n, s->front);
	return *added > 0 ? SORTER_OK : no_memory(s);
}

/* Adds events; a sequence in order bypasses the buffer if it is long or continues a bypass. */
static enum sorter_result add(struct sorter *s, const struct iot_event *ev, const uint32_t *tag,
			      size_t n, size_t *added)
{
	const struct iot_record *rec = &ev->rec;
	size_t len = waits(s) && (n >= STRETCH_MIN || s->bypass) ? stretch(s, ev, n) : 0;
	bool goes_on = s->bypass && runs_continue(&s->runs, rec->start_ns, rec->process);
	s->bypass = len > 0 && (goes_on || (len >= STRETCH_MIN && may_go_bypass(s, ev)));
	if (!s->bypass)
		return add_to_front(s, ev, tag, len >= STRETCH_MIN ? len : n, added);
	*added = len;
	return append_bypass(s, ev, tag, len);
}

enum sorter_result sorter_add(struct sorter *s, const struct iot_event *ev, const uint32_t *tag,
			      size_t n)
{
	if (s->error.status != IOT_OK || s->restart)
		return s->restart ? SORTER_RESTART : SORTER_FAILED;
	if (s->ended) {
		error_set(&s->error, IOT_EUSAGE, "an event for a sorter after its end");
		return SORTER_FAILED;
	}
	s->runs.beyond = false;
	s->restart = !in_time(s, ev, n);
	if (s->restart)
		return SORTER_RESTART;
	for (size_t i = 0, added; i < n; i += added) {
		const enum sorter_result result =
		    add(s, ev + i, tag != NULL ? tag + i : NULL, n - i, &added);
		if (result != SORTER_OK)
			return result;
	}
	return SORTER_OK;
}

size_t sorter_passthrough(struct sorter *s, const struct iot_event *ev, size_t n,
			  int64_t watermark_ns)
{
	size_t i = 0;
	if (s->mode == SORTER_HOLD || s->error.status != IOT_OK || s->restart || s->ended ||
	    s->pending.count > s->pending.head || !runs_empty(&s->runs))
		return 0;
	if (n == 0 || ev->rec.start_ns < s->passed || stretch(s, ev, n) < n)
		return 0;
	while (i < n && ev[i].rec.start_ns < watermark_ns)
		i++;
	if (i > 0)
		s->passed = ev[i - 1].rec.start_ns;
	return i;
}

int sorter_set_watermark(struct sorter *s, int64_t watermark_ns)
{
	if (watermark_ns > s->watermark)
		s->watermark = watermark_ns;
	return s->error.status;
}

int sorter_end(struct sorter *s)
{
	if (s->error.status != IOT_OK || s->ended)
		return s->error.status;
	s->ended = true;
	if (!sort_buffer_sort(&s->pending))
		no_memory(s);
	s->ready = s->pending.count;
	s->runs.beyond = true;
	if (s->error.status == IOT_OK && s->runs.count > 0) {
		(void)append_pending(s, s->pending.count);
		sort_buffer_free(&s->pending);
	}
	return s->error.status;
}

/* Makes the events before the watermark available; if runs exist, these events go through them. */
static enum sorter_result let_go(struct sorter *s)
{
	struct sort_buffer *b = &s->pending;
	if (s->ended || !sort_buffer_has_before(b, s->watermark))
		return SORTER_OK;
	if (!sort_buffer_compact(b) || !sort_buffer_sort(b))
		return no_memory(s);
	size_t end = sort_buffer_lower_bound(b, s->watermark);
	s->runs.beyond = true; /* they will be returned next */
	if (!runs_empty(&s->runs))
		return append_pending(s, end);
	s->ready = end;
	return SORTER_OK;
}

static ssize_t hand_out(struct sorter *s, struct iot_event *out, uint32_t *tag, size_t max)
{
	if (s->ready > s->pending.head)
		return (ssize_t)sort_buffer_pop(&s->pending, s->ready, out, tag, max);
	if (s->runs.count == 0)
		return 0;
	return runs_pop(&s->runs, out, tag, max, s->ended ? NULL : &s->watermark);
}

ssize_t sorter_events(struct sorter *s, struct iot_event *out, uint32_t *tag, size_t max)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->mode == SORTER_HOLD && !s->ended)
		return 0;
	if (let_go(s) == SORTER_FAILED)
		return s->error.status;
	ssize_t n = hand_out(s, out, tag, max);
	if (n > 0 && out[n - 1].rec.start_ns > s->passed)
		s->passed = out[n - 1].rec.start_ns;
	return n;
}

uint64_t sorter_late(const struct sorter *s)
{
	return s->mode == SORTER_LIVE ? s->late : 0;
}

uint64_t sorter_late_by(const struct sorter *s)
{
	return s->late_by;
}

uint64_t sorter_runs(const struct sorter *s)
{
	return s->runs.made;
}

uint64_t sorter_spilled(const struct sorter *s)
{
	return s->runs.file.written;
}

const struct error *sorter_error(const struct sorter *s)
{
	return &s->error;
}
