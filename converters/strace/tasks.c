/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes and threads. A child often appears before its parent's fork returns, so its inherited
 * state is stored at the fork's entry, as a provisional child. If several forks are pending, the
 * child's lines are deferred until one of them returns its number.
 */
#include "strace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"

enum {
	TASKS_START = 64,
	GUESSES_MAX = 1000, /* maximum number of tasks searched for the call that a line resumes */
};

/* Tasks by number: open addressing */

static size_t bucket(const struct strace *s, uint32_t tid)
{
	return (size_t)hash_mix(s->tracker.seed, tid) & (s->task_capacity - 1);
}

static size_t task_at(const struct strace *s, uint32_t tid)
{
	size_t mask = s->task_capacity - 1;
	size_t i = bucket(s, tid);
	while (s->task[i] != NULL && s->task[i]->tid != tid)
		i = (i + 1) & mask;
	return i;
}

struct strace_task *strace_task_find(struct strace *s, uint32_t tid)
{
	if (s->task_count == 0)
		return NULL;
	return s->task[task_at(s, tid)];
}

static bool tasks_grow(struct strace *s)
{
	size_t capacity = s->task_capacity == 0 ? TASKS_START : s->task_capacity * 2;
	struct strace_task **old = s->task, **task;
	task = fdtable_grow(&s->tracker, NULL, 0, capacity * sizeof(struct strace_task *));
	if (task == NULL)
		return false;
	size_t old_capacity = s->task_capacity;
	s->task = task;
	s->task_capacity = capacity;
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i] != NULL)
			s->task[task_at(s, old[i]->tid)] = old[i];
	fdtable_drop(&s->tracker, old, old_capacity * sizeof(struct strace_task *));
	return true;
}

bool strace_number_task(struct strace *s, struct strace_task *t, uint32_t tid)
{
	if (s->task_count * 2 >= s->task_capacity && !tasks_grow(s))
		return false;
	t->tid = tid;
	s->task[task_at(s, tid)] = t;
	s->task_count++;
	return true;
}

/* Removes a task and moves the following entries of the probe sequence into the gap. */
static void task_remove(struct strace *s, const struct strace_task *t)
{
	if (s->task_count == 0)
		return;
	size_t mask = s->task_capacity - 1, gap = task_at(s, t->tid);
	if (s->task[gap] != t)
		return;
	for (size_t i = (gap + 1) & mask; s->task[i] != NULL; i = (i + 1) & mask) {
		if (((i - bucket(s, s->task[i]->tid)) & mask) < ((i - gap) & mask))
			continue;
		s->task[gap] = s->task[i];
		gap = i;
	}
	s->task[gap] = NULL;
	s->task_count--;
}

/* Groups */

static void group_free(struct strace *s, struct strace_group *g)
{
	if (g == NULL || --g->refs > 0)
		return;
	strace_aio_leave(s, g);
	group_free(s, g->leader);
	fdtable_drop(&s->tracker, g->name, g->name_size);
	fdtable_drop(&s->tracker, g, sizeof *g);
}

void strace_group_name(struct strace *s, struct strace_group *g, const char *name, size_t size)
{
	if (g->name != NULL && g->name_size == size && memcmp(g->name, name, size) == 0)
		return;
	char *copy = fdtable_grow(&s->tracker, NULL, 0, size);
	if (copy == NULL)
		return;
	memcpy(copy, name, size);
	fdtable_drop(&s->tracker, g->name, g->name_size);
	g->name = copy;
	g->name_size = size;
	g->announced = false;
}

/* Returns an unused process id for a pid that may have been reused. */
static uint32_t new_id(struct strace *s, uint32_t pid)
{
	if (pid == 0)
		pid = 1;
	if (pid > STRACE_PID_MAX)
		return ++s->next_id + STRACE_PID_MAX;
	if (s->used_ids == NULL)
		s->used_ids = calloc(1, STRACE_PID_MAX / 8 + 1);
	if (s->used_ids == NULL) {
		s->status = IOT_ENOMEM;
		return pid;
	}
	uint8_t bit = (uint8_t)(1U << pid % 8);
	if ((s->used_ids[pid / 8] & bit) != 0)
		return ++s->next_id + STRACE_PID_MAX;
	s->used_ids[pid / 8] |= bit;
	return pid;
}

struct strace_group *strace_group_new(struct strace *s)
{
	struct strace_group *g = fdtable_grow(&s->tracker, NULL, 0, sizeof *g);
	if (g != NULL)
		g->refs = 1;
	return g;
}

/* Creation and end */

void strace_task_free(struct strace *s, struct strace_task *t)
{
	if (t == NULL)
		return;
	strace_drop_provisional(s, t);
	strace_order_leave(s, t);
	if (t->peer_next != NULL) {
		t->peer_next->peer_prev = t->peer_prev;
		t->peer_prev->peer_next = t->peer_next;
	}
	fd_table_free(&s->tracker, t->table);
	directory_free(&s->tracker, t->cwd);
	group_free(s, t->group);
	fdtable_drop(&s->tracker, t->text, t->text_capacity);
	fdtable_drop(&s->tracker, t, sizeof *t);
}

void strace_expect_child(struct strace *s, struct strace_task *parent, struct strace_task *child)
{
	parent->provisional = child;
	parent->forking_prev = NULL;
	parent->forking_next = s->forking;
	if (s->forking != NULL)
		s->forking->forking_prev = parent;
	s->forking = parent;
	s->forks_pending++;
}

struct strace_task *strace_take_provisional(struct strace *s, struct strace_task *parent)
{
	struct strace_task *child = parent->provisional;
	if (child == NULL)
		return NULL;
	parent->provisional = NULL;
	s->forks_pending--;
	*(parent->forking_prev == NULL ? &s->forking : &parent->forking_prev->forking_next) =
	    parent->forking_next;
	if (parent->forking_next != NULL)
		parent->forking_next->forking_prev = parent->forking_prev;
	if (child->thread) {
		child->peer_prev = parent;
		child->peer_next = parent->peer_next == NULL ? parent : parent->peer_next;
		if (parent->peer_next == NULL)
			parent->peer_prev = child;
		else
			parent->peer_next->peer_prev = child;
		parent->peer_next = child;
	}
	return child;
}

void strace_drop_provisional(struct strace *s, struct strace_task *parent)
{
	strace_task_free(s, strace_take_provisional(s, parent));
}

/* Assigns a task its number and adds it to the live tasks. */
bool strace_task_adopt(struct strace *s, struct strace_task *t, uint32_t tid)
{
	if (tid != 0 && !strace_number_task(s, t, tid)) {
		strace_task_free(s, t);
		return false;
	}
	t->next = s->alive;
	*(s->alive != NULL ? &s->alive->prev : &s->oldest) = t;
	s->alive = t;
	if (t->group->id == 0) {
		t->group->pid = tid <= STRACE_PID_MAX ? tid : 0;
		t->group->id = new_id(s, tid);
		if (t->group->parent != 0)
			strace_emit_process(s, t->group);
	}
	return true;
}

/* If the log shows no forks, a new process may have inherited all open descriptors. */
static void appears(struct strace *s)
{
	if (s->whole && s->members == 1 && s->alive != NULL && !s->forks)
		s->passed = s->tracker.files + 1;
}

static struct strace_task *root_task(struct strace *s, uint32_t tid)
{
	struct strace_task *t = fdtable_grow(&s->tracker, NULL, 0, sizeof *t);
	if (t == NULL)
		return NULL;
	t->group = strace_group_new(s);
	t->table = fd_table_new(&s->tracker);
	t->cwd = directory_new(&s->tracker, NULL, 0);
	t->adopted = s->alive != NULL;
	s->adopted += t->adopted;
	appears(s);
	if (t->group == NULL || t->table == NULL || t->cwd == NULL) {
		strace_task_free(s, t);
		return NULL;
	}
	return strace_task_adopt(s, t, tid) ? t : NULL;
}

void strace_task_end(struct strace *s, struct strace_task *t)
{
	if (t->pending == STRACE_WAITING && (t->entry->class & STRACE_DATA) != 0)
		strace_count(s, "ended_inside", 1);
	strace_pending_clear(s, t);
	strace_drop_provisional(s, t);
	if (t->tid != 0)
		task_remove(s, t);
	*(t->prev == NULL ? &s->alive : &t->prev->next) = t->next;
	*(t->next != NULL ? &t->next->prev : &s->oldest) = t->prev;
	if (s->last == t)
		s->last = NULL;
	if (s->numberless == t)
		s->numberless = NULL;
	if (t->cut_in != NULL)
		t->cut_in->partial = NULL;
	strace_task_free(s, t);
}

void strace_tasks_free(struct strace *s)
{
	while (s->alive != NULL)
		strace_task_end(s, s->alive);
	strace_deferred_free(s);
	fdtable_drop(&s->tracker, s->task, s->task_capacity * sizeof(struct strace_task *));
	free(s->used_ids);
}

/* Ends all other threads of a process: a successful exec ends them. */
void strace_end_siblings(struct strace *s, const struct strace_task *left)
{
	while (left->peer_next != NULL && left->peer_next != left)
		strace_task_end(s, left->peer_next);
}

/* Handles exec in thread tid, which continues with the number of the leader. */
void strace_task_superseded(struct strace *s, struct strace_task *leader, uint32_t tid)
{
	struct strace_task *t = strace_task_find(s, tid);
	if (t == NULL || t == leader)
		return;
	strace_pending_clear(s, leader);
	char *text = leader->text;
	size_t capacity = leader->text_capacity;
	struct fd_table *table = leader->table;
	leader->text = t->text;
	leader->text_size = t->text_size;
	leader->text_capacity = t->text_capacity;
	leader->pending = t->pending;
	leader->entry = t->entry;
	leader->entry_ns = t->entry_ns;
	leader->entered = t->entered;
	leader->table = t->table;
	t->text = text;
	t->text_capacity = capacity;
	t->table = table;
	strace_pending_clear(s, t);
	strace_task_end(s, t);
	strace_end_siblings(s, leader);
}

/* Deferred lines */

void strace_tasks_release_deferred(struct strace *s, bool all)
{
	/* a fork among the deferred lines: the loop below handles its child, too */
	if (s->releasing)
		return;
	s->releasing = true;
	struct strace_held *h;
	while (s->held != NULL && (h = strace_next_deferred(s, all)) != NULL) {
		struct strace_task *t = strace_task_find(s, h->tid);
		if (t == NULL) {
			strace_count(s, "ambiguous.parent", 1);
			t = root_task(s, h->tid);
		}
		if (t != NULL)
			strace_body(s, t, h->time_ns, h->kind, h->body, h->body + h->size, NULL);
		free(h);
	}
	s->releasing = false;
}

/* The task of a line */

/* Adopts the child of the only pending fork. */
static struct strace_task *only_provisional(struct strace *s, uint32_t tid)
{
	struct strace_task *child = strace_take_provisional(s, s->forking);
	return strace_task_adopt(s, child, tid) ? child : NULL;
}

/* Handles a line of a task whose number no call has returned yet. */
static struct strace_task *unknown_task(struct strace *s, const struct strace_line *line,
					uint32_t tid)
{
	bool held = strace_is_deferred(s, tid);
	if (!held)
		appears(s);
	if (!held && s->forks_pending == 1)
		return only_provisional(s, tid);
	bool whole = s->whole && !s->forks_hidden && s->alive != NULL && s->members == 1;
	if (!held && s->forks_pending == 0 && !whole)
		return root_task(s, tid);
	if (s->held_lines < STRACE_HELD_LINES && s->held_bytes < STRACE_HELD_BYTES) {
		strace_defer(s, line, tid);
		return NULL;
	}
	s->forks_hidden = true;
	strace_tasks_release_deferred(s, true);
	struct strace_task *t = strace_task_find(s, tid);
	return t != NULL ? t : root_task(s, tid);
}

/* Returns true for an unknown number in "[pid N]" while the first process has no number. */
static bool is_first_process(const struct strace *s, const struct strace_line *line)
{
	if (s->numberless == NULL)
		return false;
	return s->forks_pending == 0 || line->kind == STRACE_RESUMED;
}

static struct strace_task *first_gets_number(struct strace *s, uint32_t tid)
{
	struct strace_task *t = s->numberless;
	s->numberless = NULL;
	return strace_number_task(s, t, tid) ? t : NULL;
}

/* Assigns a line without a number to the only live process. */
static struct strace_task *unnumbered_task(struct strace *s, const struct strace_line *line)
{
	if (s->alive != NULL && s->alive->next == NULL)
		return s->alive;
	if (s->alive == NULL)
		return s->numberless = root_task(s, 0);
	if (s->numberless != NULL)
		return s->numberless;
	struct strace_task *t = line->kind == STRACE_RESUMED ? s->alive : NULL;
	for (unsigned i = 0; t != NULL && i < GUESSES_MAX; t = t->next, i++)
		if (t->pending != STRACE_IDLE)
			return t;
	return s->oldest;
}

/*
 * Uses the name that strace prints with the pid as the program's name, for processes whose exec is
 * not in the log.
 */
static void show_comm(struct strace *s, struct strace_task *t, const struct strace_line *line)
{
	struct strace_text raw = {line->comm, line->comm + line->comm_size};
	size_t n = strace_unescape(raw, s->scratch, sizeof s->scratch);
	strace_group_name(s, t->group, s->scratch, n);
}

static void note_shared(struct strace *s, const struct strace_member *a,
			const struct strace_member *b, uint32_t tid)
{
	char names[2][64];
	const char *paths[2] = {input_name(s->src->input, a->index),
				input_name(s->src->input, b->index)};
	for (size_t i = 0; i < 2; i++)
		escape_text(names[i], sizeof names[i], paths[i], strlen(paths[i]));
	if (report_get(&s->src->report, "ambiguous.process") == 0)
		report_note(&s->src->report,
			    "%s and %s use process number %" PRIu32 " at the same time, as logs "
			    "of two hosts do: their calls are mixed up; use convert -O and merge",
			    names[0], names[1], tid);
	strace_count(s, "ambiguous.process", 1);
}

/*
 * Detects numbers that several logs share. In a log split into parts, a task moves from each part
 * to the next; logs of different hosts or containers use one number at the same time. In a -ff set,
 * one file has all lines of a thread.
 */
static void check_member(struct strace *s, struct strace_task *t)
{
	enum { RETURNS = 3 }; /* switches back to an earlier part; equal times may cause one */
	const struct strace_member *m = s->current, *before = t->member;
	t->member = m;
	if (before == NULL || before == m || t->shared)
		return;
	t->returns += m->first_ns <= before->first_ns;
	t->shared = m->tid != 0 || t->returns >= RETURNS;
	if (t->shared)
		note_shared(s, before, m, t->tid);
}

struct strace_task *strace_task_of(struct strace *s, const struct strace_line *line)
{
	uint32_t tid = line->tid != 0 ? line->tid : s->current->tid;
	struct strace_task *t = s->last;
	if (tid == 0)
		return unnumbered_task(s, line);
	if (t == NULL || t->tid != tid)
		t = strace_task_find(s, tid);
	if (t == NULL && is_first_process(s, line))
		t = first_gets_number(s, tid);
	if (t == NULL)
		t = unknown_task(s, line, tid);
	if (t != NULL && line->comm != NULL && t->group->name == NULL)
		show_comm(s, t, line);
	if (t != NULL && s->members > 1)
		check_member(s, t);
	s->last = t;
	return t;
}
