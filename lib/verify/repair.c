/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repair reads a trace twice: a run of the verifier determines which intervals are valid and where
 * they belong; then the text of the kept ones, each after a %sync that declares its position,
 * passes through a reader in recovery mode, which detects the gaps.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "verify_internal.h"

/* Bytes of a %lost; of its why=, which is three times as long if each byte is percent-encoded. */
enum { LOST_SIZE = 512, WHY_SIZE = 140 };

/* The text that the reader reads. */
struct repaired_text {
	struct raw_lines *raw;
	const struct iot_verifier *handle;
	size_t next;                /* the next interval */
	const struct interval *now; /* or NULL */
	struct raw_item item;
	bool ended, any;
	char made[512]; /* generated lines */
	size_t made_size, made_at;
};

struct repair {
	struct iot_verifier *handle;
	struct iot_reader *reader;
	struct repaired_text text;
	size_t reported; /* intervals up to here: their gaps have been delivered */
	uint64_t done;   /* records up to there */
	bool finished;
	/* the last %lost of a truncated end, which is not delivered if nothing follows */
	struct iot_event held;
	char held_text[LOST_SIZE];
	char *lost; /* texts of a batch's %losts, LOST_SIZE bytes for each event */
	size_t lost_capacity;
};

/* Selection */

static bool is_kept(const struct interval *interval)
{
	return interval->disposition == DISPOSITION_KEPT ||
	       interval->disposition == DISPOSITION_UNVERIFIED;
}

static bool is_usual_tick(uint64_t tick_ns)
{
	while (tick_ns % 10 == 0)
		tick_ns /= 10;
	return tick_ns == 1;
}

/* Returns whether a proven interval starts at a distance that sync= of the header declares. */
static bool sync_is_confirmed(const struct iot_verifier *v)
{
	const uint64_t sync = v->verdict.sync;
	for (size_t i = 0; i < v->intervals.count; i++) {
		const struct interval *interval = &v->intervals.entry[i];
		if (interval->disposition == DISPOSITION_KEPT && interval->record > 0 && sync > 0 &&
		    interval->record % sync == 0)
			return true;
	}
	return false;
}

/* The line that declares the tick may itself be damaged and still readable. */
static bool tick_is_certain(const struct iot_verifier *v, bool keep_unverified)
{
	const struct verdict *verdict = &v->verdict;
	const struct interval *first = v->intervals.count > 0 ? v->intervals.entry : NULL;
	if (v->tick_given || !verdict->framed)
		return true;
	if (!verdict->has_header)
		return false;
	if (first != NULL && first->at_start && first->proof != PROOF_NONE)
		return true;
	return !verdict->irregular && is_usual_tick(verdict->tick_ns) &&
	       (sync_is_confirmed(v) || keep_unverified);
}

int iot_verifier_select(struct iot_verifier *v, int keep_unverified)
{
	bool any = false;
	if (v->error.status != IOT_OK || v->state != VERIFIER_RUN || !v->repairs)
		return v->error.status != IOT_OK ? v->error.status : IOT_EUSAGE;
	intervals_settle(&v->intervals, keep_unverified != 0);
	for (size_t i = 0; i < v->intervals.count; i++) {
		const struct interval *interval = &v->intervals.entry[i];
		any |= is_kept(interval);
		v->repaired.repeated += interval->disposition == DISPOSITION_REPEATED;
		if (interval->disposition == DISPOSITION_UNVERIFIED)
			v->repaired.unverified += interval->records;
		if (interval->disposition == DISPOSITION_READABLE)
			v->repaired.readable += interval->records;
	}
	if (!any)
		return error_set(&v->error, IOT_EFORMAT, "nothing in the trace can be verified");
	if (!tick_is_certain(v, keep_unverified != 0))
		return error_set(&v->error, IOT_EUSAGE,
				 "the %%iotrace line is damaged, so the tick is unknown");
	if (v->tick_given)
		v->verdict.tick_ns = v->tick_ns;
	v->state = VERIFIER_SELECTED;
	return IOT_OK;
}

/* The text of the kept intervals */

static void make_line(struct repaired_text *t, const char *text, size_t size)
{
	const int n = snprintf(t->made + t->made_size, sizeof(t->made) - t->made_size, "%s %.*s\n",
			       t->handle->verdict.base == 16 ? "ff" : "255", (int)size, text);
	t->made_size += (size_t)n;
}

/* Makes the lines before an interval. */
static void begin_interval(struct repaired_text *t, const struct interval *interval)
{
	const struct verdict *verdict = &t->handle->verdict;
	char line[FRAMING_MAX], note[200];
	t->made_at = t->made_size = 0;
	if (!t->any) {
		const struct header_directive h = {verdict->version, verdict->tick_ns,
						   verdict->sync};
		const size_t size = framing_build_header(line, &h);
		make_line(t, line, size);
	}
	if (t->any || interval->record > 0 || interval->time > 0) {
		const struct sync_directive s = {.time = interval->time,
						 .record = interval->record};
		const size_t size = framing_build_sync(line, &s);
		make_line(t, line, size);
	}
	if (interval->disposition == DISPOSITION_UNVERIFIED) {
		const int n = snprintf(note, sizeof(note),
				       "not verified: the next %ju records (line %ju: %s)",
				       (uintmax_t)interval->records, (uintmax_t)interval->why_line,
				       interval->why != NULL ? interval->why : "no hash");
		make_line(t, note, (size_t)n);
	}
	t->any = true;
	t->now = interval;
}

/* Returns the next kept interval, from i; the number of intervals if there is none. */
static size_t next_kept(const struct intervals *all, size_t i)
{
	while (i < all->count && !is_kept(&all->entry[i]))
		i++;
	return i;
}

/* Returns false if there are no more. */
static bool next_interval(struct repaired_text *t)
{
	const struct intervals *all = &t->handle->intervals;
	t->next = next_kept(all, t->next);
	if (t->next == all->count)
		return false;
	begin_interval(t, &all->entry[t->next++]);
	return true;
}

static size_t copy(const char *from, size_t have, void *to, size_t capacity)
{
	const size_t n = have < capacity ? have : capacity;
	memcpy(to, from, n);
	return n;
}

/* Copies the part of the current item that is in the interval, as far as it fits. */
static size_t copy_item(struct repaired_text *t, void *to, size_t capacity)
{
	struct raw_item *item = &t->item;
	const struct interval *interval = t->now;
	if (interval == NULL || item->size == 0 || item->at >= interval->to ||
	    item->at + item->size <= interval->from)
		return 0;
	const size_t skip = interval->from > item->at ? (size_t)(interval->from - item->at) : 0;
	const uint64_t left = interval->to - item->at;
	const size_t stop = left < item->size ? (size_t)left : item->size;
	const size_t n = copy(item->text + skip, stop - skip, to, capacity);
	item->text += skip + n;
	item->at += skip + n;
	item->size -= skip + n;
	return n;
}

static int next_item(struct repaired_text *t)
{
	const bool was_cut = t->item.kind == RAW_CUT;
	if (was_cut && t->now != NULL && t->now->to > t->item.at) {
		t->made_at = 0;
		t->made_size = 1;
		t->made[0] = '\n';
		t->item.kind = RAW_END;
		return IOT_OK;
	}
	const int status = raw_lines_next(t->raw, &t->item);
	t->ended = t->item.kind == RAW_END;
	if (t->item.kind != RAW_LINES && t->item.kind != RAW_CUT)
		t->item.size = 0;
	return status;
}

static ssize_t read_text(void *context, void *buffer, size_t size)
{
	struct repaired_text *t = context;
	for (;;) {
		size_t n = copy(t->made + t->made_at, t->made_size - t->made_at, buffer, size);
		t->made_at += n;
		if (n == 0)
			n = copy_item(t, buffer, size);
		if (n > 0)
			return (ssize_t)n;
		if (t->now == NULL || (t->item.size > 0 && t->item.at >= t->now->to)) {
			if (!next_interval(t))
				return 0;
		} else if (t->ended) {
			return 0;
		} else if (next_item(t) != IOT_OK) {
			errno = EIO;
			return -1;
		}
	}
}

/* Losses: computed from the intervals, because the reader does not know their causes */

/* Returns the interval whose damage explains missing records from one kept interval to another. */
static const struct interval *first_damage(const struct intervals *all, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (all->entry[i].why != NULL)
			return &all->entry[i];
	return NULL;
}

/* Makes a %lost in LOST_SIZE bytes of memory. */
static int make_lost(struct iot_event *ev, char *memory, const struct interval *damage,
		     uint64_t time_ns, uint64_t records)
{
	char why[WHY_SIZE] = "missing";
	struct iot_builder b;
	if (damage != NULL)
		snprintf(why, sizeof(why), "line %ju: %s", (uintmax_t)damage->why_line,
			 damage->why);
	iot_directive_begin(&b, memory, LOST_SIZE, "lost");
	iot_directive_number(&b, "time", time_ns);
	if (records > 0)
		iot_directive_number(&b, "records", records);
	iot_directive_text(&b, "why", why, strlen(why));
	return iot_directive_end(&b, ev);
}

static uint64_t records_of(const struct iot_event *ev)
{
	const struct iot_text value = iot_directive_get(ev, "records");
	uint64_t n = 0;
	for (size_t i = 0; i < value.size && value.data[i] >= '0' && value.data[i] <= '9'; i++)
		n = 10 * n + (uint64_t)(value.data[i] - '0');
	return n;
}

/*
 * Returns the kept interval at whose beginning the reader has detected this gap; the number of
 * intervals if the %lost is of the trace itself. After unverified text, a %sync may only declare
 * another time, with nothing missing.
 */
static size_t interval_after(const struct repair *r, const struct iot_event *ev, uint64_t *missing)
{
	const struct intervals *all = &r->handle->intervals;
	uint64_t done = r->done;
	bool unverified = false;
	*missing = 0;
	for (size_t i = next_kept(all, r->reported); i < all->count; i = next_kept(all, i + 1)) {
		const struct interval *interval = &all->entry[i];
		*missing = interval->record > done ? interval->record - done : 0;
		done = interval->record + interval->records;
		if ((*missing > 0 || unverified) && *missing == records_of(ev) &&
		    (uint64_t)ev->rec.start_ns == interval->time * r->handle->verdict.tick_ns)
			return i;
		unverified = interval->disposition == DISPOSITION_UNVERIFIED;
		if (*missing > 0)
			break;
	}
	return all->count;
}

/* The text has no %end, so the reader ends it with such a %lost; others may be equal. */
static bool is_truncation(const struct iot_event *ev)
{
	return text_equals(iot_directive_get(ev, "why"), "cut%20short") &&
	       ev->text.size <= LOST_SIZE;
}

/* Holds a %lost back. Returns false if there was none before, which otherwise becomes *ev. */
static bool hold(struct repair *r, struct iot_event *ev, char *memory)
{
	const struct iot_event before = r->held;
	if (before.text.size > 0)
		memcpy(memory, r->held_text, before.text.size);
	memcpy(r->held_text, ev->text.data, ev->text.size);
	r->held = *ev;
	*ev = before;
	ev->text.data = memory;
	return before.text.size > 0;
}

/* Replaces a %lost of the reader. Sets *drop if nothing takes its place. */
static int replace_lost(struct repair *r, struct iot_event *ev, char *memory, bool *drop)
{
	const struct intervals *all = &r->handle->intervals;
	uint64_t missing;
	*drop = false;
	if (is_truncation(ev)) {
		*drop = !hold(r, ev, memory);
		return IOT_OK;
	}
	const size_t i = interval_after(r, ev, &missing);
	if (i == all->count)
		return IOT_OK;
	const struct interval *damage = first_damage(all, r->reported, i);
	/* this one may be in unverified text */
	r->reported = i;
	r->done = all->entry[i].record;
	*drop = missing == 0;
	return *drop ? IOT_OK : make_lost(ev, memory, damage, (uint64_t)ev->rec.start_ns, missing);
}

/* The stream */

static int replace_losts(struct repair *r, struct iot_batch *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->count; i++) {
		bool drop = false;
		assert(n <= i);
		b->events[n] = b->events[i];
		r->handle->repaired.kept += b->events[n].kind == IOT_RECORD;
		const int status =
		    b->events[n].kind == IOT_LOST
			? replace_lost(r, &b->events[n], r->lost + LOST_SIZE * n, &drop)
			: IOT_OK;
		if (status != IOT_OK)
			return status;
		n += !drop;
	}
	b->count = n;
	return IOT_OK;
}

/* Counts losses, and delivers the one after the last interval, if any. */
static int finish(struct repair *r, struct iot_batch *b)
{
	const struct verdict *verdict = &r->handle->verdict;
	const struct intervals *all = &r->handle->intervals;
	struct repair_counts *counts = &r->handle->repaired;
	uint64_t done = 0, time = 0;
	size_t after = 0;
	r->finished = true;
	for (size_t i = next_kept(all, 0); i < all->count; i = next_kept(all, i + 1)) {
		const struct interval *interval = &all->entry[i];
		counts->gaps += interval->record > done;
		counts->lost += interval->record - done;
		done = interval->record + interval->records;
		time = interval->time + (uint64_t)interval->ticks;
		after = i;
	}
	const uint64_t missing =
	    verdict->any_end && verdict->end_records > done ? verdict->end_records - done : 0;
	const struct interval *damage = first_damage(all, after, all->count);
	counts->lost_end = missing == 0 && !verdict->ended && (verdict->framed || damage != NULL);
	if (missing == 0 && !counts->lost_end)
		return IOT_OK;
	counts->lost += missing;
	counts->gaps++;
	b->count = 1;
	return make_lost(b->events, r->lost, damage, time * verdict->tick_ns, missing);
}

static int next_events(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct repair *r = context;
	if (r->finished)
		return 0;
	if (!array_reserve(&r->lost, &r->lost_capacity, b->capacity * LOST_SIZE, 1))
		return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
	const ssize_t n = iot_reader_events(r->reader, b->events, b->capacity);
	/* the text has no %end */
	if (n < 0 && n != IOT_ETRUNCATED)
		return iot_stream_fail(self, (int)n, iot_reader_error(r->reader));
	b->count = n > 0 ? (size_t)n : 0;
	const int status = n > 0 ? replace_losts(r, b) : finish(r, b);
	if (status != IOT_OK)
		return iot_stream_fail(self, status, "a %lost cannot be expressed");
	return n > 0 || b->count > 0;
}

static void close_repair(void *context)
{
	struct repair *r = context;
	iot_reader_free(r->reader);
	raw_lines_free(r->text.raw);
	free(r->lost);
	free(r);
}

static bool open_reader(struct repair *r)
{
	struct iot_verifier *v = r->handle;
	if (v->begin < 0 || lseek(v->fd, v->begin, SEEK_SET) < 0)
		return false;
	r->text.raw = raw_lines_new(v->fd, v->name);
	r->reader = iot_reader_new();
	return r->text.raw != NULL && r->reader != NULL &&
	       iot_reader_set(r->reader, IOT_SET_VERIFY, 0) == IOT_OK &&
	       iot_reader_set(r->reader, IOT_SET_RECOVER, 1) == IOT_OK &&
	       iot_reader_set(r->reader, IOT_SET_BASE, v->verdict.base) == IOT_OK &&
	       iot_reader_open_callback(r->reader, read_text, &r->text, v->name) == IOT_OK;
}

struct iot_stream *iot_stream_of_repair(struct iot_verifier *v)
{
	static const struct iot_stage stage = {.next = next_events, .close = close_repair};
	struct repair *r = v->state == VERIFIER_SELECTED ? calloc(1, sizeof(*r)) : NULL;
	if (r == NULL)
		return NULL;
	v->repaired.kept = v->repaired.lost = v->repaired.gaps = 0;
	r->handle = v;
	r->text.handle = v;
	if (!open_reader(r)) {
		close_repair(r);
		return NULL;
	}
	return iot_stream_new(NULL, &stage, r);
}
