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
	SEGMENT_SIZE = 1 << 20, /* minimum stored bytes of a segment */
	CLOCKS = 1024,          /* entries of the cache of recent processes */
	HEAD_MAX = 1 << 16,     /* maximum lines before the first record */
	READ_SIZE = 1 << 18,    /* maximum bytes that a worker reads at once */
};

/* The clock of a process at the beginning of the segment. */
struct recent_clock {
	uint64_t key; /* the process + 1; 0: unused */
	int64_t ns;
};

struct parallel_cursor {
	struct parallel *parallel;
	struct worker *from;
	struct decoded_block *block;    /* being delivered; or NULL */
	size_t next_record, next_other; /* in the block */
	int64_t cpu_max;                /* maximum of a clock in nanoseconds */
	uint64_t cpu_reach;             /* upper bound of all clocks, if segments are accumulated */
	struct recent_clock clocks[CLOCKS];

	/* The segment being delivered: */
	uint64_t segment, at;
	uint64_t lines, text_bytes; /* before the segment */
	uint64_t records;           /* delivered from the segment */
	/* line in the segment of the last event after these records; or 0 */
	uint64_t line;
	uint64_t place;
};

void reader_end_parallel(struct iot_reader *r)
{
	struct parallel_cursor *c = r->cursor;
	if (c == NULL)
		return;
	if (c->block != NULL)
		parallel_give_back(c->from, c->block);
	parallel_stop(c->parallel);
	free(c);
	r->cursor = NULL;
}

uint64_t reader_parallel_offset(const struct iot_reader *r)
{
	return r->cursor->place;
}

/* Starting parallel reading */

/* The bufreader counts bytes that are read twice, and not those that the threads read. */
static void correct_stored(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	r->extra_stored = bufreader_position(d->bufreader) - bufreader_stored(d->bufreader);
}

/* Restarts at the beginning of the input. */
static bool begin_again(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	if (error_in_input(d->error.status))
		error_clear(&d->error); /* it will occur again at its position */
	if (d->error.status != IOT_OK || decoder_begin_at(d, 0) != IOT_OK)
		return false;
	d->lines = d->text_bytes = d->records = d->comments = 0;
	d->sync.lost = d->sync.lost_records = 0;
	correct_stored(r);
	return decoder_forget_definitions(d, false) == IOT_OK;
}

static struct parallel *start(struct iot_reader *r, const struct stored_input *source,
			      const struct iot_fold *fold)
{
	struct decoder *d = &r->decoder;
	const uint64_t read_size =
	    r->settings.read_size != 0 ? r->settings.read_size : SEGMENT_SIZE;
	const struct parallel how = {
	    .source = *source,
	    .segment_size = read_size < SEGMENT_SIZE ? read_size : SEGMENT_SIZE,
	    .settings = {.verify = r->settings.verify,
			 .verified = r->settings.verified,
			 .held_max = r->settings.held_max,
			 .window_max = r->settings.window_max,
			 .memory_max = r->settings.memory_max,
			 .read_size = read_size < READ_SIZE ? read_size : READ_SIZE,
			 .tick_ns = codec_tick(d->codec),
			 .base = codec_base(d->codec)},
	    .lacks = codec_missing(d->codec),
	    .interval_records = d->sync.interval_records,
	    .version = d->version,
	    .fold = fold,
	};
	/* a trace that begins with a %sync is already past its first seek point */
	if (!d->framed || d->sync.intervals > 0 || d->lines >= HEAD_MAX ||
	    d->error.status != IOT_OK || decoder_is_done(d))
		return NULL;
	return parallel_start(&how, bufreader_compression(d->bufreader),
			      (size_t)r->settings.threads);
}

bool reader_go_parallel(struct iot_reader *r, const struct iot_fold *fold)
{
	struct decoder *d = &r->decoder;
	struct stored_input source;
	r->parallel_tried = true;
	if (d->bufreader == NULL || d->codec != NULL ||
	    !bufreader_stored_input(d->bufreader, &source))
		return false;
	if (d->lookahead != NULL)
		d->lookahead->mode =
		    LOOKAHEAD_PASSING; /* until begin_again: nothing of this is delivered */
	decoder_read_head(d, true, HEAD_MAX);
	/* without a codec (out of memory) the serial path reports the error */
	struct parallel *parallel = d->codec != NULL ? start(r, &source, fold) : NULL;
	const bool fine = begin_again(r);
	if (fine && parallel != NULL)
		r->cursor = calloc(1, sizeof(*r->cursor));
	if (r->cursor == NULL) {
		parallel_stop(parallel);
		return false;
	}
	bufreader_idle(d->bufreader);
	const int64_t tick_ns = (int64_t)codec_tick(d->codec);
	r->cursor->parallel = parallel;
	r->cursor->cpu_max = INT64_MAX / tick_ns * tick_ns;
	d->progress = TRACE_BODY;
	d->framed = true;
	return true;
}

/* Continuing serially */

/* Continues serially at the first event that has not been delivered. */
static void continue_serially(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	const struct parallel_cursor o = *r->cursor;
	const uint64_t records = d->records, comments = d->comments;
	reader_end_parallel(r);
	if (decoder_begin_at(d, o.at) != IOT_OK)
		return;
	if (o.segment == 0 && decoder_forget_definitions(d, false) != IOT_OK)
		return;
	d->lines = o.lines;
	d->text_bytes = o.text_bytes;
	correct_stored(r);
	decoder_read_over(d, o.records, o.line > 0 ? o.lines + o.line : 0);
	d->records = records;
	d->comments = comments;
}

/* Blocks */

static bool has_name(const struct iot_reader *r, const struct decoded_block *block)
{
	for (size_t i = 0; i < block->unnamed_count; i++)
		if (definitions_path(&r->decoder.names, &block->unnamed[i]) != NULL)
			return true;
	return false;
}

/*
 * Returns whether clocks stay in range, whatever their values at the beginning; for delivered
 * records each clock is checked instead.
 */
static bool clocks_fit(struct parallel_cursor *c, const struct decoded_block *block)
{
	return !__builtin_add_overflow(c->cpu_reach, block->counted.cpu_bits, &c->cpu_reach) &&
	       c->cpu_reach <= (uint64_t)c->cpu_max;
}

/* Returns false if this reader continues serially. */
static bool next_block(struct iot_reader *r)
{
	struct parallel_cursor *c = r->cursor;
	c->block = parallel_next_block(c->parallel, c->segment, &c->from);
	c->next_record = c->next_other = 0;
	if (c->block->needs_serial || has_name(r, c->block) || !clocks_fit(c, c->block)) {
		continue_serially(r);
		return false;
	}
	c->place = c->block->stored;
	return true;
}

static bool is_delivered(const struct parallel_cursor *c)
{
	return c->next_record == c->block->count && c->next_other == c->block->other_count;
}

static bool add_clocks(struct iot_reader *r, const struct decoded_block *block)
{
	struct decoder *d = &r->decoder;
	for (size_t i = 0; i < block->clock_count; i++) {
		const uint32_t process = block->clocks[i].process;
		const int64_t ticks = codec_clock(d->codec, process) + block->clocks[i].ticks;
		while (!codec_set_clock(d->codec, process, ticks))
			if (!decoder_grow_codec(d))
				return false;
	}
	return true;
}

static void end_trace(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	const uint64_t size = r->cursor->place;
	reader_end_parallel(r);
	r->extra_stored = size - bufreader_stored(d->bufreader);
	d->progress = TRACE_COMPLETE;
}

/*
 * Finishes a delivered block. Returns false at the end of the trace, or if this reader continues
 * serially.
 */
static bool finish_block(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	struct parallel_cursor *c = r->cursor;
	struct decoded_block *block = c->block;
	const bool last = block->last, ended = block->ended;
	if (ended && block->reported_comments != d->comments) {
		continue_serially(r);
		return false;
	}
	d->lines = c->lines + block->lines;
	d->text_bytes = c->text_bytes + block->text_bytes;
	if (last && !add_clocks(r, block))
		return false;
	c->block = NULL;
	parallel_give_back(c->from, block);
	if (!last)
		return true;
	memset(c->clocks, 0, sizeof(c->clocks));
	c->segment++;
	c->at = c->place;
	c->lines = d->lines;
	c->text_bytes = d->text_bytes;
	c->records = c->line = 0;
	if (ended)
		end_trace(r);
	return !ended;
}

/* Delivery */

static __attribute__((noinline)) int64_t look_clock_up(struct iot_reader *r, uint32_t process,
						       struct recent_clock *clock)
{
	struct decoder *d = &r->decoder;
	const int64_t tick_ns = (int64_t)codec_tick(d->codec);
	clock->key = (uint64_t)process + 1;
	clock->ns = codec_clock(d->codec, process) * tick_ns;
	return clock->ns;
}

/* Returns the number of records copied: fewer than n if a clock would leave its range. */
static size_t copy_records(struct iot_reader *r, struct event_batch *b,
			   const struct iot_record *from, size_t n)
{
	struct recent_clock *const clocks = r->cursor->clocks;
	const int64_t cpu_max = r->cursor->cpu_max;
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
	struct decoder *d = &r->decoder;
	struct parallel_cursor *c = r->cursor;
	const struct iot_record *from = c->block->records + c->next_record;
	size_t n = until - c->next_record;
	if (n > b->max - b->n)
		n = b->max - b->n;
	const size_t done = copy_records(r, b, from, n);
	for (size_t i = b->n; b->events != NULL && i < b->n + done; i++) {
		b->events[i].text = (struct iot_text){NULL, 0};
		b->events[i].kind = IOT_RECORD;
		b->events[i].has = 0;
	}
	b->n += done;
	d->records += done;
	d->index += done;
	c->next_record += done;
	c->records += done;
	if (done > 0) {
		const int64_t tick_ns = (int64_t)codec_tick(d->codec);
		codec_set_start(d->codec, from[done - 1].start_ns / tick_ns);
		c->line = 0;
	}
	if (done < n)
		continue_serially(r);
	return done == n;
}

static bool deliver_other(struct iot_reader *r, struct event_batch *b)
{
	struct decoder *d = &r->decoder;
	struct parallel_cursor *c = r->cursor;
	const struct other_event *other = &c->block->others[c->next_other++];
	struct iot_event ev = other->ev;
	struct definition *name;
	ev.text.data = c->block->text + other->text_at;
	const int status = definitions_add(&d->names, &ev, &name);
	if (status < 0)
		return decoder_fail_memory(d, status);
	c->line = other->line;
	if (status == 1)
		return true;
	d->comments++;
	if (b->events != NULL)
		batch_add(b, &ev);
	return true;
}

/* Returns false if the batch ends here, or if this reader continues serially. */
static bool deliver(struct iot_reader *r, struct event_batch *b)
{
	struct parallel_cursor *c = r->cursor;
	const struct decoded_block *block = c->block;
	if (c->next_other < block->other_count &&
	    block->others[c->next_other].place == c->next_record)
		return deliver_other(r, b);
	return deliver_records(
	    r, b,
	    c->next_other < block->other_count ? block->others[c->next_other].place : block->count);
}

ssize_t reader_parallel_pull(struct iot_reader *r, struct event_batch *b)
{
	const bool events = b->events != NULL;
	while (b->n < b->max && r->cursor != NULL) {
		struct parallel_cursor *c = r->cursor;
		if (c->block == NULL && !next_block(r))
			break;
		if (!is_delivered(c)) {
			if (!deliver(r, b))
				break;
		} else if ((events && b->n > 0) || !finish_block(r)) {
			break; /* texts are valid until the next call */
		}
	}
	batch_place_untimed(b);
	return b->n > 0 ? (ssize_t)b->n : r->decoder.error.status;
}

/* Accumulation */

int reader_fold_parallel(struct iot_reader *r, const struct iot_fold *fold)
{
	struct decoder *d = &r->decoder;
	struct parallel_cursor *c = r->cursor;
	struct event_batch nothing = {0};
	if (!next_block(r))
		return d->error.status;
	struct decoded_block *block = c->block;
	while (c->next_other < block->other_count)
		if (!deliver_other(r, &nothing))
			return d->error.status;
	const struct counted_segment *counted = &block->counted;
	d->comments += counted->others - block->other_count;
	d->records += block->count;
	d->index += block->count;
	c->records = block->count;
	c->line = counted->other_at == d->index ? counted->other_line : 0;
	if (block->count > 0)
		codec_set_start(d->codec, counted->start_ns / (int64_t)codec_tick(d->codec));
	void *part = counted->part;
	block->counted.part = NULL;
	const int status = fold->join(fold->context, part);
	if (status == IOT_OK)
		finish_block(r);
	return status != IOT_OK ? status : d->error.status;
}
