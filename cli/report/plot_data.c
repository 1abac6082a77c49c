/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "lib/result/names.h"

#include "plot.h"

enum { BINS_MIN = 64, BINS_FINE = 512, BINS_CORRELATED = 4096 };

/* Sorts the bins of section `time`, which burstiness is defined on. */
static bool sort_bins(struct plot_data *d, const struct iot_analyze_timeline *t)
{
	d->bin_bytes = calloc(t->count + 1, sizeof *d->bin_bytes);
	if (d->bin_bytes == NULL)
		return false;
	for (size_t i = 0; i < t->count; i++)
		d->bin_bytes[i] = (double)t->bins[i].bytes[0] + (double)t->bins[i].bytes[1];
	plot_sort(d->bin_bytes, t->count);
	d->bin_count = t->count;
	d->bin_s = t->width_s;
	return true;
}

static bool copy_bursts(struct plot_data *d, const struct iot_analyze_timeline *t)
{
	d->burst_s = calloc(t->burst_count + 1, sizeof *d->burst_s);
	if (d->burst_s == NULL)
		return false;
	if (t->burst_count > 0)
		memcpy(d->burst_s, t->burst_s, t->burst_count * sizeof *d->burst_s);
	d->burst_count = t->burst_count;
	return true;
}

/* A short trace has few bins of a second: its plots have finer ones. */
static int make_over_time(struct plot_data *d, bool bins_wanted)
{
	struct iot_analyze_timeline t;
	int status = iot_analyze_timeline(d->analysis, 0, &t);
	if (status == IOT_OK && (!sort_bins(d, &t) || !copy_bursts(d, &t)))
		return IOT_ENOMEM;
	if (status == IOT_OK && t.count < BINS_MIN && !bins_wanted)
		status = iot_analyze_timeline(d->analysis, BINS_FINE, &t);
	if (status != IOT_OK)
		return status == IOT_EUSAGE ? IOT_OK : status;
	d->begin_ns = t.begin_ns;
	d->has_epoch = t.has_epoch != 0;
	if (!columns_make(&d->columns, &t) || !heat_make(&d->heat, &t, &d->processes))
		return IOT_ENOMEM;
	return IOT_OK;
}

static int make_correlation(struct plot_data *d)
{
	struct iot_analyze_timeline t;
	if (plot_value(d, VALUE(cycles, period_s), NULL) == NULL)
		return IOT_OK;
	const int status = iot_analyze_timeline(d->analysis, BINS_CORRELATED, &t);
	if (status != IOT_OK)
		return status == IOT_EUSAGE ? IOT_OK : status;
	return plot_correlate(d, &t) ? IOT_OK : IOT_ENOMEM;
}

int plot_data_make(struct plot_data *d, struct iot_analyze *a, bool bins_wanted)
{
	*d = (struct plot_data){.analysis = a};
	int status = process_list_make(&d->processes, a);
	if (status == IOT_OK)
		status = make_over_time(d, bins_wanted);
	if (status == IOT_OK)
		status = class_bars_make(&d->classes, a);
	if (status == IOT_OK)
		status = offset_files_make(&d->offsets, a);
	if (status == IOT_OK)
		status = make_correlation(d);
	return status;
}

void plot_data_free(struct plot_data *d)
{
	columns_free(&d->columns);
	heat_free(&d->heat);
	process_list_free(&d->processes);
	offset_files_free(&d->offsets);
	free(d->bin_bytes);
	free(d->burst_s);
	free(d->correlation);
}
