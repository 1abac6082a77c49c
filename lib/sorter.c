/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two ways to sort: streaming keeps what is not before the watermark and nothing else; holding
 * keeps everything, in memory while that is little, else in sorted runs (runs.h). In what the
 * watermark lets go there is nothing to come in between, so it makes one long run.
 */
#include "sorter.h"

#include <stdlib.h>

#include "pending.h"
#include "runs.h"

enum {
	MEMORY_MIN = 65536,
	HOLD_MIN = 1 << 16,   /* bytes pending before a holding sorter writes what is let go */
	BEHIND_MAX = 1 << 17, /* bytes kept for a watermark that time has fallen behind of */
	BATCH = 128,
};

struct iot_sorter {
	size_t memory, let_go_at; /* let_go_at: bytes pending from which release writes */
	bool hold, live, by_process, ended, anew;
	int64_t watermark, passed; /* passed: start of the last event let go, when streaming */
	uint64_t late;
	size_t ready; /* keys before this one may be handed out */
	struct iot_pending pending;
	struct iot_runs runs;
	struct iot_error error;
};

static size_t let_go_min(const struct iot_sorter *s)
{
	return s->memory / 2 < HOLD_MIN ? s->memory / 2 : HOLD_MIN;
}

struct iot_sorter *iot_sorter_new(size_t memory, enum iot_sorter_mode mode)
{
	struct iot_sorter *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->memory = memory > MEMORY_MIN ? memory : MEMORY_MIN;
	s->let_go_at = let_go_min(s);
	s->hold = mode == IOT_SORTER_HOLD;
	s->live = mode == IOT_SORTER_LIVE;
	s->watermark = s->passed = INT64_MIN;
	iot_runs_init(&s->runs, s->memory, &s->error);
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

static int no_memory(struct iot_sorter *s)
{
	return iot_error_set(&s->error, IOT_ENOMEM, "out of memory for sorting");
}

static int tidy(struct iot_sorter *s, bool all)
{
	size_t moved;
	if (!iot_pending_tidy(&s->pending, all, &moved))
		return no_memory(s);
	s->ready -= s->ready < moved ? s->ready : moved;
	return IOT_OK;
}

/* Writes pending keys [head, upto). */
static int spill(struct iot_sorter *s, size_t upto)
{
	struct iot_event batch[BATCH];
	size_t n;
	while ((n = iot_pending_take(&s->pending, upto, batch, BATCH)) > 0) {
		int status = iot_runs_put(&s->runs, batch, n);
		if (status != IOT_OK)
			return status;
	}
	return tidy(s, false);
}

static int spill_all(struct iot_sorter *s)
{
	size_t upto;
	if (!iot_pending_sort(&s->pending, INT64_MAX, &upto))
		return no_memory(s);
	return spill(s, s->pending.count);
}

/* Room for one more event; a single one may be larger than all the memory. */
static int make_room(struct iot_sorter *s, size_t cost)
{
	if (s->hold)
		return spill_all(s);
	int status = tidy(s, true);
	if (status != IOT_OK || s->live || iot_pending_bytes(&s->pending) + cost <= s->memory)
		return status;
	s->anew = true;
	return IOT_SORTER_ANEW;
}

int iot_sorter_add(struct iot_sorter *s, const struct iot_event *ev, size_t n)
{
	if (s->error.status != IOT_OK || s->anew)
		return s->anew ? IOT_SORTER_ANEW : s->error.status;
	if (s->ended)
		return iot_error_set(&s->error, IOT_EUSAGE, "an event for a sorter after its end");
	for (size_t i = 0; i < n; i++) {
		if (ev[i].rec.start_ns < s->passed && s->live) {
			s->late++;
		} else if (ev[i].rec.start_ns < s->passed) {
			s->anew = true;
			return IOT_SORTER_ANEW;
		}
		size_t cost = iot_pending_cost(&ev[i]);
		if (iot_pending_bytes(&s->pending) + cost > s->memory) {
			int status = make_room(s, cost);
			if (status != IOT_OK)
				return status;
		}
		if (!iot_pending_add(&s->pending, &ev[i]))
			return no_memory(s);
	}
	return IOT_OK;
}

static int let_go(struct iot_sorter *s)
{
	size_t upto;
	if (!iot_pending_sort(&s->pending, s->watermark, &upto))
		return no_memory(s);
	if (!s->hold) {
		s->ready = upto;
		if (upto > s->pending.head)
			s->passed = s->pending.key[upto - 1].start;
		return IOT_OK;
	}
	int status = spill(s, upto);
	/* What stays gets sorted again: not before there is a good deal more. */
	size_t more = iot_pending_bytes(&s->pending) / 2 * 3;
	s->let_go_at = more > let_go_min(s) ? more : let_go_min(s);
	return status;
}

int iot_sorter_release(struct iot_sorter *s, int64_t watermark_ns)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->hold && watermark_ns < s->watermark && iot_pending_bytes(&s->pending) >= BEHIND_MAX)
		return spill_all(s);
	if (watermark_ns > s->watermark)
		s->watermark = watermark_ns;
	int status = s->hold ? IOT_OK : tidy(s, false);
	if (status != IOT_OK || (s->hold && iot_pending_bytes(&s->pending) < s->let_go_at) ||
	    !iot_pending_before(&s->pending, s->watermark))
		return status;
	return let_go(s);
}

int iot_sorter_end(struct iot_sorter *s)
{
	if (s->error.status != IOT_OK || s->ended)
		return s->error.status;
	s->ended = true;
	size_t upto;
	if (!iot_pending_sort(&s->pending, INT64_MAX, &upto))
		return no_memory(s);
	s->ready = s->pending.count;
	if (s->runs.made == 0)
		return IOT_OK;
	int status = spill(s, s->pending.count);
	iot_pending_free(&s->pending);
	s->ready = 0;
	return status == IOT_OK ? iot_runs_end(&s->runs) : status;
}

ssize_t iot_sorter_events(struct iot_sorter *s, struct iot_event *out, size_t max)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->ready > s->pending.head)
		return (ssize_t)iot_pending_take(&s->pending, s->ready, out, max);
	return s->ended && s->runs.made > 0 ? iot_runs_take(&s->runs, out, max) : 0;
}

void iot_sorter_by_process(struct iot_sorter *s)
{
	s->by_process = true;
}

uint64_t iot_sorter_late(const struct iot_sorter *s)
{
	return s->late;
}

uint64_t iot_sorter_runs(const struct iot_sorter *s)
{
	return s->runs.made;
}

uint64_t iot_sorter_spilled(const struct iot_sorter *s)
{
	return s->runs.written;
}

const struct iot_error *iot_sorter_error(const struct iot_sorter *s)
{
	return &s->error;
}
