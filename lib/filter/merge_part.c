/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One temporary file for events that were merged before, part after part, each event tagged with
 * the index of its input. However many parts exist, they need one descriptor.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/sort/event_pack.h"

#include "merge.h"

struct merge_part {
	struct tempfile *file;
	uint64_t offset, end; /* not yet in the buffer */
	size_t used, fill;    /* the buffer's bytes [used, fill) are next */
	struct iot_event last;
	unsigned char buffer[TEMPFILE_BUFFER + EVENT_PACK_SLACK];
};

int merge_parts_append(struct merge_parts *p, const struct iot_event *ev, const uint32_t *from,
		       size_t n)
{
	struct tempfile *f = &p->file;
	for (size_t i = 0; i < n; i++) {
		const struct iot_text text = ev[i].text;
		if (text.size > TEMPFILE_BUFFER)
			return error_set(f->error, IOT_ELIMIT, "a directive of more than %d bytes",
					 TEMPFILE_BUFFER);
		unsigned char *to = tempfile_reserve(f, EVENT_PACK_MAX);
		if (to == NULL)
			return f->error->status;
		f->fill += event_pack(to, &ev[i], from[i], &p->last);
		if (text.size > 0 && tempfile_append(f, text.data, text.size) != IOT_OK)
			return f->error->status;
	}
	return IOT_OK;
}

int merge_parts_end(struct merge_parts *p)
{
	if (!array_reserve(&p->end, &p->capacity, p->count + 1, sizeof(*p->end)))
		return error_set(p->file.error, IOT_ENOMEM, "out of memory");
	p->end[p->count++] = tempfile_end(&p->file);
	p->last = (struct iot_record){.start_ns = 0};
	return tempfile_flush(&p->file);
}

void merge_parts_free(struct merge_parts *p)
{
	tempfile_free(&p->file);
	free(p->end);
}

struct merge_stream *merge_part_open(struct merge_parts *p, size_t number)
{
	struct merge_stream *s = merge_stream_new(NULL, 0);
	if (s == NULL)
		return NULL;
	s->from = malloc(s->batch->capacity * sizeof(*s->from));
	s->part = malloc(sizeof(*s->part));
	if (s->from == NULL || s->part == NULL) {
		merge_stream_free(s);
		return NULL;
	}
	s->part->file = &p->file;
	s->part->offset = number > 0 ? p->end[number - 1] : 0;
	s->part->end = p->end[number];
	s->part->used = s->part->fill = 0;
	s->part->last = (struct iot_event){.kind = IOT_RECORD};
	return s;
}

/* Reads on until n bytes, or all that are left, are in the buffer. */
static int fetch(struct merge_part *p, size_t n)
{
	const size_t kept = p->fill - p->used, left = TEMPFILE_BUFFER - kept;
	const uint64_t rest = p->end - p->offset;
	const size_t size = rest < left ? (size_t)rest : left;
	if (n <= kept || size == 0)
		return IOT_OK;
	memmove(p->buffer, p->buffer + p->used, kept);
	const int status = tempfile_read(p->file, p->offset, p->buffer + kept, size);
	p->offset += size;
	p->used = 0;
	p->fill = kept + size;
	return status;
}

static int read_event(struct merge_stream *s, struct iot_event *ev, uint32_t *from)
{
	struct merge_part *p = s->part;
	int status = fetch(p, EVENT_PACK_MAX);
	if (status != IOT_OK)
		return status;
	p->used += event_unpack(p->buffer + p->used, &p->last);
	*ev = p->last;
	*from = event_take_tag(ev);
	if (ev->text.size == 0)
		return IOT_OK;
	if ((status = fetch(p, ev->text.size)) != IOT_OK)
		return status;
	assert(ev->text.size <= p->fill - p->used);
	ev->text.data = (const char *)p->buffer + p->used;
	p->used += ev->text.size;
	return merge_text_copy(&s->text[0], &ev->text) ? IOT_OK : IOT_ENOMEM;
}

int merge_part_fill(struct merge_stream *s)
{
	const struct merge_part *p = s->part;
	struct iot_batch *b = s->batch;
	int status = IOT_OK;
	b->count = 0;
	merge_text_reset(&s->text[0]);
	while (b->count < b->capacity && status == IOT_OK) {
		s->ended = p->offset == p->end && p->used == p->fill;
		if (s->ended)
			break;
		status = read_event(s, &b->events[b->count], &s->from[b->count]);
		b->count++;
	}
	s->at = b->events;
	s->end = b->events + b->count;
	return status;
}
