/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of runs in order of creation: first those in the file, then those in memory. When the
 * memory is full, long runs are written unchanged, short ones merged into one. When the file
 * contains too many runs, the longest sequence of neighbours with the same number of merges is
 * merged.
 */
#include "runs.h"

#include <stdlib.h>
#include <string.h>

#include "event_pack.h"
#include "lib/base/array.h"

enum {
	BATCH = 64,
	LONG_RUN = 8, /* a run is long if it fills at least 1/LONG_RUN of the memory */
	BUFFERS = 8,  /* 1/BUFFERS of the memory is for reading the file */
	BUFFERS_MAX = 16 << 20,
	BUFFER_LARGE = 65536,
	BUFFER_SMALL = 4096,
	WAYS_MIN = 4,
};

void runs_init(struct runs *r, size_t memory, bool may_spill, struct error *error)
{
	*r = (struct runs){.error = error, .may_spill = may_spill};
	size_t buffers = memory / BUFFERS < BUFFERS_MAX ? memory / BUFFERS : BUFFERS_MAX;
	r->buffer_size = buffers / 64 < BUFFER_LARGE ? buffers / 64 : BUFFER_LARGE;
	if (r->buffer_size < BUFFER_SMALL)
		r->buffer_size = BUFFER_SMALL;
	r->ways = buffers / r->buffer_size > WAYS_MIN ? buffers / r->buffer_size : WAYS_MIN;
	slab_pool_init(&r->chunks, may_spill ? memory - buffers : memory);
	tempfile_init(&r->file, error);
}

void runs_free(struct runs *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->run[i]->buf);
		free(r->run[i]);
	}
	free(r->run);
	free(r->tree.node);
	free(r->text);
	slab_pool_free(&r->chunks);
	tempfile_free(&r->file);
}

static int no_memory(struct runs *r)
{
	return error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
}

/* The file */

static int write_chunks(struct runs *r, struct run *run)
{
	int status = IOT_OK;
	while (run->first != NULL) {
		struct slab_block *chunk = run->first;
		const unsigned char *from =
		    run->in_memory && run->pos != NULL ? run->pos : chunk->data;
		if (status == IOT_OK)
			status = tempfile_append(&r->file, from,
						 (size_t)(chunk->data + chunk->used - from));
		run->first = chunk->next;
		if (run->in_memory)
			run->pos = run->stop = NULL;
		slab_pool_give(&r->chunks, chunk);
	}
	run->last = NULL;
	return status;
}

/* Appends the part of a run in memory to the file, after its part there. */
static int write_run(struct runs *r, struct run *run)
{
	uint64_t offset = tempfile_end(&r->file);
	int status = write_chunks(r, run);
	if (run->in_memory) {
		run->offset = run->forgotten = offset;
		run->in_memory = false;
		r->made++;
	}
	run->end = tempfile_end(&r->file);
	run->limit = run->pos; /* makes run_fetch look for the new part */
	return status;
}

static int pack_to_file(struct runs *r, const struct iot_event *ev, const uint32_t *tag, size_t n,
			struct iot_record *last, uint32_t *last_tag)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char *to = tempfile_reserve(&r->file, EVENT_PACK_MAX);
		if (to == NULL)
			return r->error->status;
		r->file.fill += event_pack(to, &ev[i], tag[i], last, last_tag);
		if (ev[i].text.size > 0 &&
		    tempfile_append(&r->file, ev[i].text.data, ev[i].text.size) != IOT_OK)
			return r->error->status;
	}
	return IOT_OK;
}

static int merge_to_file(struct runs *r, size_t first, size_t n)
{
	struct iot_event batch[BATCH];
	uint32_t tag[BATCH], last_tag = 0;
	struct iot_record last = {.start_ns = 0};
	int status = runs_begin(r, first, n);
	while (status == IOT_OK) {
		ssize_t got = runs_next(r, batch, tag, BATCH, NULL);
		if (got <= 0)
			return (int)got;
		status = pack_to_file(r, batch, tag, (size_t)got, &last, &last_tag);
	}
	return status;
}

/* Merges runs [first, first + n) into one, in the file. */
static int join(struct runs *r, size_t first, size_t n, unsigned level)
{
	struct run *run = run_new();
	if (run == NULL)
		return no_memory(r);
	run->level = level;
	run->offset = run->forgotten = tempfile_end(&r->file);
	int status = merge_to_file(r, first, n);
	if (status == IOT_OK)
		status = tempfile_flush(&r->file);
	run->end = tempfile_end(&r->file);
	for (size_t i = 0; i < n; i++)
		run_free(r, r->run[first + i]);
	r->run[first] = run;
	r->count -= n - 1;
	memmove(r->run + first + 1, r->run + first + n, (r->count - first - 1) * sizeof(*r->run));
	r->open = false;
	r->made++;
	return status;
}

/* Merges the longest sequence of neighbouring runs of the same level in the file. */
static int join_max(struct runs *r)
{
	size_t first = 0, max = 1;
	for (size_t i = 0, n; i < r->count; i += n) {
		for (n = 1; i + n < r->count && r->run[i + n]->level == r->run[i]->level;)
			n++;
		if (n >= max) {
			max = n;
			first = i;
		}
	}
	if (max == 1) { /* every level has a single run */
		first = r->count - 2;
		max = 2;
	}
	return join(r, first, max, r->run[first]->level + 1);
}

static size_t memory_held(const struct runs *r)
{
	return r->chunks.made - r->chunks.spare * r->chunks.chunk_size;
}

/* Moves all runs in memory to the file. */
static int spill(struct runs *r)
{
	size_t first = 0;
	int status = IOT_OK;
	r->fresh = false;
	while (first < r->count && r->run[first]->first == NULL)
		first++;
	if (first < r->count && !r->run[first]->in_memory)
		status = write_run(r, r->run[first++]);
	size_t n = r->count - first;
	if (n > 1 && memory_held(r) / n < r->chunks.limit / LONG_RUN) {
		if (status == IOT_OK)
			status = join(r, first, n, 0);
	} else {
		for (; first < r->count && status == IOT_OK; first++)
			status = write_run(r, r->run[first]);
	}
	if (status == IOT_OK)
		status = tempfile_flush(&r->file);
	while (status == IOT_OK && r->count > r->ways)
		status = join_max(r);
	return status;
}

/* Appending */

static bool in_order(const struct runs *r, const struct iot_record *last, int64_t start,
		     uint32_t process)
{
	return start > last->start_ns ||
	       (start == last->start_ns && (!r->by_process || process >= last->process));
}

bool runs_continue(const struct runs *r, int64_t start, uint32_t process)
{
	return r->open && in_order(r, &r->last, start, process);
}

static bool begin_run(struct runs *r)
{
	struct run *run = run_new();
	if (run == NULL || !array_reserve(&r->run, &r->capacity, r->count + 1, sizeof(run))) {
		free(run);
		no_memory(r);
		return false;
	}
	run->in_memory = true;
	r->run[r->count++] = run;
	r->open = true;
	r->last = (struct iot_record){.start_ns = 0};
	r->last_tag = 0;
	r->length = 0;
	return true;
}

static bool add_chunk(struct runs *r)
{
	struct run *run = r->run[r->count - 1];
	struct slab_block *chunk = slab_pool_get(&r->chunks);
	if (chunk == NULL) {
		no_memory(r);
		return false;
	}
	if (run->last != NULL)
		run->last->next = chunk;
	else
		run->first = chunk;
	run->last = chunk;
	return true;
}

static size_t space_left(const struct runs *r, const struct run *run)
{
	return run->last == NULL
		   ? 0
		   : slab_block_capacity(&r->chunks) - EVENT_PACK_SLACK - run->last->used;
}

/* Reserves memory for an event, unless the sorter is empty: a single event may exceed the limit. */
static enum runs_result reserve_capacity(struct runs *r, const struct iot_event *ev)
{
	size_t chunks = 1 + ev->text.size / (slab_block_capacity(&r->chunks) - EVENT_PACK_MAX) + 1;
	if (ev->text.size == 0)
		chunks = 1;
	if (slab_pool_left(&r->chunks) >= chunks || r->count == 0)
		return RUNS_OK;
	if (!r->may_spill)
		return r->beyond ? RUNS_OK : RUNS_FULL;
	return spill(r) == IOT_OK ? RUNS_OK : RUNS_FAILED;
}

static bool append_text(struct runs *r, struct iot_text text)
{
	while (text.size > 0) {
		struct run *run = r->run[r->count - 1];
		size_t n = space_left(r, run);
		if (n == 0) {
			if (!add_chunk(r))
				return false;
			continue;
		}
		n = n < text.size ? n : text.size;
		memcpy(run->last->data + run->last->used, text.data, n);
		run->last->used += n;
		text.data += n;
		text.size -= n;
	}
	return true;
}

/* Appends an event, to a new run or chunk if necessary. */
static enum runs_result append_one(struct runs *r, const struct iot_event *ev, uint32_t tag)
{
	const struct iot_record *rec = &ev->rec;
	const bool fits = r->open &&
			  space_left(r, r->run[r->count - 1]) >= EVENT_PACK_MAX + ev->text.size &&
			  runs_continue(r, rec->start_ns, rec->process);
	const enum runs_result reserved = fits ? RUNS_OK : reserve_capacity(r, ev);
	if (reserved != RUNS_OK)
		return reserved;
	if (!runs_continue(r, rec->start_ns, rec->process) && !begin_run(r))
		return RUNS_FAILED;
	if (space_left(r, r->run[r->count - 1]) < EVENT_PACK_MAX && !add_chunk(r))
		return RUNS_FAILED;
	struct slab_block *chunk = r->run[r->count - 1]->last;
	chunk->used += event_pack(chunk->data + chunk->used, ev, tag, &r->last, &r->last_tag);
	r->length++;
	return append_text(r, ev->text) ? RUNS_OK : RUNS_FAILED;
}

/*
 * Appends plain records while they continue the run and fit its last chunk; returns their number.
 */
static size_t append_records(struct runs *r, const struct iot_event *ev, const uint32_t *tag,
			     size_t n)
{
	struct slab_block *chunk = r->open ? r->run[r->count - 1]->last : NULL;
	if (chunk == NULL)
		return 0;
	const struct iot_record *last = &r->last;
	uint32_t last_tag = r->last_tag;
	const size_t full = slab_block_capacity(&r->chunks) - EVENT_PACK_SLACK - EVENT_PACK_MAX;
	size_t used = chunk->used, i = 0;
	for (; i < n && used <= full && is_record_only(&ev[i]); i++) {
		const struct iot_record *rec = &ev[i].rec;
		if (!in_order(r, last, rec->start_ns, rec->process))
			break;
		const uint32_t now = tag != NULL ? tag[i] : 0;
		used += event_pack_record(chunk->data + used, rec, now, last, last_tag);
		last = rec;
		last_tag = now;
	}
	chunk->used = used;
	if (i > 0)
		r->last = *last;
	r->last_tag = last_tag;
	r->length += i;
	return i;
}

enum runs_result runs_append(struct runs *r, const struct iot_event *ev, const uint32_t *tag,
			     size_t n)
{
	enum runs_result result = RUNS_OK;
	r->fresh = false;
	for (size_t i = 0; i < n && result == RUNS_OK; i++) {
		i += append_records(r, ev + i, tag != NULL ? tag + i : NULL, n - i);
		if (i < n)
			result = append_one(r, &ev[i], tag != NULL ? tag[i] : 0);
	}
	return result;
}
