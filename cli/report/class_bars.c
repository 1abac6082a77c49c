/* SPDX-License-Identifier: BSD-2-Clause */
#include "class_bars.h"

#include <stdio.h>
#include <string.h>

#include "lib/result/names.h"

const char *const class_names[CLASSES] = {"required", "checkpoint", "swapping", "rewritten",
					  "unknown"};

double class_bar_sum(const struct class_bar *b)
{
	double sum = 0;
	for (unsigned k = 0; k < CLASSES; k++)
		sum += b->bytes[k];
	return sum;
}

static bool add_total(struct class_bars *c, const struct iot_analyze *a)
{
	struct class_bar *b = &c->bar[0];
	for (unsigned k = 0; k < CLASSES; k++) {
		const struct iot_analyze_value *v =
		    iot_analyze_find(a, VALUE(classes, reason_bytes), class_names[k]);
		if (v == NULL || v->kind != IOT_VALUE_NUMBER)
			return false;
		b->bytes[k] = (double)v->number;
	}
	snprintf(b->key, sizeof b->key, "all files");
	return class_bar_sum(b) > 0;
}

static void add_value(struct class_bar *b, const struct iot_analyze_value *v)
{
	static const char *const names[][CLASSES] = {
	    {"read_required", "", "read_swapping", "", "read_unplaced"},
	    {"write_required", "write_checkpoint", "write_swapping", "write_rewritten",
	     "write_unplaced"}};
	if (strcmp(v->name, NAME_OF(path)) == 0 && v->kind == IOT_VALUE_TEXT)
		b->name = v->text;
	for (unsigned k = 0; k < CLASSES && v->kind == IOT_VALUE_NUMBER; k++)
		if (strcmp(v->name, names[0][k]) == 0 || strcmp(v->name, names[1][k]) == 0)
			b->bytes[k] += (double)v->number;
}

static int add_file(struct class_bars *c, struct iot_analyze *a, size_t i)
{
	struct iot_analyze_row row;
	struct class_bar *b = &c->bar[c->count];
	const int status = iot_analyze_row(a, i, &row);
	if (status != IOT_OK)
		return status;
	snprintf(b->key, sizeof b->key, "%.*s", (int)row.key.size, row.key.data);
	for (size_t k = 0; k < row.count; k++)
		add_value(b, &row.values[k]);
	c->count += class_bar_sum(b) > 0;
	return IOT_OK;
}

int class_bars_make(struct class_bars *c, struct iot_analyze *a)
{
	int status = IOT_OK;
	*c = (struct class_bars){.count = 0};
	if (!add_total(c, a))
		return IOT_OK;
	c->count = 1;
	const ssize_t files = iot_analyze_rows(a, IOT_ANALYZE_BY_FILE);
	if (files < 0)
		return (int)files;
	for (size_t i = 0; i < (size_t)files && i < CLASS_FILES_MAX && status == IOT_OK; i++)
		status = add_file(c, a, i);
	return status;
}
