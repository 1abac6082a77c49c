/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/stats/operations.h"

#include <stdlib.h>
#include <string.h>

static void operation_add(struct iot_stats_operation *to, const struct iot_stats_operation *more)
{
	to->calls += more->calls;
	to->failed += more->failed;
	to->timed += more->timed;
	to->ns += more->ns;
}

/* Returns NULL if the table is full. */
static struct iot_stats_operation *operation_row(struct operations *o, const char *name,
						 size_t size)
{
	for (size_t i = 0; i < o->count; i++)
		if (strncmp(o->row[i].name, name, size) == 0 && o->row[i].name[size] == '\0')
			return &o->row[i];
	if (size >= IOT_OPERATION_NAME || o->count == OPERATIONS_MAX - 2)
		return NULL;
	struct iot_stats_operation *row = &o->row[o->count++];
	memset(row, 0, sizeof *row);
	memcpy(row->name, name, size);
	return row;
}

void operations_record(struct operations *o, const struct iot_record *rec)
{
	struct iot_stats_operation *io = &o->io[(rec->type & IOT_WRITE) != 0];
	io->calls++;
	if ((rec->flags & IOT_DURATION_UNKNOWN) != 0)
		return;
	io->timed++;
	io->ns += rec->duration_ns;
}

void operations_op(struct operations *o, const struct op *op)
{
	const struct iot_text name = op->name;
	o->ops += op->calls;
	struct iot_stats_operation *row = name.size < IOT_OPERATION_NAME && name.size > 0
					      ? operation_row(o, name.data, name.size)
					      : NULL;
	if (row == NULL) {
		o->others += op->calls;
		return;
	}
	row->calls += op->calls;
	row->failed += op->failed ? op->calls : 0;
	if ((op->ev->has & IOT_HAS_TOOK) == 0)
		return;
	row->timed += op->calls;
	row->ns += op->ev->rec.duration_ns;
}

void operations_join(struct operations *o, const struct operations *more)
{
	o->ops += more->ops;
	o->others += more->others;
	for (size_t i = 0; i < more->count; i++) {
		const struct iot_stats_operation *m = &more->row[i];
		struct iot_stats_operation *row = operation_row(o, m->name, strlen(m->name));
		if (row == NULL)
			o->others += m->calls;
		else
			operation_add(row, m);
	}
	operation_add(&o->io[0], &more->io[0]);
	operation_add(&o->io[1], &more->io[1]);
}

static int max_time_first(const void *left, const void *right)
{
	const struct iot_stats_operation *a = left, *b = right;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(a->name, b->name);
}

void operations_sort(struct operations *o)
{
	static const char names[2][IOT_OPERATION_NAME] = {"read", "write"};
	for (size_t i = 0; i < 2; i++) {
		struct iot_stats_operation *row = &o->row[o->count];
		o->count += o->io[i].calls > 0;
		*row = o->io[i];
		memcpy(row->name, names[i], sizeof names[i]);
	}
	if (o->count > 0)
		qsort(o->row, o->count, sizeof o->row[0], max_time_first);
}
