/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "message.h"
#include "printable.h"
#include "lib/base/plural.h"

bool source_count_belongs(const char *name, const char *prefix)
{
	const size_t size = strlen(prefix);
	return strncmp(name, prefix, size) == 0 && (name[size] == '\0' || name[size] == '.');
}

uint64_t source_count_sum(const struct iot_source *s, const char *prefix)
{
	const struct iot_source_count *k;
	uint64_t sum = 0;
	for (size_t i = 0; (k = iot_source_count(s, i)) != NULL; i++)
		if (source_count_belongs(k->name, prefix))
			sum += k->value;
	return sum;
}

uint64_t source_count_of(const struct iot_source *s, const char *name)
{
	const struct iot_source_count *k;
	for (size_t i = 0; (k = iot_source_count(s, i)) != NULL; i++)
		if (strcmp(k->name, name) == 0)
			return k->value;
	return 0;
}

bool source_has_option(const struct iot_source *s, const char *name)
{
	const char *format = iot_source_name(s);
	struct iot_format f;
	size_t i = 0;
	while (format != NULL && iot_source_format(i, &f) && strcmp(f.name, format) != 0)
		i++;
	if (format == NULL || !iot_source_format(i, &f))
		return false;
	for (const struct iot_format_option *o = f.options; o != NULL && o->name != NULL; o++)
		if (strcmp(o->name, name) == 0)
			return true;
	return false;
}

bool source_knows_calls(const struct iot_source *s)
{
	return iot_source_fact(s, IOT_SOURCE_CALLS) > 0 ||
	       iot_source_fact(s, IOT_SOURCE_RECORDS) > 0 || source_count_sum(s, "counters") == 0;
}

void source_warnings_one(const struct source_warnings *w, const char *format, ...)
{
	char text[1024], name[512] = "";
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (w->name != NULL)
		escape_text(name, sizeof name, w->name, strlen(w->name));
	message_print("warning: %s%s%s", name, name[0] != '\0' ? ": " : "", text);
}

static uintmax_t fact(const struct source_warnings *w, enum iot_source_fact which)
{
	return iot_source_fact(w->source, which);
}

static uintmax_t count(const struct source_warnings *w, const char *name)
{
	return source_count_of(w->source, name);
}

static uintmax_t sum(const struct source_warnings *w, const char *prefix)
{
	return source_count_sum(w->source, prefix);
}

static void warn_notes(const struct source_warnings *w)
{
	const char *note;
	size_t n = 0;
	while ((note = iot_source_note(w->source, n)) != NULL) {
		source_warnings_one(w, "%s", note);
		n++;
	}
	if (fact(w, IOT_SOURCE_NOTES) > n)
		source_warnings_one(w, "%ju more like these", fact(w, IOT_SOURCE_NOTES) - n);
}

void source_warnings_unparsed(const struct source_warnings *w)
{
	const struct iot_source_example *e = iot_source_example(w->source, 0);
	const uintmax_t unparsed = fact(w, IOT_SOURCE_UNPARSED), lines = fact(w, IOT_SOURCE_LINES);
	if (unparsed == 0)
		return;
	if (e == NULL)
		source_warnings_one(w, "%ju of %ju lines not understood", unparsed, lines);
	else if (e->line == 0)
		source_warnings_one(w, "%ju %s not understood; first in %s: %s", unparsed,
				    plural(unparsed, "place", "places"), e->file, e->text);
	else
		source_warnings_one(w, "%ju of %ju lines not understood; first at %s:%ju: %s",
				    unparsed, lines, e->file, (uintmax_t)e->line, e->text);
}

bool source_is_mostly_unparsed(const struct iot_source *s)
{
	return iot_source_fact(s, IOT_SOURCE_UNPARSED) > iot_source_fact(s, IOT_SOURCE_LINES) / 2 &&
	       iot_source_fact(s, IOT_SOURCE_LINES) > 0;
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
static void warn_hidden(const struct source_warnings *w)
{
	static const char prefix[] = "hidden.";
	const struct iot_source_count *k;
	struct list list = {0};
	for (size_t i = 0; (k = iot_source_count(w->source, i)) != NULL; i++)
		if (k->value > 0 && !k->noted && strncmp(k->name, prefix, strlen(prefix)) == 0)
			add_to_list(&list, "%ju %s", (uintmax_t)k->value,
				    hidden_name(k->name + strlen(prefix)));
	if (list.size > 0)
		source_warnings_one(w, "I/O that the source does not show: %s", list.text);
}

static void warn_unknown(const struct source_warnings *w)
{
	const uintmax_t records = fact(w, IOT_SOURCE_RECORDS);
	const uintmax_t offsets = sum(w, "unknown.offset_records");
	const uintmax_t lengths = sum(w, "unknown.length_records");
	const uintmax_t durations = sum(w, "unknown.duration_records");
	const uintmax_t results = sum(w, "unknown.async_lengths");
	if (offsets > 0)
		source_warnings_one(w,
				    "the offsets of %ju of %ju records count from an unknown base",
				    offsets, records);
	if (lengths > 0)
		source_warnings_one(w, "the lengths of %ju of %ju records are not known, and 0",
				    lengths, records);
	if (durations > 0)
		source_warnings_one(w,
				    "the durations of %ju of %ju records are not known: the log "
				    "does not show when each asynchronous request completed",
				    durations, records);
	if (results > 0)
		source_warnings_one(w,
				    "up to %ju asynchronous %s failed or transferred less than "
				    "recorded; the log does not show which",
				    results, plural(results, "request", "requests"));
}

/* Calls that contradict the tracked state: the log is missing some. */
static void warn_contradicted(const struct source_warnings *w)
{
	const uintmax_t seeks = count(w, "position.resynced"), closes = count(w, "missed.close");
	if (seeks + closes > 0)
		source_warnings_one(
		    w,
		    "the offsets of this log cannot be trusted: %ju %s and %ju reused "
		    "%s contradict the calls before them",
		    seeks, plural(seeks, "seek", "seeks"), closes,
		    plural(closes, "descriptor", "descriptors"));
}

/* The notes of other sources explain a trace without records. */
static void warn_empty(const struct source_warnings *w)
{
	const bool all = source_has_option(w->source, "all");
	if (!w->whole || fact(w, IOT_SOURCE_LOST) || fact(w, IOT_SOURCE_RECORDS) > 0 ||
	    (fact(w, IOT_SOURCE_NOTES) > 0 && !all) || source_count_of(w->source, "samples") > 0)
		return;
	source_warnings_one(w, "there are no records: no reads and writes of files were found%s",
			    all && w->has_options && !w->all_was_given
				? " (--all adds pipes, sockets, terminals and devices)"
				: "");
}

/* Reads and writes of objects that are not files */

enum {
	SKIPPED_MUCH = 1 << 20, /* minimum number of bytes for a warning ... */
	SKIPPED_TIMES = 10,     /* ... if they exceed the bytes of the records by this factor */
};

static bool is_skipped(const char *name, const char *what)
{
	static const char prefix[] = "skipped.";
	const char *dot = strrchr(name, '.');
	return strncmp(name, prefix, strlen(prefix)) == 0 && dot != NULL && strcmp(dot, what) == 0;
}

static uint64_t skipped_bytes(const struct iot_source *s, const char *kind, size_t size)
{
	const struct iot_source_count *k;
	uint64_t bytes = 0;
	for (size_t i = 0; (k = iot_source_count(s, i)) != NULL; i++)
		if ((is_skipped(k->name, ".read_bytes") || is_skipped(k->name, ".written_bytes")) &&
		    strncmp(k->name, kind, size) == 0)
			bytes += k->value;
	return bytes;
}

/* "pipe 12 (3.0 MiB), socket 3 (120 B)": calls and bytes of each kind. */
static void list_skipped(const struct iot_source *s, struct list *list)
{
	const struct iot_source_count *k;
	char bytes[32];
	for (size_t i = 0; (k = iot_source_count(s, i)) != NULL; i++) {
		if (!is_skipped(k->name, ".calls"))
			continue;
		const size_t end = (size_t)(strrchr(k->name, '.') + 1 - k->name);
		const char *kind = strchr(k->name, '.') + 1;
		add_to_list(list, "%.*s %ju (%s)", (int)strcspn(kind, "."), kind,
			    (uintmax_t)k->value,
			    printable_bytes(bytes, sizeof(bytes), skipped_bytes(s, k->name, end)));
	}
}

static void warn_skipped(const struct source_warnings *w)
{
	static const char sentence[] = "reads and writes that are not records: %s%s";
	struct list list = {0};
	list_skipped(w->source, &list);
	if (list.size == 0)
		return;
	const uint64_t bytes = skipped_bytes(w->source, "", 0);
	const bool much =
	    fact(w, IOT_SOURCE_RECORDS) == 0 ||
	    (bytes >= SKIPPED_MUCH && bytes / SKIPPED_TIMES >= fact(w, IOT_SOURCE_RECORD_BYTES));
	const char *remedy = w->has_options && source_has_option(w->source, "all")
				 ? "; --all makes records of them"
				 : "";
	if (much)
		source_warnings_one(w, sentence, list.text, remedy);
	else if (w->verbose)
		message_print(sentence, list.text, remedy);
}

/* "ambiguous.process" counts processes, and a note explains it. */
static void warn_ambiguous(const struct source_warnings *w)
{
	const uintmax_t parents = count(w, "ambiguous.parent");
	const uintmax_t records = sum(w, "ambiguous") - parents - count(w, "ambiguous.process");
	const bool relative =
	    count(w, "ambiguous.order") > 0 && count(w, "unknown.offset_records") > 0;
	if (records > 0)
		source_warnings_one(
		    w, "%ju %s whose order or offset is not certain%s", records,
		    plural(records, "record", "records"),
		    relative ? "; the distances between their offsets are not certain either" : "");
	if (parents > 0)
		source_warnings_one(w, "%ju %s whose parent is not known", parents,
				    plural(parents, "process", "processes"));
}

static void warn_differences(const struct source_warnings *w)
{
	const struct iot_source_difference *d;
	const uintmax_t compared = sum(w, "check.compared");
	const uintmax_t found = fact(w, IOT_SOURCE_DIFFERENCES);
	if (w->verbose && compared > 0 && found == 0)
		message_print("--check compared %ju totals: all are the source's own", compared);
	if (found > 0)
		source_warnings_one(w, "--check found %ju %s from the source's own", found,
				    plural(found, "total that differs", "totals that differ"));
	for (size_t i = 0; (d = iot_source_difference(w->source, i)) != NULL; i++)
		message_print("  %s: %s: the source says %ju, the records %ju", d->where, d->what,
			      (uintmax_t)d->source_says, (uintmax_t)d->converted);
}

void source_warnings_print(const struct source_warnings *w)
{
	warn_notes(w);
	source_warnings_unparsed(w);
	warn_hidden(w);
	warn_unknown(w);
	warn_contradicted(w);
	warn_empty(w);
	warn_skipped(w);
	warn_ambiguous(w);
	warn_differences(w);
}
