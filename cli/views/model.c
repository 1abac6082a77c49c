/* SPDX-License-Identifier: BSD-2-Clause */
#include "model.h"

#include <math.h>

#include "cli/print/text.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

enum { PS_PER_NS = 1000, RATIOS = 2 };

static const double slower = 1.1;

struct model_document {
	const struct model_results *results;
	struct iot_table validation, nodes, jobs, ratios, fits;
};

static const struct model_results *results_of(const void *source)
{
	return ((const struct model_document *)source)->results;
}

static void set_error(struct iot_row *to, void *source)
{
	static const char *const names[MODEL_COUNTERS] = {"bytes read", "reads", "bytes written",
							  "writes"};
	const struct model_error *e = &results_of(source)->errors[to->number];
	row_word(to, &metrics.logged_counter, names[to->number]);
	row_number(to, &metrics.counter_logs, e->logs);
	row_number(to, &metrics.differing_logs, e->differing);
	row_real(to, &metrics.mean_error, e->sum / (double)e->logs);
}

static void set_times(struct iot_row *to, const struct model_times *base,
		      const struct model_times *variant)
{
	const int64_t original_ps = base->end_ps - base->begin_ps;
	const int64_t variant_ps = variant->end_ps - variant->begin_ps;
	row_number(to, &metrics.original_io_ns, (uint64_t)(base->io_ps / PS_PER_NS));
	row_number(to, &metrics.variant_io_ns, (uint64_t)(variant->io_ps / PS_PER_NS));
	row_real(to, &metrics.io_ratio, model_ratio(base->io_ps, variant->io_ps));
	row_number(to, &metrics.original_time_ns, (uint64_t)(original_ps / PS_PER_NS));
	row_number(to, &metrics.variant_time_ns, (uint64_t)(variant_ps / PS_PER_NS));
	row_real(to, &metrics.time_ratio, model_ratio(original_ps, variant_ps));
}

static void set_node(struct iot_row *to, void *source)
{
	const struct model_results *r = results_of(source);
	const char *name = r->samples->host[to->number];
	row_text(to, &metrics.host, name, strlen(name));
	set_times(to, &r->node_base[to->number], &r->node_variant[to->number]);
}

static void set_job(struct iot_row *to, void *source)
{
	const struct model_results *r = results_of(source);
	const char *name = r->samples->job[to->number];
	row_text(to, &metrics.job, name, strlen(name));
	set_times(to, &r->job_base[to->number + 1], &r->job_variant[to->number + 1]);
}

static void set_ratios(struct iot_row *to, void *source)
{
	static const char *const names[RATIOS] = {"I/O time", "time"};
	const struct model_results *r = results_of(source);
	const struct population *of = to->number == 0 ? &r->io_ratios : &r->time_ratios;
	row_word(to, &metrics.ratio_of, names[to->number]);
	row_number(to, &metrics.ratio_count, of->n);
	row_real(to, &metrics.ratio_mean, population_mean(of));
	row_real(to, &metrics.ratio_deviation, population_stddev(of));
	row_real(to, &metrics.ratio_max, of->n > 0 ? of->value[of->n - 1] : (double)NAN);
	row_real(to, &metrics.ratio_median, population_median(of));
	row_real(to, &metrics.slower_share, population_share_above(of, slower));
}

static double residual(const struct model_fit *fit, enum model_direction d)
{
	if (fit->logs[d] < MODEL_FIT_LOGS)
		return (double)NAN;
	return sqrt(fit->squares[d] / (double)fit->logs[d]);
}

static void set_fit(struct iot_row *to, void *source)
{
	const struct model_fit_row *row = &results_of(source)->fits[to->number];
	row_word(to, &metrics.fit_setting, row->setting);
	row_real(to, &metrics.fit_read_residual, residual(&row->fit, MODEL_READ));
	row_real(to, &metrics.fit_write_residual, residual(&row->fit, MODEL_WRITE));
}

static void set_best(struct iot_row *to, const struct model_results *r)
{
	const struct model_fit_row *reads = model_results_best(r, MODEL_READ);
	const struct model_fit_row *writes = model_results_best(r, MODEL_WRITE);
	if (reads != NULL)
		row_word(to, &metrics.best_read_setting, reads->setting);
	if (writes != NULL)
		row_word(to, &metrics.best_write_setting, writes->setting);
	if (r->fit_count > 0)
		return;
	row_absent(to, &metrics.best_read_setting);
	row_absent(to, &metrics.best_write_setting);
}

static void set_document(struct iot_row *to, void *source)
{
	struct model_document *d = source;
	const struct model_results *r = d->results;
	row_number(to, &metrics.model_requests, r->base.requests);
	row_number(to, &metrics.model_splits, r->base.splits);
	row_number(to, &metrics.late_requests, r->base.late_requests);
	row_number(to, &metrics.gap_samples, r->samples->gaps);
	row_number(to, &metrics.incomplete_samples, r->samples->incomplete);
	row_number(to, &metrics.wrong_samples, r->samples->wrong.count);
	if (r->has_variant)
		row_number(to, &metrics.unsynchronized_jobs, r->variant.unsynchronized_jobs);
	else
		row_absent(to, &metrics.unsynchronized_jobs);
	set_best(to, r);
	row_table(to, &metrics.validation, &d->validation);
	row_table(to, &metrics.ratios, r->has_variant ? &d->ratios : NULL);
	row_table(to, &metrics.io_nodes, r->has_variant ? &d->nodes : NULL);
	row_table(to, &metrics.model_jobs, r->has_variant ? &d->jobs : NULL);
	row_table(to, &metrics.fits, r->fit_count > 0 ? &d->fits : NULL);
}

static const struct iot_column error_columns[] = COLUMN_LIST(
    COLUMN(logged_counter), COLUMN(counter_logs), COLUMN(differing_logs), COLUMN(mean_error));
#define TIMES                                                                                      \
	COLUMN(original_io_ns), COLUMN(variant_io_ns), COLUMN(io_ratio), COLUMN(original_time_ns), \
	    COLUMN(variant_time_ns), COLUMN(time_ratio)
static const struct iot_column node_columns[] = COLUMN_LIST(COLUMN(host), TIMES);
static const struct iot_column job_columns[] = COLUMN_LIST(COLUMN(job), TIMES);
static const struct iot_column ratio_columns[] =
    COLUMN_LIST(COLUMN(ratio_of), COLUMN(ratio_count), COLUMN(ratio_mean), COLUMN(ratio_deviation),
		COLUMN(ratio_max), COLUMN(ratio_median), COLUMN(slower_share));
static const struct iot_column fit_columns[] =
    COLUMN_LIST(COLUMN(fit_setting), COLUMN(fit_read_residual), COLUMN(fit_write_residual));
static const struct iot_column document_columns[] = COLUMN_LIST(
    COLUMN(model_requests), COLUMN(model_splits), COLUMN(late_requests), COLUMN(gap_samples),
    COLUMN(incomplete_samples), COLUMN(wrong_samples), COLUMN(unsynchronized_jobs),
    COLUMN(best_read_setting), COLUMN(best_write_setting), COLUMN(validation), COLUMN(ratios),
    COLUMN(io_nodes), COLUMN(model_jobs), COLUMN(fits));

static void make_tables(struct model_document *d, const struct model_results *r)
{
	d->results = r;
	d->validation = (struct iot_table)TABLE_ROWS(error_columns, MODEL_COUNTERS, set_error, d);
	d->nodes = (struct iot_table)TABLE_ROWS(node_columns, r->input.nodes, set_node, d);
	d->jobs = (struct iot_table)TABLE_ROWS(job_columns, r->input.jobs, set_job, d);
	d->ratios = (struct iot_table)TABLE_ROWS(ratio_columns, RATIOS, set_ratios, d);
	d->fits = (struct iot_table)TABLE_ROWS(fit_columns, r->fit_count, set_fit, d);
}

static void print_flat(struct output *o, const struct model_results *r,
		       const struct print_form *form)
{
	struct model_document d;
	make_tables(&d, r);
	form->print(o,
		    r->fit_count > 0    ? &d.fits
		    : !r->has_variant   ? &d.validation
		    : r->input.jobs > 0 ? &d.jobs
					: &d.nodes,
		    NULL);
}

static void print_nested(struct output *o, const struct model_results *r,
			 const struct print_form *form)
{
	struct model_document d;
	make_tables(&d, r);
	const struct iot_table document = TABLE_RECORD(document_columns, set_document, &d);
	form->print(o, &document, NULL);
}

void model_print(struct output *o, const struct model_results *r, const struct print_form *form)
{
	(form->is_nested ? print_nested : print_flat)(o, r, form);
}

static void print_validation(struct output *o, struct model_document *d)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(logged_counter, -15, 0), TEXT(counter_logs, 10, 0),
			TEXT(differing_logs, 10, 0), TEXT(mean_error, 12, 3));
	print_text(o, columns, COLUMN_COUNT(columns), NULL, &d->validation);
}

static void print_variant(struct output *o, struct model_document *d)
{
	static const struct text_column ratios[] =
	    COLUMN_LIST(TEXT(ratio_of, -10, 0), TEXT(ratio_count, 8, 0), TEXT(ratio_mean, 9, 3),
			TEXT(ratio_deviation, 9, 3), TEXT(ratio_max, 9, 3),
			TEXT(ratio_median, 9, 3), TEXT(slower_share, 10, 1));
	static const struct text_column times[] = COLUMN_LIST(
	    TEXT(original_io_ns, 12, 3), TEXT(variant_io_ns, 12, 3), TEXT(io_ratio, 9, 3),
	    TEXT(original_time_ns, 12, 3), TEXT(variant_time_ns, 12, 3), TEXT(time_ratio, 9, 3));
	static const struct text_column job = TEXT(job, 0, 0), host = TEXT(host, 0, 0);
	struct text_column columns[COLUMN_COUNT(times) + 1];
	const bool jobs = d->results->input.jobs > 0;
	memcpy(columns, times, sizeof times);
	columns[COLUMN_COUNT(times)] = jobs ? job : host;
	output_text(o, "\n");
	print_text(o, ratios, COLUMN_COUNT(ratios), NULL, &d->ratios);
	output_text(o, "\n");
	print_text(o, columns, COLUMN_COUNT(columns), NULL, jobs ? &d->jobs : &d->nodes);
}

static void print_best(struct output *o, const struct model_results *r, enum model_direction d)
{
	static const char *const names[] = {"reads", "writes"};
	const struct model_fit_row *best = model_results_best(r, d);
	output_printf(o, "%s: %s (%ju logs inform)\n", names[d],
		      best != NULL ? best->setting : "not determined",
		      (uintmax_t)r->fits[0].fit.logs[d]);
}

static void print_fits(struct output *o, struct model_document *d)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(fit_read_residual, 14, 3), TEXT(fit_write_residual, 14, 3),
			TEXT(fit_setting, 0, 0));
	print_text(o, columns, COLUMN_COUNT(columns), NULL, &d->fits);
	output_text(o, "\n");
	print_best(o, d->results, MODEL_READ);
	print_best(o, d->results, MODEL_WRITE);
}

void model_print_text(struct output *o, const struct model_results *r)
{
	struct model_document d;
	make_tables(&d, r);
	if (r->fit_count > 0) {
		print_fits(o, &d);
		return;
	}
	print_validation(o, &d);
	if (r->has_variant)
		print_variant(o, &d);
}
