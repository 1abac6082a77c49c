/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that create and change processes: fork and similar calls, exec, unshare. */
#include "strace.h"

#include <stdlib.h>
#include <string.h>

enum clone_flag { SHARE_FS = 1, SHARE_FILES = 2, SHARE_GROUP = 4 };

enum raw_clone { RAW_CLONE_FS = 0x200, RAW_CLONE_FILES = 0x400, RAW_CLONE_THREAD = 0x10000 };

static unsigned raw_flags(int64_t value)
{
	return ((value & RAW_CLONE_FS) != 0 ? SHARE_FS : 0U) |
	       ((value & RAW_CLONE_FILES) != 0 ? SHARE_FILES : 0U) |
	       ((value & RAW_CLONE_THREAD) != 0 ? SHARE_GROUP : 0U);
}

static unsigned clone_flags(struct strace_text text)
{
	int64_t value;
	bool raw = text.p < text.end && (unsigned char)(*text.p - '0') < 10;
	if (strace_field(text, "flags=", &value) || (raw && strace_number(text, &value)))
		return raw_flags(value);
	return (strace_has_flag(text, "CLONE_FS") ? SHARE_FS : 0U) |
	       (strace_has_flag(text, "CLONE_FILES") ? SHARE_FILES : 0U) |
	       (strace_has_flag(text, "CLONE_THREAD") ? SHARE_GROUP : 0U);
}

static struct strace_group *child_group(struct strace *s, struct strace_group *parent, bool thread)
{
	if (thread && !s->threads) {
		parent->refs++;
		return parent;
	}
	struct strace_group *g = strace_group_new(s);
	if (g == NULL)
		return NULL;
	if (thread) {
		g->thread_of = parent->thread_of != 0 ? parent->thread_of : parent->id;
		g->leader = parent->leader != NULL ? parent->leader : parent;
		g->leader->refs++;
	}
	g->parent = thread ? parent->parent : parent->id;
	if (parent->name != NULL)
		strace_group_name(s, g, parent->name, parent->name_size);
	return g;
}

/* Stores the provisional child of this fork, with the state that it inherits now. */
void strace_fork_enter(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	unsigned flags = 0;
	if (c->args > 0 && strchr(c->entry->name, 'c') == c->entry->name)
		flags = clone_flags((struct strace_text){c->arg[0].p, c->arg[c->args - 1].end});
	strace_drop_provisional(s, t);
	struct strace_task *child = fdtable_grow(&s->tracker, NULL, 0, sizeof *child);
	if (child == NULL)
		return;
	child->thread = (flags & SHARE_GROUP) != 0;
	child->group = child_group(s, t->group, child->thread);
	child->table = (flags & SHARE_FILES) != 0 ? fd_table_share(t->table)
						  : fd_table_copy(&s->tracker, t->table);
	child->cwd = (flags & SHARE_FS) != 0
			 ? directory_share(t->cwd)
			 : directory_new(&s->tracker, t->cwd->path, t->cwd->size);
	if (child->group == NULL || child->table == NULL || child->cwd == NULL) {
		strace_task_free(s, child);
		return;
	}
	strace_expect_child(s, t, child);
}

/* Handles strace's message that it has attached to the child of the current fork. */
void strace_attached(struct strace *s, struct strace_task *parent, uint32_t tid)
{
	if (parent->provisional != NULL && strace_task_find(s, tid) == NULL)
		strace_task_adopt(s, strace_take_provisional(s, parent), tid);
}

/* Sets the parent of a process that appeared before its number was returned. */
static void adopt(struct strace *s, struct strace_task *child,
		  const struct strace_task *provisional)
{
	child->adopted = false;
	child->group->parent = provisional->group->parent;
	child->group->announced = false;
	strace_count(s, "late_parent", 1);
}

void strace_fork(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	bool ok = c->returned && !c->failed && c->result > 0 && c->result <= STRACE_PID_MAX;
	if (!ok) {
		strace_drop_provisional(s, t);
		return;
	}
	uint32_t tid = (uint32_t)c->result;
	struct strace_task *there = strace_task_find(s, tid);
	/* a process is not its own child: a damaged line, or a number of another namespace */
	if (there == t) {
		strace_drop_provisional(s, t);
		return;
	}
	if (t->provisional == NULL && t->pending == STRACE_WAITING) /* it has already appeared */
		return;
	if (t->provisional == NULL)
		strace_fork_enter(s, c);
	if (t->provisional == NULL)
		return;
	struct strace_task *child = strace_take_provisional(s, t);
	if (there != NULL && there->adopted) {
		adopt(s, there, child);
		strace_task_free(s, child);
		return;
	}
	if (there != NULL)
		strace_task_end(s, there);
	if (strace_task_adopt(s, child, tid))
		s->release_due = s->held != NULL;
}

static void unshare_table(struct strace *s, struct strace_task *t)
{
	if (t->table->refs == 1)
		return;
	struct fd_table *own = fd_table_copy(&s->tracker, t->table);
	if (own == NULL)
		return;
	fd_table_free(&s->tracker, t->table);
	t->table = own;
}

void strace_exec(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	size_t size;
	if (!c->returned || c->failed || c->result != 0)
		return;
	strace_end_siblings(s, t);
	strace_aio_leave(s, t->group->leader != NULL ? t->group->leader : t->group);
	unshare_table(s, t);
	fd_table_exec(&s->tracker, t->table);
	unsigned at = c->entry->variant == 1 ? 1 : 0;
	if (c->args > at && strace_string(c->arg[at], s->path, sizeof s->path, &size) && size > 0)
		strace_group_name(s, t->group, s->path, size);
}

void strace_unshare(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	if (!c->returned || c->failed || c->args == 0)
		return;
	unsigned flags = clone_flags(c->arg[0]);
	if ((flags & SHARE_FILES) != 0)
		unshare_table(s, t);
	if ((flags & SHARE_FS) == 0 || t->cwd->refs == 1)
		return;
	struct directory *own = directory_new(&s->tracker, t->cwd->path, t->cwd->size);
	if (own == NULL)
		return;
	directory_free(&s->tracker, t->cwd);
	t->cwd = own;
}

/* Handles a call that returns the caller's number, made by the process without a number. */
void strace_own_number(struct strace *s, struct strace_call *c)
{
	if (s->numberless != c->task || !c->returned || c->result <= 0 ||
	    c->result > STRACE_PID_MAX || !s->brackets)
		return;
	s->numberless = NULL;
	strace_number_task(s, c->task, (uint32_t)c->result);
}
