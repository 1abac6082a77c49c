/* SPDX-License-Identifier: BSD-2-Clause */
#include "picks.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

static const char *parse_kind(struct pick *p, const char **at)
{
	static const char *const kinds[] = {"max", "min", "median"};
	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const size_t n = strlen(kinds[i]);
		if (strncmp(*at, kinds[i], n) == 0 && !isalnum((unsigned char)(*at)[n])) {
			p->kind = i;
			*at += n + strspn(*at + n, " ");
			return NULL;
		}
	}
	return "VALUE:max, VALUE:min or VALUE:median";
}

static const char *parse(struct pick *p, const char *text)
{
	const size_t n = strcspn(text, ":");
	const char *at = text + n;
	p->text = text;
	p->value = member_value_find(text, n);
	if (p->value == member_values_count)
		return "a value of a job, such as S_r:max";
	if (*at++ != ':')
		return "VALUE:max, VALUE:min or VALUE:median";
	const char *expected = parse_kind(p, &at);
	if (expected != NULL || *at == '\0')
		return expected;
	if (strncmp(at, "where ", 6) != 0)
		return "'where' and a condition after VALUE:max";
	return where_parse(&p->where, at + 6);
}

const char *analyze_option_pick(const struct option *opt, const char *value)
{
	struct picks *p = opt->target;
	if (p->count == PICKS_MAX)
		return "at most 16 picks";
	if (!array_reserve(&p->pick, &p->capacity, p->count + 1, sizeof *p->pick))
		return option_no_memory;
	memset(&p->pick[p->count], 0, sizeof *p->pick);
	return parse(&p->pick[p->count++], value);
}

struct candidate {
	double value;
	const struct analyze_job *job;
};

static int by_value(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return strcmp(a->job->name, b->job->name);
}

static void choose(struct pick *p, const struct analyze_jobs *jobs, struct candidate *c)
{
	size_t n = 0;
	for (size_t i = 0; i < jobs->count; i++) {
		const struct analyze_job *job = jobs->job[i];
		if (!isnan(job->value[p->value]) && where_is_true(&p->where, job->value))
			c[n++] = (struct candidate){job->value[p->value], job};
	}
	if (n == 0)
		return;
	qsort(c, n, sizeof *c, by_value);
	p->job = c[p->kind == PICK_MAX ? n - 1 : p->kind == PICK_MIN ? 0 : (n - 1) / 2].job;
}

bool picks_choose(struct picks *p, const struct analyze_jobs *jobs)
{
	struct candidate *c = calloc(jobs->count + 1, sizeof *c);
	for (size_t i = 0; i < p->count && c != NULL; i++)
		choose(&p->pick[i], jobs, c);
	free(c);
	return c != NULL;
}

bool picks_contain(const struct picks *p, const char *name)
{
	bool found = false;
	for (size_t i = 0; i < p->count && !found; i++)
		found = p->pick[i].job != NULL && strcmp(p->pick[i].job->name, name) == 0;
	return found;
}

void picks_free(struct picks *p)
{
	free(p->pick);
	*p = (struct picks){.pick = NULL};
}
