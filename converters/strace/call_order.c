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

struct fd_use strace_use(const struct strace_call *c)
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
		if (s->starts[i] > after && s->starts[i] < first)
			first = s->starts[i];
	return first;
}

/* Returns a time by which the call had certainly returned. */
static int64_t upper(struct strace *s, const struct fd_use *u)
{
	if (s->members == 1)
		return u->left;
	const struct strace_task *t = strace_task_find(s, u->task);
	int64_t end = INT64_MAX;
	/* if its next line is no longer stored, use a later one */
	if (t != NULL && t->turn > u->turn)
		end = t->starts[(t->turn - u->turn < STRACE_TURNS ? u->turn + 1 : t->turn) %
				STRACE_TURNS];
	else if (t != NULL && t->next_start > u->entered)
		end = t->next_start;
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
	return c->entered < u->left || (s->members > 1 && c->entered < upper(s, u));
}

/* Active calls */

static void use(struct strace_using *u, struct open_description *d, struct tracked_file *f)
{
	u->open = d;
	u->file = f;
	if (d != NULL) {
		d->refs++;
		d->users++;
	}
	if (f != NULL) {
		f->refs++;
		f->writers++;
	}
}

static void enter_fd(struct strace_task *t, struct strace_using *u, struct strace_text arg,
		     bool moves, bool writes)
{
	const struct strace_fd fd = strace_fd(arg);
	const struct fd_slot *slot = fd_table_get(t->table, fd.number);
	if (slot != NULL && slot->open->kind == FD_FILE)
		use(u, moves ? slot->open : NULL, writes ? slot->open->file : NULL);
}

void strace_order_enter(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	const unsigned class = c->entry->class;
	if ((class & (STRACE_MOVES | STRACE_WRITES)) == 0)
		return;
	if (t->text_size > 0)
		strace_split(t->text, t->text + t->text_size, NULL, c->arg, STRACE_ARGS, &c->args);
	if (c->args == 0)
		return;
	if ((class & STRACE_COPIES) != 0) {
		const unsigned second = c->entry->run == strace_sendfile ? 1 : 2;
		enter_fd(t, &t->using[0], c -> arg[0], true, second == 1);
		if (c->args > second)
			enter_fd(t, &t->using[1], c -> arg[second], true, second == 2);
	} else if ((class & STRACE_OPENS) != 0) {
		use(&t->using[0], NULL, strace_truncates(s, c));
	} else {
		enter_fd(t, &t->using[0], c -> arg[0], (class & STRACE_MOVES) != 0,
			 (class & STRACE_WRITES) != 0);
	}
}

void strace_order_leave(struct strace *s, struct strace_task *t)
{
	for (unsigned i = 0; i < 2; i++) {
		struct strace_using u = t->using[i];
		t->using[i] = (struct strace_using){0};
		if (u.open != NULL)
			u.open->users--;
		if (u.file != NULL)
			u.file->writers--;
		open_description_free(&s->tracker, u.open);
		file_free(&s->tracker, u.file);
	}
}

/* Returns the number of other tasks in a call that uses it. */
static uint32_t other_users(const struct strace_task *t, const struct open_description *d)
{
	return d->users - (t->using[0].open == d) - (t->using[1].open == d);
}

static uint32_t other_writers(const struct strace_task *t, const struct tracked_file *f)
{
	return f->writers - (t->using[0].file == f) - (t->using[1].file == f);
}

/* Races */

/*
 * Marks delayed records as unknown if they may have been in another order: those of this
 * description, or those that appended to this file. If an append was uncertain, later offsets at
 * its position are, too.
 */
static void ambiguity(struct strace *s, const struct strace_call *c,
		      const struct open_description *d, const struct tracked_file *f)
{
	for (unsigned i = 0; i < s->unsettled_count; i++) {
		struct strace_unsettled *u =
		    &s->unsettled[(s->unsettled_first + i) % UNSETTLED_MAX];
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
	return (u->took_ns < 0 ? upper(s, u) : u->left + PRINTING_NS_MAX) <= s->settled_ns;
}

/* Returns true if all uses ended before any later call was entered. */
static bool is_over(struct strace *s, const struct fd_uses *u)
{
	return s->members == 1 ||
	       (u->end <= s->settled_ns && has_left(s, &u->last[0]) && has_left(s, &u->last[1]));
}

/* Adds a call to the uses. overlaps: with an earlier use; waiting: with an active call. */
static void add(struct strace *s, const struct strace_call *c, struct fd_uses *u, unsigned kind,
		bool overlaps, bool waiting)
{
	const struct fd_use now = strace_use(c);
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
	if (s->members == 1 || c->duration_known || c->task->table->refs == 1)
		return false;
	if (!s->untimed_noted)
		report_note(&s->src->report,
			    "a set of logs without durations does not show which thread came "
			    "first: offsets of its reads and writes are unknown; strace -T, or "
			    "-f without -ff, shows them");
	s->untimed_noted = true;
	return true;
}

bool strace_position_race(struct strace *s, const struct strace_call *c, struct open_description *d,
			  unsigned kind)
{
	const bool waiting = other_users(c->task, d) > 0, overlaps = overlap(s, c, &d->uses);
	if (overlaps && s->members > 1)
		ambiguity(s, c, d, NULL);
	add(s, c, &d->uses, kind, overlaps, waiting);
	d->ambiguous = overlaps || waiting;
	if (d->ambiguous)
		strace_count(s, "ambiguous.order", 1);
	/* relative moves add up in any order */
	d->disputed = overlaps && d->uses.kinds != STRACE_ADDS;
	return overlaps || waiting || strace_is_elsewhere(s, d) || is_lost(s, c);
}

/* *concurrent: whether another call may have changed the size at the same time. */
static bool size_race(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		      unsigned kind, bool *concurrent)
{
	const bool waiting = other_writers(c->task, f) > 0, overlaps = overlap(s, c, &f->resizes),
		   unseen = f->elsewhere || (f->opened && s->passed > 0) || is_lost(s, c);
	*concurrent = overlaps || waiting;
	if (kind == 0)
		return *concurrent || unseen;
	if (overlaps && s->members > 1)
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

/* Delayed records */

static void let_go(struct strace *s)
{
	struct strace_unsettled *u = &s->unsettled[s->unsettled_first];
	s->unsettled_first = (s->unsettled_first + 1) % UNSETTLED_MAX;
	s->unsettled_count--;
	if (!u->known)
		u->record.flags |= IOT_OFFSET_UNKNOWN;
	strace_emit_made(s, &u->record);
	open_description_free(&s->tracker, u->open);
}

void strace_wait(struct strace *s, const struct strace_call *c, struct open_description *d,
		 bool appends, const struct iot_record *record)
{
	if (s->unsettled == NULL)
		s->unsettled = calloc(UNSETTLED_MAX, sizeof *s->unsettled);
	if (s->unsettled == NULL) {
		s->status = IOT_ENOMEM;
		return;
	}
	/* the order could still turn out to be ambiguous */
	if (s->unsettled_count == UNSETTLED_MAX) {
		struct strace_unsettled *u = &s->unsettled[s->unsettled_first];
		if (u->known && !u->counted)
			strace_count(s, "ambiguous.order", 1);
		u->known = false;
		let_go(s);
	}
	d->refs++;
	s->unsettled[(s->unsettled_first + s->unsettled_count++) % UNSETTLED_MAX] =
	    (struct strace_unsettled){.use = strace_use(c),
				      .record = *record,
				      .open = d,
				      .appends = appends,
				      .counted = d->ambiguous,
				      .known = (record->flags & IOT_OFFSET_UNKNOWN) == 0};
}

void strace_settle(struct strace *s, bool all)
{
	if (s->members == 1 || (!all && ++s->settle_lines < SETTLE_LINES + s->members / 4))
		return;
	s->settle_lines = 0;
	const int64_t mark = all ? INT64_MAX : strace_log_watermark(s);
	s->settled_ns = mark;
	while (s->unsettled_count > 0) {
		const struct fd_use *u = &s->unsettled[s->unsettled_first].use;
		if (!all && (u->left >= mark || upper(s, u) >= mark))
			return;
		let_go(s);
	}
}

int64_t strace_unsettled_since(const struct strace *s)
{
	int64_t first = INT64_MAX;
	for (unsigned i = 0; i < s->unsettled_count; i++) {
		const struct strace_unsettled *u =
		    &s->unsettled[(s->unsettled_first + i) % UNSETTLED_MAX];
		if (u->record.start_ns < first)
			first = u->record.start_ns;
	}
	return first;
}

void strace_order_free(struct strace *s)
{
	for (; s->unsettled_count > 0; s->unsettled_count--) {
		open_description_free(&s->tracker, s->unsettled[s->unsettled_first].open);
		s->unsettled_first = (s->unsettled_first + 1) % UNSETTLED_MAX;
	}
	free(s->unsettled);
}
