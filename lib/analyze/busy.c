/* SPDX-License-Identifier: BSD-2-Clause */
#include "busy.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "saturate.h"

static void extend(struct busy_process *p, enum busy_kind kind, int64_t start, int64_t end)
{
	const int64_t from = start > p->of[kind].end_ns ? start : p->of[kind].end_ns;
	if (end <= from)
		return;
	p->of[kind].ns += (uint64_t)(end - from);
	p->of[kind].end_ns = end;
}

static int64_t end_of(int64_t start_ns, uint64_t duration_ns)
{
	return duration_ns > (uint64_t)(INT64_MAX - start_ns) ? INT64_MAX
							      : start_ns + (int64_t)duration_ns;
}

static struct busy_process *process_of(struct busy *b, size_t process)
{
	return array_reserve_index(&b->processes, &b->capacity, process, sizeof *b->processes)
		   ? &b->processes[process]
		   : NULL;
}

/*
 * Adds the requests up to the first one that overlaps with anything before it; returns their
 * number. Of the others, the kinds differ.
 */
static size_t add_disjoint(struct busy_process *p, enum busy_kind kind, const struct io_request *q,
			   size_t n)
{
	const enum busy_kind kinds[] = {kind, BUSY_IO, BUSY_ALL};
	int64_t last = p->of[BUSY_ALL].end_ns;
	uint64_t ns = 0;
	size_t i = 0;
	for (; i < n && q[i].start_ns >= last; i++) {
		const int64_t end = end_of(q[i].start_ns, q[i].duration_ns);
		ns += (uint64_t)(end - q[i].start_ns);
		last = end > q[i].start_ns ? end : last;
	}
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && ns > 0; k++) {
		p->of[kinds[k]].ns += ns;
		p->of[kinds[k]].end_ns = last;
	}
	return i;
}

static void add_overlapping(struct busy_process *p, enum busy_kind kind, const struct io_request *q)
{
	const int64_t end = end_of(q->start_ns, q->duration_ns);
	extend(p, kind, q->start_ns, end);
	extend(p, BUSY_IO, q->start_ns, end);
	extend(p, BUSY_ALL, q->start_ns, end);
}

static void add_span(struct busy_process *p, const struct io_request *q, size_t n)
{
	const enum busy_kind kind = q->write ? BUSY_WRITE : BUSY_READ;
	for (size_t i = add_disjoint(p, kind, q, n); i < n;
	     i += add_disjoint(p, kind, q + i, n - i))
		add_overlapping(p, kind, &q[i++]);
}

bool busy_add(struct busy *b, const struct io_request *list, size_t n)
{
	const unsigned unknown = IOT_START_UNKNOWN | IOT_DURATION_UNKNOWN;
	for (size_t i = 0; i < n; i += 1U + list[i].following) {
		const struct io_request *q = &list[i];
		if (q->asynchronous || (q->flags & unknown) != 0)
			continue;
		struct busy_process *p = process_of(b, q->process);
		if (p == NULL)
			return false;
		add_span(p, q, 1U + q->following);
	}
	return true;
}

bool busy_add_op(struct busy *b, size_t process, int64_t start_ns, uint64_t duration_ns)
{
	struct busy_process *p = process_of(b, process);
	if (p == NULL)
		return false;
	extend(p, BUSY_METADATA, start_ns, end_of(start_ns, duration_ns));
	extend(p, BUSY_ALL, start_ns, end_of(start_ns, duration_ns));
	return true;
}

uint64_t busy_sum(const struct busy *b, enum busy_kind kind)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < b->capacity; i++)
		sum = saturate_add(sum, b->processes[i].of[kind].ns);
	return sum;
}

uint64_t busy_max(const struct busy *b, enum busy_kind kind)
{
	uint64_t max = 0;
	for (size_t i = 0; i < b->capacity; i++)
		max = b->processes[i].of[kind].ns > max ? b->processes[i].of[kind].ns : max;
	return max;
}

void busy_free(struct busy *b)
{
	free(b->processes);
}
