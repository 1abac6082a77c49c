/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables: which rows each has, in which order, and their keys and values. */
#include <string.h>

#include "tables.h"

/* Hosts have processes, or else samples. */
static bool has_sampled_hosts(const struct row_table *t)
{
	return t->by == IOT_ANALYZE_BY_HOST && t->from.samples != NULL;
}

static bool rank_groups(struct row_table *t)
{
	const bool by_file = t->by == IOT_ANALYZE_BY_DIRECTORY;
	return (by_file ? table_rank_files(t) : table_rank_processes(t)) && table_group(t);
}

ssize_t table_sort(struct row_table *t, enum iot_analyze_by by)
{
	t->by = by;
	t->count = 0;
	const bool ranked = by == IOT_ANALYZE_BY_PROCESS     ? table_rank_processes(t)
			    : by == IOT_ANALYZE_BY_FILE      ? table_rank_files(t)
			    : by == IOT_ANALYZE_BY_OPERATION ? table_rank_operations(t)
			    : has_sampled_hosts(t)           ? table_rank_sampled_hosts(t)
							     : rank_groups(t);
	if (ranked)
		table_sort_ranks(t);
	return ranked ? (ssize_t)t->count : IOT_ENOMEM;
}

static struct iot_text key_of(struct row_table *t, size_t i)
{
	const struct table_rank *rank = &t->ranks[i];
	if (t->by == IOT_ANALYZE_BY_OPERATION)
		return rank->name;
	if (t->by != IOT_ANALYZE_BY_FILE && t->by != IOT_ANALYZE_BY_PROCESS)
		return table_group_key(t, i);
	if (t->by == IOT_ANALYZE_BY_FILE)
		table_file_key(t->key, &rank->key);
	else
		values_key(t->key, rank->key.process);
	return (struct iot_text){t->key, strlen(t->key)};
}

int table_row(struct row_table *t, size_t i, struct iot_analyze_row *row)
{
	if (i >= t->count)
		return IOT_EUSAGE;
	t->values.count = 0;
	t->values.section = t->by == IOT_ANALYZE_BY_FILE        ? "files"
			    : t->by == IOT_ANALYZE_BY_DIRECTORY ? "files"
			    : t->by == IOT_ANALYZE_BY_OPERATION ? "metadata"
								: "processes";
	if (t->by == IOT_ANALYZE_BY_PROCESS)
		table_process_values(t, t->ranks[i].number, &t->values);
	else if (t->by == IOT_ANALYZE_BY_FILE)
		table_file_values(t, t->ranks[i].number, &t->values);
	else if (t->by == IOT_ANALYZE_BY_OPERATION)
		table_operation_values(t->from.metadata, t->ranks[i].number, &t->values);
	else if (has_sampled_hosts(t))
		table_sampled_host_values(t, t->ranks[i].number, &t->values);
	else
		table_group_values(t, i, &t->values);
	*row = (struct iot_analyze_row){key_of(t, i), t->values.value, t->values.count};
	return t->values.failed ? IOT_ENOMEM : IOT_OK;
}
