/* SPDX-License-Identifier: BSD-2-Clause */
#include "simulate.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/print/text.h"
#include "cli/ui/printable.h"
#include "lib/result/columns.h"
#include "parameters.h"

enum { PAIRS_WIDE = 8 };

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
	row_word(to, &metrics.layer, layer_name(trace_in_layer(&r->input.in)));
	row_word(to, &metrics.unknown, skip ? "skip" : "fresh");
	row_word(to, &metrics.write, simulate_write_name(r));
	row_number(to, &metrics.rmw, r->rmw);
	row_word(to, &metrics.prefetch, simulate_prefetch_name(r, s->prefetch));
	row_word(to, &metrics.by, row_by_name(r->references.by));
	row_number(to, &metrics.max_request, r->references.request_max);
	row_number(to, &metrics.memory, r->memory);
	row_table(to, &metrics.device, r->estimates ? &s->device : NULL);
}

static const struct reference_totals *totals_of(const struct simulations *s)
{
	const struct references *r = s->results->input.references;
	return s->row == WHOLE ? &references_counts(r)->all : references_row(r, s->row);
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
	row_real(to, &metrics.references_per_block,
		 ratio_of(both(totals_of(s)->references), u.blocks));
	row_real(to, &metrics.repeated_share, ratio_of(u.repeated, u.blocks));
	row_number(to, &metrics.reuses, u.reuses);
	row_known(to, &metrics.reuse_distance, u.reuses > 0, u.distance);
	row_known(to, &metrics.reuse_time_ns, u.timed > 0, u.time_ns);
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
	const struct reference_totals *all = totals_of(s);
	const uint64_t references = both(all->references);
	const uint64_t misses = references - both(hits->references);
	row_counts(to, &metrics.hits, hits->references);
	row_number(to, &metrics.misses, misses);
	row_real(to, &metrics.miss_ratio, ratio_of(misses, references));
	row_counts(to, &metrics.record_hits, hits->records);
	row_counts(to, &metrics.byte_hits, hits->bytes);
	row_shares(to, &metrics.hit_ratio, hits->references, all->references);
	row_shares(to, &metrics.record_hit_ratio, hits->records, all->records);
	row_shares(to, &metrics.byte_hit_ratio, hits->bytes, all->bytes);
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

static void print_pairs(struct simulations *s, const struct iot_table *pairs)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(policy, -9, 0), TEXT(cache_bytes, 10, 0), TEXT(cache_blocks, 9, 0),
			TEXT(misses, 12, 0), TEXT(hit_ratio, 7, 2), TEXT_READ(hit_ratio, 7, 2),
			TEXT_WRITE(hit_ratio, 7, 2), TEXT(record_hit_ratio, 7, 2),
			TEXT(byte_hit_ratio, 7, 2), TEXT(evictions, 11, 0),
			TEXT(device_read_bytes, 10, 0), TEXT(device_written_bytes, 10, 0));
	static const struct text_column prefetch[] =
	    COLUMN_LIST(TEXT(policy, -9, 0), TEXT(cache_blocks, 10, 0), TEXT(prefetched, 12, 0),
			TEXT(prefetch_used, 12, 0), TEXT(prefetch_wasted, 12, 0));
	static const struct text_column estimates[] =
	    COLUMN_LIST(TEXT(policy, -9, 0), TEXT(cache_blocks, 10, 0),
			TEXT(estimated_device_ns, 16, 6), TEXT(estimated_idle_ns, 16, 6));
	/* objects have no bytes */
	static const struct text_column objects[] =
	    COLUMN_LIST(TEXT(policy, -9, 0), TEXT_AS(cache_blocks, "objects", 9, 0),
			TEXT(misses, 12, 0), TEXT(hit_ratio, 7, 2), TEXT_READ(hit_ratio, 7, 2),
			TEXT_WRITE(hit_ratio, 7, 2), TEXT(evictions, 11, 0));
	struct output *o = &s->results->out;
	if (s->results->references.whole)
		print_text(o, objects, COLUMN_COUNT(objects), NULL, pairs);
	else
		print_text(o, columns, COLUMN_COUNT(columns), NULL, pairs);
	if (s->results->prefetch.kind != PREFETCH_NONE) {
		output_text(o, "\n");
		print_text(o, prefetch, COLUMN_COUNT(prefetch), "prefetched blocks", pairs);
	}
	if (s->results->estimates) {
		output_text(o, "\n");
		print_text(o, estimates, COLUMN_COUNT(estimates), "estimates of device time",
			   pairs);
	}
}

/* The references of a row, and the hit ratio of each of the first simulations. */
static void set_ratios(struct iot_row *to, void *source)
{
	struct simulations *s = source;
	struct simulate_results *r = s->results;
	s->row = r->order[to->number];
	set_references(to, s);
	for (size_t i = 0; i < r->pair_count && i < PAIRS_WIDE; i++) {
		const struct simulation_hits hits = simulation_row(r->pairs[i].simulation, s->row);
		row_shares(to, &metrics.hit_ratio, hits.references, totals_of(s)->references);
	}
	row_word(to, &metrics.row, simulate_row_name(r, s->row, s->name));
}

/* Hit ratios by row; a column for each of the first simulations. */
static void print_ratios(struct simulations *s)
{
	static const struct text_column ratio = TEXT(hit_ratio, 16, 2), name = TEXT(row, 0, 0);
	struct text_column columns[PAIRS_WIDE + 3] = {TEXT(references, 12, 0),
						      TEXT(first_references, 12, 0)};
	struct simulate_results *r = s->results;
	char label[PAIRS_WIDE][64], size[32], title[32];
	size_t count = 2;
	for (size_t i = 0; i < r->pair_count && i < PAIRS_WIDE; i++) {
		const uint64_t blocks = r->pairs[i].options.capacity;
		if (r->references.whole)
			snprintf(size, sizeof size, "%" PRIu64, blocks);
		else
			(void)printable_bytes(size, sizeof size, blocks * r->references.block);
		snprintf(label[i], sizeof label[i], "%s %s", cache_policy_name(r->pairs[i].policy),
			 size);
		columns[count] = ratio;
		columns[count++].label = label[i];
	}
	columns[count++] = name;
	snprintf(title, sizeof title, "hit %%, by %s", row_by_name(r->references.by));
	const struct iot_table table = TABLE_FILLED(simulate_rows_shown(r), set_ratios, s);
	output_text(&r->out, "\n");
	print_text(&r->out, columns, count, title, &table);
	if (r->rows > r->top)
		output_printf(&r->out, "%zu further rows; see --top\n", r->rows - (size_t)r->top);
}

static void set_reuse_line(struct iot_row *to, void *source)
{
	struct simulations *s = source;
	const bool whole = to->number == 0;
	s->row = whole ? WHOLE : s->results->order[to->number - 1];
	set_references(to, s);
	row_word(to, &metrics.row, whole ? "all" : simulate_row_name(s->results, s->row, s->name));
}

/* How often blocks are referenced, and after how many other blocks and how much time. */
static void print_reuse(struct simulations *s)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(references, 12, 0), TEXT(referenced_blocks, 12, 0),
			TEXT(references_per_block, 10, 2), TEXT(repeated_share, 10, 2),
			TEXT(reuse_distance, 12, 0), TEXT(reuse_time_ns, 14, 6), TEXT(row, 0, 0));
	struct simulate_results *r = s->results;
	const struct iot_table table = TABLE_FILLED(1 + simulate_rows_shown(r), set_reuse_line, s);
	char title[32];
	snprintf(title, sizeof title, "reuse, by %s", row_by_name(r->references.by));
	output_text(&r->out, "\n");
	print_text(&r->out, columns, COLUMN_COUNT(columns), title, &table);
}

void simulate_print_text(struct simulate_results *r)
{
	struct simulations s = {.results = r};
	const struct iot_table pairs = TABLE_FILLED(r->pair_count, set_whole, &s);
	simulate_print_trace(r);
	output_text(&r->out, "\n");
	print_pairs(&s, &pairs);
	if (r->references.by == BREAKDOWN_NONE)
		return;
	print_ratios(&s);
	print_reuse(&s);
}

static void print_flat(struct simulate_results *r, const struct print_form *form)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(policy), COLUMN(cache_blocks), COLUMN(cache_bytes), COLUMNS(references),
	    COLUMNS(hits), COLUMNS(first_references), COLUMNS(records), COLUMNS(record_hits),
	    COLUMNS(bytes), COLUMNS(byte_hits), COLUMN(evictions), COLUMN(device_read_bytes),
	    COLUMN(device_written_bytes), COLUMN(saved_writes), COLUMN(cancelled_writes),
	    COLUMN(dropped_blocks), COLUMN(prefetched), COLUMN(prefetch_used),
	    COLUMN(prefetch_wasted), COLUMN(row), COLUMN(referenced_blocks),
	    COLUMN(repeated_blocks), COLUMN(reuses), COLUMN(reuse_distance), COLUMN(reuse_time_ns),
	    COLUMN(estimated_device_ns), COLUMN(estimated_idle_ns), COLUMNS(first_records),
	    COLUMNS(first_bytes));
	struct simulations s = {.results = r};
	const struct iot_table table =
	    TABLE_ROWS(columns, r->pair_count * (1 + simulate_rows_shown(r)), set_line, &s);
	form->print(&r->out, &table, NULL);
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

static void print_nested(struct simulate_results *r, const struct print_form *form)
{
	static const struct iot_column parameters[] =
	    COLUMN_LIST(COLUMN(input), COLUMN(reading), COLUMN(block), COLUMN(layer),
			COLUMN(unknown), COLUMN(write), COLUMN(rmw), COLUMN(prefetch), COLUMN(by),
			COLUMN(max_request), COLUMN(memory), COLUMN(device));
	static const struct iot_column trace[] = COLUMN_LIST(
	    TOTALS, COLUMN(distinct_blocks), COLUMN(objects), COLUMN(empty_records),
	    COLUMN(unknown_offsets), COLUMN(unknown_offset_bytes), COLUMN(read_ahead_records),
	    COLUMN(other_layer_records), COLUMN(out_of_order), COLUMN(unlinked), COLUMN(truncated),
	    COLUMN(truncated_to_unknown_size), COLUMN(synced), COLUMN(traced_misses),
	    COLUMN(reuse));
	static const struct iot_column reuse[] =
	    COLUMN_LIST(COLUMN(referenced_blocks), COLUMN(repeated_blocks), COLUMN(reuses),
			COLUMN(reuse_distance), COLUMN(reuse_time_ns));
	static const struct iot_column simulations[] = COLUMN_LIST(
	    COLUMN(policy), COLUMN(cache_blocks), COLUMN(cache_bytes), HITS, COLUMN(evictions),
	    COLUMN(resident_blocks), COLUMN(dropped_blocks), COLUMN(device_read_bytes),
	    COLUMN(device_written_bytes), COLUMN(saved_writes), COLUMN(cancelled_writes),
	    COLUMN(prefetched), COLUMN(prefetch_used), COLUMN(prefetch_wasted), COLUMN(estimate),
	    COLUMN(rows));
	static const struct iot_column estimate[] =
	    COLUMN_LIST(COLUMN(estimated_device_ns), COLUMN(estimated_idle_ns));
	static const struct iot_column rows[] =
	    COLUMN_LIST(COLUMN(row), TOTALS, COLUMN(reuse), HITS);
	static const struct iot_column document[] =
	    COLUMN_LIST(COLUMN(parameters), COLUMN(trace), COLUMN(simulations));
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
	form->print(&r->out, &table, NULL);
}

void simulate_print(struct simulate_results *r, const struct print_form *form)
{
	(form->is_nested ? print_nested : print_flat)(r, form);
}
