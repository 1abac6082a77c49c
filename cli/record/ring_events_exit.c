/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a process: its counters, and a program that was not traced. */
#include "ring_events_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "untraced.h"

/* When a parent waits for a child, the kernel adds the child's counters to the parent's. */
static struct tracked *parent_of(struct ring_events *e, uint32_t index, uint32_t pid)
{
	const size_t parent = processes_known(e->processes, index, pid);
	return parent < e->tracked_capacity && !e->tracked[parent].has_kernel ? &e->tracked[parent]
									      : NULL;
}

static void add_to_parent(struct ring_events *e, uint32_t index, const struct record_exit *x)
{
	struct tracked *const parent = parent_of(e, index, e->tracked[index].parent);
	if (parent == NULL)
		return;
	parent->children_ended++;
	parent->children[0] += x->rchar + x->own_bytes;
	parent->children[1] += x->wchar + x->own_written;
}

/* A child of vfork that ran no program with the library. */
static void add_unstarted(struct ring_events *e, uint32_t index)
{
	const struct tracked *const t = &e->tracked[index];
	struct tracked *const parent =
	    t->started ? NULL : parent_of(e, index, e->processes->process[index].parent);
	for (int i = 0; parent != NULL && i < 2; i++)
		parent->children[i] += t->moved[i];
}

void ring_events_on_exit(struct ring_events *e, uint32_t index, const struct record_exit *x)
{
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	t->has_kernel = true;
	t->kernel[0] = x->rchar;
	t->kernel[1] = x->wchar;
	add_to_parent(e, index, x);
	if (!t->declared)
		return;
	ring_events_declare_process(e, index);
	ring_events_begin_directive(e, &b, "counter");
	ring_events_add_text(&b, "source", "kernel");
	iot_directive_number(&b, "process", e->processes->process[index].id);
	iot_directive_number(&b, "rchar", x->rchar);
	iot_directive_number(&b, "wchar", x->wchar);
	iot_directive_number(&b, "syscr", x->syscr);
	iot_directive_number(&b, "syscw", x->syscw);
	iot_directive_number(&b, "read_bytes", x->read_bytes);
	iot_directive_number(&b, "write_bytes", x->write_bytes);
	ring_events_end_directive(e, &b);
}

static const char *why_untraced(const struct tracked *t, const char *path)
{
	if (t->result == RECORD_EXEC_CLEARED)
		return "cleared-environment";
	if (t->result == RECORD_EXEC_SECURE)
		return "setuid";
	if (t->result == RECORD_EXEC_NAMESPACE)
		return "namespace";
	return t->result == RECORD_EXEC_USER ? "user" : untraced_why(path);
}

static void report_untraced(struct ring_events *e, uint32_t index)
{
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	char path[PATH_MAX];
	(void)launch_find_program(path, t->awaited);
	free(t->name);
	t->name = t->awaited;
	t->awaited = NULL;
	const char *why = why_untraced(t, path);
	unseen_add_program(&e->totals.unseen, (struct iot_text){why, strlen(why)},
			   (struct iot_text){t->name, strlen(t->name)});
	ring_events_begin_process(e, &b, index);
	ring_events_add_text(&b, "traced", "no");
	ring_events_add_text(&b, "why", why);
	ring_events_end_directive(e, &b);
}

static bool any(const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] != 0)
			return true;
	return false;
}

static const char *const counter_names[] = {
#define X(name, text) text,
    RECORD_COUNTERS(X)
#undef X
};

static void add_counters(struct iot_builder *b, const uint64_t *counter, const uint64_t *skipped)
{
	static const char *const skipped_names[] = {"skipped.path.calls", "skipped.path.read_bytes",
						    "skipped.path.written_bytes"};
	for (size_t i = 0; i < RECORD_COUNTER_COUNT; i++)
		if (counter[i] > 0)
			iot_directive_number(b, counter_names[i], counter[i]);
	for (size_t i = 0; i < 3; i++)
		if (skipped[i] > 0)
			iot_directive_number(b, skipped_names[i], skipped[i]);
}

/* Returns whether libc itself may have read what the trace lacks: locales, users and libraries. */
static bool is_of_libc(const uint64_t kernel[2], const uint64_t traced[2])
{
	enum { OF_LIBC_MAX = 1 << 16 };
	return traced[1] == kernel[1] && traced[0] <= kernel[0] &&
	       kernel[0] - traced[0] <= OF_LIBC_MAX;
}

/* What nobody recorded was moved by code that no jump leads out of. */
static uint64_t moved_by_code(const uint64_t kernel[2], const uint64_t traced[2])
{
	uint64_t bytes = 0;
	for (int i = 0; i < 2; i++)
		bytes += kernel[i] > traced[i] ? kernel[i] - traced[i] : 0;
	return bytes;
}

/* The kernel counts the transfers of files and of all other descriptors. */
static void compare(struct ring_events *e, const struct tracked *t, uint64_t *counter)
{
	uint64_t traced[2], kernel[2];
	if (!t->has_kernel)
		return;
	for (int i = 0; i < 2; i++) {
		const uint64_t other = t->before[i] + t->children[i],
			       uncounted = counter[RECORD_COUNTER_UNCOUNTED_READ + i];
		traced[i] = t->moved[i];
		kernel[i] = t->kernel[i] - (t->kernel[i] < other ? t->kernel[i] : other);
		for (int c = RECORD_COUNTER_PIPE_CALLS; c <= RECORD_COUNTER_OTHER_CALLS; c += 3)
			traced[i] += counter[c + 1 + i];
		traced[i] -= traced[i] < uncounted ? traced[i] : uncounted;
		e->totals.kernel[i] += kernel[i];
		e->totals.traced[i] += traced[i];
	}
	const bool equal = traced[0] == kernel[0] && traced[1] == kernel[1],
		   of_libc = !equal && is_of_libc(kernel, traced);
	/* what the kernel added for a child that was killed is unknown */
	if (counter[RECORD_COUNTER_CODE] > 0 && t->children_begun == t->children_ended)
		counter[RECORD_COUNTER_CODE_BYTES] = moved_by_code(kernel, traced);
	e->totals.compared++;
	e->totals.of_libc += of_libc;
	e->totals.libc_bytes += of_libc ? kernel[0] - traced[0] : 0;
	e->totals.differing += !equal && !of_libc;
}

void ring_events_on_ended(struct ring_events *e, const struct iot_event *ev)
{
	const uint32_t index = ev->rec.process;
	uint64_t counter[RECORD_COUNTER_COUNT] = {0};
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	memcpy(counter, ev->text.data,
	       ev->text.size < sizeof(counter) ? ev->text.size : sizeof(counter));
	compare(e, t, counter);
	for (size_t i = 0; i < RECORD_COUNTER_COUNT; i++)
		unseen_add_calls(&e->totals.unseen, counter_names[i], counter[i]);
	if (any(counter, RECORD_COUNTER_COUNT) || any(t->skipped, 3)) {
		ring_events_declare_process(e, index);
		ring_events_begin_directive(e, &b, "counter");
		ring_events_add_text(&b, "source", "record");
		iot_directive_number(&b, "process", e->processes->process[index].id);
		add_counters(&b, counter, t->skipped);
		ring_events_end_directive(e, &b);
	}
	add_unstarted(e, index);
	if (t->awaited != NULL)
		report_untraced(e, index);
	for (uint32_t i = t->next_thread, next; i != 0; i = next) {
		next = e->tracked[i].next_thread;
		ring_events_forget_process(&e->tracked[i]);
	}
	ring_events_forget_process(t);
}
