/* SPDX-License-Identifier: BSD-2-Clause */
#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/base/array.h"

#include "shown.h"

enum { COLUMNS = ANALYZE_GROUP_COLUMNS, FIELD = SHOWN_FIELD, NAME_CAPACITY = 512 };

/* Values of which a row has the mean over the jobs of its group. */
static const struct group_column {
	const char *section, *name, *heading;
	double scale; /* in the text */
} columns[COLUMNS] = {{"time", "node_bytes_per_s", "MiB/s/CN", 1.0 / (1 << 20)},
		      {"time", "io_share", "in I/O %", 100},
		      {"time", "operation_share", "metad. %", 100},
		      {"processes", "files_per_process", "files/P", 1},
		      {"processes", "created_per_process", "creat./P", 1},
		      {"order", "ascending_share", "sequen.%", 100},
		      {"sizes", "aligned_share", "aligned%", 100},
		      {"processes", "bytes_per_process", "MiB/P", 1.0 / (1 << 20)}};

struct grouped_job {
	char *group; /* NULL: unknown */
	double value[COLUMNS];
};

const char *const analyze_group_names[] = {[ANALYZE_GROUP_USER] = "user",
					   [ANALYZE_GROUP_COMMAND] = "command",
					   [ANALYZE_GROUP_DIR] = "dir"};

/* Returns the name of a group, which the caller frees, or NULL if out of memory. */

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (slash == NULL)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* The last component of the first word of a command. */
static char *program_of(const char *command)
{
	const size_t n = strcspn(command, " \t\n");
	size_t begin = n;
	while (begin > 0 && command[begin - 1] != '/')
		begin--;
	return strndup(command + begin, n - begin);
}

bool analyze_group_of(char **group, enum analyze_group_by by, const struct analyze_job_of *job)
{
	char text[ANALYZE_TEXT_MAX + 1];
	if (by == ANALYZE_GROUP_DIR) {
		*group = directory_of(job->path);
		return *group != NULL;
	}
	const struct iot_analyze_value *v =
	    iot_analyze_find(job->analysis, "trace", analyze_group_names[by], NULL);
	*group = NULL;
	if (v == NULL || v->kind != IOT_VALUE_TEXT)
		return true;
	text[analyze_decode(text, v->text)] = '\0';
	*group = by == ANALYZE_GROUP_COMMAND ? program_of(text) : strdup(text);
	return *group != NULL;
}

int analyze_groups_add(void *groups, const struct analyze_job_of *of)
{
	struct analyze_groups *g = groups;
	if (g->count == ANALYZE_GROUPED_MAX)
		return IOT_ELIMIT;
	if (!array_reserve(&g->job, &g->capacity, g->count + 1, sizeof *g->job))
		return IOT_ENOMEM;
	struct grouped_job *job = &g->job[g->count];
	if (!analyze_group_of(&job->group, g->by, of))
		return IOT_ENOMEM;
	for (size_t i = 0; i < COLUMNS; i++)
		job->value[i] = shown_known(
		    iot_analyze_find(of->analysis, columns[i].section, columns[i].name, NULL));
	g->count++;
	return IOT_OK;
}

void analyze_groups_free(struct analyze_groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->job[i].group);
	free(g->job);
	*g = (struct analyze_groups){.by = g->by};
}

/* Groups */

int analyze_group_compare(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

static int by_group(const void *left, const void *right)
{
	const struct grouped_job *a = left, *b = right;
	return analyze_group_compare(a->group, b->group);
}

static int by_count(const void *left, const void *right)
{
	const struct analyze_group *a = left, *b = right;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return analyze_group_compare(a->name, b->name);
}

size_t analyze_groups_find(const void *jobs, size_t n, size_t size, struct analyze_group *group)
{
	size_t groups = 0;
	for (size_t i = 0; i < n; i++) {
		const char *name;
		memcpy(&name, (const char *)jobs + i * size, sizeof name);
		if (groups == 0 || analyze_group_compare(group[groups - 1].name, name) != 0)
			group[groups++] =
			    (struct analyze_group){name, (const char *)jobs + i * size, 0};
		group[groups - 1].count++;
	}
	if (groups > 0)
		qsort(group, groups, sizeof *group, by_count);
	return groups;
}

size_t analyze_groups_sort(struct analyze_groups *g, struct analyze_group *group)
{
	if (g->count > 0)
		qsort(g->job, g->count, sizeof *g->job, by_group);
	return analyze_groups_find(g->job, g->count, sizeof *g->job, group);
}

static void collect(struct population *p, const struct analyze_group *group, size_t column)
{
	const struct grouped_job *job = group->job;
	population_collect(p, &job->value[column], group->count, sizeof *job);
}

const char *analyze_groups_collect(const struct analyze_group *group, size_t column,
				   struct population *p, double *scale)
{
	collect(p, group, column);
	*scale = columns[column].scale;
	return columns[column].heading;
}

/* Forms */

static const struct {
	unsigned permille;
	const char *key;
} quartiles[] = {{0, "0"}, {250, "0.25"}, {500, "0.5"}, {750, "0.75"}, {1000, "1"}};
enum { QUARTILES = sizeof quartiles / sizeof quartiles[0] };

static void text_number(struct output *out, const struct population *p, double number)
{
	if (p->n > 0)
		output_printf(out, " %8.4g", number);
	else
		output_printf(out, " %8s", "-");
}

static void text_row(struct output *out, struct population *p, const struct analyze_group *group)
{
	char name[NAME_CAPACITY];
	output_printf(out, "%6zu", group->count);
	for (size_t i = 0; i < COLUMNS; i++) {
		collect(p, group, i);
		text_number(out, p, p->n > 0 ? columns[i].scale * population_mean(p) : 0);
		for (unsigned q = 1; q < QUARTILES - 1 && i == 0; q++)
			text_number(out, p,
				    p->n > 0 ? columns[i].scale *
						   population_quantile(p, quartiles[q].permille)
					     : 0);
	}
	output_printf(out, "  %s\n",
		      group->name != NULL
			  ? printable(name, sizeof name, group->name, strlen(group->name))
			  : "-");
}

/* Means, and quartiles of the first column. */
static void print_text(const struct analyze_group *group, size_t rows, struct output *out,
		       struct population *p, const char *by)
{
	output_printf(out, "%6s %8s %8s %8s %8s", "jobs", columns[0].heading, "quartile", "median",
		      "quartile");
	for (size_t i = 1; i < COLUMNS; i++)
		output_printf(out, " %8s", columns[i].heading);
	output_printf(out, "  %s\n", by);
	for (size_t i = 0; i < rows; i++)
		text_row(out, p, &group[i]);
}

static void print_tsv(const struct analyze_group *group, size_t rows, struct output *out,
		      struct population *p, const char *by)
{
	output_printf(out, "%s\tjobs", by);
	for (size_t i = 0; i < COLUMNS; i++) {
		output_printf(out, "\t%s.n\t%s.mean", columns[i].name, columns[i].name);
		for (unsigned q = 0; q < QUARTILES; q++)
			output_printf(out, "\t%s.%s", columns[i].name, quartiles[q].key);
	}
	output_text(out, "\n");
	for (size_t k = 0; k < rows; k++) {
		if (group[k].name != NULL)
			output_encoded(out, group[k].name, strlen(group[k].name));
		else
			output_text(out, "-");
		output_printf(out, "\t%zu", group[k].count);
		for (size_t i = 0; i < COLUMNS; i++) {
			collect(p, &group[k], i);
			output_printf(out, "\t%zu", p->n);
			if (p->n > 0)
				output_printf(out, "\t%.17g", population_mean(p));
			for (unsigned q = 0; q < QUARTILES && p->n > 0; q++)
				output_printf(out, "\t%.17g",
					      population_quantile(p, quartiles[q].permille));
			for (unsigned q = 0; q < QUARTILES + 1 && p->n == 0; q++)
				output_text(out, "\t-");
		}
		output_text(out, "\n");
	}
}

static void json_column(struct json *j, const char *name, const struct population *p)
{
	json_open(j, name, '{');
	json_number(j, "n", p->n);
	if (p->n > 0)
		json_exact(j, "mean", population_mean(p));
	for (unsigned q = 0; q < QUARTILES && p->n > 0; q++)
		json_exact(j, quartiles[q].key, population_quantile(p, quartiles[q].permille));
	json_close(j, '}');
}

static void print_json(const struct analyze_group *group, size_t rows, struct output *out,
		       struct population *p, const char *by)
{
	struct json j = {.out = out, .pretty = true};
	json_open(&j, NULL, '{');
	json_text(&j, "by", by, strlen(by));
	json_open(&j, "rows", '[');
	for (size_t k = 0; k < rows; k++) {
		json_open(&j, NULL, '{');
		if (group[k].name != NULL)
			json_text(&j, "key", group[k].name, strlen(group[k].name));
		else
			json_null(&j, "key");
		json_number(&j, "jobs", group[k].count);
		for (size_t i = 0; i < COLUMNS; i++) {
			collect(p, &group[k], i);
			json_column(&j, columns[i].name, p);
		}
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
}

int analyze_groups_print(struct analyze_groups *g, struct output *out, enum analyze_form form,
			 uint64_t top)
{
	struct population p = {.value = calloc(g->count + 1, sizeof *p.value)};
	struct analyze_group *group = calloc(g->count + 1, sizeof *group);
	const bool done = p.value != NULL && group != NULL;
	if (done) {
		const size_t n = analyze_groups_sort(g, group), rows = top < n ? (size_t)top : n;
		(form == ANALYZE_JSON ? print_json
		 : form == ANALYZE_TSV
		     ? print_tsv
		     : print_text)(group, rows, out, &p, analyze_group_names[g->by]);
		if (form == ANALYZE_TEXT && rows < n)
			output_printf(out, "and %zu more; see --top\n", n - rows);
	}
	free(p.value);
	free(group);
	return done ? IOT_OK : IOT_ENOMEM;
}
