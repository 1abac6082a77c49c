/* SPDX-License-Identifier: BSD-2-Clause */
/* {SECTION: {NAME: VALUE, NAME: {KEY: VALUE, ...}, ...}, ...} */
#include <string.h>

#include "findings.h"
#include "results.h"
#include "table.h"

static bool is_in(const struct iot_analyze_value *v, const char *section)
{
	return v != NULL && strcmp(v->section, section) == 0;
}

/* Writes the values of one name, from value i on; returns the index of the next name. */
static size_t json_name(struct json *j, const struct iot_analyze *a, size_t i)
{
	const struct iot_analyze_value *first = iot_analyze_value(a, i), *v = first;
	if (first->key[0] == '\0') {
		analyze_json_value(j, first->name, first);
		return i + 1;
	}
	json_open(j, first->name, '{');
	for (; is_in(v, first->section) && strcmp(v->name, first->name) == 0;
	     v = iot_analyze_value(a, ++i))
		analyze_json_value(j, v->key, v);
	json_close(j, '}');
	return i;
}

/* Returns the index of the next section. */
static size_t skip_section(const struct iot_analyze *a, size_t i)
{
	const char *section = iot_analyze_value(a, i)->section;
	while (is_in(iot_analyze_value(a, i), section))
		i++;
	return i;
}

static size_t json_section(struct json *j, const struct iot_analyze *a, size_t i)
{
	const char *section = iot_analyze_value(a, i)->section;
	if (strcmp(section, "findings") == 0) {
		analyze_findings_json(j, a);
		return skip_section(a, i);
	}
	json_open(j, section, '{');
	while (is_in(iot_analyze_value(a, i), section))
		i = json_name(j, a, i);
	json_close(j, '}');
	return i;
}

void analyze_print_json(struct analyze_results *a)
{
	struct json j = {.out = &a->out, .pretty = true};
	json_open(&j, NULL, '{');
	for (size_t i = 0; iot_analyze_value(a->analysis, i) != NULL;)
		i = analyze_is_hidden(a, iot_analyze_value(a->analysis, i)->section)
			? skip_section(a->analysis, i)
			: json_section(&j, a->analysis, i);
	json_close(&j, '}');
}
