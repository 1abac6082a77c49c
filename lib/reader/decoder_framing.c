/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifies %iotrace, %sync and %end, and recovers from damage.
 *
 * With recovery enabled, a reader that finds damage drops lines until the next %sync (or %end),
 * trusts its values, and reports the loss as an event.
 */
#include <stdio.h>
#include <string.h>

#include "lookahead.h"
#include "lib/codec/codec.h"

enum { LOST_CAPACITY = 1024 };

#define UNVERIFIED "nothing verifies the record= and time= of the %sync before"

/*
 * Delivers a %lost event; `records` 0: the number is unknown. Returns false if it must wait for the
 * next call.
 */
static bool report_lost(struct decoder *d, struct event_batch *b, uint64_t records)
{
	struct iot_builder builder;
	struct iot_event ev;
	int capacity = decoder_arena_reserve(d, LOST_CAPACITY);
	if (capacity < 0)
		decoder_fail_memory(d, capacity);
	if (capacity <= 0)
		return false;
	d->sync.lost++;
	if (__builtin_add_overflow(d->sync.lost_records, records, &d->sync.lost_records))
		d->sync.lost_records = UINT64_MAX;
	iot_directive_begin(&builder, d->arena.text + d->arena.used, LOST_CAPACITY, "lost");
	iot_directive_number(&builder, "time", (uint64_t)decoder_last_start_ns(d));
	if (records > 0)
		iot_directive_number(&builder, "records", records);
	iot_directive_text(&builder, "why", d->sync.damage,
			   strnlen(d->sync.damage, LOST_CAPACITY / 4));
	if (iot_directive_end(&builder, &ev) == IOT_OK)
		decoder_deliver(d, b, &ev);
	return true;
}

void decoder_hash_up_to(struct decoder *d, const char *p)
{
	const bool wanted = d->settings->verify && !decoder_looks_ahead(d) &&
			    !decoder_is_skipping(d) && (d->framed || d->progress == TRACE_START);
	if (wanted && p > d->sync.hashed)
		XXH3_64bits_update(d->sync.hash, d->sync.hashed, (size_t)(p - d->sync.hashed));
	d->sync.hashed = p;
}

bool decoder_blank_line(struct decoder *d, const struct text_line *l)
{
	if (!blank_run_add(&d->blanks, d->lines + 1, (size_t)(l->next - d->block.cur)))
		return decoder_fail(d, IOT_ELIMIT, 1, BLANK_RUN_MESSAGE);
	d->block.cur = blank_run_more(&d->blanks, l->next, d->block.end);
	d->lines = d->blanks.line;
	return true;
}

/* The first frame or member may be repeated. */
static bool is_first_interval_again(const struct decoder *d)
{
	return d->settings->recover && d->framed && d->sync.intervals == 0 &&
	       d->sync.interval_records > 0 && d->index == d->sync.interval_records;
}

static bool is_power_of_ten(uint64_t n)
{
	while (n % 10 == 0)
		n /= 10;
	return n == 1;
}

/*
 * No other line of a trace repeats its tick. Flipped bits do not turn one power of ten into another
 * within a canonical line; any other tick of an unproven header may be wrong.
 */
static void set_muted_tick(struct decoder *d, uint64_t tick_ns, bool canonical)
{
	struct lookahead *look = d->lookahead;
	const unsigned base = codec_base(d->codec);
	if (d->settings->tick_given)
		tick_ns = d->settings->tick_ns;
	else
		look->tick_unproven = !canonical || !is_power_of_ten(tick_ns);
	d->codec = iot_codec_init(d->codec, d->codec_size, tick_ns, base);
	d->muted.codec = iot_codec_init(d->muted.codec, d->muted.codec_size, tick_ns, base);
	d->muted.index = d->index;
}

bool decoder_header_line(struct decoder *d, const struct text_line *l)
{
	struct header_directive h;
	if (d->progress != TRACE_START && is_first_interval_again(d))
		return decoder_damaged(d, l->column, "a second %iotrace");
	if (d->progress != TRACE_START)
		return decoder_fail(
		    d, IOT_EFORMAT, l->column,
		    "a second %%iotrace: concatenated traces are not a trace; join them with "
		    "`iotrace merge`");
	const char *wrong = framing_parse_header(l->text, &h);
	if (wrong != NULL && h.version > FRAMING_VERSION)
		return decoder_fail(d, IOT_EFORMAT, l->column, "%s (found %llu, expected 1 or %d)",
				    wrong, (unsigned long long)h.version, FRAMING_VERSION);
	if (wrong != NULL)
		return decoder_fail(d, IOT_EFORMAT, l->column, "%s", wrong);
	if (decoder_is_muted(d)) {
		char text[FRAMING_MAX];
		const size_t size = framing_build_header(text, &h);
		set_muted_tick(d, h.tick_ns,
			       size == l->text.size && memcmp(text, l->text.data, size) == 0);
	} else {
		d->codec = iot_codec_init(d->codec, d->codec_size, h.tick_ns, codec_base(d->codec));
		if (d->lookahead != NULL)
			d->lookahead->tick_unproven = false;
	}
	d->version = h.version;
	if (!decoder_prepare_directives(d))
		return false;
	d->framed = true;
	d->progress = TRACE_BODY;
	d->sync.interval_records = h.sync;
	decoder_step_over(d, l);
	return true;
}

/* Begins the next interval, after a %sync. */
static void new_interval(struct decoder *d, const struct text_line *l)
{
	decoder_step_over(d, l);
	if (d->lookahead != NULL)
		d->lookahead->known_start = true;
	XXH3_64bits_reset(d->sync.hash);
	d->sync.hashed = d->block.cur;
	d->sync.recovery = RECOVERY_NONE;
	d->sync.intervals++;
	d->sync.interval_at = d->index;
	decoder_forget_state(d);
}

static bool hash_matches(struct decoder *d, uint64_t hash)
{
	if (decoder_looks_ahead(d))
		return d->lookahead->hash_ok;
	decoder_hash_up_to(d, d->block.cur);
	return !d->settings->verify || XXH3_64bits_digest(d->sync.hash) == hash;
}

bool decoder_sync_holds(struct decoder *d, const struct sync_directive *s)
{
	return !decoder_is_skipping(d) && !decoder_is_muted(d) && hash_matches(d, s->hash) &&
	       s->record == d->index && s->time == (uint64_t)codec_start(d->codec);
}

static bool can_start_at(const struct decoder *d, uint64_t ticks)
{
	return ticks <= INT64_MAX / codec_tick(d->codec);
}

/*
 * Records are not delivered twice: a %sync that does not lead beyond the last one accepted belongs
 * to a repeated part of the trace. It is not compared with the number of records read: if a range
 * of lines is repeated, that number is too high, and the following records are still new. The
 * number of verified records, however, is exact. Intervals of operations alone begin at the same
 * record.
 */
static bool goes_back(const struct decoder *d, const struct sync_directive *s)
{
	if (decoder_looks_ahead(d))
		return s->record < d->index;
	return s->record < d->sync.interval_at ||
	       (s->record == d->sync.interval_at && d->index != s->record);
}

/* Starts in the middle of a trace, whose first line is a %sync. */
static bool enter(struct decoder *d, const struct text_line *l, const struct sync_directive *s)
{
	if (!can_start_at(d, s->time))
		return decoder_damaged(d, l->column,
				       "time= of %sync leads beyond 2^63-1 nanoseconds");
	if (!decoder_prepare_directives(d))
		return false;
	d->framed = true;
	d->midway = d->lines == 0;
	d->progress = TRACE_BODY;
	d->index = s->record;
	codec_set_start(d->codec, (int64_t)s->time);
	new_interval(d, l);
	return true;
}

bool decoder_sync_line(struct decoder *d, struct event_batch *b, const struct text_line *l)
{
	struct sync_directive s;
	char sentence[200];
	const char *wrong = framing_parse_sync(l->text, &s);
	if (wrong != NULL)
		return decoder_broken(d, l->column, wrong);
	if (d->progress == TRACE_START)
		return enter(d, l, &s);
	if (!d->framed)
		return decoder_damaged(d, l->column,
				       "%sync in a trace that does not begin with %iotrace");
	const uint64_t start = (uint64_t)codec_start(d->codec);
	const bool hash_ok = hash_matches(d, s.hash), muted = decoder_is_muted(d);
	if (!hash_ok)
		snprintf(sentence, sizeof(sentence),
			 "the text since the previous %%sync does not match xxh3= of this %%sync");
	else if (s.record != d->index)
		snprintf(sentence, sizeof(sentence),
			 "%%sync declares record=%llu, but %llu records precede it",
			 (unsigned long long)s.record, (unsigned long long)d->index);
	else if (s.time != start)
		snprintf(sentence, sizeof(sentence),
			 "%%sync declares time=%llu, but the previous record starts at %llu",
			 (unsigned long long)s.time, (unsigned long long)start);
	else if (muted)
		snprintf(sentence, sizeof(sentence), "%s", UNVERIFIED);
	else {
		new_interval(d, l);
		return true;
	}
	const bool follows = s.record == d->index && s.time == start;
	if (!hash_ok)
		decoder_count_unverified(d);
	if (!decoder_damaged(d, l->column, sentence))
		return false;
	if (muted)
		d->lookahead->corroborated = follows;
	if (!hash_ok || !d->settings->verify || muted)
		return true; /* it is found again, and trusted, as the %sync to resume at */
	if (goes_back(d, &s) && s.time != start)
		return true; /* two intervals have the same text, and this one is repeated */
	/* everything before it is intact: this line itself is damaged */
	if (!report_lost(d, b, 0))
		return false;
	new_interval(d, l);
	return true;
}

bool decoder_end_line(struct decoder *d, struct event_batch *b, const struct text_line *l)
{
	struct end_directive e;
	char sentence[200] = "";
	const char *wrong = framing_parse_end(l->text, &e);
	if (!d->framed)
		return decoder_damaged(d, l->column,
				       "%end in a trace that does not begin with %iotrace");
	if (wrong != NULL)
		return decoder_broken(d, l->column, wrong);
	const bool hash_ok = hash_matches(d, e.hash);
	if (!hash_ok)
		snprintf(sentence, sizeof(sentence),
			 "the text since the last %%sync does not match xxh3= of %%end");
	else if (e.records != d->index)
		snprintf(sentence, sizeof(sentence),
			 "%%end declares records=%llu, but the trace has %llu",
			 (unsigned long long)e.records, (unsigned long long)d->index);
	else if (decoder_is_muted(d))
		snprintf(sentence, sizeof(sentence), "%s", UNVERIFIED);
	else if (e.comments != d->comments && d->sync.lost == 0 && !d->midway &&
		 d->index == d->records)
		snprintf(sentence, sizeof(sentence),
			 "%%end declares comments=%llu, but the trace has %llu",
			 (unsigned long long)e.comments, (unsigned long long)d->comments);
	if (sentence[0] != '\0') {
		if (!hash_ok)
			decoder_count_unverified(d);
		if (!decoder_damaged(d, l->column, sentence))
			return false;
		d->sync.recovery = RECOVERY_NONE;
		if (!report_lost(d, b, e.records > d->index ? e.records - d->index : 0))
			return false;
	}
	d->progress = TRACE_ENDED;
	d->sync.reported_comments = e.comments;
	decoder_step_over(d, l);
	return true;
}

/* Resumes at this %sync if the interval after it turns out to be proven. */
static void may_resume(struct decoder *d, const struct sync_directive *s)
{
	struct lookahead *look = d->lookahead;
	look->resume = *s;
	look->resumption = RESUME_MAYBE;
	look->known_start = look->corroborated;
	look->corroborated = false;
}

bool decoder_trusts_tick(struct decoder *d)
{
	if (d->settings->tick_given || d->lookahead == NULL ||
	    (d->framed && !d->lookahead->tick_unproven))
		return true;
	return decoder_fail(d, IOT_EFORMAT, 1,
			    "the tick is not known, as the interval with %%iotrace is damaged; "
			    "it has to be given (IOT_SET_TICK_NS)");
}

bool decoder_resume(struct decoder *d, struct event_batch *b)
{
	struct lookahead *look = d->lookahead;
	const struct sync_directive *s = &look->resume;
	if (!decoder_trusts_tick(d))
		return false;
	codec_set_start(d->codec, (int64_t)s->time);
	if (!report_lost(d, b, s->record > d->index ? s->record - d->index : 0))
		return false;
	look->resumption = RESUME_NOWHERE;
	look->mode = LOOKAHEAD_VERIFYING;
	d->framed = true;
	d->sync.recovery = RECOVERY_NONE;
	d->sync.intervals++;
	d->index = d->sync.interval_at = s->record;
	decoder_forget_state(d);
	return decoder_prepare_directives(d);
}

bool decoder_skip_line(struct decoder *d, struct event_batch *b)
{
	const struct text_line l = text_line_classify(d->block.cur, d->block.end);
	const enum framing_kind framing =
	    l.kind == TEXT_LINE_COMMENT ? directive_framing(l.text) : FRAMING_NONE;
	struct sync_directive s;
	struct end_directive e;
	if (l.kind == TEXT_LINE_BLANK)
		return decoder_blank_line(d, &l);
	if (d->progress == TRACE_START)
		d->progress = TRACE_BODY;
	if (framing == FRAMING_SYNC && framing_parse_sync(l.text, &s) == NULL &&
	    can_start_at(d, s.time) && !goes_back(d, &s)) {
		if (decoder_looks_ahead(d)) {
			may_resume(d, &s);
			decoder_step_over(d, &l);
			return true;
		}
		codec_set_start(d->codec, (int64_t)s.time);
		if (!report_lost(d, b, s.record > d->index ? s.record - d->index : 0) ||
		    !decoder_prepare_directives(d))
			return false;
		d->index = s.record;
		new_interval(d, &l);
		return true;
	}
	if (framing == FRAMING_END && framing_parse_end(l.text, &e) == NULL) {
		if (!report_lost(d, b, e.records > d->index ? e.records - d->index : 0))
			return false;
		d->sync.recovery = RECOVERY_NONE;
		d->progress = TRACE_ENDED;
	}
	decoder_step_over(d, &l);
	return true;
}

bool decoder_after_end(struct decoder *d)
{
	const struct text_line l = text_line_classify(d->block.cur, d->block.end);
	if (l.kind != TEXT_LINE_BLANK)
		return decoder_fail(
		    d, IOT_EFORMAT, 1,
		    "text after %%end: concatenated traces are not a trace; join them with "
		    "`iotrace merge`");
	return decoder_blank_line(d, &l);
}

/* The end of the input */

bool decoder_resync(struct decoder *d)
{
	const int status = bufreader_status(d->bufreader);
	if (!d->settings->recover || !error_in_input(status))
		return false;
	const bool more = bufreader_resync(d->bufreader);
	if (!more && status == IOT_ETRUNCATED)
		return false;
	snprintf(d->sync.damage, sizeof(d->sync.damage), "damaged compressed data after line %llu",
		 (unsigned long long)d->lines);
	decoder_count_unverified(d);
	decoder_unmute(d);
	if (d->lookahead != NULL) {
		d->lookahead->at_end = false;
		d->lookahead->resumption = RESUME_NOWHERE;
		d->lookahead->left = 0;
		d->lookahead->resynced = true;
	}
	d->sync.recovery = RECOVERY_SKIPPING;
	return more;
}

static void report_end_lost(struct decoder *d, struct event_batch *b, bool cut)
{
	if (!d->settings->recover)
		return;
	if (cut && !decoder_is_skipping(d))
		snprintf(d->sync.damage, sizeof(d->sync.damage), "cut short");
	report_lost(d, b, 0);
}

/* The %sync after a part states what precedes it. */
static void end_limited(struct decoder *d)
{
	if (d->progress != TRACE_CUT && decoder_sync_holds(d, &d->limit))
		d->progress = TRACE_COMPLETE;
	else
		decoder_fail(d, IOT_EFORMAT, 1, "%s",
			     "the text since the previous %sync does not match the next %sync");
}

void decoder_at_end(struct decoder *d, struct event_batch *b)
{
	const int status = bufreader_status(d->bufreader);
	const bool muted = decoder_is_muted(d);
	const uint64_t read = d->records + (muted ? d->index - d->muted.index : 0);
	if (status != IOT_OK || d->progress != TRACE_ENDED)
		decoder_count_unverified(d);
	decoder_unmute(d);
	if (status != IOT_OK) {
		if (decoder_is_skipping(d) || status == IOT_ETRUNCATED)
			report_end_lost(d, b, status == IOT_ETRUNCATED);
		error_set(&d->error, status, "%s", bufreader_error(d->bufreader)->text);
	} else if (decoder_is_skipping(d)) {
		report_end_lost(d, b, false);
		error_set(&d->error, IOT_EFORMAT, "%s: %s; no %s follows", d->name, d->sync.damage,
			  decoder_looks_ahead(d) ? "verified interval" : "%sync");
	} else if (d->limited && d->progress != TRACE_ENDED) {
		end_limited(d);
	} else if (d->progress == TRACE_CUT || (d->framed && d->progress != TRACE_ENDED)) {
		report_end_lost(d, b, true);
		decoder_fail(d, IOT_ETRUNCATED, 1,
			     "ends without %%end: cut short after %llu records",
			     (unsigned long long)read);
	} else if (muted) {
		error_set(&d->error, IOT_EFORMAT, "%s: %s", d->name, FRAMING_DAMAGED_HEADER);
	} else if (d->progress == TRACE_START && !d->settings->allow_empty) {
		error_set(&d->error, IOT_ETRUNCATED, "%s: %s", d->name,
			  d->lines == 0 ? EMPTY_FILE : BLANK_FILE);
	} else {
		d->progress = d->progress == TRACE_START ? TRACE_EMPTY : TRACE_COMPLETE;
	}
}
