/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages, progress, checked streams, and opening a trace for writing. */
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/io/byte_sink.h"
#include "signals.h"

#include "printable.h"

void print_message(const char *format, ...)
{
	char text[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	printable_sentence(text);
	/* A single call, so that lines of several processes do not mix. */
	fprintf(stderr, "iotrace: %s\n", text);
}

void print_message_about(const char *path, const char *format, ...)
{
	char name[512], text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	print_message("%s: %s", escape_text(name, sizeof name, path, strlen(path)), text);
}

int report_error(const char *path, const char *what)
{
	print_message_about(path, "%s", what);
	return EXIT_FAULT;
}

int out_of_memory(void)
{
	print_message("out of memory");
	return EXIT_FAULT;
}

const char *format_size(char *text, size_t capacity, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes / 1024;
	size_t i = 0;
	if (bytes < 1024) {
		snprintf(text, capacity, "%ju B", (uintmax_t)bytes);
		return text;
	}
	for (; value >= 999.5 && units[i + 1]; i++)
		value /= 1024;
	snprintf(text, capacity,
		 value < 9.995   ? "%.2f %ciB"
		 : value < 99.95 ? "%.1f %ciB"
				 : "%.0f %ciB",
		 value, units[i]);
	return text;
}

const char *format_lost(char *text, size_t capacity, uint64_t records)
{
	if (records > 0)
		snprintf(text, capacity, "at least %ju", (uintmax_t)records);
	else
		snprintf(text, capacity, "not known");
	return text;
}

/* Progress */

enum {
	PROGRESS_PERIOD_NS = 1000000000 / 6,
	PROGRESS_WIDTH = 80,      /* if stderr is not a terminal, or reports no width */
	PROGRESS_WIDTH_MAX = 120, /* longer lines have no more content */
};

static uint64_t monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static bool goes_to_terminal(const char *out)
{
	struct stat to, here;
	if (out == NULL)
		return false;
	if (strcmp(out, "-") == 0)
		return isatty(STDOUT_FILENO) == 1;
	if (stat(out, &to) != 0 || !S_ISCHR(to.st_mode))
		return false;
	return to.st_rdev == makedev(5, 0) /* /dev/tty */ ||
	       (fstat(STDERR_FILENO, &here) == 0 && to.st_rdev == here.st_rdev);
}

void progress_begin(struct progress *p, int how, bool quiet, const char *out)
{
	memset(p, 0, sizeof *p);
	p->on = how == PROGRESS_ALWAYS;
	if (how == PROGRESS_AUTO && !quiet)
		p->on = isatty(STDERR_FILENO) && !goes_to_terminal(out);
	p->started_ns = p->on ? monotonic_ns() : 0;
	p->last_ns = p->started_ns;
}

bool progress_due(const struct progress *p, uint64_t *last_ns)
{
	if (!p->on)
		return false;
	const uint64_t now = monotonic_ns();
	if (now - *last_ns < PROGRESS_PERIOD_NS)
		return false;
	*last_ns = now;
	return true;
}

/* The last column stays empty: some terminals wrap the line after it. */
static size_t line_width(void)
{
	struct winsize size;
	size_t width = PROGRESS_WIDTH;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	return (width < PROGRESS_WIDTH_MAX ? width : PROGRESS_WIDTH_MAX) - 1;
}

/* Omits fields that do not fit into the line. */
static void show_fields(struct progress *p, char field[][64], size_t count)
{
	char line[PROGRESS_WIDTH_MAX] = "";
	const size_t width = line_width();
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t gap = used > 0 ? 2 : 0, size = strlen(field[i]);
		if (size == 0 || used + gap + size > width)
			continue;
		snprintf(line + used, sizeof line - used, "%*s%s", (int)gap, "", field[i]);
		used += gap + size;
	}
	p->shown = true;
	fprintf(stderr, "\r%s\033[K", line);
}

static void format_share(char *text, size_t capacity, uint64_t done, uint64_t total)
{
	const double share = done < total ? 100 * (double)done / (double)total : 100;
	snprintf(text, capacity, "%3.0f %%", share);
}

static void format_left(char *text, size_t capacity, double seconds)
{
	const uint64_t s = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000U;
	if (s >= 3600)
		snprintf(text, capacity, "ETA %ju:%02ju:%02ju", (uintmax_t)(s / 3600),
			 (uintmax_t)(s / 60 % 60), (uintmax_t)(s % 60));
	else
		snprintf(text, capacity, "ETA %ju:%02ju", (uintmax_t)(s / 60), (uintmax_t)(s % 60));
}

void progress_show(struct progress *p, uint64_t done, uint64_t total, uint64_t records)
{
	enum { SHARE, BYTES, RATE, LEFT, RECORDS, FIELDS };
	char field[FIELDS][64] = {""}, text[32], all[32];
	if (!progress_due(p, &p->last_ns))
		return;
	const double seconds = (double)(p->last_ns - p->started_ns) / 1e9;
	const double rate = (double)done / seconds;
	format_size(text, sizeof text, done);
	if (total > 0) {
		format_share(field[SHARE], sizeof field[SHARE], done, total);
		snprintf(field[BYTES], sizeof field[BYTES], "%s of %s", text,
			 format_size(all, sizeof all, total));
	} else {
		snprintf(field[BYTES], sizeof field[BYTES], "%s", text);
	}
	snprintf(field[RATE], sizeof field[RATE], "%s/s",
		 format_size(text, sizeof text, (uint64_t)rate));
	if (done > 0 && done <= total)
		format_left(field[LEFT], sizeof field[LEFT], (double)(total - done) / rate);
	snprintf(field[RECORDS], sizeof field[RECORDS], "%ju records", (uintmax_t)records);
	show_fields(p, field, FIELDS);
}

void progress_show_written(struct progress *p, uint64_t records, uint64_t all)
{
	char field[3][64] = {"", "writing", ""};
	if (!progress_due(p, &p->last_ns))
		return;
	if (all > 0)
		format_share(field[0], sizeof field[0], records, all);
	snprintf(field[2], sizeof field[2], "%ju records", (uintmax_t)records);
	show_fields(p, field, 3);
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

/* Streams */

/* A closed pipe. There is no reader for a message, and `| head` is not an error. */
static bool nobody_reads_stdout(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n > m && strcmp(text + n - m, end) == 0;
}

static enum iot_compression compression_of(const char *path)
{
	return ends_with(path, ".gz") ? IOT_GZIP : ends_with(path, ".zst") ? IOT_ZSTD : IOT_PLAIN;
}

int output_open(struct output *o, const char *path, unsigned how)
{
	memset(o, 0, sizeof *o);
	o->standard = strcmp(path, "-") == 0;
	o->data = malloc(OUTPUT_SIZE);
	o->sink = byte_sink_new();
	if (!o->data || !o->sink)
		o->status = IOT_ENOMEM;
	else
		o->status = byte_sink_compress(o->sink, compression_of(path), 0, 0);
	if (o->status == IOT_OK) {
		byte_sink_how(o->sink, how);
		o->status = byte_sink_open(o->sink, path);
	}
	return o->status == IOT_OK ? EXIT_OK : output_close(o);
}

void output_spill(struct output *o)
{
	if (o->status == IOT_OK)
		o->status = byte_sink_write(o->sink, o->data, o->used);
	o->used = 0;
}

void output_flush(struct output *o)
{
	output_spill(o);
	if (o->status == IOT_OK)
		o->status = byte_sink_flush(o->sink);
}

void output_write(struct output *o, const void *data, size_t size)
{
	const char *from = data;
	while (size > 0) {
		if (o->used == OUTPUT_SIZE)
			output_spill(o);
		size_t n = OUTPUT_SIZE - o->used < size ? OUTPUT_SIZE - o->used : size;
		memcpy(o->data + o->used, from, n);
		o->used += n;
		from += n;
		size -= n;
	}
}

void output_printf(struct output *o, const char *format, ...)
{
	enum { CAPACITY = 4096 };
	char *to = output_reserve(o, CAPACITY);
	va_list args;
	va_start(args, format);
	int n = vsnprintf(to, CAPACITY, format, args);
	va_end(args);
	if (n > 0)
		output_took(o, to + (n < CAPACITY ? n : CAPACITY - 1));
}

void output_abandon(struct output *o)
{
	byte_sink_free(o->sink);
	free(o->data);
	memset(o, 0, sizeof *o);
}

int output_close(struct output *o)
{
	if (o->status == IOT_OK)
		output_spill(o);
	signals_hold(true);
	if (o->status == IOT_OK)
		o->status = byte_sink_close(o->sink);
	signals_hold(false);
	int status = o->status;
	bool quiet = status == IOT_EIO && o->standard && nobody_reads_stdout();
	if (status != IOT_OK && !quiet)
		print_message("%s", o->sink && status != IOT_ENOMEM ? byte_sink_error(o->sink)->text
								    : "out of memory");
	output_abandon(o);
	return status == IOT_OK ? EXIT_OK : EXIT_FAULT;
}

/* Output traces */

const char *option_base(const struct option *opt, const char *value)
{
	bool hex = strcmp(value, "16") == 0;
	if (!hex && strcmp(value, "10") != 0)
		return "16 or 10";
	*(uint64_t *)opt->target = hex ? 16 : 10;
	return NULL;
}

const char *option_tick(const struct option *opt, const char *value)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}};
	uint64_t ns = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(value, units[i].name) == 0)
			ns = units[i].ns;
	if (ns == 0 && !number_decimal(value, strlen(value), &ns))
		ns = 0;
	if (ns < 1 || ns > INT64_MAX)
		return "nanoseconds, or one of ns, us, ms";
	*(uint64_t *)opt->target = ns;
	return NULL;
}

static int apply(struct iot_writer *w, const struct write_options *o,
		 enum iot_compression compression)
{
	int status = iot_writer_set(w, IOT_SET_COMPRESSION, compression);
	if (status == IOT_OK)
		status = iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1);
	if (status == IOT_OK && o->level > 0)
		status = iot_writer_set(w, IOT_SET_LEVEL, o->level);
	if (status == IOT_OK && o->threads > 0)
		status = iot_writer_set(w, IOT_SET_THREADS, o->threads);
	if (status == IOT_OK && o->tick_ns != NOT_GIVEN)
		status = iot_writer_set(w, IOT_SET_TICK_NS, o->tick_ns);
	if (status == IOT_OK && o->base != NOT_GIVEN)
		status = iot_writer_set(w, IOT_SET_BASE, o->base);
	if (status == IOT_OK && o->sync != NOT_GIVEN)
		status = iot_writer_set(w, IOT_SET_SYNC, o->sync);
	if (status == IOT_OK && o->bare)
		status = iot_writer_set(w, IOT_SET_FRAMING, 0);
	if (status == IOT_OK && o->no_fsync)
		status = iot_writer_set(w, IOT_SET_FSYNC, 0);
	return status;
}

int refuse_suffix(const struct command_spec *cmd, const char *path)
{
	static const char *const others[] = {".xz", ".bz2", ".lz4", ".zstd", ".zip", ".Z"};
	char shown[512];
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (ends_with(path, others[i]))
			return options_wrong(cmd, "%s: only .gz and .zst are made",
					     escape_text(shown, sizeof shown, path, strlen(path)));
	return EXIT_OK;
}

int write_open(struct iot_writer *w, const struct write_options *o, const struct command_spec *cmd)
{
	enum iot_compression compression =
	    o->compression >= 0 ? (enum iot_compression)o->compression : compression_of(o->path);
	const int status = o->compression >= 0 ? EXIT_OK : refuse_suffix(cmd, o->path);
	if (status != EXIT_OK)
		return status;
	if (o->bare && o->framed)
		return options_wrong(cmd, "--bare and --framed exclude each other");
	if (compression == IOT_GZIP && o->level > 9)
		return options_wrong(cmd, "--level is %ju, gzip's levels are 1 to 9",
				     (uintmax_t)o->level);
	if (compression != IOT_PLAIN && strcmp(o->path, "-") == 0 && isatty(STDOUT_FILENO))
		return options_wrong(cmd, "compressed data is not written to a terminal; use -o");
	if (apply(w, o, compression) != IOT_OK)
		return options_wrong(cmd, "%s", iot_writer_error(w));
	if (iot_writer_open(w, o->path) != IOT_OK)
		return report_write_error(w, o);
	return EXIT_OK;
}

int write_close(struct iot_writer *w)
{
	signals_hold(true);
	const int status = iot_writer_close(w);
	signals_hold(false);
	return status;
}

void report_input_cut(const char *path)
{
	char shown[512];
	print_message("interrupted before the end of the input: %s ends with %%lost",
		      strcmp(path, "-") == 0
			  ? "the output"
			  : escape_text(shown, sizeof shown, path, strlen(path)));
}

struct iot_rounding rounding_begin(const struct iot_writer *w, bool wanted)
{
	const uint64_t tick_ns = wanted ? iot_writer_fact(w, IOT_FACT_TICK_NS) : 0;
	return (struct iot_rounding){.tick_ns = tick_ns > 1 ? tick_ns : 0};
}

void rounding_report(const struct iot_rounding *r)
{
	if (r->times > 0)
		print_message(
		    "%ju times were rounded down to the tick of %ju ns, by at most %ju ns",
		    (uintmax_t)r->times, (uintmax_t)r->tick_ns, (uintmax_t)r->max_ns);
}

int report_write_error(const struct iot_writer *w, const struct write_options *o)
{
	if (strcmp(o->path, "-") != 0 || !nobody_reads_stdout())
		print_message("%s", iot_writer_error(w));
	return EXIT_FAULT;
}

int make_output_directory(const char *path)
{
	char why[128];
	struct stat st;
	int errnum = mkdir(path, 0777) == 0 ? 0 : errno;
	if (errnum == EEXIST && stat(path, &st) == 0)
		errnum = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	if (errnum == 0)
		return EXIT_OK;
	snprintf(why, sizeof why, "the directory cannot be made: %s", strerror(errnum));
	return report_error(path, why);
}
