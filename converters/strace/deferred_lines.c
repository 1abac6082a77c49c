/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deferred lines: a child may appear before the call that created it returns. Lines of tasks
 * without a known parent are stored until the parent is known.
 */
#include "strace.h"

#include <stdlib.h>
#include <string.h>

static void forget_ids(struct strace *s)
{
	idmap_free(&s->held_ids);
	free(s->held_of);
	s->held_of = NULL;
	s->held_capacity = 0;
}

bool strace_is_deferred(const struct strace *s, uint32_t tid)
{
	const size_t number = idmap_find(&s->held_ids, tid);
	return number < s->held_capacity && s->held_of[number] > 0;
}

/* Returns the counter of a task's deferred lines; NULL if out of memory. */
static uint32_t *held_of(struct strace *s, uint32_t tid)
{
	const size_t number = idmap_number(&s->held_ids, tid);
	const bool reserved =
	    array_reserve_index(&s->held_of, &s->held_capacity, number, sizeof *s->held_of);
	return reserved ? &s->held_of[number] : NULL;
}

void strace_defer(struct strace *s, const struct strace_line *line, uint32_t tid)
{
	size_t size = (size_t)(line->end - line->body);
	uint32_t *of = held_of(s, tid);
	struct strace_held *h = of != NULL ? malloc(sizeof *h + size) : NULL;
	if (h == NULL) {
		s->status = IOT_ENOMEM;
		return;
	}
	*h = (struct strace_held){
	    .time_ns = line->time_ns, .tid = tid, .kind = line->kind, .size = size};
	memcpy(h->body, line->body, size);
	*(s->held == NULL ? &s->held : s->held_tail) = h;
	s->held_tail = &h->next;
	s->held_lines++;
	s->held_bytes += size;
	++*of;
}

struct strace_held *strace_next_deferred(struct strace *s, bool all)
{
	for (struct strace_held **at = &s->held; *at != NULL; at = &(*at)->next) {
		struct strace_held *h = *at;
		if (!all && strace_task_find(s, h->tid) == NULL)
			continue;
		*at = h->next;
		if (h->next == NULL)
			s->held_tail = at;
		s->held_lines--;
		s->held_bytes -= h->size;
		s->held_of[idmap_find(&s->held_ids, h->tid)]--;
		if (s->held == NULL)
			forget_ids(s);
		return h;
	}
	return NULL;
}

void strace_deferred_free(struct strace *s)
{
	while (s->held != NULL) {
		struct strace_held *next = s->held->next;
		free(s->held);
		s->held = next;
	}
	forget_ids(s);
}
