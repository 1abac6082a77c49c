/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings and report of a conversion, used by all converters. */
#include "converter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void report_add(struct report *r, const char *name, uint64_t n)
{
	size_t i = 0;
	while (i < r->counts && strcmp(r->count[i].name, name) != 0)
		i++;
	if (i == REPORT_COUNTS)
		return;
	if (i == r->counts)
		r->count[r->counts++] = (struct iot_source_count){.name = name};
	r->count[i].value += n;
}

static struct iot_source_count *find_count(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->counts; i++)
		if (strcmp(r->count[i].name, name) == 0)
			return (struct iot_source_count *)&r->count[i];
	return NULL;
}

uint64_t report_get(const struct report *r, const char *name)
{
	const struct iot_source_count *k = find_count(r, name);
	return k != NULL ? k->value : 0;
}

void report_noted(struct report *r, const char *name)
{
	struct iot_source_count *k = find_count(r, name);
	if (k != NULL)
		k->noted = 1;
}

void report_unparsed(struct report *r, const char *member, uint64_t line, const char *text,
		     size_t size)
{
	r->unparsed++;
	if (r->examples == REPORT_EXAMPLES)
		return;
	struct iot_source_example *e = &r->example[r->examples++];
	e->line = line;
	escape_text(e->file, sizeof(e->file), member, strlen(member));
	escape_text(e->text, sizeof(e->text), text, size);
}

void report_differs(struct report *r, const char *where, const char *what, uint64_t source_says,
		    uint64_t converted)
{
	r->differences_found++;
	if (r->differences == REPORT_DIFFERENCES)
		return;
	struct iot_source_difference *d = &r->difference[r->differences++];
	escape_text(d->where, sizeof(d->where), where, strlen(where));
	escape_text(d->what, sizeof(d->what), what, strlen(what));
	d->source_says = source_says;
	d->converted = converted;
}

void report_note(struct report *r, const char *format, ...)
{
	va_list args;
	r->notes_made++;
	if (r->notes == REPORT_NOTES)
		return;
	va_start(args, format);
	(void)vsnprintf(r->note[r->notes++], sizeof(r->note[0]), format, args);
	va_end(args);
}

void source_ignored(struct source_state *src, size_t count, size_t first)
{
	char shown[128];
	if (count == 0)
		return;
	const char *name = input_name(src->input, first);
	escape_text(shown, sizeof shown, name, strlen(name));
	report_add(&src->report, "ignored.files", count);
	if (count == 1)
		report_note(&src->report, "%s: not of %s, and left out", shown,
			    src->converter->name);
	else
		report_note(&src->report, "%s and %zu more: not of %s, and left out", shown,
			    count - 1, src->converter->name);
}

void source_check_understood(struct source_state *src)
{
	const struct report *r = &src->report;
	char name[256];
	if (r->unparsed == 0 || r->calls > 0 || src->error.status != IOT_OK)
		return;
	const char *path = input_name(src->input, 0);
	error_set(&src->error, IOT_EFORMAT, "%s: none of the lines is understood as %s",
		  escape_text(name, sizeof name, path, strlen(path)), src->converter->name);
	src->foreign = true;
}

const char *source_setting(const struct source_state *src, const char *name)
{
	for (size_t i = src->setting_count; i-- > 0;)
		if (strcmp(src->settings[i].name, name) == 0)
			return src->settings[i].value;
	return NULL;
}

int source_setting_wrong(struct source_state *src, const char *name, const char *expected)
{
	const char *value = source_setting(src, name);
	char shown[128];
	return error_set(&src->error, IOT_EUSAGE, "%s%s is '%s', expected %s", src->option_prefix,
			 name, escape_text(shown, sizeof shown, value, strlen(value)), expected);
}
