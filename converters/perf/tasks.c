/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads, their calls that have not returned, and the processes that they belong to. */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

struct perf_task *perf_task_find(struct perf *p, uint32_t tid)
{
	const size_t at = idmap_number(&p->tids, tid);
	if (array_reserve_index(&p->task, &p->task_capacity, at, sizeof *p->task))
		return &p->task[at];
	p->calls.fds.status = IOT_ENOMEM;
	return NULL;
}

/* Copies a text to the end of the task's texts. */
static void keep_text(struct perf_task *t, struct iot_text *text, size_t *used)
{
	if (text->size == 0)
		return;
	memcpy(t->text + *used, text->data, text->size);
	text->data = t->text + *used;
	*used += text->size;
}

static bool keep_texts(struct perf *p, struct perf_task *t)
{
	struct call *c = &t->call;
	const size_t need = c->path.size + c->to_path.size + c->note.size;
	size_t used = 0;
	if (need > t->text_size) {
		char *grown = fdtable_grow(&p->calls.fds, t->text, t->text_size, need);
		if (grown == NULL)
			return false;
		t->text = grown;
		t->text_size = need;
	}
	keep_text(t, &c->path, &used);
	keep_text(t, &c->to_path, &used);
	keep_text(t, &c->note, &used);
	return true;
}

void perf_task_enter(struct perf *p, struct perf_task *t, const struct perf_line *l)
{
	t->type = l->call.type;
	t->call = l->call;
	t->entered_ns = l->time_ns;
	t->active = keep_texts(p, t);
	if (t->type->kind == CALL_FORK)
		p->forking = l->tid;
}

bool perf_task_leave(struct perf_task *t, struct perf_line *l)
{
	const struct call exit = l->call;
	if (!t->active || t->type != l->call.type)
		return false;
	t->active = false;
	l->call = t->call;
	l->call.has |= exit.has;
	l->call.result = exit.result;
	l->call.error = exit.error;
	if ((exit.has & CALL_HAS_DURATION) != 0) {
		l->call.duration_ns =
		    exit.duration_ns; /* of perf trace, whose time is the entry's */
	} else if (l->time_ns >= t->entered_ns) {
		l->call.duration_ns = (uint64_t)(l->time_ns - t->entered_ns);
		l->call.has |= CALL_HAS_DURATION;
	}
	l->call.start_ns = t->entered_ns;
	return true;
}

int64_t perf_clone_flags(const struct call *call)
{
	return call_has(call, CALL_HAS_FLAGS) ? call->flags : CALL_CLONE_THREAD;
}

/*
 * A thread that appears while a fork has not returned is its child. Without numbers of processes,
 * the child of a clone3 is taken for a thread, as the C library makes them.
 */
static void adopt(struct perf *p, const struct perf_line *l, uint64_t key)
{
	const struct perf_task *parent =
	    p->forking != 0 && p->forking != l->tid ? perf_task_find(p, p->forking) : NULL;
	if (parent == NULL || !parent->active || parent->call.caller == NULL)
		return;
	caller_adopt(&p->calls, parent->call.caller, key,
		     l->has_pid ? 0 : perf_clone_flags(&parent->call));
}

struct caller *perf_caller(struct perf *p, struct perf_task *t, const struct perf_line *l)
{
	const uint64_t key = l->has_pid ? l->pid : l->tid;
	p->has_pids |= l->has_pid;
	p->some_without_pids |= !l->has_pid;
	if (!t->seen && caller_known(&p->calls, key) == NULL)
		adopt(p, l, key);
	t->seen = true;
	struct caller *c = caller_find(&p->calls, key);
	if (c != NULL && l->comm.size > 0 && !c->announced)
		caller_set_name(c, l->comm);
	return c;
}

void perf_tasks_free(struct perf *p)
{
	for (size_t i = 0; i < p->tids.count && i < p->task_capacity; i++)
		fdtable_drop(&p->calls.fds, p->task[i].text, p->task[i].text_size);
	free(p->task);
	idmap_free(&p->tids);
}
