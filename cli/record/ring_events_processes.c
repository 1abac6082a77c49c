/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and threads: their programs, and %process before the events that need it. */
#include "ring_events_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"

void ring_events_forget_process(struct tracked *t)
{
	free(t->name);
	free(t->awaited);
	free(t->file);
	idmap_free(&t->known);
	*t = (struct tracked){.rank = -1};
}

struct tracked *ring_events_tracked(struct ring_events *e, uint32_t index)
{
	const size_t before = e->tracked_capacity;
	if (index < before)
		return &e->tracked[index];
	if (!array_reserve_index(&e->tracked, &e->tracked_capacity, index, sizeof(*e->tracked))) {
		ring_events_fail(e, IOT_ENOMEM);
		return NULL;
	}
	for (size_t i = before; i < e->tracked_capacity; i++)
		e->tracked[i].rank = -1;
	return &e->tracked[index];
}

/* A parent may end before a later part of the trace repeats the definition of its child. */
static uint32_t shown_parent(const struct ring_events *e, uint32_t index)
{
	const struct process *p = &e->processes->process[index];
	const uint32_t pid = e->tracked[index].parent != 0 ? e->tracked[index].parent : p->parent;
	const size_t parent =
	    p->thread_of == UINT32_MAX ? processes_known(e->processes, index, pid) : SIZE_MAX;
	return parent != SIZE_MAX && parent != index ? e->processes->process[parent].id : 0;
}

/* Ranks of other hosts may have traces of their own, which merge and analyze join. */
static void add_rank(struct iot_builder *b, int64_t rank)
{
	char host[HOST_NAME_MAX + 1] = "";
	iot_directive_number(b, "rank", (uint64_t)rank);
	if (gethostname(host, sizeof(host) - 1) == 0)
		ring_events_add_text(b, "host", host);
}

void ring_events_begin_process(struct ring_events *e, struct iot_builder *b, uint32_t index)
{
	const struct process *p = &e->processes->process[index];
	const bool is_thread = p->thread_of != UINT32_MAX;
	const struct tracked *t = &e->tracked[is_thread ? p->thread_of : index];
	const uint32_t parent =
	    e->tracked[index].declared ? e->tracked[index].shown : shown_parent(e, index);
	ring_events_begin_directive(e, b, "process");
	iot_directive_number(b, "id", p->id);
	if (t->name != NULL)
		ring_events_add_text(b, "name", t->name);
	if (t->rank >= 0)
		add_rank(b, t->rank);
	if (is_thread)
		iot_directive_number(b, "thread-of", e->processes->process[p->thread_of].id);
	if (parent != 0)
		iot_directive_number(b, "parent", parent);
	if (p->id != p->pid)
		iot_directive_number(b, "pid", p->pid);
}

void ring_events_declare_process(struct ring_events *e, uint32_t index)
{
	const struct process *process = &e->processes->process[index];
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	if (t->declared && t->part == e->part)
		return;
	if (!t->declared)
		t->shown = shown_parent(e, index);
	t->declared = true;
	t->part = e->part;
	if (process->thread_of != UINT32_MAX)
		ring_events_declare_process(e, process->thread_of);
	else
		e->totals.processes += !t->counted;
	t->counted = true;
	ring_events_begin_process(e, &b, index);
	ring_events_end_directive(e, &b);
}

void ring_events_repeat_process(struct ring_events *e, uint32_t index)
{
	if (e->tracked[index].declared)
		ring_events_declare_process(e, index);
}

void ring_events_await(struct ring_events *e, struct tracked *t, const char *program,
		       int32_t result)
{
	free(t->awaited);
	t->awaited = ring_events_copy_text(e, program);
	t->result = result;
}

void ring_events_expect(struct ring_events *e, uint32_t process, const char *program)
{
	struct tracked *t = ring_events_tracked(e, process);
	if (t != NULL)
		ring_events_await(e, t, program, 0);
}

/* A program or the child of a fork: its name is the announced one, its parent's, or argv[0]. */
void ring_events_on_start(struct ring_events *e, uint32_t index, const struct record_start *s)
{
	struct tracked *t = &e->tracked[index];
	const size_t parent = processes_known(e->processes, index, s->parent);
	const char *name = s->command_size > 0 ? s->text : NULL;
	if (s->head.code == 1 && parent < e->tracked_capacity && e->tracked[parent].name != NULL)
		name = e->tracked[parent].name;
	else if (t->awaited != NULL)
		name = t->awaited;
	char *copy = ring_events_copy_text(e, name);
	free(t->name);
	t->name = copy;
	t->rank = s->rank < 0 ? -1 : s->rank;
	if (!t->started) {
		t->parent = s->parent;
		if (parent < e->tracked_capacity)
			e->tracked[parent].children_begun++;
		t->before[0] = s->rchar - (t->moved[0] < s->rchar ? t->moved[0] : s->rchar);
		t->before[1] = s->wchar - (t->moved[1] < s->wchar ? t->moved[1] : s->wchar);
	} else {
		t->before[0] += s->loader;
	}
	t->declared = false;
	t->started = true;
	free(t->awaited);
	t->awaited = NULL;
}

/* The program of a child of vfork is recorded before it starts. */
void ring_events_on_child(struct ring_events *e, uint32_t index, const struct record_child *c)
{
	const size_t child = processes_known(e->processes, index, c->pid);
	if (c->head.code == RECORD_FORK)
		e->tracked[index].forks++;
	const bool has_program = c->head.code != RECORD_FORK && c->text_size > 0;
	if (child == SIZE_MAX || e->options->no_follow ||
	    (!has_program && c->head.code != RECORD_EXEC_FAILED))
		return;
	struct tracked *t = ring_events_tracked(e, (uint32_t)child);
	if (t != NULL && !t->started)
		ring_events_await(e, t, has_program ? c->text : NULL, c->why);
}
