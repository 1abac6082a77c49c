/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jobs/job_list.h"
#include "cli/print/text.h"
#include "lib/result/columns.h"
#include "lib/result/names.h"
#include "lib/result/row.h"

#include "job_coverage.h"
#include "job_population.h"
#include "workflow.h"

enum { BYTES = 3 /* of member_values */ };

struct job_document {
	struct analyze_jobs *jobs;
	struct job_group all;
	struct population scratch;
	struct job_population population;
	size_t value; /* whose values are in `population` */
	struct job_coverage coverage;
	struct iot_table totals, values, pooled;
	struct workflow_view workflow;
	const struct member_value **shown; /* that text shows */
};

static const char *name_of(const void *jobs, size_t i)
{
	return ((const struct analyze_jobs *)jobs)->job[i]->name;
}

/* Totals */

static void set_sum(struct iot_row *to, const struct iot_metric *m, enum iot_direction direction,
		    const struct job_document *d, size_t i)
{
	const struct analyze_sum s = analyze_group_sum(&d->all, i);
	struct iot_cell *cell = row_cell(to, m, direction);
	if (s.known > 0 && cell != NULL)
		*cell = (struct iot_cell){.kind = IOT_INTEGER,
					  .integer = s.sum,
					  .why = s.unknown > 0 ? "some jobs do not know it" : NULL};
	else if (cell != NULL)
		cell->why = "no job knows it";
}

static void set_totals(struct iot_row *to, void *source)
{
	const struct job_document *d = source;
	row_number(to, &metrics.jobs, d->all.count);
	set_sum(to, &metrics.requests, IOT_READS, d, 0);
	set_sum(to, &metrics.requests, IOT_WRITES, d, 1);
	set_sum(to, &metrics.requests, IOT_BOTH, d, 2);
	set_sum(to, &metrics.bytes, IOT_READS, d, 3);
	set_sum(to, &metrics.bytes, IOT_WRITES, d, 4);
	set_sum(to, &metrics.bytes, IOT_BOTH, d, 5);
	set_sum(to, &metrics.files, IOT_BOTH, d, 6);
	set_sum(to, &metrics.created, IOT_BOTH, d, 7);
	set_sum(to, &metrics.asynchronous_requests, IOT_BOTH, d, 8);
	set_sum(to, &metrics.unknown_offsets, IOT_BOTH, d, 9);
}

static const struct iot_column total_columns[] = COLUMN_LIST(
    COLUMN(jobs), COLUMN_READ_AS(requests, "reads"), COLUMN_WRITE_AS(requests, "writes"),
    COLUMN(requests), COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"),
    COLUMN(bytes), COLUMN(files), COLUMN(created), COLUMN(asynchronous_requests),
    COLUMN(unknown_offsets));

/* Populations */

static const struct job_population *population_of(struct job_document *d, size_t value)
{
	if (d->value != value)
		job_population_make(&d->population, &d->all, value, &d->scratch);
	d->value = value;
	return &d->population;
}

static void set_value(struct iot_row *to, void *source)
{
	static char name[MEMBER_VALUE_NAME];
	struct job_document *d = source;
	row_word(to, &metrics.name, member_value_name(name, &member_values[to->number]));
	row_table(to, &metrics.population, &population_of(d, to->number)->table);
}

static const struct iot_column value_columns[] = COLUMN_LIST(COLUMN(name), COLUMN(population));

/* Requests of all jobs */

static const uint64_t request_limits[] = {4096, 8192, 65536, 131072, 524288, 1048576, 4194304};

/* The jobs that know their share of small requests of a direction, and their requests. */
struct pooled {
	double small, all;
	size_t jobs;
};

static struct pooled pool(const struct job_group *g, const char *small, const char *all,
			  uint64_t limit)
{
	char name[MEMBER_VALUE_NAME];
	struct pooled p = {0};
	const int size = snprintf(name, sizeof name, "%s.%ju", small, (uintmax_t)limit);
	const size_t share = member_value_find(name, (size_t)size),
		     requests = member_value_number(SECTION_OF(totals), all);
	for (size_t i = 0; i < g->count; i++) {
		const double *value = g->job[i]->value;
		const double part = value[share] * value[requests];
		if (part != part)
			continue;
		p.small += part;
		p.all += value[requests];
		p.jobs++;
	}
	return p;
}

static void set_pooled(struct iot_row *to, void *source)
{
	const struct job_group *all = &((const struct job_document *)source)->all;
	const uint64_t limit = request_limits[to->number];
	const struct pooled r = pool(all, NAME_OF(read_small_share), NAME_OF(reads), limit),
			    w = pool(all, NAME_OF(write_small_share), NAME_OF(writes), limit);
	row_number(to, &metrics.request_limit, limit);
	row_real_of(to, &metrics.small_share, IOT_READS, r.small / r.all);
	row_number(to, &metrics.known_jobs, r.jobs);
	row_real_of(to, &metrics.small_share, IOT_WRITES, w.small / w.all);
	row_number(to, &metrics.known_jobs, w.jobs);
	row_real(to, &metrics.small_share, (r.small + w.small) / (r.all + w.all));
}

static const struct iot_column pooled_columns[] = COLUMN_LIST(
    COLUMN(request_limit), COLUMN(small_share), COLUMN_READ_AS(small_share, "read_small_share"),
    COLUMN_AS(known_jobs, "read_jobs"), COLUMN_WRITE_AS(small_share, "write_small_share"),
    COLUMN_AS(known_jobs, "write_jobs"));

static bool make_document(struct job_document *d, struct analyze_jobs *j, uint64_t top)
{
	*d = (struct job_document){.jobs = j, .all = analyze_jobs_all(j), .value = SIZE_MAX};
	d->scratch.value = calloc(j->count + 1, sizeof *d->scratch.value);
	d->totals = (struct iot_table)TABLE_RECORD(total_columns, set_totals, d);
	d->values = (struct iot_table)TABLE_MAP(value_columns, member_values_count, set_value, d);
	d->pooled = (struct iot_table)TABLE_ROWS(pooled_columns, COLUMN_COUNT(request_limits),
						 set_pooled, d);
	return d->scratch.value != NULL && job_coverage_make(&d->coverage, j, top);
}

/* Rows of section, name, key and value */

static void set_flat(struct iot_row *to, const char *section, const struct iot_table *record,
		     size_t column, bool is_key)
{
	static char name[IOT_COLUMN_NAME];
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	iot_table_row(record, 0, cell);
	iot_column_name(&record->column[column], name);
	row_word(to, &metrics.section, section);
	row_word(to, is_key ? &metrics.value_key : &metrics.name, name);
	row_word(to, is_key ? &metrics.name : &metrics.value_key, "");
	row_word(to, &metrics.unit,
		 record->column[column].metric->quantity == IOT_BYTES ? "bytes" : "");
	row_word(to, &metrics.note, cell[column].why != NULL ? cell[column].why : "");
	*row_cell(to, &metrics.value, IOT_BOTH) = cell[column];
}

static void set_flat_value(struct iot_row *to, struct job_document *d, size_t i)
{
	static char name[MEMBER_VALUE_NAME];
	const struct member_value *v = &member_values[i / POPULATION_COLUMNS];
	const size_t column = i % POPULATION_COLUMNS;
	const enum iot_quantity quantity = job_population_columns[column].metric->quantity;
	set_flat(to, "jobs", &population_of(d, i / POPULATION_COLUMNS)->table, column, true);
	row_word(to, &metrics.name, member_value_name(name, v));
	row_word(to, &metrics.unit, quantity == IOT_RATIO ? v->unit : "");
}

/* The share of small requests over all jobs; the key is the largest size that is small. */
static void set_flat_pooled(struct iot_row *to, struct job_document *d, size_t i)
{
	static char key[MEMBER_VALUE_NAME];
	const size_t columns = d->pooled.columns - 1, row = i / columns, column = 1 + i % columns;
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	iot_table_row(&d->pooled, row, cell);
	snprintf(key, sizeof key, "%ju", (uintmax_t)cell[0].integer);
	set_flat(to, "pooled_sizes", &d->pooled, column, false);
	row_word(to, &metrics.value_key, key);
	*row_cell(to, &metrics.value, IOT_BOTH) = cell[column];
}

static void set_row(struct iot_row *to, void *source)
{
	struct job_document *d = source;
	const size_t totals = d->totals.columns, coverage = d->coverage.coverage.columns;
	const size_t values = totals + coverage + member_values_count * POPULATION_COLUMNS;
	const size_t pooled = values + d->pooled.rows * (d->pooled.columns - 1);
	if (to->number >= pooled)
		workflow_flat_row(to, &d->workflow, to->number - pooled);
	else if (to->number >= values)
		set_flat_pooled(to, d, to->number - values);
	else if (to->number < totals)
		set_flat(to, "totals", &d->totals, to->number, false);
	else if (to->number < totals + coverage)
		set_flat(to, "coverage", &d->coverage.coverage, to->number - totals, false);
	else
		set_flat_value(to, d, to->number - totals - coverage);
}

static const struct iot_column flat_columns[] =
    COLUMN_LIST(COLUMN(section), COLUMN(name), COLUMN_AS(value_key, "key"), COLUMN(unit),
		COLUMN(value), COLUMN(note));

static void print_flat(struct job_document *d, struct output *out, const struct print_form *form)
{
	const size_t rows = d->totals.columns + d->coverage.coverage.columns +
			    member_values_count * POPULATION_COLUMNS +
			    d->pooled.rows * (d->pooled.columns - 1) + d->workflow.flat_rows;
	const struct iot_table flat = TABLE_ROWS(flat_columns, rows, set_row, d);
	form->print(out, &flat, NULL);
}

/* JSON */

/* Sets the coverage and the selection, if they exist. */
static void set_coverage(struct iot_row *to, const struct job_coverage *c)
{
	row_table(to, &metrics.coverage, c->coverage.columns > 0 ? &c->coverage : NULL);
	row_table(to, &metrics.selection, c->selection.columns > 0 ? &c->selection : NULL);
}

static void set_document(struct iot_row *to, void *source)
{
	struct job_document *d = source;
	row_table(to, &metrics.total, &d->totals);
	set_coverage(to, &d->coverage);
	row_table(to, &metrics.jobs, &d->values);
	row_table(to, &metrics.pooled_sizes, &d->pooled);
	row_table(to, &metrics.workflow, &d->workflow.table);
}

static void print_document(struct job_document *d, struct output *out,
			   const struct print_form *form)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN_AS(total, "totals"), COLUMN(coverage), COLUMN(selection),
			COLUMN(jobs), COLUMN(pooled_sizes), COLUMN(workflow));
	const struct iot_table table = TABLE_RECORD(columns, set_document, d);
	form->print(out, &table, NULL);
}

struct rows_document {
	const char *by;
	const struct job_coverage *coverage;
	const struct iot_table *rows;
};

static void set_rows_document(struct iot_row *to, void *source)
{
	const struct rows_document *d = source;
	row_word(to, &metrics.by, d->by);
	set_coverage(to, d->coverage);
	row_table(to, &metrics.rows, d->rows);
}

static void print_rows(struct output *out, const struct print_form *form, const char *by,
		       const struct job_coverage *c, const struct iot_table *rows)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(by), COLUMN(coverage), COLUMN(selection), COLUMN(rows));
	struct rows_document d = {by, c, rows};
	const struct iot_table table = TABLE_RECORD(columns, set_rows_document, &d);
	print_in_form(form, out, &table, rows);
}

/* Text of populations */

/* Rates are in MB/s. */
static void set_shown(struct iot_row *to, void *source)
{
	static char label[MEMBER_VALUE_NAME];
	struct job_document *d = source;
	const struct member_value *v = d->shown[to->number];
	const bool rate = strcmp(v->unit, "bytes/s") == 0;
	const struct job_population *p = population_of(d, (size_t)(v - member_values));
	snprintf(label, sizeof label, "%s%s", v->label, rate ? ", MB/s" : "");
	row_word(to, &metrics.value_label, label);
	for (size_t i = 0; i < POPULATION_COLUMNS; i++) {
		const struct iot_column *c = &job_population_columns[i];
		struct iot_cell cell = p->cell[i];
		if (rate && c->metric->quantity == IOT_RATIO)
			cell.real /= 1e6;
		if (i == 2 || i == 3 || (i > 6 && i < 10))
			continue; /* text has the quartiles alone */
		struct iot_cell *at = row_cell(to, c->metric, IOT_BOTH);
		if (at != NULL)
			*at = cell;
	}
}

static void print_populations(struct job_document *d, struct output *out)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(value_label, -29, 0), TEXT(known_jobs, 6, 0),
			TEXT_AS(quantile, "lowest", 10, -4), TEXT_AS(quantile, "quartile", 10, -4),
			TEXT_AS(quantile, "median", 10, -4), TEXT_AS(quantile, "quartile", 10, -4),
			TEXT_AS(quantile, "highest", 10, -4), TEXT(top_fifth_share, 8, 1));
	size_t n = 0;
	for (size_t i = 0; i < member_values_count; i++)
		if (member_values[i].label != NULL)
			d->shown[n++] = &member_values[i];
	const struct iot_table rows = TABLE_FILLED(n, set_shown, d);
	print_text(out, columns, COLUMN_COUNT(columns), NULL, &rows);
}

static void print_pooled(struct job_document *d, struct output *out)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(request_limit, 15, 1), TEXT_AS(small_share, "% requests", 10, 1),
			{COLUMN_READ(small_share), "% reads", 10, {1, TEXT_DEFAULT}},
			TEXT_AS(known_jobs, "of jobs", 8, 0),
			{COLUMN_WRITE(small_share), "% writes", 10, {1, TEXT_DEFAULT}},
			TEXT_AS(known_jobs, "of jobs", 8, 0));
	output_text(out, "\n");
	print_text(out, columns, COLUMN_COUNT(columns), NULL, &d->pooled);
}

static void print_text_form(struct job_document *d, struct output *out, uint64_t top)
{
	output_printf(out, "jobs %zu, requests %ju, bytes %ju, files %ju\n\n", d->all.count,
		      (uintmax_t)analyze_jobs_sum(d->jobs, NAME_OF(requests)),
		      (uintmax_t)analyze_jobs_sum(d->jobs, NAME_OF(bytes)),
		      (uintmax_t)analyze_jobs_sum(d->jobs, NAME_OF(files)));
	job_coverage_text(out, &d->coverage);
	print_populations(d, out);
	print_pooled(d, out);
	analyze_workflow_text(&d->jobs->workflow, out, top);
}

int jobs_print(struct analyze_jobs *j, struct output *out, const struct print_form *form,
	       uint64_t top)
{
	struct job_document d;
	int status = make_document(&d, j, top) ? IOT_OK : IOT_ENOMEM;
	d.shown = calloc(member_values_count, sizeof(struct member_value *));
	if (status == IOT_OK)
		status =
		    d.shown != NULL ? analyze_workflow_end(&j->workflow, name_of, j) : IOT_ENOMEM;
	if (status == IOT_OK)
		workflow_view(&d.workflow, &j->workflow, top);
	if (status == IOT_OK && form == NULL)
		print_text_form(&d, out, top);
	else if (status == IOT_OK)
		(form->is_nested ? print_document : print_flat)(&d, out, form);
	free(d.shown);
	free(d.scratch.value);
	return status;
}

/* A row for each job */

struct job_rows {
	const struct analyze_jobs *jobs;
	struct iot_column *column;
	char (*name)[MEMBER_VALUE_NAME];
	size_t columns, texts;
	struct job_coverage coverage;
};

static void set_job(struct iot_row *to, void *source)
{
	const struct job_rows *r = source;
	const struct analyze_job *job = r->jobs->job[to->number];
	row_word(to, &metrics.key, job->name);
	if (job->listed != NULL) {
		row_word(to, &metrics.user, job->listed->text[LISTED_USER]);
		row_word(to, &metrics.account, job->listed->text[LISTED_ACCOUNT]);
		row_word(to, &metrics.job_state, job->listed->text[LISTED_STATE]);
	}
	for (size_t i = 0; i < member_values_count && r->column != NULL; i++)
		if (job->value[i] == job->value[i])
			to->cell[r->texts + i] =
			    (struct iot_cell){.kind = IOT_REAL, .real = job->value[i]};
}

/* The columns of all values, named as in `jobs`; values of the list only if there is one. */
static bool make_columns(struct job_rows *r)
{
	static const struct iot_column texts[] =
	    COLUMN_LIST(COLUMN(key), COLUMN(user), COLUMN(account), COLUMN(job_state));
	r->texts = r->jobs->list != NULL ? COLUMN_COUNT(texts) : 1;
	r->columns = r->texts + member_values_count;
	r->column = calloc(r->columns, sizeof *r->column);
	r->name = calloc(member_values_count, sizeof *r->name);
	if (r->column == NULL || r->name == NULL)
		return false;
	memcpy(r->column, texts, r->texts * sizeof *texts);
	for (size_t i = 0; i < member_values_count; i++)
		r->column[r->texts + i] = (struct iot_column){
		    &metrics.value, IOT_BOTH, member_value_name(r->name[i], &member_values[i])};
	return true;
}

static void set_job_text(struct iot_row *to, void *source)
{
	const struct job_rows *r = source;
	const struct analyze_job *job = r->jobs->job[to->number];
	static const struct {
		const struct iot_metric *metric;
		size_t value;
	} shown[] = {{&metrics.processes, 0}, {&metrics.run_time_s, 1},  {&metrics.requests, 2},
		     {&metrics.bytes, BYTES}, {&metrics.bytes_per_s, 7}, {&metrics.intensity, 16},
		     {&metrics.io_share, 19}};
	row_word(to, &metrics.key, job->name);
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
		row_real(to, shown[i].metric, job->value[shown[i].value]);
}

static void print_job_text(struct job_rows *r, struct output *out, size_t rows)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT_AS(processes, "procs", 10, -4), TEXT_AS(run_time_s, "seconds", 10, -4),
			TEXT_AS(requests, "requests", 10, -4), TEXT_AS(bytes, "bytes", 10, -4),
			TEXT_AS(bytes_per_s, "MB/s", 10, -4),
			TEXT_UNIT(intensity, "intensity", 10, -4, TEXT_FRACTION),
			TEXT_UNIT(io_share, "in I/O", 10, -4, TEXT_FRACTION), TEXT(key, 0, 0));
	const struct iot_table table = TABLE_FILLED(rows, set_job_text, r);
	job_coverage_text(out, &r->coverage);
	print_text(out, columns, COLUMN_COUNT(columns), "job", &table);
	if (rows < r->jobs->count)
		output_printf(out, "and %zu more; see --top\n", r->jobs->count - rows);
}

int jobs_print_rows(struct analyze_jobs *j, struct output *out, const struct print_form *form,
		    uint64_t top)
{
	struct job_rows r = {.jobs = j};
	const size_t rows = top < j->count ? (size_t)top : j->count;
	const bool done = make_columns(&r) && job_coverage_make(&r.coverage, j, top);
	const struct iot_table table = {IOT_SHAPE_ROWS, r.columns, rows, r.column, set_job, &r};
	analyze_jobs_sort(j);
	if (done && form != NULL)
		print_rows(out, form, "job", &r.coverage, &table);
	else if (done)
		print_job_text(&r, out, rows);
	free(r.column);
	free(r.name);
	return done ? IOT_OK : IOT_ENOMEM;
}

/* Groups */

enum {
	GROUP_FIRST = 2,     /* columns before the values: the keys, and the jobs */
	GROUP_QUANTILES = 7, /* n, the mean and five quantiles of a value in TSV */
	GROUP_SUMS = 10
};

struct job_groups {
	struct analyze_jobs *jobs;
	struct job_group *group;
	struct population scratch;
	struct job_population population[ANALYZE_GROUP_COLUMNS];
	size_t value[ANALYZE_GROUP_COLUMNS];
	struct job_coverage coverage;
	double bytes; /* of all jobs */
	bool is_flat; /* TSV has a column for each value of a population */
	char by[2 * MEMBER_VALUE_NAME];
};

static void set_group_sums(struct iot_row *to, const struct job_groups *g,
			   const struct job_group *group)
{
	static const size_t sums[] = {3, 4, 6};
	struct analyze_sum s[3];
	for (size_t i = 0; i < 3; i++)
		s[i] = analyze_group_sum(group, sums[i]);
	row_word(to, &metrics.key, group->job[0]->group[0]);
	row_word(to, &metrics.second_key, group->job[0]->group[1]);
	row_number(to, &metrics.jobs, group->count);
	row_real(to, &metrics.job_share, (double)group->count / (double)g->jobs->count);
	if (s[0].known > 0)
		row_number_of(to, &metrics.bytes, IOT_READS, s[0].sum);
	if (s[1].known > 0)
		row_number_of(to, &metrics.bytes, IOT_WRITES, s[1].sum);
	row_real(to, &metrics.job_bytes_share, group->bytes / g->bytes);
	row_known(to, &metrics.files, s[2].known > 0, s[2].sum);
	row_real(to, &metrics.core_hours, group->core_hours);
	row_known(to, &metrics.listed_jobs, group->listed > 0, group->listed);
	row_real(to, &metrics.listed_core_hours, group->listed_core_hours);
	row_real(to, &metrics.core_hours_share, group->core_hours / group->listed_core_hours);
}

static const struct iot_column sum_columns[GROUP_SUMS] = COLUMN_LIST(
    COLUMN(job_share), COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"),
    COLUMN(job_bytes_share), COLUMN(files), COLUMN(core_hours), COLUMN(listed_jobs),
    COLUMN(listed_core_hours), COLUMN(core_hours_share), COLUMN(second_key));

static void make_populations(struct job_groups *g, const struct job_group *group)
{
	for (size_t i = 0; i < ANALYZE_GROUP_COLUMNS; i++)
		job_population_make(&g->population[i], group, g->value[i], &g->scratch);
}

/* The columns of a population in a group: n, the mean, and the quantiles 0, .25, .5, .75 and 1. */
static const unsigned char of_group[GROUP_QUANTILES] = {0, POPULATION_MEAN, 1, 4, 5, 6, 10};

static void set_group(struct iot_row *to, void *source)
{
	struct job_groups *g = source;
	const struct job_group *group = &g->group[to->number];
	set_group_sums(to, g, group);
	make_populations(g, group);
	struct iot_cell *cell = to->cell + GROUP_FIRST;
	for (size_t i = 0; i < ANALYZE_GROUP_COLUMNS; i++) {
		if (!g->is_flat)
			*cell++ =
			    (struct iot_cell){.kind = IOT_TABLE, .table = &g->population[i].table};
		for (size_t q = 0; q < GROUP_QUANTILES && g->is_flat; q++)
			*cell++ = g->population[i].cell[of_group[q]];
	}
}

struct group_table {
	struct iot_column
	    column[GROUP_FIRST + ANALYZE_GROUP_COLUMNS * GROUP_QUANTILES + GROUP_SUMS];
	char name[ANALYZE_GROUP_COLUMNS * GROUP_QUANTILES][2 * MEMBER_VALUE_NAME];
};

static void add_values(const struct job_groups *g, struct group_table *t, size_t *columns)
{
	size_t names = 0;
	for (size_t i = 0; i < ANALYZE_GROUP_COLUMNS; i++)
		for (size_t q = 0; q < (g->is_flat ? GROUP_QUANTILES : 1); q++) {
			char quantile[IOT_COLUMN_NAME];
			iot_column_name(&job_population_columns[of_group[q]], quantile);
			snprintf(t->name[names], sizeof t->name[names], "%s%s%s",
				 analyze_group_columns[i].name, g->is_flat ? "." : "",
				 g->is_flat ? quantile : "");
			t->column[(*columns)++] =
			    (struct iot_column){&metrics.value, IOT_BOTH, t->name[names++]};
		}
}

/* Makes the columns; the second key is last because only crossed groups have it. */
static struct iot_table make_group_table(struct job_groups *g, struct group_table *t, size_t rows)
{
	const struct analyze_grouping *by = &g->jobs->grouping;
	size_t n = 0;
	t->column[n++] = (struct iot_column){&metrics.key, IOT_BOTH,
					     g->is_flat ? analyze_group_names[by->by[0]] : "key"};
	t->column[n++] = (struct iot_column)COLUMN(jobs);
	add_values(g, t, &n);
	for (size_t i = 0; i < GROUP_SUMS - (by->levels < 2); i++)
		t->column[n++] = sum_columns[i];
	if (by->levels == 2 && g->is_flat)
		t->column[n - 1].name = analyze_group_names[by->by[1]];
	return (struct iot_table){IOT_SHAPE_ROWS, n, rows, t->column, set_group, g};
}

static void set_group_text(struct iot_row *to, void *source)
{
	struct job_groups *g = source;
	const struct job_group *group = &g->group[to->number];
	const struct iot_metric *const m[ANALYZE_GROUP_COLUMNS] = {
	    &metrics.node_bytes_per_s,    &metrics.io_share,
	    &metrics.operation_share,     &metrics.files_per_process,
	    &metrics.created_per_process, &metrics.ascending_share,
	    &metrics.aligned_share,       &metrics.bytes_per_process};
	/* The mean, and of the first value the quartiles. */
	static const unsigned char shown[] = {POPULATION_MEAN, 4, 5, 6};
	set_group_sums(to, g, group);
	make_populations(g, group);
	for (size_t i = 0; i < ANALYZE_GROUP_COLUMNS; i++)
		for (size_t q = 0; q < (i == 0 ? sizeof shown : 1); q++) {
			struct iot_cell *cell = row_cell(to, m[i], IOT_BOTH);
			if (cell != NULL)
				*cell = g->population[i].cell[shown[q]];
		}
}

static void print_group_text(struct job_groups *g, struct output *out, size_t rows, size_t n)
{
	static const struct text_column means[] = COLUMN_LIST(
	    TEXT(jobs, 6, 0), TEXT_UNIT(node_bytes_per_s, "MiB/s/CN", 8, -4, TEXT_MIB),
	    TEXT_UNIT(node_bytes_per_s, "quartile", 8, -4, TEXT_MIB),
	    TEXT_UNIT(node_bytes_per_s, "median", 8, -4, TEXT_MIB),
	    TEXT_UNIT(node_bytes_per_s, "quartile", 8, -4, TEXT_MIB),
	    TEXT_AS(io_share, "in I/O %", 8, -4), TEXT_AS(operation_share, "metad. %", 8, -4),
	    TEXT_AS(files_per_process, "files/P", 8, -4),
	    TEXT_AS(created_per_process, "creat./P", 8, -4),
	    TEXT_AS(ascending_share, "sequen.%", 8, -4), TEXT_AS(aligned_share, "aligned%", 8, -4),
	    TEXT_UNIT(bytes_per_process, "MiB/P", 8, -4, TEXT_MIB), TEXT(key, 0, 0));
	static const struct text_column sums[] = COLUMN_LIST(
	    TEXT(jobs, 6, 0), TEXT_AS(job_share, "% jobs", 8, 1), TEXT_READ(bytes, 10, 1),
	    TEXT_WRITE(bytes, 10, 1), TEXT_AS(job_bytes_share, "% bytes", 8, 1), TEXT(files, 8, 0),
	    TEXT(key, 0, 0), TEXT(second_key, 0, 0));
	static const struct text_column listed_sums[] = COLUMN_LIST(
	    TEXT(jobs, 6, 0), TEXT_AS(job_share, "% jobs", 8, 1), TEXT_READ(bytes, 10, 1),
	    TEXT_WRITE(bytes, 10, 1), TEXT_AS(job_bytes_share, "% bytes", 8, 1), TEXT(files, 8, 0),
	    TEXT_AS(core_hours, "core h", 10, -4), TEXT(listed_jobs, 11, 0),
	    TEXT_AS(listed_core_hours, "core h", 10, -4),
	    TEXT_AS(core_hours_share, "% logged", 8, 1), TEXT(key, 0, 0));
	const bool crossed = g->jobs->grouping.levels > 1,
		   listed = g->jobs->list != NULL && !crossed;
	const struct iot_table table = TABLE_FILLED(rows, set_group_text, g);
	job_coverage_text(out, &g->coverage);
	if (!crossed) {
		print_text(out, means, COLUMN_COUNT(means), g->by, &table);
		output_text(out, "\n");
	}
	print_text(out, listed ? listed_sums : sums,
		   listed ? COLUMN_COUNT(listed_sums) : COLUMN_COUNT(sums) - !crossed, g->by,
		   &table);
	if (rows < n)
		output_printf(out, "and %zu more; see --top\n", n - rows);
}

static void print_groups(struct job_groups *g, struct output *out, const struct print_form *form,
			 uint64_t top)
{
	const size_t n = analyze_jobs_group(g->jobs, g->group), rows = top < n ? (size_t)top : n;
	struct group_table columns;
	g->is_flat = form != NULL && !form->is_nested;
	for (size_t i = 0; i < n; i++)
		g->bytes += g->group[i].bytes;
	const struct iot_table table = make_group_table(g, &columns, rows);
	if (form != NULL)
		print_rows(out, form, g->by, &g->coverage, &table);
	else
		print_group_text(g, out, rows, n);
}

int jobs_print_groups(struct analyze_jobs *j, struct output *out, const struct print_form *form,
		      uint64_t top)
{
	struct job_groups *g = calloc(1, sizeof *g);
	if (g == NULL)
		return IOT_ENOMEM;
	*g = (struct job_groups){.jobs = j,
				 .group = calloc(j->count + 1, sizeof *g->group),
				 .scratch = {.value = calloc(j->count + 1, sizeof(double))}};
	const struct analyze_grouping *by = &j->grouping;
	snprintf(g->by, sizeof g->by, "%s", analyze_group_names[by->by[0]]);
	if (by->levels > 1)
		snprintf(g->by, sizeof g->by, "%s,%s", analyze_group_names[by->by[0]],
			 analyze_group_names[by->by[1]]);
	for (size_t i = 0; i < ANALYZE_GROUP_COLUMNS; i++)
		g->value[i] = member_value_number(analyze_group_columns[i].section,
						  analyze_group_columns[i].name);
	const bool done =
	    g->group != NULL && g->scratch.value != NULL && job_coverage_make(&g->coverage, j, top);
	if (done)
		print_groups(g, out, form, top);
	free(g->group);
	free(g->scratch.value);
	free(g);
	return done ? IOT_OK : IOT_ENOMEM;
}
