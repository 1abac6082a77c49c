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
#include "lib/format/renames.h"
#include "lookahead.h"

/* Blocks */

static struct decoded_block *new_block(void)
{
	struct decoded_block *block = malloc(sizeof(*block));
	if (block != NULL) /* the records are first accessed when they are decoded */
		memset(block, 0, offsetof(struct decoded_block, records));
	return block;
}

static void free_blocks(struct decoded_block *block)
{
	while (block != NULL) {
		struct decoded_block *next = block->next;
		free(block->clocks);
		free(block->others);
		free(block->text);
		free(block->unnamed);
		free(block);
		block = next;
	}
}

static void clear_block(struct decoded_block *block)
{
	free(block->clocks);
	block->clocks = NULL;
	block->count = block->clock_count = block->other_count = block->text_used =
	    block->unnamed_count = 0;
	block->needs_serial = block->last = block->ended = block->failed = false;
	block->counted = (struct counted_segment){0};
	block->next = NULL;
}

static size_t blocks_max(const struct parallel *p)
{
	return p->fold != NULL ? FOLD_BLOCKS : WORKER_BLOCKS;
}

/* Returns a block to fill; NULL if asked to stop. Every worker starts with one block. */
static struct decoded_block *empty_block(struct worker *w)
{
	struct parallel *p = w->parallel;
	struct decoded_block *block = NULL;
	pthread_mutex_lock(&p->mutex);
	while (!p->stop && block == NULL) {
		block = w->free;
		if (block != NULL) {
			w->free = block->next;
		} else if (w->made < blocks_max(p) && (block = new_block()) != NULL) {
			w->made++;
		} else {
			pthread_cond_wait(&p->empty, &p->mutex);
		}
	}
	if (p->stop && block != NULL) {
		block->next = w->free;
		w->free = block;
		block = NULL;
	}
	pthread_mutex_unlock(&p->mutex);
	if (block != NULL)
		clear_block(block);
	return block;
}

static void hand_over(struct worker *w, struct decoded_block *block)
{
	pthread_mutex_lock(&w->parallel->mutex);
	*w->tail = block;
	w->tail = &block->next;
	pthread_cond_signal(&w->parallel->full);
	pthread_mutex_unlock(&w->parallel->mutex);
}

struct decoded_block *parallel_next_block(struct parallel *p, uint64_t segment,
					  struct worker **from)
{
	struct decoded_block *block = NULL;
	pthread_mutex_lock(&p->mutex);
	while (block == NULL) {
		for (size_t i = 0; i < p->worker_count && block == NULL; i++) {
			struct worker *w = &p->workers[i];
			if (w->head == NULL || w->head->segment != segment)
				continue;
			block = w->head;
			w->head = block->next;
			if (w->head == NULL)
				w->tail = &w->head;
			*from = w;
		}
		if (block == NULL)
			pthread_cond_wait(&p->full, &p->mutex);
	}
	pthread_mutex_unlock(&p->mutex);
	return block;
}

/* Drops accumulated results that will not be joined. */
static void drop_counted(const struct parallel *p, struct decoded_block *block)
{
	if (block->counted.part != NULL)
		p->fold->drop(p->fold->context, block->counted.part);
	block->counted.part = NULL;
}

void parallel_give_back(struct worker *from, struct decoded_block *block)
{
	drop_counted(from->parallel, block);
	pthread_mutex_lock(&from->parallel->mutex);
	block->next = from->free;
	from->free = block;
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
	struct rename one;
	return ev->kind == IOT_PROCESS || ev->kind == IOT_FILE ||
	       (ev->kind == IOT_OP && (directive_closes(ev) || renames_event(ev, &one)));
}

/* Counts an event; returns whether it need not be kept. */
static bool only_counted(const struct segment_progress *s, const struct iot_event *ev)
{
	struct decoded_block *block = s->block;
	if (block->counted.part == NULL)
		return false;
	block->counted.others++;
	block->counted.other_at = s->decoder->index;
	block->counted.other_line = s->decoder->lines;
	block->failed |= block->other_count >= FOLD_DIRECTIVES || block->text_used >= FOLD_TEXT;
	return block->failed || !changes_definitions(ev);
}

static void add_directive(void *context, const struct iot_event *ev, size_t place)
{
	const struct segment_progress *s = context;
	struct decoded_block *block = s->block;
	if (only_counted(s, ev))
		return;
	const size_t need = block->text_used + ev->text.size;
	if (!array_reserve(&block->others, &block->other_capacity, block->other_count + 1,
			   sizeof(*block->others)) ||
	    !array_reserve(&block->text, &block->text_capacity, need, 1)) {
		block->failed = true;
		return;
	}
	if (ev->text.size > 0)
		memcpy(block->text + block->text_used, ev->text.data, ev->text.size);
	block->others[block->other_count++] = (struct other_event){
	    .ev = *ev, .place = place, .text_at = block->text_used, .line = s->decoder->lines};
	block->text_used = need;
}

static void add_undefined(void *context, const struct iot_record *rec)
{
	const struct segment_progress *s = context;
	struct decoded_block *block = s->block;
	if (array_reserve(&block->unnamed, &block->unnamed_capacity, block->unnamed_count + 1,
			  sizeof(*block->unnamed)))
		block->unnamed[block->unnamed_count++] = *rec;
	else
		block->failed = true;
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
	d->version = p->version;
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

static void fill(struct segment_progress *s, struct decoded_block *block)
{
	struct decoder *d = s->decoder;
	struct event_batch b = {
	    .records = block->records, .stride = sizeof(block->records[0]), .max = BLOCK_RECORDS};
	while (b.n < b.max && block->other_count < BLOCK_DIRECTIVES &&
	       block->text_used < BLOCK_TEXT && !block->last && !block->needs_serial) {
		if (d->block.cur == d->block.end && decoder_next_block(d) != 1) {
			block->last = ends_well(s);
			block->needs_serial = !block->last;
			break;
		}
		const struct decoder_snapshot before = decoder_snapshot(d);
		const size_t had = b.n;
		d->arena.used = 0;
		decoder_step(d, &b);
		block->needs_serial =
		    needs_serial(d) || block->failed || (b.n == had && !decoder_moved(d, before));
	}
	block->count = b.n;
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
static void count_batch(struct segment_progress *s, struct decoded_block *block,
			struct event_batch *b)
{
	struct parallel *p = s->worker->parallel;
	const struct iot_event *ev = b->events;
	batch_place_untimed(b);
	for (size_t i = 0; i < b->n; i++)
		if (ev[i].kind == IOT_RECORD)
			block->counted.cpu_bits |= magnitude(ev[i].rec.cpu_ns);
	if (b->n > 0 &&
	    (reported_to_stop(p) || p->fold->events(block->counted.part, ev, b->n) != IOT_OK))
		block->failed = true;
	b->n = 0;
	s->decoder->arena.used = 0;
}

/* As fill, but accumulates the whole segment. */
static void fill_counted(struct segment_progress *s, struct decoded_block *block)
{
	struct decoder *d = s->decoder;
	struct iot_event *ev = s->worker->events;
	struct event_batch b = {
	    .events = ev, .records = &ev->rec, .stride = sizeof(*ev), .max = FOLD_EVENTS};
	const uint64_t first = d->index;
	while (!block->last && !block->needs_serial) {
		if (d->block.cur == d->block.end)
			count_batch(s, block, &b); /* texts are valid as long as the block */
		if (d->block.cur == d->block.end && decoder_next_block(d) != 1) {
			block->last = ends_well(s);
			block->needs_serial = !block->last;
			break;
		}
		const struct decoder_snapshot before = decoder_snapshot(d);
		const bool empty = b.n == 0;
		const bool full = !decoder_step(d, &b) || b.n == b.max;
		const bool stuck = full && empty && b.n == 0 && !decoder_moved(d, before);
		if (full)
			count_batch(s, block, &b);
		block->needs_serial = needs_serial(d) || block->failed || stuck;
	}
	count_batch(s, block, &b);
	block->needs_serial |= block->failed;
	block->last &= !block->needs_serial;
	block->count = d->index - first;
	block->counted.start_ns = decoder_last_start_ns(d);
	note_progress(s);
}

static void fill_block(struct segment_progress *s, struct decoded_block *block)
{
	const struct iot_fold *fold = s->worker->parallel->fold;
	if (fold == NULL) {
		fill(s, block);
		return;
	}
	block->counted.part = fold->begin(fold->context);
	if (block->counted.part != NULL)
		fill_counted(s, block);
	else
		block->needs_serial = true;
}

static void sum_up(struct segment_progress *s, struct decoded_block *block)
{
	struct decoder *d = s->decoder;
	const uint64_t place = s->segment->at + bufreader_position(d->bufreader);
	block->lines = s->lines;
	block->text_bytes = s->text_bytes;
	block->stored = place < s->segment->end ? place : s->segment->end;
	if (!block->last)
		return;
	block->stored = s->segment->end;
	block->ended = d->progress == TRACE_ENDED;
	block->reported_comments = d->sync.reported_comments;
	block->clock_count = codec_clocks(d->codec, NULL, 0);
	block->clocks = malloc((block->clock_count + 1) * sizeof(*block->clocks));
	block->needs_serial = block->clocks == NULL;
	if (block->clocks != NULL)
		codec_clocks(d->codec, block->clocks, block->clock_count);
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
		struct decoded_block *block = s.block;
		block->segment = segment->number;
		block->needs_serial = !open;
		if (open) {
			fill_block(&s, block);
			sum_up(&s, block);
		}
		over = block->needs_serial || block->last;
		hand_over(w, block);
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
		for (struct decoded_block *block = p->workers[i].head; block != NULL;
		     block = block->next)
			drop_counted(p, block);
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
