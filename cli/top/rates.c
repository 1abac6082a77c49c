/* SPDX-License-Identifier: BSD-2-Clause */
#include "rates.h"

#include <stdlib.h>
#include <xxhash.h>

#include "lib/base/array.h"

/* A row is found again by its ids, or by its name if it combines several. */
static uint64_t key_of(const struct iot_stats_row *row, int by)
{
	if (by == IOT_STATS_BY_PROCESS)
		return row->process;
	if (by == IOT_STATS_BY_OBJECT && row->object != 0)
		return row->object;
	if (by == IOT_STATS_BY_FILE || by == IOT_STATS_BY_OBJECT)
		return idmap_pair(row->process, row->file) ^ UINT64_C(1) << 63;
	if (by == IOT_STATS_BY_RANK)
		return (row->has & IOT_STATS_HAS_RANK) != 0 ? row->rank + 1 : 0;
	return row->name != NULL ? XXH3_64bits(row->name, row->name_size) : 0;
}

static struct interval_counts counts_of(const struct iot_stats_row *row)
{
	return (struct interval_counts){row->opens,      row->reads,         row->writes,
					row->read_bytes, row->written_bytes, row->io_ns};
}

static uint64_t growth(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void set_row(struct rate_row *row, const struct iot_stats_row *all,
		    struct interval_counts *before)
{
	const struct interval_counts now = counts_of(all);
	*row = (struct rate_row){
	    all,
	    {growth(now.opens, before->opens), growth(now.reads, before->reads),
	     growth(now.writes, before->writes), growth(now.read_bytes, before->read_bytes),
	     growth(now.written_bytes, before->written_bytes), growth(now.io_ns, before->io_ns)}};
	*before = now;
}

static uint64_t sort_key(const struct interval_counts *c, int sort)
{
	switch (sort) {
	case IOT_STATS_SORT_IOS:
		return c->reads + c->writes;
	case IOT_STATS_SORT_TIME:
		return c->io_ns;
	case IOT_STATS_SORT_OPENS:
		return c->opens;
	case IOT_STATS_SORT_READS:
		return c->reads;
	case IOT_STATS_SORT_WRITES:
		return c->writes;
	case IOT_STATS_SORT_READ_BYTES:
		return c->read_bytes;
	case IOT_STATS_SORT_WRITTEN_BYTES:
		return c->written_bytes;
	default:
		return c->read_bytes + c->written_bytes;
	}
}

static int largest_first(const void *left, const void *right, void *sort)
{
	const struct rate_row *a = left, *b = right;
	const struct interval_counts all[] = {counts_of(a->all), counts_of(b->all)};
	uint64_t x = sort_key(&a->recent, *(int *)sort), y = sort_key(&b->recent, *(int *)sort);
	if (x == y) {
		x = sort_key(&all[0], *(int *)sort);
		y = sort_key(&all[1], *(int *)sort);
	}
	/* Rows are elements of one array, in the order of the results. */
	return x != y ? (x < y ? 1 : -1) : (a->all > b->all) - (a->all < b->all);
}

bool rates_next(struct rates *r, const struct iot_stats *results, int by, int sort)
{
	const struct iot_stats_row *row;
	for (r->count = 0; (row = iot_stats_row(results, r->count)) != NULL; r->count++) {
		const size_t key = idmap_number(&r->keys, key_of(row, by));
		if (!array_reserve_index(&r->before, &r->capacity, key, sizeof *r->before) ||
		    !array_reserve(&r->rows, &r->row_capacity, r->count + 1, sizeof *r->rows))
			return false;
		set_row(&r->rows[r->count], row, &r->before[key]);
	}
	set_row(&r->total, iot_stats_total(results), &r->total_before);
	if (r->count > 0)
		qsort_r(r->rows, r->count, sizeof *r->rows, largest_first, &sort);
	return true;
}

void rates_free(struct rates *r)
{
	idmap_free(&r->keys);
	free(r->before);
	free(r->rows);
}
