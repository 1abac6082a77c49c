/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines time zero of each input in the output, the order of the inputs, which depends on their
 * contents, and the %trace of the output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/number.h"
#include "lib/base/array.h"

#include "merge.h"
#include "cli/ui/parse_time.h"

/* --shift */

/* A signed time. */
static bool parse_shift(const char *text, int64_t *ns)
{
	struct trace_time time;
	bool minus = text[0] == '-';
	text += minus || text[0] == '+';
	if (time_parse(text, &time) != NULL || time.kind != TIME_SINCE_ZERO)
		return false;
	*ns = minus ? -(int64_t)time.value : (int64_t)time.value;
	return true;
}

const char *merge_shift_add(struct merge_options *o, const char *value)
{
	const char *equals = strrchr(value, '=');
	struct merge_shift shift = {.name = NULL};
	if (equals == NULL || equals == value || !parse_shift(equals + 1, &shift.by_ns))
		return "NAME=TIME with a TIME like +1.5s, -20ms, 300ns";
	struct merge_shift *grown = realloc(o->shifts, (o->shift_count + 1) * sizeof *grown);
	if (grown == NULL)
		return "less (out of memory)";
	o->shifts = grown;
	shift.name = strndup(value, (size_t)(equals - value));
	if (shift.name == NULL)
		return "less (out of memory)";
	o->shifts[o->shift_count++] = shift;
	return NULL;
}

static int find_shifts(struct merge *m)
{
	const struct merge_options *o = m->options;
	bool by_host = o->shift_by == SHIFT_BY_HOST;
	for (size_t i = 0; i < m->count; i++) {
		const char *name = by_host ? m->inputs[i].host : m->inputs[i].path;
		for (size_t k = 0; k < o->shift_count && name != NULL; k++) {
			if (strcmp(o->shifts[k].name, name) != 0)
				continue;
			m->inputs[i].shift_ns = o->shifts[k].by_ns;
			o->shifts[k].used = true;
		}
	}
	for (size_t k = 0; k < o->shift_count; k++) {
		char shown[256];
		if (!o->shifts[k].used)
			return options_wrong(o->command, "--shift=%s=...: no input is %s",
					     escape_text(shown, sizeof shown, o->shifts[k].name,
							 strlen(o->shifts[k].name)),
					     by_host ? "of that host" : "called that");
	}
	return EXIT_OK;
}

/* Zero */

static int64_t zero_of(const struct merge *m, const struct merge_input *in, bool *fits)
{
	int64_t zero = 0;
	*fits = !__builtin_add_overflow(m->epochs ? in->epoch_ns : 0, in->shift_ns, &zero);
	return zero;
}

static int find_zero(struct merge *m)
{
	int64_t min = m->epochs ? INT64_MAX : 0;
	bool fits;
	for (size_t i = 0; i < m->count; i++) {
		int64_t zero = zero_of(m, &m->inputs[i], &fits);
		if (!fits || (m->epochs && zero < 0))
			return options_wrong(m->options->command,
					     "--shift leads %s to before 1970 or beyond 2262",
					     m->inputs[i].shown);
		min = zero < min ? zero : min;
	}
	for (size_t i = 0; i < m->count; i++) {
		struct merge_input *in = &m->inputs[i];
		if (__builtin_sub_overflow(zero_of(m, in, &fits), min, &in->move_ns))
			return options_wrong(m->options->command, "--shift is too large for %s",
					     in->shown);
	}
	m->zero_ns = min;
	return EXIT_OK;
}

static void find_epochs(struct merge *m)
{
	size_t without = 0;
	for (size_t i = 0; i < m->count; i++)
		without += !m->inputs[i].has_epoch;
	m->epochs = without == 0;
	bool reported =
	    m->options->shift_count > 0 || m->options->keep_ids || m->options->read.quiet;
	if (without > 0 && m->count > 1 && !reported)
		print_message(
		    "warning: %zu of %zu inputs have no epoch= in their %%trace: aligned by "
		    "their time zero (see --shift)",
		    without, m->count);
}

/* Tick */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Fields that all inputs lack go to lacks=; the writer marks those that some lack file by file. */
static void find_lacks(struct merge *m)
{
	m->lacks = FLAGS_ALL;
	for (size_t i = 0; i < m->count; i++) {
		m->tick_ns = common_divisor(m->tick_ns, m->inputs[i].tick_ns);
		m->lacks &= m->inputs[i].lacks;
	}
}

/* Order */

static int compare_inputs(const void *left, const void *right)
{
	const struct merge_input *a = left, *b = right;
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	size_t n = a->traces_size < b->traces_size ? a->traces_size : b->traces_size;
	int order = n > 0 ? memcmp(a->traces, b->traces, n) : 0;
	if (order == 0)
		order = (a->traces_size > b->traces_size) - (a->traces_size < b->traces_size);
	return order != 0 ? order : strcmp(a->path, b->path);
}

int merge_align(struct merge *m)
{
	find_epochs(m);
	int status = find_shifts(m);
	if (status == EXIT_OK)
		status = find_zero(m);
	if (status != EXIT_OK)
		return status;
	find_lacks(m);
	for (size_t i = 0; i < m->count; i++)
		if (m->inputs[i].first_ns < INT64_MAX - m->inputs[i].move_ns)
			m->inputs[i].first_ns += m->inputs[i].move_ns;
	qsort(m->inputs, m->count, sizeof *m->inputs, compare_inputs);
	for (size_t i = 0; i < m->count; i++)
		m->inputs[i].index = (uint32_t)i;
	return EXIT_OK;
}

/* %trace */

struct trace {
	const struct merge *merge;
	const struct merge_input *in;
	char *out;
};

static void put(struct trace *t, const char *data, size_t n)
{
	memcpy(t->out, data, n);
	t->out += n;
}

static void put_lacks(struct trace *t)
{
	const char *before = " lacks=";
	for (size_t i = 0; i < UNKNOWNS; i++) {
		if (!(t->merge->lacks & unknowns[i].flag))
			continue;
		put(t, before, strlen(before));
		put(t, unknowns[i].name, strlen(unknowns[i].name));
		before = ",";
	}
}

/* A token with the preceding blanks. */
static void put_token(struct trace *t, const char *from, struct iot_text token)
{
	struct iot_text key, value;
	uint64_t number;
	const size_t n = (size_t)(token.data + token.size - from);
	bool known = directive_split(token, &key, &value);
	bool is_number = known && number_decimal(value.data, value.size, &number);
	bool epoch = known && text_equals(key, "epoch");
	if (known && text_equals(key, "lacks") && t->in->lacks != t->merge->lacks) {
		put_lacks(t);
	} else if (epoch && !t->merge->epochs) {
		return;
	} else if (is_number && (epoch || text_equals(key, "time"))) {
		put(t, from, n - value.size);
		int64_t by = epoch ? t->in->shift_ns - t->in->move_ns : t->in->move_ns;
		t->out += number_dec(t->out, shifted(number, by));
	} else {
		put(t, from, n);
	}
}

bool merge_trace_text(struct merge *m, const struct merge_input *in, struct iot_text *text)
{
	/* Each token may grow by some bytes; the shortest has two, including its blank. */
	const size_t need = text->size * 20 + 64;
	if (!array_reserve(&m->trace, &m->trace_capacity, need, 1))
		return false;
	struct trace t = {.merge = m, .in = in, .out = m->trace};
	struct iot_text rest = *text, token;
	const char *from = text->data;
	for (; directive_token(&rest, &token); from = token.data + token.size)
		put_token(&t, from, token);
	put(&t, from, (size_t)(text->data + text->size - from));
	*text = (struct iot_text){m->trace, (size_t)(t.out - m->trace)};
	return true;
}
