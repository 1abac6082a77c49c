/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges runs with a loser tree (Knuth, volume 3, 5.4.1): each inner node contains the loser of the
 * match between the winners below it, so that the next event of the winner's run is only compared
 * on its path to the root.
 *
 * A key represents a run's next event: nanoseconds since the earliest start when the tree was
 * built, and in the low bits the run's number among those merged. Starts beyond the range of a key
 * all compare as `far`; when the first of them reaches the top, the tree is rebuilt.
 */
#include <stdlib.h>
#include <string.h>

#include "event_pack.h"
#include "runs.h"

enum {
	TEXT_CAPACITY = 65536, /* texts returned at once, unless a single one is larger */
	/*
	 * distance in bytes of the prefetch: with many runs, the next bytes of a run have left the
	 * cache by its next turn
	 */
	AHEAD = 64
};

#define NOWHERE INT64_MAX
#define UNKNOWN INT64_C(-1)

static int64_t key_of(const struct runs *r, int64_t start, size_t number)
{
	const uint64_t since = (uint64_t)start - (uint64_t)r->base;
	const bool is_near = since <= (uint64_t)r->far >> r->number_bits;
	return (is_near ? (int64_t)(since << r->number_bits) : r->far) | (int64_t)number;
}

static struct run *run_of(const struct runs *r, int64_t key)
{
	return r->run[r->first + (size_t)(key & ~r->far)];
}

/* Compares keys; by_process orders equal starts by their processes. */
static bool is_before(const struct runs *r, int64_t a, int64_t b)
{
	if (!r->by_process || (a ^ b) >> r->number_bits != 0 || a == NOWHERE || b == NOWHERE)
		return a < b;
	const uint32_t of_a = run_of(r, a)->head.rec.process;
	const uint32_t of_b = run_of(r, b)->head.rec.process;
	return of_a < of_b || (of_a == of_b && a < b);
}

static int tree_capacity(struct runs *r, size_t leaves)
{
	if (leaves <= r->tree_capacity)
		return IOT_OK;
	size_t capacity = 2 * leaves;
	int64_t *loser = realloc(r->loser, 2 * capacity * sizeof(*loser));
	if (loser == NULL)
		return error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	r->loser = loser;
	r->next = loser + capacity;
	r->tree_capacity = capacity;
	return IOT_OK;
}

/*
 * Plays all matches. winner[]: the leaves in the second half; the inner winners are filled in while
 * the tree is built.
 */
static void play_all(struct runs *r, int64_t *winner)
{
	for (size_t i = r->leaves; i-- > 1;) {
		int64_t a = winner[2 * i], b = winner[2 * i + 1];
		const bool first = is_before(r, a, b);
		winner[i] = first ? a : b;
		r->loser[i] = first ? b : a;
	}
	r->top = r->leaves > 0 ? winner[1] : NOWHERE;
}

/* Sets the key of the event after the head, if it can be read without decoding the event. */
static inline void peek(struct runs *r, const struct run *run, size_t number)
{
	int64_t start;
	const bool peeked = !r->by_process && run->head.text.size == 0 && run->pos < run->limit &&
			    event_peek_start(run->pos, run->head.rec.start_ns, &start);
	r->next[number] = peeked ? key_of(r, start, number) : UNKNOWN;
}

/* Reads the next event into the head. Returns 1; 0 if none exists (yet); or a negative status. */
static inline __attribute__((always_inline)) int next_head(struct runs *r, struct run *run)
{
	run->has_head = false;
	if (run->pos >= run->limit) {
		int status = run_fetch(r, run);
		if (status != 1)
			return status;
	}
	run->pos += event_unpack(run->pos, &run->head);
	__builtin_prefetch(run->pos + AHEAD);
	if (run->pos > run->stop)
		return error_set(r->error, IOT_EIO,
				 "the temporary file for sorting has been changed");
	run->has_head = true;
	return 1;
}

/* Reads the heads of all runs; the earliest start becomes the base of keys. */
static int read_heads(struct runs *r)
{
	r->base = INT64_MAX;
	for (size_t i = 0; i < r->leaves; i++) {
		struct run *run = r->run[r->first + i];
		const int status = run->has_head ? 1 : next_head(r, run);
		if (status < 0)
			return status;
		if (status == 1 && run->head.rec.start_ns < r->base)
			r->base = run->head.rec.start_ns;
	}
	return IOT_OK;
}

int runs_begin(struct runs *r, size_t first, size_t n)
{
	if (tree_capacity(r, n) != IOT_OK)
		return r->error->status;
	int64_t *winner = malloc((2 * n + 2) * sizeof(*winner));
	if (winner == NULL)
		return error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	r->first = first;
	r->leaves = n;
	r->number_bits = 64 - (unsigned)__builtin_clzll(n + 1);
	r->far = NOWHERE >> r->number_bits << r->number_bits;
	int status = read_heads(r);
	for (size_t i = 0; i < n && status == IOT_OK; i++) {
		const struct run *run = r->run[first + i];
		winner[n + i] = NOWHERE;
		if (!run->has_head)
			continue;
		winner[n + i] = key_of(r, run->head.rec.start_ns, i);
		peek(r, run, i);
	}
	if (status == IOT_OK)
		play_all(r, winner);
	free(winner);
	return status;
}

static void play_by_process(struct runs *r, size_t number, int64_t winner)
{
	for (size_t at = (number + r->leaves) / 2; at > 0; at /= 2) {
		const int64_t loser = r->loser[at];
		if (!is_before(r, loser, winner))
			continue;
		r->loser[at] = winner;
		winner = loser;
	}
	r->top = winner;
}

/*
 * Written branch-free: the comparison is unpredictable and a branch would mispredict half the time.
 */
static inline void play(struct runs *r, size_t number, int64_t winner)
{
	if (r->by_process) {
		play_by_process(r, number, winner);
		return;
	}
	for (size_t at = (number + r->leaves) / 2; at > 0; at /= 2) {
		const int64_t loser = r->loser[at];
		r->loser[at] = loser < winner ? winner : loser;
		winner = loser < winner ? loser : winner;
	}
	r->top = winner;
}

/* Replaces the winner's head by the run's next event, and replays its path. */
static inline int advance(struct runs *r, struct run *run, size_t number)
{
	const int64_t next = r->next[number];
	if (next != UNKNOWN) /* the replay need not wait for the decoding of the event */
		play(r, number, next);
	const int status = next_head(r, run);
	if (status < 0)
		return status;
	if (next == UNKNOWN)
		play(r, number, status == 1 ? key_of(r, run->head.rec.start_ns, number) : NOWHERE);
	if (status == 1)
		peek(r, run, number);
	return IOT_OK;
}

/*
 * Returns 1 if out->text is set; 0 if it does not fit with the texts of the other events; or a
 * negative status.
 */
static int take_text(struct runs *r, struct run *run, struct iot_event *out)
{
	size_t size = run->head.text.size;
	if (size > r->text_capacity - r->text_used) {
		if (r->text_used > 0)
			return 0;
		size_t capacity = size > TEXT_CAPACITY ? size : TEXT_CAPACITY;
		char *text = realloc(r->text, capacity);
		if (text == NULL)
			return error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
		r->text = text;
		r->text_capacity = capacity;
	}
	out->text.data = r->text + r->text_used;
	r->text_used += size;
	int status = run_text(r, run, r->text + r->text_used - size);
	return status == IOT_OK ? 1 : status;
}

ssize_t runs_next(struct runs *r, struct iot_event *out, size_t max, const int64_t *before)
{
	size_t n = 0;
	r->text_used = 0;
	while (n < max && r->top != NOWHERE) {
		if (r->top >= r->far) {
			if (runs_begin(r, r->first, r->leaves) != IOT_OK)
				return r->error->status;
			continue;
		}
		const size_t number = (size_t)(r->top & ~r->far);
		struct run *run = r->run[r->first + number];
		if (before != NULL && run->head.rec.start_ns >= *before)
			break;
		out[n] = run->head;
		out[n].text.data = NULL;
		if (run->head.text.size > 0) {
			int status = take_text(r, run, &out[n]);
			if (status != 1)
				return status < 0 ? status : (ssize_t)n;
		}
		if (advance(r, run, number) != IOT_OK)
			return r->error->status;
		n++;
	}
	return (ssize_t)n;
}

/* Removes the runs that have been read completely. */
static void drop_empty(struct runs *r)
{
	size_t kept = 0, on_file = 0;
	for (size_t i = 0; i < r->count; i++) {
		struct run *run = r->run[i];
		if (run->has_head || run_more(run)) {
			on_file += !run->in_memory;
			r->run[kept++] = run;
			continue;
		}
		r->open = r->open && i + 1 < r->count;
		run_free(r, run);
	}
	r->count = kept;
	if (on_file == 0)
		tempfile_discard_all(&r->file);
}

bool runs_empty(struct runs *r)
{
	if (r->count > 0 && r->fresh && r->top == NOWHERE) {
		r->fresh = false;
		drop_empty(r);
	}
	return r->count == 0;
}

ssize_t runs_pop(struct runs *r, struct iot_event *out, size_t max, const int64_t *before)
{
	if (!r->fresh) {
		drop_empty(r);
		int status = runs_begin(r, 0, r->count);
		if (status != IOT_OK)
			return status;
		r->fresh = true;
	}
	return runs_next(r, out, max, before);
}
