/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes and threads: the tasks that lines belong to, and the calls that create and change them.
 *
 * A child often appears before its parent's fork returns, so its inherited state is stored at the
 * fork's entry, as a provisional child. If several forks are pending, the child's lines are
 * deferred until one of them returns its number.
 */
#include "strace.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum {
	GUESSES_MAX = 1000, /* maximum number of tasks searched for the call that a line resumes */
	DEFERRED_LINES_MAX = 20000,
	DEFERRED_BYTES_MAX = 64 << 20,
	TEXT_KEPT = 4096, /* capacity that a task retains for the text of its next call */
};

/* Numbers: pids, and ids of processes */

/* Returns what is known about a number; NULL if out of memory. Valid until the next call. */
static struct strace_number *number_of(struct strace *s, uint32_t tid)
{
	struct strace_tasks *tasks = &s->tasks;
	const size_t i = idmap_number(&tasks->numbers, tid);
	if (!array_reserve_index(&tasks->number, &tasks->number_capacity, i,
				 sizeof *tasks->number)) {
		s->status = IOT_ENOMEM;
		return NULL;
	}
	return &tasks->number[i];
}

static struct strace_number *known_number(const struct strace *s, uint32_t tid)
{
	const size_t i = idmap_find(&s->tasks.numbers, tid);
	return i < s->tasks.number_capacity ? &s->tasks.number[i] : NULL;
}

struct strace_task *strace_task_find(const struct strace *s, uint32_t tid)
{
	const struct strace_number *n = known_number(s, tid);
	return n != NULL ? n->task : NULL;
}

static bool set_number(struct strace *s, struct strace_task *t, uint32_t tid)
{
	struct strace_number *n = number_of(s, tid);
	if (n == NULL)
		return false;
	t->tid = tid;
	n->task = t;
	return true;
}

/* Returns an unused process id for a pid that may have been reused. */
static uint32_t new_id(struct strace *s, uint32_t pid)
{
	struct strace_number *n = pid <= STRACE_PID_MAX ? number_of(s, pid == 0 ? 1 : pid) : NULL;
	if (n == NULL || n->used)
		return ++s->tasks.next_id + STRACE_PID_MAX;
	n->used = true;
	return pid == 0 ? 1 : pid;
}

/* Lists of tasks */

void strace_tasks_init(struct strace_tasks *tasks)
{
	for (size_t i = 0; i < STRACE_LISTS; i++)
		TAILQ_INIT(&tasks->list[i].tasks);
}

static void list_add(struct strace *s, enum strace_list which, struct strace_task *t)
{
	struct strace_task_list *list = &s->tasks.list[which];
	TAILQ_INSERT_HEAD(&list->tasks, t, link[which]);
	list->count++;
}

static void list_remove(struct strace *s, enum strace_list which, struct strace_task *t)
{
	struct strace_task_list *list = &s->tasks.list[which];
	assert(list->count > 0);
	TAILQ_REMOVE(&list->tasks, t, link[which]);
	list->count--;
}

/* Groups */

static struct strace_group *group_new(struct strace *s)
{
	struct strace_group *g = fdtable_grow(&s->fds, NULL, 0, sizeof *g);
	if (g != NULL)
		g->refs = 1;
	return g;
}

static void group_free(struct strace *s, struct strace_group *g)
{
	if (g == NULL || --g->refs > 0)
		return;
	strace_aio_leave(s, g);
	group_free(s, g->leader);
	fdtable_drop(&s->fds, g->name, g->name_size);
	fdtable_drop(&s->fds, g, sizeof *g);
}

static void group_name(struct strace *s, struct strace_group *g, const char *name, size_t size)
{
	if (g->name != NULL && g->name_size == size && memcmp(g->name, name, size) == 0)
		return;
	char *copy = fdtable_grow(&s->fds, NULL, 0, size);
	if (copy == NULL)
		return;
	memcpy(copy, name, size);
	fdtable_drop(&s->fds, g->name, g->name_size);
	g->name = copy;
	g->name_size = size;
	g->announced = false;
}

struct strace_group *strace_process_of(const struct strace_task *t)
{
	return t->group->leader != NULL ? t->group->leader : t->group;
}

/* Active calls */

void strace_use(struct strace_using *u, struct open_description *d, struct tracked_file *f)
{
	assert(u->open == NULL && u->file == NULL);
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

static void stop_using(struct strace *s, struct strace_using *using)
{
	const struct strace_using u = *using;
	*using = (struct strace_using){0};
	if (u.open != NULL)
		u.open->users--;
	if (u.file != NULL)
		u.file->writers--;
	open_description_free(&s->fds, u.open);
	file_free(&s->fds, u.file);
}

void strace_call_limits(struct strace *s, struct strace_task *t, bool limits)
{
	if (limits && !t->limits)
		list_add(s, STRACE_LIMITING, t);
	else if (!limits && t->limits)
		list_remove(s, STRACE_LIMITING, t);
	t->limits = limits;
}

void strace_call_drop(struct strace *s, struct strace_task *t)
{
	struct strace_active *a = &t->active;
	strace_call_limits(s, t, false);
	if (a->submitting != NULL)
		strace_aio_withdraw(s, t);
	for (unsigned i = 0; i < 2; i++)
		stop_using(s, &a->using[i]);
	a->posted = false;
	a->entry = NULL;
	a->text_size = 0;
	if (a->text_capacity <= TEXT_KEPT)
		return;
	fdtable_drop(&s->fds, a->text, a->text_capacity);
	a->text = NULL;
	a->text_capacity = 0;
}

bool strace_call_append(struct strace *s, struct strace_task *t, const char *text, const char *end)
{
	struct strace_active *a = &t->active;
	const size_t size = (size_t)(end - text);
	if (a->text_size + size > STRACE_LINE_MAX)
		return false;
	if (a->text_size + size > a->text_capacity) {
		const size_t capacity = a->text_size + (size > a->text_size ? size : a->text_size);
		char *grown = fdtable_grow(&s->fds, a->text, a->text_capacity, capacity);
		if (grown == NULL)
			return false;
		a->text = grown;
		a->text_capacity = capacity;
	}
	if (size > 0)
		memcpy(a->text + a->text_size, text, size);
	a->text_size += size;
	return true;
}

/* Creation and end */

static struct strace_task *take_provisional(struct strace *s, struct strace_task *parent)
{
	assert(parent != NULL);
	struct strace_task *child = parent->provisional;
	if (child == NULL)
		return NULL;
	parent->provisional = NULL;
	list_remove(s, STRACE_FORKING, parent);
	if (child->thread) {
		child->peer_prev = parent;
		child->peer_next = parent->peer_next == NULL ? parent : parent->peer_next;
		child->peer_next->peer_prev = child;
		parent->peer_next = child;
	}
	return child;
}

static void drop_provisional(struct strace *s, struct strace_task *parent);

static void task_free(struct strace *s, struct strace_task *t)
{
	if (t == NULL)
		return;
	drop_provisional(s, t);
	strace_call_drop(s, t);
	if (t->peer_next != NULL) {
		t->peer_next->peer_prev = t->peer_prev;
		t->peer_prev->peer_next = t->peer_next;
	}
	fd_table_free(&s->fds, t->table);
	directory_free(&s->fds, t->cwd);
	group_free(s, t->group);
	fdtable_drop(&s->fds, t->active.text, t->active.text_capacity);
	fdtable_drop(&s->fds, t, sizeof *t);
}

static void drop_provisional(struct strace *s, struct strace_task *parent)
{
	task_free(s, take_provisional(s, parent));
}

/* Assigns a task its number and adds it to the live tasks. */
static struct strace_task *task_start(struct strace *s, struct strace_task *t, uint32_t tid)
{
	if (tid != 0 && !set_number(s, t, tid)) {
		task_free(s, t);
		return NULL;
	}
	list_add(s, STRACE_ALIVE, t);
	if (t->group->id == 0) {
		t->group->pid = tid <= STRACE_PID_MAX ? tid : 0;
		t->group->id = new_id(s, tid);
		if (t->group->parent != 0)
			strace_emit_process(s, t->group);
	}
	return t;
}

/* If the log shows no forks, a new process may have inherited all open descriptors. */
static void appears(struct strace *s)
{
	const struct strace_tasks *tasks = &s->tasks;
	if (tasks->whole && s->log.members == 1 && tasks->list[STRACE_ALIVE].count > 0 &&
	    !tasks->forks)
		s->passing.passed = s->fds.files + 1;
}

static struct strace_task *root_task(struct strace *s, uint32_t tid)
{
	struct strace_task *t = fdtable_grow(&s->fds, NULL, 0, sizeof *t);
	if (t == NULL)
		return NULL;
	t->group = group_new(s);
	t->table = fd_table_new(&s->fds);
	t->cwd = directory_new(&s->fds, NULL, 0);
	t->adopted = s->tasks.list[STRACE_ALIVE].count > 0;
	s->tasks.adopted += t->adopted;
	appears(s);
	if (t->group == NULL || t->table == NULL || t->cwd == NULL) {
		task_free(s, t);
		return NULL;
	}
	return task_start(s, t, tid);
}

void strace_task_end(struct strace *s, struct strace_task *t)
{
	struct strace_number *n = t->tid != 0 ? known_number(s, t->tid) : NULL;
	if (t->active.entry != NULL && (t->active.entry->class & STRACE_DATA) != 0)
		strace_count(s, "ended_inside", 1);
	if (n != NULL && n->task == t)
		n->task = NULL;
	list_remove(s, STRACE_ALIVE, t);
	if (s->tasks.last == t)
		s->tasks.last = NULL;
	if (s->tasks.numberless == t)
		s->tasks.numberless = NULL;
	if (t->cut_in != NULL)
		t->cut_in->partial = NULL;
	task_free(s, t);
}

/* Ends all other threads of a process: a successful exec ends them. */
static void end_siblings(struct strace *s, const struct strace_task *left)
{
	while (left->peer_next != NULL && left->peer_next != left)
		strace_task_end(s, left->peer_next);
}

/* Exec in thread tid, which continues with the number of the leader. */
void strace_task_superseded(struct strace *s, struct strace_task *leader, uint32_t tid)
{
	struct strace_task *t = strace_task_find(s, tid);
	if (t == NULL || t == leader)
		return;
	strace_call_drop(s, leader);
	strace_call_limits(s, t, false);
	const struct strace_active active = leader->active;
	struct fd_table *table = leader->table;
	leader->active = t->active;
	leader->table = t->table;
	t->active = active;
	t->table = table;
	strace_task_end(s, t);
	end_siblings(s, leader);
}

/* Deferred lines */

static void defer(struct strace *s, const struct strace_line *line, uint32_t tid)
{
	struct strace_tasks *tasks = &s->tasks;
	const size_t size = (size_t)(line->end - line->body);
	struct strace_number *n = number_of(s, tid);
	struct strace_deferred *d = n != NULL ? malloc(sizeof *d + size) : NULL;
	if (d == NULL) {
		s->status = IOT_ENOMEM;
		return;
	}
	*d = (struct strace_deferred){
	    .time_ns = line->time_ns, .tid = tid, .kind = line->kind, .size = size};
	memcpy(d->body, line->body, size);
	*(tasks->deferred == NULL ? &tasks->deferred : tasks->deferred_end) = d;
	tasks->deferred_end = &d->next;
	tasks->deferred_lines++;
	tasks->deferred_bytes += size;
	n->deferred++;
}

struct strace_deferred *strace_deferred_next(struct strace *s, bool all)
{
	struct strace_tasks *tasks = &s->tasks;
	for (struct strace_deferred **at = &tasks->deferred; *at != NULL; at = &(*at)->next) {
		struct strace_deferred *d = *at;
		if (!all && strace_task_find(s, d->tid) == NULL)
			continue;
		*at = d->next;
		if (d->next == NULL)
			tasks->deferred_end = at;
		tasks->deferred_lines--;
		tasks->deferred_bytes -= d->size;
		known_number(s, d->tid)->deferred--;
		return d;
	}
	return NULL;
}

void strace_tasks_free(struct strace *s)
{
	struct strace_tasks *tasks = &s->tasks;
	for (struct strace_task *t; (t = TAILQ_FIRST(&tasks->list[STRACE_ALIVE].tasks)) != NULL;)
		strace_task_end(s, t);
	for (struct strace_deferred *d = tasks->deferred, *next; d != NULL; d = next) {
		next = d->next;
		free(d);
	}
	idmap_free(&tasks->numbers);
	free(tasks->number);
}

/* The task of a line */

/* Adopts the child of the only pending fork. */
static struct strace_task *only_provisional(struct strace *s, uint32_t tid)
{
	return task_start(s, take_provisional(s, TAILQ_FIRST(&s->tasks.list[STRACE_FORKING].tasks)),
			  tid);
}

/* Handles a line of a task whose number no call has returned yet. */
static struct strace_task *unknown_task(struct strace *s, const struct strace_line *line,
					uint32_t tid)
{
	struct strace_tasks *tasks = &s->tasks;
	const struct strace_number *n = known_number(s, tid);
	const bool deferred = n != NULL && n->deferred > 0;
	const size_t forks = tasks->list[STRACE_FORKING].count;
	if (!deferred)
		appears(s);
	if (!deferred && forks == 1)
		return only_provisional(s, tid);
	const bool whole = tasks->whole && !tasks->forks_hidden &&
			   tasks->list[STRACE_ALIVE].count > 0 && s->log.members == 1;
	if (!deferred && forks == 0 && !whole)
		return root_task(s, tid);
	if (tasks->deferred_lines < DEFERRED_LINES_MAX &&
	    tasks->deferred_bytes < DEFERRED_BYTES_MAX)
		defer(s, line, tid);
	else
		tasks->forks_hidden = tasks->deferred_full = true;
	return NULL;
}

/* Returns true for an unknown number in "[pid N]" while the first process has no number. */
static bool is_first_process(const struct strace *s, const struct strace_line *line)
{
	if (s->tasks.numberless == NULL)
		return false;
	return s->tasks.list[STRACE_FORKING].count == 0 || line->kind == STRACE_RESUMED;
}

static struct strace_task *first_gets_number(struct strace *s, uint32_t tid)
{
	struct strace_task *t = s->tasks.numberless;
	s->tasks.numberless = NULL;
	return set_number(s, t, tid) ? t : NULL;
}

/* Assigns a line without a number to the only live process. */
static struct strace_task *unnumbered_task(struct strace *s, const struct strace_line *line)
{
	const struct strace_task_list *alive = &s->tasks.list[STRACE_ALIVE];
	unsigned guesses = 0;
	struct strace_task *t;
	if (alive->count == 1)
		return TAILQ_FIRST(&alive->tasks);
	if (alive->count == 0)
		return s->tasks.numberless = root_task(s, 0);
	if (s->tasks.numberless != NULL)
		return s->tasks.numberless;
	if (line->kind == STRACE_RESUMED) {
		TAILQ_FOREACH (t, &alive->tasks, link[STRACE_ALIVE]) {
			if (t->active.entry != NULL)
				return t;
			if (++guesses == GUESSES_MAX)
				break;
		}
	}
	return TAILQ_LAST(&alive->tasks, strace_task_queue);
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
	const struct strace_member *m = s->log.current, *before = t->member;
	t->member = m;
	if (before == NULL || before == m || t->shared)
		return;
	t->returns += m->first_ns <= before->first_ns;
	t->shared = m->tid != 0 || t->returns >= RETURNS;
	if (t->shared)
		note_shared(s, before, m, t->tid);
}

/* Records that a task, or NULL, has this line. */
static struct strace_task *seen(struct strace *s, struct strace_task *t,
				const struct strace_line *line)
{
	/* the name that strace prints with the pid, for processes whose exec is not in the log */
	if (t != NULL && line->comm != NULL && t->group->name == NULL) {
		const struct strace_text raw = {line->comm, line->comm + line->comm_size};
		group_name(s, t->group, s->scratch,
			   strace_unescape(raw, s->scratch, sizeof s->scratch));
	}
	if (t != NULL && s->log.members > 1)
		check_member(s, t);
	s->tasks.last = t;
	return t;
}

static uint32_t tid_of(const struct strace *s, const struct strace_line *line)
{
	return line->tid != 0 ? line->tid : s->log.current->tid;
}

struct strace_task *strace_task_or_root(struct strace *s, uint32_t tid)
{
	struct strace_task *t = strace_task_find(s, tid);
	return t != NULL ? t : root_task(s, tid);
}

struct strace_task *strace_task_of(struct strace *s, const struct strace_line *line)
{
	const uint32_t tid = tid_of(s, line);
	struct strace_task *t = s->tasks.last;
	if (tid == 0)
		return unnumbered_task(s, line);
	if (t == NULL || t->tid != tid)
		t = strace_task_find(s, tid);
	if (t == NULL && is_first_process(s, line))
		t = first_gets_number(s, tid);
	return seen(s, t != NULL ? t : unknown_task(s, line, tid), line);
}

struct strace_task *strace_task_assume(struct strace *s, const struct strace_line *line)
{
	s->tasks.deferred_full = false;
	return seen(s, strace_task_or_root(s, tid_of(s, line)), line);
}

/* Fork */

enum clone_flag { SHARE_FS = 1, SHARE_FILES = 2, SHARE_GROUP = 4 };

static unsigned clone_flags(struct strace_text text)
{
	static const struct {
		const char *name;
		int64_t raw;
		unsigned flag;
	} FLAGS[] = {{"CLONE_FS", 0x200, SHARE_FS},
		     {"CLONE_FILES", 0x400, SHARE_FILES},
		     {"CLONE_THREAD", 0x10000, SHARE_GROUP}};
	unsigned flags = 0;
	int64_t value;
	const bool raw =
	    strace_field(text, "flags=", &value) ||
	    (text.p < text.end && strace_digit(*text.p) && strace_number(text, &value));
	for (size_t i = 0; i < sizeof FLAGS / sizeof FLAGS[0]; i++)
		if (raw ? (value & FLAGS[i].raw) != 0 : strace_has_flag(text, FLAGS[i].name))
			flags |= FLAGS[i].flag;
	return flags;
}

static struct strace_group *child_group(struct strace *s, struct strace_task *t, bool thread)
{
	struct strace_group *parent = t->group;
	if (thread && !s->options.threads) {
		parent->refs++;
		return parent;
	}
	struct strace_group *g = group_new(s);
	if (g == NULL)
		return NULL;
	if (thread) {
		g->thread_of = parent->thread_of != 0 ? parent->thread_of : parent->id;
		g->leader = strace_process_of(t);
		g->leader->refs++;
	}
	g->parent = thread ? parent->parent : parent->id;
	if (parent->name != NULL)
		group_name(s, g, parent->name, parent->name_size);
	return g;
}

/* Stores the provisional child of this fork, with the state that it inherits now. */
void strace_fork_enter(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	const unsigned flags =
	    c->entry->variant == STRACE_CLONE ? clone_flags(strace_arguments(c)) : 0;
	drop_provisional(s, t);
	struct strace_task *child = fdtable_grow(&s->fds, NULL, 0, sizeof *child);
	if (child == NULL)
		return;
	child->thread = (flags & SHARE_GROUP) != 0;
	child->group = child_group(s, t, child->thread);
	child->table = (flags & SHARE_FILES) != 0 ? fd_table_share(t->table)
						  : fd_table_copy(&s->fds, t->table);
	child->cwd = (flags & SHARE_FS) != 0 ? directory_share(t->cwd)
					     : directory_new(&s->fds, t->cwd->path, t->cwd->size);
	if (child->group == NULL || child->table == NULL || child->cwd == NULL) {
		task_free(s, child);
		return;
	}
	t->provisional = child;
	list_add(s, STRACE_FORKING, t);
}

/* strace's message that it has attached to the child of the current fork */
void strace_attached(struct strace *s, struct strace_task *parent, uint32_t tid)
{
	if (parent->provisional != NULL && strace_task_find(s, tid) == NULL)
		task_start(s, take_provisional(s, parent), tid);
}

/* Sets the parent of a process that appeared before its number was returned. */
static void adopt(struct strace *s, struct strace_task *child, struct strace_task *provisional)
{
	child->adopted = false;
	child->group->parent = provisional->group->parent;
	child->group->announced = false;
	strace_count(s, "late_parent", 1);
	task_free(s, provisional);
}

void strace_fork(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	const bool ok = c->returned && !c->failed && c->result > 0 && c->result <= STRACE_PID_MAX;
	const uint32_t tid = ok ? (uint32_t)c->result : 0;
	struct strace_task *known = ok ? strace_task_find(s, tid) : NULL;
	/* a process is not its own child: a damaged line, or a number of another namespace */
	if (!ok || known == t) {
		drop_provisional(s, t);
		return;
	}
	if (t->provisional == NULL && t->active.entry != NULL) /* it has already appeared */
		return;
	if (t->provisional == NULL)
		strace_fork_enter(s, c);
	struct strace_task *child = take_provisional(s, t);
	if (child == NULL)
		return;
	if (known != NULL && known->adopted) {
		adopt(s, known, child);
		return;
	}
	if (known != NULL)
		strace_task_end(s, known);
	if (task_start(s, child, tid) != NULL)
		s->tasks.release_due = s->tasks.deferred != NULL;
}

/* Exec and other changes */

void strace_unshare_table(struct strace *s, struct strace_task *t)
{
	struct fd_table *own = t->table->refs > 1 ? fd_table_copy(&s->fds, t->table) : NULL;
	if (own == NULL)
		return;
	fd_table_free(&s->fds, t->table);
	t->table = own;
}

void strace_exec(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	const unsigned at = c->entry->variant == 1 ? 1 : 0;
	size_t size;
	if (c->result != 0)
		return;
	end_siblings(s, t);
	strace_aio_leave(s, strace_process_of(t));
	strace_unshare_table(s, t);
	fd_table_exec(&s->fds, t->table);
	if (c->args > at && strace_string(c->arg[at], s->path, sizeof s->path, &size) && size > 0)
		group_name(s, t->group, s->path, size);
}

void strace_unshare(struct strace *s, struct strace_call *c)
{
	struct strace_task *t = c->task;
	const unsigned flags = clone_flags(c->arg[0]);
	if ((flags & SHARE_FILES) != 0)
		strace_unshare_table(s, t);
	if ((flags & SHARE_FS) == 0 || t->cwd->refs == 1)
		return;
	struct directory *own = directory_new(&s->fds, t->cwd->path, t->cwd->size);
	if (own == NULL)
		return;
	directory_free(&s->fds, t->cwd);
	t->cwd = own;
}

/* A call that returns the caller's number, made by the process without a number */
void strace_own_number(struct strace *s, struct strace_call *c)
{
	if (s->tasks.numberless != c->task || c->result == 0 || c->result > STRACE_PID_MAX ||
	    !s->log.brackets)
		return;
	s->tasks.numberless = NULL;
	set_number(s, c->task, (uint32_t)c->result);
}
