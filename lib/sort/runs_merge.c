/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads runs, and merges them with a loser tree. The key of a run is the start of its next event;
 * equal starts are ordered by process, if requested, and then by the number of the run.
 */
#include <stdlib.h>
#include <string.h>

#include "event_pack.h"
#include "lib/base/array.h"
#include "runs.h"

enum {
	FORGET_MIN = 1 << 20,  /* minimum number of bytes of the file to discard at once */
	TEXT_CAPACITY = 65536, /* texts returned at once, unless a single one is larger */
	/*
	 * distance in bytes of the prefetch: with many runs, the next bytes of a run have left the
	 * cache by its next turn
	 */
	AHEAD = 64
};

#define UNKNOWN UINT64_MAX

static int no_memory(struct runs *r)
{
	return error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
}

/* One run: read from the file and then from memory; releases both on the way */

struct run *run_new(void)
{
	struct run *run = aligned_alloc(RUN_ALIGN, sizeof(*run));
	if (run != NULL)
		*run = (struct run){.pos = NULL};
	return run;
}

void run_free(struct runs *r, struct run *run)
{
	if (!run->in_memory)
		tempfile_discard(&r->file, run->forgotten, run->end);
	while (run->first != NULL) {
		struct slab_block *next = run->first->next;
		slab_pool_give(&r->chunks, run->first);
		run->first = next;
	}
	free(run->buf);
	free(run);
}

static void forget(struct runs *r, struct run *run, uint64_t min)
{
	if (run->offset - run->forgotten < min)
		return;
	tempfile_discard(&r->file, run->forgotten, run->offset);
	run->forgotten = run->offset;
}

static int fetch_from_file(struct runs *r, struct run *run)
{
	if (run->buf == NULL)
		run->buf = malloc(r->buffer_size + EVENT_PACK_MAX);
	if (run->buf == NULL)
		return no_memory(r);
	size_t kept = (size_t)(run->stop - run->pos);
	if (kept > 0)
		memmove(run->buf, run->pos, kept);
	uint64_t left = run->end - run->offset;
	size_t n = r->buffer_size - kept < left ? r->buffer_size - kept : (size_t)left;
	int status = tempfile_read(&r->file, run->offset, run->buf + kept, n);
	if (status != IOT_OK)
		return status;
	run->offset += n;
	run->pos = run->buf;
	run->stop = run->limit = run->buf + kept + n;
	if (run->offset < run->end)
		run->limit -= EVENT_PACK_MAX;
	forget(r, run, FORGET_MIN);
	return 1;
}

static int fetch_from_memory(struct runs *r, struct run *run)
{
	struct slab_block *chunk = run->first;
	if (chunk == NULL)
		return 0;
	if (run->pos == NULL)
		run->pos = chunk->data;
	if (run->pos == chunk->data + chunk->used && chunk->next != NULL) {
		run->first = chunk->next;
		slab_pool_give(&r->chunks, chunk);
		chunk = run->first;
		run->pos = chunk->data;
	}
	run->stop = run->limit = chunk->data + chunk->used;
	return run->pos < run->stop;
}

/*
 * Fetches more data when pos has reached limit. Returns 1 if there is more; 0 if none exists (yet);
 * or a negative status.
 */
static int run_fetch(struct runs *r, struct run *run)
{
	if (!run->in_memory) {
		if (run->offset < run->end)
			return fetch_from_file(r, run);
		run->limit = run->stop;
		if (run->pos < run->stop)
			return 1;
		forget(r, run, 0);
		free(run->buf);
		run->buf = NULL;
		run->in_memory = true;
		run->pos = run->stop = run->limit = NULL;
	}
	return fetch_from_memory(r, run);
}

/* Returns whether the run contains events after the head. */
static bool run_more(const struct run *run)
{
	const struct slab_block *chunk = run->first;
	if (run->pos < run->stop)
		return true;
	if (!run->in_memory)
		return run->offset < run->end || chunk != NULL;
	return chunk != NULL &&
	       (run->pos == NULL || run->pos < chunk->data + chunk->used || chunk->next != NULL);
}

/* Copies the text of the head; call it before the next event is read. */
static int run_text(struct runs *r, struct run *run, char *to)
{
	size_t size = run->head.text.size;
	while (size > 0) {
		size_t n = (size_t)(run->stop - run->pos);
		n = n < size ? n : size;
		if (n > 0)
			memcpy(to, run->pos, n);
		run->pos += n;
		to += n;
		size -= n;
		int status = size > 0 ? run_fetch(r, run) : 1;
		if (status < 0)
			return status;
		if (status == 0)
			return error_set(r->error, IOT_EIO,
					 "the temporary file for sorting ends early");
	}
	return IOT_OK;
}

/* All runs */

static struct loser_entry entry_of(const struct runs *r, const struct run *run, size_t number)
{
	if (!run->has_head)
		return LOSER_TREE_END;
	const uint64_t process = r->by_process ? run->head.rec.process : 0;
	return (struct loser_entry){loser_tree_key(run->head.rec.start_ns), process << 32 | number};
}

/* Sets the key of the event after the head, if it can be read without decoding the event. */
static inline void peek(const struct runs *r, struct run *run)
{
	int64_t start;
	const bool peeked = !r->by_process && run->head.text.size == 0 && run->pos < run->limit &&
			    event_peek_start(run->pos, run->head.rec.start_ns, &start);
	run->next_key = peeked ? loser_tree_key(start) : UNKNOWN;
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
	run->pos += event_unpack(run->pos, &run->head, &run->head_tag);
	__builtin_prefetch(run->pos + AHEAD);
	if (run->pos > run->stop)
		return error_set(r->error, IOT_EIO,
				 "the temporary file for sorting has been changed");
	run->has_head = true;
	return 1;
}

int runs_begin(struct runs *r, size_t first, size_t n)
{
	if (!array_reserve(&r->tree.node, &r->tree_capacity, 2 * n + 1, sizeof(*r->tree.node)))
		return no_memory(r);
	r->first = first;
	r->tree.leaves = n;
	r->tree.node[0] = LOSER_TREE_END;
	for (size_t i = 0; i < n; i++) {
		struct run *run = r->run[first + i];
		if (!run->has_head && next_head(r, run) < 0)
			return r->error->status;
		r->tree.node[n + i] = entry_of(r, run, i);
		peek(r, run);
	}
	if (n > 0)
		loser_tree_build(&r->tree, NULL, NULL);
	return IOT_OK;
}

/* Replaces the winner's head by the run's next event, and replays its path. */
static inline int advance(struct runs *r, struct run *run, uint32_t number)
{
	const uint64_t next = run->next_key;
	if (next != UNKNOWN) /* the replay need not wait for the decoding of the event */
		loser_tree_replay(&r->tree, number, (struct loser_entry){next, number}, NULL, NULL);
	if (next_head(r, run) < 0)
		return r->error->status;
	if (next == UNKNOWN)
		loser_tree_replay(&r->tree, number, entry_of(r, run, number), NULL, NULL);
	if (run->has_head)
		peek(r, run);
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
			return no_memory(r);
		r->text = text;
		r->text_capacity = capacity;
	}
	out->text.data = r->text + r->text_used;
	r->text_used += size;
	int status = run_text(r, run, r->text + r->text_used - size);
	return status == IOT_OK ? 1 : status;
}

ssize_t runs_next(struct runs *r, struct iot_event *out, uint32_t *tag, size_t max,
		  const int64_t *before)
{
	size_t n = 0;
	r->text_used = 0;
	while (n < max && !loser_tree_ended(&r->tree)) {
		const uint32_t number = loser_tree_winner(&r->tree);
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
		if (tag != NULL)
			tag[n] = run->head_tag;
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
	if (r->count > 0 && r->fresh && loser_tree_ended(&r->tree)) {
		r->fresh = false;
		drop_empty(r);
	}
	return r->count == 0;
}

ssize_t runs_pop(struct runs *r, struct iot_event *out, uint32_t *tag, size_t max,
		 const int64_t *before)
{
	if (!r->fresh) {
		drop_empty(r);
		int status = runs_begin(r, 0, r->count);
		if (status != IOT_OK)
			return status;
		r->fresh = true;
	}
	return runs_next(r, out, tag, max, before);
}
