/* SPDX-License-Identifier: BSD-2-Clause */
#include "columns.h"

#include <math.h>
#include <stdlib.h>

static double value_of(const struct iot_analyze_bin *b, enum column_kind kind, double width_s)
{
	switch (kind) {
	case COLUMN_READ:
		return (double)b->bytes[0] / width_s;
	case COLUMN_WRITTEN:
		return (double)b->bytes[1] / width_s;
	case COLUMN_BYTES:
		return ((double)b->bytes[0] + (double)b->bytes[1]) / width_s;
	case COLUMN_READS:
		return (double)b->requests[0] / width_s;
	case COLUMN_WRITES:
		return (double)b->requests[1] / width_s;
	case COLUMN_OPERATIONS:
		return (double)b->operations / width_s;
	case COLUMN_OUTSTANDING:
		return (double)b->in_flight_ns / 1e9 / width_s;
	case COLUMN_KINDS:
		break;
	}
	return 0;
}

static void sum_bins(struct plot_column *c, const struct iot_analyze_bin *bins, size_t n,
		     double width_s)
{
	for (unsigned kind = 0; kind < COLUMN_KINDS; kind++) {
		c->min[kind] = INFINITY;
		for (size_t i = 0; i < n; i++) {
			const double value = value_of(&bins[i], kind, width_s);
			c->min[kind] = fmin(c->min[kind], value);
			c->max[kind] = fmax(c->max[kind], value);
			c->mean[kind] += value;
		}
		c->mean[kind] /= (double)n;
	}
}

bool columns_make(struct columns *c, const struct iot_analyze_timeline *t)
{
	const size_t per_column = (t->count + COLUMNS_MAX - 1) / COLUMNS_MAX;
	*c = (struct columns){.width_s = t->width_s,
			      .bins_per_column = per_column,
			      .begin_s = fmin(t->begin_s, 0),
			      .end_s = t->begin_s + (double)t->count * t->width_s};
	if (t->count == 0)
		return true;
	c->column = calloc((t->count + per_column - 1) / per_column, sizeof *c->column);
	if (c->column == NULL)
		return false;
	for (size_t i = 0; i < t->count; i += per_column) {
		const size_t n = t->count - i < per_column ? t->count - i : per_column;
		struct plot_column *column = &c->column[c->count++];
		column->begin_s = t->begin_s + (double)i * t->width_s;
		column->end_s = t->begin_s + (double)(i + n) * t->width_s;
		sum_bins(column, t->bins + i, n, t->width_s);
	}
	return true;
}

double columns_max(const struct columns *c, enum column_kind kind)
{
	double max = 0;
	for (size_t i = 0; i < c->count; i++)
		max = fmax(max, c->column[i].max[kind]);
	return max;
}

void columns_free(struct columns *c)
{
	free(c->column);
	*c = (struct columns){.count = 0};
}
