/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines time zero of each input in the output, the order of the inputs, which depends on their
 * contents, and the %trace of the output.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"

#include "merge.h"

static int find_shifts(struct merge_input *inputs, size_t n, const struct iot_merge_options *o,
		       struct error *error)
{
	for (size_t i = 0; i < n && o->shift != NULL; i++) {
		struct merge_input *in = &inputs[i];
		const int status =
		    o->shift(o->context, i, in->trace.host, in->trace.has_epoch, &in->shift_ns);
		if (status != IOT_OK)
			return error_set(error, status, "a shift is refused");
	}
	return IOT_OK;
}

static int refuse_shift(const struct merge_input *in, struct error *error, const char *why)
{
	char name[256];
	return error_set(error, IOT_EUSAGE, "the shift of %s %s",
			 escape_text(name, sizeof(name), in->name, strlen(in->name)), why);
}

static int64_t zero_of(const struct merge_align *a, const struct merge_input *in, bool *fits)
{
	int64_t zero = 0;
	*fits = !__builtin_add_overflow(a->epochs ? in->trace.epoch_ns : 0, in->shift_ns, &zero);
	return zero;
}

static int find_zero(const struct merge_align *a, struct merge_input *inputs, size_t n,
		     struct error *error)
{
	int64_t min = a->epochs ? INT64_MAX : 0;
	bool fits;
	for (size_t i = 0; i < n; i++) {
		const int64_t zero = zero_of(a, &inputs[i], &fits);
		if (!fits || (a->epochs && zero < 0))
			return refuse_shift(&inputs[i], error,
					    "leads to before 1970 or beyond 2262");
		min = zero < min ? zero : min;
	}
	for (size_t i = 0; i < n; i++)
		if (__builtin_sub_overflow(zero_of(a, &inputs[i], &fits), min, &inputs[i].move_ns))
			return refuse_shift(&inputs[i], error, "is too large");
	return IOT_OK;
}

/* Order */

static int compare_inputs(const void *left, const void *right)
{
	const struct merge_input *a = left, *b = right;
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	const size_t n = a->trace.size < b->trace.size ? a->trace.size : b->trace.size;
	int order = n > 0 ? memcmp(a->trace.text, b->trace.text, n) : 0;
	if (order == 0)
		order = (a->trace.size > b->trace.size) - (a->trace.size < b->trace.size);
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

int merge_align(struct merge_align *a, struct merge_input *inputs, size_t n,
		const struct iot_merge_options *o, struct error *error)
{
	a->epochs = true;
	a->lacks = FLAGS_ALL; /* the writer marks fields that only some lack file by file */
	for (size_t i = 0; i < n; i++) {
		a->epochs = a->epochs && inputs[i].trace.has_epoch;
		a->lacks &= inputs[i].trace.lacks;
	}
	int status = find_shifts(inputs, n, o, error);
	if (status == IOT_OK)
		status = find_zero(a, inputs, n, error);
	if (status != IOT_OK)
		return status;
	for (size_t i = 0; i < n; i++)
		if (inputs[i].first_ns < INT64_MAX - inputs[i].move_ns)
			inputs[i].first_ns += inputs[i].move_ns;
	qsort(inputs, n, sizeof(*inputs), compare_inputs);
	for (size_t i = 0; i < n; i++)
		inputs[i].index = (uint32_t)i;
	return IOT_OK;
}

/* %trace */

struct trace {
	const struct merge_align *align;
	const struct merge_input *in;
	char *out;
};

static void put(struct trace *t, const char *data, size_t n)
{
	memcpy(t->out, data, n);
	t->out += n;
}

static void put_word(struct trace *t, const char **before, const char *word, size_t n)
{
	put(t, *before, strlen(*before));
	put(t, word, n);
	*before = ",";
}

static bool is_field(const char *word, size_t n)
{
	for (size_t i = 0; i < UNKNOWNS; i++)
		if (text_equals((struct iot_text){word, n}, unknowns[i].name))
			return true;
	return false;
}

/* The fields that all inputs lack, and what is not a field of records, such as operations. */
static void put_lacks(struct trace *t, struct iot_text list)
{
	const char *before = " lacks=";
	for (size_t i = 0; i < UNKNOWNS; i++)
		if (t->align->lacks & unknowns[i].flag)
			put_word(t, &before, unknowns[i].name, strlen(unknowns[i].name));
	for (size_t at = 0, n; at < list.size; at += n + 1) {
		const char *comma = memchr(list.data + at, ',', list.size - at);
		n = comma != NULL ? (size_t)(comma - list.data) - at : list.size - at;
		if (n > 0 && !is_field(list.data + at, n))
			put_word(t, &before, list.data + at, n);
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
	if (known && text_equals(key, "lacks") && t->in->trace.lacks != t->align->lacks) {
		put_lacks(t, value);
	} else if (epoch && !t->align->epochs) {
		return;
	} else if (is_number && (epoch || text_equals(key, "time"))) {
		put(t, from, n - value.size);
		int64_t by = epoch ? t->in->shift_ns - t->in->move_ns : t->in->move_ns;
		t->out += number_dec(t->out, shifted(number, by));
	} else {
		put(t, from, n);
	}
}

bool merge_align_trace(struct merge_align *a, const struct merge_input *in, struct iot_text *text)
{
	/* Each token may grow by some bytes; the shortest has two, including its blank. */
	const size_t need = text->size * 20 + 64;
	if (!array_reserve(&a->trace, &a->trace_capacity, need, 1))
		return false;
	struct trace t = {.align = a, .in = in, .out = a->trace};
	struct iot_text rest = *text, token;
	const char *from = text->data;
	for (; word_next(&rest, &token); from = token.data + token.size)
		put_token(&t, from, token);
	put(&t, from, (size_t)(text->data + text->size - from));
	*text = (struct iot_text){a->trace, (size_t)(t.out - a->trace)};
	return true;
}
