/* SPDX-License-Identifier: BSD-2-Clause */
/* The counts of a conversion: as warnings, and as JSON. */
#include "convert.h"
#include "cli/ui/signals.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/atomic_file.h"
#include "cli/ui/json.h"
#include "cli/ui/printable.h"

/* "hidden.mmap" and "hidden" have the prefix "hidden"; "hiddenness" does not. */
static bool belongs(const char *name, const char *prefix, size_t size)
{
	return strncmp(name, prefix, size) == 0 && (name[size] == '\0' || name[size] == '.');
}

uint64_t convert_sum(const struct report *r, const char *prefix)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < r->counts; i++)
		if (belongs(r->count[i].name, prefix, strlen(prefix)))
			sum += r->count[i].value;
	return sum;
}

/* "warning: ", and with -O the name of the input. */
static void __attribute__((format(printf, 2, 3)))
warning(const struct conversion *c, const char *format, ...)
{
	char text[1024], name[512] = "";
	const char *path = c->path_count > 0 ? c->paths[0] : "";
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (c->options->names_inputs)
		escape_text(name, sizeof name, path, strlen(path));
	message_print("warning: %s%s%s", name, name[0] != '\0' ? ": " : "", text);
}

static void warn_unparsed(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	const struct iot_source_example *e = &r->example[0];
	if (r->unparsed == 0)
		return;
	if (r->examples == 0)
		warning(c, "%ju of %ju lines not understood", (uintmax_t)r->unparsed,
			(uintmax_t)r->lines);
	else if (e->line == 0)
		warning(c, "%ju places not understood; first in %s: %s", (uintmax_t)r->unparsed,
			e->file, e->text);
	else
		warning(c, "%ju of %ju lines not understood; first at %s:%ju: %s",
			(uintmax_t)r->unparsed, (uintmax_t)r->lines, e->file, (uintmax_t)e->line,
			e->text);
}

/* A list of counts, in a buffer that is large enough. */
struct list {
	size_t size;
	char text[512];
};

static void __attribute__((format(printf, 2, 3)))
add_to_list(struct list *l, const char *format, ...)
{
	va_list args;
	if (l->size > 0 && l->size + 2 < sizeof(l->text)) {
		memcpy(l->text + l->size, ", ", 3);
		l->size += 2;
	}
	va_start(args, format);
	const int n = vsnprintf(l->text + l->size, sizeof(l->text) - l->size, format, args);
	va_end(args);
	l->size += n > 0 ? (size_t)n : 0;
	if (l->size >= sizeof(l->text))
		l->size = sizeof(l->text) - 1;
}

static const char *hidden_name(const char *name)
{
	static const struct {
		const char *name, *shown;
	} names[] = {{"mmap", "file mappings"},
		     {"io_uring", "io_uring requests"},
		     {"io_uring_rings", "io_uring rings (their requests appear in no system call)"},
		     {"fprintf", "formatted writes"},
		     {"mpi_type", "MPI-IO calls on types of unknown size"}};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].shown;
	return name;
}

/* "3 file mappings, 12 io_uring requests" */
static void warn_hidden(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	static const char prefix[] = "hidden.";
	struct list list = {0};
	for (size_t i = 0; i < r->counts; i++) {
		const struct iot_source_count *k = &r->count[i];
		if (k->value > 0 && !k->noted && strncmp(k->name, prefix, strlen(prefix)) == 0)
			add_to_list(&list, "%ju %s", (uintmax_t)k->value,
				    hidden_name(k->name + strlen(prefix)));
	}
	if (list.size > 0)
		warning(c, "I/O that the source does not show: %s", list.text);
}

static void warn_unknown(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	const uint64_t offsets = convert_sum(r, "unknown.offset_records");
	const uint64_t lengths = convert_sum(r, "unknown.length_records");
	if (offsets > 0)
		warning(c, "the offsets of %ju of %ju records count from an unknown base",
			(uintmax_t)offsets, (uintmax_t)r->records);
	if (lengths > 0)
		warning(c, "the lengths of %ju of %ju records are not known, and 0",
			(uintmax_t)lengths, (uintmax_t)r->records);
	const uint64_t durations = convert_sum(r, "unknown.duration_records");
	const uint64_t results = convert_sum(r, "unknown.async_lengths");
	if (durations > 0)
		warning(c,
			"the durations of %ju of %ju records are not known: the log does not "
			"show when each asynchronous request completed",
			(uintmax_t)durations, (uintmax_t)r->records);
	if (results > 0)
		warning(c,
			"up to %ju asynchronous requests failed or transferred less than their "
			"records state; the log does not show which",
			(uintmax_t)results);
}

/* Calls that contradict the tracked state: the log is missing some. */
static void warn_contradicted(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	const uint64_t seeks = report_get(r, "position.resynced");
	const uint64_t closes = report_get(r, "missed.close");
	if (seeks + closes > 0)
		warning(c,
			"the offsets of this log cannot be trusted: %ju seeks and "
			"%ju reused descriptors contradict the calls before them",
			(uintmax_t)seeks, (uintmax_t)closes);
}

static void warn_mixed(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	const uint64_t lost = report_get(r, "mixed.lost");
	if (lost > 0)
		warning(c,
			"%ju calls are missing: other text is mixed into their lines; use "
			"strace -o, with one file for each strace",
			(uintmax_t)lost);
}

static void warn_notes(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	for (size_t i = 0; i < r->notes; i++)
		warning(c, "%s", r->note[i]);
	if (r->notes_made > r->notes)
		warning(c, "%ju more like these", (uintmax_t)(r->notes_made - r->notes));
}

static void report_differences(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	const bool verbose = c->options->verbose;
	const uint64_t compared = convert_sum(r, "check.compared");
	if (verbose && compared > 0 && r->differences_found == 0)
		message_print("--check compared %ju totals: all are the source's own",
			      (uintmax_t)compared);
	if (r->differences_found > 0)
		warning(c, "--check found %ju totals that differ from the source's own",
			(uintmax_t)r->differences_found);
	for (size_t i = 0; i < r->differences; i++) {
		const struct iot_source_difference *d = &r->difference[i];
		message_print("  %s: %s: the source says %ju, the records %ju", d->where, d->what,
			      (uintmax_t)d->source_says, (uintmax_t)d->converted);
	}
}

/* The name --threads is used by compression, in every command that writes a trace. */
const char *setting_shown(const char *name)
{
	return strcmp(name, "threads") == 0 ? "per-thread" : name;
}

static bool has_option(const struct converter *converter, const char *name)
{
	const struct converter_option *o = converter->options;
	while (o != NULL && o->name != NULL && strcmp(o->name, name) != 0)
		o++;
	return o != NULL && o->name != NULL;
}

static bool is_set(const struct conversion *c, const char *name)
{
	for (size_t i = 0; i < c->options->setting_count; i++)
		if (strcmp(c->options->settings[i].name, name) == 0)
			return true;
	return false;
}

static bool takes(const struct conversion *c, const char *name)
{
	return c->source.converter != NULL && has_option(c->source.converter, name);
}

/* Options of other converters; --ops is common to all, and has no effect on those without %op. */
static void warn_unused(const struct conversion *c)
{
	const struct converter *converter = c->source.converter;
	for (size_t i = 0; i < c->options->setting_count && converter != NULL; i++) {
		const char *name = c->options->settings[i].name;
		if (strcmp(name, "ops") != 0 && !has_option(converter, name))
			warning(c, "--%s has no meaning for %s", setting_shown(name),
				converter->name);
	}
}

/* A source that has only counters does not record the number of calls. */
static bool knows_calls(const struct report *r)
{
	return r->calls > 0 || r->records > 0 || convert_sum(r, "counters") == 0;
}

/* Binary sources have no lines. */
static bool has_lines(const struct report *r)
{
	return r->lines > 0 || (r->calls == 0 && knows_calls(r));
}

/* Reads and writes of objects that are not files */

enum {
	SKIPPED_MUCH = 1 << 20, /* minimum number of bytes for a warning ... */
	SKIPPED_TIMES = 10,     /* ... if they exceed those of the records by this factor */
};

static bool is_skipped(const char *name, const char *what)
{
	static const char prefix[] = "skipped.";
	const char *dot = strrchr(name, '.');
	return strncmp(name, prefix, strlen(prefix)) == 0 && dot != NULL && strcmp(dot, what) == 0;
}

static uint64_t skipped_bytes(const struct report *r, const char *kind, size_t size)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < r->counts; i++) {
		const char *name = r->count[i].name;
		if ((is_skipped(name, ".read_bytes") || is_skipped(name, ".written_bytes")) &&
		    strncmp(name, kind, size) == 0)
			bytes += r->count[i].value;
	}
	return bytes;
}

/* "pipe 12 (3.0 MiB), socket 3 (120 B)": calls and bytes of each kind. */
static void list_skipped(const struct report *r, struct list *list)
{
	char bytes[32];
	for (size_t i = 0; i < r->counts; i++) {
		const char *name = r->count[i].name;
		if (!is_skipped(name, ".calls"))
			continue;
		const size_t end = (size_t)(strrchr(name, '.') + 1 - name);
		const char *kind = strchr(name, '.') + 1;
		add_to_list(list, "%.*s %ju (%s)", (int)strcspn(kind, "."), kind,
			    (uintmax_t)r->count[i].value,
			    printable_bytes(bytes, sizeof(bytes), skipped_bytes(r, name, end)));
	}
}

static void warn_skipped(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	struct list list = {0};
	list_skipped(r, &list);
	if (list.size == 0)
		return;
	const uint64_t bytes = skipped_bytes(r, "", 0);
	const bool much =
	    r->records == 0 || (bytes >= SKIPPED_MUCH && bytes / SKIPPED_TIMES >= r->record_bytes);
	static const char SENTENCE[] = "reads and writes that are not records: %s%s";
	const char *remedy = takes(c, "all") ? "; --all makes records of them" : "";
	if (much)
		warning(c, SENTENCE, list.text, remedy);
	else if (c->options->verbose)
		message_print(SENTENCE, list.text, remedy);
}

/* The notes of other sources explain a trace without records. */
static void warn_empty(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	const bool all = takes(c, "all");
	if (!c->kept || c->damage.status != IOT_OK || r->records > 0 || (r->notes_made > 0 && !all))
		return;
	warning(c, "there are no records: no reads and writes of files were found%s",
		all && !is_set(c, "all") ? " (--all adds pipes, sockets, terminals and devices)"
					 : "");
}

static void report_done(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	char lines[40] = "", calls[40] = "";
	if (r->lines > 0)
		snprintf(lines, sizeof lines, "%ju lines, ", (uintmax_t)r->lines);
	if (knows_calls(r))
		snprintf(calls, sizeof calls, "%ju calls, ", (uintmax_t)r->calls);
	message_print("%s: %s%s%ju records, %ju bytes written", c->source.converter->name, lines,
		      calls, (uintmax_t)r->records, (uintmax_t)c->written);
}

/* "ambiguous.process" counts processes, and a note explains it. */
static void warn_ambiguous(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	const uint64_t parents = report_get(r, "ambiguous.parent");
	const uint64_t records =
	    convert_sum(r, "ambiguous") - parents - report_get(r, "ambiguous.process");
	const bool relative =
	    report_get(r, "ambiguous.order") > 0 && report_get(r, "unknown.offset_records") > 0;
	if (records > 0)
		warning(c, "%ju records whose order or offset is not certain%s", (uintmax_t)records,
			relative ? "; the distances between their offsets are not certain either"
				 : "");
	if (parents > 0)
		warning(c, "%ju processes whose parent is not known", (uintmax_t)parents);
}

void convert_warn(const struct conversion *c)
{
	if (c->violated)
		message_print("--strict: nothing is kept");
	if (c->options->quiet)
		return;
	warn_unused(c);
	warn_notes(c);
	warn_unparsed(c);
	warn_mixed(c);
	warn_hidden(c);
	warn_unknown(c);
	warn_contradicted(c);
	warn_empty(c);
	warn_skipped(c);
	warn_ambiguous(c);
	report_differences(c);
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

/* One member, or an object of all members that share the prefix before the dot. */
static void put_count(const struct report *r, size_t first, struct json *j)
{
	const char *name = r->count[first].name;
	size_t size = strcspn(name, ".");
	char group[64];
	snprintf(group, sizeof(group), "%.*s", (int)size, name);
	for (size_t i = 0; i < first; i++)
		if (belongs(r->count[i].name, name, size))
			return;
	if (name[size] == '\0') {
		json_number(j, group, convert_sum(r, name));
		return;
	}
	json_open(j, group, '{');
	for (size_t i = first; i < r->counts; i++)
		if (belongs(r->count[i].name, name, size))
			json_number(j,
				    r->count[i].name[size] == '.' ? r->count[i].name + size + 1
								  : "total",
				    r->count[i].value);
	json_close(j, '}');
}

static void put_examples(const struct report *r, struct json *j)
{
	json_open(j, "first_unparsed", '[');
	for (size_t i = 0; i < r->examples; i++) {
		json_open(j, NULL, '{');
		put_text(j, "file", r->example[i].file);
		json_number(j, "line", r->example[i].line);
		put_text(j, "text", r->example[i].text);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_differences(const struct report *r, struct json *j)
{
	if (r->differences_found == 0)
		return;
	json_number(j, "differences", r->differences_found);
	json_open(j, "first_differences", '[');
	for (size_t i = 0; i < r->differences; i++) {
		const struct iot_source_difference *d = &r->difference[i];
		json_open(j, NULL, '{');
		put_text(j, "where", d->where);
		put_text(j, "what", d->what);
		json_number(j, "source", d->source_says);
		json_number(j, "records", d->converted);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_notes(const struct report *r, struct json *j)
{
	if (r->notes_made == 0)
		return;
	json_number(j, "notes", r->notes_made);
	json_open(j, "first_notes", '[');
	for (size_t i = 0; i < r->notes; i++)
		put_text(j, NULL, r->note[i]);
	json_close(j, ']');
}

static void put_ends(const struct conversion *c, struct json *j)
{
	const struct converter *converter = c->source.converter;
	put_text(j, "format", converter != NULL ? converter->name : "");
	json_open(j, "inputs", '[');
	for (size_t i = 0; i < c->path_count; i++)
		put_text(j, NULL, c->paths[i]);
	json_close(j, ']');
	put_text(j, "output", c->write.path);
	json_bool(j, "kept", c->kept);
	put_text(j, "damage", c->damage.text);
}

void convert_report(const struct conversion *c, struct json *j)
{
	const struct report *r = &c->source.report;
	json_open(j, NULL, '{');
	put_ends(c, j);
	json_number(j, "files", c->input != NULL ? input_count(c->input) : 0);
	json_number(j, "files_skipped", c->input != NULL ? input_skipped(c->input) : 0);
	json_known(j, "lines", has_lines(r), r->lines);
	json_known(j, "calls", knows_calls(r), r->calls);
	json_number(j, "records", r->records);
	json_number(j, "unparsed", r->unparsed);
	put_examples(r, j);
	put_notes(r, j);
	put_differences(r, j);
	for (size_t i = 0; i < r->counts; i++)
		put_count(r, i, j);
	json_open(j, "sorting", '{');
	json_bool(j, "started_anew", c->restarted);
	json_number(j, "runs", c->sort.runs);
	json_number(j, "spilled_bytes", c->sort.spilled);
	json_close(j, '}');
	json_close(j, '}');
}

int report_file_open(struct report_file *f)
{
	if (f->path == NULL)
		return EXIT_OK;
	/* The file has a temporary name while it is written, which no signal may leave behind. */
	signals_catch(SIGNALS_FILES, f->path, true);
	f->json = (struct json){.out = &f->out, .pretty = true};
	return output_open(&f->out, f->path, f->no_fsync ? ATOMIC_FILE_NO_SYNC : 0);
}

bool report_file_is_due(int status)
{
	return signals_pending() == 0 && status != EXIT_USAGE;
}

int report_file_close(struct report_file *f, int status)
{
	if (f->path == NULL)
		return status;
	if (!report_file_is_due(status)) {
		output_abandon(&f->out);
		return status;
	}
	const int closed = output_close(&f->out);
	return status == EXIT_OK ? closed : status;
}
