/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The streams of requests: each belongs to a fileId, from its first request to its close. A part
 * keeps a head of each fileId, whose stream may continue one of an earlier part.
 */
#include "requests_internal.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/format/directive.h"

uint32_t requests_new_stream(struct requests *r)
{
	return r->free_count > 0 ? r->free_streams[--r->free_count] + 1 : ++r->streams;
}

void requests_free_stream(struct requests *r, uint32_t stream)
{
	if (requests_keep(r, array_reserve(&r->free_streams, &r->free_capacity, r->free_count + 1,
					   sizeof *r->free_streams)))
		r->free_streams[r->free_count++] = stream;
}

/* Returns NULL if it is left out, or if out of memory. */
static struct request_head *new_head(struct requests *r, struct file_id *id)
{
	id->left_out |= r->head_count >= HEADS_MAX;
	if (id->left_out)
		return NULL;
	if (!requests_keep(r, array_reserve(&r->heads, &r->head_capacity, r->head_count + 1,
					    sizeof *r->heads)))
		return NULL;
	r->heads[r->head_count++] = (struct request_head){.id = (uint32_t)(id - r->ids)};
	id->head = (uint32_t)r->head_count;
	return &r->heads[r->head_count - 1];
}

void requests_add_head(struct requests *r, struct file_id *id, const struct request_head *head)
{
	struct request_head *to = new_head(r, id);
	if (to == NULL)
		return;
	to->object = head->object;
	to->file = head->file;
	to->stream = head->stream;
	to->closed_first = head->closed_first;
	to->ended = head->ended;
}

static struct request_head *head_of(struct requests *r, struct file_id *id)
{
	return id->head != 0 ? &r->heads[id->head - 1] : new_head(r, id);
}

void requests_begin_own_head(struct requests *r, struct file_id *id)
{
	struct request_head *head = head_of(r, id);
	if (head == NULL || head->file != 0)
		return;
	head->object = id->object;
	head->file = id->file;
	head->stream = head->closed_first ? 0 : id->stream;
}

bool requests_begin_head(struct requests *r, struct file_id *id, const struct request_head *next,
			 uint32_t file)
{
	const bool begins = id->head == 0 && !id->left_out;
	struct request_head *head = head_of(r, id);
	id->closed_first |= begins && id->left_out && next->closed_first;
	if (head == NULL)
		return !r->failed;
	head->closed_first |= begins && next->closed_first;
	if (head->file != 0 || file == 0)
		return true;
	head->object = next->object;
	head->file = file;
	head->stream = head->closed_first ? 0 : id->stream;
	return true;
}

void requests_end_head(struct requests *r, const struct file_id *id)
{
	if (id->head != 0 && r->heads[id->head - 1].stream == id->stream)
		r->heads[id->head - 1].ended = true;
}

void requests_replace_stream(struct requests *r, struct file_id *id)
{
	if (id->stream != 0 &&
	    requests_keep(r, array_reserve(&r->ended, &r->ended_capacity, r->ended_count + 1,
					   sizeof *r->ended)))
		r->ended[r->ended_count++] =
		    (struct stream_end){.stream = id->stream - 1, .head = id->head};
	id->stream = 0;
}

void requests_end_replaced(struct requests *r)
{
	for (size_t i = 0; i < r->ended_count; i++) {
		const struct stream_end *end = &r->ended[i];
		if (end->head != 0 && r->heads[end->head - 1].stream == end->stream + 1)
			r->heads[end->head - 1].ended = true;
		requests_free_stream(r, end->stream);
	}
	r->ended_count = 0;
}

/*
 * Returns the number that has exactly `below` smaller ones among n numbers. Halves the range of the
 * answer.
 */
static uint32_t find_order(const uint32_t *numbers, size_t n, size_t below)
{
	uint32_t low = 0, high = UINT32_MAX;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		size_t up_to = 0;
		for (size_t i = 0; i < n; i++)
			up_to += numbers[i] <= middle;
		if (up_to > below)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The last batches of all open streams; NULL if out of memory. */
static uint32_t *list_batches(const struct requests *r, size_t open)
{
	uint32_t *list = calloc(open, sizeof *list);
	size_t n = 0;
	for (size_t i = 0; i < r->file_ids.map.count && list != NULL && n < open; i++)
		if (r->ids[i].stream != 0)
			list[n++] = r->ids[i].batch;
	return list;
}

void requests_limit_streams(struct requests *r)
{
	const size_t open = r->streams - r->free_count - r->ended_count;
	size_t excess = open > STREAMS_MAX ? open - STREAMS_MAX + STREAMS_MAX / 4 : 0;
	uint32_t *batches = excess > 0 ? list_batches(r, open) : NULL;
	if (excess == 0 || !requests_keep(r, batches != NULL))
		return;
	const uint32_t last = find_order(batches, open, excess - 1);
	free(batches);
	for (size_t i = 0; i < r->file_ids.map.count && excess > 0; i++) {
		if (r->ids[i].stream == 0 || r->ids[i].batch > last)
			continue;
		requests_replace_stream(r, &r->ids[i]);
		r->streams_limited++;
		excess--;
	}
}

/* In a part, a close may end a stream of an earlier one. */
static uint32_t close_unknown(struct requests *r, struct file_id *id)
{
	if (!r->options.part || id == NULL)
		return 0;
	const bool begins = id->head == 0 && !id->left_out;
	struct request_head *head = begins ? new_head(r, id) : NULL;
	id->closed_first |= begins && id->left_out;
	id->layer = 0;
	id->has_layer = id->defined = true;
	id->defined_object = 0;
	if (head != NULL)
		head->closed_first = true;
	return 0;
}

uint32_t requests_close(struct requests *r, const struct iot_event *ev)
{
	if (!directive_closes(ev))
		return 0;
	const size_t i = file_ids_find(&r->file_ids, ev->rec.process, ev->rec.file);
	if (i == SIZE_MAX)
		return close_unknown(
		    r, r->options.part ? requests_id(r, ev->rec.process, ev->rec.file) : NULL);
	struct file_id *id = &r->ids[i];
	const uint32_t stream = id->stream;
	id->layer = 0;
	id->defined = true;
	id->defined_object = 0;
	if (stream == 0)
		return close_unknown(r, id);
	id->has_layer = true;
	requests_end_head(r, id);
	id->stream = 0;
	requests_free_stream(r, stream - 1);
	return stream;
}
