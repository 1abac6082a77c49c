/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One temporary file for events that were merged before, run after run, each event tagged with
 * the index of its input. However many runs exist, they need one descriptor.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/sort/event_pack.h"

#include "merge.h"

struct merge_run {
	struct tempfile *file;
	uint64_t offset, end; /* not yet in the buffer */
	size_t used, fill;    /* the buffer's bytes [used, fill) are next */
	struct iot_event last;
	uint32_t last_tag;
	unsigned char buffer[TEMPFILE_BUFFER + EVENT_PACK_SLACK];
};

int merge_runs_append(struct merge_runs *r, const struct iot_event *ev, const uint32_t *from,
		      size_t n)
{
	struct tempfile *f = &r->file;
	for (size_t i = 0; i < n; i++) {
		const struct iot_text text = ev[i].text;
		if (text.size > TEMPFILE_BUFFER)
			return error_set(f->error, IOT_ELIMIT, "a directive of more than %d bytes",
					 TEMPFILE_BUFFER);
		unsigned char *to = tempfile_reserve(f, EVENT_PACK_MAX);
		if (to == NULL)
			return f->error->status;
		f->fill += event_pack(to, &ev[i], from[i], &r->last, &r->last_tag);
		if (text.size > 0 && tempfile_append(f, text.data, text.size) != IOT_OK)
			return f->error->status;
	}
	return IOT_OK;
}

int merge_runs_end(struct merge_runs *r, int failed)
{
	if (!array_reserve(&r->end, &r->capacity, r->count + 1, sizeof(*r->end)))
		return error_no_memory(r->file.error);
	r->end[r->count++] = (struct merge_run_end){tempfile_end(&r->file), failed};
	r->last = (struct iot_record){.start_ns = 0};
	r->last_tag = 0;
	return tempfile_flush(&r->file);
}

void merge_runs_free(struct merge_runs *r)
{
	tempfile_free(&r->file);
	free(r->end);
}

struct merge_stream *merge_run_open(struct merge_runs *r, size_t number)
{
	struct merge_stream *s = merge_stream_new(NULL, 0);
	if (s == NULL)
		return NULL;
	s->from = malloc(s->batch->capacity * sizeof(*s->from));
	s->run = malloc(sizeof(*s->run));
	if (s->from == NULL || s->run == NULL) {
		merge_stream_free(s);
		return NULL;
	}
	s->run->file = &r->file;
	s->run->offset = number > 0 ? r->end[number - 1].offset : 0;
	s->run->end = r->end[number].offset;
	s->failed = r->end[number].failed;
	s->run->used = s->run->fill = 0;
	s->run->last = (struct iot_event){.kind = IOT_RECORD};
	s->run->last_tag = 0;
	return s;
}

/* Reads on until n bytes, or all that are left, are in the buffer. */
static int fetch(struct merge_run *r, size_t n)
{
	const size_t kept = r->fill - r->used, left = TEMPFILE_BUFFER - kept;
	const uint64_t rest = r->end - r->offset;
	const size_t size = rest < left ? (size_t)rest : left;
	if (n <= kept || size == 0)
		return IOT_OK;
	memmove(r->buffer, r->buffer + r->used, kept);
	const int status = tempfile_read(r->file, r->offset, r->buffer + kept, size);
	r->offset += size;
	r->used = 0;
	r->fill = kept + size;
	return status;
}

static int read_event(struct merge_stream *s, struct iot_event *ev, uint32_t *from)
{
	struct merge_run *r = s->run;
	int status = fetch(r, EVENT_PACK_MAX);
	if (status != IOT_OK)
		return status;
	r->used += event_unpack(r->buffer + r->used, &r->last, &r->last_tag);
	*ev = r->last;
	*from = r->last_tag;
	if (ev->text.size == 0)
		return IOT_OK;
	if ((status = fetch(r, ev->text.size)) != IOT_OK)
		return status;
	assert(ev->text.size <= r->fill - r->used);
	ev->text.data = (const char *)r->buffer + r->used;
	r->used += ev->text.size;
	return text_blocks_copy(&s->text[0], &ev->text) ? IOT_OK : IOT_ENOMEM;
}

int merge_run_fill(struct merge_stream *s)
{
	const struct merge_run *r = s->run;
	struct iot_batch *b = s->batch;
	int status = IOT_OK;
	b->count = 0;
	text_blocks_reset(&s->text[0]);
	while (b->count < b->capacity && status == IOT_OK) {
		s->ended = r->offset == r->end && r->used == r->fill;
		if (s->ended)
			break;
		status = read_event(s, &b->events[b->count], &s->from[b->count]);
		b->count++;
	}
	s->at = b->events;
	s->end = b->events + b->count;
	return status;
}
