/* SPDX-License-Identifier: BSD-2-Clause */
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

static struct iot_analyze_value *add(struct values *v, const char *name, const char *key,
				     const char *unit)
{
	if (v->failed || !array_reserve(&v->value, &v->capacity, v->count + 1, sizeof *v->value)) {
		v->failed = true;
		return NULL;
	}
	struct iot_analyze_value *to = &v->value[v->count++];
	*to = (struct iot_analyze_value){.section = v->section, .name = name, .unit = unit};
	if (key != NULL)
		snprintf(to->key, sizeof to->key, "%s", key);
	return to;
}

void values_number(struct values *v, const char *name, const char *key, const char *unit,
		   uint64_t number)
{
	struct iot_analyze_value *to = add(v, name, key, unit);
	if (to == NULL)
		return;
	to->kind = IOT_VALUE_NUMBER;
	to->number = number;
}

void values_real(struct values *v, const char *name, const char *key, const char *unit, double real)
{
	struct iot_analyze_value *to = add(v, name, key, unit);
	if (to == NULL)
		return;
	to->kind = IOT_VALUE_REAL;
	to->real = real;
}

void values_text(struct values *v, const char *name, const char *key, struct iot_text text)
{
	struct iot_analyze_value *to = add(v, name, key, "");
	if (to == NULL)
		return;
	to->kind = IOT_VALUE_TEXT;
	to->text = text;
}

void values_word(struct values *v, const char *name, const char *key, const char *word)
{
	values_text(v, name, key, (struct iot_text){word, strlen(word)});
}

void values_copy(struct values *v, const char *name, const char *key,
		 struct iot_analyze_value value)
{
	struct iot_analyze_value *to = add(v, name, key, value.unit);
	if (to == NULL)
		return;
	to->kind = value.kind;
	to->number = value.number;
	to->real = value.real;
	to->text = value.text;
	to->note = value.note;
}

void values_unknown(struct values *v, const char *name, const char *key, const char *unit,
		    const char *reason)
{
	struct iot_analyze_value *to = add(v, name, key, unit);
	if (to == NULL)
		return;
	to->kind = IOT_VALUE_UNKNOWN;
	to->note = reason;
}

void values_ratio(struct values *v, const char *name, const char *key, const char *unit,
		  double part, double whole, const char *reason)
{
	if (whole > 0)
		values_real(v, name, key, unit, part / whole);
	else
		values_unknown(v, name, key, unit, reason);
}

static void moments(struct values *v, const char *name, const char *unit, const struct histogram *h)
{
	const double mean = h->count > 0 ? histogram_mean(h) : 0;
	values_number(v, name, "n", "", h->count);
	values_number(v, name, "sum", unit, h->sum);
	if (h->count == 0)
		return;
	values_number(v, name, "min", unit, h->min);
	values_number(v, name, "max", unit, h->max);
	values_real(v, name, "mean", unit, mean);
	values_ratio(v, name, "cv", "", histogram_deviation(h), mean, "the mean is 0");
}

void values_summary(struct values *v, struct summary_names name, const char *unit,
		    const struct histogram *h)
{
	static const struct {
		const char *key;
		unsigned permille;
	} quantiles[] = {{"0.01", 10},  {"0.25", 250}, {"0.5", 500},
			 {"0.75", 750}, {"0.9", 900},  {"0.99", 990}};
	char key[VALUE_KEY];
	moments(v, name.moments, unit, h);
	for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0] && h->count > 0; i++)
		values_real(v, name.quantile, quantiles[i].key, unit,
			    histogram_quantile(h, quantiles[i].permille));
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
		if (h->bin[i] > 0)
			values_number(v, name.bins, values_key(key, histogram_upper(i)), "",
				      h->bin[i]);
}

void values_summary_unknown(struct values *v, struct summary_names name, const char *unit,
			    const char *reason)
{
	values_unknown(v, name.moments, NULL, unit, reason);
	values_unknown(v, name.quantile, NULL, unit, reason);
	values_unknown(v, name.bins, NULL, "", reason);
}

const struct iot_analyze_value *values_find(const struct values *v, const char *section,
					    const char *name, const char *key)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct iot_analyze_value *at = &v->value[i];
		if (strcmp(at->section, section) == 0 && strcmp(at->name, name) == 0 &&
		    strcmp(at->key, key != NULL ? key : "") == 0)
			return at;
	}
	return NULL;
}

void values_filter(struct values *v, bool (*keeps)(const char *section, unsigned context),
		   unsigned context)
{
	size_t kept = 0;
	for (size_t i = 0; i < v->count; i++)
		if (keeps(v->value[i].section, context))
			v->value[kept++] = v->value[i];
	v->count = kept;
}

void values_note(struct values *v, const char *note)
{
	if (!v->failed && v->count > 0)
		v->value[v->count - 1].note = note;
}

void values_note_since(struct values *v, size_t i, const char *note)
{
	for (; i < v->count; i++)
		if (v->value[i].kind != IOT_VALUE_UNKNOWN && v->value[i].note == NULL)
			v->value[i].note = note;
}

void values_forget_plain(struct values *v, size_t i, const char *reason)
{
	for (; i < v->count; i++)
		if (v->value[i].kind != IOT_VALUE_UNKNOWN && v->value[i].note == NULL)
			values_forget_one(&v->value[i], reason);
}

void values_forget_one(struct iot_analyze_value *v, const char *reason)
{
	if (v->kind == IOT_VALUE_TEXT)
		return;
	v->kind = IOT_VALUE_UNKNOWN;
	v->note = reason;
}

void values_forget(struct values *v, size_t i, const char *reason)
{
	for (; i < v->count; i++)
		values_forget_one(&v->value[i], reason);
}

void values_group(struct values *v, size_t i)
{
	size_t to = i;
	while (to > 0 && i < v->count && strcmp(v->value[to - 1].section, v->value[i].section) != 0)
		to--;
	for (; to > 0 && to < i && i < v->count; to++, i++) {
		const struct iot_analyze_value moved = v->value[i];
		memmove(&v->value[to + 1], &v->value[to], (i - to) * sizeof moved);
		v->value[to] = moved;
	}
}

void values_free(struct values *v)
{
	free(v->value);
	*v = (struct values){.count = 0};
}

const char *values_key(char key[VALUE_KEY], uint64_t number)
{
	snprintf(key, VALUE_KEY, "%ju", (uintmax_t)number);
	return key;
}

const char *values_signed_key(char key[VALUE_KEY], int64_t number)
{
	snprintf(key, VALUE_KEY, "%jd", (intmax_t)number);
	return key;
}
