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
#include "parallel.h"
#include "lib/codec/codec.h"
#include "reader_internal.h"
#include "lib/base/array.h"
#include "lines_before.h"

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
	for (size_t i = r->held.borrowed; i < r->held.count; i++) {
		r->names.used -= r->held.events[i].text.size;
		free((char *)r->held.events[i].text.data);
	}
	free(r->held.events);
	r->held = (struct deferred_events){NULL, 0, 0, 0, 0};
}

size_t reader_take_deferred(struct iot_reader *r, struct iot_event *out, size_t max)
{
	struct deferred_events *h = &r->held;
	size_t n = h->count - h->next;
	if (n > max)
		n = max;
	if (n == 0)
		reader_drop_deferred(r); /* frees the texts returned by the previous call */
	else
		memcpy(out, h->events + h->next, n * sizeof(*out));
	h->next += n;
	return n;
}

static bool held_capacity(struct iot_reader *r)
{
	struct deferred_events *h = &r->held;
	return array_reserve(&h->events, &h->capacity, h->count + 1, sizeof(*h->events)) ||
	       reader_fail_memory(r, IOT_ENOMEM);
}

static bool hold(struct iot_reader *r, const struct iot_event *ev)
{
	if (!held_capacity(r))
		return false;
	if (!definitions_reserve(&r->names, ev->text.size))
		return reader_fail_memory(r, IOT_ELIMIT);
	char *text = malloc(ev->text.size + 1);
	if (text == NULL)
		return reader_fail_memory(r, IOT_ENOMEM);
	memcpy(text, ev->text.data, ev->text.size);
	r->held.events[r->held.count] = *ev;
	r->held.events[r->held.count++].text.data = text;
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

/* Inserts the current definitions before the deferred events, which then need not contain them. */
static void hold_names(struct iot_reader *r)
{
	struct deferred_events comments = r->held;
	r->held = (struct deferred_events){NULL, 0, 0, 0, 0};
	for (size_t i = 0; i < r->names.slots && r->error.status == IOT_OK; i++) {
		const struct definition *name = &r->names.slot[i];
		struct iot_event ev = {.text = {name->text, name->size}};
		if (name->kind == 0 || name->kind == DEFINITION_OBJECT || name->text == NULL ||
		    iot_directive_parse(&ev, NULL) != IOT_OK || !held_capacity(r))
			continue;
		ev.rec.start_ns = reader_last_start_ns(r);
		ev.has |= IOT_IN_FORCE;
		r->held.events[r->held.count++] = ev;
	}
	r->held.borrowed = r->held.count;
	if (r->held.count > 0)
		qsort(r->held.events, r->held.count, sizeof(struct iot_event), by_name);
	for (size_t i = 0; i < comments.count; i++) {
		const struct iot_event *ev = &comments.events[i];
		if (r->error.status == IOT_OK && !is_name(ev))
			hold(r, ev);
		r->names.used -= ev->text.size;
		free((char *)ev->text.data);
	}
	free(comments.events);
}

/* Skipping */

static bool can_step(const struct iot_reader *r)
{
	return r->error.status == IOT_OK && r->cur != r->end;
}

static bool is_plain_going(const struct iot_reader *r)
{
	return can_step(r) && !r->skipping && !r->ended;
}

/* Runs a step whose results are not kept, so that the whole arena is available to it. */
static void step_over(struct iot_reader *r, struct event_batch *b)
{
	const struct reader_place before = reader_place(r);
	r->arena_used = 0;
	reader_step(r, b);
	if (b->n == 0 && !reader_moved(r, before))
		reader_stuck(r);
}

static void read_over_records(struct iot_reader *r, uint64_t n)
{
	struct iot_record rec[BATCH];
	while (n > 0 && is_plain_going(r)) {
		struct event_batch b = {
		    .records = rec, .stride = sizeof(rec[0]), .max = n < BATCH ? (size_t)n : BATCH};
		step_over(r, &b);
		n -= b.n;
	}
}

/* Skips one line that is damaged or not a record. */
static void read_over_line(struct iot_reader *r, bool keep)
{
	struct iot_event ev = {.kind = 0};
	struct event_batch b = {.events = &ev, .records = &ev.rec, .stride = sizeof(ev), .max = 1};
	step_over(r, &b);
	if (b.n == 1 && ev.kind == IOT_RECORD)
		reader_drop_deferred(r);
	else if (b.n == 1 && keep)
		hold(r, &ev);
}

/* Skips within the block. Returns true if the target is reached. */
static bool read_over_block(struct iot_reader *r, const struct target *t)
{
	if (r->muted) {
		read_over_line(r, false);
		return false;
	}
	if (t->what == IOT_SEEK_RECORD) {
		if (r->index < t->value)
			read_over_records(r, t->value - r->index);
		return r->error.status == IOT_OK && r->index >= t->value && !r->skipping;
	}
	const struct line_lookahead look =
	    line_look_ahead(r->codec, r->cur, r->end, t->value, LOOK_MAX);
	if (look.records > 0)
		reader_drop_deferred(r);
	read_over_records(r, look.records);
	if (look.found)
		return is_plain_going(r);
	if (look.records == 0 && r->cur == look.stop)
		read_over_line(r, true);
	while (r->cur < look.stop && is_plain_going(r))
		read_over_line(r, true);
	return false;
}

static void read_over(struct iot_reader *r, const struct target *t)
{
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	bool here = t->what == IOT_SEEK_RECORD && r->index >= t->value;
	while (!here && reader_more(r, &b)) {
		if (r->skipping || r->ended)
			read_over_line(r, false);
		else
			here = read_over_block(r, t);
	}
}

static void step_over_line(struct iot_reader *r)
{
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	if (reader_more(r, &b))
		step_over(r, &b);
}

void reader_read_over(struct iot_reader *r, uint64_t records, uint64_t lines)
{
	while (records > 0 && r->error.status == IOT_OK) {
		const uint64_t before = r->records;
		struct iot_record rec;
		struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
		if (!reader_more(r, &b))
			return;
		read_over_records(r, records);
		records -= r->records - before;
	}
	while (r->lines < lines && r->error.status == IOT_OK)
		step_over_line(r);
}

/* Beginning of the trace */

/*
 * Applies the lines up to the first record; for input that cannot be repositioned, only %iotrace.
 */
void reader_read_head(struct iot_reader *r, bool all, uint64_t lines_max)
{
	struct iot_record rec;
	struct event_batch b = {.records = &rec, .stride = sizeof(rec), .max = 1};
	const int status = r->codec == NULL ? reader_make_codec(r) : IOT_OK;
	if (status != IOT_OK)
		reader_fail_memory(r, status);
	while (r->index == 0 && !r->entered && r->lines < lines_max && reader_more(r, &b)) {
		const struct text_line l = text_line_classify(r->cur, r->end);
		const bool header =
		    l.kind == TEXT_LINE_COMMENT && directive_framing(l.text) == FRAMING_HEADER;
		if (l.kind == TEXT_LINE_OTHER || (!all && !header && l.kind != TEXT_LINE_BLANK) ||
		    r->ended || r->skipping)
			return;
		step_over_line(r);
	}
}

/* Starting at a seek point */

int reader_forget_definitions(struct iot_reader *r, bool texts)
{
	definitions_free(&r->names);
	definitions_init(&r->names, r->memory_max, texts, true);
	if (!definitions_reserve(&r->names, r->codec_size))
		reader_fail_memory(r, IOT_ELIMIT);
	return r->error.status;
}

int reader_begin_at(struct iot_reader *r, uint64_t at)
{
	if (bufreader_seek(r->bufreader, at) != IOT_OK)
		return error_set(&r->error, bufreader_status(r->bufreader), "%s",
				 bufreader_error(r->bufreader)->text);
	reader_unmute(r);
	if (r->lookahead != NULL)
		lookahead_reset(r->lookahead, at);
	r->text_bytes += r->block != NULL ? (uint64_t)(r->cur - r->block) : 0;
	r->block = r->cur = r->end = r->hashed = NULL;
	r->shown = 0;
	free(r->tail);
	r->tail = NULL;
	r->begun = r->framed = r->ended = r->cut = r->done = false;
	r->skipping = r->in_long = false;
	r->index = r->interval_at = 0;
	XXH3_64bits_reset(r->hash);
	iot_codec_forget(r->codec);
	codec_set_start(r->codec, 0);
	return IOT_OK;
}

/* Restarts there with zero clocks and counts, and without definitions. */
static int begin_restart(struct iot_reader *r, uint64_t at)
{
	if (reader_begin_at(r, at) != IOT_OK)
		return r->error.status;
	r->lines = r->records = r->comments = 0;
	codec_zero_clocks(r->codec);
	if (at == 0)
		codec_set_missing(r->codec, 0);
	return reader_forget_definitions(r, true);
}

struct search {
	const struct target *target;
	uint64_t ticks_max;
};

static bool is_before(const void *context, const struct seek_point *e)
{
	const struct search *s = context;
	if (s->target->what == IOT_SEEK_RECORD)
		return e->sync.record <= s->target->value;
	return e->sync.time < s->target->value && e->sync.time <= s->ticks_max;
}

static int failed_search(struct iot_reader *r, int status)
{
	if (status == IOT_EIO)
		return error_system(&r->error, errno, "%s: cannot be read", r->name);
	reader_fail_memory(r, status);
	return r->error.status;
}

/*
 * In uncompressed text, only the preceding interval verifies the %sync that begins the last
 * interval: so verified reading starts one interval earlier. For other intervals the %sync that
 * ends them verifies it, and in a frame or member its checksum.
 */
static int enter_earlier(struct iot_reader *r, uint64_t size, struct seek_point *entry)
{
	struct seek_point next;
	if (r->lookahead == NULL || bufreader_compression(r->bufreader) != IOT_PLAIN)
		return 1;
	const int found = seek_points_next(r->frames, entry->at + 1, size, &next);
	if (found != 0)
		return found;
	const struct target before = {IOT_SEEK_RECORD, entry->sync.record - 1};
	const struct search search = {&before, 0};
	return entry->sync.record > 0 ? seek_points_find(r->frames, is_before, &search, entry) : 0;
}

static int enter(struct iot_reader *r, const struct stored_input *source, const struct target *t)
{
	const struct search search = {t, INT64_MAX / codec_tick(r->codec)};
	struct seek_point entry;
	if (r->frames == NULL)
		r->frames = seek_points_new(source, bufreader_compression(r->bufreader),
					    codec_base(r->codec),
					    r->window_max != 0 ? r->window_max : (uint64_t)1 << 27);
	if (r->frames == NULL)
		return failed_search(r, IOT_ENOMEM);
	int found = seek_points_find(r->frames, is_before, &search, &entry);
	if (found == 1)
		found = enter_earlier(r, source->size, &entry);
	if (found < 0)
		return failed_search(r, found);
	r->entered = found == 1;
	r->entered_at = found == 1 ? entry.sync.record : 0;
	if (begin_restart(r, found == 1 ? entry.at : 0) == IOT_OK && found == 1)
		step_over_line(r); /* the %sync: it contains the number of the next record */
	if (found == 1 && r->lookahead != NULL)
		r->lookahead->known_start = false;
	return r->error.status;
}

/* Resets counts and clocks: skipped events are not counted. */
static void arrive(struct iot_reader *r)
{
	if (r->index == 0)
		return;
	r->records = 0;
	r->comments = 0;
	codec_zero_clocks(r->codec);
	hold_names(r);
	for (size_t i = r->held.borrowed; i < r->held.count; i++)
		r->comments++;
}

static struct target target_of(const struct iot_reader *r, enum iot_seek what, uint64_t value)
{
	const uint64_t tick_ns = codec_tick(r->codec);
	struct target t = {what, value};
	if (what == IOT_SEEK_TIME_NS)
		t.value = value / tick_ns + (value % tick_ns != 0);
	return t;
}

int iot_reader_seek(struct iot_reader *r, enum iot_seek what, uint64_t value)
{
	struct stored_input source;
	if (r->error.status != IOT_OK && !error_in_input(r->error.status))
		return r->error.status;
	if (r->bufreader == NULL)
		return reader_refuse(r, "the reader is not open");
	if (what != IOT_SEEK_RECORD && what != IOT_SEEK_TIME_NS)
		return reader_refuse(r, "a place is a record or a time");
	const bool anywhere = bufreader_stored_input(r->bufreader, &source);
	if (!anywhere && r->codec != NULL)
		return reader_refuse(r, "input that can only be read on cannot be sought in "
					"once it is being read");
	reader_drop_deferred(r);
	r->parallel_tried = true;
	if (r->ordered != NULL) {
		reader_end_parallel(r);
		if (reader_begin_at(r, 0) != IOT_OK)
			return r->error.status;
	}
	if (r->error.status != IOT_OK && (!anywhere || r->codec == NULL))
		return r->error.status;
	error_clear(&r->error); /* damage elsewhere does not matter */
	if (r->codec == NULL)
		r->names.texts = true;
	reader_read_head(r, anywhere, UINT64_MAX);
	if (anywhere && r->framed)
		(void)reader_trusts_tick(r);
	if (r->error.status != IOT_OK)
		return r->error.status;
	const struct target t = target_of(r, what, value);
	if (anywhere && enter(r, &source, &t) != IOT_OK)
		return r->error.status;
	read_over(r, &t);
	if (r->error.status == IOT_OK)
		arrive(r);
	return r->error.status;
}
