/* SPDX-License-Identifier: BSD-2-Clause */
#include "shown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/result/names.h"

size_t analyze_decode(char text[ANALYZE_TEXT_MAX], struct iot_text value)
{
	const size_t size = value.size < ANALYZE_TEXT_MAX ? value.size : ANALYZE_TEXT_MAX;
	return iot_percent_decode((struct iot_text){value.data, size}, text, NULL);
}

double shown_real(const struct iot_analyze_value *v)
{
	return v->kind == IOT_VALUE_NUMBER ? (double)v->number : v->real;
}

double shown_known(const struct iot_analyze_value *v)
{
	return v != NULL && v->kind != IOT_VALUE_UNKNOWN ? shown_real(v) : NAN;
}

bool analyze_file_label(char *label, size_t size, const char *key)
{
	static const char object[] = "object/", stream[] = "stream/";
	char *end;
	if (strncmp(key, object, sizeof object - 1) == 0) {
		snprintf(label, size, "object %s", key + sizeof object - 1);
		return true;
	}
	if (strncmp(key, stream, sizeof stream - 1) != 0)
		return false;
	const unsigned long process = strtoul(key + sizeof stream - 1, &end, 10);
	snprintf(label, size, "file %s of process %lu", end + (*end == '/'), process);
	return true;
}

const char *shown_value(char text[SHOWN_FIELD], enum shown as, const struct iot_analyze_value *v)
{
	if (v == NULL || v->kind == IOT_VALUE_UNKNOWN)
		return "-";
	if (as == SHOWN_COUNT)
		snprintf(text, SHOWN_FIELD, "%ju", (uintmax_t)v->number);
	else if (as == SHOWN_BYTES && v->kind == IOT_VALUE_NUMBER)
		printable_bytes(text, SHOWN_FIELD, v->number);
	else if (as == SHOWN_BYTES)
		printable_bytes(text, SHOWN_FIELD, (uint64_t)v->real);
	else if (as == SHOWN_PERCENT)
		snprintf(text, SHOWN_FIELD, "%.1f %%", 100 * shown_real(v));
	else if (as == SHOWN_WORD)
		snprintf(text, SHOWN_FIELD, "%.*s", (int)v->text.size, v->text.data);
	else if (as == SHOWN_YES)
		return v->number > 0 ? "yes" : "no";
	else
		snprintf(text, SHOWN_FIELD, shown_real(v) < 1 ? "%.4f" : "%.2f", shown_real(v));
	return text;
}

const char *shown_time(char text[SHOWN_FIELD], const struct iot_analyze_value *v)
{
	if (v == NULL || v->kind == IOT_VALUE_UNKNOWN)
		return "-";
	return printable_time(text, SHOWN_FIELD, shown_real(v));
}

void shown_unseen(const struct iot_analyze *a, struct unseen *u)
{
	*u = (struct unseen){.programs = {0}};
	for (unsigned i = 0; i < UNSEEN_WHYS; i++) {
		const char *why = unseen_why_name(i);
		const struct iot_analyze_value *n = iot_analyze_find(
						   a, VALUE(trace, unseen_programs), why),
					       *name = iot_analyze_find(
						   a, VALUE(trace, unseen_program), why);
		u->programs[i] = n != NULL ? n->number : 0;
		if (name != NULL)
			snprintf(u->name[i], UNSEEN_NAME, "%.*s", (int)name->text.size,
				 name->text.data);
	}
	for (unsigned i = 0; i < UNSEEN_CALLS; i++) {
		const struct iot_analyze_value *n =
		    iot_analyze_find(a, VALUE(trace, unseen_calls), unseen_calls_name(i));
		u->calls[i] = n != NULL ? n->number : 0;
	}
}
