/* SPDX-License-Identifier: BSD-2-Clause */
/* Worker threads, each of which decodes a segment of a trace into blocks. See parallel.h. */
#include "parallel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/thread.h"
#include "lib/codec/codec.h"
#include "lib/format/directive.h"
#include "lookahead.h"

/* Blocks */

static struct decoded_block *new_block(void)
{
	struct decoded_block *c = malloc(sizeof(*c));
	if (c != NULL) /* the records are first accessed when they are decoded */
		memset(c, 0, offsetof(struct decoded_block, records));
	return c;
}

static void free_blocks(struct decoded_block *c)
{
	while (c != NULL) {
		struct decoded_block *next = c->next;
		free(c->clocks);
		free(c->others);
		free(c->text);
		free(c->unnamed);
		free(c);
		c = next;
	}
}

static void clear_block(struct decoded_block *c)
{
	free(c->clocks);
	c->clocks = NULL;
	c->count = c->clock_count = c->other_count = c->text_used = c->unnamed_count = 0;
	c->needs_serial = c->last = c->ended = c->failed = false;
	c->counted = (struct counted_segment){0};
	c->next = NULL;
}

static size_t blocks_max(const struct parallel *p)
{
	return p->fold != NULL ? FOLD_BLOCKS : WORKER_BLOCKS;
}

/* Returns a block to fill; NULL if asked to stop. Every worker starts with one block. */
static struct decoded_block *empty_block(struct worker *w)
{
	struct parallel *p = w->parallel;
	struct decoded_block *c = NULL;
	pthread_mutex_lock(&p->mutex);
	while (!p->stop && c == NULL) {
		c = w->free;
		if (c != NULL) {
			w->free = c->next;
		} else if (w->made < blocks_max(p) && (c = new_block()) != NULL) {
			w->made++;
		} else {
			pthread_cond_wait(&p->empty, &p->mutex);
		}
	}
	if (p->stop && c != NULL) {
		c->next = w->free;
		w->free = c;
		c = NULL;
	}
	pthread_mutex_unlock(&p->mutex);
	if (c != NULL)
		clear_block(c);
	return c;
}

static void hand_over(struct worker *w, struct decoded_block *c)
{
	pthread_mutex_lock(&w->parallel->mutex);
	*w->tail = c;
	w->tail = &c->next;
	pthread_cond_signal(&w->parallel->full);
	pthread_mutex_unlock(&w->parallel->mutex);
}

struct decoded_block *parallel_next_block(struct parallel *p, uint64_t segment,
					  struct worker **from)
{
	struct decoded_block *c = NULL;
	pthread_mutex_lock(&p->mutex);
	while (c == NULL) {
		for (size_t i = 0; i < p->worker_count && c == NULL; i++) {
			struct worker *w = &p->workers[i];
			if (w->head == NULL || w->head->segment != segment)
				continue;
			c = w->head;
			w->head = c->next;
			if (w->head == NULL)
				w->tail = &w->head;
			*from = w;
		}
		if (c == NULL)
			pthread_cond_wait(&p->full, &p->mutex);
	}
	pthread_mutex_unlock(&p->mutex);
	return c;
}

/* Drops accumulated results that will not be joined. */
static void drop_counted(const struct parallel *p, struct decoded_block *c)
{
	if (c->counted.part != NULL)
		p->fold->drop(p->fold->context, c->counted.part);
	c->counted.part = NULL;
}

void parallel_give_back(struct worker *from, struct decoded_block *c)
{
	drop_counted(from->parallel, c);
	pthread_mutex_lock(&from->parallel->mutex);
	c->next = from->free;
	from->free = c;
	pthread_cond_broadcast(&from->parallel->empty);
	pthread_mutex_unlock(&from->parallel->mutex);
}

/* The output of a decoder */

struct segment_progress {
	struct decoder *decoder;
	struct worker *worker;
	const struct segment *segment;
	struct decoded_block *block; /* being filled */
	uint64_t lines, text_bytes;
};

static bool changes_definitions(const struct iot_event *ev)
{
	return ev->kind == IOT_PROCESS || ev->kind == IOT_FILE ||
	       (ev->kind == IOT_OP && directive_closes(ev));
}

/* Counts an event; returns whether it need not be kept. */
static bool only_counted(const struct segment_progress *s, const struct iot_event *ev)
{
	struct decoded_block *c = s->block;
	if (c->counted.part == NULL)
		return false;
	c->counted.others++;
	c->counted.other_at = s->decoder->index;
	c->counted.other_line = s->decoder->lines;
	c->failed |= c->other_count >= FOLD_DIRECTIVES || c->text_used >= FOLD_TEXT;
	return c->failed || !changes_definitions(ev);
}

static void add_directive(void *context, const struct iot_event *ev, size_t place)
{
	const struct segment_progress *s = context;
	struct decoded_block *c = s->block;
	if (only_counted(s, ev))
		return;
	const size_t need = c->text_used + ev->text.size;
	if (!array_reserve(&c->others, &c->other_capacity, c->other_count + 1,
			   sizeof(*c->others)) ||
	    !array_reserve(&c->text, &c->text_capacity, need, 1)) {
		c->failed = true;
		return;
	}
	if (ev->text.size > 0)
		memcpy(c->text + c->text_used, ev->text.data, ev->text.size);
	c->others[c->other_count++] = (struct other_event){
	    .ev = *ev, .place = place, .text_at = c->text_used, .line = s->decoder->lines};
	c->text_used = need;
}

static void add_undefined(void *context, const struct iot_record *rec)
{
	const struct segment_progress *s = context;
	struct decoded_block *c = s->block;
	if (array_reserve(&c->unnamed, &c->unnamed_capacity, c->unnamed_count + 1,
			  sizeof(*c->unnamed)))
		c->unnamed[c->unnamed_count++] = *rec;
	else
		c->failed = true;
}

/* Segments */

/* Determines the next segment. Returns false if none is left or the source cannot be read. */
static bool plan(struct parallel *p, struct segment *segment)
{
	struct seek_point entry = {0};
	pthread_mutex_lock(&p->planning);
	const bool any = !p->all_planned;
	if (any) {
		*segment = p->planned;
		segment->has_end = seek_points_next(p->points, segment->at + p->segment_size,
						    p->source.size, &entry) == 1;
		segment->end = segment->has_end ? entry.at : p->source.size;
		segment->end_sync = entry.sync;
		p->all_planned = !segment->has_end;
		p->planned = (struct segment){
		    .number = segment->number + 1, .at = entry.at, .record = entry.sync.record};
	}
	pthread_mutex_unlock(&p->planning);
	return any;
}

struct bytes {
	const struct stored_input *source;
	uint64_t at, end;
};

static ssize_t read_bytes(void *context, void *buffer, size_t size)
{
	struct bytes *b = context;
	const uint64_t left = b->end - b->at;
	const ssize_t n =
	    stored_input_read(b->source, b->at, buffer, size < left ? size : (size_t)left);
	if (n > 0)
		b->at += (uint64_t)n;
	return n;
}

/* Reads the %sync at the beginning of a segment. */
static bool enter_segment(struct decoder *d, const struct parallel *p,
			  const struct segment *segment)
{
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	codec_set_missing(d->codec, p->lacks);
	return decoder_more(d, &b) && decoder_step(d, &b) && d->sync.intervals == 1 &&
	       d->index == segment->record;
}

/* Opens a segment at its first line. Returns false on failure. */
static bool open_segment(struct decoder *d, const struct parallel *p, struct segment_progress *s,
			 struct bytes *bytes)
{
	const struct segment *segment = s->segment;
	if (!decoder_init(d, &p->settings) || decoder_prepare(d, "segment") != IOT_OK ||
	    bufreader_open_callback(d->bufreader, read_bytes, bytes) != IOT_OK ||
	    decoder_make_codec(d) != IOT_OK)
		return false;
	d->sync.interval_records = p->interval_records;
	if (d->lookahead != NULL && segment->has_end)
		d->lookahead->segment_end = &segment->end_sync;
	if (segment->number > 0 && !enter_segment(d, p, segment))
		return false;
	d->output = (struct decoder_output){add_directive, add_undefined, s};
	return true;
}

static void note_progress(struct segment_progress *s)
{
	s->lines = s->decoder->lines;
	s->text_bytes = decoder_text_bytes(s->decoder);
}

/*
 * Returns whether the end of the input is valid: the trace ends properly, or the %sync after the
 * segment matches. No other code compares that %sync with the segment.
 */
static bool ends_well(const struct segment_progress *s)
{
	struct decoder *d = s->decoder;
	if (d->progress == TRACE_CUT || d->error.status != IOT_OK ||
	    bufreader_status(d->bufreader) != IOT_OK)
		return false;
	if (s->segment->has_end)
		return d->progress != TRACE_ENDED && decoder_sync_holds(d, &s->segment->end_sync);
	return d->progress == TRACE_ENDED || !d->framed;
}

static bool needs_serial(const struct decoder *d)
{
	/* lacks= in the trace's head applies to all segments, which would not know a later one */
	return d->error.status != IOT_OK || decoder_is_skipping(d) || decoder_is_muted(d) ||
	       d->lacks_late;
}

static void fill(struct segment_progress *s, struct decoded_block *c)
{
	struct decoder *d = s->decoder;
	struct event_batch b = {
	    .records = c->records, .stride = sizeof(c->records[0]), .max = BLOCK_RECORDS};
	while (b.n < b.max && c->other_count < BLOCK_DIRECTIVES && c->text_used < BLOCK_TEXT &&
	       !c->last && !c->needs_serial) {
		if (d->block.cur == d->block.end && decoder_next_block(d) != 1) {
			c->last = ends_well(s);
			c->needs_serial = !c->last;
			break;
		}
		const struct decoder_snapshot before = decoder_snapshot(d);
		const size_t had = b.n;
		d->arena.used = 0;
		decoder_step(d, &b);
		c->needs_serial =
		    needs_serial(d) || c->failed || (b.n == had && !decoder_moved(d, before));
	}
	c->count = b.n;
	note_progress(s);
}

static bool reported_to_stop(struct parallel *p)
{
	pthread_mutex_lock(&p->mutex);
	const bool stop = p->stop;
	pthread_mutex_unlock(&p->mutex);
	return stop;
}

/* Returns n, or its complement if n is negative: the bits without the sign. */
static uint64_t magnitude(int64_t n)
{
	return (uint64_t)(n < 0 ? ~n : n);
}

/* Accumulates the batch and empties it. */
static void count_batch(struct segment_progress *s, struct decoded_block *c, struct event_batch *b)
{
	struct parallel *p = s->worker->parallel;
	const struct iot_event *ev = b->events;
	batch_place_untimed(b);
	for (size_t i = 0; i < b->n; i++)
		if (ev[i].kind == IOT_RECORD)
			c->counted.cpu_bits |= magnitude(ev[i].rec.cpu_ns);
	if (b->n > 0 &&
	    (reported_to_stop(p) || p->fold->events(c->counted.part, ev, b->n) != IOT_OK))
		c->failed = true;
	b->n = 0;
	s->decoder->arena.used = 0;
}

/* As fill, but accumulates the whole segment. */
static void fill_counted(struct segment_progress *s, struct decoded_block *c)
{
	struct decoder *d = s->decoder;
	struct iot_event *ev = s->worker->events;
	struct event_batch b = {
	    .events = ev, .records = &ev->rec, .stride = sizeof(*ev), .max = FOLD_EVENTS};
	const uint64_t first = d->index;
	while (!c->last && !c->needs_serial) {
		if (d->block.cur == d->block.end)
			count_batch(s, c, &b); /* texts are valid as long as the block */
		if (d->block.cur == d->block.end && decoder_next_block(d) != 1) {
			c->last = ends_well(s);
			c->needs_serial = !c->last;
			break;
		}
		const struct decoder_snapshot before = decoder_snapshot(d);
		const bool empty = b.n == 0;
		const bool full = !decoder_step(d, &b) || b.n == b.max;
		const bool stuck = full && empty && b.n == 0 && !decoder_moved(d, before);
		if (full)
			count_batch(s, c, &b);
		c->needs_serial = needs_serial(d) || c->failed || stuck;
	}
	count_batch(s, c, &b);
	c->needs_serial |= c->failed;
	c->last &= !c->needs_serial;
	c->count = d->index - first;
	c->counted.start_ns = decoder_last_start_ns(d);
	note_progress(s);
}

static void fill_block(struct segment_progress *s, struct decoded_block *c)
{
	const struct iot_fold *fold = s->worker->parallel->fold;
	if (fold == NULL) {
		fill(s, c);
		return;
	}
	c->counted.part = fold->begin(fold->context);
	if (c->counted.part != NULL)
		fill_counted(s, c);
	else
		c->needs_serial = true;
}

static void sum_up(struct segment_progress *s, struct decoded_block *c)
{
	struct decoder *d = s->decoder;
	const uint64_t place = s->segment->at + bufreader_position(d->bufreader);
	c->lines = s->lines;
	c->text_bytes = s->text_bytes;
	c->stored = place < s->segment->end ? place : s->segment->end;
	if (!c->last)
		return;
	c->stored = s->segment->end;
	c->ended = d->progress == TRACE_ENDED;
	c->reported_comments = d->sync.reported_comments;
	c->clock_count = codec_clocks(d->codec, NULL, 0);
	c->clocks = malloc((c->clock_count + 1) * sizeof(*c->clocks));
	c->needs_serial = c->clocks == NULL;
	if (c->clocks != NULL)
		codec_clocks(d->codec, c->clocks, c->clock_count);
}

/* Returns false if asked to stop. */
static bool read_segment(struct worker *w, const struct segment *segment)
{
	struct bytes bytes = {&w->parallel->source, segment->at, segment->end};
	struct decoder decoder;
	struct segment_progress s = {.decoder = &decoder, .worker = w, .segment = segment};
	const bool open = open_segment(&decoder, w->parallel, &s, &bytes);
	bool over = false;
	while (!over && (s.block = empty_block(w)) != NULL) {
		struct decoded_block *c = s.block;
		c->segment = segment->number;
		c->needs_serial = !open;
		if (open) {
			fill_block(&s, c);
			sum_up(&s, c);
		}
		over = c->needs_serial || c->last;
		hand_over(w, c);
	}
	decoder_free(&decoder);
	return over;
}

static void *work(void *context)
{
	struct worker *w = context;
	struct segment segment;
	while (plan(w->parallel, &segment) && read_segment(w, &segment))
		;
	return NULL;
}

/* Threads */

static void start_threads(struct parallel *p, size_t threads)
{
	while (p->worker_count < threads) {
		struct worker *w = &p->workers[p->worker_count];
		w->parallel = p;
		w->tail = &w->head;
		w->free = new_block();
		w->made = 1;
		if (p->fold != NULL)
			w->events = malloc(FOLD_EVENTS * sizeof(*w->events));
		if (w->free == NULL || (p->fold != NULL && w->events == NULL) ||
		    !thread_start(&w->thread, work, w)) {
			free_blocks(w->free);
			free(w->events);
			break;
		}
		p->worker_count++;
	}
}

/* Returns whether the trace has more than one segment. */
static bool pays(struct parallel *p)
{
	struct seek_point entry;
	return seek_points_next(p->points, p->segment_size, p->source.size, &entry) == 1;
}

struct parallel *parallel_start(const struct parallel *how, enum iot_compression packed,
				size_t threads)
{
	struct parallel *p = malloc(sizeof(*p));
	if (p == NULL)
		return NULL;
	*p = *how;
	pthread_mutex_init(&p->mutex, NULL);
	pthread_mutex_init(&p->planning, NULL);
	pthread_cond_init(&p->full, NULL);
	pthread_cond_init(&p->empty, NULL);
	p->points =
	    seek_points_new(&p->source, packed, (unsigned)p->settings.base, p->settings.window_max);
	if (p->points != NULL && pays(p))
		start_threads(p, threads < PARALLEL_THREADS ? threads : PARALLEL_THREADS);
	if (p->worker_count > 0)
		return p;
	parallel_stop(p);
	return NULL;
}

void parallel_stop(struct parallel *p)
{
	if (p == NULL)
		return;
	pthread_mutex_lock(&p->mutex);
	p->stop = true;
	pthread_cond_broadcast(&p->empty);
	pthread_mutex_unlock(&p->mutex);
	for (size_t i = 0; i < p->worker_count; i++) {
		pthread_join(p->workers[i].thread, NULL);
		for (struct decoded_block *c = p->workers[i].head; c != NULL; c = c->next)
			drop_counted(p, c);
		free(p->workers[i].events);
		free_blocks(p->workers[i].head);
		free_blocks(p->workers[i].free);
	}
	seek_points_free(p->points);
	pthread_cond_destroy(&p->full);
	pthread_cond_destroy(&p->empty);
	pthread_mutex_destroy(&p->planning);
	pthread_mutex_destroy(&p->mutex);
	free(p);
}
