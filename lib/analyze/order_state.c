/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Saves and loads the order of requests; heads and streams have the numbers of the requests. See
 * state.h.
 */
#include "order_internal.h"

#include "order.h"
#include "state.h"

static const char *const patterns[PATTERNS] = {"short",  "contiguous", "simple",
					       "nested", "ascending",  "random"};

struct streams {
	struct state *state;
	struct order *order;
	const struct state_numbers *numbers; /* of the streams, or of the heads */
	bool write;
};

static struct few *strides_of_stream(void *context, size_t i)
{
	const struct streams *of = context;
	struct order *o = of->order;
	struct order_stream *stream =
	    state_at(of->state, &o->streams, &o->capacity, of->numbers->own[i], sizeof *o->streams);
	return stream != NULL ? &stream->of[of->write].strides : NULL;
}

static struct order_head *head_at(struct state *s, struct order *o, size_t number)
{
	struct order_head *head =
	    state_at(s, &o->heads, &o->head_capacity, number, sizeof *o->heads);
	if (head != NULL && !state_saves(s))
		o->head_count = number < o->head_count ? o->head_count : number + 1;
	return head;
}

static struct few *strides_of_head(void *context, size_t i)
{
	const struct streams *of = context;
	struct order_head *head = head_at(of->state, of->order, of->numbers->own[i]);
	return head != NULL ? &head->stream.of[of->write].strides : NULL;
}

static void strides_state(struct state *s, struct order *o)
{
	struct streams of = {.state = s, .order = o};
	for (s->direction = 0; s->direction < 2; s->direction++) {
		of.write = s->direction == 1;
		of.numbers = &s->streams;
		state_few(s, "order.strides", strides_of_stream, &of, s->streams.count);
		of.numbers = &s->heads;
		state_few(s, "order.ended.strides", strides_of_head, &of, s->heads.count);
	}
	s->direction = -1;
}

static void direction_columns(struct state *s, struct order_direction *d)
{
	state_number(s, "requests", &d->requests);
	state_number(s, "bytes", &d->bytes);
	state_number(s, "transitions", &d->transitions);
	state_number(s, "contiguous", &d->contiguous);
	state_number(s, "forward", &d->forward);
	state_flag(s, "follows", &d->follows);
	state_number(s, "offset", &d->offset);
	state_differing(s, "end", &d->end,
			d->offset + (d->follows && d->requests == 1 ? d->bytes : 0));
	state_flag(s, "has_stride", &d->has_stride);
	state_number(s, "stride", &d->stride);
}

/* The previous request matters only if the next one follows it. */
static void normalize(struct order_stream *stream)
{
	if (!stream->follows)
		stream->end = stream->length = stream->write = 0;
	for (unsigned d = 0; d < 2; d++) {
		struct order_direction *of = &stream->of[d];
		if (!of->follows)
			of->offset = of->end = 0;
		if (!of->has_stride)
			of->stride = 0;
	}
}

static void stream_columns(struct state *s, struct order_stream *stream)
{
	const struct order_direction *of = stream->of, *last;
	normalize(stream);
	direction_columns(s, &stream->of[0]);
	direction_columns(s, &stream->of[1]);
	state_number(s, "run", &stream->run_requests);
	const bool is_run = stream->run_requests == of[0].requests + of[1].requests;
	state_differing(s, "run_s", &stream->run_bytes, is_run ? of[0].bytes + of[1].bytes : 0);
	state_number(s, "followers", &stream->followers);
	state_number(s, "sequential", &stream->sequential);
	state_number(s, "same_size", &stream->same_size);
	state_flag(s, "mixed", &stream->follows);
	state_flag(s, "write", &stream->write);
	last = &of[stream->write];
	const bool is_last = stream->follows && last->follows;
	state_differing(s, "to", &stream->end, is_last ? last->end : 0);
	state_differing(s, "length", &stream->length, is_last ? last->end - last->offset : 0);
}

static void streams_state(struct state *s, struct order *o)
{
	size_t i;
	while (state_each(s, "order.stream", s->streams.count, &i)) {
		struct order_stream *stream =
		    state_at(s, &o->streams, &o->capacity, s->streams.own[i], sizeof *o->streams);
		if (stream == NULL)
			return;
		stream_columns(s, stream);
	}
}

static void first_columns(struct state *s, struct order_first *first)
{
	uint32_t kind = first->kind;
	state_small(s, "kind", &kind, FIRST_FOLLOWED);
	state_number(s, "offset", &first->offset);
	state_number(s, "length", &first->length);
	state_number(s, "stride", &first->stride);
	state_flag(s, "consecutive", &first->consecutive);
	if (!state_saves(s))
		first->kind = kind;
}

/* Unused heads store only their stream. */
static void head_columns(struct state *s, struct order_head *head)
{
	state_flag(s, "used", &head->used);
	state_flag(s, "unknown", &head->unknown);
	state_flag(s, "write", &head->write);
	state_number(s, "offset", &head->offset);
	state_number(s, "length", &head->length);
	state_flag(s, "run_ended", &head->run_ended);
	state_number(s, "run", &head->run_requests);
	state_number(s, "run_s", &head->run_bytes);
	first_columns(s, &head->of[0]);
	first_columns(s, &head->of[1]);
}

static void heads_state(struct state *s, struct order *o, const struct requests *r)
{
	size_t i;
	while (state_each(s, "order.head", s->heads.count, &i)) {
		const size_t number = s->heads.own[i];
		struct order_head *head = head_at(s, o, number);
		if (head == NULL)
			return;
		head_columns(s, head);
		state_check(s, r->heads[number].stream != 0, "heads with a stream");
	}
}

/* Streams of heads that have ended. */
static void ended_state(struct state *s, struct order *o, const struct requests *r)
{
	size_t i;
	while (state_each(s, "order.ended", s->heads.count, &i)) {
		struct order_head *head = head_at(s, o, s->heads.own[i]);
		if (head == NULL)
			return;
		stream_columns(s, &head->stream);
		state_check(s, r->heads[s->heads.own[i]].ended, "heads that have ended");
	}
}

static void counts_columns(struct state *s, struct order_counts *c)
{
	state_number(s, "followers", &c->followers);
	state_number(s, "consecutive", &c->consecutive);
	state_number(s, "forward", &c->forward);
	state_number(s, "again", &c->again);
	state_number(s, "backward", &c->backward);
	state_number(s, "strided", &c->strided);
}

static void counts_state(struct state *s, struct order *o)
{
	size_t i;
	while (state_each(s, "order", 1, &i)) {
		state_number(s, "followers", &o->followers);
		state_number(s, "sequential", &o->sequential);
		state_number(s, "same_size", &o->same_size);
		state_number(s, "switches", &o->switches);
	}
	while (state_each(s, "order.direction", 2, &i))
		counts_columns(s, &o->of[i]);
	while (state_each(s, "order.pattern", (size_t)2 * PATTERNS, &i)) {
		struct order_counts *c = &o->of[i / PATTERNS];
		state_number(s, "streams", &c->pattern[i % PATTERNS].streams);
		state_number(s, "requests", &c->pattern[i % PATTERNS].requests);
		state_number(s, "bytes", &c->pattern[i % PATTERNS].bytes);
	}
	state_histogram(s, STATE_NAMES("order.run"), &o->run_requests);
	state_histogram(s, STATE_NAMES("order.run_bytes"), &o->run_bytes);
	state_histogram(s, STATE_NAMES("order.seek"), &o->seek);
	for (s->direction = 0; s->direction < 2; s->direction++)
		state_common(s, STATE_NAMES("order.common"), &o->strides[s->direction]);
	s->direction = -1;
}

/* The streams of files that have ended. */
static void files_state(struct state *s, struct order *o)
{
	size_t i;
	while (state_each(s, "order.file", s->files.count, &i)) {
		struct order_file *f =
		    state_at(s, &o->files, &o->file_capacity, s->files.own[i], sizeof *o->files);
		uint32_t strides = f != NULL ? f->strides : 0;
		if (f == NULL)
			return;
		if (strides != STRIDE_ONE)
			f->stride = 0;
		state_number(s, "followers", &f->followers);
		state_number(s, "sequential", &f->sequential);
		state_number(s, "same_size", &f->same_size);
		for (unsigned p = 0; p < PATTERNS; p++)
			state_number(s, patterns[p], &f->pattern_requests[p]);
		state_small(s, "strides", &strides, STRIDE_OTHER);
		state_number(s, "stride", &f->stride);
		f->strides = strides;
	}
}

/* Each stream has the file of its fileId. */
static void set_files(struct order *o, const struct requests *r)
{
	for (size_t i = 0; i < r->file_ids.map.count; i++) {
		const struct file_id *id = &r->ids[i];
		if (id->stream != 0 && id->stream <= o->capacity && id->file != 0)
			o->streams[id->stream - 1].file = id->file - 1;
	}
	for (size_t i = 0; i < o->head_count && i < r->head_count; i++)
		if (r->heads[i].ended && r->heads[i].file != 0)
			o->heads[i].stream.file = r->heads[i].file - 1;
}

/* Links heads and streams as the requests do; ended heads keep their stream. */
static void link_heads(struct state *s, struct order *o, const struct requests *r)
{
	for (size_t i = 0; i < r->head_count; i++) {
		const struct request_head *head = &r->heads[i];
		if (head->stream == 0)
			continue;
		if (head->ended && i < o->head_count)
			o->heads[i].ended = true;
		else if (!head->ended && !order_begin_head(o, i, head->stream - 1))
			state_no_memory(s);
	}
}

void order_state(struct state *s, void *of, const struct requests *r)
{
	struct order *o = of;
	counts_state(s, o);
	streams_state(s, o);
	heads_state(s, o, r);
	ended_state(s, o, r);
	strides_state(s, o);
	if (o->by_file)
		files_state(s, o);
	if (state_saves(s) || state_failed(s))
		return;
	link_heads(s, o, r);
	set_files(o, r);
}
