/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads dependencies: sums, pairs of processes, ranges of bytes, and heads. See state.h. */
#include "dependencies.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "state.h"

/* Pairs, by the rows of their processes */

struct pair_row {
	uint32_t writer, reader; /* numbers of the analysis */
	uint32_t writer_row, reader_row;
	struct dependency_pair bytes;
};

static int by_rows(const void *left, const void *right)
{
	const struct pair_row *a = left, *b = right;
	if (a->writer_row != b->writer_row)
		return a->writer_row < b->writer_row ? -1 : 1;
	return a->reader_row < b->reader_row ? -1 : a->reader_row > b->reader_row;
}

static struct pair_row *sorted_pairs(struct state *s, const struct dependencies *d)
{
	const size_t n = d->pair_map.count;
	struct pair_row *list = calloc(n + 1, sizeof *list);
	if (list == NULL) {
		state_no_memory(s);
		return NULL;
	}
	for (size_t i = 0; i < n && !state_failed(s); i++) {
		const uint32_t writer = (uint32_t)(d->pair_map.keys[i] >> 32),
			       reader = (uint32_t)d->pair_map.keys[i];
		list[i] = (struct pair_row){writer, reader, s->processes.index[writer],
					    s->processes.index[reader], d->pairs[i]};
	}
	qsort(list, n, sizeof *list, by_rows);
	return list;
}

static void load_pair(struct state *s, struct dependencies *d, const struct pair_row *row)
{
	const uint64_t key = idmap_pair(row->writer, row->reader);
	state_check(s, idmap_find(&d->pair_map, key) == SIZE_MAX, "a pair once");
	state_check(s, d->pair_map.count < DEPENDENCY_PAIRS_MAX, "up to 1048576 pairs");
	if (state_failed(s))
		return;
	const size_t i = idmap_number(&d->pair_map, key);
	if (array_reserve_index(&d->pairs, &d->pair_capacity, i, sizeof *d->pairs))
		d->pairs[i] = row->bytes;
	else
		state_no_memory(s);
}

static void pairs_state(struct state *s, struct dependencies *d)
{
	const size_t n = state_saves(s) ? d->pair_map.count : 0;
	struct pair_row *list = state_saves(s) ? sorted_pairs(s, d) : NULL, row;
	for (size_t i = 0; state_list(s, "dependency.pair", list != NULL && i < n); i++) {
		row = list != NULL ? list[i] : (struct pair_row){0};
		state_reference(s, "writer", &s->processes, &row.writer);
		state_reference(s, "reader", &s->processes, &row.reader);
		state_number(s, "bytes", &row.bytes.bytes);
		state_number(s, "first", &row.bytes.first);
		if (list == NULL)
			load_pair(s, d, &row);
	}
	free(list);
}

/* Ranges and heads of files, one file after the other */

/* The files in their order, and a list of one of them. */
struct file_cursor {
	size_t row;  /* of the file */
	size_t next; /* in the list of ranges, or in all heads */
	struct owner_range *list;
	size_t count, capacity;
};

/* Stores the next range. Returns false after the last one. */
static bool next_range(struct state *s, const struct dependencies *d, struct file_cursor *c,
		       uint32_t *file, struct owner_range *range)
{
	while (c->next == c->count && c->row < s->files.count) {
		*file = s->files.own[c->row++];
		c->next = c->count = 0;
		if (*file < d->capacity && !owner_map_list(&d->maps, &d->files[*file], &c->list,
							   &c->capacity, &c->count)) {
			state_no_memory(s);
			return false;
		}
	}
	if (c->next == c->count)
		return false;
	*range = c->list[c->next++];
	return true;
}

static void load_range(struct state *s, struct dependencies *d, uint32_t file,
		       const struct owner_range *range)
{
	const struct owner_change c = {.to = *range, .write = true};
	state_check(s, range->begin < range->end, "a range of bytes");
	state_check(s, d->maps.ranges <= OWNER_RANGES_MAX, "up to 2097152 ranges");
	struct owner_map *map =
	    state_failed(s) ? NULL : state_at(s, &d->files, &d->capacity, file, sizeof *d->files);
	if (map != NULL && !owner_map_change(&d->maps, map, &c))
		state_no_memory(s);
}

static void ranges_state(struct state *s, struct dependencies *d)
{
	struct file_cursor c = {.row = 0};
	struct owner_range range = {.begin = 0};
	uint32_t file = 0;
	bool more = state_saves(s) && next_range(s, d, &c, &file, &range);
	while (state_list(s, "dependency.range", more)) {
		uint32_t use = range.use;
		state_reference(s, "f", &s->files, &file);
		state_reference(s, "p", &s->processes, &range.process);
		state_number(s, "begin", &range.begin);
		state_number(s, "end", &range.end);
		state_small(s, "use", &use, OWNER_USES - 1);
		range.use = use;
		if (state_saves(s))
			more = next_range(s, d, &c, &file, &range);
		else
			load_range(s, d, file, &range);
	}
	free(c.list);
}

/* An index of the heads by the row of their file, which keeps the order of each file. */
struct head_row {
	uint32_t row, head;
};

static int by_file(const void *left, const void *right)
{
	const struct head_row *a = left, *b = right;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->head < b->head ? -1 : a->head > b->head;
}

static struct head_row *sorted_heads(struct state *s, const struct dependencies *d)
{
	struct head_row *list = calloc(d->head_count + 1, sizeof *list);
	if (list == NULL)
		state_no_memory(s);
	for (size_t i = 0; i < d->head_count && list != NULL && !state_failed(s); i++)
		list[i] = (struct head_row){s->files.index[d->heads[i].file], (uint32_t)i};
	if (list != NULL)
		qsort(list, d->head_count, sizeof *list, by_file);
	return list;
}

static void load_head(struct state *s, struct dependencies *d, const struct dependency_head *head)
{
	state_check(s, head->begin < head->end, "a range of bytes");
	if (!state_failed(s) && !dependencies_add_head(d, head))
		state_no_memory(s);
}

static void heads_state(struct state *s, struct dependencies *d)
{
	struct head_row *list = state_saves(s) ? sorted_heads(s, d) : NULL;
	const size_t n = list != NULL ? d->head_count : 0;
	for (size_t i = 0; state_list(s, "dependency.head", i < n); i++) {
		struct dependency_head h = {.begin = 0};
		if (list != NULL)
			h = d->heads[list[i].head];
		state_reference(s, "f", &s->files, &h.file);
		state_reference(s, "p", &s->processes, &h.process);
		state_number(s, "begin", &h.begin);
		state_number(s, "end", &h.end);
		state_flag(s, "write", &h.write);
		if (list == NULL)
			load_head(s, d, &h);
	}
	free(list);
}

static void sums_state(struct state *s, struct dependencies *d)
{
	static const char *const keys[2][OWNER_USES][2] = {
	    {{"rr_other", "rr_same"}, {"rw_other", "rw_same"}, {"rv_other", "rv_same"}},
	    {{"wr_other", "wr_same"}, {"ww_other", "ww_same"}, {"wv_other", "wv_same"}}};
	size_t i;
	bool limited = d->maps.limited;
	while (state_each(s, "dependency", 1, &i)) {
		for (unsigned write = 0; write < 2; write++)
			for (unsigned use = 0; use < OWNER_USES; use++)
				for (unsigned same = 0; same < 2; same++)
					state_number(s, keys[write][use][same],
						     &d->bytes[write][use][same]);
		state_number(s, "other", &d->other);
		state_flag(s, "limited", &limited);
		state_flag(s, "unordered", &d->unordered);
	}
	d->maps.limited = limited;
}

/* Values that are unknown need none but the sums. */
void dependencies_state(struct state *s, struct dependencies *d)
{
	if (state_saves(s) && d->maps.limited) {
		struct dependencies none = {.unordered = d->unordered};
		none.maps.limited = true;
		sums_state(s, &none);
		return;
	}
	sums_state(s, d);
	pairs_state(s, d);
	ranges_state(s, d);
	heads_state(s, d);
}
