/* SPDX-License-Identifier: BSD-2-Clause */
#include "results.h"

#include <math.h>
#include <stdlib.h>

double model_ratio(int64_t original_ps, int64_t variant_ps)
{
	return original_ps > 0 ? (double)variant_ps / (double)original_ps : (double)NAN;
}

static void add_ratio(struct population *to, double ratio)
{
	if (!isnan(ratio))
		to->value[to->n++] = ratio;
}

static bool make_ratios(struct model_results *r, const struct model_times *base,
			const struct model_times *variant, size_t first, size_t end)
{
	r->io_ratios.value = malloc((end + 1) * sizeof *r->io_ratios.value);
	r->time_ratios.value = malloc((end + 1) * sizeof *r->time_ratios.value);
	if (r->io_ratios.value == NULL || r->time_ratios.value == NULL)
		return false;
	for (size_t i = first; i < end; i++) {
		add_ratio(&r->io_ratios, model_ratio(base[i].io_ps, variant[i].io_ps));
		add_ratio(&r->time_ratios, model_ratio(base[i].end_ps - base[i].begin_ps,
						       variant[i].end_ps - variant[i].begin_ps));
	}
	population_sort(&r->io_ratios);
	population_sort(&r->time_ratios);
	return true;
}

static bool evaluate_variant(struct model_results *r)
{
	const struct model_input *in = &r->input;
	r->node_base = calloc(in->nodes + 1, sizeof *r->node_base);
	r->node_variant = calloc(in->nodes + 1, sizeof *r->node_variant);
	r->job_base = calloc((size_t)in->jobs + 1, sizeof *r->job_base);
	r->job_variant = calloc((size_t)in->jobs + 1, sizeof *r->job_variant);
	if (r->node_base == NULL || r->node_variant == NULL || r->job_base == NULL ||
	    r->job_variant == NULL || !model_job_times(in, &r->base, &r->base, r->job_base) ||
	    !model_job_times(in, &r->base, &r->variant, r->job_variant))
		return false;
	for (size_t i = 0; i < in->nodes; i++) {
		model_node_times(in, &r->base, &r->base, i, &r->node_base[i]);
		model_node_times(in, &r->base, &r->variant, i, &r->node_variant[i]);
	}
	if (in->jobs > 0)
		return make_ratios(r, r->job_base, r->job_variant, 1, (size_t)in->jobs + 1);
	return make_ratios(r, r->node_base, r->node_variant, 0, in->nodes);
}

bool model_results_evaluate(struct model_results *r)
{
	model_errors(&r->input, &r->base, r->errors);
	return !r->has_variant || evaluate_variant(r);
}

const struct model_fit_row *model_results_best(const struct model_results *r,
					       enum model_direction d)
{
	const struct model_fit_row *best = NULL;
	for (size_t i = 0; i < r->fit_count; i++) {
		const struct model_fit_row *row = &r->fits[i];
		if (row->fit.logs[d] >= MODEL_FIT_LOGS &&
		    (best == NULL || row->fit.squares[d] < best->fit.squares[d]))
			best = row;
	}
	return best;
}

void model_results_free(struct model_results *r)
{
	model_result_free(&r->base);
	model_result_free(&r->variant);
	free(r->node_base);
	free(r->node_variant);
	free(r->job_base);
	free(r->job_variant);
	free(r->io_ratios.value);
	free(r->time_ratios.value);
	free(r->fits);
}
