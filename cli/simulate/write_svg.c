/* SPDX-License-Identifier: BSD-2-Clause */
/* The miss ratio over the size of the cache. */
#include <math.h>
#include <stdlib.h>

#include "cli/ui/message.h"
#include "cli/ui/svg.h"

#include "results.h"

struct point {
	double size, ratio;
};

static int by_size(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	return (p->size > q->size) - (p->size < q->size);
}

/* The points of the policy of pair `first`, in order of size. Returns their number. */
static size_t series_of(const struct simulate_results *r, size_t first, struct point *points)
{
	const uint64_t references = both(references_counts(r->input.references)->all.references);
	size_t n = 0;
	for (size_t i = first; i < r->pair_count && r->pairs[i].policy == r->pairs[first].policy;
	     i++) {
		const struct simulation_counts c = simulation_counts(r->pairs[i].simulation);
		points[n++] =
		    (struct point){(double)(r->pairs[i].options.capacity * r->references.block),
				   ratio_of(references - both(c.hits.references), references)};
	}
	qsort(points, n, sizeof *points, by_size);
	return n;
}

static enum exit_status write_plot(const char *path, struct svg_plot *p)
{
	struct output o = {.status = IOT_OK};
	for (size_t i = 0; i < p->count; i++) {
		p->x.min = fmin(p->x.min, p->series[i].x[0]);
		p->x.max = fmax(p->x.max, p->series[i].x[p->series[i].count - 1]);
	}
	if (p->x.min == p->x.max)
		p->x.max *= 2;
	if (output_open(&o, path, 0) != EXIT_OK)
		return EXIT_FAILED;
	svg_write(&o, p);
	return output_close(&o);
}

enum exit_status simulate_write_svg(struct simulate_results *r, const char *path)
{
	const size_t n = r->pair_count;
	struct point *points = calloc(n + 1, sizeof *points);
	double *values = calloc(2 * n + 1, sizeof *values);
	struct svg_series *series = calloc(n + 1, sizeof *series);
	struct svg_plot p = {
	    .title = "Miss ratio by cache size",
	    .description = "Share of the block references that miss, over the size of the cache; a "
			   "line for each replacement policy.",
	    .x = {"cache size", SVG_BYTES, INFINITY, 0},
	    .y = {"miss ratio", SVG_LINEAR, 0, 1},
	    .series = series,
	};
	enum exit_status status = EXIT_OK;
	if (points == NULL || values == NULL || series == NULL)
		status = message_no_memory();
	for (size_t i = 0; i < n && points != NULL && values != NULL && series != NULL;) {
		const size_t count = series_of(r, i, points);
		double *x = values + 2 * i, *y = x + count;
		for (size_t j = 0; j < count; j++) {
			x[j] = points[j].size;
			y[j] = points[j].ratio;
		}
		series[p.count++] = (struct svg_series){
		    .name = cache_policy_name(r->pairs[i].policy), .x = x, .y = y, .count = count};
		i += count;
	}
	if (status == EXIT_OK)
		status = write_plot(path, &p);
	free(points);
	free(values);
	free(series);
	return status;
}
