/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/ui/printable.h"
#include "info.h"

enum { TEXT_CAPACITY = 1024, NS_PER_S = 1000000000 };

static void line(struct output *o, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void line(struct output *o, const char *label, const char *format, ...)
{
	char text[TEXT_CAPACITY];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	output_printf(o, "  %-12s %s\n", label, text);
}

/* Returns false if the time is not on the calendar of the system. */
static bool format_date(char *text, size_t capacity, uint64_t ns)
{
	char date[64];
	struct tm tm;
	const time_t seconds = (time_t)(ns / NS_PER_S);
	if (!gmtime_r(&seconds, &tm) || strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return false;
	snprintf(text, capacity, "%s.%09u UTC", date, (unsigned)(ns % NS_PER_S));
	return true;
}

/* Times of a trace that begins in 1970 are dates themselves. */
static void print_epoch(struct output *o, const struct info *f)
{
	char date[96];
	uint64_t ns;
	if (info_epoch(f, &ns) && ns > 0 && format_date(date, sizeof date, ns))
		line(o, "start", "%s", date);
}

static void print_samples(struct output *o, const struct info *f)
{
	char from[96], to[96];
	uint64_t epoch_ns;
	if (f->samples > 0)
		line(o, "samples", "%ju", (uintmax_t)f->samples);
	if (f->observed_ns[1] == 0)
		return;
	if (info_epoch(f, &epoch_ns) &&
	    format_date(from, sizeof from, epoch_ns + f->observed_ns[0]) &&
	    format_date(to, sizeof to, epoch_ns + f->observed_ns[1]))
		line(o, "observed", "from %s to %s", from, to);
}

static void print_reported(struct output *o, const struct info *f)
{
	char text[TEXT_CAPACITY];
	for (int i = 0; i < KEYS; i++) {
		const struct reported *t = &f->reported[i];
		if (i == KEY_EPOCH)
			print_epoch(o, f);
		else if (t->text)
			line(o, info_keys[i], "%s", printable(text, sizeof text, t->text, t->size));
	}
}

static void print_ways(struct output *o, const char *what, const struct ways *w)
{
	char label[32], bytes[32];
	for (int way = READ; way < WAYS; way++) {
		snprintf(label, sizeof label, "%s%s", what, way == READ ? "reads" : "writes");
		line(o, label, "%ju, %s (%ju bytes)", (uintmax_t)w->records[way],
		     printable_bytes(bytes, sizeof bytes, w->bytes[way]), (uintmax_t)w->bytes[way]);
	}
}

/* How to log what the records of a log of strace lack. */
static void print_log_remedy(struct output *o, const struct info *f)
{
	const struct reported *source = &f->reported[0];
	const size_t size = strlen("strace");
	if (source->text == NULL || source->size != size ||
	    memcmp(source->text, "strace", size) != 0 ||
	    f->unknown_offsets + f->unknown_durations + f->unknown_starts == 0)
		return;
	line(o, "remedy", "log%s%s",
	     f->unknown_starts > 0      ? " with 'strace -ttt -T'"
	     : f->unknown_durations > 0 ? " with 'strace -T'"
					: "",
	     f->unknown_offsets > 0 ? " from the start of the program, without -e trace=" : "");
}

static void print_ios(struct output *o, const struct info *f)
{
	const uint64_t physical = f->physical.records[READ] + f->physical.records[WRITE];
	const uint64_t records = f->logical.records[READ] + f->logical.records[WRITE] + physical;
	print_ways(o, "", &f->logical);
	if (physical > 0)
		print_ways(o, "disk ", &f->physical);
	if (f->unknown_offsets > 0)
		line(o, "offsets", "%ju count from an unknown base", (uintmax_t)f->unknown_offsets);
	if (f->unknown_durations > 0)
		line(o, "durations", "%ju of %ju are not known", (uintmax_t)f->unknown_durations,
		     (uintmax_t)records);
	if (f->unknown_starts > 0)
		line(o, "starts", "%ju of %ju are not known", (uintmax_t)f->unknown_starts,
		     (uintmax_t)records);
	print_log_remedy(o, f);
}

static void print_no_ios(struct output *o)
{
	line(o, "reads", "- (there are counters, but no I/Os)");
	line(o, "writes", "-");
}

/* An I/O without a known end may have been the last one to end. */
static void print_span(struct output *o, const struct info *f)
{
	const bool ends = f->any_end && f->completed_ns >= f->last_ns;
	const int64_t last_ns = ends ? f->completed_ns : f->last_ns;
	const bool min = f->unknown_durations + f->unknown_starts > 0;
	if (!f->any && f->unknown_starts > 0)
		line(o, "span", "-");
	if (!f->any)
		return;
	line(o, "span", "%s%.6f s, from %.6f to %s%.6f s", min ? "at least " : "",
	     (double)(last_ns - f->first_ns) / NS_PER_S, (double)f->first_ns / NS_PER_S,
	     ends ? "" : "the last start at ", (double)last_ns / NS_PER_S);
}

static void print_ids(struct output *o, const struct info *f, bool known)
{
	if (!known) {
		line(o, "processes", "-");
		line(o, "files", "-");
		return;
	}
	if (f->no_processes)
		line(o, "processes", "-");
	else
		line(o, "processes", "%zu", f->processes.count);
	line(o, "files", "%zu read or written, %zu different", f->files.count, f->objects.count);
}

static void print_storage(struct output *o, const struct trace_in *in)
{
	const struct iot_reader *r = in->reader;
	char stored[32];
	uint64_t records = iot_reader_fact(r, IOT_FACT_RECORDS);
	uint64_t bytes = iot_reader_fact(r, IOT_FACT_BYTES_STORED);
	uint64_t sync = iot_reader_fact(r, IOT_FACT_SYNC);
	line(o, "format", "base %ju, tick %ju ns, %s", (uintmax_t)iot_reader_fact(r, IOT_FACT_BASE),
	     (uintmax_t)iot_reader_fact(r, IOT_FACT_TICK_NS), info_compression(in));
	if (sync > 0)
		line(o, "sync", "every %ju records", (uintmax_t)sync);
	printable_bytes(stored, sizeof stored, bytes);
	if (records > 0)
		line(o, "size", "%s, %.2f bytes per record", stored,
		     (double)bytes / (double)records);
	else
		line(o, "size", "%s", stored);
}

static void print_format(struct output *o, const struct trace_in *in)
{
	line(o, "format", "%s, tick %ju ns", in->log,
	     (uintmax_t)iot_reader_fact(in->reader, IOT_FACT_TICK_NS));
}

static void print_unseen(struct output *o, const struct unseen *u)
{
	char sentence[UNSEEN_TEXT], text[TEXT_CAPACITY];
	if (!unseen_possible(u))
		return;
	(void)unseen_sentence(u, sentence);
	line(o, "not seen", "%s", printable(text, sizeof text, sentence, strlen(sentence)));
	if (unseen_remedy(u) != NULL)
		line(o, "remedy", "%s", unseen_remedy(u));
}

void info_print_text(struct output *o, const char *path, const struct info *f,
		     const struct trace_in *in)
{
	char text[TEXT_CAPACITY], lost[32];
	const struct iot_reader *r = in->reader;
	output_printf(o, "%s: %s\n", printable(text, sizeof text, path, strlen(path)),
		      info_state(f, in));
	print_unseen(o, &f->unseen);
	print_reported(o, f);
	if (f->traces > 1)
		line(o, "traces", "%ju traces in one; the properties above are of the first",
		     (uintmax_t)f->traces);
	line(o, "records", "%ju", (uintmax_t)iot_reader_fact(r, IOT_FACT_RECORDS));
	if (info_has_ios(f, in))
		print_ios(o, f);
	else
		print_no_ios(o);
	if (f->gaps > 0)
		line(o, "gaps", "%ju, records lost: %s", (uintmax_t)f->gaps,
		     message_lost(lost, sizeof lost, f->lost_records));
	line(o, "comments", "%ju", (uintmax_t)iot_reader_fact(r, IOT_FACT_COMMENTS));
	print_samples(o, f);
	if (f->counters > 0)
		line(o, "counters", "%ju", (uintmax_t)f->counters);
	print_ids(o, f, info_has_ios(f, in));
	print_span(o, f);
	if (in->log != NULL)
		print_format(o, in);
	else
		print_storage(o, in);
}
