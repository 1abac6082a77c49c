/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the files of an input by the times at which their calls returned, because processes may
 * use the same files. Files that do not fit into the limit follow when others have ended.
 */
#include "dftracer.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_LINES = 8 };

/* Detection */

bool pfw_is_member(struct input *in, size_t member)
{
	struct iot_text head, line;
	struct pfw_event e;
	head.data = input_head(in, member, &head.size);
	for (int i = 0; i < HEAD_LINES && line_take(&head, &line); i++) {
		const enum pfw_kind kind = pfw_line_parse(line, &e);
		if (kind == PFW_EVENT)
			return e.category.size > 0 && e.name.size > 0;
		if (kind == PFW_UNKNOWN)
			return false;
	}
	return false;
}

/* Lines */

static void read_failed(struct pfw_members *m, const struct pfw_member *k)
{
	struct error *e = &m->src->error;
	const int status = line_reader_status(&k->reader);
	if (status != IOT_OK && e->status == IOT_OK)
		error_set(e, status, "%s", bufreader_error(k->reader.bufreader)->text);
}

/* A line without its end is whole if its object is. */
static void cut(struct pfw_members *m, struct pfw_member *k)
{
	const char *path = input_name(m->src->input, k->index);
	char name[256];
	if (k->kind != PFW_UNKNOWN && line_reader_status(&k->reader) == IOT_OK)
		return;
	k->kind = PFW_UNKNOWN;
	read_failed(m, k);
	if (m->src->error.status == IOT_OK)
		error_set(&m->src->error, IOT_ETRUNCATED, "%s: ends in the middle of a line",
			  escape_text(name, sizeof name, path, strlen(path)));
}

/* Reads the next line. Returns false at the end. */
static bool advance(struct pfw_members *m, struct pfw_member *k)
{
	k->line_kind = line_reader_next(&k->reader, &k->line);
	if (k->line_kind == LINE_END) {
		read_failed(m, k);
		return false;
	}
	m->src->report.lines++;
	k->kind = k->line_kind == LINE_TOO_LONG ? PFW_UNKNOWN : pfw_line_parse(k->line, &k->event);
	if (k->line_kind == LINE_LAST)
		cut(m, k);
	if (k->kind != PFW_EVENT || !k->event.timed)
		return true;
	const int64_t end = k->event.start_ns + (int64_t)k->event.duration_ns;
	k->key_ns = end > k->key_ns ? end : k->key_ns;
	return true;
}

/* Merge */

static bool before(const struct pfw_members *m, uint32_t a, uint32_t b)
{
	const struct pfw_member *x = &m->member[a], *y = &m->member[b];
	return x->key_ns != y->key_ns ? x->key_ns < y->key_ns : x->index < y->index;
}

static void sift_down(struct pfw_members *m, size_t i)
{
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= m->heap_size)
			return;
		if (child + 1 < m->heap_size && before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], m->heap[i]))
			return;
		const uint32_t swap = m->heap[i];
		m->heap[i] = m->heap[child];
		m->heap[child] = swap;
		i = child;
	}
}

/* Opens the next member in slot `at`. Returns false if there is none that has lines. */
static bool open_next(struct pfw_members *m, uint32_t at)
{
	struct pfw_member *k = &m->member[at];
	struct error error = {0};
	while (m->opened < m->count) {
		*k = (struct pfw_member){.index = m->index[m->opened++]};
		k->reader.bufreader = input_open(m->src->input, k->index, &error);
		if (k->reader.bufreader == NULL) {
			if (m->src->error.status == IOT_OK)
				m->src->error = error;
			return false;
		}
		if (advance(m, k))
			return true;
		line_reader_close(&k->reader);
	}
	return false;
}

/* Replaces the member at the top of the heap, which has ended. */
static void replace_top(struct pfw_members *m)
{
	line_reader_close(&m->member[m->heap[0]].reader);
	if (!open_next(m, m->heap[0]))
		m->heap[0] = m->heap[--m->heap_size];
}

struct pfw_member *pfw_members_next(struct pfw_members *m)
{
	if (m->current != NULL) {
		if (!advance(m, m->current))
			replace_top(m);
		sift_down(m, 0);
	}
	m->current = m->heap_size > 0 ? &m->member[m->heap[0]] : NULL;
	return m->current;
}

static void find_members(struct pfw_members *m)
{
	const size_t count = input_count(m->src->input);
	size_t ignored = 0, first = 0;
	for (size_t i = 0; i < count; i++)
		if (count == 1 || pfw_is_member(m->src->input, i))
			m->index[m->count++] = i;
		else if (ignored++ == 0)
			first = i;
	source_ignored(m->src, ignored, first);
}

int pfw_members_open(struct pfw_members *m, struct source_state *src)
{
	const size_t count = input_count(src->input),
		     open = count < PFW_OPEN_MAX ? count : (size_t)PFW_OPEN_MAX;
	m->src = src;
	m->index = calloc(count + 1, sizeof *m->index);
	m->member = calloc(open + 1, sizeof *m->member);
	m->heap = calloc(open + 1, sizeof *m->heap);
	if (m->index == NULL || m->member == NULL || m->heap == NULL)
		return error_no_memory(&src->error);
	find_members(m);
	for (uint32_t i = 0; i < open && open_next(m, i); i++)
		m->heap[m->heap_size++] = i;
	for (size_t i = m->heap_size; i-- > 0;)
		sift_down(m, i);
	return IOT_OK;
}

void pfw_members_close(struct pfw_members *m)
{
	for (size_t i = 0; i < m->heap_size; i++)
		line_reader_close(&m->member[m->heap[i]].reader);
	free(m->index);
	free(m->member);
	free(m->heap);
}
