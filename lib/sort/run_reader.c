/* SPDX-License-Identifier: BSD-2-Clause */
/* One sorted run, read from the file and then from memory; both are given back as it goes. */
#include <stdlib.h>
#include <string.h>

#include "event_pack.h"
#include "runs.h"

enum { FORGET_MIN = 1 << 20 }; /* bytes of the file given back at once */

static void forget(struct iot_runs *r, struct iot_run *run, uint64_t least)
{
	if (run->offset - run->forgotten < least)
		return;
	iot_spill_forget(&r->file, run->forgotten, run->offset);
	run->forgotten = run->offset;
}

static int fetch_from_file(struct iot_runs *r, struct iot_run *run)
{
	if (run->buf == NULL)
		run->buf = malloc(r->buffer_size + IOT_PACKED_MAX);
	if (run->buf == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	size_t kept = (size_t)(run->stop - run->pos);
	if (kept > 0)
		memmove(run->buf, run->pos, kept);
	uint64_t left = run->end - run->offset;
	size_t n = r->buffer_size - kept < left ? r->buffer_size - kept : (size_t)left;
	int status = iot_spill_read(&r->file, run->offset, run->buf + kept, n);
	if (status != IOT_OK)
		return status;
	run->offset += n;
	run->pos = run->buf;
	run->stop = run->limit = run->buf + kept + n;
	if (run->offset < run->end)
		run->limit -= IOT_PACKED_MAX;
	forget(r, run, FORGET_MIN);
	return 1;
}

static int fetch_from_memory(struct iot_runs *r, struct iot_run *run)
{
	struct iot_chunk *chunk = run->first;
	if (chunk == NULL)
		return 0;
	if (run->pos == NULL)
		run->pos = chunk->data;
	if (run->pos == chunk->data + chunk->used && chunk->next != NULL) {
		run->first = chunk->next;
		iot_chunks_give(&r->chunks, chunk);
		chunk = run->first;
		run->pos = chunk->data;
	}
	run->stop = run->limit = chunk->data + chunk->used;
	return run->pos < run->stop;
}

int iot_run_fetch(struct iot_runs *r, struct iot_run *run)
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

bool iot_run_more(const struct iot_run *run)
{
	const struct iot_chunk *chunk = run->first;
	if (run->pos < run->stop)
		return true;
	if (!run->in_memory)
		return run->offset < run->end || chunk != NULL;
	return chunk != NULL &&
	       (run->pos == NULL || run->pos < chunk->data + chunk->used || chunk->next != NULL);
}

int iot_run_text(struct iot_runs *r, struct iot_run *run, char *to)
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
		int status = size > 0 ? iot_run_fetch(r, run) : 1;
		if (status < 0)
			return status;
		if (status == 0)
			return iot_error_set(r->error, IOT_EIO,
					     "the temporary file for sorting ends early");
	}
	return IOT_OK;
}

struct iot_run *iot_run_new(void)
{
	struct iot_run *run = aligned_alloc(IOT_RUN_ALIGN, sizeof(*run));
	if (run != NULL)
		*run = (struct iot_run){.pos = NULL};
	return run;
}

void iot_run_free(struct iot_runs *r, struct iot_run *run)
{
	if (!run->in_memory)
		iot_spill_forget(&r->file, run->forgotten, run->end);
	while (run->first != NULL) {
		struct iot_chunk *next = run->first->next;
		iot_chunks_give(&r->chunks, run->first);
		run->first = next;
	}
	free(run->buf);
	free(run);
}
