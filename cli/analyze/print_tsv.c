/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "results.h"
#include "table.h"

bool analyze_is_hidden(const struct analyze_results *a, const char *section)
{
	return a->hides_files && strcmp(section, "files") == 0;
}

void analyze_print_tsv(struct analyze_results *a)
{
	const struct iot_analyze_value *v;
	output_text(&a->out, "section\tname\tkey\tunit\tvalue\tnote\n");
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++) {
		if (analyze_is_hidden(a, v->section))
			continue;
		output_printf(&a->out, "%s\t%s\t%s\t%s\t", v->section, v->name, v->key, v->unit);
		analyze_tsv_value(&a->out, v);
		output_printf(&a->out, "\t%s\n", v->note != NULL ? v->note : "");
	}
}
