/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits the input into blocks of whole lines, and fills batches with records from the codec, and
 * with comments one by one.
 *
 * A block is the available input up to its last LF. The texts of events point into it, so a call
 * never advances to the next block once it has events to deliver. If the last line lacks its LF, it
 * is copied and one is added. But in a trace that begins with %iotrace, such a line other than %end
 * is the rest of a longer one, and must not be decoded as a record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect_base.h"
#include "lookahead.h"
#include "lib/codec/codec.h"

enum {
	CODEC_PROCESSES = 64,
	LINE_SIZE_MAX = IOT_COMMENT_MAX + 64, /* maximum size of a line without LF to wait for */
	READ_SIZE_VERIFIED = 1 << 18,         /* the cache holds it until it is hashed */
	AHEAD_VERIFIED = 1 << 24, /* decompression continues while an interval is decoded */
	HELD_SLACK = 1 << 26,     /* maximum bytes that a bufreader reads at once */
};

bool decoder_init(struct decoder *d, const struct reader_settings *settings)
{
	*d = (struct decoder){.settings = settings, .sync.hash = XXH3_createState()};
	if (d->sync.hash == NULL)
		return false;
	XXH3_64bits_reset(d->sync.hash);
	return true;
}

void decoder_free(struct decoder *d)
{
	lookahead_free(d->lookahead);
	bufreader_free(d->bufreader);
	definitions_free(&d->names);
	directive_codec_free(d->directives);
	XXH3_freeState(d->sync.hash);
	free(d->muted.codec);
	free(d->codec);
	free(d->arena.text);
	free(d->block.tail);
}

int decoder_prepare(struct decoder *d, const char *name)
{
	const struct reader_settings *s = d->settings;
	const bool verified = s->verified && s->verify;
	const struct bufreader_options options = {
	    .read_size = verified && s->read_size == 0 ? READ_SIZE_VERIFIED : s->read_size,
	    .buffer_max = verified ? (size_t)s->held_max + HELD_SLACK : 0,
	    .ahead_size = verified ? AHEAD_VERIFIED : 0,
	    .window_max = s->window_max,
	    .prefetch = s->read_ahead};
	definitions_init(&d->names, s->memory_max, false, s->names);
	if (verified && (d->lookahead = lookahead_new(s->held_max)) == NULL)
		return error_no_memory(&d->error);
	d->bufreader = bufreader_new(name, &options);
	if (d->bufreader == NULL)
		return error_no_memory(&d->error);
	d->name = bufreader_name(d->bufreader);
	return IOT_OK;
}

static void warn(struct decoder *d, const char *sentence)
{
	char text[512];
	d->warnings++;
	if (d->settings->warn == NULL)
		return;
	snprintf(text, sizeof(text), "%s: %s", d->name, sentence);
	d->settings->warn(d->settings->warn_context, text);
}

int decoder_make_codec(struct decoder *d)
{
	bool tie = false;
	unsigned base =
	    d->settings->base != 0 ? (unsigned)d->settings->base : base_find(d->bufreader, &tie);
	d->codec_size = iot_codec_size(CODEC_PROCESSES);
	if (!definitions_reserve(&d->names, d->codec_size))
		return IOT_ELIMIT;
	void *block = malloc(d->codec_size);
	if (block == NULL)
		return IOT_ENOMEM;
	d->codec = iot_codec_init(block, d->codec_size, d->settings->tick_ns, base);
	if (tie)
		warn(d, "the records could be hexadecimal or decimal; taken for hexadecimal");
	return IOT_OK;
}

/* Blocks */

static void start_block(struct decoder *d, const char *p, size_t size, size_t shown)
{
	d->block.begin = d->block.cur = d->sync.hashed = p;
	d->block.end = size > 0 ? p + size : p; /* p may be NULL */
	d->block.shown = shown;
}

static void finish_block(struct decoder *d)
{
	if (d->block.begin == NULL)
		return;
	decoder_hash_up_to(d, d->block.end);
	d->text_bytes += d->block.shown;
	decoder_consume(d, d->block.shown);
	start_block(d, NULL, 0, 0);
}

/* Returns whether the line may be a truncated header. */
static bool begins_header(const struct text_line *l)
{
	static const char header[] = "%iotrace";
	const size_t n = l->text.size;
	if (l->kind != TEXT_LINE_COMMENT || n == 0)
		return false;
	return n < sizeof(header) - 1 ? memcmp(l->text.data, header, n) == 0
				      : directive_framing(l->text) == FRAMING_HEADER;
}

static bool is_whole_end(const struct text_line *l)
{
	struct end_directive e;
	return l->kind == TEXT_LINE_COMMENT && directive_framing(l->text) == FRAMING_END &&
	       framing_parse_end(l->text, &e) == NULL;
}

/* Returns whether a line without LF is truncated. */
static bool is_cut(const struct decoder *d, const struct text_line *l)
{
	if (d->progress == TRACE_ENDED || l->kind == TEXT_LINE_BLANK)
		return false;
	if (d->progress == TRACE_START && begins_header(l))
		return true;
	return d->framed && !is_whole_end(l);
}

/* Handles p[0 .. size), the rest of the input, which has no LF. */
static int last_line(struct decoder *d, const char *p, size_t size)
{
	if (size == 0 || d->sync.recovery == RECOVERY_LONG_LINE ||
	    bufreader_status(d->bufreader) != IOT_OK)
		return 0;
	const struct text_line l = text_line_classify(p, p + size);
	if (is_cut(d, &l)) {
		d->progress = TRACE_CUT;
		return 0;
	}
	d->block.tail = malloc(size + 1);
	if (d->block.tail == NULL)
		return error_set(&d->error, IOT_ENOMEM, "%s: out of memory", d->name);
	memcpy(d->block.tail, p, size);
	d->block.tail[size] = '\n';
	start_block(d, d->block.tail, size + 1, size);
	return 1;
}

static int too_long(struct decoder *d, size_t have)
{
	if (d->sync.recovery != RECOVERY_LONG_LINE &&
	    !decoder_broken(d, IOT_COMMENT_MAX + 1, "a line longer than 65536 bytes"))
		return d->error.status;
	d->sync.recovery = RECOVERY_LONG_LINE;
	d->text_bytes += have;
	decoder_consume(d, have);
	return IOT_OK;
}

int decoder_next_block(struct decoder *d)
{
	size_t want = 1, seen = 0, have;
	finish_block(d);
	for (;;) {
		const char *p = decoder_look(d, want, &have);
		if (d->error.status != IOT_OK)
			return d->error.status;
		const char *lf = have > seen ? memrchr(p + seen, '\n', have - seen) : NULL;
		if (lf != NULL) {
			start_block(d, p, (size_t)(lf + 1 - p), (size_t)(lf + 1 - p));
			break;
		}
		if (have < want)
			return last_line(d, p, have);
		seen = have;
		if (have > LINE_SIZE_MAX || d->sync.recovery == RECOVERY_LONG_LINE) {
			int status = too_long(d, have);
			if (status != IOT_OK)
				return status;
			seen = 0;
		}
		want = seen + 1;
	}
	if (d->sync.recovery == RECOVERY_LONG_LINE) {
		d->block.cur = (const char *)memchr(d->block.cur, '\n',
						    (size_t)(d->block.end - d->block.cur)) +
			       1;
		d->sync.recovery = RECOVERY_SKIPPING;
		d->lines++;
	}
	return 1;
}

/* Batches */

/*
 * Gives untimed events the start of the event that follows; at the end of a batch it is
 * already the start of the preceding record.
 */
void batch_place_untimed(struct event_batch *b)
{
	for (size_t i = b->untimed; i-- > 0;) {
		struct iot_event *ev = &b->events[i];
		if (i + 1 < b->n && ev->kind != IOT_RECORD && !(ev->has & IOT_HAS_TIME))
			ev->rec.start_ns = ev[1].rec.start_ns;
	}
	b->untimed = 0;
}

/* Comments and directives */

/* Returns 1; 0 if the batch must end first; or a negative status. */
static int parse_comment(struct decoder *d, struct iot_event *ev, const char **wrong)
{
	const uint64_t tick_ns = codec_tick(d->codec);
	for (;;) {
		char *out = d->arena.size > 0 ? d->arena.text + d->arena.used : NULL;
		int status = directive_codec_parse(d->directives, ev, tick_ns, out,
						   d->arena.size - d->arena.used, wrong);
		if (status != IOT_ELIMIT)
			return status == IOT_OK ? 1 : status;
		status = decoder_arena_reserve(
		    d, directive_codec_bound(d->directives, ev->text, tick_ns));
		if (status != 1)
			return status;
	}
}

static void report_codec(struct decoder *d, const struct iot_event *ev,
			 const struct definition *name)
{
	unsigned lacks;
	if (ev->kind == IOT_FILE && name != NULL)
		codec_update(d->codec, ev->rec.process, ev->rec.file, (ev->has & IOT_HAS_DISK) != 0,
			     name->object, name->flags);
	else if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks)) {
		codec_set_missing(d->codec, lacks);
		d->lacks_late |= d->index > 0;
	} else if (ev->kind == IOT_OP && directive_closes(ev))
		codec_update(d->codec, ev->rec.process, ev->rec.file, false, 0, 0);
}

/* Applies lacks= although it is not proven: at worst a known time counts as unknown. */
static void report_muted(struct decoder *d, const struct iot_event *ev)
{
	unsigned lacks;
	if (ev->kind != IOT_TRACE || !iot_directive_lacks(ev, &lacks))
		return;
	codec_set_missing(d->codec, lacks);
	codec_set_missing(d->muted.codec, lacks);
}

static bool take_comment(struct decoder *d, struct event_batch *b, const struct text_line *l)
{
	struct iot_event ev;
	struct definition *name;
	const char *wrong = NULL;
	ev.text = l->text;
	int status = parse_comment(d, &ev, &wrong);
	if (status == 0)
		return false;
	if (status == IOT_EFORMAT)
		return decoder_broken(d, l->column, wrong);
	if (status < 0)
		return decoder_fail_memory(d, status);
	d->progress = TRACE_BODY;
	if (decoder_is_muted(d)) {
		report_muted(d, &ev);
		decoder_step_over(d, l);
		return true;
	}
	status = definitions_add(&d->names, &ev, &name);
	if (status < 0)
		return decoder_fail_memory(d, status);
	decoder_step_over(d, l);
	if (status == 1)
		return true;
	report_codec(d, &ev, name);
	d->comments++;
	decoder_deliver(d, b, &ev);
	return true;
}

/* Returns whether the line begins with the mark of a comment as a writer spells it. */
static bool is_comment(const struct decoder *d)
{
	return d->block.end - d->block.cur > 3 && memcmp(d->block.cur, "ff ", 3) == 0;
}

static bool take_other(struct decoder *d, struct event_batch *b)
{
	const struct text_line l = text_line_classify(d->block.cur, d->block.end);
	if (l.kind == TEXT_LINE_BLANK)
		return decoder_blank_line(d, &l);
	if (l.kind != TEXT_LINE_COMMENT)
		return decoder_broken(d, 1, "neither a record nor a comment");
	if (l.base != codec_base(d->codec))
		return decoder_broken(
		    d, 1,
		    l.base == 16 ? "a comment of a hexadecimal trace (ff) in a decimal one"
				 : "a comment of a decimal trace (255) in a hexadecimal one");
	if (l.size > IOT_COMMENT_MAX)
		return decoder_broken(d, IOT_COMMENT_MAX + 1,
				      "a comment line longer than 65536 bytes");
	switch (directive_framing(l.text)) {
	case FRAMING_HEADER:
		return decoder_header_line(d, &l);
	case FRAMING_SYNC:
		return decoder_sync_line(d, b, &l);
	case FRAMING_END:
		return decoder_end_line(d, b, &l);
	default:
		return take_comment(d, b, &l);
	}
}

/* Records */

static bool bad_record(struct decoder *d)
{
	unsigned column;
	const char *sentence = iot_codec_error(d->codec, &column);
	return decoder_broken(d, column, sentence);
}

/* Called with the first record of a file. */
static void look_up(void *context, struct iot_record *rec)
{
	struct decoder *d = context;
	const struct definition *name = definitions_path(&d->names, rec);
	if (name == NULL && d->output.undefined != NULL && !decoder_is_muted(d))
		d->output.undefined(d->output.context, rec);
	if (name == NULL)
		return;
	rec->object = name->object;
	rec->flags |= (uint8_t)name->flags;
	codec_set_object(d->codec, name->object, name->flags);
}

static struct iot_record *record_at(const struct event_batch *b, size_t i)
{
	return (struct iot_record *)((char *)b->records + i * b->stride);
}

static void count_records(struct decoder *d, struct event_batch *b, size_t n)
{
	d->index += n;
	d->lines += n;
	if (n > 0)
		d->progress = TRACE_BODY;
	if (decoder_is_muted(d))
		return;
	struct iot_event *ev = b->events != NULL ? b->events + b->n : NULL;
	for (size_t i = 0; ev != NULL && i < n; i++) {
		ev[i].text = (struct iot_text){NULL, 0};
		ev[i].kind = IOT_RECORD;
		ev[i].has = 0;
	}
	b->n += n;
	d->records += n;
}

/* Processes a run of records, or a line that is neither a record nor spelled as a writer does. */
static bool take_records(struct decoder *d, struct event_batch *b)
{
	const struct first_use_handler on_first_use = {look_up, d};
	enum decode_stop why;
	size_t n = codec_decode_lines(d->codec, &d->block.cur, d->block.end, record_at(b, b->n),
				      b->max - b->n, b->stride, &on_first_use, &why);
	count_records(d, b, n);
	switch (why) {
	case DECODE_STOP_OTHER:
		return take_other(d, b);
	case DECODE_STOP_LIMIT:
		return decoder_grow_codec(d);
	case DECODE_STOP_ERROR:
		return bad_record(d);
	default:
		return true;
	}
}

bool decoder_step(struct decoder *d, struct event_batch *b)
{
	if (d->lookahead != NULL && d->lookahead->resumption == RESUME_PROVEN)
		return decoder_resume(d, b);
	if (decoder_is_skipping(d))
		return decoder_skip_line(d, b);
	if (d->progress == TRACE_ENDED)
		return decoder_after_end(d);
	if (is_comment(d)) /* usually another one follows */
		return take_other(d, b);
	return take_records(d, b);
}

static ssize_t deliver_batch(struct decoder *d, struct event_batch *b)
{
	if (d->block.begin != NULL)
		decoder_hash_up_to(d, d->block.cur);
	batch_place_untimed(b);
	return b->n > 0 ? (ssize_t)b->n : d->error.status;
}

bool decoder_more(struct decoder *d, struct event_batch *b)
{
	while (d->block.cur == d->block.end && d->error.status == IOT_OK && !decoder_is_done(d)) {
		int got = decoder_next_block(d);
		if (got == 0 && !decoder_resync(d))
			decoder_at_end(d, b);
	}
	return d->error.status == IOT_OK && !decoder_is_done(d);
}

ssize_t decoder_pull(struct decoder *d, struct event_batch *b)
{
	if (d->codec == NULL) {
		int status = decoder_make_codec(d);
		if (status != IOT_OK) {
			decoder_fail_memory(d, status);
			return status;
		}
	}
	d->arena.used = 0;
	while (b->n < b->max) {
		if (d->block.cur != d->block.end) {
			const struct decoder_snapshot before = decoder_snapshot(d);
			if (decoder_step(d, b))
				continue;
			if (b->n == 0 && !decoder_moved(d, before))
				decoder_stuck(d);
			break;
		}
		if (b->n > 0)
			break;
		if (!decoder_more(d, b))
			break;
	}
	return deliver_batch(d, b);
}
