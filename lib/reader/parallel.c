/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivers the output of the threads in order: completes CPU clocks, makes definitions current, and
 * returns to serial reading where necessary. See parallel.h.
 */
#include "parallel.h"

#include <stdlib.h>
#include <string.h>

#include "lookahead.h"
#include "lib/codec/codec.h"

enum {
	PART_SIZE = 1 << 20, /* minimum stored bytes of a segment */
	CLOCKS = 1024,       /* entries of the cache of recent processes */
	HEAD_MAX = 1 << 16,  /* maximum lines before the first record */
};

/* The clock of a process at the beginning of the segment. */
struct recent_clock {
	uint64_t key; /* the process + 1; 0: unused */
	int64_t ns;
};

struct parallel_cursor {
	struct parallel *parallel;
	struct worker *from;
	struct decoded_block *chunk;    /* being delivered; or NULL */
	size_t next_record, next_other; /* in the block */
	int64_t cpu_max;                /* maximum of a clock in nanoseconds */
	uint64_t cpu_reach;             /* upper bound of all clocks, if segments are accumulated */
	struct recent_clock clocks[CLOCKS];

	/* The segment being delivered: */
	uint64_t part, at;
	uint64_t lines, text_bytes; /* before the segment */
	uint64_t records;           /* delivered from the segment */
	/* line in the segment of the last event after these records; or 0 */
	uint64_t line;
	uint64_t place;
};

void reader_end_parallel(struct iot_reader *r)
{
	struct parallel_cursor *o = r->ordered;
	if (o == NULL)
		return;
	if (o->chunk != NULL)
		parallel_give_back(o->from, o->chunk);
	parallel_stop(o->parallel);
	free(o);
	r->ordered = NULL;
}

uint64_t reader_parallel_offset(const struct iot_reader *r)
{
	return r->ordered->place;
}

/* Starting parallel reading */

/* The bufreader counts bytes that are read twice, and not those that the threads read. */
static void correct_stored(struct iot_reader *r)
{
	r->extra_stored = bufreader_position(r->bufreader) - bufreader_stored(r->bufreader);
}

/* Restarts at the beginning of the input. */
static bool begin_again(struct iot_reader *r)
{
	if (error_in_input(r->error.status))
		error_clear(&r->error); /* it will occur again at its position */
	if (r->error.status != IOT_OK || reader_begin_at(r, 0) != IOT_OK)
		return false;
	r->lines = r->text_bytes = r->records = r->comments = 0;
	r->lost = r->lost_records = 0;
	correct_stored(r);
	return reader_forget_definitions(r, false) == IOT_OK;
}

static struct parallel *start(struct iot_reader *r, const struct stored_input *source,
			      const struct iot_fold *fold)
{
	const uint64_t read_size = r->read_size != 0 ? r->read_size : PART_SIZE;
	const struct parallel how = {
	    .source = *source,
	    .part_size = read_size < PART_SIZE ? read_size : PART_SIZE,
	    .read_size = read_size,
	    .window_max = r->window_max != 0 ? r->window_max : (uint64_t)1 << 27,
	    .memory_max = r->memory_max,
	    .tick_ns = codec_tick(r->codec),
	    .base = codec_base(r->codec),
	    .lacks = codec_missing(r->codec),
	    .verify = r->verify,
	    .verified = r->verified,
	    .held_max = r->held_max,
	    .sync = r->sync,
	    .fold = fold,
	};
	/* a trace that begins with a %sync is already past its first seek point */
	if (!r->framed || r->intervals > 0 || r->lines >= HEAD_MAX || r->error.status != IOT_OK ||
	    r->done)
		return NULL;
	return parallel_start(&how, bufreader_compression(r->bufreader), (size_t)r->threads);
}

bool reader_go_parallel(struct iot_reader *r, const struct iot_fold *fold)
{
	struct stored_input source;
	r->parallel_tried = true;
	if (r->bufreader == NULL || r->codec != NULL ||
	    !bufreader_stored_input(r->bufreader, &source))
		return false;
	if (r->lookahead != NULL)
		r->lookahead->passing = true; /* until begin_again: nothing of this is delivered */
	reader_read_head(r, true, HEAD_MAX);
	/* without a codec (out of memory) the serial path reports the error */
	struct parallel *parallel = r->codec != NULL ? start(r, &source, fold) : NULL;
	const bool fine = begin_again(r);
	if (fine && parallel != NULL)
		r->ordered = calloc(1, sizeof(*r->ordered));
	if (r->ordered == NULL) {
		parallel_stop(parallel);
		return false;
	}
	bufreader_idle(r->bufreader);
	const int64_t tick_ns = (int64_t)codec_tick(r->codec);
	r->ordered->parallel = parallel;
	r->ordered->cpu_max = INT64_MAX / tick_ns * tick_ns;
	r->begun = r->framed = true;
	return true;
}

/* Continuing serially */

/* Continues serially at the first event that has not been delivered. */
static void go_on_alone(struct iot_reader *r)
{
	const struct parallel_cursor o = *r->ordered;
	const uint64_t records = r->records, comments = r->comments;
	reader_end_parallel(r);
	if (reader_begin_at(r, o.at) != IOT_OK)
		return;
	if (o.part == 0 && reader_forget_definitions(r, false) != IOT_OK)
		return;
	r->lines = o.lines;
	r->text_bytes = o.text_bytes;
	correct_stored(r);
	reader_read_over(r, o.records, o.line > 0 ? o.lines + o.line : 0);
	r->records = records;
	r->comments = comments;
}

/* Blocks */

static bool has_name(const struct iot_reader *r, const struct decoded_block *c)
{
	for (size_t i = 0; i < c->unnamed_count; i++)
		if (definitions_path(&r->names, &c->unnamed[i]) != NULL)
			return true;
	return false;
}

/*
 * Returns whether clocks stay in range, whatever their values at the beginning; for delivered
 * records each clock is checked instead.
 */
static bool clocks_fit(struct parallel_cursor *o, const struct decoded_block *c)
{
	return !__builtin_add_overflow(o->cpu_reach, c->counted.cpu_bits, &o->cpu_reach) &&
	       o->cpu_reach <= (uint64_t)o->cpu_max;
}

/* Returns false if this reader continues serially. */
static bool next_chunk(struct iot_reader *r)
{
	struct parallel_cursor *o = r->ordered;
	o->chunk = parallel_next_block(o->parallel, o->part, &o->from);
	o->next_record = o->next_other = 0;
	if (o->chunk->odd || has_name(r, o->chunk) || !clocks_fit(o, o->chunk)) {
		go_on_alone(r);
		return false;
	}
	o->place = o->chunk->stored;
	return true;
}

static bool is_delivered(const struct parallel_cursor *o)
{
	return o->next_record == o->chunk->count && o->next_other == o->chunk->other_count;
}

static bool add_clocks(struct iot_reader *r, const struct decoded_block *c)
{
	for (size_t i = 0; i < c->clock_count; i++) {
		const uint32_t process = c->clocks[i].process;
		const int64_t ticks = codec_clock(r->codec, process) + c->clocks[i].ticks;
		while (!codec_set_clock(r->codec, process, ticks))
			if (!reader_grow_codec(r))
				return false;
	}
	return true;
}

static void end_trace(struct iot_reader *r)
{
	const uint64_t size = r->ordered->place;
	reader_end_parallel(r);
	r->extra_stored = size - bufreader_stored(r->bufreader);
	r->ended = r->done = true;
}

/*
 * Finishes a delivered block. Returns false at the end of the trace, or if this reader continues
 * serially.
 */
static bool finish_chunk(struct iot_reader *r)
{
	struct parallel_cursor *o = r->ordered;
	struct decoded_block *c = o->chunk;
	const bool last = c->last, ended = c->ended;
	if (ended && c->reported_comments != r->comments) {
		go_on_alone(r);
		return false;
	}
	r->lines = o->lines + c->lines;
	r->text_bytes = o->text_bytes + c->text_bytes;
	if (last && !add_clocks(r, c))
		return false;
	o->chunk = NULL;
	parallel_give_back(o->from, c);
	if (!last)
		return true;
	memset(o->clocks, 0, sizeof(o->clocks));
	o->part++;
	o->at = o->place;
	o->lines = r->lines;
	o->text_bytes = r->text_bytes;
	o->records = o->line = 0;
	if (ended)
		end_trace(r);
	return !ended;
}

/* Delivery */

static __attribute__((noinline)) int64_t look_clock_up(struct iot_reader *r, uint32_t process,
						       struct recent_clock *clock)
{
	const int64_t tick_ns = (int64_t)codec_tick(r->codec);
	clock->key = (uint64_t)process + 1;
	clock->ns = codec_clock(r->codec, process) * tick_ns;
	return clock->ns;
}

/* Returns the number of records copied: fewer than n if a clock would leave its range. */
static size_t copy_records(struct iot_reader *r, struct event_batch *b,
			   const struct iot_record *from, size_t n)
{
	struct recent_clock *const clocks = r->ordered->clocks;
	const int64_t cpu_max = r->ordered->cpu_max;
	char *to = (char *)b->records + b->n * b->stride;
	for (size_t i = 0; i < n; i++, to += b->stride) {
		const uint32_t process = from[i].process;
		struct recent_clock *clock = &clocks[process % CLOCKS];
		int64_t cpu_ns = clock->ns;
		if (clock->key != (uint64_t)process + 1)
			cpu_ns = look_clock_up(r, process, clock);
		if (__builtin_add_overflow(from[i].cpu_ns, cpu_ns, &cpu_ns) || cpu_ns > cpu_max ||
		    cpu_ns < -cpu_max)
			return i;
		struct iot_record *rec = (void *)to;
		*rec = from[i];
		rec->cpu_ns = cpu_ns;
	}
	return n;
}

/* Returns false if this reader continues serially. */
static bool deliver_records(struct iot_reader *r, struct event_batch *b, size_t until)
{
	struct parallel_cursor *o = r->ordered;
	const struct iot_record *from = o->chunk->records + o->next_record;
	size_t n = until - o->next_record;
	if (n > b->max - b->n)
		n = b->max - b->n;
	const size_t done = copy_records(r, b, from, n);
	for (size_t i = b->n; b->events != NULL && i < b->n + done; i++) {
		b->events[i].text = (struct iot_text){NULL, 0};
		b->events[i].kind = IOT_RECORD;
		b->events[i].has = 0;
	}
	b->n += done;
	r->records += done;
	r->index += done;
	o->next_record += done;
	o->records += done;
	if (done > 0) {
		const int64_t tick_ns = (int64_t)codec_tick(r->codec);
		codec_set_start(r->codec, from[done - 1].start_ns / tick_ns);
		o->line = 0;
	}
	if (done < n)
		go_on_alone(r);
	return done == n;
}

static bool deliver_other(struct iot_reader *r, struct event_batch *b)
{
	struct parallel_cursor *o = r->ordered;
	const struct other_event *other = &o->chunk->others[o->next_other++];
	struct iot_event ev = other->ev;
	struct definition *name;
	ev.text.data = o->chunk->text + other->text_at;
	const int status = definitions_add(&r->names, &ev, &name);
	if (status < 0)
		return reader_fail_memory(r, status);
	o->line = other->line;
	if (status == 1)
		return true;
	r->comments++;
	if (b->events != NULL)
		b->events[b->n++] = ev;
	return true;
}

/* Returns false if the batch ends here, or if this reader continues serially. */
static bool deliver(struct iot_reader *r, struct event_batch *b)
{
	struct parallel_cursor *o = r->ordered;
	const struct decoded_block *c = o->chunk;
	if (o->next_other < c->other_count && c->others[o->next_other].place == o->next_record)
		return deliver_other(r, b);
	return deliver_records(
	    r, b, o->next_other < c->other_count ? c->others[o->next_other].place : c->count);
}

ssize_t reader_parallel_pull(struct iot_reader *r, struct event_batch *b)
{
	const bool events = b->events != NULL;
	while (b->n < b->max && r->ordered != NULL) {
		struct parallel_cursor *o = r->ordered;
		if (o->chunk == NULL && !next_chunk(r))
			break;
		if (!is_delivered(o)) {
			if (!deliver(r, b))
				break;
		} else if ((events && b->n > 0) || !finish_chunk(r)) {
			break; /* texts are valid until the next call */
		}
	}
	reader_place_untimed(b);
	if (b->n > 0 || r->ordered != NULL || r->done || r->error.status != IOT_OK)
		return b->n > 0 ? (ssize_t)b->n : r->error.status;
	return events ? iot_reader_events(r, b->events, b->max)
		      : iot_reader_records(r, b->records, b->max);
}

/* Accumulation */

int reader_fold_parallel(struct iot_reader *r, const struct iot_fold *fold)
{
	struct parallel_cursor *o = r->ordered;
	struct event_batch nothing = {0};
	if (!next_chunk(r))
		return r->error.status;
	struct decoded_block *c = o->chunk;
	while (o->next_other < c->other_count)
		if (!deliver_other(r, &nothing))
			return r->error.status;
	const struct counted_segment *counted = &c->counted;
	r->comments += counted->others - c->other_count;
	r->records += c->count;
	r->index += c->count;
	o->records = c->count;
	o->line = counted->other_at == r->index ? counted->other_line : 0;
	if (c->count > 0)
		codec_set_start(r->codec, counted->start_ns / (int64_t)codec_tick(r->codec));
	void *part = counted->part;
	c->counted.part = NULL;
	const int status = fold->join(fold->context, part);
	if (status == IOT_OK)
		finish_chunk(r);
	return status != IOT_OK ? status : r->error.status;
}
