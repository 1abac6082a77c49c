/* SPDX-License-Identifier: BSD-2-Clause */
#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jobs/job_list.h"
#include "lib/result/names.h"

#include "member_values.h"
#include "shown.h"

const char *const analyze_group_names[] = {[ANALYZE_GROUP_USER] = "user",
					   [ANALYZE_GROUP_COMMAND] = "command",
					   [ANALYZE_GROUP_DIR] = "dir",
					   [ANALYZE_GROUP_ACCOUNT] = "account",
					   [ANALYZE_GROUP_SIZE] = "size",
					   [ANALYZE_GROUP_STRATEGY] = "strategy",
					   [ANALYZE_GROUP_INTERFACE] = "interface",
					   [ANALYZE_GROUPS_BY] = NULL};

const char *analyze_group_word(size_t i)
{
	return analyze_group_names[i];
}

static bool parse_group(struct analyze_grouping *g, const char *word, size_t n)
{
	for (unsigned i = 0; i < ANALYZE_GROUPS_BY; i++)
		if (strlen(analyze_group_names[i]) == n &&
		    strncmp(analyze_group_names[i], word, n) == 0) {
			g->by[g->levels++] = i;
			return true;
		}
	return false;
}

const char *analyze_option_group(const struct option *opt, const char *value)
{
	struct analyze_grouping *g = opt->target;
	g->levels = 0;
	for (const char *at = value; g->levels < ANALYZE_GROUP_LEVELS;) {
		const size_t n = strcspn(at, ",");
		if (!parse_group(g, at, n))
			break;
		if (at[n] == '\0')
			return NULL;
		at += n + 1;
	}
	return "one or two of";
}

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

/* Classes of powers of two of processes. */
static char *size_class(const struct analyze_job_of *job)
{
	enum { CAPACITY = 64 };
	char text[CAPACITY];
	const double processes = job->value[member_value_number(VALUE(trace, processes))];
	if (isnan(processes) || processes < 1)
		return strdup("");
	const uint64_t from = UINT64_C(1) << (63 - __builtin_clzll((uint64_t)processes));
	if (from == 1)
		return strdup("1");
	snprintf(text, sizeof text, "%ju-%ju", (uintmax_t)from, (uintmax_t)(2 * from - 1));
	return strdup(text);
}

/* Returns the modules that have counters in a log, joined by '+', or NULL without any. */
static char *interfaces(const struct analyze_job_of *job)
{
	static const char *const modules[] = {"POSIX", "MPI-IO", "STDIO"};
	char text[32] = "";
	for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
		const struct iot_analyze_value *v =
		    iot_analyze_find(job->analysis, VALUE(counters, counter_records), modules[i]);
		if (v == NULL || v->kind != IOT_VALUE_NUMBER || v->number == 0)
			continue;
		if (text[0] != '\0')
			strcat(text, "+");
		strcat(text, modules[i]);
	}
	return strdup(text);
}

static char *listed_text(const struct analyze_job_of *job, enum listed_text which)
{
	const char *text = job->listed != NULL ? job->listed->text[which] : NULL;
	return strdup(text != NULL ? text : "");
}

static char *declared(const struct analyze_job_of *job, const char *section, const char *name)
{
	char text[ANALYZE_TEXT_MAX + 1];
	const struct iot_analyze_value *v = iot_analyze_find(job->analysis, section, name, NULL);
	size_t n = 0;
	if (v != NULL && v->kind == IOT_VALUE_TEXT)
		n = analyze_decode(text, v->text);
	text[n] = '\0';
	return strdup(text);
}

static char *command_of(const struct analyze_job_of *job)
{
	char *command = declared(job, VALUE(trace, command));
	char *program = command != NULL ? program_of(command) : NULL;
	free(command);
	return program;
}

/* The user that the trace declares may be a number. */
static char *user_of(const struct analyze_job_of *job)
{
	return job->listed != NULL && job->listed->text[LISTED_USER] != NULL
		   ? listed_text(job, LISTED_USER)
		   : declared(job, VALUE(trace, user));
}

bool analyze_group_of(char **group, enum analyze_group_by by, const struct analyze_job_of *job)
{
	switch (by) {
	case ANALYZE_GROUP_USER:
		*group = user_of(job);
		break;
	case ANALYZE_GROUP_COMMAND:
		*group = command_of(job);
		break;
	case ANALYZE_GROUP_DIR:
		*group = directory_of(job->path);
		break;
	case ANALYZE_GROUP_ACCOUNT:
		*group = listed_text(job, LISTED_ACCOUNT);
		break;
	case ANALYZE_GROUP_SIZE:
		*group = size_class(job);
		break;
	case ANALYZE_GROUP_STRATEGY:
		*group = declared(job, VALUE(files, strategy));
		break;
	case ANALYZE_GROUP_INTERFACE:
	case ANALYZE_GROUPS_BY:
		*group = interfaces(job);
		break;
	}
	const bool done = *group != NULL;
	if (done && **group == '\0') { /* unknown */
		free(*group);
		*group = NULL;
	}
	return done;
}

int analyze_group_compare(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
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
