/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills a batch with records from the codec, and with comments one by one.
 *
 * The texts of events point into the block, so a call never advances to the next block once it has
 * events to deliver.
 */
#include <stdlib.h>

#include "detect_base.h"
#include "lookahead.h"
#include "parallel.h"
#include "lib/codec/codec.h"
#include "reader_internal.h"

enum {
	CODEC_PROCESSES = 64,
	ARENA_SIZE = 65536,
};

int reader_arena_reserve(struct iot_reader *r, size_t need, char **out)
{
	if (need > r->arena_size - r->arena_used) {
		if (r->arena_used > 0)
			return 0;
		size_t size = need > ARENA_SIZE ? need : ARENA_SIZE;
		char *bigger = realloc(r->arena, size);
		if (bigger == NULL)
			return IOT_ENOMEM;
		r->arena = bigger;
		r->arena_size = size;
	}
	*out = r->arena + r->arena_used;
	return 1;
}

int64_t reader_last_start_ns(const struct iot_reader *r)
{
	return codec_start(r->codec) * (int64_t)codec_tick(r->codec);
}

void reader_deliver(struct iot_reader *r, struct event_batch *b, const struct iot_event *ev)
{
	if (r->chunk != NULL)
		decoded_block_add_directive(r->chunk, r, ev, b->n);
	if (b->events == NULL)
		return;
	if (r->arena != NULL && ev->text.data == r->arena + r->arena_used)
		r->arena_used += ev->text.size;
	b->events[b->n] = *ev;
	if (!(ev->has & IOT_HAS_TIME))
		b->events[b->n].rec.start_ns = reader_last_start_ns(r);
	b->n++;
}

/*
 * Sets the start of untimed events to that of the event that follows; at the end of a batch it is
 * already the start of the preceding record.
 */
void reader_place_untimed(struct event_batch *b)
{
	if (b->events == NULL)
		return;
	for (size_t i = b->n; i-- > 1;) {
		struct iot_event *ev = &b->events[i - 1];
		if (ev->kind != IOT_RECORD && !(ev->has & IOT_HAS_TIME))
			ev->rec.start_ns = ev[1].rec.start_ns;
	}
}

/* Comments and directives */

/*
 * Converts the times in the text to nanoseconds. Returns 1; 0 if the batch must end first; or a
 * negative status.
 */
static int text_in_ns(struct iot_reader *r, struct iot_text *text)
{
	const uint64_t tick_ns = codec_tick(r->codec);
	char *out;
	if (tick_ns == 1 || text->size == 0 || text->data[0] != '%')
		return 1;
	int status = reader_arena_reserve(r, RETIMED_MAX(text->size), &out);
	if (status != 1)
		return status;
	return directive_to_ns(text, tick_ns, out) == IOT_OK ? 1 : IOT_EFORMAT;
}

static void report_codec(struct iot_reader *r, const struct iot_event *ev,
			 const struct definition *name)
{
	unsigned lacks;
	if (ev->kind == IOT_FILE && name != NULL)
		codec_update(r->codec, name->process, name->file, name->kind == DEFINITION_DISK,
			     name->object, name->flags);
	else if (ev->kind == IOT_TRACE && directive_lacks(ev, &lacks)) {
		codec_set_missing(r->codec, lacks);
		r->lacks_late |= r->index > 0;
	} else if (ev->kind == IOT_OP && directive_closes(ev))
		codec_update(r->codec, ev->rec.process, ev->rec.file, false, 0, 0);
}

/* Applies lacks= although it is not proven: at worst a known time counts as unknown. */
static void report_muted(struct iot_reader *r, const struct iot_event *ev)
{
	unsigned lacks;
	if (ev->kind != IOT_TRACE || !directive_lacks(ev, &lacks))
		return;
	codec_set_missing(r->codec, lacks);
	codec_set_missing(r->lookahead->saved_codec, lacks);
}

static bool take_comment(struct iot_reader *r, struct event_batch *b, const struct text_line *l)
{
	struct iot_event ev = {.text = l->text};
	struct definition *name;
	const char *wrong;
	int status = text_in_ns(r, &ev.text);
	if (status == 0)
		return false;
	if (status == IOT_EFORMAT)
		return reader_broken(r, l->column, "a time leads beyond 2^63-1 nanoseconds");
	if (status < 0)
		return reader_fail_memory(r, status);
	if (iot_directive_parse(&ev, &wrong) != IOT_OK)
		return reader_broken(r, l->column, wrong);
	r->begun = true;
	if (r->muted) {
		report_muted(r, &ev);
		reader_step_over(r, l);
		return true;
	}
	status = definitions_add(&r->names, &ev, &name);
	if (status < 0)
		return reader_fail_memory(r, status);
	reader_step_over(r, l);
	if (status == 1)
		return true;
	report_codec(r, &ev, name);
	r->comments++;
	reader_deliver(r, b, &ev);
	return true;
}

static bool take_other(struct iot_reader *r, struct event_batch *b)
{
	const struct text_line l = text_line_classify(r->cur, r->end);
	if (l.kind == TEXT_LINE_BLANK)
		return reader_blank_line(r, &l);
	if (l.kind != TEXT_LINE_COMMENT)
		return reader_broken(r, 1, "neither a record nor a comment");
	if (l.base != codec_base(r->codec))
		return reader_broken(
		    r, 1,
		    l.base == 16 ? "a comment of a hexadecimal trace (ff) in a decimal one"
				 : "a comment of a decimal trace (255) in a hexadecimal one");
	if (l.size > IOT_COMMENT_MAX)
		return reader_broken(r, IOT_COMMENT_MAX + 1,
				     "a comment line longer than 65536 bytes");
	switch (directive_framing(l.text)) {
	case FRAMING_HEADER:
		return reader_header_line(r, &l);
	case FRAMING_SYNC:
		return reader_sync_line(r, b, &l);
	case FRAMING_END:
		return reader_end_line(r, b, &l);
	default:
		return take_comment(r, b, &l);
	}
}

/* Records */

static bool bad_record(struct iot_reader *r)
{
	unsigned column;
	const char *sentence = iot_codec_error(r->codec, &column);
	return reader_broken(r, column, sentence);
}

int reader_make_codec(struct iot_reader *r)
{
	bool tie = false;
	unsigned base = r->base != 0 ? (unsigned)r->base : base_find(r->bufreader, &tie);
	r->codec_size = iot_codec_size(CODEC_PROCESSES);
	if (!definitions_reserve(&r->names, r->codec_size))
		return IOT_ELIMIT;
	void *block = malloc(r->codec_size);
	if (block == NULL)
		return IOT_ENOMEM;
	r->codec = iot_codec_init(block, r->codec_size, r->tick_ns, base);
	if (tie)
		reader_warn(r,
			    "the records could be hexadecimal or decimal; taken for hexadecimal");
	return IOT_OK;
}

bool reader_grow_codec(struct iot_reader *r)
{
	const int status = definitions_grow_codec(&r->names, &r->codec, &r->codec_size);
	return status == IOT_OK || reader_fail_memory(r, status);
}

/* Called with the first record of a file. */
static void look_up(void *context, struct iot_record *rec)
{
	struct iot_reader *r = context;
	const struct definition *name = definitions_path(&r->names, rec);
	if (name == NULL && r->chunk != NULL && !r->muted)
		decoded_block_add_undefined(r->chunk, rec);
	if (name == NULL)
		return;
	rec->object = name->object;
	rec->flags |= (uint8_t)name->flags;
	codec_set_object(r->codec, name->object, name->flags);
}

static struct iot_record *record_at(const struct event_batch *b, size_t i)
{
	return (struct iot_record *)((char *)b->records + i * b->stride);
}

static void count_records(struct iot_reader *r, struct event_batch *b, size_t n)
{
	r->index += n;
	r->lines += n;
	r->begun |= n > 0;
	if (r->muted)
		return;
	for (size_t i = b->n; b->events != NULL && i < b->n + n; i++) {
		b->events[i].text = (struct iot_text){NULL, 0};
		b->events[i].kind = IOT_RECORD;
		b->events[i].has = 0;
	}
	b->n += n;
	r->records += n;
}

/* Processes one run of records, or one other line. Returns false if the batch ends here. */
bool reader_step(struct iot_reader *r, struct event_batch *b)
{
	const struct first_use_handler on_first_use = {look_up, r};
	enum decode_stop why;
	if (r->lookahead != NULL && r->lookahead->resumes)
		return reader_resume(r, b);
	if (r->skipping)
		return reader_skip_line(r, b);
	if (r->ended)
		return reader_after_end(r);
	size_t n = codec_decode_lines(r->codec, &r->cur, r->end, record_at(b, b->n), b->max - b->n,
				      b->stride, &on_first_use, &why);
	count_records(r, b, n);
	switch (why) {
	case DECODE_STOP_OTHER:
		return take_other(r, b);
	case DECODE_STOP_LIMIT:
		return reader_grow_codec(r);
	case DECODE_STOP_ERROR:
		return bad_record(r);
	default:
		return true;
	}
}

bool reader_stuck(struct iot_reader *r)
{
	return reader_fail(r, IOT_ELIMIT, 1, "this line needs more memory than the reader has");
}

/* Batches */

static ssize_t deliver_batch(struct iot_reader *r, struct event_batch *b)
{
	if (r->block != NULL)
		reader_hash_up_to(r, r->cur);
	reader_place_untimed(b);
	return b->n > 0 ? (ssize_t)b->n : r->error.status;
}

bool reader_more(struct iot_reader *r, struct event_batch *b)
{
	while (r->cur == r->end && r->error.status == IOT_OK && !r->done) {
		int got = reader_next_block(r);
		if (got == 0 && !reader_resync(r))
			reader_at_end(r, b);
	}
	return r->error.status == IOT_OK && !r->done;
}

static ssize_t pull(struct iot_reader *r, struct event_batch *b)
{
	if (r->error.status != IOT_OK || r->done)
		return r->error.status;
	if (r->ordered != NULL)
		return reader_parallel_pull(r, b);
	if (r->bufreader == NULL || b->max == 0)
		return reader_refuse(r, b->max == 0 ? "asked for no events"
						    : "the reader is not open");
	if (r->threads > 1 && !r->parallel_tried && reader_go_parallel(r, NULL))
		return reader_parallel_pull(r, b);
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->codec == NULL) {
		int status = reader_make_codec(r);
		if (status != IOT_OK) {
			reader_fail_memory(r, status);
			return status;
		}
	}
	r->arena_used = 0;
	while (b->n < b->max) {
		if (r->cur != r->end) {
			const struct reader_place before = reader_place(r);
			if (reader_step(r, b))
				continue;
			if (b->n == 0 && !reader_moved(r, before))
				reader_stuck(r);
			break;
		}
		if (b->n > 0)
			break;
		if (!reader_more(r, b))
			break;
	}
	return deliver_batch(r, b);
}

ssize_t iot_reader_events(struct iot_reader *r, struct iot_event *out, size_t max)
{
	struct event_batch b = {
	    .events = out, .records = &out->rec, .stride = sizeof(*out), .max = max};
	if (r->held.count > 0)
		b.n = reader_take_deferred(r, out, max);
	return b.n > 0 ? (ssize_t)b.n : pull(r, &b);
}

ssize_t iot_reader_records(struct iot_reader *r, struct iot_record *out, size_t max)
{
	struct event_batch b = {.records = out, .stride = sizeof(*out), .max = max};
	if (r->held.count > 0)
		reader_drop_deferred(r);
	return pull(r, &b);
}
