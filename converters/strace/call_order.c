/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of several tasks on one position, or on one file's end, of which the log does not show the
 * order: their offsets are guesses, and marked as not known.
 *
 * In one log a call lies between its first line and its last. While it waits for the last it is
 * counted with what it uses, so that calls that return earlier know of it.
 *
 * The files of a set show when a call began and, with -T, how long it took without the time that
 * strace took to print it. That time ends before strace looks at the next event of any task. Records
 * wait until nothing to come can have begun before their calls returned.
 */
#include "strace.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNSETTLED_MAX = 4096,
	SETTLE_LINES = 64, /* between two looks at what can be settled */
};

#define PRINTING_NS_MAX                                                                            \
	INT64_C(100000000)       /* longer than strace takes to print a call's beginning */
#define ROUNDED_NS INT64_C(2000) /* by which times and durations may be cut */

struct strace_unsettled {
	struct fd_use use;
	struct iot_record record;
	struct open_description *open; /* with a reference */
	bool appends, known;
};

struct fd_use strace_use(const struct strace_call *c)
{
	return (struct fd_use){.entered = c->entered,
			       .left = c->left,
			       .took_ns = c->duration_known ? (int64_t)c->duration_ns : -1,
			       .task = c->task->tid,
			       .turn = c->task->turn};
}

/* The earliest line of the set that began after this. */
static int64_t next_start(const struct strace *s, int64_t after)
{
	int64_t first = INT64_MAX;
	for (unsigned i = 0; i < STRACE_STARTS; i++)
		if (s->starts[i] > after && s->starts[i] < first)
			first = s->starts[i];
	return first;
}

/* When the call had returned for sure. */
static int64_t upper(struct strace *s, const struct fd_use *u)
{
	if (s->members == 1)
		return u->left;
	const struct strace_task *t = strace_task_find(s, u->task);
	int64_t end = INT64_MAX;
	if (t != NULL && t->turn > u->turn) /* where its next line is forgotten, a later one */
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

/* Calls under way */

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

/* How many others are in a call on it? */
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
 * Records that wait and may have been in another order: of this description, or else those that
 * appended to this file. What came later at a position that an append has left is as doubtful.
 */
static void ambiguity(struct strace *s, const struct strace_call *c,
		      const struct open_description *d, const struct tracked_file *f)
{
	for (unsigned i = 0; i < s->unsettled_count; i++) {
		struct strace_unsettled *u =
		    &s->unsettled[(s->unsettled_first + i) % UNSETTLED_MAX];
		const bool meant = d != NULL ? u->open == d : u->appends && u->open->file == f;
		const bool moved = d == NULL && u->open->file == f && !u->open->position_known;
		if (!u->known || (!moved && !(meant && strace_overlaps(s, c, &u->use))))
			continue;
		u->known = false;
		if (d == NULL)
			u->open->position_known = false;
		strace_count(s, "ambiguous.order", 1);
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

/* Has all that used it left before any call that is still to come was entered? */
static bool is_over(struct strace *s, const struct fd_uses *u)
{
	return s->members == 1 ||
	       (u->end <= s->settled_ns && has_left(s, &u->last[0]) && has_left(s, &u->last[1]));
}

/* Adds a call to the uses. overlaps: with one of them, or with one under way (waiting). */
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
 * In a set without durations nothing shows when a call of a thread returned, and so not which of the
 * threads has had a number, a position or a file's end first.
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
	if (overlaps || waiting)
		strace_count(s, "ambiguous.order", 1);
	/* moves add up in any order */
	d->disputed = overlaps && d->uses.kinds != STRACE_ADDS;
	return overlaps || waiting || strace_is_elsewhere(s, d) || is_lost(s, c);
}

bool strace_size_race(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		      unsigned kind)
{
	const bool waiting = other_writers(c->task, f) > 0, overlaps = overlap(s, c, &f->resizes),
		   unseen = f->elsewhere || (f->opened && s->passed > 0) || is_lost(s, c);
	if (kind == 0)
		return overlaps || waiting || unseen;
	if (overlaps && s->members > 1)
		ambiguity(s, c, NULL, f);
	add(s, c, &f->resizes, kind, overlaps, waiting);
	f->disputed =
	    overlaps && f->resizes.kinds != STRACE_ADDS && f->resizes.kinds != STRACE_GROWS;
	return overlaps || waiting || unseen;
}

void strace_learn_size(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		       uint64_t size)
{
	if ((f->size_known && f->size == size) || strace_size_race(s, c, f, 0))
		return;
	strace_size_race(s, c, f, STRACE_SETS); /* a write to come may be in it already */
	file_truncate(f, size);
}

/* Records that wait */

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
		s->unsettled = malloc(UNSETTLED_MAX * sizeof *s->unsettled);
	if (s->unsettled == NULL) {
		s->status = IOT_ENOMEM;
		return;
	}
	if (s->unsettled_count == UNSETTLED_MAX) { /* it could still turn out to be a guess */
		struct strace_unsettled *u = &s->unsettled[s->unsettled_first];
		if (u->known)
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
