/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of simulations as columns separated by tabs. */
#include "results.h"

#include <inttypes.h>

#include "cli/ui/printable.h"

static void number(struct output *o, uint64_t value)
{
	output_printf(o, "\t%" PRIu64, value);
}

static void pair_of(struct output *o, const uint64_t counts[2])
{
	number(o, counts[0]);
	number(o, counts[1]);
}

/* Replaces the characters that would break a column. */
static void write_name(struct output *o, const char *name)
{
	output_text(o, "\t");
	for (; *name != '\0'; name++)
		output_write(o, *name == '\t' || *name == '\n' ? " " : name, 1);
}

static void write_counts(struct simulate_results *r, const struct simulate_pair *p,
			 const struct reference_totals *all, const struct simulation_hits *hits,
			 struct engine_firsts firsts)
{
	struct output *o = &r->out;
	output_printf(o, "%s\t%" PRIu64 "\t%" PRIu64, cache_policy_name(p->policy),
		      p->options.capacity, p->options.capacity * r->references.block);
	pair_of(o, all->references);
	pair_of(o, hits->references);
	if (firsts.known)
		pair_of(o, firsts.count.references);
	else
		output_text(o, "\t\t");
	pair_of(o, all->records);
	pair_of(o, hits->records);
	pair_of(o, all->bytes);
	pair_of(o, hits->bytes);
}

/* Columns that exist for the whole trace only; empty in other rows. */
static void write_device(struct simulate_results *r, const struct simulation_counts *c)
{
	const uint64_t block = r->references.block;
	const uint64_t columns[] = {
	    c->cache.evictions,    c->device_reads * block,   c->device_writes * block,
	    c->cache.saved_writes, c->cache.cancelled_writes, c->cache.dropped,
	    c->cache.prefetched,   c->cache.prefetch_used,    c->cache.prefetch_wasted};
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (c->resident != UINT64_MAX)
			number(&r->out, columns[i]);
		else
			output_text(&r->out, "\t");
}

/* Reuse, after the name of the row; empty if it is not known. */
static void write_reuse(struct simulate_results *r, size_t row)
{
	struct block_reuse_row u = {.blocks = 0};
	const bool known = simulate_reuse(r, row, &u);
	const struct {
		bool known;
		uint64_t value;
	} columns[] = {{known, u.blocks},
		       {known, u.repeated},
		       {known, u.reuses},
		       {known && u.reuses > 0, u.distance},
		       {known && u.timed > 0, u.time_ns}};
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (columns[i].known)
			number(&r->out, columns[i].value);
		else
			output_text(&r->out, "\t");
}

/* Estimates of the time of the device; NULL: of a row, which has none. */
static void write_estimate(struct simulate_results *r, const struct simulation_counts *c)
{
	if (r->estimates && c != NULL)
		output_printf(&r->out, "\t%" PRIu64 "\t%" PRIu64, c->device_ns, c->waited_ns);
	else
		output_text(&r->out, "\t\t");
}

/* The last columns: records with first references, and their bytes in these blocks. */
static void write_firsts(struct output *o, struct engine_firsts firsts)
{
	if (firsts.known) {
		pair_of(o, firsts.count.records);
		pair_of(o, firsts.count.bytes);
		output_text(o, "\n");
	} else
		output_text(o, "\t\t\t\t\n");
}

static void write_rows(struct simulate_results *r, const struct simulate_pair *p)
{
	const struct simulation_counts none = {.resident = UINT64_MAX};
	char name[ROW_NAME_CAPACITY];
	for (size_t i = 0; i < r->rows && i < r->top; i++) {
		const size_t row = r->order[i];
		const struct simulation_hits hits = simulation_row(p->simulation, row);
		write_counts(r, p, references_row(r->input.references, row), &hits,
			     engine_row_firsts(r->engine, row));
		write_device(r, &none);
		write_name(&r->out, simulate_row_name(r, row, name));
		write_reuse(r, row);
		write_estimate(r, NULL);
		write_firsts(&r->out, engine_row_firsts(r->engine, row));
	}
}

void simulate_print_tsv(struct simulate_results *r)
{
	output_text(
	    &r->out,
	    "policy\tblocks\tbytes\tread_references\twrite_references\tread_hits\twrite_hits"
	    "\tread_firsts\twrite_firsts\tread_records\twrite_records\tread_record_hits"
	    "\twrite_record_hits\tread_bytes\twritten_bytes\tread_byte_hits"
	    "\twritten_byte_hits\tevictions\tdevice_read_bytes\tdevice_written_bytes"
	    "\tsaved_writes\tcancelled_writes\tdropped\tprefetched\tprefetch_used"
	    "\tprefetch_wasted\trow\treferenced_blocks\trepeated_blocks\treuses"
	    "\treuse_distance\treuse_time_ns\testimated_device_ns\testimated_idle_ns"
	    "\tread_first_records\twrite_first_records\tread_first_bytes\twritten_first_bytes\n");
	for (size_t i = 0; i < r->pair_count; i++) {
		const struct simulate_pair *p = &r->pairs[i];
		const struct simulation_counts c = simulation_counts(p->simulation);
		write_counts(r, p, &references_counts(r->input.references)->all, &c.hits,
			     engine_firsts(r->engine));
		write_device(r, &c);
		output_text(&r->out, "\t");
		write_reuse(r, REUSE_TOTAL);
		write_estimate(r, &c);
		write_firsts(&r->out, engine_firsts(r->engine));
		if (r->references.by != BREAKDOWN_NONE)
			write_rows(r, p);
	}
}
