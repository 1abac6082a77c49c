/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs merged by a tree of losers: in each inner node stands the loser of the match between the
 * winners below it, so that a new event of the winner's run plays only those on its way up.
 */
#include <stdlib.h>
#include <string.h>

#include "runs.h"

enum { TEXT_ROOM = 65536 }; /* text handed out at once, if one alone has no more */

static const struct iot_place nowhere = {INT64_MAX, UINT64_MAX};

static bool is_before(struct iot_place a, struct iot_place b)
{
	return (a.start < b.start) | ((a.start == b.start) & (a.tie < b.tie));
}

/* Where the next event of a run comes; number: among those that are merged. */
static struct iot_place place_of(const struct iot_runs *r, const struct iot_run *run, size_t number)
{
	uint64_t process = r->by_process ? run->head.rec.process : 0;
	return (struct iot_place){run->head.rec.start_ns, process << 32 | number};
}

static int tree_room(struct iot_runs *r, size_t leaves)
{
	if (leaves <= r->tree_room)
		return IOT_OK;
	size_t room = 2 * leaves;
	struct iot_place *loser = realloc(r->loser, 2 * room * sizeof(*loser));
	if (loser == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	r->loser = loser;
	r->tree_room = room;
	return IOT_OK;
}

/* Winners of all matches, the leaves last, behind the losers while the tree is built. */
static void play_all(struct iot_runs *r, struct iot_place *winner)
{
	for (size_t i = r->leaves; i-- > 1;) {
		struct iot_place a = winner[2 * i], b = winner[2 * i + 1];
		bool a_wins = is_before(a, b);
		winner[i] = a_wins ? a : b;
		r->loser[i] = a_wins ? b : a;
	}
	r->top = r->leaves > 0 ? winner[1] : nowhere;
}

int iot_runs_begin(struct iot_runs *r, size_t first, size_t n)
{
	if (tree_room(r, n) != IOT_OK)
		return r->error->status;
	struct iot_place *winner = malloc((2 * n + 2) * sizeof(*winner));
	if (winner == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	int status = IOT_OK;
	for (size_t i = 0; i < n && status >= 0; i++) {
		struct iot_run *run = r->run[first + i];
		status = run->has_head ? 1 : iot_run_next(r, run);
		winner[n + i] = status == 1 ? place_of(r, run, i) : nowhere;
	}
	r->first = first;
	r->leaves = n;
	if (status >= 0)
		play_all(r, winner);
	free(winner);
	return status < 0 ? status : IOT_OK;
}

/* By masks: a branch here is foretold wrongly every other time, and compilers like to make one. */
static void play(struct iot_runs *r, size_t leaf, struct iot_place winner)
{
	for (size_t at = (leaf + r->leaves) / 2; at > 0; at /= 2) {
		struct iot_place *const loser = &r->loser[at];
		const uint64_t swap = -(uint64_t)is_before(*loser, winner);
		const uint64_t start = ((uint64_t)loser->start ^ (uint64_t)winner.start) & swap;
		const uint64_t tie = (loser->tie ^ winner.tie) & swap;
		loser->start ^= (int64_t)start;
		loser->tie ^= tie;
		winner.start ^= (int64_t)start;
		winner.tie ^= tie;
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
	for (; n < max && r->top.tie != nowhere.tie; n++) {
		size_t number = (uint32_t)r->top.tie;
		struct iot_run *run = r->run[r->first + number];
		if (before != NULL && r->top.start >= *before)
			break;
		out[n] = run->head;
		out[n].text.data = NULL;
		if (run->head.text.size > 0) {
			int status = take_text(r, run, &out[n]);
			if (status != 1)
				return status < 0 ? status : (ssize_t)n;
		}
		int status = iot_run_next(r, run);
		if (status < 0)
			return status;
		play(r, number, status == 1 ? place_of(r, run, number) : nowhere);
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
	if (r->count > 0 && r->fresh && r->top.tie == nowhere.tie) {
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
