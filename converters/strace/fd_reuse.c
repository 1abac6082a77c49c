/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptor numbers that threads reuse. A call refers to the description that its descriptor had
 * when the call was entered, but its line may follow after another thread has closed that number
 * and a third has opened another file with it. A number that a call returns is certainly free: a
 * close of it that was entered but has not returned in the log has taken effect.
 */
#include "strace.h"

#include <string.h>

int64_t strace_now(const struct strace *s)
{
	return s->members > 1 ? s->now_ns : (int64_t)s->src->report.lines;
}

/* Stores the description of a number if another task may still be in a call that uses it. */
static void remember(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const struct fd_table *table = c->task->table;
	const struct fd_slot *slot = table->refs > 1 ? fd_table_get(table, fd) : NULL;
	if (slot == NULL)
		return;
	struct strace_gone *g = &s->gone[s->gone_next++ % STRACE_GONE];
	open_description_free(&s->tracker, g->slot.open);
	*g = (struct strace_gone){.table = table->id,
				  .fd = fd,
				  .until = c->left,
				  .last = fd_table_last(table, fd),
				  .slot = {.open = slot->open, .since = slot->since}};
	slot->open->refs++;
}

struct strace_gone *strace_gone(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const unsigned count = s->gone_next < STRACE_GONE ? s->gone_next : STRACE_GONE;
	for (unsigned i = 1; i <= count; i++) {
		struct strace_gone *g = &s->gone[(s->gone_next - i) % STRACE_GONE];
		if (g->fd == fd && g->table == c->task->table->id && g->slot.since <= c->entered &&
		    g->until > c->entered)
			return g;
	}
	return NULL;
}

struct fd_slot *strace_no_slot(struct strace *s, const struct strace_fd *fd)
{
	open_description_free(&s->tracker, s->unknown.open);
	s->unknown.open = strace_fd_found(s, fd);
	strace_count(s, "ambiguous.descriptor", 1);
	if (s->unknown.open == NULL)
		return NULL;
	s->unknown.open->elsewhere = s->unknown.open->vague = true;
	return &s->unknown;
}

void strace_reuse_free(struct strace *s)
{
	for (unsigned i = 0; i < STRACE_GONE; i++)
		open_description_free(&s->tracker, s->gone[i].slot.open);
	for (unsigned i = 0; i < STRACE_OWED; i++)
		open_description_free(&s->tracker, s->owed[i].open);
	open_description_free(&s->tracker, s->unknown.open);
}

bool strace_is_candidate(const struct open_description *d)
{
	return !d->seen && d->note == 0 && (d->kind == FD_PIPE || d->kind == FD_SOCKET);
}

/*
 * Records that a call returned a number that seems to be in use: its close follows later, or is
 * missing.
 */
static void owe(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const struct fd_slot *slot = fd_table_get(c->task->table, fd);
	if (strace_is_candidate(slot->open))
		return;
	struct strace_owed *o = &s->owed[s->owed_next++ % STRACE_OWED];
	s->missed++;
	slot->open->refs++;
	open_description_free(&s->tracker, o->open);
	*o = (struct strace_owed){.table = c->task->table->id,
				  .fd = fd,
				  .by = strace_use(c),
				  .open = slot->open,
				  .since = slot->since};
	for (unsigned i = 0; i < STRACE_GONE; i++) {
		const struct strace_installed *in = &s->installed[i];
		if (in->table == o->table && in->fd == fd && in->by.left == o->since)
			o->first = in->by;
	}
}

bool strace_is_unsure(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const unsigned count = s->owed_next < STRACE_OWED ? s->owed_next : STRACE_OWED;
	for (unsigned i = 1; i <= count && s->missed > 0; i++) {
		const struct strace_owed *o = &s->owed[(s->owed_next - i) % STRACE_OWED];
		if (o->fd == fd && o->table == c->task->table->id && strace_overlaps(s, c, &o->by))
			return true;
	}
	return false;
}

bool strace_is_late(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const struct fd_slot *slot = fd_table_get(c->task->table, fd);
	const unsigned count = s->owed_next < STRACE_OWED ? s->owed_next : STRACE_OWED;
	/* times may decrease, but not those of a task that is alone */
	const bool late = slot != NULL && slot->since > c->entered &&
			  (s->members == 1 || c->task->table->refs > 1);
	for (unsigned i = 1; i <= count; i++) {
		struct strace_owed *o = &s->owed[(s->owed_next - i) % STRACE_OWED];
		if (o->fd != fd || o->table != c->task->table->id || o->table == 0)
			continue;
		if (!late && !strace_overlaps(s, c, &o->by))
			continue;
		o->table = 0;
		s->missed--;
		return true;
	}
	return late;
}

/*
 * If two calls of a set returned the same number, the second may have returned first: then this
 * close refers to the second's description, and the first's is open afterwards.
 */
static void restore(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const unsigned count = s->owed_next < STRACE_OWED ? s->owed_next : STRACE_OWED;
	for (unsigned i = 1; i <= count && s->missed > 0; i++) {
		struct strace_owed *o = &s->owed[(s->owed_next - i) % STRACE_OWED];
		if (o->fd != fd || o->table != c->task->table->id || o->first.left == 0 ||
		    o->first.task == c->task->tid || !strace_overlaps(s, c, &o->first))
			continue;
		o->table = 0;
		s->missed--;
		o->open->refs++;
		struct fd_slot *slot =
		    fd_table_set(&s->tracker, c->task->table, fd, o->open, false);
		if (slot != NULL)
			slot->since = o->since;
		return;
	}
}

void strace_release(struct strace *s, const struct strace_call *c, int64_t fd)
{
	remember(s, c, fd);
	fd_table_close(&s->tracker, c->task->table, fd);
	if (s->members > 1)
		restore(s, c, fd);
}

static void since(struct strace *s, const struct strace_call *c, int64_t fd)
{
	struct fd_slot *slot = fd_table_get(c->task->table, fd);
	if (slot == NULL)
		return;
	slot->since = c->left;
	if (s->members > 1)
		s->installed[s->installed_next++ % STRACE_GONE] = (struct strace_installed){
		    .table = c->task->table->id, .fd = fd, .by = strace_use(c)};
}

struct fd_slot *strace_install(struct strace *s, struct strace_call *c, int64_t fd,
			       struct open_description *d, bool cloexec)
{
	const struct fd_slot *there = fd_table_get(c->task->table, fd);
	if (there != NULL && there->open->seen)
		owe(s, c, fd);
	remember(s, c, fd);
	struct fd_slot *slot = fd_table_set(&s->tracker, c->task->table, fd, d, cloexec);
	since(s, c, fd);
	return slot;
}

void strace_copy(struct strace *s, struct strace_call *c, const struct strace_fd *from, int64_t to,
		 bool cloexec, bool chosen)
{
	struct fd_table *table = c->task->table;
	const struct fd_slot *there = fd_table_get(table, to);
	struct fd_slot *slot = strace_slot(s, c, from);
	if (slot == NULL || (chosen && from->number == to))
		return;
	if (chosen && there != NULL && there->since > c->entered) {
		/* opened while dup2 was active: the order of the two is unknown */
		const struct strace_fd nothing = {.number = to};
		slot = strace_no_slot(s, &nothing);
		if (slot == NULL)
			return;
	} else if (!chosen && there != NULL && there->open->seen && there->open != slot->open) {
		owe(s, c, to);
	}
	struct open_description *d = slot->open;
	d->refs++; /* remember() may drop the last other reference */
	remember(s, c, to);
	if (fd_table_get(table, from->number) == slot)
		fd_table_dup(&s->tracker, table, from->number, to, cloexec);
	else if (d->refs++ > 0)
		fd_table_set(&s->tracker, table, to, d, cloexec);
	open_description_free(&s->tracker, d);
	since(s, c, to);
}
