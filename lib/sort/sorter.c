/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events gather in a small front (pending.h), are put in order there, and most of them leave it for
 * a sorted run (runs.h): those that nothing is likely to come before. So input that is in order but
 * for short distances makes one run, and input in order by parts a run of each part. Long stretches
 * that are in order anyway are put into runs at once. Runs are merged when events are handed out.
 *
 * What leaves the front comes earlier than what stays or came before it, so of equal starts those
 * that were added first are in the earlier run, or earlier in it.
 */
#include "sorter.h"

#include <stdlib.h>

#include "sort_buffer.h"
#include "runs.h"

enum {
	MEMORY_MIN = 65536,
	FRONT = 4, /* part of the memory */
	FRONT_MAX = 2 << 20,
	STRETCH_MIN = 128, /* events in order that need not go through the front */
	RUN_MIN = 4096,    /* events of a run behind which another may begin without the front */
	BATCH = 64,
};

struct iot_sorter {
	enum iot_sorter_mode mode;
	bool by_process, ended, anew;
	bool goes_on;  /* what left the front last went on with the run */
	bool straight; /* what came last went into a run at once */
	int64_t watermark;
	int64_t passed; /* start of the latest event handed out */
	uint64_t late, late_by;
	size_t front; /* bytes */
	size_t ready; /* keys of pending before this one may be handed out */
	struct iot_pending pending;
	struct iot_runs runs;
	struct iot_error error;
};

struct iot_sorter *iot_sorter_new(size_t memory, enum iot_sorter_mode mode)
{
	struct iot_sorter *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	if (memory < MEMORY_MIN)
		memory = MEMORY_MIN;
	s->mode = mode;
	s->front = memory / FRONT < FRONT_MAX ? memory / FRONT : FRONT_MAX;
	s->watermark = s->passed = INT64_MIN;
	s->goes_on = true;
	iot_runs_init(&s->runs, memory - s->front, mode != IOT_SORTER_STREAM, &s->error);
	return s;
}

void iot_sorter_free(struct iot_sorter *s)
{
	if (s == NULL)
		return;
	iot_pending_free(&s->pending);
	iot_runs_free(&s->runs);
	free(s);
}

void iot_sorter_by_process(struct iot_sorter *s)
{
	s->by_process = s->pending.by_process = s->runs.by_process = true;
}

static int no_memory(struct iot_sorter *s)
{
	return iot_error_set(&s->error, IOT_ENOMEM, "out of memory for sorting");
}

static int start_anew(struct iot_sorter *s)
{
	s->anew = true;
	return IOT_SORTER_ANEW;
}

static int put(struct iot_sorter *s, const struct iot_event *ev, size_t n)
{
	int status = iot_runs_put(&s->runs, ev, n);
	return status == IOT_RUNS_FULL ? start_anew(s) : status;
}

/* Pending keys [head, upto) become a run, or a part of one. */
static int put_pending(struct iot_sorter *s, size_t upto)
{
	const struct iot_record *rec[BATCH];
	struct iot_event ev;
	s->ready = 0;
	while (s->pending.head < upto) {
		size_t n = iot_pending_take_records(&s->pending, upto, rec, BATCH);
		int status = iot_runs_put_records(&s->runs, rec, n);
		if (status == IOT_OK && n == 0 && iot_pending_take(&s->pending, upto, &ev, 1) > 0)
			status = iot_runs_put(&s->runs, &ev, 1);
		if (status != IOT_OK)
			return status == IOT_RUNS_FULL ? start_anew(s) : status;
	}
	return iot_pending_tidy(&s->pending) ? IOT_OK : no_memory(s);
}

/*
 * The front is full. A quarter stays, for later events to come before. Nothing does where that was
 * not needed, or if what comes begins from the start: the rest belongs to what was before.
 */
static int empty_front(struct iot_sorter *s)
{
	struct iot_pending *p = &s->pending;
	s->ready = 0;
	if (!iot_pending_tidy(p))
		return no_memory(s);
	if (iot_pending_bytes(p) < s->front / 2)
		return IOT_OK;
	bool all = p->in_order, went_on = s->goes_on;
	if (!iot_pending_sort(p))
		return no_memory(s);
	const struct iot_key *key = &p->key[p->head];
	s->goes_on = s->runs.count == 0 ||
		     iot_runs_continue(&s->runs, key->start, (uint32_t)(key->tie >> 32));
	all = all || (went_on && !s->goes_on);
	return put_pending(s, all ? p->count : p->count - (p->count - p->head) / 4);
}

static bool in_order(const struct iot_sorter *s, const struct iot_record *a,
		     const struct iot_record *b)
{
	return a->start_ns < b->start_ns ||
	       (a->start_ns == b->start_ns && (!s->by_process || a->process <= b->process));
}

/* Whether a stretch at ev may go into a run at once, behind the one that what the front holds goes to. */
static bool may_go_straight(const struct iot_sorter *s, const struct iot_event *ev)
{
	const struct iot_pending *p = &s->pending;
	const struct iot_runs *r = &s->runs;
	const int64_t start = ev->rec.start_ns;
	const bool may_begin = r->count == 0 || r->length >= RUN_MIN;
	if (p->count == p->head)
		return may_begin || iot_runs_continue(r, start, ev->rec.process);
	if (s->by_process)
		return false;
	if (r->count == 0) /* the first run may be short: directives that come before all else */
		return true;
	if (p->in_order && start >= p->key[p->count - 1].start)
		return may_begin || iot_runs_continue(r, p->key[p->head].start, 0);
	return may_begin && !iot_pending_before(p, start); /* a list of its own */
}

/* Whether nothing can be handed out yet. */
static bool waits(const struct iot_sorter *s)
{
	return s->mode == IOT_SORTER_HOLD || s->watermark == INT64_MIN;
}

/* Length of the stretch of events in order at ev. */
static size_t stretch(const struct iot_sorter *s, const struct iot_event *ev, size_t n)
{
	size_t len = 1;
	while (len < n && in_order(s, &ev[len - 1].rec, &ev[len].rec))
		len++;
	return len;
}

/* What the front holds comes before. */
static int put_straight(struct iot_sorter *s, const struct iot_event *ev, size_t n)
{
	struct iot_pending *p = &s->pending;
	if (p->count > 0) {
		int status = iot_pending_sort(p) ? put_pending(s, p->count) : no_memory(s);
		if (status != IOT_OK)
			return status;
	}
	return put(s, ev, n);
}

/* Whether a stream can go on; a live one counts. */
static bool in_time(struct iot_sorter *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && s->passed != INT64_MIN; i++) {
		if (ev[i].rec.start_ns >= s->passed)
			continue;
		if (s->mode == IOT_SORTER_STREAM)
			return false;
		if (ev[i].kind != IOT_RECORD)
			continue;
		uint64_t by = (uint64_t)s->passed - (uint64_t)ev[i].rec.start_ns;
		s->late_by = by > s->late_by ? by : s->late_by;
		s->late++;
	}
	return true;
}

/* The front takes what it has room for; nothing where it was full, as what comes may go straight. */
static int add_to_front(struct iot_sorter *s, const struct iot_event *ev, size_t n, size_t *taken)
{
	if (iot_pending_bytes(&s->pending) >= s->front) {
		int status = empty_front(s);
		*taken = 0;
		if (status != IOT_OK || s->pending.count == 0)
			return status;
	}
	*taken = iot_pending_add(&s->pending, ev, n, s->front);
	return *taken > 0 ? IOT_OK : no_memory(s);
}

/* A stretch of events in order goes into a run at once, if it is long or the end of a long one. */
static int add(struct iot_sorter *s, const struct iot_event *ev, size_t n, size_t *taken)
{
	const struct iot_record *rec = &ev->rec;
	size_t len = waits(s) && (n >= STRETCH_MIN || s->straight) ? stretch(s, ev, n) : 0;
	bool goes_on = s->straight && iot_runs_continue(&s->runs, rec->start_ns, rec->process);
	s->straight = len > 0 && (goes_on || (len >= STRETCH_MIN && may_go_straight(s, ev)));
	if (!s->straight)
		return add_to_front(s, ev, len >= STRETCH_MIN ? len : n, taken);
	*taken = len;
	return put_straight(s, ev, len);
}

int iot_sorter_add(struct iot_sorter *s, const struct iot_event *ev, size_t n)
{
	if (s->error.status != IOT_OK || s->anew)
		return s->anew ? IOT_SORTER_ANEW : s->error.status;
	if (s->ended)
		return iot_error_set(&s->error, IOT_EUSAGE, "an event for a sorter after its end");
	s->runs.beyond = false;
	if (!in_time(s, ev, n))
		return start_anew(s);
	for (size_t i = 0; i < n;) {
		size_t taken;
		int status = add(s, ev + i, n - i, &taken);
		if (status != IOT_OK)
			return status;
		i += taken;
	}
	return IOT_OK;
}

size_t iot_sorter_pass(struct iot_sorter *s, const struct iot_event *ev, size_t n,
		       int64_t watermark_ns)
{
	size_t i = 0;
	if (s->mode == IOT_SORTER_HOLD || s->error.status != IOT_OK || s->anew || s->ended ||
	    s->pending.count > s->pending.head || !iot_runs_empty(&s->runs))
		return 0;
	if (n == 0 || ev->rec.start_ns < s->passed || stretch(s, ev, n) < n)
		return 0;
	while (i < n && ev[i].rec.start_ns < watermark_ns)
		i++;
	if (i > 0)
		s->passed = ev[i - 1].rec.start_ns;
	return i;
}

int iot_sorter_release(struct iot_sorter *s, int64_t watermark_ns)
{
	if (watermark_ns > s->watermark)
		s->watermark = watermark_ns;
	return s->error.status;
}

int iot_sorter_end(struct iot_sorter *s)
{
	if (s->error.status != IOT_OK || s->ended)
		return s->error.status;
	s->ended = true;
	if (!iot_pending_sort(&s->pending))
		return no_memory(s);
	s->ready = s->pending.count;
	s->runs.beyond = true;
	if (s->runs.count == 0)
		return IOT_OK;
	int status = put_pending(s, s->pending.count);
	iot_pending_free(&s->pending);
	return status;
}

/* Makes ready what the watermark lets go; with runs it has to go through them. */
static int let_go(struct iot_sorter *s)
{
	struct iot_pending *p = &s->pending;
	if (s->ended || !iot_pending_before(p, s->watermark))
		return IOT_OK;
	if (!iot_pending_tidy(p) || !iot_pending_sort(p))
		return no_memory(s);
	size_t upto = iot_pending_upto(p, s->watermark);
	s->runs.beyond = true; /* they are on their way out */
	if (!iot_runs_empty(&s->runs))
		return put_pending(s, upto);
	s->ready = upto;
	return IOT_OK;
}

static ssize_t hand_out(struct iot_sorter *s, struct iot_event *out, size_t max)
{
	if (s->ready > s->pending.head)
		return (ssize_t)iot_pending_take(&s->pending, s->ready, out, max);
	if (s->runs.count == 0)
		return 0;
	return iot_runs_take(&s->runs, out, max, s->ended ? NULL : &s->watermark);
}

ssize_t iot_sorter_events(struct iot_sorter *s, struct iot_event *out, size_t max)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->mode == IOT_SORTER_HOLD && !s->ended)
		return 0;
	int status = let_go(s);
	if (status < 0)
		return status;
	ssize_t n = hand_out(s, out, max);
	if (n > 0 && out[n - 1].rec.start_ns > s->passed)
		s->passed = out[n - 1].rec.start_ns;
	return n;
}

uint64_t iot_sorter_late(const struct iot_sorter *s)
{
	return s->mode == IOT_SORTER_LIVE ? s->late : 0;
}

uint64_t iot_sorter_late_by(const struct iot_sorter *s)
{
	return s->late_by;
}

uint64_t iot_sorter_runs(const struct iot_sorter *s)
{
	return s->runs.made;
}

uint64_t iot_sorter_spilled(const struct iot_sorter *s)
{
	return s->runs.file.written;
}

const struct iot_error *iot_sorter_error(const struct iot_sorter *s)
{
	return &s->error;
}
