/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines which intervals are kept. See intervals.h for the rule. */
#include "intervals.h"

#include <stdlib.h>

#include <iotrace/iotrace.h>

#include "lib/base/array.h"

static bool same_position(const struct position *a, const struct position *b)
{
	return a->known && b->known && a->record == b->record && a->time == b->time;
}

/* Returns the position after an interval that begins at `m`. */
static struct position after(const struct position *m, const struct interval *e)
{
	return (struct position){m->known, m->record + e->records, m->time + (uint64_t)e->ticks};
}

/*
 * Returns the position before an interval, counted back from its close; unknown if that is a %end.
 */
static struct position counted_back(const struct interval *e)
{
	return (struct position){e->close.known && !e->is_last, e->close.record - e->records,
				 e->close.time - (uint64_t)e->ticks};
}

static bool is_perfect(const struct interval *e)
{
	const struct position end = after(&e->open, e);
	return e->proof == PROOF_HASH && e->why_line == 0 && !e->is_last && !e->from_header &&
	       same_position(&end, &e->close);
}

void intervals_free(struct intervals *t)
{
	free(t->entry);
	*t = (struct intervals){0};
}

int intervals_add(struct intervals *t, const struct interval *e)
{
	struct interval *last = t->count > 0 ? &t->entry[t->count - 1] : NULL;
	const bool perfect = is_perfect(e), again = perfect && e->close.record <= t->high;
	if ((perfect || e->open_proven) && e->open.record + e->records > t->high)
		t->high = e->open.record + e->records;
	if (last != NULL && e->follows && perfect && is_perfect(last) && last->again == again) {
		last->to = e->to;
		last->close = e->close;
		last->records += e->records;
		last->ticks += e->ticks;
		return IOT_OK;
	}
	if (t->count == INTERVALS_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&t->entry, &t->capacity, t->count + 1, sizeof(*t->entry)))
		return IOT_ENOMEM;
	t->entry[t->count] = *e;
	t->entry[t->count++].again = again;
	return IOT_OK;
}

static const struct position unknown_position = {0};

/*
 * Returns the next interval, if it is proven and begins at the %sync that ends this one; otherwise
 * NULL.
 */
static const struct interval *witness_of(const struct intervals *t, size_t i)
{
	const struct interval *next = &t->entry[i + 1];
	return i + 1 < t->count && next->follows && next->proof == PROOF_HASH ? next : NULL;
}

/* Returns whether a proven interval, given its close, begins at m. */
static bool leads_to(const struct position *m, const struct interval *e)
{
	const struct position back = counted_back(e);
	if (e->is_last)
		return m->known && m->record + e->records == e->close.record;
	return same_position(m, &back);
}

/*
 * Returns whether two different times are declared and a following %end, which has no time, cannot
 * decide between them.
 */
static bool time_is_ambiguous(const struct interval *e, const struct interval *next)
{
	return next->is_last && !next->open_proven && e->open.known && e->close.known &&
	       e->open.time != counted_back(e).time;
}

/* Returns the position if the three declarations differ: the following interval decides. */
static struct position position_by_witness(const struct interval *e, const struct interval *next,
					   const struct position *before)
{
	const struct position after_open = after(&e->open, e), before_previous = after(before, e);
	if (next == NULL)
		return unknown_position;
	if (!before->known && time_is_ambiguous(e, next))
		return unknown_position;
	if (e->close.known && (next->open_proven || leads_to(&next->open, next)))
		return counted_back(e);
	if (before->known && leads_to(&before_previous, next))
		return *before;
	return e->open.known && leads_to(&after_open, next) ? e->open : unknown_position;
}

struct settle_progress {
	/* position of the next interval, as the preceding one declares it */
	struct position before;
	bool ambiguous; /* the %sync that ends the preceding interval agrees with nothing */
	uint64_t done;  /* records before this one are kept or lost */
	bool another;   /* a second trace has begun */
};

/* Returns the position of the interval. */
static struct position position_of(const struct intervals *t, size_t i,
				   const struct settle_progress *p)
{
	const struct interval *e = &t->entry[i];
	const struct position *before = &p->before, back = counted_back(e);

	if (e->open_proven)
		return e->open;
	if (e->is_last && e->follows && p->ambiguous)
		return unknown_position;
	if (e->proof == PROOF_FRAME)
		return e->at_start ? *before : unknown_position;
	if (leads_to(&e->open, e))
		return before->known && before->record == e->open.record ? *before : e->open;
	if (leads_to(before, e) || (before->known && back.known && back.record == before->record))
		return *before;
	if (e->close.known)
		return position_by_witness(e, witness_of(t, i), before);
	/* the %sync that ends it cannot be parsed: no other position is declared */
	return before->known ? *before : position_by_witness(e, witness_of(t, i), before);
}

/*
 * Returns whether a %iotrace in the middle begins another trace, as opposed to a repeated first
 * interval.
 */
static bool another_begins(const struct intervals *t, const struct interval *e, uint64_t done)
{
	if (!e->from_header)
		return false;
	return t->entry[0].proof == PROOF_NONE ? done > 0 : e->hash != t->entry[0].hash;
}

static void settle_one(struct intervals *t, size_t i, struct settle_progress *p)
{
	struct interval *e = &t->entry[i];
	e->disposition = DISPOSITION_LOST;
	p->another |= another_begins(t, e, p->done);
	if (p->another)
		return;
	if (!e->follows)
		p->before.known = false;
	if (e->at_start || e->from_header)
		p->before = (struct position){.known = true};
	struct position position = {0};
	if (e->proof != PROOF_NONE)
		position = position_of(t, i, p);
	p->before.known = false;
	p->ambiguous = e->proof == PROOF_HASH && !position.known;
	if (!position.known)
		return;
	e->record = position.record;
	e->time = position.time;
	if (position.record >= p->done) {
		e->disposition = DISPOSITION_KEPT;
		p->done = position.record + e->records;
	} else if (position.record + e->records <= p->done) {
		e->disposition = DISPOSITION_REPEATED;
	}
	/* after a frame that is only proven by its checksum, text may be missing */
	if (e->proof == PROOF_HASH)
		p->before = after(&position, e);
}

static uint64_t first_kept_record(const struct intervals *t, size_t *i)
{
	while (*i < t->count && t->entry[*i].disposition != DISPOSITION_KEPT)
		++*i;
	return *i < t->count ? t->entry[*i].record : UINT64_MAX;
}

/* Keeps unproven intervals that fit between proven ones. */
static void settle_unverified(struct intervals *t)
{
	uint64_t done = 0;
	size_t next = 0;
	for (size_t i = 0; i < t->count; i++) {
		struct interval *e = &t->entry[i];
		next = next < i ? i : next;
		const uint64_t limit = first_kept_record(t, &next);
		if (e->disposition == DISPOSITION_KEPT)
			done = e->record + e->records;
		if (e->disposition != DISPOSITION_LOST || e->from_header || e->records == 0 ||
		    !e->open.known)
			continue;
		if (e->open.record < done || e->open.record > limit ||
		    e->records > limit - e->open.record)
			continue;
		e->record = e->open.record;
		e->time = e->open.time;
		e->disposition = DISPOSITION_UNVERIFIED;
		done = e->record + e->records;
	}
}

void intervals_settle(struct intervals *t, bool keep_unverified)
{
	struct settle_progress p = {0};
	for (size_t i = 0; i < t->count; i++)
		settle_one(t, i, &p);
	if (keep_unverified)
		settle_unverified(t);
}
