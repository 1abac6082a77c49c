/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeks to a record or time: starts at the last preceding %sync, or reads forward if the input
 * cannot be repositioned, and then skips to the target. For a time, an examination of a block's
 * lines counts the records before it, so that none is decoded beyond the target. Skipped events are
 * discarded, except current %process and %file and the comments directly before the target: these
 * are deferred to the next call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lookahead.h"
#include "lib/codec/codec.h"
#include "reader_internal.h"
#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/codec/record_line.h"
#include "seek_points.h"

enum {
	BATCH = 512,
	LOOK_MAX = 1 << 14, /* records to examine before they are decoded */
};

struct target {
	enum iot_seek what;
	uint64_t value; /* a record number, or ticks */
};

/* Deferred events */

void reader_drop_deferred(struct iot_reader *r)
{
	for (size_t i = r->deferred.borrowed; i < r->deferred.count; i++) {
		r->decoder.names.used -= r->deferred.events[i].text.size;
		free((char *)r->deferred.events[i].text.data);
	}
	free(r->deferred.events);
	r->deferred = (struct deferred_events){NULL, 0, 0, 0, 0};
}

size_t reader_take_deferred(struct iot_reader *r, struct iot_event *out, size_t max)
{
	struct deferred_events *d = &r->deferred;
	size_t n = d->count - d->next;
	if (n > max)
		n = max;
	if (n == 0)
		reader_drop_deferred(r); /* frees the texts returned by the previous call */
	else
		memcpy(out, d->events + d->next, n * sizeof(*out));
	d->next += n;
	return n;
}

static bool reserve_deferred(struct iot_reader *r)
{
	struct deferred_events *d = &r->deferred;
	return array_reserve(&d->events, &d->capacity, d->count + 1, sizeof(*d->events)) ||
	       decoder_fail_memory(&r->decoder, IOT_ENOMEM);
}

static bool defer(struct iot_reader *r, const struct iot_event *ev)
{
	struct decoder *d = &r->decoder;
	if (!reserve_deferred(r))
		return false;
	if (!definitions_reserve(&d->names, ev->text.size))
		return decoder_fail_memory(d, IOT_ELIMIT);
	char *text = malloc(ev->text.size + 1);
	if (text == NULL)
		return decoder_fail_memory(d, IOT_ENOMEM);
	memcpy(text, ev->text.data, ev->text.size);
	r->deferred.events[r->deferred.count] = *ev;
	r->deferred.events[r->deferred.count++].text.data = text;
	return true;
}

static bool is_name(const struct iot_event *ev)
{
	return ev->kind == IOT_PROCESS || ev->kind == IOT_FILE;
}

static int by_name(const void *a, const void *b)
{
	const struct iot_event *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->rec.process != y->rec.process)
		return x->rec.process < y->rec.process ? -1 : 1;
	if (x->rec.file != y->rec.file)
		return x->rec.file < y->rec.file ? -1 : 1;
	return (x->has & IOT_HAS_DISK) < (y->has & IOT_HAS_DISK)
		   ? -1
		   : (x->has & IOT_HAS_DISK) > (y->has & IOT_HAS_DISK);
}

static void defer_definition(struct iot_reader *r, const struct definition *name)
{
	struct iot_event ev = {.text = definitions_text(&r->decoder.names, name)};
	if (ev.text.data == NULL || iot_directive_parse(&ev, NULL) != IOT_OK ||
	    !reserve_deferred(r))
		return;
	ev.rec.start_ns = r->stream != NULL ? stream_events_last_start_ns(r->stream)
					    : decoder_last_start_ns(&r->decoder);
	ev.has |= IOT_IN_FORCE;
	r->deferred.events[r->deferred.count++] = ev;
}

/* Inserts the current definitions before the deferred events, which then need not contain them. */
static void defer_definitions(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	struct deferred_events comments = r->deferred;
	r->deferred = (struct deferred_events){NULL, 0, 0, 0, 0};
	for (int kind = DEFINITION_PROCESS; kind <= DEFINITION_DISK; kind++)
		for (size_t i = 0; i < d->names.of[kind].ids.count; i++)
			if (d->error.status == IOT_OK)
				defer_definition(r, &d->names.of[kind].entry[i]);
	r->deferred.borrowed = r->deferred.count;
	if (r->deferred.count > 0)
		qsort(r->deferred.events, r->deferred.count, sizeof(struct iot_event), by_name);
	for (size_t i = 0; i < comments.count; i++) {
		const struct iot_event *ev = &comments.events[i];
		if (d->error.status == IOT_OK && !is_name(ev))
			defer(r, ev);
		d->names.used -= ev->text.size;
		free((char *)ev->text.data);
	}
	free(comments.events);
}

/* Lines before a time */

struct line_lookahead {
	size_t records;   /* number of records that start before the time */
	bool found;       /* the next record starts at or after the time */
	const char *stop; /* if not found: the lines before this position were examined */
};

static const char *after_field(const char *p, const char *lf)
{
	const char *blank = memchr(p, ' ', (size_t)(lf - p));
	return blank != NULL ? blank + 1 : lf;
}

/* Parses startTime of a line as writers produce it; returns false if that is not certain. */
static bool quick_start(const char *p, const char *lf, unsigned base, int64_t *start)
{
	uint64_t compression, value;
	const char *field = after_field(p, lf), *next = after_field(field, lf);
	if (next == lf || next - field < 2 ||
	    !number_parse(field, (size_t)(next - field) - 1, base, &compression) ||
	    compression > 0xff)
		return false;
	for (int i = !(compression & NO_BLOCK) + !(compression & NO_LENGTH); i > 0; i--)
		next = after_field(next, lf);
	field = next;
	next = after_field(field, lf);
	const bool negative = *field == '-';
	field += negative;
	if (next == lf || next - field < 2 ||
	    !number_parse(field, (size_t)(next - field) - 1, base, &value) || value > INT64_MAX)
		return false;
	*start = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static bool slow_start(struct iot_codec *c, const char *p, size_t size, int64_t *start)
{
	struct record_fields fields = {0};
	size_t column[RECORD_FIELDS];
	if (size > IOT_LINE_MAX || record_line_parse(c, p, size, &fields, column) != IOT_OK)
		return false;
	*start = fields.start;
	return true;
}

/*
 * Returns whether the line is blank or a comment in any spelling. The first byte usually excludes
 * both.
 */
static bool is_other(const char *p, const char *lf)
{
	if (*p != 'f' && *p != 'F' && *p != '2' && *p != '\r' && !is_blank(*p) && p != lf)
		return false;
	return text_line_classify(p, lf + 1).kind != TEXT_LINE_OTHER;
}

/*
 * Examines the lines of [p, end), which ends in LF, relative to the start of the previous record in
 * c; at most `max` records. Stops at an invalid line.
 */
static struct line_lookahead line_look_ahead(struct iot_codec *c, const char *p, const char *end,
					     uint64_t ticks, size_t max)
{
	struct line_lookahead look = {.records = 0};
	const unsigned base = codec_base(c);
	int64_t start = codec_start(c), delta;
	while (p < end && look.records < max) {
		uint64_t blank = 0;
		p = blank_lines(p, end, &blank);
		if (p == end)
			break;
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		if (!is_other(p, lf)) {
			if (!quick_start(p, lf, base, &delta) &&
			    !slow_start(c, p, text_line_classify(p, lf + 1).size, &delta))
				break;
			if (__builtin_add_overflow(start, delta, &start) || start < 0)
				break;
			if ((uint64_t)start >= ticks) {
				look.found = true;
				break;
			}
			look.records++;
		}
		p = lf + 1;
	}
	look.stop = p;
	return look;
}

/* Skipping */

static bool can_step(const struct decoder *d)
{
	return d->error.status == IOT_OK && d->block.cur != d->block.end;
}

static bool is_plain_going(const struct decoder *d)
{
	return can_step(d) && !decoder_is_skipping(d) && d->progress != TRACE_ENDED;
}

/* Runs a step whose results are not kept, so that the whole arena is available to it. */
static void step_over(struct decoder *d, struct event_batch *b)
{
	const struct decoder_snapshot before = decoder_snapshot(d);
	d->arena.used = 0;
	decoder_step(d, b);
	if (b->n == 0 && !decoder_moved(d, before))
		decoder_stuck(d);
}

static void read_over_records(struct decoder *d, uint64_t n)
{
	struct iot_record rec[BATCH];
	while (n > 0 && is_plain_going(d)) {
		struct event_batch b = {
		    .records = rec, .stride = sizeof(rec[0]), .max = n < BATCH ? (size_t)n : BATCH};
		step_over(d, &b);
		n -= b.n;
	}
}

/* Skips one line that is damaged or not a record. */
static void read_over_line(struct iot_reader *r, bool keep)
{
	struct iot_event ev = {.kind = 0};
	struct event_batch b = {.events = &ev, .records = &ev.rec, .stride = sizeof(ev), .max = 1};
	step_over(&r->decoder, &b);
	if (b.n == 1 && ev.kind == IOT_RECORD)
		reader_drop_deferred(r);
	else if (b.n == 1 && keep)
		defer(r, &ev);
}

/* Skips within the block. Returns true if the target is reached. */
static bool read_over_block(struct iot_reader *r, const struct target *t)
{
	struct decoder *d = &r->decoder;
	if (decoder_is_muted(d)) {
		read_over_line(r, false);
		return false;
	}
	if (t->what == IOT_SEEK_RECORD) {
		if (d->index < t->value)
			read_over_records(d, t->value - d->index);
		return d->error.status == IOT_OK && d->index >= t->value && !decoder_is_skipping(d);
	}
	const struct line_lookahead look =
	    line_look_ahead(d->codec, d->block.cur, d->block.end, t->value, LOOK_MAX);
	if (look.records > 0)
		reader_drop_deferred(r);
	read_over_records(d, look.records);
	if (look.found)
		return is_plain_going(d);
	if (look.records == 0 && d->block.cur == look.stop)
		read_over_line(r, true);
	while (d->block.cur < look.stop && is_plain_going(d))
		read_over_line(r, true);
	return false;
}

static void read_over(struct iot_reader *r, const struct target *t)
{
	struct decoder *d = &r->decoder;
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	bool here = t->what == IOT_SEEK_RECORD && d->index >= t->value;
	while (!here && decoder_more(d, &b)) {
		if (decoder_is_skipping(d) || d->progress == TRACE_ENDED)
			read_over_line(r, false);
		else
			here = read_over_block(r, t);
	}
}

static void step_over_line(struct decoder *d)
{
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	if (decoder_more(d, &b))
		step_over(d, &b);
}

void decoder_read_over(struct decoder *d, uint64_t records, uint64_t lines)
{
	while (records > 0 && d->error.status == IOT_OK) {
		const uint64_t before = d->records;
		struct iot_record rec;
		struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
		if (!decoder_more(d, &b))
			return;
		read_over_records(d, records);
		records -= d->records - before;
	}
	while (d->lines < lines && d->error.status == IOT_OK)
		step_over_line(d);
}

/* Beginning of the trace */

void decoder_read_head(struct decoder *d, bool all, uint64_t lines_max)
{
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	const int status = d->codec == NULL ? decoder_make_codec(d) : IOT_OK;
	if (status != IOT_OK)
		decoder_fail_memory(d, status);
	while (d->index == 0 && !d->entered && d->lines < lines_max && decoder_more(d, &b)) {
		const struct text_line l = text_line_classify(d->block.cur, d->block.end);
		const bool header =
		    l.kind == TEXT_LINE_COMMENT && directive_framing(l.text) == FRAMING_HEADER;
		if (l.kind == TEXT_LINE_OTHER || (!all && !header && l.kind != TEXT_LINE_BLANK) ||
		    d->progress == TRACE_ENDED || decoder_is_skipping(d))
			return;
		step_over_line(d);
	}
}

/* Starting at a seek point */

int decoder_forget_definitions(struct decoder *d, bool texts)
{
	definitions_free(&d->names);
	definitions_init(&d->names, d->settings->memory_max, texts, d->settings->names);
	if (!definitions_reserve(&d->names, d->codec_size))
		decoder_fail_memory(d, IOT_ELIMIT);
	return d->error.status;
}

/* Forgets what has been read, except for definitions, clocks and counts. */
static void restart_decoder(struct decoder *d, uint64_t at)
{
	decoder_unmute(d);
	if (d->lookahead != NULL)
		lookahead_reset(d->lookahead, at);
	d->text_bytes = decoder_text_bytes(d);
	free(d->block.tail);
	d->block = (struct text_block){NULL, NULL, NULL, 0, NULL};
	d->sync.hashed = NULL;
	d->progress = TRACE_START;
	d->framed = d->midway = false;
	d->sync.recovery = RECOVERY_NONE;
	d->index = d->sync.interval_at = 0;
	XXH3_64bits_reset(d->sync.hash);
	decoder_forget_state(d);
	codec_set_start(d->codec, 0);
}

int decoder_begin_at(struct decoder *d, uint64_t at)
{
	if (bufreader_seek(d->bufreader, at) != IOT_OK)
		return error_set(&d->error, bufreader_status(d->bufreader), "%s",
				 bufreader_error(d->bufreader)->text);
	restart_decoder(d, at);
	return IOT_OK;
}

static int forget_all(struct decoder *d)
{
	d->lines = d->records = d->comments = 0;
	codec_zero_clocks(d->codec);
	return decoder_forget_definitions(d, true);
}

int reader_restart(struct iot_reader *r)
{
	restart_decoder(&r->decoder, 0);
	return forget_all(&r->decoder);
}

/* Restarts there with zero clocks and counts, and without definitions. */
static int begin_restart(struct decoder *d, uint64_t at)
{
	if (decoder_begin_at(d, at) != IOT_OK)
		return d->error.status;
	if (at == 0)
		codec_set_missing(d->codec, 0);
	return forget_all(d);
}

struct search {
	const struct target *target;
	uint64_t ticks_max;
};

static bool is_before(const void *context, const struct seek_point *p)
{
	const struct search *s = context;
	if (s->target->what == IOT_SEEK_RECORD)
		return p->sync.record <= s->target->value;
	return p->sync.time < s->target->value && p->sync.time <= s->ticks_max;
}

int reader_failed_search(struct iot_reader *r, int status)
{
	struct decoder *d = &r->decoder;
	if (status == IOT_EIO)
		return error_system(&d->error, errno, "%s: cannot be read", d->name);
	decoder_fail_memory(d, status);
	return d->error.status;
}

int reader_make_points(struct iot_reader *r, const struct stored_input *source)
{
	const struct decoder *d = &r->decoder;
	if (r->points == NULL)
		r->points = seek_points_new(source, bufreader_compression(d->bufreader),
					    codec_base(d->codec), r->settings.window_max);
	return r->points != NULL ? IOT_OK : reader_failed_search(r, IOT_ENOMEM);
}

int reader_enter(struct iot_reader *r, const struct seek_point *at)
{
	struct decoder *d = &r->decoder;
	d->entered = at != NULL;
	d->entered_at = at != NULL ? at->sync.record : 0;
	(void)begin_restart(d, at != NULL ? at->at : 0);
	return d->error.status;
}

void reader_pass_line(struct iot_reader *r)
{
	step_over_line(&r->decoder);
}

/*
 * Operations may precede a %sync and follow the last record before it. Begins at the last point
 * before that record, or after it if a full interval of records ends with it.
 */
static int enter_with_operations(struct iot_reader *r, struct seek_point *entry)
{
	const struct target before = {IOT_SEEK_RECORD, entry->sync.record - 1};
	const struct search search = {&before, 0};
	struct seek_point earlier = {.at = 0}, next;
	if (entry->sync.record == 0)
		return 0;
	const int found = seek_points_find(r->points, is_before, &search, &earlier);
	if (found < 0)
		return found;
	const uint64_t from = found == 1 ? earlier.at + 1 : 0;
	const int follows = seek_points_next(r->points, from, entry->at + 1, &next);
	const bool full = follows == 1 && next.sync.record - earlier.sync.record ==
					      r->decoder.sync.interval_records;
	*entry = full ? next : earlier;
	return follows < 0 ? follows : full || found == 1;
}

/*
 * In uncompressed text, only the preceding interval verifies the %sync that begins the last
 * interval: so verified reading starts one interval earlier. For other intervals the %sync that
 * ends them verifies it, and in a frame or member its checksum.
 */
static int enter_earlier(struct iot_reader *r, uint64_t size, struct seek_point *entry)
{
	struct decoder *d = &r->decoder;
	struct seek_point next;
	if (d->lookahead == NULL || bufreader_compression(d->bufreader) != IOT_PLAIN)
		return 1;
	const int found = seek_points_next(r->points, entry->at + 1, size, &next);
	if (found != 0)
		return found;
	const struct target before = {IOT_SEEK_RECORD, entry->sync.record - 1};
	const struct search search = {&before, 0};
	return entry->sync.record > 0 ? seek_points_find(r->points, is_before, &search, entry) : 0;
}

static int enter(struct iot_reader *r, const struct stored_input *source, const struct target *t)
{
	struct decoder *d = &r->decoder;
	const struct search search = {t, INT64_MAX / codec_tick(d->codec)};
	struct seek_point entry;
	if (reader_make_points(r, source) != IOT_OK)
		return d->error.status;
	int found = seek_points_find(r->points, is_before, &search, &entry);
	if (found == 1)
		found = enter_with_operations(r, &entry);
	if (found == 1)
		found = enter_earlier(r, source->size, &entry);
	if (found < 0)
		return reader_failed_search(r, found);
	if (reader_enter(r, found == 1 ? &entry : NULL) == IOT_OK && found == 1)
		step_over_line(d); /* the %sync: it contains the number of the next record */
	if (found == 1 && d->lookahead != NULL)
		d->lookahead->known_start = false;
	return d->error.status;
}

/* Resets counts and clocks: skipped events are not counted. */
static void arrive(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	if (d->index == 0)
		return;
	d->records = 0;
	d->comments = 0;
	if (r->stream != NULL)
		stream_events_arrive(r->stream);
	else
		codec_zero_clocks(d->codec);
	defer_definitions(r);
	for (size_t i = r->deferred.borrowed; i < r->deferred.count; i++)
		d->comments++;
}

static struct target target_of(const struct decoder *d, enum iot_seek what, uint64_t value)
{
	const uint64_t tick_ns = codec_tick(d->codec);
	struct target t = {what, value};
	if (what == IOT_SEEK_TIME_NS)
		t.value = value / tick_ns + (value % tick_ns != 0);
	return t;
}

int reader_seek_to(struct iot_reader *r, const struct stored_input *source, enum iot_seek what,
		   uint64_t value)
{
	struct decoder *d = &r->decoder;
	error_clear(&d->error); /* damage elsewhere does not matter */
	if (d->codec == NULL)
		d->names.texts = true;
	decoder_read_head(d, source != NULL, UINT64_MAX);
	if (source != NULL && d->framed)
		(void)decoder_trusts_tick(d);
	if (d->error.status != IOT_OK)
		return d->error.status;
	const struct target t = target_of(d, what, value);
	if (source != NULL && enter(r, source, &t) != IOT_OK)
		return d->error.status;
	read_over(r, &t);
	if (d->error.status == IOT_OK)
		arrive(r);
	return d->error.status;
}

/* Returns 1 if the stream is at the target, 0 if it is before it, or a negative status. */
static int is_at_target(struct iot_reader *r, const struct target *t)
{
	struct decoder *d = &r->decoder;
	int64_t start_ns;
	if (t->what == IOT_SEEK_RECORD && d->index >= t->value)
		return 1;
	const int status = stream_events_peek(r->stream, d, &start_ns);
	if (status <= 0)
		return status < 0 ? status : 1;
	return t->what == IOT_SEEK_TIME_NS && start_ns >= 0 && (uint64_t)start_ns >= t->value;
}

/* Passes one event. Directives before a time are deferred until a record follows them. */
static int pass_event(struct iot_reader *r, enum iot_seek what)
{
	struct iot_event ev;
	const ssize_t n = stream_events_skip(r->stream, &r->decoder, &ev);
	if (n == 1 && ev.kind == IOT_RECORD)
		reader_drop_deferred(r);
	else if (n == 1 && what == IOT_SEEK_TIME_NS)
		defer(r, &ev);
	return r->decoder.error.status;
}

int reader_seek_stream(struct iot_reader *r, enum iot_seek what, uint64_t value)
{
	const struct target t = {what, value};
	int at;
	while ((at = is_at_target(r, &t)) == 0)
		if (pass_event(r, what) != IOT_OK)
			return r->decoder.error.status;
	if (at > 0)
		arrive(r);
	return r->decoder.error.status;
}
