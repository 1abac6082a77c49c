/* SPDX-License-Identifier: BSD-2-Clause */
#include "against.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/result/names.h"

#include "shown.h"

static bool ends_in(const char *name, const char *suffix)
{
	const size_t n = strlen(name), k = strlen(suffix);
	return n >= k && strcmp(name + n - k, suffix) == 0;
}

/* Sections that repeat values of others. */
static bool is_copy(const struct iot_analyze_value *v)
{
	return strcmp(v->section, SECTION_OF(map)) == 0 ||
	       strcmp(v->section, SECTION_OF(large)) == 0;
}

/* Bins of histograms and lists, whose members belong to one run, and ids. */
static bool is_detail(const struct iot_analyze_value *v)
{
	static const char *const suffixes[] = {"_bins", "_bin_bytes", "_bits", "_log2"};
	static const char *const prefixes[] = {"read_common",    "write_common",
					       "top_",           NAME_OF(rate_cdf),
					       NAME_OF(profile), NAME_OF(concurrency_ns)};
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && v->key[0] != '\0'; i++)
		if (ends_in(v->name, suffixes[i]))
			return true;
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strncmp(v->name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return strcmp(v->key, "process") == 0 || strcmp(v->name, NAME_OF(slowest_rank)) == 0;
}

static bool is_compared(const struct iot_analyze_value *v)
{
	if (strcmp(v->section, SECTION_OF(findings)) == 0)
		return strcmp(v->name, NAME_OF(cost_share)) == 0 && v->key[0] != '\0';
	return !is_copy(v) && !is_detail(v);
}

bool analyze_is_known(const struct iot_analyze_value *v)
{
	return v != NULL && v->kind != IOT_VALUE_UNKNOWN;
}

static bool is_share(const struct iot_analyze_value *v)
{
	return v->kind == IOT_VALUE_REAL && v->unit[0] == '\0' && v->real >= 0 && v->real <= 1;
}

static bool same_text(const struct iot_analyze_value *a, const struct iot_analyze_value *b)
{
	return a->kind == b->kind && a->text.size == b->text.size &&
	       memcmp(a->text.data, b->text.data, a->text.size) == 0;
}

static bool differs(const struct analyze_difference *p)
{
	if (!analyze_is_known(p->now) || !analyze_is_known(p->before))
		return analyze_is_known(p->now) != analyze_is_known(p->before);
	if (p->now->kind == IOT_VALUE_TEXT || p->before->kind == IOT_VALUE_TEXT)
		return !same_text(p->now, p->before);
	const double now = shown_real(p->now), before = shown_real(p->before);
	if (is_share(p->now) && is_share(p->before) && fabs(now - before) < AGAINST_SHARE)
		return false;
	const double low = fabs(now) < fabs(before) ? fabs(now) : fabs(before),
		     high = fabs(now) < fabs(before) ? fabs(before) : fabs(now);
	return now != before && ((now < 0) != (before < 0) || high >= AGAINST_RATIO * low);
}

double analyze_ratio(const struct analyze_difference *p)
{
	if (!analyze_is_known(p->now) || !analyze_is_known(p->before) ||
	    p->now->kind == IOT_VALUE_TEXT || p->before->kind == IOT_VALUE_TEXT ||
	    shown_real(p->before) == 0)
		return NAN;
	return shown_real(p->now) / shown_real(p->before);
}

/* Iteration: values of this run in their order, then those that only the other one has. */

struct value_pairs {
	const struct iot_analyze *now, *before;
	size_t i;
	bool of_before;
};

static const struct iot_analyze_value *other(const struct iot_analyze *a,
					     const struct iot_analyze_value *v)
{
	return iot_analyze_find(a, v->section, v->name, v->key);
}

static bool has_section(const struct iot_analyze *a, const char *section)
{
	const struct iot_analyze_value *v;
	for (size_t i = 0; (v = iot_analyze_value(a, i)) != NULL; i++)
		if (strcmp(v->section, section) == 0)
			return true;
	return false;
}

/* Stores the pair of a value. Returns false if the other run has not computed the section. */
static bool make_pair(struct analyze_difference *p, const struct iot_analyze_value *v,
		      const struct iot_analyze *of_other)
{
	*p = (struct analyze_difference){v, other(of_other, v)};
	return p->before != NULL || has_section(of_other, v->section);
}

static bool next_pair(struct value_pairs *of, struct analyze_difference *p)
{
	const struct iot_analyze_value *v;
	while (!of->of_before) {
		v = iot_analyze_value(of->now, of->i++);
		if (v != NULL && is_compared(v) && make_pair(p, v, of->before))
			return true;
		of->of_before = v == NULL;
		of->i = v == NULL ? 0 : of->i;
	}
	while ((v = iot_analyze_value(of->before, of->i++)) != NULL)
		if (is_compared(v) && other(of->now, v) == NULL &&
		    has_section(of->now, v->section)) {
			*p = (struct analyze_difference){NULL, v};
			return true;
		}
	return false;
}

const struct iot_analyze_value *analyze_either(const struct analyze_difference *p)
{
	return p->now != NULL ? p->now : p->before;
}

int analyze_compare(struct analyze_differences *d, const struct iot_analyze *now,
		    const struct iot_analyze *before)
{
	struct value_pairs of = {.now = now, .before = before};
	struct analyze_difference pair;
	*d = (struct analyze_differences){.now = now, .before = before};
	for (; next_pair(&of, &pair); d->compared++) {
		if (!differs(&pair))
			continue;
		if (!array_reserve(&d->pair, &d->capacity, d->count + 1, sizeof *d->pair))
			return IOT_ENOMEM;
		d->pair[d->count++] = pair;
	}
	return IOT_OK;
}

void analyze_differences_free(struct analyze_differences *d)
{
	free(d->pair);
}
