/* SPDX-License-Identifier: BSD-2-Clause */
/* What check says of a trace. */
#include "check_report.h"

#include "cli/ui/printable.h"

#include <stdlib.h>

#include "lib/base/array.h"

enum { PLACES_MAX = 1 << 16 }; /* kept for JSON */

struct iot_check_place {
	enum iot_finding_kind kind;
	unsigned column;
	uint64_t line;
	char *text;
};

/* What a finding counts as, and how that is called. */
struct severity {
	const char *name, *plural;
	int from, to;
};

enum { ERRORS, WARNINGS, NOTES, SEVERITIES };

static const struct severity severities[SEVERITIES] = {
    {"error", "errors", 0, IOT_ERRORS},
    {"warning", "warnings", IOT_ERRORS, IOT_ODDITIES},
    {"note", "notes", IOT_ODDITIES, IOT_FINDINGS}};
static const char *severity_of(enum iot_finding_kind kind)
{
	int i = 0;
	while ((int)kind >= severities[i].to)
		i++;
	return severities[i].name;
}

static uint64_t sum(const struct iot_verdict *d, const struct severity *s)
{
	uint64_t n = 0;
	for (int i = s->from; i < s->to; i++)
		n += d->count[i];
	return n;
}

uint64_t iot_check_errors(const struct iot_verdict *d)
{
	return sum(d, &severities[ERRORS]);
}

uint64_t iot_check_warnings(const struct iot_verdict *d)
{
	return sum(d, &severities[WARNINGS]);
}

void iot_check_report_begin(struct iot_check_report *r, const char *path)
{
	r->path = path;
	iot_printable(r->shown, sizeof(r->shown), path, strlen(path));
}

static struct iot_check_place *new_place(struct iot_check_report *r)
{
	const bool fits = iot_room(&r->place, &r->room, r->places + 1, sizeof(*r->place));
	return fits ? &r->place[r->places] : NULL;
}

static void keep(struct iot_check_report *r, const struct iot_finding *f)
{
	if (r->places == PLACES_MAX || r->failed)
		return;
	struct iot_check_place *p = new_place(r);
	char *text = p != NULL ? strdup(f->text) : NULL;
	if (text == NULL) {
		(void)iot_no_memory();
		r->failed = true;
		return;
	}
	*p = (struct iot_check_place){f->kind, f->column, f->line, text};
	r->places++;
}

void iot_check_report_found(void *report, const struct iot_finding *f)
{
	struct iot_check_report *r = report;
	if ((f->kind >= IOT_ERRORS && r->quiet) || (f->kind >= IOT_ODDITIES && !r->all))
		return;
	if (r->json) {
		keep(r, f);
		return;
	}
	iot_progress_clear(r->progress);
	iot_out_printf(r->out, "%s:%ju:%u: %s: %s\n", r->shown, (uintmax_t)f->line, f->column,
		       severity_of(f->kind), f->text);
}

/* JSON */

static void json_places(struct iot_json *j, const struct iot_check_report *r,
			const struct severity *which)
{
	iot_json_open(j, which->plural, '[');
	for (size_t i = 0; i < r->places; i++) {
		const struct iot_check_place *p = &r->place[i];
		const char *name = iot_finding_name(p->kind);
		if ((int)p->kind < which->from || (int)p->kind >= which->to)
			continue;
		iot_json_open(j, NULL, '{');
		iot_json_text(j, "kind", name, strlen(name));
		iot_json_number(j, "line", p->line);
		iot_json_number(j, "column", p->column);
		iot_json_text(j, "text", p->text, strlen(p->text));
		iot_json_close(j, '}');
	}
	iot_json_close(j, ']');
}

static const char *state_of(const struct iot_verdict *d)
{
	if (iot_check_errors(d) > 0)
		return "damaged";
	return iot_check_warnings(d) > 0 ? "odd" : "fine";
}

static void print_json(struct iot_check_report *r, const struct iot_verdict *d)
{
	struct iot_json j = {.out = r->out};
	const char *state = state_of(d);
	iot_json_open(&j, NULL, '{');
	iot_json_text(&j, "path", r->path, strlen(r->path));
	iot_json_text(&j, "state", state, strlen(state));
	iot_json_number(&j, "records", d->records);
	iot_json_number(&j, "comments", d->comments);
	iot_json_number(&j, "lines", d->lines);
	iot_json_bool(&j, "complete", d->ended);
	iot_json_open(&j, "counts", '{');
	for (int i = 0; i < IOT_FINDINGS; i++)
		iot_json_number(&j, iot_finding_name((enum iot_finding_kind)i), d->count[i]);
	iot_json_close(&j, '}');
	for (int i = 0; i < SEVERITIES; i++)
		json_places(&j, r, &severities[i]);
	iot_json_close(&j, '}');
}

/* People */

static void print_kinds(struct iot_check_report *r, const struct iot_verdict *d)
{
	const char *before = " (";
	for (int i = 0; i < IOT_FINDINGS; i++) {
		if (d->count[i] == 0)
			continue;
		iot_out_printf(r->out, "%s%s %ju", before,
			       iot_finding_name((enum iot_finding_kind)i), (uintmax_t)d->count[i]);
		before = ", ";
	}
	if (before[0] == ',')
		iot_out_text(r->out, ")");
}

static void print_count(struct iot_check_report *r, const char *before, const struct severity *s,
			uint64_t n)
{
	iot_out_printf(r->out, "%s%ju %s", before, (uintmax_t)n, n == 1 ? s->name : s->plural);
}

static void print_people(struct iot_check_report *r, const struct iot_verdict *d)
{
	const uint64_t errors = iot_check_errors(d), warnings = iot_check_warnings(d);
	const uint64_t rest = sum(d, &severities[NOTES]);
	iot_out_printf(r->out, "%s: ", r->shown);
	if (errors + warnings == 0) {
		iot_out_text(r->out, "fine");
	} else {
		print_count(r, "", &severities[ERRORS], errors);
		print_count(r, ", ", &severities[WARNINGS], warnings);
	}
	if (rest > 0)
		print_count(r, ", ", &severities[NOTES], rest);
	print_kinds(r, d);
	iot_out_printf(r->out, "; records: %ju, comments: %ju\n", (uintmax_t)d->records,
		       (uintmax_t)d->comments);
}

void iot_check_report_end(struct iot_check_report *r, const struct iot_verdict *d)
{
	iot_progress_clear(r->progress);
	if (r->json)
		print_json(r, d);
	else
		print_people(r, d);
	for (size_t i = 0; i < r->places; i++)
		free(r->place[i].text);
	r->places = 0;
}

void iot_check_report_free(struct iot_check_report *r)
{
	for (size_t i = 0; i < r->places; i++)
		free(r->place[i].text);
	free(r->place);
}
