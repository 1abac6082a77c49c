/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects processes by number, range, name or rank, and files by path. See slice.h. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"

#include "slice.h"

static const char too_many[] = "at most 1024 of them";

static bool id(const char *text, size_t n, uint32_t *value)
{
	uint64_t wide;
	if (!number_decimal(text, n, &wide) || wide > UINT32_MAX)
		return false;
	*value = (uint32_t)wide;
	return true;
}

static bool parse_range(const char *item, size_t n, struct id_range *range)
{
	const char *dash = memchr(item, '-', n);
	const size_t first = dash != NULL ? (size_t)(dash - item) : n;
	if (!id(item, first, &range->first))
		return false;
	range->last = range->first;
	return dash == NULL ||
	       (id(dash + 1, n - first - 1, &range->last) && range->first <= range->last);
}

/* 12-7, and other items of digits and dashes that are not ids. */
static bool is_no_range(const char *item, size_t n)
{
	return strspn(item, "0123456789-") >= n;
}

static const char *add_process(struct slice_filter *c, const char *item, size_t n)
{
	struct id_range range;
	if (n == 0 || (is_no_range(item, n) && !parse_range(item, n, &range)))
		return "numbers, ranges and names with commas between them: 7,9-12,mpi*";
	if (parse_range(item, n, &range)) {
		if (c->range_count == SLICE_FILTERS_MAX)
			return too_many;
		c->ranges[c->range_count++] = range;
		return NULL;
	}
	if (c->process_glob_count == SLICE_FILTERS_MAX)
		return too_many;
	char *glob = strndup(item, n);
	if (glob == NULL)
		return "enough memory";
	c->owned[c->owned_count++] = glob;
	c->process_globs[c->process_glob_count++] = glob;
	return NULL;
}

static const char *add_rank(struct slice_filter *c, const char *item, size_t n)
{
	if (c->rank_count == SLICE_FILTERS_MAX)
		return too_many;
	if (!parse_range(item, n, &c->ranks[c->rank_count]))
		return "numbers and ranges with commas between them: 0,4-7";
	c->rank_count++;
	return NULL;
}

typedef const char *add_fn(struct slice_filter *c, const char *item, size_t n);

static const char *add_all(struct slice_filter *c, const char *list, add_fn *add)
{
	for (;;) {
		const size_t n = strcspn(list, ",");
		const char *expected = add(c, list, n);
		if (expected != NULL || list[n] == '\0')
			return expected;
		list += n + 1;
	}
}

const char *slice_filter_add_processes(struct slice_filter *c, const char *list)
{
	return add_all(c, list, add_process);
}

const char *slice_filter_add_ranks(struct slice_filter *c, const char *list)
{
	return add_all(c, list, add_rank);
}

const char *slice_filter_add_file(struct slice_filter *c, const char *glob)
{
	if (c->file_glob_count == SLICE_FILTERS_MAX)
		return too_many;
	c->file_globs[c->file_glob_count++] = glob;
	return NULL;
}

void slice_filter_free(struct slice_filter *c)
{
	for (size_t i = 0; i < c->owned_count; i++)
		free(c->owned[i]);
	*c = (struct slice_filter){.range_count = 0};
}

bool slice_filter_of_processes(const struct slice_filter *c)
{
	return c->range_count + c->rank_count + c->process_glob_count > 0;
}

/* Matches the name, or its last component if the glob contains no '/'. */
static bool fits(const char *glob, const char *name)
{
	const char *slash = strchr(glob, '/') == NULL ? strrchr(name, '/') : NULL;
	return fnmatch(glob, name, 0) == 0 || (slash != NULL && fnmatch(glob, slash + 1, 0) == 0);
}

static bool matches(const char *const *globs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (fits(globs[i], name))
			return true;
	return false;
}

static bool is_within(const struct id_range *ranges, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++)
		if (value >= ranges[i].first && value <= ranges[i].last)
			return true;
	return false;
}

bool slice_filter_has_rank(const struct slice_filter *c, uint64_t rank)
{
	return is_within(c->ranks, c->rank_count, rank);
}

bool slice_filter_has_process(const struct slice_filter *c, uint32_t process, const char *name)
{
	if (!slice_filter_of_processes(c))
		return true;
	if (is_within(c->ranges, c->range_count, process))
		return true;
	return name != NULL && matches(c->process_globs, c->process_glob_count, name);
}

bool slice_filter_has_path(const struct slice_filter *c, const char *path)
{
	if (c->file_glob_count == 0)
		return true;
	return path != NULL && matches(c->file_globs, c->file_glob_count, path);
}
