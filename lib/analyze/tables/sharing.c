/* SPDX-License-Identifier: BSD-2-Clause */
/* The section `files`: how processes share files, and the files with most I/O. */
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

#include "tables.h"
#include "top.h"

enum file_class {
	CLASS_ALL,
	CLASS_READ_ONLY,
	CLASS_WRITE_ONLY,
	CLASS_READ_WRITE,
	CLASS_UNIQUE,
	CLASS_SHARED,
	CLASS_PART_SHARED,
	CLASSES
};

struct class_sums {
	uint64_t files, bytes, requests, extent;
	bool located;
};

static void class_add(struct class_sums *to, const struct table_file *f)
{
	to->files++;
	to->bytes = saturate_add(to->bytes, row_bytes(&f->all.sums));
	to->requests += row_requests(&f->all.sums);
	if (!f->located)
		return;
	to->extent = f->extent > to->extent ? f->extent : to->extent;
	to->located = true;
}

static enum file_class use_of(const struct row_sums *s)
{
	return s->count[ROW_WRITES] == 0  ? CLASS_READ_ONLY
	       : s->count[ROW_READS] == 0 ? CLASS_WRITE_ONLY
					  : CLASS_READ_WRITE;
}

/* With one process, all files are unique. */
static enum file_class sharing_of(const struct table_file *f, uint64_t processes)
{
	return f->users == 1           ? CLASS_UNIQUE
	       : f->users == processes ? CLASS_SHARED
				       : CLASS_PART_SHARED;
}

static void class_values(const struct class_sums sums[CLASSES], struct values *v)
{
	static const char *const keys[CLASSES] = {"all",    "read-only", "write-only", "read/write",
						  "unique", "shared",    "part-shared"};
	for (unsigned c = 0; c < CLASSES; c++)
		values_number(v, NAME_OF(class_files), keys[c], "", sums[c].files);
	for (unsigned c = 0; c < CLASSES; c++)
		values_number(v, NAME_OF(class_bytes), keys[c], "bytes", sums[c].bytes);
	for (unsigned c = 0; c < CLASSES; c++)
		values_number(v, NAME_OF(class_requests), keys[c], "", sums[c].requests);
	for (unsigned c = 0; c < CLASSES; c++)
		if (sums[c].located)
			values_number(v, NAME_OF(class_extent), keys[c], "bytes", sums[c].extent);
		else
			values_unknown(v, NAME_OF(class_extent), keys[c], "bytes",
				       sums[c].files == 0 ? "no such files"
							  : "no request has a known offset");
	values_number(v, NAME_OF(unshared_files), NULL, "", sums[CLASS_UNIQUE].files);
	values_number(v, NAME_OF(shared_files), NULL, "",
		      sums[CLASS_SHARED].files + sums[CLASS_PART_SHARED].files);
}

/* The most bytes of a rank in files of its own. */
static uint64_t counted_max(const struct counters_totals *t)
{
	uint64_t max = 0;
	for (size_t i = 0; i < t->rank_map.count; i++)
		max = t->ranks[i].bytes > max ? t->ranks[i].bytes : max;
	return max;
}

/*
 * Returns whether one process has 99 % of the bytes, the sum over files or over a sample of them.
 */
static bool is_rank_0(const struct row_table *t, uint64_t bytes)
{
	uint64_t max = t->from.counted != NULL ? counted_max(t->from.counted) : 0;
	uint64_t sum = 0;
	for (size_t i = 0; i < t->from.rows->process_capacity; i++) {
		const uint64_t n = row_bytes(&t->from.rows->processes[i]);
		max = n > max ? n : max;
		sum = saturate_add(sum, n);
	}
	return (uint128)max * 100 >= (uint128)(sum > bytes ? sum : bytes) * 99;
}

/* Returns NULL if the file has no bytes. */
static const char *strategy_of(const struct row_table *t, const struct class_sums sums[CLASSES])
{
	const uint64_t unique = sums[CLASS_UNIQUE].bytes, shared = sums[CLASS_SHARED].bytes,
		       part = sums[CLASS_PART_SHARED].bytes;
	if (t->from.processes == 1)
		return "serial";
	if (sums[CLASS_ALL].bytes == 0)
		return NULL;
	if (is_rank_0(t, sums[CLASS_ALL].bytes))
		return "rank-0";
	if (shared >= part && shared >= unique)
		return "N-1";
	return part >= unique ? "N-M" : "N-N";
}

static void strategy_value(const struct row_table *t, const struct class_sums sums[CLASSES],
			   struct values *v)
{
	const char *strategy = strategy_of(t, sums);
	if (strategy != NULL)
		values_text(v, NAME_OF(strategy), NULL,
			    (struct iot_text){strategy, strlen(strategy)});
	else
		values_unknown(v, NAME_OF(strategy), NULL, "", "no bytes");
}

/* Of counters, as of requests. Returns whether there are any. */
static bool add_counted(const struct counters_totals *t, uint64_t processes,
			struct class_sums sums[CLASSES])
{
	for (size_t i = 0; t != NULL && i < t->file_capacity; i++) {
		const struct counters_file *from = &t->files[i];
		const bool any = from->bytes[0] > 0 || from->bytes[1] > 0;
		const struct table_file f = {
		    .all.sums = {.count = {from->requests[0], from->requests[1]},
				 .bytes = {from->bytes[0], from->bytes[1]}},
		    .users = from->shared ? (uint32_t)processes : (uint32_t)from->ranks,
		    .extent = any ? from->max_byte + 1 : 0,
		    .located = any};
		if (row_requests(&f.all.sums) == 0)
			continue;
		class_add(&sums[CLASS_ALL], &f);
		class_add(&sums[use_of(&f.all.sums)], &f);
		class_add(&sums[sharing_of(&f, processes)], &f);
	}
	return t != NULL;
}

bool sharing_values(const struct row_table *t, size_t size, struct values *v)
{
	struct class_sums sums[CLASSES] = {{.files = 0}};
	uint64_t layouts[LAYOUTS] = {0};
	struct top_lists top;
	top_init(&top, size);
	for (size_t i = 0; i < table_files(t); i++) {
		struct table_file f;
		if (!table_file(t, i, &f))
			continue;
		top_add(&top, table_file_rank(t, i), &f.all.sums, row_duration(&f.all.sums, true));
		if (f.users == 0)
			continue;
		class_add(&sums[CLASS_ALL], &f);
		class_add(&sums[use_of(&f.all.sums)], &f);
		class_add(&sums[sharing_of(&f, t->from.processes)], &f);
		layouts[f.layout] += f.users > 1;
	}
	const bool counted = add_counted(t->from.counted, t->from.processes, sums);
	const size_t first = v->count;
	v->section = SECTION_OF(files);
	class_values(sums, v);
	if (counted)
		values_note_since(v, first, COUNTERS_NOTE);
	for (unsigned i = 0; i < LAYOUTS; i++)
		values_number(v, NAME_OF(layout_files), file_layouts[i], "", layouts[i]);
	strategy_value(t, sums, v);
	if (counted)
		values_note_since(v, v->count - 1, COUNTERS_NOTE);
	top_values(&top, t, true, v);
	top_free(&top);
	return !top.failed;
}
