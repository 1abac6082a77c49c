/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of tables that combine processes of one rank or host, or files of one directory. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"

#include "tables.h"

/* "/a" of "/a/b", "/" of "/b", "." of "b"; unknown if the path is. */
static struct iot_text directory_of(struct iot_text path)
{
	size_t size = path.size;
	if (path.data == NULL)
		return path;
	while (size > 0 && path.data[size - 1] != '/')
		size--;
	if (size == 0)
		return (struct iot_text){".", 1};
	return (struct iot_text){path.data, size > 1 ? size - 1 : 1};
}

/* What the members of a group have in common; a rank is its key's process, with file 1. */
static struct table_rank group_of(const struct row_table *t, uint32_t member)
{
	struct table_rank group = {.number = member};
	struct file_key file;
	uint64_t rank;
	if (t->by == IOT_ANALYZE_BY_DIRECTORY)
		file = table_key_of_file(t, member);
	if (t->by == IOT_ANALYZE_BY_DIRECTORY)
		group.name = directory_of(row_names_path(t->from.names, &file));
	else if (t->by == IOT_ANALYZE_BY_HOST)
		group.name = row_names_host(t->from.names, table_process_id(t, member));
	else if (row_names_rank(t->from.names, table_process_id(t, member), &rank) &&
		 rank <= UINT32_MAX)
		group.key = (struct file_key){.process = (uint32_t)rank, .file = 1};
	return group;
}

static bool is_same_group(const struct table_rank *a, const struct table_rank *b)
{
	return a->key.process == b->key.process && a->key.file == b->key.file &&
	       table_compare_names(a->name, b->name) == 0;
}

static size_t group_end(const struct row_table *t, size_t first)
{
	const struct table_rank group = group_of(t, t->members[first]);
	size_t end = first + 1;
	while (end < t->member_count) {
		const struct table_rank next = group_of(t, t->members[end]);
		if (!is_same_group(&group, &next))
			break;
		end++;
	}
	return end;
}

static struct table_sums member_sums(const struct row_table *t, uint32_t member)
{
	struct table_sums s;
	struct table_file f;
	if (t->by != IOT_ANALYZE_BY_DIRECTORY) {
		table_process(t, member, &s);
		return s;
	}
	table_file(t, member, &f);
	return f.all;
}

static struct table_sums group_sums(const struct row_table *t, size_t first, size_t end)
{
	struct table_sums all = {.ns = {0}};
	for (size_t i = first; i < end; i++) {
		const struct table_sums one = member_sums(t, t->members[i]);
		row_sums_add(&all.sums, &one.sums);
		for (unsigned kind = 0; kind < BUSY_KINDS; kind++)
			all.ns[kind] = saturate_add(all.ns[kind], one.ns[kind]);
	}
	return all;
}

/* Sorts the members so that each group is contiguous. */
static bool sort_members(struct row_table *t)
{
	free(t->members);
	t->member_count = 0;
	t->members = calloc(t->count + 1, sizeof *t->members);
	if (t->members == NULL)
		return false;
	for (size_t i = 0; i < t->count; i++)
		t->ranks[i] = group_of(t, t->ranks[i].number);
	table_sort_ranks(t);
	for (size_t i = 0; i < t->count; i++)
		t->members[t->member_count++] = t->ranks[i].number;
	return true;
}

bool table_group(struct row_table *t)
{
	if (!sort_members(t))
		return false;
	t->count = 0;
	for (size_t first = 0, end; first < t->member_count; first = end) {
		end = group_end(t, first);
		const struct table_sums all = group_sums(t, first, end);
		struct table_rank group = group_of(t, t->members[first]);
		group.first = row_bytes(&all.sums);
		group.second = row_requests(&all.sums);
		group.number = (uint32_t)first;
		t->ranks[t->count++] = group;
	}
	return true;
}

void table_group_values(const struct row_table *t, size_t group, struct values *v)
{
	const bool files = t->by == IOT_ANALYZE_BY_DIRECTORY;
	const size_t first = t->ranks[group].number, end = group_end(t, first);
	const struct table_sums all = group_sums(t, first, end);
	values_number(v, files ? "files" : "processes", NULL, "", end - first);
	table_sums_values(t, NULL, &all, files ? &t->from.rows->busy : t->from.busy, v);
}

struct iot_text table_group_key(struct row_table *t, size_t group)
{
	const struct table_rank *rank = &t->ranks[group];
	if (t->by != IOT_ANALYZE_BY_RANK)
		return rank->name;
	if (rank->key.file == 0)
		return (struct iot_text){NULL, 0};
	values_key(t->key, rank->key.process);
	return (struct iot_text){t->key, strlen(t->key)};
}
