/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads one sorted run from the file and then from memory; releases both on the way. */
#include <stdlib.h>
#include <string.h>

#include "event_pack.h"
#include "runs.h"

enum { FORGET_MIN = 1 << 20 }; /* minimum number of bytes of the file to discard at once */

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
		return error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
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

int run_fetch(struct runs *r, struct run *run)
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

bool run_more(const struct run *run)
{
	const struct slab_block *chunk = run->first;
	if (run->pos < run->stop)
		return true;
	if (!run->in_memory)
		return run->offset < run->end || chunk != NULL;
	return chunk != NULL &&
	       (run->pos == NULL || run->pos < chunk->data + chunk->used || chunk->next != NULL);
}

int run_text(struct runs *r, struct run *run, char *to)
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
