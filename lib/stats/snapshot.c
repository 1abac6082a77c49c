/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>
#include <string.h>

/* Returns false if out of memory; the row can be freed nevertheless. */
static bool copy_row(struct iot_stats *s, struct stats_row *to, const struct stats_row *from)
{
	const struct iot_text name = {from->values.name, from->values.name_size};
	to->values = from->values;
	to->values.name = NULL;
	if (name.data != NULL)
		stats_row_name(s, to, name);
	return size_counts_copy(&to->sizes, &from->sizes) && !s->failed;
}

static bool copy_rows(struct iot_stats *to, const struct iot_stats *from)
{
	to->rows = calloc(from->row_count + 1, sizeof *to->rows);
	if (to->rows == NULL)
		return false;
	to->row_capacity = from->row_count + 1;
	while (to->row_count < from->row_count) {
		const size_t i = to->row_count++;
		if (!copy_row(to, &to->rows[i], &from->rows[i]))
			return false;
	}
	if (from->trace_host == NULL)
		return true;
	to->trace_host = malloc(from->trace_host_size + 1);
	if (to->trace_host != NULL)
		memcpy(to->trace_host, from->trace_host, from->trace_host_size);
	return to->trace_host != NULL;
}

struct iot_stats *iot_stats_snapshot(struct iot_stats *s)
{
	struct iot_stats *copy = malloc(sizeof *copy);
	if (copy == NULL || s->failed) {
		free(copy);
		return NULL;
	}
	stats_give_ranks(s);
	*copy = *s;
	copy->rows = NULL;
	copy->opened = NULL;
	copy->group_rows = NULL;
	copy->ranks = NULL;
	copy->trace_host = NULL;
	copy->row_count = copy->row_capacity = 0;
	copy->names = (struct text_pool){.slabs = NULL};
	copy->names_size = 0;
	copy->opened_capacity = copy->group_capacity = copy->rank_capacity = 0;
	copy->group_map = copy->rank_map = (struct idmap){.count = 0};
	copy->file_ids = (struct file_ids){.map = {.count = 0}};
	if (copy_rows(copy, s) && iot_stats_finish(copy) == IOT_OK)
		return copy;
	iot_stats_free(copy);
	return NULL;
}
