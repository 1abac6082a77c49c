/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the findings of check. */
#include "check_report.h"

#include "cli/ui/printable.h"

#include <stdlib.h>

#include "lib/base/array.h"

enum { PLACES_MAX = 1 << 16 }; /* kept for JSON */

struct check_place {
	enum finding_kind kind;
	unsigned column;
	uint64_t line;
	char *text;
};

/* Severity of a finding, and its name. */
struct severity {
	const char *name, *plural;
	int from, to;
};

enum { ERRORS, WARNINGS, NOTES, SEVERITIES };

static const struct severity severities[SEVERITIES] = {
    {"error", "errors", 0, VERIFY_ERRORS},
    {"warning", "warnings", VERIFY_ERRORS, VERIFY_WARNINGS},
    {"note", "notes", VERIFY_WARNINGS, FINDINGS}};
static const char *severity_of(enum finding_kind kind)
{
	int i = 0;
	while ((int)kind >= severities[i].to)
		i++;
	return severities[i].name;
}

static uint64_t sum(const struct verdict *d, const struct severity *s)
{
	uint64_t n = 0;
	for (int i = s->from; i < s->to; i++)
		n += d->count[i];
	return n;
}

uint64_t check_errors(const struct verdict *d)
{
	return sum(d, &severities[ERRORS]);
}

uint64_t check_warnings(const struct verdict *d)
{
	return sum(d, &severities[WARNINGS]);
}

void check_report_begin(struct check_report *r, const char *path)
{
	r->path = path;
	printable(r->shown, sizeof(r->shown), path, strlen(path));
}

static struct check_place *new_place(struct check_report *r)
{
	const bool fits = array_reserve(&r->place, &r->capacity, r->places + 1, sizeof(*r->place));
	return fits ? &r->place[r->places] : NULL;
}

static void keep(struct check_report *r, const struct finding *f)
{
	if (r->places == PLACES_MAX || r->failed)
		return;
	struct check_place *p = new_place(r);
	char *text = p != NULL ? strdup(f->text) : NULL;
	if (text == NULL) {
		(void)out_of_memory();
		r->failed = true;
		return;
	}
	*p = (struct check_place){f->kind, f->column, f->line, text};
	r->places++;
}

void check_report_found(void *report, const struct finding *f)
{
	struct check_report *r = report;
	if ((f->kind >= VERIFY_ERRORS && r->quiet) || (f->kind >= VERIFY_WARNINGS && !r->all))
		return;
	if (r->json) {
		keep(r, f);
		return;
	}
	progress_clear(r->progress);
	output_printf(r->out, "%s:%ju:%u: %s: %s\n", r->shown, (uintmax_t)f->line, f->column,
		      severity_of(f->kind), f->text);
}

/* JSON */

static void json_places(struct json *j, const struct check_report *r, const struct severity *which)
{
	json_open(j, which->plural, '[');
	for (size_t i = 0; i < r->places; i++) {
		const struct check_place *p = &r->place[i];
		const char *name = finding_name(p->kind);
		if ((int)p->kind < which->from || (int)p->kind >= which->to)
			continue;
		json_open(j, NULL, '{');
		json_text(j, "kind", name, strlen(name));
		json_number(j, "line", p->line);
		json_number(j, "column", p->column);
		json_text(j, "text", p->text, strlen(p->text));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static const char *state_of(const struct verdict *d)
{
	if (check_errors(d) > 0)
		return "damaged";
	return check_warnings(d) > 0 ? "odd" : "fine";
}

static void print_json(struct check_report *r, const struct verdict *d)
{
	struct json j = {.out = r->out};
	const char *state = state_of(d);
	json_open(&j, NULL, '{');
	json_text(&j, "path", r->path, strlen(r->path));
	json_text(&j, "state", state, strlen(state));
	json_number(&j, "records", d->records);
	json_number(&j, "comments", d->comments);
	json_number(&j, "lines", d->lines);
	json_bool(&j, "complete", d->ended);
	json_open(&j, "counts", '{');
	for (int i = 0; i < FINDINGS; i++)
		json_number(&j, finding_name((enum finding_kind)i), d->count[i]);
	json_close(&j, '}');
	for (int i = 0; i < SEVERITIES; i++)
		json_places(&j, r, &severities[i]);
	json_close(&j, '}');
}

/* Text */

static void print_kinds(struct check_report *r, const struct verdict *d)
{
	const char *before = " (";
	for (int i = 0; i < FINDINGS; i++) {
		if (d->count[i] == 0)
			continue;
		output_printf(r->out, "%s%s %ju", before, finding_name((enum finding_kind)i),
			      (uintmax_t)d->count[i]);
		before = ", ";
	}
	if (before[0] == ',')
		output_text(r->out, ")");
}

static void print_count(struct check_report *r, const char *before, const struct severity *s,
			uint64_t n)
{
	output_printf(r->out, "%s%ju %s", before, (uintmax_t)n, n == 1 ? s->name : s->plural);
}

static void print_human(struct check_report *r, const struct verdict *d)
{
	const uint64_t errors = check_errors(d), warnings = check_warnings(d);
	const uint64_t rest = sum(d, &severities[NOTES]);
	output_printf(r->out, "%s: ", r->shown);
	if (errors + warnings == 0) {
		output_text(r->out, "fine");
	} else {
		print_count(r, "", &severities[ERRORS], errors);
		print_count(r, ", ", &severities[WARNINGS], warnings);
	}
	if (rest > 0)
		print_count(r, ", ", &severities[NOTES], rest);
	print_kinds(r, d);
	output_printf(r->out, "; records: %ju, comments: %ju\n", (uintmax_t)d->records,
		      (uintmax_t)d->comments);
}

void check_report_end(struct check_report *r, const struct verdict *d)
{
	progress_clear(r->progress);
	if (r->json)
		print_json(r, d);
	else
		print_human(r, d);
	for (size_t i = 0; i < r->places; i++)
		free(r->place[i].text);
	r->places = 0;
}

void check_report_free(struct check_report *r)
{
	for (size_t i = 0; i < r->places; i++)
		free(r->place[i].text);
	free(r->place);
}
