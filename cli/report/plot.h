/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plots of an analysis: each is an SVG with up to 2,000 marks, and its data as columns
 * separated by tabs. Each file plot_NAME.c has one or two of them.
 */
#ifndef CLI_REPORT_PLOT_H
#define CLI_REPORT_PLOT_H

#include "cli/print/tsv.h"
#include "cli/ui/output.h"

#include "class_bars.h"
#include "columns.h"
#include "heat.h"
#include "offset_files.h"

enum { PLOT_WIDTH = 720, PLOT_HEIGHT = 320, PLOT_MARKS_MAX = 2000 };

struct job_set;

/* The data of all plots: of one trace, or of several jobs, then `jobs` alone. */
struct plot_data {
	struct iot_analyze *analysis;
	struct columns columns;
	struct heat heat;
	struct process_list processes;
	struct class_bars classes;
	struct offset_files offsets;
	double *bin_bytes; /* of the bins of section `time`, in ascending order */
	size_t bin_count;
	double bin_s;    /* their width */
	double *burst_s; /* starts of bursts, in ascending order */
	size_t burst_count;
	double *correlation; /* of the bytes over time, by lag, if there is a period */
	size_t lag_count;
	double lag_s;               /* the lag from one to the next */
	uint64_t begin_ns;          /* of the trace */
	bool has_epoch;             /* it counts from 1970 */
	const struct job_set *jobs; /* which are sorted; or NULL */
};

struct plot {
	const char *name; /* of its files, without a suffix */
	const char *title, *description;
	int height;                                  /* 0: PLOT_HEIGHT */
	int (*height_of)(const struct plot_data *d); /* instead, if it depends on the data */
	bool (*has_data)(const struct plot_data *d);
	void (*draw)(const struct plot_data *d, struct output *o);
	void (*write_data)(const struct plot_data *d, struct tsv *t);
};

extern const struct plot plot_rate, plot_requests, plot_heat, plot_sizes, plot_classes10, plot_cdf,
    plot_burstiness, plot_concurrency, plot_processes, plot_hosts, plot_kinds, plot_cost,
    plot_cycle, plot_class, plot_offset, plot_working_set, plot_idle;
extern const struct plot plot_files, plot_box, plot_jobs_classes10, plot_scatter_bytes,
    plot_scatter_intensity, plot_scatter_burstiness, plot_scatter_parallel;

/* Returns an enum iot_status. bins_wanted: the user has chosen their width. */
int plot_data_make(struct plot_data *d, struct iot_analyze *a, bool bins_wanted);
void plot_data_free(struct plot_data *d);

/* Values of the analysis. NULL or NaN if it has none, or an unknown one. */
const struct iot_analyze_value *plot_value(const struct plot_data *d, const char *section,
					   const char *name, const char *key);
double plot_number(const struct plot_data *d, const char *section, const char *name,
		   const char *key);
/* Value i, counted from *at, of a name with keys; NULL after the last one. Advances *at. */
const struct iot_analyze_value *plot_next(const struct plot_data *d, size_t *at,
					  const char *section, const char *name);

void plot_sort(double *values, size_t n); /* in ascending order */
/* Computes the autocorrelation. Returns false if out of memory. */
bool plot_correlate(struct plot_data *d, const struct iot_analyze_timeline *t);

/* How an SVG is used. */
enum plot_use { PLOT_FILE, PLOT_EMBEDDED /* in a page that has plot_style() */ };
void plot_write(const struct plot *p, const struct plot_data *d, struct output *o,
		enum plot_use use);
/* The style sheet: classes of marks. */
extern const char plot_style[];

#endif
