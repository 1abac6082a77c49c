/* SPDX-License-Identifier: BSD-2-Clause */
#include "simulate.h"

#include "cli/print/tsv.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

#define WHOLE (SIZE_MAX - 1) /* in place of a row of the breakdown */

struct simulations {
	struct simulate_results *results;
	char name[ROW_NAME_CAPACITY]; /* of the row that was read last */
};

/* Values that exist for the whole trace only. */
static void set_cache(struct result_row *to, const struct simulate_results *r,
		      const struct simulation_counts *c)
{
	const uint64_t block = r->references.block;
	row_number(to, &metrics.evictions, c->cache.evictions);
	row_number(to, &metrics.device_read_bytes, c->device_reads * block);
	row_number(to, &metrics.device_written_bytes, c->device_writes * block);
	row_number(to, &metrics.saved_writes, c->cache.saved_writes);
	row_number(to, &metrics.cancelled_writes, c->cache.cancelled_writes);
	row_number(to, &metrics.dropped_blocks, c->cache.dropped);
	row_number(to, &metrics.prefetched, c->cache.prefetched);
	row_number(to, &metrics.prefetch_used, c->cache.prefetch_used);
	row_number(to, &metrics.prefetch_wasted, c->cache.prefetch_wasted);
	row_known(to, &metrics.estimated_device_ns, r->estimates, c->device_ns);
	row_known(to, &metrics.estimated_idle_ns, r->estimates, c->waited_ns);
}

static void set_reuse(struct result_row *to, const struct simulate_results *r, size_t row)
{
	struct block_reuse_row u;
	if (!simulate_reuse(r, row == WHOLE ? REUSE_TOTAL : row, &u))
		return;
	row_number(to, &metrics.referenced_blocks, u.blocks);
	row_number(to, &metrics.repeated_blocks, u.repeated);
	row_number(to, &metrics.reuses, u.reuses);
	row_known(to, &metrics.reuse_distance, u.reuses > 0, u.distance);
	row_known(to, &metrics.reuse_time_ns, u.timed > 0, u.time_ns);
}

static void set_firsts(struct result_row *to, struct engine_firsts firsts)
{
	if (!firsts.known)
		return;
	row_counts(to, &metrics.first_references, firsts.count.references);
	row_counts(to, &metrics.first_records, firsts.count.records);
	row_counts(to, &metrics.first_bytes, firsts.count.bytes);
}

/* What one cache did with the references of the whole trace or of a row. */
static void set_simulation(struct result_row *to, struct simulate_results *r,
			   const struct simulate_pair *p, size_t row)
{
	const struct reference_totals *all = row == WHOLE
						 ? &references_counts(r->input.references)->all
						 : references_row(r->input.references, row);
	const struct simulation_counts c = simulation_counts(p->simulation);
	const struct simulation_hits hits =
	    row == WHOLE ? c.hits : simulation_row(p->simulation, row);
	row_word(to, &metrics.policy, cache_policy_name(p->policy));
	row_number(to, &metrics.cache_blocks, p->options.capacity);
	row_number(to, &metrics.cache_bytes, p->options.capacity * r->references.block);
	row_counts(to, &metrics.references, all->references);
	row_counts(to, &metrics.hits, hits.references);
	row_counts(to, &metrics.records, all->records);
	row_counts(to, &metrics.record_hits, hits.records);
	row_counts(to, &metrics.bytes, all->bytes);
	row_counts(to, &metrics.byte_hits, hits.bytes);
	set_firsts(to, row == WHOLE ? engine_firsts(r->engine) : engine_row_firsts(r->engine, row));
	set_reuse(to, r, row);
	if (row == WHOLE)
		set_cache(to, r, &c);
}

static size_t rows_shown(const struct simulate_results *r)
{
	if (r->references.by == BREAKDOWN_NONE)
		return 0;
	return r->rows < r->top ? r->rows : (size_t)r->top;
}

/* For each simulation a line of the whole trace, and then its rows. */
static void tsv_row(const struct iot_table *t, size_t i, struct iot_cell *cell)
{
	struct simulations *s = t->source;
	struct simulate_results *r = s->results;
	struct result_row to = {t, cell, 0};
	const size_t lines = 1 + rows_shown(r), line = i % lines;
	const size_t row = line == 0 ? WHOLE : r->order[line - 1];
	set_simulation(&to, r, &r->pairs[i / lines], row);
	if (row != WHOLE)
		row_word(&to, &metrics.row, simulate_row_name(r, row, s->name));
}

void simulate_print_tsv(struct simulate_results *r)
{
	static const struct iot_column columns[] = {
	    COLUMN(policy),
	    COLUMN_AS(cache_blocks, "blocks"),
	    COLUMN_AS(cache_bytes, "bytes"),
	    COLUMNS(references),
	    COLUMNS(hits),
	    COLUMN_READ_AS(first_references, "read_firsts"),
	    COLUMN_WRITE_AS(first_references, "write_firsts"),
	    COLUMNS(records),
	    COLUMNS(record_hits),
	    COLUMNS(bytes),
	    COLUMNS(byte_hits),
	    COLUMN(evictions),
	    COLUMN(device_read_bytes),
	    COLUMN(device_written_bytes),
	    COLUMN(saved_writes),
	    COLUMN(cancelled_writes),
	    COLUMN_AS(dropped_blocks, "dropped"),
	    COLUMN(prefetched),
	    COLUMN(prefetch_used),
	    COLUMN(prefetch_wasted),
	    COLUMN(row),
	    COLUMN(referenced_blocks),
	    COLUMN(repeated_blocks),
	    COLUMN(reuses),
	    COLUMN(reuse_distance),
	    COLUMN(reuse_time_ns),
	    COLUMN(estimated_device_ns),
	    COLUMN(estimated_idle_ns),
	    COLUMNS(first_records),
	    COLUMNS(first_bytes),
	};
	struct simulations source = {.results = r};
	const struct iot_table table = {
	    .name = "simulations",
	    .columns = COLUMN_COUNT(columns),
	    .rows = r->pair_count * (1 + rows_shown(r)),
	    .column = columns,
	    .row = tsv_row,
	    .source = &source,
	};
	print_tsv(&r->out, &table);
}
