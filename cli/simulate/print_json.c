/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of simulations as JSON, with the parameters that repeat them. */
#include "results.h"

#include <string.h>

#include "input_json.h"
#include "timing.h"

static void text(struct json *j, const char *key, const char *value)
{
	json_text(j, key, value, strlen(value));
}

static void directions(struct json *j, const char *key, const uint64_t counts[2])
{
	json_open(j, key, '{');
	json_number(j, "reads", counts[0]);
	json_number(j, "writes", counts[1]);
	json_close(j, '}');
}

static void parameters(struct json *j, const struct simulate_results *r)
{
	char prefetch[32];
	json_open(j, "parameters", '{');
	text(j, "input", r->path);
	input_json_reading(j, &r->read);
	json_number(j, "block", r->references.block);
	text(j, "layer", r->references.physical ? "physical" : "logical");
	text(j, "unknown", r->references.unknown == REFERENCES_SKIP_UNKNOWN ? "skip" : "fresh");
	text(j, "write", simulate_write_name(r));
	json_bool(j, "rmw", r->rmw);
	text(j, "prefetch", simulate_prefetch_name(r, prefetch));
	text(j, "by", row_by_name(r->references.by));
	json_number(j, "max_request", r->references.request_max);
	json_number(j, "memory", r->memory);
	if (r->estimates)
		timing_print_device(j, &r->device);
	json_close(j, '}');
}

static void first(struct json *j, const char *key, bool known, const uint64_t counts[2])
{
	if (known)
		directions(j, key, counts);
	else
		json_null(j, key);
}

static void totals(struct json *j, const struct reference_totals *t, struct engine_firsts firsts)
{
	directions(j, "records", t->records);
	directions(j, "bytes", t->bytes);
	directions(j, "references", t->references);
	first(j, "first_references", firsts.known, firsts.count.references);
	first(j, "first_records", firsts.known, firsts.count.records);
	first(j, "first_bytes", firsts.known, firsts.count.bytes);
}

static void reuse(struct json *j, const struct simulate_results *r, size_t row)
{
	struct block_reuse_row u;
	if (r->reuse == NULL)
		return;
	if (!simulate_reuse(r, row, &u)) {
		json_null(j, "reuse");
		return;
	}
	json_open(j, "reuse", '{');
	json_number(j, "blocks", u.blocks);
	json_number(j, "repeated_blocks", u.repeated);
	json_number(j, "references", u.reuses);
	json_known(j, "median_distance", u.reuses > 0, u.distance);
	json_known(j, "median_time_ns", u.timed > 0, u.time_ns);
	json_close(j, '}');
}

static void trace(struct json *j, struct simulate_results *r)
{
	const struct references_counts *c = references_counts(r->input.references);
	const struct engine_firsts firsts = engine_firsts(r->engine);
	json_open(j, "trace", '{');
	totals(j, &c->all, firsts);
	json_known(j, "distinct_blocks", firsts.known, both(firsts.count.references));
	json_number(j, "objects", c->objects);
	json_number(j, "empty_records", c->no_blocks);
	json_number(j, "unknown_offsets", c->unknown);
	json_number(j, "unknown_offset_bytes", c->unknown_bytes);
	json_number(j, "read_ahead_records", c->read_ahead);
	json_number(j, "other_layer_records", c->other_layer);
	json_number(j, "out_of_order", c->out_of_order);
	json_number(j, "unlinked", c->unlinked);
	json_number(j, "truncated", c->truncated);
	json_number(j, "truncated_to_unknown_size", c->truncated_unknown);
	json_number(j, "synced", c->synced);
	json_known(j, "traced_misses", c->traced_misses + c->traced_hits > 0, c->traced_misses);
	reuse(j, r, REUSE_TOTAL);
	json_close(j, '}');
}

static void hit_counts(struct json *j, const struct simulation_hits *h,
		       const struct reference_totals *all)
{
	const uint64_t references = both(all->references), hits = both(h->references);
	directions(j, "hits", h->references);
	json_number(j, "misses", references - hits);
	if (references > 0)
		json_exact(j, "miss_ratio", ratio_of(references - hits, references));
	else
		json_null(j, "miss_ratio");
	directions(j, "record_hits", h->records);
	directions(j, "byte_hits", h->bytes);
}

static void rows(struct json *j, struct simulate_results *r, const struct simulate_pair *p)
{
	char name[ROW_NAME_CAPACITY];
	json_open(j, "rows", '[');
	for (size_t i = 0; i < r->rows && i < r->top; i++) {
		const size_t row = r->order[i];
		const struct reference_totals *all = references_row(r->input.references, row);
		const struct simulation_hits hits = simulation_row(p->simulation, row);
		json_open(j, NULL, '{');
		text(j, "row", simulate_row_name(r, row, name));
		totals(j, all, engine_row_firsts(r->engine, row));
		reuse(j, r, row);
		hit_counts(j, &hits, all);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void simulation(struct json *j, struct simulate_results *r, const struct simulate_pair *p)
{
	const struct simulation_counts c = simulation_counts(p->simulation);
	const uint64_t block = r->references.block;
	json_open(j, NULL, '{');
	text(j, "policy", cache_policy_name(p->policy));
	json_number(j, "blocks", p->options.capacity);
	json_number(j, "bytes", p->options.capacity * block);
	hit_counts(j, &c.hits, &references_counts(r->input.references)->all);
	json_number(j, "evictions", c.cache.evictions);
	json_number(j, "resident_blocks", c.resident);
	json_number(j, "dropped_blocks", c.cache.dropped);
	json_number(j, "device_read_bytes", c.device_reads * block);
	json_number(j, "device_written_bytes", c.device_writes * block);
	json_number(j, "saved_writes", c.cache.saved_writes);
	json_number(j, "cancelled_writes", c.cache.cancelled_writes);
	json_number(j, "prefetched", c.cache.prefetched);
	json_number(j, "prefetch_used", c.cache.prefetch_used);
	json_number(j, "prefetch_wasted", c.cache.prefetch_wasted);
	if (r->estimates) {
		json_open(j, "estimate", '{');
		json_number(j, "device_time_ns", c.device_ns);
		json_number(j, "idle_bound_ns", c.waited_ns);
		json_close(j, '}');
	}
	if (r->references.by != BREAKDOWN_NONE)
		rows(j, r, p);
	json_close(j, '}');
}

void simulate_print_json(struct simulate_results *r)
{
	struct json j = {.out = &r->out, .pretty = true};
	json_open(&j, NULL, '{');
	parameters(&j, r);
	trace(&j, r);
	json_open(&j, "simulations", '[');
	for (size_t i = 0; i < r->pair_count; i++)
		simulation(&j, r, &r->pairs[i]);
	json_close(&j, ']');
	json_close(&j, '}');
}
