/* SPDX-License-Identifier: BSD-2-Clause */
#include "process_list.h"

#include <math.h>
#include <stdlib.h>

#include "cli/analyze/row_value.h"
#include "lib/base/number.h"
#include "lib/result/names.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_rank(const void *left, const void *right)
{
	const struct process_row *a = left, *b = right;
	if (a->has_rank != b->has_rank)
		return a->has_rank ? -1 : 1;
	return a->rank != b->rank ? compare(a->rank, b->rank) : compare(a->id, b->id);
}

static int by_bytes(const void *left, const void *right)
{
	const struct process_row *a = left, *b = right;
	const double n = (double)a->bytes[0] + (double)a->bytes[1],
		     m = (double)b->bytes[0] + (double)b->bytes[1];
	return n != m ? (n > m) - (n < m) : by_rank(left, right);
}

static double time_of(const struct iot_analyze_row *row, const char *name)
{
	const struct iot_analyze_value *v = analyze_row_value(row, name);
	return v != NULL && v->kind == IOT_VALUE_NUMBER ? (double)v->number : (double)NAN;
}

static struct process_row row_of(const struct iot_analyze_row *from)
{
	static const char *const times[PROCESS_TIMES] = {
	    NAME_OF(read_time_ns), NAME_OF(write_time_ns), NAME_OF(operation_time_ns)};
	const struct iot_analyze_value *rank = analyze_row_value(from, NAME_OF(rank)),
				       *read = analyze_row_value(from, NAME_OF(read_bytes)),
				       *written = analyze_row_value(from, NAME_OF(written_bytes));
	struct process_row row = {.has_rank = rank->kind == IOT_VALUE_NUMBER,
				  .rank = rank->number,
				  .bytes = {read->number, written->number}};
	uint64_t id = 0;
	(void)number_decimal(from->key.data, from->key.size, &id);
	row.id = (uint32_t)id;
	for (unsigned i = 0; i < PROCESS_TIMES; i++)
		row.ns[i] = time_of(from, times[i]);
	return row;
}

int process_list_make(struct process_list *p, struct iot_analyze *a)
{
	const ssize_t n = iot_analyze_rows(a, IOT_ANALYZE_BY_PROCESS);
	struct iot_analyze_row row;
	*p = (struct process_list){.ranked = true};
	if (n < 0)
		return (int)n;
	p->row = calloc((size_t)n + 1, sizeof *p->row);
	if (p->row == NULL)
		return IOT_ENOMEM;
	for (; p->count < (size_t)n; p->count++) {
		const int status = iot_analyze_row(a, p->count, &row);
		if (status != IOT_OK)
			return status;
		p->row[p->count] = row_of(&row);
		p->ranked &= p->row[p->count].has_rank;
	}
	process_list_sort_by_rank(p);
	return IOT_OK;
}

uint64_t process_list_label(const struct process_list *p, size_t i)
{
	return p->ranked ? p->row[i].rank : p->row[i].id;
}

void process_list_sort_by_bytes(struct process_list *p)
{
	qsort(p->row, p->count, sizeof *p->row, by_bytes);
}

void process_list_sort_by_rank(struct process_list *p)
{
	qsort(p->row, p->count, sizeof *p->row, by_rank);
}

void process_list_free(struct process_list *p)
{
	free(p->row);
	*p = (struct process_list){.count = 0};
}
