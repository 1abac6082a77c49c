/* SPDX-License-Identifier: BSD-2-Clause */
/* What the views of `iotrace model` show. */
#ifndef CLI_MODEL_RESULTS_H
#define CLI_MODEL_RESULTS_H

#include "lib/base/population.h"
#include "lib/model/evaluate.h"
#include "samples.h"

enum { MODEL_SETTING_TEXT = 128, MODEL_FITS_MAX = 4096 };

struct model_fit_row {
	char setting[MODEL_SETTING_TEXT];
	struct model_fit fit;
};

struct model_results {
	const struct samples *samples;
	struct model_input input;
	struct model_result base, variant;
	bool has_variant;
	struct model_error errors[MODEL_COUNTERS];
	/* With a variant: */
	struct model_times *node_base, *node_variant; /* by I/O node */
	struct model_times *job_base, *job_variant;   /* by number of the job, from 1 */
	struct population io_ratios, time_ratios;     /* of jobs, or of I/O nodes without jobs */
	/* With --fit: */
	struct model_fit_row *fits;
	size_t fit_count;
};

/* Returns the quotient, NaN if the first time is 0. */
double model_ratio(int64_t original_ps, int64_t variant_ps);
/* Computes what follows from base and variant. Returns false if out of memory. */
bool model_results_evaluate(struct model_results *r);
void model_results_free(struct model_results *r);
/* Returns the row with the smallest residual, NULL if too few logs determine it. */
const struct model_fit_row *model_results_best(const struct model_results *r,
					       enum model_direction d);

#endif
