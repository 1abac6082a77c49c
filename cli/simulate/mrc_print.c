/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "cli/ui/svg.h"

#include "mrc_results.h"

/* The references of a simulation: of a sample, those to the sampled blocks. */
static uint64_t simulated_references(const struct mrc_results *m, size_t row)
{
	const uint64_t *sampled = m->simulate.input.sampled;
	if (m->sample == 0)
		return mrc_references_of(m, row);
	return row == MRC_TOTAL ? both(sampled) : sampled[row == MRC_WRITES];
}

static struct simulation_hits simulated_hits(const struct simulation *s, size_t row)
{
	struct simulation_hits hits;
	if (row < MRC_WRITES)
		return simulation_row(s, row);
	hits = simulation_counts(s).hits;
	if (row != MRC_TOTAL)
		hits.references[row == MRC_READS] = 0;
	return hits;
}

struct mrc_point mrc_point_of(const struct mrc_results *m, size_t row, size_t i)
{
	if (m->mrc != NULL)
		return mrc_misses(m->mrc, row, m->size[i]);
	const struct simulation *s = m->simulate.pairs[i].simulation;
	const uint64_t references = simulated_references(m, row),
		       hits = simulated_hits(s, row).references[0] +
			      simulated_hits(s, row).references[1];
	const double scale = m->sample > 0 ? 1 / m->sample : 1,
		     misses = fmin((double)(references - hits) * scale,
				   (double)mrc_references_of(m, row));
	return (struct mrc_point){misses, misses, misses};
}

uint64_t mrc_references_of(const struct mrc_results *m, size_t row)
{
	const struct references *r = m->simulate.input.references;
	const uint64_t *all = references_counts(r)->all.references;
	if (row == MRC_READS || row == MRC_WRITES)
		return all[row == MRC_WRITES];
	return both(row == MRC_TOTAL ? all : references_row(r, row)->references);
}

const char *mrc_method_name(const struct mrc_results *m)
{
	static const char *const names[] = {"exact", "shards", "aet"};
	if (m->mrc != NULL)
		return names[m->options.method];
	return m->sample > 0 ? "miniature" : "simulation";
}

double mrc_ratio(double part, uint64_t whole)
{
	return whole > 0 ? part / (double)whole : 0;
}

void mrc_print_head(struct mrc_results *m)
{
	struct output *o = &m->simulate.out;
	char text[32];
	const uint32_t block = m->simulate.references.block;
	const uint64_t empty = references_counts(m->simulate.input.references)->no_blocks;
	const char *estimated = mrc_has_bounds(m) || m->sample > 0 ? ", estimated" : "";
	output_printf(o, "%-12s %14" PRIu64, "references", mrc_references_of(m, MRC_TOTAL));
	if (m->simulate.references.whole)
		output_printf(o, " objects\n%-12s %14" PRIu64 " objects%s\n", "distinct",
			      m->distinct, estimated);
	else
		output_printf(o,
			      " blocks of %" PRIu32 " bytes\n%-12s %14" PRIu64 " blocks (%s)%s\n",
			      block, "distinct", m->distinct,
			      printable_bytes(text, sizeof text, m->distinct * block), estimated);
	if (mrc_references_of(m, MRC_TOTAL) == 0 && empty > 0)
		output_printf(o,
			      "%-12s %14" PRIu64 " records of length 0 refer to no block; see "
			      "--unit=object for keys\n",
			      "empty", empty);
	output_printf(o, "%-12s %14s", "policy", cache_policy_name(m->policy));
	if (m->sample > 0)
		output_printf(
		    o, ", estimated by simulations of %" PRIu64 " sampled blocks (%.4g of all)\n",
		    m->sampled, m->sample);
	else if (m->mrc == NULL)
		output_text(o, ", simulated at each size\n");
	else if (m->options.method == MRC_SHARDS)
		output_printf(o,
			      ", estimated from %" PRIu64 " sampled keys (%.4g of all); low and "
			      "high: 95 %% confidence\n",
			      mrc_kept(m->mrc), mrc_rate(m->mrc));
	else
		output_text(o, m->options.method == MRC_AET
				   ? ", estimated from times between references\n"
				   : ", exact at all sizes\n");
}

static bool is_estimate(const struct mrc_results *m)
{
	return m->mrc != NULL ? !mrc_is_exact(m->mrc) : m->sample > 0;
}

enum { PLOTTED_ROWS_MAX = 6 };

struct mrc_plot {
	double *values; /* the sizes, the bounds, and the miss ratios of each line */
	struct svg_series series[1 + PLOTTED_ROWS_MAX];
	char names[PLOTTED_ROWS_MAX][ROW_NAME_CAPACITY];
	size_t count;
};

static void line_of(struct mrc_plot *p, const struct mrc_results *m, size_t row, const char *name)
{
	const size_t n = m->size_count;
	double *y = p->values + (3 + p->count) * n;
	for (size_t i = 0; i < n; i++)
		y[i] = mrc_ratio(mrc_point_of(m, row, i).misses, mrc_references_of(m, row));
	p->series[p->count++] = (struct svg_series){.name = name,
						    .x = p->values,
						    .y = y,
						    .count = n,
						    .steps = m->mrc != NULL && !mrc_has_bounds(m)};
}

static void add_bounds(struct mrc_plot *p, const struct mrc_results *m)
{
	const size_t n = m->size_count;
	const uint64_t references = mrc_references_of(m, MRC_TOTAL);
	double *low = p->values + n, *high = low + n;
	for (size_t i = 0; i < n; i++) {
		const struct mrc_point point = mrc_point_of(m, MRC_TOTAL, i);
		p->values[i] = (double)m->size[i] * m->simulate.references.block;
		low[i] = mrc_ratio(point.low, references);
		high[i] = mrc_ratio(point.high, references);
	}
	if (mrc_has_bounds(m)) {
		p->series[0].low = low;
		p->series[0].high = high;
	}
}

/* Lines for all references, and for the first rows. */
static void add_lines(struct mrc_plot *p, struct mrc_results *m)
{
	const bool rows = m->simulate.references.by != BREAKDOWN_NONE;
	line_of(p, m, MRC_TOTAL, rows ? "all" : cache_policy_name(m->policy));
	add_bounds(p, m);
	for (size_t i = 0;
	     rows && i < m->simulate.rows && i < m->simulate.top && i < PLOTTED_ROWS_MAX; i++)
		line_of(p, m, m->simulate.order[i],
			simulate_row_name(&m->simulate, m->simulate.order[i], p->names[i]));
}

enum exit_status mrc_write_svg(struct mrc_results *m, const char *path)
{
	const size_t n = m->size_count;
	const double block = m->simulate.references.block;
	struct output o = {.status = IOT_OK};
	struct mrc_plot *p = calloc(1, sizeof *p);
	if (p != NULL)
		p->values = calloc((4 + PLOTTED_ROWS_MAX) * n + 1, sizeof *p->values);
	if (p == NULL || p->values == NULL) {
		free(p);
		return message_no_memory();
	}
	add_lines(p, m);
	const double *x = p->values;
	const struct svg_plot plot = {
	    .title = mrc_has_bounds(m) ? "Miss ratio by cache size, with 95 % confidence interval"
		     : is_estimate(m)  ? "Miss ratio by cache size, estimated"
				       : "Miss ratio by cache size",
	    .description = "Share of the block references that miss, over the size of the cache.",
	    .x = {"cache size", SVG_BYTES, n > 0 ? x[0] : block,
		  n > 1 ? x[n - 1] : 2 * (n > 0 ? x[0] : block)},
	    .y = {"miss ratio", SVG_LINEAR, 0, 1},
	    .series = p->series,
	    .count = p->count,
	};
	enum exit_status status = output_open(&o, path, 0);
	if (status == EXIT_OK) {
		svg_write(&o, &plot);
		status = output_close(&o);
	}
	free(p->values);
	free(p);
	return status;
}
