/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/base/array.h"

#include "shown.h"

/* Sums over all jobs, of section `totals`. */
static const struct {
	const char *name, *unit;
} sums[] = {{"reads", ""},
	    {"writes", ""},
	    {"requests", ""},
	    {"read_bytes", "bytes"},
	    {"written_bytes", "bytes"},
	    {"bytes", "bytes"},
	    {"files", ""},
	    {"created", ""},
	    {"asynchronous_requests", ""},
	    {"unknown_offsets", ""}};

/* Values of which each job is a member. */
static const struct job_value {
	const char *section, *name, *key, *unit, *label;
} members[] = {{"trace", "processes", "", "", "processes"},
	       {"trace", "run_time_s", "", "s", "run time"},
	       {"totals", "requests", "", "", "requests"},
	       {"totals", "bytes", "", "bytes", "bytes"},
	       {"totals", "files", "", "", "files"},
	       {"totals", "size_mean", "", "bytes", "mean size"},
	       {"totals", "read_to_written_bytes", "", "", "bytes read by written"},
	       {"totals", "bytes_per_running_s", "", "bytes/s", "rate, CPU or wall time"},
	       {"totals", "requests_per_running_s", "", "1/s", "requests/s"},
	       {"sizes", "read_small_share", "1048576", "", "small reads"},
	       {"sizes", "write_small_share", "1048576", "", "small writes"},
	       {"sizes", "read_aligned_share", "", "", "aligned reads"},
	       {"sizes", "write_aligned_share", "", "", "aligned writes"},
	       {"order", "sequential_share", "", "", "sequential"},
	       {"time", "bytes_per_s_max", "", "bytes/s", "highest rate"},
	       {"time", "requests_per_s_max", "", "1/s", "highest requests/s"},
	       {"time", "intensity", "1048576", "", "I/O intensity"},
	       {"time", "burstiness", "1048576", "", "burstiness"},
	       {"time", "parallel_intensity", "1048576", "", "parallel intensity"},
	       {"time", "io_share", "", "", "time in I/O"},
	       {"time", "operation_share", "", "", "metadata of that"},
	       {"time", "slowest_bytes_per_s", "", "bytes/s", "rate of slowest process"},
	       {"time", "node_bytes_per_s", "", "bytes/s", "rate per node"},
	       {"time", "concurrency_mean", "", "", "outstanding requests"},
	       {"files", "shared_files", "", "", "shared files"},
	       {"reuse", "footprint", "", "bytes", "footprint"},
	       {"reuse", "reuse_ratio", "", "", "reuse"}};

enum { SUMS = sizeof sums / sizeof sums[0], MEMBERS = sizeof members / sizeof members[0] };

struct analyze_job {
	char *name;
	uint64_t sum[SUMS];
	double member[MEMBERS]; /* NAN: unknown */
};

int analyze_jobs_add(void *jobs, const struct analyze_job_of *of)
{
	struct analyze_jobs *j = jobs;
	if (j->count == ANALYZE_JOBS_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&j->job, &j->capacity, j->count + 1, sizeof *j->job))
		return IOT_ENOMEM;
	struct analyze_job *job = &j->job[j->count];
	job->name = strdup(of->name);
	if (job->name == NULL)
		return IOT_ENOMEM;
	for (size_t i = 0; i < SUMS; i++) {
		const struct iot_analyze_value *v =
		    iot_analyze_find(of->analysis, "totals", sums[i].name, NULL);
		job->sum[i] = v != NULL && v->kind == IOT_VALUE_NUMBER ? v->number : 0;
	}
	for (size_t i = 0; i < MEMBERS; i++)
		job->member[i] = shown_known(iot_analyze_find(of->analysis, members[i].section,
							      members[i].name, members[i].key));
	j->count++;
	return j->has_workflow ? analyze_workflow_add(&j->workflow, of->analysis) : IOT_OK;
}

void analyze_jobs_free(struct analyze_jobs *j)
{
	for (size_t i = 0; i < j->count; i++)
		free(j->job[i].name);
	free(j->job);
	analyze_workflow_free(&j->workflow);
	*j = (struct analyze_jobs){.job = NULL};
}

/* The population */

static void collect(struct population *p, const struct analyze_jobs *j, size_t member)
{
	population_collect(p, &j->job->member[member], j->count, sizeof *j->job);
}

static const struct {
	unsigned permille;
	const char *key;
} quantiles[] = {{0, "0"},      {10, "0.01"}, {100, "0.1"},  {250, "0.25"}, {500, "0.5"},
		 {750, "0.75"}, {900, "0.9"}, {990, "0.99"}, {1000, "1"}};
enum { QUANTILES = sizeof quantiles / sizeof quantiles[0] };

static uint64_t sum_of(const struct analyze_jobs *j, size_t i)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < j->count; k++)
		if (__builtin_add_overflow(sum, j->job[k].sum[i], &sum))
			return UINT64_MAX;
	return sum;
}

uint64_t analyze_jobs_sum(const struct analyze_jobs *j, const char *name)
{
	for (size_t i = 0; i < SUMS; i++)
		if (strcmp(sums[i].name, name) == 0)
			return sum_of(j, i);
	return 0;
}

const char *analyze_jobs_collect(const struct analyze_jobs *j, size_t i, struct population *p,
				 const char **unit)
{
	if (i >= MEMBERS)
		return NULL;
	collect(p, j, i);
	*unit = members[i].unit;
	return members[i].label;
}

/* Forms */

static const char *full_name(char text[64], const struct job_value *m)
{
	snprintf(text, 64, "%s.%s%s%s", m->section, m->name, m->key[0] != '\0' ? "." : "", m->key);
	return text;
}

static void print_tsv(const struct analyze_jobs *j, struct output *out, struct population *p,
		      uint64_t top)
{
	char name[64];
	output_printf(out, "section\tname\tkey\tunit\tvalue\tnote\ntotals\tjobs\t\t\t%zu\t\n",
		      j->count);
	for (size_t i = 0; i < SUMS; i++)
		output_printf(out, "totals\t%s\t\t%s\t%ju\t\n", sums[i].name, sums[i].unit,
			      (uintmax_t)sum_of(j, i));
	for (size_t i = 0; i < MEMBERS; i++) {
		collect(p, j, i);
		full_name(name, &members[i]);
		output_printf(out, "jobs\t%s\tn\t\t%zu\t\n", name, p->n);
		for (size_t q = 0; q < QUANTILES && p->n > 0; q++)
			output_printf(out, "jobs\t%s\t%s\t%s\t%.17g\t\n", name, quantiles[q].key,
				      members[i].unit,
				      population_quantile(p, quantiles[q].permille));
		if (p->n > 0)
			output_printf(out, "jobs\t%s\tmean\t%s\t%.17g\t\n", name, members[i].unit,
				      population_mean(p));
	}
	analyze_workflow_tsv(&j->workflow, out, top);
}

static void print_json(const struct analyze_jobs *j, struct output *out, struct population *p,
		       uint64_t top)
{
	struct json json = {.out = out, .pretty = true};
	char name[64];
	json_open(&json, NULL, '{');
	json_open(&json, "totals", '{');
	json_number(&json, "jobs", j->count);
	for (size_t i = 0; i < SUMS; i++)
		json_number(&json, sums[i].name, sum_of(j, i));
	json_close(&json, '}');
	json_open(&json, "jobs", '{');
	for (size_t i = 0; i < MEMBERS; i++) {
		collect(p, j, i);
		json_open(&json, full_name(name, &members[i]), '{');
		json_number(&json, "n", p->n);
		for (size_t q = 0; q < QUANTILES && p->n > 0; q++)
			json_exact(&json, quantiles[q].key,
				   population_quantile(p, quantiles[q].permille));
		if (p->n > 0)
			json_exact(&json, "mean", population_mean(p));
		json_close(&json, '}');
	}
	json_close(&json, '}');
	analyze_workflow_json(&j->workflow, &json, top);
	json_close(&json, '}');
}

/* Rates are in MB/s. */
static double in_text(size_t member, double value)
{
	return strcmp(members[member].unit, "bytes/s") == 0 ? value / 1e6 : value;
}

static void print_text(const struct analyze_jobs *j, struct output *out, struct population *p,
		       uint64_t top)
{
	static const unsigned shown[] = {0, 250, 500, 750, 1000};
	char label[64];
	output_printf(out, "jobs %zu, requests %ju, bytes %ju, files %ju\n\n", j->count,
		      (uintmax_t)sum_of(j, 2), (uintmax_t)sum_of(j, 5), (uintmax_t)sum_of(j, 6));
	output_printf(out, "%-29s %6s %10s %10s %10s %10s %10s\n", "of each job", "jobs", "lowest",
		      "quartile", "median", "quartile", "highest");
	for (size_t i = 0; i < MEMBERS; i++) {
		collect(p, j, i);
		snprintf(label, sizeof label, "%s%s", members[i].label,
			 strcmp(members[i].unit, "bytes/s") == 0 ? ", MB/s" : "");
		output_printf(out, "%-29s %6zu", label, p->n);
		for (size_t q = 0; q < sizeof shown / sizeof shown[0]; q++)
			if (p->n > 0)
				output_printf(out, " %10.4g",
					      in_text(i, population_quantile(p, shown[q])));
			else
				output_printf(out, " %10s", "-");
		output_text(out, "\n");
	}
	analyze_workflow_text(&j->workflow, out, top);
}

static const char *name_of(const void *jobs, size_t i)
{
	return ((const struct analyze_jobs *)jobs)->job[i].name;
}

/* A row for each job */

static int by_bytes(const void *left, const void *right)
{
	enum { BYTES = 5 };
	const struct analyze_job *a = left, *b = right;
	if (a->sum[BYTES] != b->sum[BYTES])
		return a->sum[BYTES] > b->sum[BYTES] ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void table_tsv(const struct analyze_jobs *j, struct output *out, size_t rows)
{
	char name[64];
	output_text(out, "key");
	for (size_t i = 0; i < MEMBERS; i++)
		output_printf(out, "\t%s", full_name(name, &members[i]));
	output_text(out, "\n");
	for (size_t k = 0; k < rows; k++) {
		output_encoded(out, j->job[k].name, strlen(j->job[k].name));
		for (size_t i = 0; i < MEMBERS; i++)
			if (isnan(j->job[k].member[i]))
				output_text(out, "\t-");
			else
				output_printf(out, "\t%.17g", j->job[k].member[i]);
		output_text(out, "\n");
	}
}

static void table_json(const struct analyze_jobs *j, struct output *out, size_t rows)
{
	struct json json = {.out = out, .pretty = true};
	char name[64];
	json_open(&json, NULL, '{');
	json_text(&json, "by", "job", 3);
	json_open(&json, "rows", '[');
	for (size_t k = 0; k < rows; k++) {
		json_open(&json, NULL, '{');
		json_text(&json, "key", j->job[k].name, strlen(j->job[k].name));
		for (size_t i = 0; i < MEMBERS; i++)
			if (isnan(j->job[k].member[i]))
				json_null(&json, full_name(name, &members[i]));
			else
				json_exact(&json, full_name(name, &members[i]),
					   j->job[k].member[i]);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
}

static void table_text(const struct analyze_jobs *j, struct output *out, size_t rows)
{
	enum { NAME = 512 };
	static const size_t shown[] = {0, 1, 2, 3, 7, 16, 19};
	static const char *const heads[] = {"procs", "seconds",   "requests", "bytes",
					    "MB/s",  "intensity", "in I/O"};
	char name[NAME];
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
		output_printf(out, "%10s ", heads[i]);
	output_text(out, " job\n");
	for (size_t k = 0; k < rows; k++) {
		const struct analyze_job *job = &j->job[k];
		for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
			if (isnan(job->member[shown[i]]))
				output_printf(out, "%10s ", "-");
			else
				output_printf(out, "%10.4g ",
					      in_text(shown[i], job->member[shown[i]]));
		output_printf(out, " %s\n",
			      printable(name, sizeof name, job->name, strlen(job->name)));
	}
	if (rows < j->count)
		output_printf(out, "and %zu more; see --top\n", j->count - rows);
}

int analyze_jobs_print(struct analyze_jobs *j, struct output *out, enum analyze_form form,
		       bool table, uint64_t top)
{
	struct population p = {.value = calloc(j->count + 1, sizeof *p.value)};
	const size_t rows = top < j->count ? (size_t)top : j->count;
	int status = p.value == NULL ? IOT_ENOMEM : IOT_OK;
	if (status == IOT_OK && !table)
		status = analyze_workflow_end(&j->workflow, name_of, j);
	if (status != IOT_OK) {
		free(p.value);
		return status;
	}
	if (table && j->count > 0)
		qsort(j->job, j->count, sizeof *j->job, by_bytes);
	if (table)
		(form == ANALYZE_JSON  ? table_json
		 : form == ANALYZE_TSV ? table_tsv
				       : table_text)(j, out, rows);
	else
		(form == ANALYZE_JSON  ? print_json
		 : form == ANALYZE_TSV ? print_tsv
				       : print_text)(j, out, &p, top);
	free(p.value);
	return IOT_OK;
}
