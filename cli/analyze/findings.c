/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/result/names.h"

#include "shown.h"

enum { COLUMNS = 100, PARAGRAPH = 4096 };

const struct iot_analyze_value *analyze_finding(const struct iot_analyze *a, size_t i)
{
	const struct iot_analyze_value *v;
	for (size_t k = 0; (v = iot_analyze_value(a, k)) != NULL; k++)
		if (strcmp(v->section, SECTION_OF(findings)) == 0 &&
		    strcmp(v->name, NAME_OF(sentence)) == 0 && i-- == 0)
			return v;
	return NULL;
}

/* The size of the first line of a text: as many words as fit, at least one. */
static size_t line_size(const char *text)
{
	size_t size = strcspn(text, " ");
	while (text[size] != '\0') {
		const size_t next = size + 1 + strcspn(text + size + 1, " ");
		if (next > COLUMNS - 2)
			break;
		size = next;
	}
	return size;
}

/* Breaks a text into lines, of which all but the first are indented. Returns their number. */
static size_t wrap(char to[PARAGRAPH], const char *text)
{
	size_t lines = 0, used = 0;
	while (*text != '\0') {
		const size_t size = line_size(text);
		const int n = snprintf(to + used, PARAGRAPH - used, "%s%.*s\n",
				       lines == 0 ? "- " : "  ", (int)size, text);
		if (n < 0 || (size_t)n >= PARAGRAPH - used)
			break;
		used += (size_t)n;
		lines++;
		text += size + (text[size] == ' ');
	}
	return lines;
}

/* Writes a finding, and its remedy if that is wanted. Returns the number of lines. */
static size_t write_paragraph(char to[PARAGRAPH], const struct iot_analyze *a,
			      const struct iot_analyze_value *v, bool with_remedy)
{
	const struct iot_analyze_value *remedy =
	    iot_analyze_find(a, VALUE(findings, remedy), v->key);
	char text[ANALYZE_TEXT_MAX], sentence[PARAGRAPH / 2], whole[PARAGRAPH];
	printable(sentence, sizeof sentence, text, analyze_decode(text, v->text));
	if (!with_remedy)
		return wrap(to, sentence);
	snprintf(whole, sizeof whole, "%s. Remedy: %.*s.", sentence, (int)remedy->text.size,
		 remedy->text.data);
	return wrap(to, whole);
}

static void write_head(struct output *out, size_t found, size_t trivial)
{
	if (found == 0)
		output_text(out, "findings: none");
	else
		output_printf(out, "findings: %zu, the most expensive first", found);
	if (trivial > 0)
		output_printf(
		    out, "; %zu trivial: under 2 %% of the run (5 %% of names), 1 ms or 64 KiB",
		    trivial);
	output_text(out, "\n");
}

/*
 * Writes the findings that fit, the first `remedies` of them with their remedies. Returns their
 * number. out: NULL only counts them.
 */
static size_t write_findings(struct output *out, const struct iot_analyze *a, size_t found,
			     size_t lines, size_t remedies)
{
	char paragraph[PARAGRAPH];
	size_t i = 0;
	for (size_t used = 1; i < found; i++) {
		const size_t n = write_paragraph(paragraph, a, analyze_finding(a, i), i < remedies);
		if (used + n + (i + 1 < found) > lines)
			break;
		if (out != NULL)
			output_text(out, paragraph);
		used += n;
	}
	return i;
}

void analyze_findings_print(struct output *out, const struct iot_analyze *a, size_t lines)
{
	const size_t found = (size_t)iot_analyze_find(a, VALUE(findings, found), NULL)->number,
		     trivial = (size_t)iot_analyze_find(a, VALUE(findings, trivial), NULL)->number;
	/* the remedy of a small problem matters less than that there is another one */
	const bool fit = write_findings(NULL, a, found, lines, found) == found;
	write_head(out, found, trivial);
	const size_t shown = write_findings(out, a, found, lines, fit ? found : 1);
	if (shown < found)
		output_printf(out, "%zu more: iotrace analyze --section=findings\n", found - shown);
	else if (!fit)
		output_text(out, "their remedies: iotrace analyze --section=findings\n");
}
