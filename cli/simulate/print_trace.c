/* SPDX-License-Identifier: BSD-2-Clause */
/* What the trace has, in sentences for people. */
#include "results.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/ui/printable.h"

enum { FIELD = 24 };

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

static const char *unit_of(const struct simulate_results *r)
{
	return r->references.whole ? "objects" : "blocks";
}

static void print_distinct(struct simulate_results *r)
{
	const struct engine_firsts firsts = engine_firsts(r->engine);
	const struct reference_totals *first = &firsts.count;
	char bytes[FIELD];
	if (!firsts.known) {
		output_printf(&r->out,
			      "distinct                  - %s; see --memory\n"
			      "compulsory                - misses\n",
			      unit_of(r));
		return;
	}
	output_printf(&r->out, "%-12s %14" PRIu64 " %s", "distinct", both(first->references),
		      unit_of(r));
	if (!r->references.whole)
		output_printf(&r->out, " of %" PRIu32 " bytes (%s)", r->references.block,
			      printable_bytes(bytes, sizeof bytes,
					      both(first->references) * r->references.block));
	output_text(&r->out, "\n");
	output_printf(&r->out,
		      "%-12s %14" PRIu64 " misses (%" PRIu64 " of reads, %" PRIu64
		      " of writes), in %" PRIu64 " records",
		      "compulsory", both(first->references), first->references[0],
		      first->references[1], both(first->records));
	if (!r->references.whole)
		output_printf(&r->out, ", of %s",
			      printable_bytes(bytes, sizeof bytes, both(first->bytes)));
	output_text(&r->out, "\n");
}

static void print_count(struct output *o, const char *name, uint64_t count, const char *what)
{
	if (count > 0)
		output_printf(o, "%-12s %14" PRIu64 " %s\n", name, count, what);
}

void simulate_print_trace(struct simulate_results *r)
{
	const struct references_counts *c = references_counts(r->input.references);
	char text[FIELD];
	output_printf(&r->out, "%-12s %14" PRIu64, "records", both(c->all.records));
	if (!r->references.whole)
		output_printf(&r->out, " (%s)",
			      printable_bytes(text, sizeof text, both(c->all.bytes)));
	output_text(&r->out, "\n");
	print_line(&r->out, "references", c->all.references, unit_of(r));
	print_distinct(r);
	print_count(&r->out, "empty", c->no_blocks,
		    both(c->all.references) > 0
			? "records of length 0 refer to no block"
			: "records of length 0 refer to no block; see --unit=object for keys");
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
