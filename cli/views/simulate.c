/* SPDX-License-Identifier: BSD-2-Clause */
#include "simulate.h"

#include "cli/print/json.h"
#include "cli/print/tsv.h"
#include "lib/result/columns.h"
#include "parameters.h"

#define WHOLE REUSE_TOTAL /* in place of a row of the breakdown */

/* The source of all tables: the simulation and the row that are read, and nested tables. */
struct simulations {
	struct simulate_results *results;
	const struct simulate_pair *pair;
	size_t row;
	char name[ROW_NAME_CAPACITY], prefetch[32];
	struct reading_view reading;
	struct iot_table parameters, device, trace, simulations, rows, reuse, estimate;
};

static void set_parameters(struct iot_row *to, void *source)
{
	struct simulations *s = source;
	const struct simulate_results *r = s->results;
	const bool skip = r->references.unknown == REFERENCES_SKIP_UNKNOWN;
	row_word(to, &metrics.input, r->path);
	row_table(to, &metrics.reading, &s->reading.table);
	row_number(to, &metrics.block, r->references.block);
	row_word(to, &metrics.layer, r->references.physical ? "physical" : "logical");
	row_word(to, &metrics.unknown, skip ? "skip" : "fresh");
	row_word(to, &metrics.write, simulate_write_name(r));
	row_number(to, &metrics.rmw, r->rmw);
	row_word(to, &metrics.prefetch, simulate_prefetch_name(r, s->prefetch));
	row_word(to, &metrics.by, row_by_name(r->references.by));
	row_number(to, &metrics.max_request, r->references.request_max);
	row_number(to, &metrics.memory, r->memory);
	row_table(to, &metrics.device, r->estimates ? &s->device : NULL);
}

static void set_reuse(struct iot_row *to, void *source)
{
	struct simulations *s = source;
	struct block_reuse_row u;
	if (s->results->reuse == NULL)
		row_absent(to, &metrics.reuse);
	if (!simulate_reuse(s->results, s->row, &u))
		return;
	row_table(to, &metrics.reuse, &s->reuse);
	row_number(to, &metrics.referenced_blocks, u.blocks);
	row_number(to, &metrics.repeated_blocks, u.repeated);
	row_number(to, &metrics.reuses, u.reuses);
	row_known(to, &metrics.reuse_distance, u.reuses > 0, u.distance);
	row_known(to, &metrics.reuse_time_ns, u.timed > 0, u.time_ns);
}

static const struct reference_totals *totals_of(const struct simulations *s)
{
	const struct references *r = s->results->input.references;
	return s->row == WHOLE ? &references_counts(r)->all : references_row(r, s->row);
}

/* What the whole trace or a row refers to, whatever the cache. */
static void set_references(struct iot_row *to, struct simulations *s)
{
	const struct reference_totals *all = totals_of(s);
	const struct engine *e = s->results->engine;
	const struct engine_firsts firsts =
	    s->row == WHOLE ? engine_firsts(e) : engine_row_firsts(e, s->row);
	row_counts(to, &metrics.records, all->records);
	row_counts(to, &metrics.bytes, all->bytes);
	row_counts(to, &metrics.references, all->references);
	if (firsts.known) {
		row_counts(to, &metrics.first_references, firsts.count.references);
		row_counts(to, &metrics.first_records, firsts.count.records);
		row_counts(to, &metrics.first_bytes, firsts.count.bytes);
		row_number(to, &metrics.distinct_blocks, both(firsts.count.references));
	}
	set_reuse(to, s);
}

static void set_trace(struct iot_row *to, void *source)
{
	struct simulations *s = source;
	const struct references_counts *c = references_counts(s->results->input.references);
	const bool traced = c->traced_misses + c->traced_hits > 0;
	s->row = WHOLE;
	set_references(to, s);
	row_number(to, &metrics.objects, c->objects);
	row_number(to, &metrics.empty_records, c->no_blocks);
	row_number(to, &metrics.unknown_offsets, c->unknown);
	row_number(to, &metrics.unknown_offset_bytes, c->unknown_bytes);
	row_number(to, &metrics.read_ahead_records, c->read_ahead);
	row_number(to, &metrics.other_layer_records, c->other_layer);
	row_number(to, &metrics.out_of_order, c->out_of_order);
	row_number(to, &metrics.unlinked, c->unlinked);
	row_number(to, &metrics.truncated, c->truncated);
	row_number(to, &metrics.truncated_to_unknown_size, c->truncated_unknown);
	row_number(to, &metrics.synced, c->synced);
	row_known(to, &metrics.traced_misses, traced, c->traced_misses);
}

static void set_hits(struct iot_row *to, const struct simulations *s,
		     const struct simulation_hits *hits)
{
	const uint64_t references = both(totals_of(s)->references);
	const uint64_t misses = references - both(hits->references);
	row_counts(to, &metrics.hits, hits->references);
	row_number(to, &metrics.misses, misses);
	row_real(to, &metrics.miss_ratio, ratio_of(misses, references));
	row_counts(to, &metrics.record_hits, hits->records);
	row_counts(to, &metrics.byte_hits, hits->bytes);
}

static void set_estimate(struct iot_row *to, void *source)
{
	const struct simulations *s = source;
	const struct simulation_counts c = simulation_counts(s->pair->simulation);
	row_known(to, &metrics.estimated_device_ns, s->results->estimates, c.device_ns);
	row_known(to, &metrics.estimated_idle_ns, s->results->estimates, c.waited_ns);
}

/* Values that exist for the whole trace only. */
static void set_cache(struct iot_row *to, struct simulations *s, const struct simulation_counts *c)
{
	const struct simulate_results *r = s->results;
	const uint64_t block = r->references.block;
	row_number(to, &metrics.evictions, c->cache.evictions);
	row_number(to, &metrics.resident_blocks, c->resident);
	row_number(to, &metrics.dropped_blocks, c->cache.dropped);
	row_number(to, &metrics.device_read_bytes, c->device_reads * block);
	row_number(to, &metrics.device_written_bytes, c->device_writes * block);
	row_number(to, &metrics.saved_writes, c->cache.saved_writes);
	row_number(to, &metrics.cancelled_writes, c->cache.cancelled_writes);
	row_number(to, &metrics.prefetched, c->cache.prefetched);
	row_number(to, &metrics.prefetch_used, c->cache.prefetch_used);
	row_number(to, &metrics.prefetch_wasted, c->cache.prefetch_wasted);
	row_table(to, &metrics.estimate, r->estimates ? &s->estimate : NULL);
	row_table(to, &metrics.rows, r->references.by != BREAKDOWN_NONE ? &s->rows : NULL);
	set_estimate(to, s);
}

/* What a cache did with the references of the whole trace, or of a row. */
static void set_simulation(struct iot_row *to, struct simulations *s, size_t pair, size_t row)
{
	struct simulate_results *r = s->results;
	const struct simulate_pair *p = &r->pairs[pair];
	const struct simulation_counts c = simulation_counts(p->simulation);
	const struct simulation_hits of_row = simulation_row(p->simulation, row);
	s->pair = p;
	s->row = row;
	row_word(to, &metrics.policy, cache_policy_name(p->policy));
	row_number(to, &metrics.cache_blocks, p->options.capacity);
	row_number(to, &metrics.cache_bytes, p->options.capacity * r->references.block);
	set_references(to, s);
	set_hits(to, s, row == WHOLE ? &c.hits : &of_row);
	if (row == WHOLE)
		set_cache(to, s, &c);
	else
		row_word(to, &metrics.row, simulate_row_name(r, row, s->name));
}

static void set_whole(struct iot_row *to, void *source)
{
	set_simulation(to, source, to->number, WHOLE);
}

static void set_row(struct iot_row *to, void *source)
{
	struct simulations *s = source;
	const size_t pair = (size_t)(s->pair - s->results->pairs);
	set_simulation(to, s, pair, s->results->order[to->number]);
}

/* For each simulation a line of the whole trace, and then its rows. */
static void set_line(struct iot_row *to, void *source)
{
	struct simulations *s = source;
	const size_t lines = 1 + simulate_rows_shown(s->results), line = to->number % lines;
	set_simulation(to, s, to->number / lines, line == 0 ? WHOLE : s->results->order[line - 1]);
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
	    COLUMNS(first_bytes)};
	struct simulations s = {.results = r};
	const struct iot_table table =
	    TABLE_ROWS(columns, r->pair_count * (1 + simulate_rows_shown(r)), set_line, &s);
	print_tsv(&r->out, &table);
}

static void set_document(struct iot_row *to, void *source)
{
	const struct simulations *s = source;
	row_table(to, &metrics.parameters, &s->parameters);
	row_table(to, &metrics.trace, &s->trace);
	row_table(to, &metrics.simulations, &s->simulations);
}

/* clang-format off */
#define TOTALS COLUMNS(records), COLUMNS(bytes), COLUMNS(references), COLUMNS(first_references), \
	COLUMNS(first_records), COLUMNS(first_bytes)
#define HITS COLUMNS(hits), COLUMN(misses), COLUMN(miss_ratio), COLUMNS(record_hits), \
	COLUMNS(byte_hits)
/* clang-format on */

void simulate_print_json(struct simulate_results *r)
{
	static const struct iot_column parameters[] = {
	    COLUMN(input),   COLUMN(reading),     COLUMN(block),  COLUMN(layer),
	    COLUMN(unknown), COLUMN(write),       COLUMN(rmw),    COLUMN(prefetch),
	    COLUMN(by),      COLUMN(max_request), COLUMN(memory), COLUMN(device)};
	static const struct iot_column trace[] = {TOTALS,
						  COLUMN(distinct_blocks),
						  COLUMN(objects),
						  COLUMN(empty_records),
						  COLUMN(unknown_offsets),
						  COLUMN(unknown_offset_bytes),
						  COLUMN(read_ahead_records),
						  COLUMN(other_layer_records),
						  COLUMN(out_of_order),
						  COLUMN(unlinked),
						  COLUMN(truncated),
						  COLUMN(truncated_to_unknown_size),
						  COLUMN(synced),
						  COLUMN(traced_misses),
						  COLUMN(reuse)};
	static const struct iot_column reuse[] = {
	    COLUMN_AS(referenced_blocks, "blocks"), COLUMN(repeated_blocks),
	    COLUMN_AS(reuses, "references"), COLUMN_AS(reuse_distance, "median_distance"),
	    COLUMN_AS(reuse_time_ns, "median_time_ns")};
	static const struct iot_column simulations[] = {COLUMN(policy),
							COLUMN_AS(cache_blocks, "blocks"),
							COLUMN_AS(cache_bytes, "bytes"),
							HITS,
							COLUMN(evictions),
							COLUMN(resident_blocks),
							COLUMN(dropped_blocks),
							COLUMN(device_read_bytes),
							COLUMN(device_written_bytes),
							COLUMN(saved_writes),
							COLUMN(cancelled_writes),
							COLUMN(prefetched),
							COLUMN(prefetch_used),
							COLUMN(prefetch_wasted),
							COLUMN(estimate),
							COLUMN(rows)};
	static const struct iot_column estimate[] = {
	    COLUMN_AS(estimated_device_ns, "device_time_ns"),
	    COLUMN_AS(estimated_idle_ns, "idle_bound_ns")};
	static const struct iot_column rows[] = {COLUMN(row), TOTALS, COLUMN(reuse), HITS};
	static const struct iot_column document[] = {COLUMN(parameters), COLUMN(trace),
						     COLUMN(simulations)};
	struct json j = {.out = &r->out, .pretty = true};
	struct simulations s = {
	    .results = r,
	    .parameters = TABLE_RECORD(parameters, set_parameters, &s),
	    .device = device_view(&r->device),
	    .trace = TABLE_RECORD(trace, set_trace, &s),
	    .simulations = TABLE_ROWS(simulations, r->pair_count, set_whole, &s),
	    .rows = TABLE_ROWS(rows, simulate_rows_shown(r), set_row, &s),
	    .reuse = TABLE_RECORD(reuse, set_reuse, &s),
	    .estimate = TABLE_RECORD(estimate, set_estimate, &s),
	};
	const struct iot_table table = TABLE_RECORD(document, set_document, &s);
	reading_view(&s.reading, &r->read);
	print_json(&j, NULL, &table);
}
