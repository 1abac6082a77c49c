/* SPDX-License-Identifier: BSD-2-Clause */
/* What a conversion counted: as warnings, and as JSON. */
#include "convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ui/signals.h"
#include "cli/ui/source_warnings.h"
#include "lib/base/atomic_file.h"

/* The name --threads is used by compression, in every command that writes a trace. */
const char *setting_shown(const char *name)
{
	return strcmp(name, "threads") == 0 ? "per-thread" : name;
}

static bool is_set(const struct conversion *c, const char *name)
{
	for (size_t i = 0; i < c->options->setting_count; i++)
		if (strcmp(c->options->settings[i].name, name) == 0)
			return true;
	return false;
}

/* Options of other formats; --ops is common to all, and has no effect on those without %op. */
static void warn_unused(const struct conversion *c, const struct source_warnings *w)
{
	const char *format = iot_source_name(c->source);
	for (size_t i = 0; i < c->options->setting_count && format != NULL; i++) {
		const char *name = c->options->settings[i].name;
		if (strcmp(name, "ops") != 0 && !source_has_option(c->source, name))
			source_warnings_one(w, "--%s has no meaning for %s", setting_shown(name),
					    format);
	}
}

/* Binary sources have no lines. */
static bool has_lines(const struct iot_source *s)
{
	return iot_source_fact(s, IOT_SOURCE_LINES) > 0 ||
	       (iot_source_fact(s, IOT_SOURCE_CALLS) == 0 && source_knows_calls(s));
}

static void report_done(const struct conversion *c)
{
	const struct iot_source *s = c->source;
	const uintmax_t lines = iot_source_fact(s, IOT_SOURCE_LINES);
	char shown_lines[40] = "", calls[40] = "";
	if (lines > 0)
		snprintf(shown_lines, sizeof shown_lines, "%ju lines, ", lines);
	if (source_knows_calls(s))
		snprintf(calls, sizeof calls, "%ju calls, ",
			 (uintmax_t)iot_source_fact(s, IOT_SOURCE_CALLS));
	message_print("%s: %s%s%ju records, %ju bytes written", iot_source_name(s), shown_lines,
		      calls, (uintmax_t)iot_source_fact(s, IOT_SOURCE_RECORDS),
		      (uintmax_t)c->written);
}

void convert_warn(const struct conversion *c)
{
	const struct source_warnings w = {.source = c->source,
					  .name = c->options->names_inputs ? c->paths[0] : NULL,
					  .verbose = c->options->verbose,
					  .whole = c->kept,
					  .has_options = true,
					  .all_was_given = is_set(c, "all")};
	if (c->violated)
		message_print("--strict: nothing is kept");
	if (c->options->quiet) {
		if (c->kept && source_is_mostly_unparsed(c->source))
			source_warnings_unparsed(&w);
		return;
	}
	warn_unused(c, &w);
	source_warnings_print(&w);
	if (c->options->verbose && c->kept)
		report_done(c);
	if (c->kept)
		trace_out_report_rounding(&c->rounding);
}

/* JSON */

static void put_text(struct json *j, const char *key, const char *text)
{
	json_text(j, key, text, strlen(text));
}

/* Returns whether an earlier count has the same name before its dot. */
static bool is_grouped(const struct iot_source *s, size_t i, const char *group)
{
	for (size_t k = 0; k < i; k++)
		if (source_count_belongs(iot_source_count(s, k)->name, group))
			return true;
	return false;
}

/* One member, or an object of all members that share the prefix before the dot. */
static void put_count(const struct iot_source *s, size_t first, struct json *j)
{
	const struct iot_source_count *k = iot_source_count(s, first);
	const size_t size = strcspn(k->name, ".");
	char group[64];
	snprintf(group, sizeof(group), "%.*s", (int)size, k->name);
	if (is_grouped(s, first, group))
		return;
	if (k->name[size] == '\0') {
		json_number(j, group, source_count_sum(s, k->name));
		return;
	}
	json_open(j, group, '{');
	for (size_t i = first; (k = iot_source_count(s, i)) != NULL; i++)
		if (source_count_belongs(k->name, group))
			json_number(j, k->name[size] == '.' ? k->name + size + 1 : "total",
				    k->value);
	json_close(j, '}');
}

static void put_examples(const struct iot_source *s, struct json *j)
{
	const struct iot_source_example *e;
	json_open(j, "first_unparsed", '[');
	for (size_t i = 0; (e = iot_source_example(s, i)) != NULL; i++) {
		json_open(j, NULL, '{');
		put_text(j, "file", e->file);
		json_number(j, "line", e->line);
		put_text(j, "text", e->text);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_differences(const struct iot_source *s, struct json *j)
{
	const struct iot_source_difference *d;
	if (iot_source_fact(s, IOT_SOURCE_DIFFERENCES) == 0)
		return;
	json_number(j, "differences", iot_source_fact(s, IOT_SOURCE_DIFFERENCES));
	json_open(j, "first_differences", '[');
	for (size_t i = 0; (d = iot_source_difference(s, i)) != NULL; i++) {
		json_open(j, NULL, '{');
		put_text(j, "where", d->where);
		put_text(j, "what", d->what);
		json_number(j, "source", d->source_says);
		json_number(j, "records", d->converted);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_notes(const struct iot_source *s, struct json *j)
{
	const char *note;
	if (iot_source_fact(s, IOT_SOURCE_NOTES) == 0)
		return;
	json_number(j, "notes", iot_source_fact(s, IOT_SOURCE_NOTES));
	json_open(j, "first_notes", '[');
	for (size_t i = 0; (note = iot_source_note(s, i)) != NULL; i++)
		put_text(j, NULL, note);
	json_close(j, ']');
}

static void put_ends(const struct conversion *c, struct json *j)
{
	const bool lost = iot_source_fact(c->source, IOT_SOURCE_LOST) != 0;
	const char *format = iot_source_name(c->source);
	put_text(j, "format", format != NULL && !c->refused ? format : "");
	json_open(j, "inputs", '[');
	for (size_t i = 0; i < c->path_count; i++)
		put_text(j, NULL, c->paths[i]);
	json_close(j, ']');
	put_text(j, "output", c->write.path);
	json_bool(j, "kept", c->kept);
	put_text(j, "damage", lost ? iot_source_error(c->source) : "");
}

void convert_report(const struct conversion *c, struct json *j)
{
	const struct iot_source *s = c->source;
	json_open(j, NULL, '{');
	put_ends(c, j);
	json_number(j, "files", iot_source_fact(s, IOT_SOURCE_FILES));
	json_number(j, "files_skipped", iot_source_fact(s, IOT_SOURCE_SKIPPED));
	json_known(j, "lines", has_lines(s), iot_source_fact(s, IOT_SOURCE_LINES));
	json_known(j, "calls", source_knows_calls(s), iot_source_fact(s, IOT_SOURCE_CALLS));
	json_number(j, "records", iot_source_fact(s, IOT_SOURCE_RECORDS));
	json_number(j, "unparsed", iot_source_fact(s, IOT_SOURCE_UNPARSED));
	put_examples(s, j);
	put_notes(s, j);
	put_differences(s, j);
	for (size_t i = 0; iot_source_count(s, i) != NULL; i++)
		put_count(s, i, j);
	json_open(j, "sorting", '{');
	json_bool(j, "restarted", c->restarted);
	json_number(j, "runs", iot_source_fact(s, IOT_SOURCE_RUNS));
	json_number(j, "spilled_bytes", iot_source_fact(s, IOT_SOURCE_SPILLED));
	json_close(j, '}');
	json_close(j, '}');
}

enum exit_status report_file_open(struct report_file *f)
{
	if (f->path == NULL)
		return EXIT_OK;
	/* The file has a temporary name while it is written, which no signal may leave behind. */
	signals_catch(SIGNALS_FILES, f->path, true);
	f->json = (struct json){.out = &f->out, .pretty = true};
	return output_open(&f->out, f->path, f->no_fsync ? ATOMIC_FILE_NO_SYNC : 0);
}

enum exit_status report_file_close(struct report_file *f, enum exit_status status)
{
	if (f->path == NULL)
		return status;
	if (!f->due || signals_pending() != 0) {
		output_abandon(&f->out);
		return status;
	}
	return exit_status_worse(status, output_close(&f->out));
}
