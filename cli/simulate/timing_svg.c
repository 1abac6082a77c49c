/* SPDX-License-Identifier: BSD-2-Clause */
/* Idle time over the size of the cache, latency over it, or rates of the device over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "cli/ui/svg.h"
#include "timing_columns.h"

enum { NAME_CAPACITY = 64, RATE_POINTS_MAX = 3 };

struct timing_plot {
	struct svg_plot svg;
	struct svg_series *series;
	double *values;
	char (*names)[NAME_CAPACITY];
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

static void add_rates(struct timing_plot *p, const struct timing_point *point, double *values,
		      bool written)
{
	const size_t n = point->result.rate_count;
	const double width = (double)point->options.rate_ns / 1e9;
	char size[32];
	for (size_t i = 0; i < n; i++) {
		const struct timing_rate *rate = &point->result.rates[i];
		/* the last interval may be shorter */
		const double left = (double)point->result.wall_ns / 1e9 - (double)i * width,
			     seconds = left > 0 && left < width ? left : width;
		values[i] = (double)i * width;
		values[n + i] =
		    (double)(written ? rate->device_written : rate->device_read) / 1e6 / seconds;
		p->svg.y.max = fmax(p->svg.y.max, values[n + i]);
	}
	if (n > 0)
		p->svg.x.max = fmax(p->svg.x.max, values[n - 1]);
	snprintf(
	    p->names[p->svg.count], NAME_CAPACITY, "%s: %s %s", written ? "written" : "read",
	    cache_policy_name(point->options.policy),
	    printable_bytes(size, sizeof size, point->options.cache_blocks * point->options.block));
	add_series(p, values, n)->steps = true;
}

static bool plot_rates(struct timing_plot *p, const struct timing_report *r)
{
	const size_t n = r->point_count < RATE_POINTS_MAX ? r->point_count : RATE_POINTS_MAX;
	size_t values = 0;
	for (size_t i = 0; i < n; i++)
		values += 4 * r->points[i].result.rate_count;
	p->svg.title = "Rate at the device";
	p->svg.description = "MB/s that the device reads and writes, over time.";
	p->svg.x = (struct svg_axis){"time, s", SVG_LINEAR, 0, 0};
	p->svg.y = (struct svg_axis){"MB/s", SVG_LINEAR, 0, 0};
	if (!allocate(p, 2 * n, values))
		return false;
	double *next = p->values;
	for (size_t i = 0; i < n; i++) {
		add_rates(p, &r->points[i], next, false);
		next += 2 * r->points[i].result.rate_count;
		add_rates(p, &r->points[i], next, true);
		next += 2 * r->points[i].result.rate_count;
	}
	for (size_t i = 0; n == 1 && i < p->svg.count; i++)
		p->series[i].name = i == 0 ? "read" : "written";
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
