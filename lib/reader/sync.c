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
#include "reader_internal.h"

enum { LOST_CAPACITY = 1024 };

#define UNVERIFIED "nothing verifies the record= and time= of the %sync before"

/*
 * Delivers a %lost event; `records` 0: the number is unknown. Returns false if it must wait for the
 * next call.
 */
static bool report_lost(struct iot_reader *r, struct event_batch *b, uint64_t records)
{
	struct iot_builder builder;
	struct iot_event ev;
	char *out;
	int capacity = reader_arena_reserve(r, LOST_CAPACITY, &out);
	if (capacity < 0)
		reader_fail_memory(r, capacity);
	if (capacity <= 0)
		return false;
	r->lost++;
	if (__builtin_add_overflow(r->lost_records, records, &r->lost_records))
		r->lost_records = UINT64_MAX;
	iot_directive_begin(&builder, out, LOST_CAPACITY, "lost");
	iot_directive_number(&builder, "time", (uint64_t)reader_last_start_ns(r));
	if (records > 0)
		iot_directive_number(&builder, "records", records);
	iot_directive_text(&builder, "why", r->damage, strnlen(r->damage, LOST_CAPACITY / 4));
	if (iot_directive_end(&builder, &ev) == IOT_OK)
		reader_deliver(r, b, &ev);
	return true;
}

bool reader_blank_line(struct iot_reader *r, const struct text_line *l)
{
	if (!blank_run_add(&r->blanks, r->lines + 1, (size_t)(l->next - r->cur)))
		return reader_fail(r, IOT_ELIMIT, 1, BLANK_RUN_MESSAGE);
	r->cur = blank_run_more(&r->blanks, l->next, r->end);
	r->lines = r->blanks.line;
	return true;
}

/* The first frame or member may be repeated. */
static bool is_first_interval_again(const struct iot_reader *r)
{
	return r->recover && r->framed && r->intervals == 0 && r->sync > 0 && r->index == r->sync;
}

bool reader_header_line(struct iot_reader *r, const struct text_line *l)
{
	struct header_directive h;
	uint64_t version;
	if (r->begun && is_first_interval_again(r))
		return reader_damaged(r, l->column, "a second %iotrace");
	if (r->begun)
		return reader_fail(
		    r, IOT_EFORMAT, l->column,
		    "a second %%iotrace: concatenated traces are not a trace; join them with "
		    "`iotrace merge`");
	const char *wrong = framing_parse_header(l->text, &h, &version);
	if (wrong != NULL && version > 1)
		return reader_fail(r, IOT_EFORMAT, l->column, "%s (found %llu, expected 1)", wrong,
				   (unsigned long long)version);
	if (wrong != NULL)
		return reader_fail(r, IOT_EFORMAT, l->column, "%s", wrong);
	if (r->muted) {
		char text[FRAMING_MAX];
		const size_t size = framing_build_header(text, &h);
		reader_ambiguity_tick(
		    r, h.tick_ns, size == l->text.size && memcmp(text, l->text.data, size) == 0);
	} else {
		r->codec = iot_codec_init(r->codec, r->codec_size, h.tick_ns, codec_base(r->codec));
		if (r->lookahead != NULL)
			r->lookahead->tick_unproven = false;
	}
	r->framed = true;
	r->begun = true;
	r->sync = h.sync;
	reader_step_over(r, l);
	return true;
}

/* Begins the next interval, after a %sync. */
static void new_interval(struct iot_reader *r, const struct text_line *l)
{
	reader_step_over(r, l);
	if (r->lookahead != NULL)
		r->lookahead->known_start = true;
	XXH3_64bits_reset(r->hash);
	r->hashed = r->cur;
	r->skipping = false;
	r->intervals++;
	r->interval_at = r->index;
	iot_codec_forget(r->codec);
}

static bool hash_matches(struct iot_reader *r, uint64_t hash)
{
	if (reader_looks_ahead(r))
		return r->lookahead->hash_ok;
	reader_hash_up_to(r, r->cur);
	return !r->verify || XXH3_64bits_digest(r->hash) == hash;
}

bool reader_sync_holds(struct iot_reader *r, const struct sync_directive *s)
{
	return !r->skipping && !r->muted && hash_matches(r, s->hash) && s->record == r->index &&
	       s->time == (uint64_t)codec_start(r->codec);
}

static bool can_start_at(const struct iot_reader *r, uint64_t ticks)
{
	return ticks <= INT64_MAX / codec_tick(r->codec);
}

/*
 * Records are not delivered twice: a %sync that does not lead beyond the last one accepted belongs
 * to a repeated part of the trace. It is not compared with the number of records read: if a range
 * of lines is repeated, that number is too high, and the following records are still new. The
 * number of verified records, however, is exact.
 */
static bool goes_back(const struct iot_reader *r, const struct sync_directive *s)
{
	if (reader_looks_ahead(r))
		return s->record < r->index;
	return s->record <= r->interval_at;
}

/* Starts in the middle of a trace, whose first line is a %sync. */
static bool enter(struct iot_reader *r, const struct text_line *l, const struct sync_directive *s)
{
	if (!can_start_at(r, s->time))
		return reader_damaged(r, l->column,
				      "time= of %sync leads beyond 2^63-1 nanoseconds");
	r->framed = true;
	r->begun = true;
	r->index = s->record;
	codec_set_start(r->codec, (int64_t)s->time);
	new_interval(r, l);
	return true;
}

bool reader_sync_line(struct iot_reader *r, struct event_batch *b, const struct text_line *l)
{
	struct sync_directive s;
	char sentence[200];
	const char *wrong = framing_parse_sync(l->text, &s);
	if (wrong != NULL)
		return reader_broken(r, l->column, wrong);
	if (!r->begun)
		return enter(r, l, &s);
	if (!r->framed)
		return reader_damaged(r, l->column,
				      "%sync in a trace that does not begin with %iotrace");
	const uint64_t start = (uint64_t)codec_start(r->codec);
	const bool hash_ok = hash_matches(r, s.hash), muted = r->muted;
	if (!hash_ok)
		snprintf(sentence, sizeof(sentence),
			 "the text since the previous %%sync does not match xxh3= of this %%sync");
	else if (s.record != r->index)
		snprintf(sentence, sizeof(sentence),
			 "%%sync declares record=%llu, but %llu records precede it",
			 (unsigned long long)s.record, (unsigned long long)r->index);
	else if (s.time != start)
		snprintf(sentence, sizeof(sentence),
			 "%%sync declares time=%llu, but the previous record starts at %llu",
			 (unsigned long long)s.time, (unsigned long long)start);
	else if (muted)
		snprintf(sentence, sizeof(sentence), "%s", UNVERIFIED);
	else {
		new_interval(r, l);
		return true;
	}
	const bool follows = s.record == r->index && s.time == start;
	if (!hash_ok)
		reader_count_unverified(r);
	if (!reader_damaged(r, l->column, sentence))
		return false;
	if (muted)
		r->lookahead->corroborated = follows;
	if (!hash_ok || !r->verify || muted)
		return true; /* it is found again, and trusted, as the %sync to resume at */
	if (goes_back(r, &s) && s.time != start)
		return true; /* two intervals have the same text, and this one is repeated */
	/* everything before it is intact: this line itself is damaged */
	if (!report_lost(r, b, 0))
		return false;
	new_interval(r, l);
	return true;
}

bool reader_end_line(struct iot_reader *r, struct event_batch *b, const struct text_line *l)
{
	struct end_directive e;
	char sentence[200] = "";
	const char *wrong = framing_parse_end(l->text, &e);
	if (!r->framed)
		return reader_damaged(r, l->column,
				      "%end in a trace that does not begin with %iotrace");
	if (wrong != NULL)
		return reader_broken(r, l->column, wrong);
	const bool hash_ok = hash_matches(r, e.hash);
	if (!hash_ok)
		snprintf(sentence, sizeof(sentence),
			 "the text since the last %%sync does not match xxh3= of %%end");
	else if (e.records != r->index)
		snprintf(sentence, sizeof(sentence),
			 "%%end declares records=%llu, but the trace has %llu",
			 (unsigned long long)e.records, (unsigned long long)r->index);
	else if (r->muted)
		snprintf(sentence, sizeof(sentence), "%s", UNVERIFIED);
	else if (e.comments != r->comments && r->lost == 0 && r->index == r->records)
		snprintf(sentence, sizeof(sentence),
			 "%%end declares comments=%llu, but the trace has %llu",
			 (unsigned long long)e.comments, (unsigned long long)r->comments);
	if (sentence[0] != '\0') {
		if (!hash_ok)
			reader_count_unverified(r);
		if (!reader_damaged(r, l->column, sentence))
			return false;
		r->skipping = false;
		if (!report_lost(r, b, e.records > r->index ? e.records - r->index : 0))
			return false;
	}
	r->ended = true;
	r->reported_comments = e.comments;
	reader_step_over(r, l);
	return true;
}

/* Resumes at this %sync if the interval after it turns out to be proven. */
static void may_resume(struct iot_reader *r, const struct sync_directive *s)
{
	struct lookahead *a = r->lookahead;
	a->resume = *s;
	a->resuming = true;
	a->known_start = a->corroborated;
	a->corroborated = false;
}

bool reader_trusts_tick(struct iot_reader *r)
{
	if (r->tick_given || r->lookahead == NULL || (r->framed && !r->lookahead->tick_unproven))
		return true;
	return reader_fail(r, IOT_EFORMAT, 1,
			   "the tick is not known, as the interval with %%iotrace is damaged; "
			   "it has to be given (IOT_SET_TICK_NS)");
}

bool reader_resume(struct iot_reader *r, struct event_batch *b)
{
	struct lookahead *a = r->lookahead;
	const struct sync_directive *s = &a->resume;
	if (!reader_trusts_tick(r))
		return false;
	codec_set_start(r->codec, (int64_t)s->time);
	if (!report_lost(r, b, s->record > r->index ? s->record - r->index : 0))
		return false;
	a->resumes = false;
	a->decided = true;
	r->framed = true;
	r->skipping = false;
	r->intervals++;
	r->index = r->interval_at = s->record;
	iot_codec_forget(r->codec);
	return true;
}

bool reader_skip_line(struct iot_reader *r, struct event_batch *b)
{
	const struct text_line l = text_line_classify(r->cur, r->end);
	const enum framing_kind framing =
	    l.kind == TEXT_LINE_COMMENT ? directive_framing(l.text) : FRAMING_NONE;
	struct sync_directive s;
	struct end_directive e;
	if (l.kind == TEXT_LINE_BLANK)
		return reader_blank_line(r, &l);
	r->begun = true;
	if (framing == FRAMING_SYNC && framing_parse_sync(l.text, &s) == NULL &&
	    can_start_at(r, s.time) && !goes_back(r, &s)) {
		if (reader_looks_ahead(r)) {
			may_resume(r, &s);
			reader_step_over(r, &l);
			return true;
		}
		codec_set_start(r->codec, (int64_t)s.time);
		if (!report_lost(r, b, s.record > r->index ? s.record - r->index : 0))
			return false;
		r->index = s.record;
		new_interval(r, &l);
		return true;
	}
	if (framing == FRAMING_END && framing_parse_end(l.text, &e) == NULL) {
		if (!report_lost(r, b, e.records > r->index ? e.records - r->index : 0))
			return false;
		r->skipping = false;
		r->ended = true;
	}
	reader_step_over(r, &l);
	return true;
}

bool reader_after_end(struct iot_reader *r)
{
	const struct text_line l = text_line_classify(r->cur, r->end);
	if (l.kind != TEXT_LINE_BLANK)
		return reader_fail(
		    r, IOT_EFORMAT, 1,
		    "text after %%end: concatenated traces are not a trace; join them with "
		    "`iotrace merge`");
	return reader_blank_line(r, &l);
}

/* The end of the input */

bool reader_resync(struct iot_reader *r)
{
	const int status = bufreader_status(r->bufreader);
	if (!r->recover || !error_in_input(status))
		return false;
	const bool more = bufreader_resync(r->bufreader);
	if (!more && status == IOT_ETRUNCATED)
		return false;
	snprintf(r->damage, sizeof(r->damage), "damaged compressed data after line %llu",
		 (unsigned long long)r->lines);
	reader_count_unverified(r);
	reader_unmute(r);
	if (r->lookahead != NULL) {
		r->lookahead->at_end = r->lookahead->resuming = false;
		r->lookahead->left = 0;
		r->lookahead->resynced = true;
	}
	r->skipping = true;
	r->in_long = false;
	return more;
}

static void report_end_lost(struct iot_reader *r, struct event_batch *b, bool cut)
{
	if (!r->recover)
		return;
	if (cut && !r->skipping)
		snprintf(r->damage, sizeof(r->damage), "cut short");
	report_lost(r, b, 0);
}

void reader_at_end(struct iot_reader *r, struct event_batch *b)
{
	const int status = bufreader_status(r->bufreader);
	const bool muted = r->muted;
	const uint64_t read = r->records + (muted ? r->index - r->lookahead->saved_index : 0);
	if (status != IOT_OK || r->cut || !r->ended)
		reader_count_unverified(r);
	reader_unmute(r);
	if (status != IOT_OK) {
		if (r->skipping || status == IOT_ETRUNCATED)
			report_end_lost(r, b, status == IOT_ETRUNCATED);
		error_set(&r->error, status, "%s", bufreader_error(r->bufreader)->text);
	} else if (r->skipping) {
		report_end_lost(r, b, false);
		error_set(&r->error, IOT_EFORMAT, "%s: %s; no %s follows", r->name, r->damage,
			  reader_looks_ahead(r) ? "verified interval" : "%sync");
	} else if (r->cut || (r->framed && !r->ended)) {
		report_end_lost(r, b, true);
		reader_fail(r, IOT_ETRUNCATED, 1,
			    "ends without %%end: cut short after %llu records",
			    (unsigned long long)read);
	} else if (muted) {
		error_set(&r->error, IOT_EFORMAT, "%s: %s", r->name, FRAMING_DAMAGED_HEADER);
	} else if (!r->begun && !r->allow_empty) {
		error_set(&r->error, IOT_ETRUNCATED, "%s: %s", r->name,
			  r->lines == 0 ? EMPTY_FILE : BLANK_FILE);
	} else {
		r->done = true;
	}
}
