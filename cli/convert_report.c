/* SPDX-License-Identifier: BSD-2-Clause */
/* What a conversion counted, as warnings; and the file of the report. */
#include "convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/json.h"
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

enum exit_status report_file_open(struct report_file *f)
{
	if (f->path == NULL)
		return EXIT_OK;
	/* The file has a temporary name while it is written, which every signal removes. */
	signals_catch(SIGNALS_FILES, f->path, true);
	f->json = (struct json){.out = &f->out, .pretty = true};
	return output_open(&f->out, f->path, f->no_fsync ? ATOMIC_FILE_NO_SYNC : 0);
}

void report_file_list(struct report_file *f)
{
	if (f->path != NULL)
		print_json_list(&f->json);
}

void report_file_list_end(struct report_file *f)
{
	if (f->path != NULL)
		print_json_list_end(&f->json);
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
