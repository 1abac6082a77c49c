/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs merged by a tree of losers: in each inner node stands the loser of the match between the
 * winners below it, so that a new event of the winner's run plays only those on its way up.
 */
#include <stdlib.h>
#include <string.h>

#include "packed.h"
#include "runs.h"

enum {
	TEXT_ROOM = 65536, /* text handed out at once, if one alone has no more */
	AHEAD = 64 /* bytes of a run: of many, its next ones have left the cache by its next turn */
};

#define NOWHERE (~(iot_run_key)0)

static uint64_t from_lowest(int64_t start)
{
	return (uint64_t)start ^ (uint64_t)INT64_MIN;
}

static iot_run_key key_of(int64_t start, uint64_t process, size_t number)
{
	return (iot_run_key)from_lowest(start) << 64 | process << 32 | number;
}

/* Where the next event of a run comes; number: among those that are merged. */
static iot_run_key place_of(const struct iot_runs *r, const struct iot_run *run, size_t number)
{
	uint64_t process = r->by_process ? run->head.rec.process : 0;
	return key_of(run->head.rec.start_ns, process, number);
}

static int tree_room(struct iot_runs *r, size_t leaves)
{
	if (leaves <= r->tree_room)
		return IOT_OK;
	size_t room = 2 * leaves;
	iot_run_key *loser = realloc(r->loser, 2 * room * sizeof(*loser));
	if (loser == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	r->loser = loser;
	r->tree_room = room;
	return IOT_OK;
}

/* Winners of all matches, the leaves last, behind the losers while the tree is built. */
static void play_all(struct iot_runs *r, iot_run_key *winner)
{
	for (size_t i = r->leaves; i-- > 1;) {
		iot_run_key a = winner[2 * i], b = winner[2 * i + 1];
		winner[i] = a < b ? a : b;
		r->loser[i] = a < b ? b : a;
	}
	r->top = r->leaves > 0 ? winner[1] : NOWHERE;
}

/* Reads the next event into the head: 1; 0: there is none (yet); or a negative status. */
static inline int next_head(struct iot_runs *r, struct iot_run *run)
{
	run->has_head = false;
	if (run->pos >= run->limit) {
		int status = iot_run_fetch(r, run);
		if (status != 1)
			return status;
	}
	run->pos += iot_unpack(run->pos, &run->head);
	__builtin_prefetch(run->pos + AHEAD);
	if (run->pos > run->stop)
		return iot_error_set(r->error, IOT_EIO,
				     "the temporary file for sorting has been changed");
	run->has_head = true;
	run->peeked = !r->by_process && run->head.text.size == 0 && run->pos < run->limit &&
		      iot_peek_start(run->pos, run->head.rec.start_ns, &run->next_start);
	return 1;
}

int iot_runs_begin(struct iot_runs *r, size_t first, size_t n)
{
	if (tree_room(r, n) != IOT_OK)
		return r->error->status;
	iot_run_key *winner = malloc((2 * n + 2) * sizeof(*winner));
	if (winner == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	int status = IOT_OK;
	for (size_t i = 0; i < n && status >= 0; i++) {
		struct iot_run *run = r->run[first + i];
		status = run->has_head ? 1 : next_head(r, run);
		winner[n + i] = status == 1 ? place_of(r, run, i) : NOWHERE;
	}
	r->first = first;
	r->leaves = n;
	if (status >= 0)
		play_all(r, winner);
	free(winner);
	return status < 0 ? status : IOT_OK;
}

/* Such that no branch is made of it: half of them would be foretold wrongly. */
static void play(struct iot_runs *r, size_t leaf, iot_run_key winner)
{
	for (size_t at = (leaf + r->leaves) / 2; at > 0; at /= 2) {
		const iot_run_key loser = r->loser[at];
		r->loser[at] = loser < winner ? winner : loser;
		winner = loser < winner ? loser : winner;
	}
	r->top = winner;
}

/* 1: out->text is there; 0: there is no room for it beside the others. */
static int take_text(struct iot_runs *r, struct iot_run *run, struct iot_event *out)
{
	size_t size = run->head.text.size;
	if (size > r->text_room - r->text_used) {
		if (r->text_used > 0)
			return 0;
		size_t room = size > TEXT_ROOM ? size : TEXT_ROOM;
		char *text = realloc(r->text, room);
		if (text == NULL)
			return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
		r->text = text;
		r->text_room = room;
	}
	out->text.data = r->text + r->text_used;
	r->text_used += size;
	int status = iot_run_text(r, run, r->text + r->text_used - size);
	return status == IOT_OK ? 1 : status;
}

ssize_t iot_runs_next(struct iot_runs *r, struct iot_event *out, size_t max, const int64_t *before)
{
	size_t n = 0;
	r->text_used = 0;
	for (; n < max && r->top != NOWHERE; n++) {
		size_t number = (uint32_t)r->top;
		struct iot_run *run = r->run[r->first + number];
		if (before != NULL && (uint64_t)(r->top >> 64) >= from_lowest(*before))
			break;
		out[n] = run->head;
		out[n].text.data = NULL;
		if (run->head.text.size > 0) {
			int status = take_text(r, run, &out[n]);
			if (status != 1)
				return status < 0 ? status : (ssize_t)n;
		}
		if (run->peeked) { /* the match need not wait for the rest */
			play(r, number, key_of(run->next_start, 0, number));
			if (next_head(r, run) < 0)
				return r->error->status;
			continue;
		}
		int status = next_head(r, run);
		if (status < 0)
			return status;
		play(r, number, status == 1 ? place_of(r, run, number) : NOWHERE);
	}
	return (ssize_t)n;
}

/* Drops the runs that have been read to their end. */
static void drop_empty(struct iot_runs *r)
{
	size_t kept = 0, on_file = 0;
	for (size_t i = 0; i < r->count; i++) {
		struct iot_run *run = r->run[i];
		if (run->has_head || iot_run_more(run)) {
			on_file += !run->in_memory;
			r->run[kept++] = run;
			continue;
		}
		r->open = r->open && i + 1 < r->count;
		iot_run_free(r, run);
	}
	r->count = kept;
	if (on_file == 0)
		iot_spill_forget_all(&r->file);
}

bool iot_runs_empty(struct iot_runs *r)
{
	if (r->count > 0 && r->fresh && r->top == NOWHERE) {
		r->fresh = false;
		drop_empty(r);
	}
	return r->count == 0;
}

ssize_t iot_runs_take(struct iot_runs *r, struct iot_event *out, size_t max, const int64_t *before)
{
	if (!r->fresh) {
		drop_empty(r);
		int status = iot_runs_begin(r, 0, r->count);
		if (status != IOT_OK)
			return status;
		r->fresh = true;
	}
	return iot_runs_next(r, out, max, before);
}
