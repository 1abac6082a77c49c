/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of one layer. */
#include <stdlib.h>

#include "analyze_internal.h"

static void layer_init(struct layer *l, const struct iot_analyze_options *o)
{
	l->busy.part = l->concurrency.part = l->rows.busy.part = o->part != 0;
	l->rows.busy.by_pair = true;
	l->file_users.interval_ns = o->interval_ns;
	l->rows.small = o->small;
	l->rows.alignment = o->alignment;
	op_times_init(&l->op_times, o->part != 0);
	l->dependencies.part = o->part != 0;
	l->order.by_file = (o->sections & IOT_ANALYZE_FILES) != 0;
}

struct layer *analyze_layer(struct iot_analyze *a, unsigned i)
{
	if (a->layers[i] == NULL) {
		a->layers[i] = calloc(1, sizeof *a->layers[i]);
		if (a->layers[i] != NULL)
			layer_init(a->layers[i], &a->options);
	}
	if (a->layers[i] == NULL)
		a->status = IOT_ENOMEM;
	return a->layers[i];
}

void analyze_layer_free(struct layer *l)
{
	if (l == NULL)
		return;
	totals_free(&l->totals);
	sizes_free(&l->sizes);
	order_free(&l->order);
	repetition_free(&l->repetition);
	cells_free(&l->cells);
	series_free(&l->series);
	offsets_free(&l->offsets);
	busy_free(&l->busy);
	busy_free(&l->op_times.busy);
	arrival_free(&l->arrival);
	concurrency_free(&l->concurrency);
	rows_free(&l->rows);
	file_users_free(&l->file_users);
	reuse_free(&l->reuse);
	working_set_free(&l->working_set);
	dependencies_free(&l->dependencies);
	free(l);
}
