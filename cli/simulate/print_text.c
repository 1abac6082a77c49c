/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of simulations as tables for people. */
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/ui/printable.h"

enum { FIELD = 24, PAIRS_WIDE = 8 };

static const char *percent(char text[FIELD], uint64_t part, uint64_t whole)
{
	if (whole == 0)
		return "-";
	snprintf(text, FIELD, "%.2f", 100 * ratio_of(part, whole));
	return text;
}

static void print_line(struct output *o, const char *name, const uint64_t counts[2],
		       const char *unit)
{
	output_printf(o, "%-12s %14" PRIu64 " %s (%" PRIu64 " of reads, %" PRIu64 " of writes)\n",
		      name, both(counts), unit, counts[0], counts[1]);
}

static void print_distinct(struct simulate_results *r)
{
	const struct engine_firsts firsts = engine_firsts(r->engine);
	const struct reference_totals *first = &firsts.count;
	char bytes[FIELD];
	if (!firsts.known) {
		output_text(&r->out, "distinct                  - blocks; see --memory\n"
				     "compulsory                - misses\n");
		return;
	}
	output_printf(
	    &r->out, "%-12s %14" PRIu64 " blocks of %" PRIu32 " bytes (%s)\n", "distinct",
	    both(first->references), r->references.block,
	    printable_bytes(bytes, sizeof bytes, both(first->references) * r->references.block));
	output_printf(&r->out,
		      "%-12s %14" PRIu64 " misses (%" PRIu64 " of reads, %" PRIu64
		      " of writes), in %" PRIu64 " records, of %s\n",
		      "compulsory", both(first->references), first->references[0],
		      first->references[1], both(first->records),
		      printable_bytes(bytes, sizeof bytes, both(first->bytes)));
}

static void print_count(struct output *o, const char *name, uint64_t count, const char *what)
{
	if (count > 0)
		output_printf(o, "%-12s %14" PRIu64 " %s\n", name, count, what);
}

static void print_trace(struct simulate_results *r)
{
	const struct references_counts *c = references_counts(r->input.references);
	char text[FIELD];
	output_printf(&r->out, "%-12s %14" PRIu64 " (%s)\n", "records", both(c->all.records),
		      printable_bytes(text, sizeof text, both(c->all.bytes)));
	print_line(&r->out, "references", c->all.references, "blocks");
	print_distinct(r);
	print_count(&r->out, "empty", c->no_blocks, "records of length 0 refer to no block");
	if (c->unknown > 0)
		output_printf(&r->out, "%-12s %14" PRIu64 " records with unknown offsets (%s) %s\n",
			      "unknown", c->unknown,
			      printable_bytes(text, sizeof text, c->unknown_bytes),
			      r->references.unknown == REFERENCES_SKIP_UNKNOWN
				  ? "are left out"
				  : "refer to blocks of their own");
	print_count(&r->out, "other layer", c->other_layer,
		    "records of the other layer are left out");
	print_count(&r->out, "read-ahead", c->read_ahead,
		    "records of the traced system's read-ahead are left out");
	print_count(&r->out, "unlinked", c->unlinked, "objects lost their name");
	print_count(&r->out, "truncated", c->truncated, "objects were truncated");
	print_count(&r->out, "truncated", c->truncated_unknown,
		    "objects were truncated to an unknown size, without effect");
	print_count(&r->out, "synced", c->synced, "objects were written by fsync");
	if (c->traced_misses + c->traced_hits > 0)
		output_printf(&r->out,
			      "%-12s %14s %% of all records missed the traced system's cache\n",
			      "traced", percent(text, c->traced_misses, both(c->all.records)));
}

static void print_pair(struct simulate_results *r, const struct simulate_pair *p)
{
	const struct simulation_counts c = simulation_counts(p->simulation);
	const struct reference_totals *all = &references_counts(r->input.references)->all;
	const uint64_t references = both(all->references), hits = both(c.hits.references),
		       block = r->references.block;
	char size[FIELD], text[5][FIELD], read[FIELD], written[FIELD];
	output_printf(&r->out,
		      "%-9s %10s %9" PRIu64 " %12" PRIu64 " %7s %7s %7s %7s %7s %11" PRIu64
		      " %10s %10s\n",
		      cache_policy_name(p->policy),
		      printable_bytes(size, sizeof size, p->options.capacity * block),
		      p->options.capacity, references - hits, percent(text[0], hits, references),
		      percent(text[1], c.hits.references[0], all->references[0]),
		      percent(text[2], c.hits.references[1], all->references[1]),
		      percent(text[3], both(c.hits.records), both(all->records)),
		      percent(text[4], both(c.hits.bytes), both(all->bytes)), c.cache.evictions,
		      printable_bytes(read, sizeof read, c.device_reads * block),
		      printable_bytes(written, sizeof written, c.device_writes * block));
}

static void print_pairs(struct simulate_results *r)
{
	output_printf(&r->out, "%-9s %10s %9s %12s %7s %7s %7s %7s %7s %11s %10s %10s\n", "policy",
		      "cache", "blocks", "misses", "hit %", "reads", "writes", "records", "bytes",
		      "evictions", "dev. read", "dev. write");
	for (size_t i = 0; i < r->pair_count; i++)
		print_pair(r, &r->pairs[i]);
}

static void print_prefetch(struct simulate_results *r)
{
	output_printf(&r->out, "\n%-9s %10s %12s %12s %12s  prefetched blocks\n", "policy",
		      "blocks", "issued", "used", "wasted");
	for (size_t i = 0; i < r->pair_count; i++) {
		const struct simulate_pair *p = &r->pairs[i];
		const struct simulation_counts c = simulation_counts(p->simulation);
		output_printf(&r->out,
			      "%-9s %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
			      cache_policy_name(p->policy), p->options.capacity, c.cache.prefetched,
			      c.cache.prefetch_used, c.cache.prefetch_wasted);
	}
}

/* The estimated time of the device's I/Os, without a model of CPUs. */
static void print_estimates(struct simulate_results *r)
{
	output_printf(&r->out, "\n%-9s %10s %16s %16s  estimates of device time\n", "policy",
		      "blocks", "device s", "idle s, at most");
	for (size_t i = 0; i < r->pair_count; i++) {
		const struct simulate_pair *p = &r->pairs[i];
		const struct simulation_counts c = simulation_counts(p->simulation);
		output_printf(&r->out, "%-9s %10" PRIu64 " %16.6f %16.6f\n",
			      cache_policy_name(p->policy), p->options.capacity,
			      (double)c.device_ns / 1e9, (double)c.waited_ns / 1e9);
	}
}

/* A value with its digits after the point, or "-". */
static void print_known(struct output *o, bool known, int width, int digits, double value)
{
	if (known)
		output_printf(o, " %*.*f", width, digits, value);
	else
		output_printf(o, " %*s", width, "-");
}

static void print_reuse_of(struct simulate_results *r, size_t row, uint64_t references,
			   const char *name)
{
	struct block_reuse_row u = {.blocks = 0};
	const bool known = simulate_reuse(r, row, &u), some = known && u.blocks > 0;
	output_printf(&r->out, "%12" PRIu64, references);
	print_known(&r->out, known, 12, 0, (double)u.blocks);
	print_known(&r->out, some, 10, 2, ratio_of(references, u.blocks));
	print_known(&r->out, some, 10, 2, 100 * ratio_of(u.repeated, u.blocks));
	print_known(&r->out, known && u.reuses > 0, 12, 0, (double)u.distance);
	print_known(&r->out, known && u.timed > 0, 14, 6, (double)u.time_ns / 1e9);
	output_printf(&r->out, "  %s\n", name);
}

/* How often blocks are referenced, and after how many other blocks and how much time. */
static void print_reuse(struct simulate_results *r)
{
	char name[ROW_NAME_CAPACITY];
	output_printf(&r->out, "\n%12s %12s %10s %10s %12s %14s  reuse, by %s\n", "references",
		      "blocks", "per block", "repeated %", "distance", "time s",
		      row_by_name(r->references.by));
	print_reuse_of(r, REUSE_TOTAL, both(references_counts(r->input.references)->all.references),
		       "all");
	for (size_t i = 0; i < r->rows && i < r->top; i++)
		print_reuse_of(r, r->order[i],
			       both(references_row(r->input.references, r->order[i])->references),
			       simulate_row_name(r, r->order[i], name));
}

static void print_row(struct simulate_results *r, size_t row)
{
	const struct reference_totals *all = references_row(r->input.references, row);
	const struct engine_firsts firsts = engine_row_firsts(r->engine, row);
	char text[FIELD], name[ROW_NAME_CAPACITY];
	output_printf(&r->out, "%12" PRIu64 " ", both(all->references));
	if (firsts.known)
		output_printf(&r->out, "%12" PRIu64, both(firsts.count.references));
	else
		output_printf(&r->out, "%12s", "-");
	for (size_t i = 0; i < r->pair_count && i < PAIRS_WIDE; i++) {
		const struct simulation_hits hits = simulation_row(r->pairs[i].simulation, row);
		output_printf(&r->out, " %16s",
			      percent(text, both(hits.references), both(all->references)));
	}
	output_printf(&r->out, "  %s\n", simulate_row_name(r, row, name));
}

/* Hit ratios by row; a column for each of the first simulations. */
static void print_rows(struct simulate_results *r)
{
	output_printf(&r->out, "\n%12s %12s", "references", "first");
	for (size_t i = 0; i < r->pair_count && i < PAIRS_WIDE; i++) {
		char label[2 * FIELD], size[FIELD];
		snprintf(label, sizeof label, "%s %s", cache_policy_name(r->pairs[i].policy),
			 printable_bytes(size, sizeof size,
					 r->pairs[i].options.capacity * r->references.block));
		output_printf(&r->out, " %16s", label);
	}
	output_printf(&r->out, "  hit %%, by %s\n", row_by_name(r->references.by));
	for (size_t i = 0; i < r->rows && i < r->top; i++)
		print_row(r, r->order[i]);
	if (r->rows > r->top)
		output_printf(&r->out, "%zu further rows; see --top\n", r->rows - (size_t)r->top);
}

void simulate_print_text(struct simulate_results *r)
{
	print_trace(r);
	output_text(&r->out, "\n");
	print_pairs(r);
	if (r->prefetch.kind != PREFETCH_NONE)
		print_prefetch(r);
	if (r->estimates)
		print_estimates(r);
	if (r->references.by == BREAKDOWN_NONE)
		return;
	print_rows(r);
	print_reuse(r);
}
