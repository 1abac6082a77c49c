/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the streams of parts: the head of a stream is added to the stream that it continues as its
 * requests would have been.
 */
#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "order_internal.h"
#include "requests_join.h"

bool order_begin_head(struct order *o, size_t head, size_t stream)
{
	if (!array_reserve_index(&o->heads, &o->head_capacity, head, sizeof *o->heads) ||
	    !array_reserve_index(&o->streams, &o->capacity, stream, sizeof *o->streams))
		return false;
	o->heads[head].number = (uint32_t)stream;
	o->streams[stream].head = (uint32_t)head + 1;
	o->head_count = head < o->head_count ? o->head_count : head + 1;
	return true;
}

/* A stream that ended before this layer had any request has nothing here. */
bool order_add_heads(void *of, const struct requests *r)
{
	struct order *o = of;
	for (size_t i = o->head_count; i < r->head_count; i++) {
		const struct request_head *head = &r->heads[i];
		if (head->stream != 0 && !head->ended && !order_begin_head(o, i, head->stream - 1))
			return false;
	}
	return true;
}

static void join_counts(struct order_counts *to, const struct order_counts *part)
{
	to->followers += part->followers;
	to->consecutive += part->consecutive;
	to->forward += part->forward;
	to->again += part->again;
	to->backward += part->backward;
	to->strided += part->strided;
	for (unsigned p = 0; p < PATTERNS; p++) {
		to->pattern[p].streams += part->pattern[p].streams;
		to->pattern[p].requests += part->pattern[p].requests;
		to->pattern[p].bytes = saturate_add(to->pattern[p].bytes, part->pattern[p].bytes);
	}
}

bool order_join(struct order *o, const struct order *part, const uint32_t *file)
{
	o->followers += part->followers;
	o->sequential += part->sequential;
	o->same_size += part->same_size;
	o->switches += part->switches;
	histogram_join(&o->run_requests, &part->run_requests);
	histogram_join(&o->run_bytes, &part->run_bytes);
	histogram_join(&o->seek, &part->seek);
	for (unsigned d = 0; d < 2; d++)
		join_counts(&o->of[d], &part->of[d]);
	return order_join_files(o, part, file) && common_join(&o->strides[0], &part->strides[0]) &&
	       common_join(&o->strides[1], &part->strides[1]);
}

/* Links */

static void link_mixed(struct order *o, struct order_stream *s, const struct order_head *head,
		       const struct order_stream *part)
{
	const struct order_request q = {.offset = head->offset, .length = head->length};
	if (head->unknown)
		order_interrupt_mixed(o, s);
	else
		order_follow(o, s, &q, head->write);
	s->followers += part->followers;
	s->sequential += part->sequential;
	s->same_size += part->same_size;
	s->run_requests += head->run_ended ? head->run_requests : part->run_requests;
	s->run_bytes =
	    saturate_add(s->run_bytes, head->run_ended ? head->run_bytes : part->run_bytes);
	if (head->run_ended) {
		order_end_run(o, s);
		s->run_requests = part->run_requests;
		s->run_bytes = part->run_bytes;
	}
	s->follows = part->follows;
	s->end = part->end;
	s->length = part->length;
	s->write = part->write;
}

/* What the second request is to the first depends on what that is to its predecessor. */
static void link_second(struct order *o, unsigned d, const struct order_direction *s,
			const struct order_first *first)
{
	o->of[d].strided += first->kind == FIRST_FOLLOWED && !first->consecutive && s->has_stride &&
			    first->stride == s->stride;
}

static bool link_first(struct order *o, struct order_stream *s, unsigned d,
		       const struct order_first *first)
{
	const struct order_request q = {.offset = first->offset, .length = first->length};
	struct order_first *own = s->head != 0 ? &o->heads[s->head - 1].of[d] : NULL;
	if (first->kind == FIRST_UNKNOWN) {
		order_interrupt_direction(o, s, d == 1);
		return true;
	}
	if (own != NULL && own->kind == FIRST_NONE) {
		*own = *first;
		return true;
	}
	const bool linked = s->of[d].follows;
	if (linked && !order_follow_direction(o, s, &q, d == 1))
		return false;
	if (linked)
		link_second(o, d, &s->of[d], first);
	return true;
}

static bool link_direction(struct order *o, struct order_stream *s, unsigned d,
			   const struct order_first *first, const struct order_direction *part)
{
	struct order_direction *to = &s->of[d];
	if (first->kind == FIRST_NONE)
		return true;
	if (!link_first(o, s, d, first))
		return false;
	to->requests += part->requests;
	to->bytes = saturate_add(to->bytes, part->bytes);
	to->transitions += part->transitions;
	to->contiguous += part->contiguous;
	to->forward += part->forward;
	to->offset = part->offset;
	to->end = part->end;
	to->follows = part->follows;
	if (first->kind != FIRST_OPEN) {
		to->stride = part->stride;
		to->has_stride = part->has_stride;
	}
	return few_join(&to->strides, &part->strides);
}

static bool continue_stream(struct order *o, size_t stream, const struct order *part, size_t number,
			    const uint32_t *file)
{
	if (part == NULL || number >= part->head_count || !part->heads[number].used)
		return true;
	const struct order_head *head = &part->heads[number];
	const struct order_stream *from =
	    head->ended ? &head->stream : &part->streams[head->number];
	if (!array_reserve_index(&o->streams, &o->capacity, stream, sizeof *o->streams))
		return false;
	struct order_stream *s = &o->streams[stream];
	s->file = file[from->file];
	s->steady = false;
	link_mixed(o, s, head, from);
	return link_direction(o, s, 0, &head->of[0], &from->of[0]) &&
	       link_direction(o, s, 1, &head->of[1], &from->of[1]);
}

static bool move_stream(struct order *o, size_t stream, struct order *part, size_t from,
			const uint32_t *file)
{
	if (part == NULL || from >= part->capacity)
		return true;
	if (!array_reserve_index(&o->streams, &o->capacity, stream, sizeof *o->streams))
		return false;
	o->streams[stream] = part->streams[from];
	o->streams[stream].file = file[part->streams[from].file];
	part->streams[from] = (struct order_stream){.follows = false};
	return true;
}

static bool link_stream(struct order *o, struct order *part, const struct stream_link *link,
			const uint32_t *file)
{
	if (link->head != 0 && !order_begin_head(o, link->head - 1, link->stream))
		return false;
	if (!(link->moves ? move_stream(o, link->stream, part, link->from, file)
			  : continue_stream(o, link->stream, part, link->from, file)))
		return false;
	return !link->ends || order_end(o, link->stream);
}

bool order_link_streams(void *of, void *part, const struct requests_map *map)
{
	bool done = true;
	for (size_t i = 0; i < map->link_count && done; i++)
		done = link_stream(of, part, &map->links[i], map->file);
	return done;
}
