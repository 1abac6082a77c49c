/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intervals: where they begin and end, and how they are proven.
 *
 * A damaged %sync must not cost more than the preceding interval, and preferably nothing. So a line
 * that looks like a damaged %sync is tested: if it still contains the xxh3= of the text before it,
 * that text is proven; and if the text after it has the xxh3= of the next %sync, that text is
 * proven.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/codec/codec.h"
#include "lint.h"
#include "verify_internal.h"

enum { HASH_DIGITS = 16 };

static const char why_hash[] = "the hash does not match";
static const char why_sync[] = "a damaged %sync";
static const char why_header[] = "a damaged %iotrace";

int verify_fail(struct verify *v, int status, const char *why)
{
	char name[256];
	v->stop = true;
	return error_set(&v->handle->error, status, "%s:%llu: %s",
			 escape_text(name, sizeof(name), v->handle->name, strlen(v->handle->name)),
			 (unsigned long long)v->line, why);
}

void verify_damaged(struct verify *v, enum iot_finding_kind kind, unsigned column, const char *why,
		    const char *sentence)
{
	if (!v->current.broken)
		finding_report(v->handle, kind, v->line, column, "%s", sentence);
	v->current.broken = true;
	if (v->current.entry.why_line != 0)
		return;
	v->current.entry.why_line = v->line;
	v->current.entry.why = why;
}

void verify_hash_to(struct verify *v, const char *p)
{
	if (p <= v->hashed)
		return;
	const size_t n = (size_t)(p - v->hashed);
	XXH3_64bits_update(v->current.hash, v->hashed, n);
	for (size_t i = 0; i < RESYNC_CANDIDATES; i++)
		if (v->current.candidate[i].active)
			XXH3_64bits_update(v->current.candidate[i].hash, v->hashed, n);
	v->current.any = true;
	v->hashed = p;
}

void verify_count(struct verify *v, size_t records, int64_t ticks)
{
	v->current.entry.records += records;
	v->current.entry.ticks = (int64_t)((uint64_t)v->current.entry.ticks + (uint64_t)ticks);
	for (size_t i = 0; i < RESYNC_CANDIDATES; i++) {
		struct interval *interval = &v->current.candidate[i].interval;
		interval->records += records;
		interval->ticks = (int64_t)((uint64_t)interval->ticks + (uint64_t)ticks);
	}
}

/* Adding intervals to the table */

static void add(struct verify *v, const struct interval *interval)
{
	if (!v->handle->repairs)
		return;
	const int status = intervals_add(&v->handle->intervals, interval);
	if (status != IOT_OK)
		verify_fail(v, status, "too many damaged places");
}

/*
 * Adds the current interval, up to p, without its framing. Proven text is kept unchanged, even if
 * it could not be decoded: that may be because of its position.
 */
static void add_current(struct verify *v, const char *p, uint64_t hash)
{
	struct interval *interval = v->current.certain && v->current.entry.proof == PROOF_NONE
					? &v->current.whole_frame
					: &v->current.entry;
	v->current.whole_frame.why = v->current.entry.why;
	v->current.whole_frame.why_line = v->current.entry.why_line;
	interval->hash = hash;
	if (interval->proof == PROOF_NONE) {
		interval->to = v->current.broken ? v->current.clean_to : verify_at(v, p);
		interval->records = v->current.clean_records;
		interval->ticks = v->current.clean_ticks;
	} else if (interval->proof == PROOF_HASH) {
		interval->to = verify_at(v, p);
		interval->open_proven = v->current.certain && interval->open.known;
	}
	add(v, interval);
}

static void begin_interval(struct verify *v, const char *p, uint64_t opened_at,
			   const struct position *open)
{
	XXH3_64bits_reset(v->current.hash);
	v->hashed = p;
	v->current.opened_at = opened_at;
	v->current.entry =
	    (struct interval){.from = verify_at(v, p), .line = v->line, .open = *open};
	v->current.clean_to = v->current.entry.from;
	v->current.clean_records = 0;
	v->current.clean_ticks = 0;
	v->current.certain = v->current.broken = v->current.any = v->current.opened = false;
	for (size_t i = 0; i < RESYNC_CANDIDATES; i++)
		v->current.candidate[i].active = false;
	v->current.next_candidate = 0;
	v->current.number++;
}

/* Decodes the following lines as after this position. */
static void continue_at(struct verify *v, const struct position *p)
{
	iot_codec_forget(v->codec);
	directive_codec_forget(v->directives);
	if (p->known && p->time <= INT64_MAX / codec_tick(v->codec))
		codec_set_start(v->codec, (int64_t)p->time);
	if (p->known)
		v->index = p->record;
	v->current.opened_index = v->index;
	if (v->lint != NULL)
		lint_interval(v->lint, codec_start(v->codec));
}

static void next_line(struct verify *v, const struct text_line *l)
{
	v->cur = l->next;
	v->line++;
}

/* Damaged %syncs */

static const struct resync_candidate *find_candidate(const struct verify *v, uint64_t hash)
{
	for (size_t i = 0; i < RESYNC_CANDIDATES; i++)
		if (v->current.candidate[i].active &&
		    XXH3_64bits_digest(v->current.candidate[i].hash) == hash)
			return &v->current.candidate[i];
	return NULL;
}

static const char *find_word(const char *p, const char *end, const char *word)
{
	return memmem(p, (size_t)(end - p), word, strlen(word));
}

static bool looks_damaged(const char *p, const char *end)
{
	return find_word(p, end, "%sync") != NULL || find_word(p, end, "xxh3=") != NULL ||
	       (find_word(p, end, "time=") != NULL && find_word(p, end, "record=") != NULL);
}

/* Returns the end of the hash digits on a line; NULL if it contains none. */
static const char *after_hash(const char *p, const char *end)
{
	const char *word = find_word(p, end, "xxh3=");
	return word != NULL && end - word >= 5 + HASH_DIGITS ? word + 5 + HASH_DIGITS : NULL;
}

static struct position declared_position(const char *p, const char *end)
{
	const char *from = find_word(p, end, "%sync");
	struct sync_directive s;
	if (from == NULL)
		from = p;
	const struct iot_text text = {from, (size_t)(end - from)};
	if (framing_parse_sync(text, &s) != NULL)
		return (struct position){0};
	return (struct position){true, s.record, s.time};
}

/* Closes the interval at a damaged %sync whose xxh3= proves the text before it. */
static void close_at_damaged_sync(struct verify *v, const char *after, uint64_t hash,
				  const struct position *declared)
{
	const uint64_t opened_at = verify_at(v, v->cur);
	const struct position here = {true, v->index, (uint64_t)codec_start(v->codec)};
	v->current.entry.proof = PROOF_HASH;
	v->current.entry.close = *declared;
	add_current(v, v->cur, hash);
	v->cur = after;
	begin_interval(v, after, opened_at, declared);
	v->current.entry.follows = true;
	v->current.entry.why_line = v->line;
	v->current.entry.why = why_sync;
	continue_at(v, &here);
}

static void add_candidate(struct verify *v, const char *p, const struct position *declared)
{
	/* keeps the first candidates and the latest */
	struct resync_candidate *c = &v->current.candidate[v->current.next_candidate];
	v->current.next_candidate += v->current.next_candidate + 1 < RESYNC_CANDIDATES;
	c->active = true;
	XXH3_64bits_reset(c->hash);
	c->interval =
	    (struct interval){.from = verify_at(v, p), .line = v->line, .open = *declared};
}

/* Returns whether the text before the line has the hash whose digits end at `after`. */
static bool is_proven_here(struct verify *v, const char *after, uint64_t *hash)
{
	uint64_t reported;
	if (after == NULL || !number_parse(after - HASH_DIGITS, HASH_DIGITS, 16, &reported))
		return false;
	verify_hash_to(v, v->cur);
	*hash = XXH3_64bits_digest(v->current.hash);
	return *hash == reported;
}

bool verify_damaged_sync(struct verify *v, const struct text_line *l, const char *wrong)
{
	const char *end = v->cur + l->size;
	uint64_t hash;
	if (!looks_damaged(v->cur, end))
		return false;
	const char *after = after_hash(v->cur, end);
	const struct position declared = declared_position(v->cur, end);
	const char *next = after != NULL && after < end ? after + 1 : l->next;
	if (is_proven_here(v, after, &hash)) {
		finding_report(v->handle, IOT_BAD_FRAMING, v->line, l->column, "%s",
			       wrong != NULL ? wrong : "a damaged %sync; its xxh3= is right");
		close_at_damaged_sync(v, next, hash, &declared);
		v->line += next == l->next;
		return true;
	}
	if (!v->current.broken)
		next = l->next;
	verify_hash_to(v, next);
	add_candidate(v, next, &declared);
	if (!v->current.broken)
		return false;
	v->cur = next;
	v->line += next == l->next;
	return true;
}

/* %sync */

/*
 * Compares the hash with xxh3= of the %sync that ends the interval. Returns true if they match. An
 * interval without text is also damaged if a %sync begins it: whole intervals may be missing or
 * repeated between the two lines.
 */
static bool check_hash(struct verify *v, const struct text_line *l, uint64_t hash,
		       uint64_t reported)
{
	if (hash == reported) {
		v->current.entry.proof = PROOF_HASH;
		return true;
	}
	if (v->current.any || v->current.opened)
		verify_damaged(v, IOT_BAD_HASH, l->column, why_hash,
			       "the text since the previous %sync does not match this xxh3=");
	return false;
}

/*
 * Only the text after a candidate is proven: the current interval ends there, and the proven text
 * is the next one.
 */
static void split(struct verify *v, const struct resync_candidate *c, const char *p, uint64_t hash)
{
	struct interval second = c->interval;
	const struct position close = v->current.entry.close;
	const bool is_last = v->current.entry.is_last;
	v->current.entry.close = (struct position){0};
	v->current.entry.is_last = false;
	if (!v->current.broken || v->current.clean_to > second.from) {
		v->current.broken = true;
		v->current.clean_to = v->current.entry.from;
		v->current.clean_records = 0;
	}
	add_current(v, p, 0);
	second.to = verify_at(v, p);
	second.proof = PROOF_HASH;
	second.hash = hash;
	second.close = close;
	second.is_last = is_last;
	add(v, &second);
}

/*
 * Ends the interval before the line l. Returns true if its text is intact; *tail: its last part is.
 */
static bool close_interval(struct verify *v, const struct text_line *l, uint64_t reported,
			   bool *tail)
{
	verify_hash_to(v, v->cur);
	const uint64_t hash = XXH3_64bits_digest(v->current.hash);
	const struct resync_candidate *c = hash != reported ? find_candidate(v, reported) : NULL;
	const bool proven = check_hash(v, l, hash, reported);
	if (c != NULL)
		split(v, c, v->cur, reported);
	else if (v->current.any)
		add_current(v, v->cur, hash);
	*tail = proven || c != NULL;
	return proven;
}

static void check_spacing(struct verify *v, const struct text_line *l, uint64_t record)
{
	const uint64_t sync = v->verdict->sync;
	if (v->lint == NULL || !v->verdict->has_header)
		return;
	if (sync == 0)
		finding_report(v->handle, IOT_WARN_SYNC, v->line, l->column,
			       "a %%sync, but %%iotrace announces none");
	else if (record - v->current.opened_index > sync)
		finding_report(v->handle, IOT_WARN_SYNC, v->line, l->column,
			       "%llu records since the %%sync before, but %%iotrace announces "
			       "one after %llu at most",
			       (unsigned long long)(record - v->current.opened_index),
			       (unsigned long long)sync);
}

static void check_position(struct verify *v, const struct text_line *l, const struct position *p,
			   const struct position *here)
{
	char sentence[200];
	if (p->record != here->record)
		snprintf(sentence, sizeof(sentence),
			 "%%sync declares record=%llu, but %llu records precede it",
			 (unsigned long long)p->record, (unsigned long long)here->record);
	else if (p->time != here->time)
		snprintf(sentence, sizeof(sentence),
			 "%%sync declares time=%llu, but the previous record starts at %llu",
			 (unsigned long long)p->time, (unsigned long long)here->time);
	else {
		check_spacing(v, l, p->record);
		return;
	}
	verify_damaged(v, IOT_BAD_POSITION, l->column, why_sync, sentence);
}

static void accept_sync(struct verify *v, const struct text_line *l, const struct sync_directive *s)
{
	const struct position declared = {true, s->record, s->time};
	const struct position here = {true, v->index, (uint64_t)codec_start(v->codec)};
	const uint64_t opened_at = verify_at(v, v->cur);
	const bool any = v->current.any || v->hashed != v->cur;
	const bool whole = !v->current.broken && (any || v->current.opened);
	bool tail;
	char text[FRAMING_MAX];
	v->current.entry.close = declared;
	const bool proven = close_interval(v, l, s->hash, &tail);
	if (whole)
		check_position(v, l, &declared, &here);
	if (v->lint != NULL)
		lint_spelling(v->lint, v->cur, l,
			      (struct iot_text){text, framing_build_sync(text, s)}, v->line);
	next_line(v, l);
	begin_interval(v, v->cur, opened_at, &declared);
	v->current.entry.follows = any;
	v->current.opened = true;
	continue_at(v, proven && whole ? &here : &declared);
}

/* %end */

static void accept_end(struct verify *v, const struct text_line *l, const struct end_directive *e)
{
	const bool whole = !v->current.broken;
	char text[FRAMING_MAX], sentence[200];
	struct verdict *verdict = v->verdict;
	v->current.entry.close = (struct position){.known = true, .record = e->records};
	v->current.entry.is_last = true;
	close_interval(v, l, e->hash, &verdict->ended);
	verdict->any_end = v->tail = true;
	verdict->end_records = e->records;
	sentence[0] = '\0';
	if (whole && e->records != v->index)
		snprintf(sentence, sizeof(sentence),
			 "%%end declares records=%llu, but the trace has %llu",
			 (unsigned long long)e->records, (unsigned long long)v->index);
	else if (whole && verdict->records == v->index && e->comments != verdict->comments)
		snprintf(sentence, sizeof(sentence),
			 "%%end declares comments=%llu, but the trace has %llu",
			 (unsigned long long)e->comments, (unsigned long long)verdict->comments);
	if (sentence[0] != '\0')
		verify_damaged(v, IOT_BAD_POSITION, l->column, "%end declares other numbers",
			       sentence);
	if (v->lint != NULL)
		lint_spelling(v->lint, v->cur, l,
			      (struct iot_text){text, framing_build_end(text, e)}, v->line);
	next_line(v, l);
	begin_interval(v, v->cur, verify_at(v, v->cur), &(struct position){0});
}

/* %iotrace */

static void first_header(struct verify *v, const struct text_line *l,
			 const struct header_directive *h)
{
	char text[FRAMING_MAX];
	const size_t size = framing_build_header(text, h);
	struct verdict *verdict = v->verdict;
	verdict->framed = verdict->has_header = true;
	verdict->tick_ns = h->tick_ns;
	verdict->version = h->version;
	if (h->version == 1) {
		directive_codec_free(v->directives);
		v->directives = NULL;
	}
	verdict->sync = h->sync;
	verdict->irregular = l->text.size != size || memcmp(l->text.data, text, size) != 0;
	v->codec = iot_codec_init(v->codec, v->codec_size, h->tick_ns, (unsigned)verdict->base);
	if (v->handle->warnings)
		v->lint = lint_new(v->handle, h->tick_ns, (unsigned)verdict->base, h->version);
	if (v->handle->warnings && v->lint == NULL)
		verify_fail(v, IOT_ENOMEM, "out of memory");
	if (v->lint != NULL)
		lint_spelling(v->lint, v->cur, l, (struct iot_text){text, size}, v->line);
}

/* A repeated beginning, or another trace after this one: see intervals.h. */
static void second_header(struct verify *v, const struct text_line *l)
{
	const uint64_t opened_at = verify_at(v, v->cur);
	const struct position zero = {.known = true};
	if (v->verdict->second_line == 0)
		v->verdict->second_line = v->line;
	v->current.entry.close = (struct position){0};
	verify_hash_to(v, v->cur);
	if (v->current.any)
		add_current(v, v->cur, XXH3_64bits_digest(v->current.hash));
	finding_report(v->handle, IOT_BAD_TAIL, v->line, l->column,
		       "a second %%iotrace: concatenated traces are not a trace; join them with "
		       "`iotrace merge`");
	begin_interval(v, v->cur, opened_at, &zero);
	v->current.entry.from_header = true;
	continue_at(v, &zero);
}

/* Excludes the line from the text of its interval. */
static void next_after_header(struct verify *v, const struct text_line *l)
{
	v->verdict->framed = v->verdict->any_header = v->begun = true;
	next_line(v, l);
	v->current.entry.from = v->current.clean_to = verify_at(v, v->cur);
}

/* The following lines are still decoded, with the tick of a trace without %iotrace. */
void verify_damaged_header(struct verify *v, const struct text_line *l)
{
	finding_report(v->handle, IOT_BAD_FRAMING, v->line, 1, "%s", FRAMING_DAMAGED_HEADER);
	v->current.entry.why_line = v->line;
	v->current.entry.why = why_header;
	next_after_header(v, l);
}

static void accept_header(struct verify *v, const struct text_line *l)
{
	struct header_directive h;
	const char *wrong = framing_parse_header(l->text, &h);
	const bool first = !v->begun;
	if (!first)
		second_header(v, l);
	if (wrong != NULL)
		verify_damaged(v, IOT_BAD_FRAMING, l->column, why_header, wrong);
	else if (first)
		first_header(v, l, &h);
	next_after_header(v, l);
}

void verify_framing(struct verify *v, const struct text_line *l, enum framing_kind framing)
{
	struct sync_directive s;
	struct end_directive e;
	const char *wrong;
	if (framing == FRAMING_HEADER) {
		accept_header(v, l);
		return;
	}
	v->verdict->framed = true;
	wrong = framing == FRAMING_SYNC ? framing_parse_sync(l->text, &s)
					: framing_parse_end(l->text, &e);
	if (wrong == NULL && framing == FRAMING_SYNC) {
		accept_sync(v, l, &s);
	} else if (wrong == NULL) {
		accept_end(v, l, &e);
	} else {
		if (verify_damaged_sync(v, l, wrong))
			return;
		verify_damaged(v, IOT_BAD_FRAMING, l->column, why_sync, wrong);
		if (!verify_damaged_sync(v, l, wrong))
			next_line(v, l);
	}
}

/* Frames, gaps, beginning and end */

void verify_zstd_frame(struct verify *v, const struct raw_item *item)
{
	if (!item->checked || v->current.opened_at < item->frame_at || v->current.certain ||
	    v->verdict->ended)
		return;
	v->current.certain = true;
	v->current.whole_frame = v->current.entry;
	v->current.whole_frame.proof = PROOF_FRAME;
	v->current.whole_frame.open_proven = v->current.entry.open.known;
	v->current.whole_frame.to = item->at;
}

void verify_open_first(struct verify *v)
{
	const struct position zero = {.known = !v->gap_before};
	begin_interval(v, v->cur, verify_at(v, v->cur), &zero);
	v->current.entry.at_start = !v->gap_before;
}

void verify_close_last(struct verify *v)
{
	verify_hash_to(v, v->end);
	if (!v->current.any || v->verdict->ended || v->stop)
		return;
	if (v->current.entry.why_line == 0) {
		v->current.entry.why_line = v->line;
		v->current.entry.why = "cut short";
	}
	add_current(v, v->end, XXH3_64bits_digest(v->current.hash));
}
