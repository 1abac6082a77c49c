/* SPDX-License-Identifier: BSD-2-Clause */
/* Combines rows of one directory, rank or host. */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>
#include <string.h>

static void copy_name(struct iot_stats *s, struct stats_row *row, const char *name, size_t size)
{
	char *copy = malloc(size + 1);
	if (copy == NULL) {
		s->failed = true;
		return;
	}
	memcpy(copy, name, size);
	copy[size] = '\0';
	stats_row_give_name(s, row, copy, size);
}

/* "/a" for "/a/b", "/" for "/b", "." for "b". */
static size_t directory_size(const char **path, size_t size)
{
	while (size > 0 && (*path)[size - 1] != '/')
		size--;
	if (size > 1)
		return size - 1;
	*path = size == 0 ? "." : "/";
	return 1;
}

static void name_directory(struct iot_stats *s, struct stats_row *row)
{
	const struct iot_stats_row *f = &row->values;
	size_t size = f->name_size;
	const char *path = f->name;
	if (f->object != 0 && s->options.object_name != NULL)
		path = s->options.object_name(s->options.context, f->object, &size);
	if (path == NULL)
		return;
	size = directory_size(&path, size);
	copy_name(s, row, path, size);
}

static int by_key(const void *left, const void *right)
{
	const struct iot_stats_row *a = left, *b = right;
	const unsigned rank_a = a->has & IOT_STATS_HAS_RANK, rank_b = b->has & IOT_STATS_HAS_RANK;
	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	if (rank_a != 0 && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->name == NULL || b->name == NULL)
		return (a->name != NULL) - (b->name != NULL);
	const size_t size = a->name_size < b->name_size ? a->name_size : b->name_size;
	const int order = memcmp(a->name, b->name, size);
	return order != 0 ? order : (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

/* Reduces the names and ids of a row to the key that it is combined by. */
static void set_key(struct iot_stats *s, struct stats_row *row)
{
	struct iot_stats_row *f = &row->values;
	if (s->options.by == IOT_STATS_BY_DIRECTORY)
		name_directory(s, row);
	else if (s->options.by == IOT_STATS_BY_RANK)
		stats_row_free_name(row);
	else if (f->name == NULL && s->trace_host != NULL)
		copy_name(s, row, s->trace_host, s->trace_host_size);
	if (s->options.by != IOT_STATS_BY_RANK)
		f->has &= ~(unsigned)IOT_STATS_HAS_RANK;
	f->process = f->file = f->object = 0;
}

void stats_combine_rows(struct iot_stats *s)
{
	size_t used = 0;
	for (size_t i = 0; i < s->row_count; i++)
		set_key(s, &s->rows[i]);
	if (s->row_count > 0)
		qsort(s->rows, s->row_count, sizeof *s->rows, by_key);
	for (size_t i = 0; i < s->row_count; i++) {
		struct stats_row *row = &s->rows[i];
		if (used == 0 || by_key(&s->rows[used - 1], row) != 0) {
			s->rows[used++] = *row;
			continue;
		}
		struct stats_row *to = &s->rows[used - 1];
		stats_row_add(s, to, row);
		stats_row_free_name(row);
		size_counts_free(&row->sizes);
	}
	s->row_count = used;
}
