/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of several tasks that use one position, or the end of one file, and whose order the log
 * does not show: their offsets are guesses, and marked as unknown.
 *
 * In one log, a call extends from its first line to its last. While it is active, it is counted
 * with the objects it uses, so that calls that return earlier see it.
 *
 * The files of a set show when a call started and, with -T, how long it took without the time that
 * strace took to print it. That interval ends before strace handles the next event of any task.
 * Records are delayed until no later line can have started before their calls returned.
 */
#include "strace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNSETTLED_MAX = 4096,
	SETTLE_LINES = 64, /* number of lines between checks for records that can be settled */
};

/* Upper bound of the time that strace takes to print the start of a call. */
#define PRINTING_NS_MAX INT64_C(100000000)
/* Maximum rounding error of times and durations. */
#define ROUNDED_NS INT64_C(2000)

struct strace_unsettled {
	struct fd_use use;
	struct iot_record record;
	struct open_description *open; /* holds a reference */
	bool appends, known;
	bool counted; /* as ambiguous */
};

int64_t strace_now(const struct strace *s)
{
	return s->log.members > 1 ? s->now_ns : (int64_t)s->src->report.lines;
}

struct fd_use strace_use_of(const struct strace_call *c)
{
	return (struct fd_use){.entered = c->entered,
			       .left = c->left,
			       .took_ns = c->duration_known ? (int64_t)c->duration_ns : -1,
			       .task = c->task->tid,
			       .turn = c->task->turn};
}

/* Returns the earliest start of a line of the set after `after`. */
static int64_t next_start(const struct strace *s, int64_t after)
{
	int64_t first = INT64_MAX;
	for (unsigned i = 0; i < STRACE_STARTS; i++)
		if (s->log.starts[i] > after && s->log.starts[i] < first)
			first = s->log.starts[i];
	return first;
}

/* Returns a time by which the call had certainly returned. */
static int64_t upper(struct strace *s, const struct fd_use *u)
{
	if (s->log.members == 1)
		return u->left;
	const struct strace_task *t = strace_task_find(s, u->task);
	int64_t end = INT64_MAX;
	/* if its next line is no longer stored, use a later one */
	if (t != NULL && t->turn > u->turn)
		end = t->starts[(t->turn - u->turn < STRACE_TURNS ? u->turn + 1 : t->turn) %
				STRACE_TURNS];
	else if (t != NULL && t->member != NULL && t->member->tid == t->tid &&
		 t->member->last_ns > u->entered)
		end = t->member->last_ns; /* the start of its next line, which has been read */
	if (u->took_ns < 0)
		return t == NULL ? u->left : end;
	const int64_t cap = u->left + PRINTING_NS_MAX;
	if (cap < end)
		end = cap;
	const int64_t next = next_start(s, u->entered);
	if (next != INT64_MAX && next + u->took_ns + ROUNDED_NS < end)
		end = next + u->took_ns + ROUNDED_NS;
	return end > u->left ? end : u->left;
}

bool strace_overlaps(struct strace *s, const struct strace_call *c, const struct fd_use *u)
{
	if (u->task == c->task->tid || u->left == 0)
		return false;
	return c->entered < u->left || (s->log.members > 1 && c->entered < upper(s, u));
}

/* Races */

/* Returns the number of other tasks in a call that uses it. */
static uint32_t other_users(const struct strace_task *t, const struct open_description *d)
{
	return d->users - (t->active.using[0].open == d) - (t->active.using[1].open == d);
}

static uint32_t other_writers(const struct strace_task *t, const struct tracked_file *f)
{
	return f->writers - (t->active.using[0].file == f) - (t->active.using[1].file == f);
}

/*
 * Marks delayed records as unknown if they may have been in another order: records of this
 * description, or records that appended to this file. If an append was uncertain, later offsets at
 * its position are, too.
 */
static void ambiguity(struct strace *s, const struct strace_call *c,
		      const struct open_description *d, const struct tracked_file *f)
{
	for (unsigned i = 0; i < s->order.count; i++) {
		struct strace_unsettled *u =
		    &s->order.unsettled[(s->order.first + i) % UNSETTLED_MAX];
		const bool meant = d != NULL ? u->open == d : u->appends && u->open->file == f;
		const bool overlapped = meant && strace_overlaps(s, c, &u->use);
		const bool moved =
		    u->known && d == NULL && u->open->file == f && !u->open->position_known;
		if (!moved && !overlapped)
			continue;
		if (u->known && d == NULL)
			u->open->position_known = false;
		u->known = false;
		if (!u->counted)
			strace_count(s, "ambiguous.order", 1);
		u->counted = true;
	}
}

static bool overlap(struct strace *s, const struct strace_call *c, const struct fd_uses *u)
{
	return c->entered < u->end || strace_overlaps(s, c, &u->last[0]) ||
	       strace_overlaps(s, c, &u->last[1]);
}

static bool has_left(struct strace *s, const struct fd_use *u)
{
	return (u->took_ns < 0 ? upper(s, u) : u->left + PRINTING_NS_MAX) <= s->order.settled_ns;
}

/* Returns true if all uses ended before any later call was entered. */
static bool is_over(struct strace *s, const struct fd_uses *u)
{
	return s->log.members == 1 || (u->end <= s->order.settled_ns && has_left(s, &u->last[0]) &&
				       has_left(s, &u->last[1]));
}

/* Adds a call to the uses. overlaps: with an earlier use; waiting: with an active call. */
static void add(struct strace *s, const struct strace_call *c, struct fd_uses *u, unsigned kind,
		bool overlaps, bool waiting)
{
	const struct fd_use now = strace_use_of(c);
	if (!overlaps && !waiting && is_over(s, u))
		u->kinds = 0;
	u->kinds |= kind;
	if (u->last[0].task != now.task) {
		if (u->last[1].left != 0 && u->last[1].task != now.task) {
			const int64_t end = upper(s, &u->last[1]);
			if (end > u->end && end != INT64_MAX)
				u->end = end;
		}
		u->last[1] = u->last[0];
	}
	u->last[0] = now;
}

/*
 * In a set without durations the log does not show when a call returned, and so neither which of
 * the threads used a descriptor, a position or the end of a file first.
 */
static bool is_lost(struct strace *s, const struct strace_call *c)
{
	if (s->log.members == 1 || c->duration_known || c->task->table->refs == 1)
		return false;
	if (!s->order.untimed_noted)
		report_note(&s->src->report,
			    "a set of logs without durations does not show which thread came "
			    "first: offsets of its reads and writes are unknown; strace -T, or "
			    "-f without -ff, shows them");
	s->order.untimed_noted = true;
	return true;
}

/* Returns true if untraced processes may use the description. */
static bool is_elsewhere(const struct strace *s, const struct open_description *d)
{
	return d->elsewhere || (d->seen && (d->id < s->passing.passed ||
					    (d->file != NULL && d->id < d->file->passed)));
}

bool strace_position_race(struct strace *s, const struct strace_call *c, struct open_description *d,
			  unsigned kind)
{
	const bool waiting = other_users(c->task, d) > 0, overlaps = overlap(s, c, &d->uses);
	if (overlaps && s->log.members > 1)
		ambiguity(s, c, d, NULL);
	add(s, c, &d->uses, kind, overlaps, waiting);
	d->ambiguous = overlaps || waiting;
	if (d->ambiguous)
		strace_count(s, "ambiguous.order", 1);
	/* relative moves add up in any order */
	d->disputed = overlaps && d->uses.kinds != STRACE_ADDS;
	return overlaps || waiting || is_elsewhere(s, d) || is_lost(s, c);
}

/* *concurrent: whether another call may have changed the size at the same time. */
static bool size_race(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		      unsigned kind, bool *concurrent)
{
	const bool waiting = other_writers(c->task, f) > 0, overlaps = overlap(s, c, &f->resizes),
		   unseen = f->elsewhere || (f->opened && s->passing.passed > 0) || is_lost(s, c);
	*concurrent = overlaps || waiting;
	if (kind == 0)
		return *concurrent || unseen;
	if (overlaps && s->log.members > 1)
		ambiguity(s, c, NULL, f);
	add(s, c, &f->resizes, kind, overlaps, waiting);
	f->disputed =
	    overlaps && f->resizes.kinds != STRACE_ADDS && f->resizes.kinds != STRACE_GROWS;
	return *concurrent || unseen;
}

bool strace_size_race(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		      unsigned kind)
{
	bool concurrent;
	return size_race(s, c, f, kind, &concurrent);
}

bool strace_append_race(struct strace *s, const struct strace_call *c, struct open_description *d,
			bool positioned)
{
	bool concurrent;
	const bool race = size_race(s, c, d->file, STRACE_ADDS, &concurrent);
	const bool counted = positioned && d->ambiguous;
	if (concurrent && !counted)
		strace_count(s, "ambiguous.order", 1);
	d->ambiguous = concurrent || counted;
	return race;
}

void strace_learn_size(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		       uint64_t size)
{
	if ((f->size_known && f->size == size) || strace_size_race(s, c, f, 0))
		return;
	strace_size_race(s, c, f, STRACE_SETS); /* its result may already include a later write */
	file_truncate(f, size);
}

void strace_resized(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		    uint64_t size)
{
	strace_size_race(s, c, f, STRACE_SETS);
	file_truncate(f, size);
	f->size_known = !f->disputed;
}

/* Delayed records */

static struct strace_unsettled *first_unsettled(struct strace_order *o)
{
	assert(o->count > 0);
	return &o->unsettled[o->first];
}

static struct open_description *remove_first(struct strace_order *o)
{
	struct open_description *d = first_unsettled(o)->open;
	o->first = (o->first + 1) % UNSETTLED_MAX;
	o->count--;
	return d;
}

static void emit_first(struct strace *s)
{
	struct strace_unsettled *u = first_unsettled(&s->order);
	if (!u->known)
		u->record.flags |= IOT_OFFSET_UNKNOWN;
	strace_emit_record(s, &u->record);
	open_description_free(&s->fds, remove_first(&s->order));
}

static void delay(struct strace *s, const struct strace_call *c, struct open_description *d,
		  bool appends, const struct iot_record *record)
{
	struct strace_order *o = &s->order;
	if (o->unsettled == NULL)
		o->unsettled = calloc(UNSETTLED_MAX, sizeof *o->unsettled);
	if (o->unsettled == NULL) {
		s->status = IOT_ENOMEM;
		return;
	}
	/* the order could still turn out to be ambiguous */
	if (o->count == UNSETTLED_MAX) {
		struct strace_unsettled *u = first_unsettled(o);
		if (u->known && !u->counted)
			strace_count(s, "ambiguous.order", 1);
		u->known = false;
		emit_first(s);
	}
	d->refs++;
	o->unsettled[(o->first + o->count++) % UNSETTLED_MAX] =
	    (struct strace_unsettled){.use = strace_use_of(c),
				      .record = *record,
				      .open = d,
				      .appends = appends,
				      .counted = d->ambiguous,
				      .known = (record->flags & IOT_OFFSET_UNKNOWN) == 0};
}

void strace_record(struct strace *s, const struct strace_call *c, int64_t fd, struct fd_slot *slot,
		   const struct strace_io *io)
{
	struct iot_record rec;
	strace_make_record(s, c, fd, slot, io, &rec);
	if (s->log.members > 1 && io->ordered)
		delay(s, c, slot->open, io->appends, &rec);
	else
		strace_emit_record(s, &rec);
}

void strace_settle(struct strace *s, bool all)
{
	struct strace_order *o = &s->order;
	if (s->log.members == 1 || (!all && ++o->lines < SETTLE_LINES + s->log.members / 4))
		return;
	o->lines = 0;
	o->settled_ns = all ? INT64_MAX : strace_log_watermark(&s->log);
	while (o->count > 0) {
		const struct fd_use *u = &first_unsettled(o)->use;
		if (!all && (u->left >= o->settled_ns || upper(s, u) >= o->settled_ns))
			return;
		emit_first(s);
	}
}

int64_t strace_unsettled_since(const struct strace *s)
{
	const struct strace_order *o = &s->order;
	int64_t first = INT64_MAX;
	for (unsigned i = 0; i < o->count; i++) {
		const int64_t start_ns =
		    o->unsettled[(o->first + i) % UNSETTLED_MAX].record.start_ns;
		if (start_ns < first)
			first = start_ns;
	}
	return first;
}

void strace_order_free(struct strace *s)
{
	while (s->order.count > 0)
		open_description_free(&s->fds, remove_first(&s->order));
	free(s->order.unsettled);
}
