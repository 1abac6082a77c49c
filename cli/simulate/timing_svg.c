/* SPDX-License-Identifier: BSD-2-Clause */
/* Idle time over the size of the cache, latency over it, or rates of the device over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "cli/ui/svg.h"
#include "timing.h"

enum { NAME_CAPACITY = 64, RATE_RUNS_MAX = 3, RATE_INTERVALS_MAX = 500 };

struct timing_plot {
	struct svg_plot svg;
	struct svg_series *series;
	double *values;
	char (*names)[NAME_CAPACITY];
	char rate_label[NAME_CAPACITY];
};

static bool allocate(struct timing_plot *p, size_t series, size_t values)
{
	p->series = calloc(series + 1, sizeof *p->series);
	p->values = calloc(values + 1, sizeof *p->values);
	p->names = calloc(series + 1, sizeof *p->names);
	p->svg.series = p->series;
	return p->series != NULL && p->values != NULL && p->names != NULL;
}

/* Adds a line with x and y in the next values. */
static struct svg_series *add_series(struct timing_plot *p, double *x, size_t count)
{
	struct svg_series *s = &p->series[p->svg.count];
	*s = (struct svg_series){
	    .name = p->names[p->svg.count], .x = x, .y = x + count, .count = count};
	p->svg.count++;
	return s;
}

/* Over the size */

static int by_size(const void *a, const void *b)
{
	const struct timing_point *const *p = a, *const *q = b;
	return ((*p)->options.cache_blocks > (*q)->options.cache_blocks) -
	       ((*p)->options.cache_blocks < (*q)->options.cache_blocks);
}

static double value_of(const struct timing_point *p)
{
	if (!p->options.arrivals)
		return (double)p->result.idle_ns / 1e9;
	return p->result.latency_count > 0 ? (double)timing_latency(&p->result, 0.99) / 1e6 : 0;
}

/* The points of policy i, in order of size. */
static void add_policy(struct timing_plot *p, const struct timing_report *r, size_t i,
		       const struct timing_point **points)
{
	const size_t n = r->command->cache_count;
	double *values = p->values + 2 * n * i;
	for (size_t j = 0; j < n; j++)
		points[j] = &r->points[i * n + j];
	qsort(points, n, sizeof *points, by_size);
	for (size_t j = 0; j < n; j++) {
		values[j] =
		    (double)points[j]->options.cache_blocks * (double)points[j]->options.block;
		values[n + j] = value_of(points[j]);
		p->svg.x.min = fmin(p->svg.x.min, values[j]);
		p->svg.x.max = fmax(p->svg.x.max, values[j]);
		p->svg.y.max = fmax(p->svg.y.max, values[n + j]);
	}
	snprintf(p->names[p->svg.count], NAME_CAPACITY, "%s",
		 cache_policy_name(points[0]->options.policy));
	(void)add_series(p, values, n);
}

static bool plot_sizes(struct timing_plot *p, const struct timing_report *r)
{
	const bool arrivals = r->points[0].options.arrivals;
	const struct timing_point **points =
	    calloc(r->command->cache_count, sizeof(struct timing_point *));
	p->svg.title = arrivals ? "Latency by cache size" : "Idle time by cache size";
	p->svg.description = arrivals ? "99 % quantile of the latency of records, over the size of "
					"the cache; a line for each replacement policy."
				      : "Idle time of all CPUs, over the size of the cache; a line "
					"for each replacement policy.";
	p->svg.x = (struct svg_axis){"cache size", SVG_BYTES, INFINITY, 0};
	p->svg.y =
	    (struct svg_axis){arrivals ? "99 % latency, ms" : "idle time, s", SVG_LINEAR, 0, 0};
	const bool done =
	    points != NULL && allocate(p, r->command->policy_count, 2 * r->point_count);
	for (size_t i = 0; i < r->command->policy_count && done; i++)
		add_policy(p, r, i, points);
	free(points);
	return done;
}

/* Over time */

/* The end of n intervals; the last one may be shorter. */
static double intervals_end(const struct timing_point *point, size_t n)
{
	const double end = (double)n * (double)point->options.rate_ns / 1e9,
		     wall = (double)point->result.wall_ns / 1e9;
	return n == point->result.rate_count && wall > 0 ? fmin(end, wall) : end;
}

static uint64_t bytes_of(const struct timing_point *point, size_t first, size_t end, bool written)
{
	uint64_t bytes = 0;
	for (size_t i = first; i < end; i++)
		bytes += written ? point->result.rates[i].device_written
				 : point->result.rates[i].device_read;
	return bytes;
}

/* Means of `joined` intervals each; the last point ends the last of them. */
static void add_rates(struct timing_plot *p, const struct timing_point *point, size_t joined,
		      double *values, bool written)
{
	const size_t n = point->result.rate_count, count = (n + joined - 1) / joined;
	double *x = values, *y = values + count + 1;
	for (size_t i = 0; i < count; i++) {
		const size_t first = i * joined, end = first + joined < n ? first + joined : n;
		x[i] = (double)first * (double)point->options.rate_ns / 1e9;
		y[i] = (double)bytes_of(point, first, end, written) / 1e6 /
		       (intervals_end(point, end) - x[i]);
		p->svg.y.max = fmax(p->svg.y.max, y[i]);
	}
	x[count] = intervals_end(point, n);
	y[count] = count > 0 ? y[count - 1] : 0;
	p->svg.x.max = fmax(p->svg.x.max, x[count]);
	add_series(p, values, count + 1)->steps = true;
}

/* Short names, since a legend shows 15 characters: runs differ in either size or policy. */
static void name_rates(struct timing_plot *p, const struct timing_report *r,
		       const struct timing_point *point, bool written)
{
	const char *what = written ? "writes" : "reads";
	char size[32], *name = p->names[p->svg.count];
	if (r->command->cache_count > 1)
		snprintf(name, NAME_CAPACITY, "%s %s",
			 printable_bytes(size, sizeof size,
					 point->options.cache_blocks * point->options.block),
			 what);
	else if (r->point_count > 1)
		snprintf(name, NAME_CAPACITY, "%s %s", cache_policy_name(point->options.policy),
			 what);
	else
		snprintf(name, NAME_CAPACITY, "%s", what);
}

/* The sizes of the first policy; or the policies, if there is one size. */
static size_t rate_runs(const struct timing_report *r)
{
	const size_t sizes = r->command->cache_count, n = sizes > 1 ? sizes : r->point_count;
	return n < RATE_RUNS_MAX ? n : RATE_RUNS_MAX;
}

static bool plot_rates(struct timing_plot *p, const struct timing_report *r)
{
	const size_t n = rate_runs(r);
	size_t intervals = 1;
	for (size_t i = 0; i < n; i++)
		if (r->points[i].result.rate_count > intervals)
			intervals = r->points[i].result.rate_count;
	const size_t joined = (intervals - 1) / RATE_INTERVALS_MAX + 1;
	const size_t values = 2 * ((intervals + joined - 1) / joined + 1); /* of a line, at most */
	const double interval = (double)joined * (double)r->points[0].options.rate_ns / 1e9;
	snprintf(p->rate_label, sizeof p->rate_label, "MB/s, means of %g %s",
		 interval < 0.001 ? interval * 1e6 : interval, interval < 0.001 ? "us" : "s");
	p->svg.title = "Rate at the device";
	p->svg.description = "MB/s that the device reads and writes, over time.";
	p->svg.x = (struct svg_axis){"time, s", SVG_LINEAR, 0, 0};
	p->svg.y = (struct svg_axis){p->rate_label, SVG_LINEAR, 0, 0};
	if (!allocate(p, 2 * n, 2 * n * values))
		return false;
	for (size_t i = 0; i < 2 * n; i++) {
		name_rates(p, r, &r->points[i / 2], i % 2 == 1);
		add_rates(p, &r->points[i / 2], joined, p->values + i * values, i % 2 == 1);
	}
	return true;
}

/* An axis needs an extent. */
static void widen(struct svg_axis *axis)
{
	if (axis->max <= axis->min)
		axis->max = axis->min > 0 ? 2 * axis->min : 1;
}

enum exit_status timing_write_svg(const struct timing_report *r, const char *path)
{
	struct timing_plot p = {0};
	struct output o = {.status = IOT_OK};
	enum exit_status status = EXIT_OK;
	if (!(r->command->flags.rate_ns > 0 ? plot_rates : plot_sizes)(&p, r))
		status = message_no_memory();
	if (status == EXIT_OK)
		status = output_open(&o, path, 0);
	if (status == EXIT_OK) {
		widen(&p.svg.x);
		widen(&p.svg.y);
		svg_write(&o, &p.svg);
		status = output_close(&o);
	}
	free(p.series);
	free(p.values);
	free(p.names);
	return status;
}
