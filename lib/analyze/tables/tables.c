/* SPDX-License-Identifier: BSD-2-Clause */
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

/* Pairs by file */

static bool is_used(const struct row_table *t, size_t pair)
{
	return pair < t->from.rows->pair_capacity && row_calls(&t->from.rows->pairs[pair].sums) > 0;
}

static size_t file_of_pair(const struct row_table *t, size_t pair)
{
	return (uint32_t)t->from.requests->pair_map.keys[pair] - 1;
}

static size_t process_of_pair(const struct row_table *t, size_t pair)
{
	return (size_t)(t->from.requests->pair_map.keys[pair] >> 32) - 1;
}

/*
 * Lists the files that the sample left out; of several traces, one may have a file in its sample.
 */
static bool list_left_out(struct row_table *t)
{
	const struct file_sums *l = &t->from.requests->file_sums;
	const size_t n = t->from.counted == NULL ? file_sums_count(l) : 0;
	struct file_sum f;
	struct file_key key;
	t->left_out = calloc(n + 1, sizeof *t->left_out);
	for (size_t i = 0; i < n && t->left_out != NULL; i++)
		if (file_sums_at(l, t->from.layer, i, &key, &f) &&
		    !requests_knows_file(t->from.requests, &key))
			t->left_out[t->left_out_count++] = (uint32_t)i;
	return t->left_out != NULL;
}

/* Counts the pairs of each file, and then places them: a counting sort. */
bool table_make(struct row_table *t, const struct table_source *from)
{
	const size_t files = from->requests->files.count, pairs = from->requests->pair_map.count;
	*t = (struct row_table){.from = *from};
	t->begin = calloc(files + 2, sizeof *t->begin);
	t->pairs = calloc(pairs + 1, sizeof *t->pairs);
	t->files = calloc(from->requests->processes.map.count + 1, sizeof *t->files);
	if (t->begin == NULL || t->pairs == NULL || t->files == NULL)
		return false;
	for (size_t i = 0; i < pairs; i++) {
		if (!is_used(t, i))
			continue;
		t->begin[file_of_pair(t, i) + 2]++;
		t->files[process_of_pair(t, i)] += row_requests(&from->rows->pairs[i].sums) > 0;
	}
	for (size_t i = 2; i < files + 2; i++)
		t->begin[i] += t->begin[i - 1];
	for (size_t i = 0; i < pairs; i++)
		if (is_used(t, i))
			t->pairs[t->begin[file_of_pair(t, i) + 1]++] = (uint32_t)i;
	return list_left_out(t);
}

void table_free(struct row_table *t)
{
	free(t->begin);
	free(t->pairs);
	free(t->files);
	free(t->left_out);
	free(t->ranks);
	free(t->members);
	values_free(&t->values);
}

/* Sums */

static void add_times(struct table_sums *to, const struct busy *b, size_t i)
{
	for (unsigned kind = 0; kind < BUSY_KINDS && i < b->capacity; kind++)
		to->ns[kind] = saturate_add(to->ns[kind], b->processes[i].of[kind].ns);
}

bool table_process(const struct row_table *t, size_t process, struct table_sums *to)
{
	*to = (struct table_sums){.ns = {0}};
	if (process >= t->from.rows->process_capacity)
		return false;
	to->sums = t->from.rows->processes[process];
	add_times(to, t->from.busy, process);
	return row_calls(&to->sums) > 0;
}

/* Sorts the ranges of offsets of the processes: `segmented` if they are disjoint. */
struct offset_range {
	uint64_t low, high;
};

static int by_range(const void *left, const void *right)
{
	const struct offset_range *a = left, *b = right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

static bool are_disjoint(struct offset_range *ranges, size_t n)
{
	qsort(ranges, n, sizeof *ranges, by_range);
	for (size_t i = 1; i < n; i++)
		if (ranges[i - 1].high > ranges[i].low)
			return false;
	return true;
}

/* Returns false also if out of memory: the layout is then strided. */
static bool is_segmented(const struct row_table *t, const uint32_t *pairs, size_t n)
{
	struct offset_range *ranges = calloc(n, sizeof *ranges);
	size_t located = 0;
	for (size_t i = 0; i < n && ranges != NULL; i++) {
		const struct row_pair *p = &t->from.rows->pairs[pairs[i]];
		if (p->located)
			ranges[located++] = (struct offset_range){p->low, p->high};
	}
	const bool disjoint = ranges != NULL && are_disjoint(ranges, located);
	free(ranges);
	return disjoint;
}

static enum file_layout layout_of(const struct row_table *t, size_t file)
{
	const struct order *o = t->from.order;
	if (is_segmented(t, t->pairs + t->begin[file], t->begin[file + 1] - t->begin[file]))
		return LAYOUT_SEGMENTED;
	return file < o->file_capacity && o->files[file].strides == STRIDE_ONE ? LAYOUT_INTERLEAVED
									       : LAYOUT_OVERLAPPING;
}

static void add_pair(const struct row_table *t, size_t pair, struct table_file *to)
{
	const struct row_pair *p = &t->from.rows->pairs[pair];
	struct table_sums one = {.ns = {0}};
	add_times(&one, &t->from.rows->busy, pair);
	row_sums_add(&to->all.sums, &p->sums);
	to->small[0] += p->small[0];
	to->small[1] += p->small[1];
	for (unsigned kind = 0; kind < BUSY_KINDS; kind++)
		to->all.ns[kind] = saturate_add(to->all.ns[kind], one.ns[kind]);
	if (row_requests(&p->sums) == 0)
		return;
	const uint64_t ns = one.ns[BUSY_IO];
	to->fastest_ns = to->users == 0 || ns < to->fastest_ns ? ns : to->fastest_ns;
	to->slowest_ns = ns > to->slowest_ns ? ns : to->slowest_ns;
	to->io_ns = saturate_add(to->io_ns, ns);
	to->users++;
	if (!p->located)
		return;
	to->extent = p->high > to->extent ? p->high : to->extent;
	to->located = true;
}

size_t table_files(const struct row_table *t)
{
	return t->from.requests->files.count + t->left_out_count;
}

bool table_is_left_out(const struct row_table *t, size_t file)
{
	return file >= t->from.requests->files.count;
}

/* Returns false if the file is not in those sums. */
static bool left_out_sum(const struct row_table *t, size_t file, struct file_key *key,
			 struct file_sum *f)
{
	const struct file_sums *l = &t->from.requests->file_sums;
	if (table_is_left_out(t, file))
		return file_sums_at(l, t->from.layer,
				    t->left_out[file - t->from.requests->files.count], key, f);
	*key = t->from.requests->files.keys[file];
	return file_sums_find(l, t->from.layer, key, f);
}

struct file_key table_key_of_file(const struct row_table *t, size_t file)
{
	struct file_sum f;
	struct file_key key;
	(void)left_out_sum(t, file, &key, &f);
	return key;
}

/* Adds the sums of a file outside of the sample. */
static void add_left_out(const struct row_table *t, size_t file, struct table_file *to)
{
	struct file_sum more;
	struct file_key key;
	if (!left_out_sum(t, file, &key, &more))
		return;
	row_sums_add(&to->all.sums, &more.sums);
	if (!more.located)
		return;
	to->extent = more.extent > to->extent ? more.extent : to->extent;
	to->located = true;
}

bool table_file(const struct row_table *t, size_t file, struct table_file *to)
{
	*to = (struct table_file){.users = 0};
	if (file_sums_count(&t->from.requests->file_sums) > 0)
		add_left_out(t, file, to);
	if (table_is_left_out(t, file))
		return row_calls(&to->all.sums) > 0;
	for (size_t i = t->begin[file]; i < t->begin[file + 1]; i++)
		add_pair(t, t->pairs[i], to);
	if (to->users > 1)
		to->layout = layout_of(t, file);
	return row_calls(&to->all.sums) > 0;
}

/* Order */

int table_compare_names(struct iot_text a, struct iot_text b)
{
	const size_t size = a.size < b.size ? a.size : b.size;
	const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
	return order != 0 ? order : a.size < b.size ? -1 : a.size > b.size;
}

static int compare_keys(const struct file_key *a, const struct file_key *b)
{
	if ((a->object == 0) != (b->object == 0))
		return a->object == 0 ? 1 : -1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->file < b->file ? -1 : a->file > b->file;
}

static int by_rank(const void *left, const void *right)
{
	const struct table_rank *a = left, *b = right;
	if (a->first != b->first)
		return a->first > b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second > b->second ? -1 : 1;
	const int order = table_compare_names(a->name, b->name);
	return order != 0 ? order : compare_keys(&a->key, &b->key);
}

bool table_precedes(const struct table_rank *a, const struct table_rank *b)
{
	return by_rank(a, b) < 0;
}

uint32_t table_process_id(const struct row_table *t, size_t process)
{
	return (uint32_t)t->from.requests->processes.map.keys[process];
}

struct table_rank table_process_rank(const struct row_table *t, size_t process)
{
	return (struct table_rank){.key = {.process = table_process_id(t, process)},
				   .number = (uint32_t)process};
}

struct table_rank table_file_rank(const struct row_table *t, size_t file)
{
	const struct file_key key = table_key_of_file(t, file);
	return (struct table_rank){
	    .name = row_names_path(t->from.names, &key), .key = key, .number = (uint32_t)file};
}

void table_sort_ranks(struct row_table *t)
{
	if (t->count > 0)
		qsort(t->ranks, t->count, sizeof *t->ranks, by_rank);
}

bool table_add_rank(struct row_table *t, struct table_rank rank, const struct row_sums *s)
{
	if (!array_reserve(&t->ranks, &t->capacity, t->count + 1, sizeof *t->ranks))
		return false;
	rank.first = row_bytes(s);
	rank.second = row_requests(s);
	t->ranks[t->count++] = rank;
	return true;
}

bool table_rank_processes(struct row_table *t)
{
	struct table_sums s;
	for (size_t i = 0; i < t->from.requests->processes.map.count; i++)
		if (table_process(t, i, &s) &&
		    !table_add_rank(t, table_process_rank(t, i), &s.sums))
			return false;
	return true;
}

bool table_rank_files(struct row_table *t)
{
	struct table_file f;
	for (size_t i = 0; i < table_files(t); i++)
		if (table_file(t, i, &f) && !table_add_rank(t, table_file_rank(t, i), &f.all.sums))
			return false;
	return true;
}

bool table_rank_operations(struct row_table *t)
{
	const struct metadata *m = t->from.metadata;
	for (size_t i = 0; m != NULL && i < m->names.count; i++) {
		const struct table_rank rank = {
		    .name = {m->names.name[i], strlen(m->names.name[i])}, .number = (uint32_t)i};
		if (!table_add_rank(t, rank, &(struct row_sums){.count = {0}}))
			return false;
		t->ranks[i].first = m->names.of[i].ns;
		t->ranks[i].second = m->names.of[i].calls;
	}
	return true;
}
