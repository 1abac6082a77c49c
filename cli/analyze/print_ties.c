/* SPDX-License-Identifier: BSD-2-Clause */
#include "print_ties.h"

#include <string.h>

#include "cli/ui/printable.h"
#include "lib/result/names.h"

#include "shown.h"
#include "text_rows.h"

enum { FIELD = SHOWN_FIELD, NAME = 512 };

static const struct iot_analyze_value *find(const struct analyze_results *a, const char *name,
					    const char *key)
{
	return iot_analyze_find(a->analysis, SECTION_OF(ties), name, key);
}

/* The first of the list: most bytes of disks. */
static void print_file(struct analyze_results *a)
{
	const struct iot_analyze_value *v, *path;
	char text[ANALYZE_TEXT_MAX], name[NAME], read[FIELD], written[FIELD];
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++)
		if (strcmp(v->name, NAME_OF(read_amplification)) == 0 &&
		    strcmp(v->key, "total") != 0)
			break;
	if (v == NULL)
		return;
	path = find(a, NAME_OF(path), v->key);
	const struct iot_text shown =
	    path != NULL ? path->text : (struct iot_text){v->key, strlen(v->key)};
	output_printf(
	    &a->out, "%-26s %14s %14s %s\n", "amplification of a file",
	    shown_value(read, SHOWN_REAL, v),
	    shown_value(written, SHOWN_REAL, find(a, NAME_OF(write_amplification), v->key)),
	    printable(name, sizeof name, text, analyze_decode(text, shown)));
}

void analyze_print_ties(struct analyze_results *a)
{
	static const struct text_row rows[] = {
	    {"bytes of calls", VALUE(ties, call_bytes), "total", SHOWN_BYTES, false},
	    {"bytes of disks", VALUE(ties, tied_bytes), "total", SHOWN_BYTES, false},
	    {"amplification", VALUE(ties, amplification), "total", SHOWN_REAL, false},
	};
	static const struct text_row untied = {"not tied to calls", VALUE(ties, untied_share), NULL,
					       SHOWN_PERCENT, true};
	char text[2][FIELD];
	if (find(a, NAME_OF(untied_share), NULL) == NULL)
		return;
	output_text(&a->out, "files at the disks\n");
	text_rows_print(a, rows, sizeof rows / sizeof rows[0]);
	print_file(a);
	text_rows_print(a, &untied, 1);
	output_printf(
	    &a->out, "%-26s %14s, %s of it read later\n", "read ahead",
	    shown_value(text[0], SHOWN_BYTES, find(a, NAME_OF(read_ahead_bytes), "total")),
	    shown_value(text[1], SHOWN_PERCENT, find(a, NAME_OF(read_ahead_used_share), "total")));
}
