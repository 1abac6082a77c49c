/* SPDX-License-Identifier: BSD-2-Clause */
#include "where.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/trace_time.h"
#include "lib/base/size.h"
#include "lib/result/names.h"

#include "member_values.h"

static const char *skip(const char *at)
{
	return at + strspn(at, " \t\n");
}

/* Parses 500MiB, 1h, 5%, 10MiB/s and 0.5. Times are in seconds. */
static bool parse_number(const char *word, double *number)
{
	struct trace_time time;
	uint64_t bytes;
	char *end;
	size_t n = strlen(word);
	*number = strtod(word, &end);
	if (end != word && *end == '\0')
		return isfinite(*number);
	if (end != word && strcmp(end, "%") == 0) {
		*number /= 100;
		return isfinite(*number);
	}
	if (n > 2 && strcmp(word + n - 2, "/s") == 0)
		n -= 2;
	if (trace_time_parse(word, &time) == NULL && time.kind == TIME_SINCE_ZERO) {
		*number = (double)time.value / 1e9;
		return true;
	}
	if (size_parse(word, n, &bytes) != SIZE_VALID)
		return false;
	*number = (double)bytes;
	return true;
}

static size_t word_size(const char *at)
{
	size_t n = 0;
	while (isalnum((unsigned char)at[n]) || (at[n] != '\0' && strchr("._%/-:", at[n]) != NULL))
		n++;
	return n;
}

static const char *add_term(struct where_side *side, const char *at, size_t n)
{
	char word[MEMBER_VALUE_NAME];
	double number;
	const size_t value = member_value_find(at, n);
	if (n == 0 || n >= sizeof word)
		return "a value of a job or a number";
	memcpy(word, at, n);
	word[n] = '\0';
	if (value < member_values_count && side->values == WHERE_TERMS)
		return "at most 8 values on a side";
	if (value < member_values_count)
		side->value[side->values++] = value;
	else if (parse_number(word, &number))
		side->number += number;
	else
		return "a value of a job, such as S, T or files, or a number with a unit";
	return NULL;
}

static const char *parse_side(struct where_side *side, const char **at)
{
	for (;;) {
		*at = skip(*at);
		const size_t n = word_size(*at);
		const char *expected = add_term(side, *at, n);
		if (expected != NULL)
			return expected;
		*at = skip(*at + n);
		if (**at != '+')
			return NULL;
		(*at)++;
	}
}

static bool parse_operator(enum where_operator *operator, const char ** at)
{
	static const struct {
		const char *text;
		enum where_operator operator;
	} operators[] = {{"<=", WHERE_LESS_EQUAL}, {">=", WHERE_GREATER_EQUAL},
			 {"!=", WHERE_NOT_EQUAL},  {"==", WHERE_EQUAL},
			 {"<", WHERE_LESS},        {">", WHERE_GREATER},
			 {"=", WHERE_EQUAL}};
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
		const size_t n = strlen(operators[i].text);
		if (strncmp(*at, operators[i].text, n) == 0) {
			*operator= operators[i].operator;
			*at += n;
			return true;
		}
	}
	return false;
}

static const char *parse_condition(struct where_condition *c, const char **at)
{
	const char *begin = *at = skip(*at);
	const char *expected = parse_side(&c->side[0], at);
	if (expected == NULL && !parse_operator(&c->operator, at))
		expected = "<, <=, >, >=, = or != after a value";
	if (expected == NULL)
		expected = parse_side(&c->side[1], at);
	size_t n = (size_t)(*at - begin);
	while (n > 0 && begin[n - 1] == ' ')
		n--;
	snprintf(c->text, sizeof c->text, "%.*s", n < sizeof c->text ? (int)n : WHERE_TEXT - 1,
		 begin);
	return expected;
}

const char *where_parse(struct where *w, const char *text)
{
	for (;;) {
		if (w->conditions == WHERE_CONDITIONS)
			return "at most 16 conditions";
		struct where_condition *c = &w->condition[w->conditions];
		*c = (struct where_condition){.kept = {0}};
		const char *expected = parse_condition(c, &text);
		if (expected != NULL)
			return expected;
		w->conditions++;
		if (*text == '\0')
			return NULL;
		if (strncmp(text, "and", 3) != 0 || !isspace((unsigned char)text[3]))
			return "'and' between conditions";
		text += 3;
	}
}

/* A sum of an unknown value is unknown. */
static double sum_of(const struct where_side *side, const double *value)
{
	double sum = side->number;
	for (size_t i = 0; i < side->values; i++)
		sum += value[side->value[i]];
	return sum;
}

static bool is_true(const struct where_condition *c, const double *value)
{
	const double left = sum_of(&c->side[0], value), right = sum_of(&c->side[1], value);
	if (isnan(left) || isnan(right))
		return false;
	switch (c->operator) {
	case WHERE_LESS:
		return left < right;
	case WHERE_LESS_EQUAL:
		return left <= right;
	case WHERE_GREATER:
		return left > right;
	case WHERE_GREATER_EQUAL:
		return left >= right;
	case WHERE_EQUAL:
		return left == right;
	case WHERE_NOT_EQUAL:
		return left != right;
	}
	return false;
}

bool where_is_true(const struct where *w, const double *value)
{
	bool all = true;
	for (size_t i = 0; i < w->conditions && all; i++)
		all = is_true(&w->condition[i], value);
	return all;
}

static double or_0(double value)
{
	return isnan(value) ? 0 : value;
}

static void count(struct where_kept *k, const double *value)
{
	const double run_time_s = value[member_value_number(VALUE(trace, run_time_s))];
	k->jobs++;
	k->run_time_s += or_0(run_time_s);
	k->node_s += or_0(run_time_s * value[member_value_number(VALUE(list, nodes))]);
	k->bytes += or_0(value[member_value_number(VALUE(totals, bytes))]);
}

bool where_keeps(struct where *w, const double *value)
{
	bool all = true;
	count(&w->all, value);
	for (size_t i = 0; i < w->conditions; i++) {
		const bool one = is_true(&w->condition[i], value);
		if (one)
			count(&w->condition[i].kept, value);
		all &= one;
	}
	if (all)
		count(&w->kept, value);
	return all;
}
