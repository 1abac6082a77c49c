/* SPDX-License-Identifier: BSD-2-Clause */
/* Worker threads, each of which reads a segment of a trace into blocks. See parallel.h. */
#include <stdlib.h>
#include <string.h>

#include "lookahead.h"
#include "parallel.h"
#include "lib/codec/codec.h"
#include "lib/base/thread.h"

enum { PART_READ_SIZE = 1 << 18 };

/* Blocks */

static size_t chunks_max(const struct parallel *p)
{
	return p->fold != NULL ? FOLD_BLOCKS : WORKER_BLOCKS;
}

/* Returns a block to fill; NULL if asked to stop. Every worker starts with one block. */
static struct decoded_block *empty_chunk(struct worker *w)
{
	struct parallel *p = w->parallel;
	struct decoded_block *c = NULL;
	pthread_mutex_lock(&p->mutex);
	while (!p->stop && c == NULL) {
		c = w->free;
		if (c != NULL) {
			w->free = c->next;
		} else if (w->made < chunks_max(p) && (c = decoded_block_new()) != NULL) {
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
		decoded_block_clear(c);
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

struct decoded_block *parallel_next_block(struct parallel *p, uint64_t part, struct worker **from)
{
	struct decoded_block *c = NULL;
	pthread_mutex_lock(&p->mutex);
	while (c == NULL) {
		for (size_t i = 0; i < p->worker_count && c == NULL; i++) {
			struct worker *w = &p->workers[i];
			if (w->head == NULL || w->head->part != part)
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

/* Segments */

/* Determines the next segment. Returns false if none is left or the source cannot be read. */
static bool plan(struct parallel *p, struct segment *part)
{
	struct seek_point entry = {0};
	pthread_mutex_lock(&p->planning);
	const bool any = !p->all_planned;
	if (any) {
		*part = p->planned;
		part->has_end = seek_points_next(p->frames, part->at + p->part_size, p->source.size,
						 &entry) == 1;
		part->end = part->has_end ? entry.at : p->source.size;
		part->end_sync = entry.sync;
		p->all_planned = !part->has_end;
		p->planned = (struct segment){
		    .number = part->number + 1, .at = entry.at, .record = entry.sync.record};
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

/* Returns a reader for a segment that has read the segment's %sync; NULL on failure. */
static struct iot_reader *open_part(struct parallel *p, const struct segment *part,
				    struct bytes *bytes)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	if (r == NULL)
		return NULL;
	r->verify = p->verify;
	r->verified = p->verified;
	r->held_max = p->held_max;
	r->sync = p->sync;
	r->window_max = p->window_max;
	r->memory_max = p->memory_max;
	r->read_size = p->read_size < PART_READ_SIZE ? p->read_size : PART_READ_SIZE;
	r->tick_ns = p->tick_ns;
	r->base = p->base;
	if (iot_reader_open_callback(r, read_bytes, bytes, "part") != IOT_OK ||
	    reader_make_codec(r) != IOT_OK)
		goto failed;
	if (r->lookahead != NULL && part->has_end)
		r->lookahead->part_end = &part->end_sync;
	if (part->number == 0)
		return r;
	codec_set_missing(r->codec, p->lacks);
	if (!reader_more(r, &b) || !reader_step(r, &b) || r->intervals != 1 ||
	    r->index != part->record)
		goto failed;
	return r;
failed:
	iot_reader_free(r);
	return NULL;
}

struct segment_progress {
	struct iot_reader *reader;
	struct worker *worker;
	const struct segment *part;
	uint64_t lines, text_bytes;
};

static void note_progress(struct segment_progress *s)
{
	const struct iot_reader *r = s->reader;
	s->lines = r->lines;
	s->text_bytes = r->text_bytes + (r->block != NULL ? (uint64_t)(r->cur - r->block) : 0);
}

/*
 * Returns whether the end of the input is valid: the trace ends properly, or the %sync after the
 * segment matches. No other code compares that %sync with the segment.
 */
static bool ends_well(const struct segment_progress *s)
{
	struct iot_reader *r = s->reader;
	if (r->cut || r->error.status != IOT_OK || bufreader_status(r->bufreader) != IOT_OK)
		return false;
	if (s->part->has_end)
		return !r->ended && reader_sync_holds(r, &s->part->end_sync);
	return r->ended || !r->framed;
}

static bool is_odd(const struct iot_reader *r)
{
	/*
	 * lacks= in the trace's head applies to all segments; a later one would not be known to
	 * them
	 */
	return r->error.status != IOT_OK || r->skipping || r->muted || r->lacks_late;
}

static void fill(struct segment_progress *s, struct decoded_block *c)
{
	struct iot_reader *r = s->reader;
	struct event_batch b = {
	    .records = c->records, .stride = sizeof(c->records[0]), .max = BLOCK_RECORDS};
	r->chunk = c;
	while (b.n < b.max && c->other_count < BLOCK_DIRECTIVES && c->text_used < BLOCK_TEXT &&
	       !c->last && !c->odd) {
		if (r->cur == r->end && reader_next_block(r) != 1) {
			c->last = ends_well(s);
			c->odd = !c->last;
			break;
		}
		const struct reader_place before = reader_place(r);
		const size_t had = b.n;
		r->arena_used = 0;
		reader_step(r, &b);
		c->odd = is_odd(r) || c->failed || (b.n == had && !reader_moved(r, before));
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
	reader_place_untimed(b);
	for (size_t i = 0; i < b->n; i++)
		if (ev[i].kind == IOT_RECORD)
			c->counted.cpu_bits |= magnitude(ev[i].rec.cpu_ns);
	if (b->n > 0 &&
	    (reported_to_stop(p) || p->fold->events(c->counted.part, ev, b->n) != IOT_OK))
		c->failed = true;
	b->n = 0;
	s->reader->arena_used = 0;
}

/* As fill, but accumulates the whole segment. */
static void fill_counted(struct segment_progress *s, struct decoded_block *c)
{
	struct iot_reader *r = s->reader;
	struct iot_event *ev = s->worker->events;
	struct event_batch b = {
	    .events = ev, .records = &ev->rec, .stride = sizeof(*ev), .max = FOLD_EVENTS};
	const uint64_t first = r->index;
	r->chunk = c;
	while (!c->last && !c->odd) {
		if (r->cur == r->end)
			count_batch(s, c, &b); /* texts are valid as long as the block */
		if (r->cur == r->end && reader_next_block(r) != 1) {
			c->last = ends_well(s);
			c->odd = !c->last;
			break;
		}
		const struct reader_place before = reader_place(r);
		const bool empty = b.n == 0;
		const bool full = !reader_step(r, &b) || b.n == b.max;
		const bool stuck = full && empty && b.n == 0 && !reader_moved(r, before);
		if (full)
			count_batch(s, c, &b);
		c->odd = is_odd(r) || c->failed || stuck;
	}
	count_batch(s, c, &b);
	c->odd |= c->failed;
	c->last &= !c->odd;
	c->count = r->index - first;
	c->counted.start_ns = reader_last_start_ns(r);
	note_progress(s);
}

static void fill_chunk(struct segment_progress *s, struct decoded_block *c)
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
		c->odd = true;
}

static void sum_up(struct segment_progress *s, struct decoded_block *c)
{
	struct iot_reader *r = s->reader;
	const uint64_t place = s->part->at + bufreader_position(r->bufreader);
	c->part = s->part->number;
	c->lines = s->lines;
	c->text_bytes = s->text_bytes;
	c->stored = place < s->part->end ? place : s->part->end;
	if (!c->last)
		return;
	c->stored = s->part->end;
	c->ended = r->ended;
	c->reported_comments = r->reported_comments;
	c->clock_count = codec_clocks(r->codec, NULL, 0);
	c->clocks = malloc((c->clock_count + 1) * sizeof(*c->clocks));
	c->odd = c->clocks == NULL;
	if (c->clocks != NULL)
		codec_clocks(r->codec, c->clocks, c->clock_count);
}

/* Returns false if asked to stop. */
static bool read_part(struct worker *w, const struct segment *part)
{
	struct bytes bytes = {&w->parallel->source, part->at, part->end};
	struct segment_progress s = {
	    .reader = open_part(w->parallel, part, &bytes), .worker = w, .part = part};
	bool over = false, stopped = false;
	while (!over && !stopped) {
		struct decoded_block *c = empty_chunk(w);
		stopped = c == NULL;
		if (stopped)
			break;
		if (s.reader != NULL) {
			fill_chunk(&s, c);
			sum_up(&s, c);
		} else {
			c->part = part->number;
			c->odd = true;
		}
		over = c->odd || c->last;
		hand_over(w, c);
	}
	iot_reader_free(s.reader);
	return !stopped;
}

static void *work(void *context)
{
	struct worker *w = context;
	struct segment part;
	while (plan(w->parallel, &part) && read_part(w, &part))
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
		w->free = decoded_block_new();
		w->made = 1;
		if (p->fold != NULL)
			w->events = malloc(FOLD_EVENTS * sizeof(*w->events));
		if (w->free == NULL || (p->fold != NULL && w->events == NULL) ||
		    !thread_start(&w->thread, work, w)) {
			decoded_block_free_all(w->free);
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
	return seek_points_next(p->frames, p->part_size, p->source.size, &entry) == 1;
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
	p->frames = seek_points_new(&p->source, packed, p->base, p->window_max);
	if (p->frames != NULL && pays(p))
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
		decoded_block_free_all(p->workers[i].head);
		decoded_block_free_all(p->workers[i].free);
	}
	seek_points_free(p->frames);
	pthread_cond_destroy(&p->full);
	pthread_cond_destroy(&p->empty);
	pthread_mutex_destroy(&p->planning);
	pthread_mutex_destroy(&p->mutex);
	free(p);
}
