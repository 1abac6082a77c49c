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

void values_note(struct values *v, const char *note)
{
	if (!v->failed && v->count > 0)
		v->value[v->count - 1].note = note;
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
