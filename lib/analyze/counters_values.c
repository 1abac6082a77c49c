/* SPDX-License-Identifier: BSD-2-Clause */
/* The section `counters`: values by module, and of these by class of sizes or files. */
#include <stdio.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

#include "counters.h"

static const char *const modules[COUNTERS_MODULES] = {"POSIX", "MPI-IO", "STDIO"};

static const char *module_key(char key[VALUE_KEY], unsigned module, const char *rest)
{
	snprintf(key, VALUE_KEY, "%s %.22s", modules[module], rest);
	return key;
}

/* Sums that not all modules have. */
static bool has_sum(unsigned module, unsigned sum)
{
	switch (sum) {
	case COUNTERS_CONSECUTIVE:
	case COUNTERS_CONSECUTIVE + 1:
	case COUNTERS_SEQUENTIAL:
	case COUNTERS_SEQUENTIAL + 1:
	case COUNTERS_STATS:
	case COUNTERS_MMAPS:
	case COUNTERS_NOT_ALIGNED:
		return module == COUNTERS_POSIX;
	case COUNTERS_COLLECTIVE:
	case COUNTERS_COLLECTIVE + 1:
		return module == COUNTERS_MPIIO;
	case COUNTERS_SEEKS:
		return module != COUNTERS_MPIIO;
	case COUNTERS_SWITCHES:
		return module != COUNTERS_STDIO;
	default:
		return true;
	}
}

static void sum_values(const struct counters *c, struct values *v)
{
	static const struct {
		const char *name, *unit;
		unsigned sum;
	} sums[] = {{"reads", "", COUNTERS_REQUESTS},
		    {"writes", "", COUNTERS_REQUESTS + 1},
		    {"read_bytes", "bytes", COUNTERS_BYTES},
		    {"written_bytes", "bytes", COUNTERS_BYTES + 1},
		    {"opens", "", COUNTERS_OPENS},
		    {"seeks", "", COUNTERS_SEEKS},
		    {"stat_calls", "", COUNTERS_STATS},
		    {"mmaps", "", COUNTERS_MMAPS},
		    {"syncs", "", COUNTERS_SYNCS},
		    {"read_consecutive_requests", "", COUNTERS_CONSECUTIVE},
		    {"write_consecutive_requests", "", COUNTERS_CONSECUTIVE + 1},
		    {"read_sequential_requests", "", COUNTERS_SEQUENTIAL},
		    {"write_sequential_requests", "", COUNTERS_SEQUENTIAL + 1},
		    {"direction_switches", "", COUNTERS_SWITCHES},
		    {"unaligned_requests", "", COUNTERS_NOT_ALIGNED},
		    {"read_collective_requests", "", COUNTERS_COLLECTIVE},
		    {"write_collective_requests", "", COUNTERS_COLLECTIVE + 1}};
	for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
		for (unsigned m = 0; m < COUNTERS_MODULES; m++) {
			if (c->of[m] == NULL || !has_sum(m, sums[i].sum))
				continue;
			if (c->of[m]->unmeasured[sums[i].sum])
				values_unknown(v, sums[i].name, modules[m], sums[i].unit,
					       "not measured");
			else
				values_number(v, sums[i].name, modules[m], sums[i].unit,
					      c->of[m]->sum[sums[i].sum]);
		}
}

static void time_values_of(const struct counters *c, struct values *v)
{
	static const char *const names[COUNTERS_TIMES] = {"read_time_ns", "write_time_ns",
							  "operation_time_ns"};
	for (unsigned k = 0; k < COUNTERS_TIMES; k++)
		for (unsigned m = 0; m < COUNTERS_MODULES; m++)
			if (c->of[m] != NULL)
				values_number(v, names[k], modules[m], "ns",
					      counters_ns(c->of[m]->fs[k]));
}

static void size_values(const struct counters *c, unsigned d, struct values *v)
{
	static const char *const names[2] = {"read_size_classes", "write_size_classes"};
	static const char *const classes[COUNTERS_CLASSES] = {
	    "0-100", "100-1K", "1K-10K",   "10K-100K", "100K-1M",
	    "1M-4M", "4M-10M", "10M-100M", "100M-1G",  "1G+"};
	const unsigned first = d == 0 ? COUNTERS_SIZE_READ : COUNTERS_SIZE_WRITE;
	char key[VALUE_KEY];
	for (unsigned m = 0; m < COUNTERS_STDIO; m++)
		for (unsigned i = 0; i < COUNTERS_CLASSES && c->of[m] != NULL; i++)
			values_number(v, names[d], module_key(key, m, classes[i]), "",
				      c->of[m]->sum[first + i]);
}

static void common_values(const struct counters *c, bool strides, struct values *v)
{
	enum { SHOWN = 4 };
	struct common_value top[COMMON_TOP];
	char key[VALUE_KEY], number[VALUE_KEY];
	for (unsigned m = 0; m < COUNTERS_STDIO; m++) {
		if (c->of[m] == NULL)
			continue;
		const size_t n =
		    common_top(strides ? &c->of[m]->strides : &c->of[m]->sizes, strides, top);
		for (size_t i = 0; i < n && i < SHOWN; i++) {
			if (strides)
				values_signed_key(number, (int64_t)top[i].value);
			else
				values_key(number, top[i].value);
			values_number(v, strides ? "common_stride" : "common_size",
				      module_key(key, m, number), "", top[i].count);
		}
	}
}

/* Files */

struct class_totals {
	uint64_t files, bytes, max_byte;
};

static void class_add(struct class_totals *to, const struct counters_file *f)
{
	to->files++;
	to->bytes = saturate_add(to->bytes, saturate_add(f->bytes[0], f->bytes[1]));
	to->max_byte = f->max_byte > to->max_byte ? f->max_byte : to->max_byte;
}

static void add_classes(struct class_totals of[COUNTERS_FILE_CLASSES],
			const struct counters_totals *t)
{
	for (size_t i = 0; i < t->file_capacity; i++) {
		const struct counters_file *f = &t->files[i];
		const bool read = f->bytes[0] > 0, written = f->bytes[1] > 0;
		if (f->records == 0)
			continue;
		class_add(&of[COUNTERS_ALL], f);
		class_add(&of[f->shared       ? COUNTERS_SHARED
			      : f->ranks == 1 ? COUNTERS_UNIQUE
					      : COUNTERS_PART_SHARED],
			  f);
		if (read || written)
			class_add(&of[!written ? COUNTERS_READ_ONLY
				      : !read  ? COUNTERS_WRITE_ONLY
					       : COUNTERS_READ_WRITE],
				  f);
	}
}

static void class_values(const struct counters *c, struct values *v)
{
	static const char *const keys[COUNTERS_FILE_CLASSES] = {
	    "all", "read-only", "write-only", "read/write", "unique", "shared", "part-shared"};
	struct class_totals of[COUNTERS_MODULES][COUNTERS_FILE_CLASSES] = {{{0, 0, 0}}};
	char key[VALUE_KEY];
	for (unsigned m = 0; m < COUNTERS_MODULES; m++)
		if (c->of[m] != NULL)
			add_classes(of[m], c->of[m]);
	for (unsigned column = 0; column < 3; column++)
		for (unsigned m = 0; m < COUNTERS_MODULES; m++)
			for (unsigned i = 0; i < COUNTERS_FILE_CLASSES && c->of[m] != NULL; i++) {
				module_key(key, m, keys[i]);
				if (column == 0)
					values_number(v, NAME_OF(files), key, "", of[m][i].files);
				else if (column == 1)
					values_number(v, NAME_OF(file_bytes), key, "bytes",
						      of[m][i].bytes);
				else if (m != COUNTERS_MPIIO)
					values_number(v, NAME_OF(file_extents), key, "bytes",
						      of[m][i].max_byte);
			}
}

uint64_t counters_files(const struct counters_totals *t)
{
	uint64_t n = 0;
	for (size_t i = 0; i < t->file_capacity; i++)
		n += t->files[i].requests[0] > 0 || t->files[i].requests[1] > 0;
	return n;
}

/* Time by the slowest rank */

enum { ALL_TIMES = 1 << COUNTERS_READ | 1 << COUNTERS_WRITE | 1 << COUNTERS_METADATA };

static counters_fs sum_of(const counters_fs fs[COUNTERS_TIMES], unsigned kinds)
{
	counters_fs sum = 0;
	for (unsigned k = 0; k < COUNTERS_TIMES; k++)
		if ((kinds & 1u << k) != 0)
			sum = saturate_add_wide(sum, fs[k]);
	return sum;
}

static counters_fs time_of(const struct counters_rank *r)
{
	return sum_of(r->fs, ALL_TIMES);
}

counters_fs counters_longest(const struct counters_totals *t, unsigned kinds, uint64_t ranks,
			     uint64_t *rank)
{
	counters_fs longest = 0, own = 0, fs;
	*rank = UINT64_MAX;
	for (size_t i = 0; i < t->rank_map.count; i++) {
		fs = sum_of(t->ranks[i].fs, kinds);
		own = saturate_add_wide(own, fs);
		if (*rank != UINT64_MAX &&
		    (fs < longest || (fs == longest && t->rank_map.keys[i] > *rank)))
			continue;
		longest = fs;
		*rank = t->rank_map.keys[i];
	}
	fs = sum_of(t->fs, kinds);
	return saturate_add_wide(longest, fs > own && ranks > 0 ? (fs - own) / ranks : 0);
}

struct counters_time_by_slowest counters_slowest(const struct counters_totals *t)
{
	struct counters_time_by_slowest s = {.rank = 0};
	for (size_t i = 0; i < t->rank_map.count; i++) {
		const counters_fs fs = time_of(&t->ranks[i]);
		const uint64_t rank = t->rank_map.keys[i];
		if (fs < s.unique_fs || (fs == s.unique_fs && (fs == 0 || rank > s.rank)))
			continue;
		s.unique_fs = fs;
		s.rank = rank;
		for (unsigned k = 0; k < COUNTERS_TIMES; k++)
			s.fs[k] = t->ranks[i].fs[k];
	}
	s.all_fs = saturate_add_wide(s.unique_fs, t->shared_fs);
	return s;
}

static void rate_values(const struct counters *c,
			const struct counters_time_by_slowest of[COUNTERS_MODULES],
			struct values *v)
{
	for (unsigned m = 0; m < COUNTERS_MODULES; m++) {
		if (c->of[m] == NULL)
			continue;
		const uint64_t *bytes = &c->of[m]->sum[COUNTERS_BYTES];
		values_ratio(v, NAME_OF(slowest_bytes_per_s), modules[m], "bytes/s",
			     (double)bytes[0] + (double)bytes[1], counters_seconds(of[m].all_fs),
			     "no time is known");
	}
}

static void slowest_values(const struct counters *c, struct values *v)
{
	static const char *const names[] = {"slowest_unique_ns", "slowest_unique_operations_ns",
					    "slowest_shared_ns", "slowest_ns"};
	struct counters_time_by_slowest of[COUNTERS_MODULES] = {{.rank = 0}};
	for (unsigned m = 0; m < COUNTERS_MODULES; m++)
		if (c->of[m] != NULL)
			of[m] = counters_slowest(c->of[m]);
	for (unsigned m = 0; m < COUNTERS_MODULES; m++)
		if (c->of[m] != NULL && of[m].unique_fs > 0)
			values_number(v, NAME_OF(slowest_rank), modules[m], "", of[m].rank);
		else if (c->of[m] != NULL)
			values_unknown(v, NAME_OF(slowest_rank), modules[m], "",
				       "no file of one rank");
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
		for (unsigned m = 0; m < COUNTERS_MODULES; m++) {
			if (c->of[m] == NULL)
				continue;
			const counters_fs fs[] = {of[m].unique_fs, of[m].fs[COUNTERS_METADATA],
						  c->of[m]->shared_fs, of[m].all_fs};
			values_number(v, names[i], modules[m], "ns", counters_ns(fs[i]));
		}
	rate_values(c, of, v);
}

static double requests_of(const struct counters_totals *t)
{
	return (double)t->sum[COUNTERS_REQUESTS] + (double)t->sum[COUNTERS_REQUESTS + 1];
}

/* Unknown if one of these sums is. */
static void share_of_requests(const struct counters_totals *t, const char *name, double requests,
			      bool unmeasured, struct values *v)
{
	if (unmeasured || t->unmeasured[COUNTERS_REQUESTS] || t->unmeasured[COUNTERS_REQUESTS + 1])
		values_unknown(v, name, NULL, "", "a counter was not measured");
	else
		values_ratio(v, name, NULL, "", requests, requests_of(t), "no requests");
	values_note_since(v, v->count - 1, COUNTERS_NOTE);
}

void counters_aligned(const struct counters_totals *t, struct values *v)
{
	share_of_requests(t, "aligned_share", requests_of(t) - (double)t->sum[COUNTERS_NOT_ALIGNED],
			  t->unmeasured[COUNTERS_NOT_ALIGNED], v);
}

void counters_sequential(const struct counters_totals *t, struct values *v)
{
	const uint64_t *n = &t->sum[COUNTERS_SEQUENTIAL];
	share_of_requests(
	    t, "ascending_share", (double)n[0] + (double)n[1],
	    t->unmeasured[COUNTERS_SEQUENTIAL] || t->unmeasured[COUNTERS_SEQUENTIAL + 1], v);
}

void counters_values(const struct counters *c, struct values *v)
{
	bool any = false;
	for (unsigned m = 0; m < COUNTERS_MODULES; m++)
		any |= c->of[m] != NULL;
	if (!any)
		return;
	v->section = SECTION_OF(counters);
	for (unsigned m = 0; m < COUNTERS_MODULES; m++)
		values_number(v, NAME_OF(counter_records), modules[m], "",
			      c->of[m] != NULL ? c->of[m]->records : 0);
	sum_values(c, v);
	time_values_of(c, v);
	size_values(c, 0, v);
	size_values(c, 1, v);
	common_values(c, false, v);
	common_values(c, true, v);
	class_values(c, v);
	slowest_values(c, v);
}
