/* SPDX-License-Identifier: BSD-2-Clause */
#include "process_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analyze/row_value.h"
#include "lib/base/number.h"
#include "lib/result/names.h"

#include "file_label.h"

enum { LABEL_COLUMNS = 12, LABEL_NUMBER = 24 };

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

static int by_host(const void *left, const void *right)
{
	const struct process_row *a = left, *b = right;
	return strcmp(a->host, b->host);
}

static bool is_number(const struct iot_analyze_value *v)
{
	return v != NULL && v->kind == IOT_VALUE_NUMBER;
}

static double time_of(const struct iot_analyze_row *row, const char *name)
{
	const struct iot_analyze_value *v = analyze_row_value(row, name);
	return is_number(v) ? (double)v->number : (double)NAN;
}

static struct process_row row_of(const struct iot_analyze_row *from)
{
	static const char *const times[PROCESS_TIMES] = {
	    NAME_OF(read_time_ns), NAME_OF(write_time_ns), NAME_OF(operation_time_ns)};
	const struct iot_analyze_value *rank = analyze_row_value(from, NAME_OF(rank)),
				       *read = analyze_row_value(from, NAME_OF(read_bytes)),
				       *written = analyze_row_value(from, NAME_OF(written_bytes));
	struct process_row row = {.has_rank = is_number(rank),
				  .rank = is_number(rank) ? rank->number : 0,
				  .has_bytes = {is_number(read), is_number(written)},
				  .bytes = {is_number(read) ? read->number : 0,
					    is_number(written) ? written->number : 0}};
	for (unsigned i = 0; i < PROCESS_TIMES; i++)
		row.ns[i] = time_of(from, times[i]);
	return row;
}

/* Returns false if out of memory. */
static bool add_row(struct process_list *p, const struct iot_analyze_row *from)
{
	struct process_row *row = &p->row[p->count++];
	uint64_t id = 0;
	*row = row_of(from);
	p->ranked &= row->has_rank;
	if (p->hosts)
		row->host = strndup(from->key.data, from->key.size);
	else if (number_decimal(from->key.data, from->key.size, &id))
		row->id = (uint32_t)id;
	return !p->hosts || row->host != NULL;
}

/* Stores the rows of the table that was sorted last. Returns an enum iot_status. */
static int add_rows(struct process_list *p, struct iot_analyze *a, size_t n)
{
	struct iot_analyze_row row;
	int status = IOT_OK;
	p->row = calloc(n + 1, sizeof *p->row);
	if (p->row == NULL)
		return IOT_ENOMEM;
	while (p->count < n && status == IOT_OK) {
		status = iot_analyze_row(a, p->count, &row);
		if (status == IOT_OK && !add_row(p, &row))
			status = IOT_ENOMEM;
	}
	return status;
}

static const char *domain_of(const char *host)
{
	const char *dot = strchr(host, '.');
	return dot != NULL ? dot : host + strlen(host);
}

/* Returns the size of the domain if all hosts have the same, else 0. */
static size_t common_domain(const struct process_list *p)
{
	for (size_t i = 1; i < p->count; i++)
		if (strcmp(domain_of(p->row[i].host), domain_of(p->row[0].host)) != 0)
			return 0;
	return p->count > 0 ? strlen(domain_of(p->row[0].host)) : 0;
}

/* Hosts get their positions as ids. */
static void sort_hosts(struct process_list *p)
{
	if (p->count > 0)
		qsort(p->row, p->count, sizeof *p->row, by_host);
	for (size_t i = 0; i < p->count; i++)
		p->row[i].id = (uint32_t)i;
	p->domain = common_domain(p);
}

int process_list_make(struct process_list *p, struct iot_analyze *a)
{
	ssize_t n = iot_analyze_rows(a, IOT_ANALYZE_BY_PROCESS);
	*p = (struct process_list){.ranked = true};
	if (n == 0) {
		n = iot_analyze_rows(a, IOT_ANALYZE_BY_HOST);
		p->hosts = n > 0;
	}
	if (n < 0)
		return (int)n;
	const int status = add_rows(p, a, (size_t)n);
	if (status != IOT_OK)
		return status;
	if (p->hosts)
		sort_hosts(p);
	else
		process_list_sort_by_rank(p);
	return IOT_OK;
}

struct process_label process_list_label(const struct process_list *p, size_t i)
{
	const struct process_row *row = &p->row[i];
	return (struct process_label){.host = row->host,
				      .without_domain =
					  row->host != NULL ? strlen(row->host) - p->domain : 0,
				      .number = p->ranked ? row->rank : row->id};
}

const char *process_list_noun(const struct process_list *p)
{
	return p->hosts ? "host" : p->ranked ? "rank" : "process";
}

static struct iot_text host_of(struct process_label l)
{
	return (struct iot_text){l.host, l.host != NULL ? strlen(l.host) : 0};
}

static const char *number_of(struct process_label l, char text[LABEL_NUMBER])
{
	snprintf(text, LABEL_NUMBER, "%ju", (uintmax_t)l.number);
	return text;
}

void process_label_whole(struct output *o, struct process_label l)
{
	char text[LABEL_NUMBER];
	file_label_whole(o, host_of(l), number_of(l, text));
}

void process_label_write(struct output *o, struct process_label l)
{
	char text[LABEL_NUMBER];
	if (l.host != NULL)
		file_label_write(o, (struct iot_text){l.host, l.without_domain}, l.host,
				 LABEL_COLUMNS);
	else
		output_text(o, number_of(l, text));
}

void process_label_field(struct output *o, struct process_label l)
{
	char text[LABEL_NUMBER];
	file_label_field(o, host_of(l), number_of(l, text));
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
	for (size_t i = 0; i < p->count; i++)
		free(p->row[i].host);
	free(p->row);
	*p = (struct process_list){.count = 0};
}
