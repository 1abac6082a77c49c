/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages, progress, checked streams, and opening a trace for writing. */
#include "out.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/number.h"
#include "lib/sink.h"
#include "signals.h"

#include "printable.h"

void iot_message(const char *format, ...)
{
	char text[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	iot_printable_sentence(text);
	/* One call, so that lines of several processes do not mix. */
	fprintf(stderr, "iotrace: %s\n", text);
}

int iot_fault(const char *path, const char *what)
{
	char shown[512];
	iot_message("%s: %s", iot_escape(shown, sizeof shown, path, strlen(path)), what);
	return IOT_EXIT_FAULT;
}

int iot_no_memory(void)
{
	iot_message("out of memory");
	return IOT_EXIT_FAULT;
}

const char *iot_people_bytes(char *text, size_t room, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes / 1024;
	size_t i = 0;
	if (bytes < 1024) {
		snprintf(text, room, "%ju B", (uintmax_t)bytes);
		return text;
	}
	for (; value >= 999.5 && units[i + 1]; i++)
		value /= 1024;
	snprintf(text, room,
		 value < 9.995   ? "%.2f %ciB"
		 : value < 99.95 ? "%.1f %ciB"
				 : "%.0f %ciB",
		 value, units[i]);
	return text;
}

const char *iot_people_lost(char *text, size_t room, uint64_t records)
{
	if (records > 0)
		snprintf(text, room, "at least %ju", (uintmax_t)records);
	else
		snprintf(text, room, "not known");
	return text;
}

/* Progress */

enum { PROGRESS_PERIOD_NS = 1000000000 / 6 };

static uint64_t monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void iot_progress_begin(struct iot_progress *p, int how, bool quiet)
{
	memset(p, 0, sizeof *p);
	p->on = how == IOT_PROGRESS_ALWAYS;
	/* On a terminal that also shows the data the line would only be in the way. */
	if (how == IOT_PROGRESS_AUTO && !quiet)
		p->on = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
	p->started_ns = p->on ? monotonic_ns() : 0;
	p->last_ns = p->started_ns;
}

void iot_progress_show(struct iot_progress *p, uint64_t done, uint64_t total, uint64_t records)
{
	char text[32], share[16] = "";
	if (!p->on)
		return;
	uint64_t now = monotonic_ns();
	if (now - p->last_ns < PROGRESS_PERIOD_NS)
		return;
	p->last_ns = now;
	p->shown = true;
	if (total > 0)
		snprintf(share, sizeof share, "%3.0f %%  ", 100 * (double)done / (double)total);
	fprintf(stderr, "\r%s%s read  %ju records  %.1f M/s\033[K", share,
		iot_people_bytes(text, sizeof text, done), (uintmax_t)records,
		(double)records * 1000 / (double)(now - p->started_ns));
}

void iot_progress_clear(struct iot_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

/* Streams */

/* A pipe whose reader has gone. Nobody is left to be told, and `| head` is no fault. */
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

int iot_out_open(struct iot_out *o, const char *path, unsigned how)
{
	memset(o, 0, sizeof *o);
	o->standard = strcmp(path, "-") == 0;
	o->data = malloc(IOT_OUT_SIZE);
	o->sink = iot_sink_new();
	if (!o->data || !o->sink)
		o->status = IOT_ENOMEM;
	else
		o->status = iot_sink_compress(o->sink, compression_of(path), 0, 0);
	if (o->status == IOT_OK) {
		iot_sink_how(o->sink, how);
		o->status = iot_sink_open(o->sink, path);
	}
	return o->status == IOT_OK ? IOT_EXIT_OK : iot_out_close(o);
}

void iot_out_spill(struct iot_out *o)
{
	if (o->status == IOT_OK)
		o->status = iot_sink_write(o->sink, o->data, o->used);
	o->used = 0;
}

void iot_out_flush(struct iot_out *o)
{
	iot_out_spill(o);
	if (o->status == IOT_OK)
		o->status = iot_sink_flush(o->sink);
}

void iot_out_write(struct iot_out *o, const void *data, size_t size)
{
	const char *from = data;
	while (size > 0) {
		if (o->used == IOT_OUT_SIZE)
			iot_out_spill(o);
		size_t n = IOT_OUT_SIZE - o->used < size ? IOT_OUT_SIZE - o->used : size;
		memcpy(o->data + o->used, from, n);
		o->used += n;
		from += n;
		size -= n;
	}
}

void iot_out_printf(struct iot_out *o, const char *format, ...)
{
	enum { ROOM = 4096 };
	char *to = iot_out_room(o, ROOM);
	va_list args;
	va_start(args, format);
	int n = vsnprintf(to, ROOM, format, args);
	va_end(args);
	if (n > 0)
		iot_out_took(o, to + (n < ROOM ? n : ROOM - 1));
}

void iot_out_abandon(struct iot_out *o)
{
	iot_sink_free(o->sink);
	free(o->data);
	memset(o, 0, sizeof *o);
}

int iot_out_close(struct iot_out *o)
{
	if (o->status == IOT_OK)
		iot_out_spill(o);
	iot_signals_hold(true);
	if (o->status == IOT_OK)
		o->status = iot_sink_close(o->sink);
	iot_signals_hold(false);
	int status = o->status;
	bool quiet = status == IOT_EIO && o->standard && nobody_reads_stdout();
	if (status != IOT_OK && !quiet)
		iot_message("%s", o->sink && status != IOT_ENOMEM ? iot_sink_error(o->sink)->text
								  : "out of memory");
	iot_out_abandon(o);
	return status == IOT_OK ? IOT_EXIT_OK : IOT_EXIT_FAULT;
}

/* Traces out */

const char *iot_opt_base(const struct iot_opt *opt, const char *value)
{
	bool hex = strcmp(value, "16") == 0;
	if (!hex && strcmp(value, "10") != 0)
		return "16 or 10";
	*(uint64_t *)opt->target = hex ? 16 : 10;
	return NULL;
}

const char *iot_opt_tick(const struct iot_opt *opt, const char *value)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}};
	uint64_t ns = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(value, units[i].name) == 0)
			ns = units[i].ns;
	if (ns == 0 && !iot_number_decimal(value, strlen(value), &ns))
		ns = 0;
	if (ns < 1 || ns > INT64_MAX)
		return "nanoseconds, or one of ns, us, ms";
	*(uint64_t *)opt->target = ns;
	return NULL;
}

static int apply(struct iot_writer *w, const struct iot_write_options *o,
		 enum iot_compression compression)
{
	int status = iot_writer_set(w, IOT_SET_COMPRESSION, compression);
	if (status == IOT_OK)
		status = iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1);
	if (status == IOT_OK && o->level > 0)
		status = iot_writer_set(w, IOT_SET_LEVEL, o->level);
	if (status == IOT_OK && o->threads > 0)
		status = iot_writer_set(w, IOT_SET_THREADS, o->threads);
	if (status == IOT_OK && o->tick_ns != IOT_NOT_GIVEN)
		status = iot_writer_set(w, IOT_SET_TICK_NS, o->tick_ns);
	if (status == IOT_OK && o->base != IOT_NOT_GIVEN)
		status = iot_writer_set(w, IOT_SET_BASE, o->base);
	if (status == IOT_OK && o->sync != IOT_NOT_GIVEN)
		status = iot_writer_set(w, IOT_SET_SYNC, o->sync);
	if (status == IOT_OK && o->bare)
		status = iot_writer_set(w, IOT_SET_FRAMING, 0);
	if (status == IOT_OK && o->no_fsync)
		status = iot_writer_set(w, IOT_SET_FSYNC, 0);
	return status;
}

int iot_refuse_suffix(const struct iot_command *cmd, const char *path)
{
	static const char *const others[] = {".xz", ".bz2", ".lz4", ".zstd", ".zip", ".Z"};
	char shown[512];
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (ends_with(path, others[i]))
			return iot_opts_wrong(cmd, "%s: only .gz and .zst are made",
					      iot_escape(shown, sizeof shown, path, strlen(path)));
	return IOT_OPTS_GO_ON;
}

int iot_write_open(struct iot_writer *w, const struct iot_write_options *o,
		   const struct iot_command *cmd)
{
	enum iot_compression compression =
	    o->compression >= 0 ? (enum iot_compression)o->compression : compression_of(o->path);
	const int status = o->compression >= 0 ? IOT_OPTS_GO_ON : iot_refuse_suffix(cmd, o->path);
	if (status != IOT_OPTS_GO_ON)
		return status;
	if (o->bare && o->framed)
		return iot_opts_wrong(cmd, "--bare and --framed exclude each other");
	if (compression == IOT_GZIP && o->level > 9)
		return iot_opts_wrong(cmd, "--level is %ju, gzip's levels are 1 to 9",
				      (uintmax_t)o->level);
	if (compression != IOT_PLAIN && strcmp(o->path, "-") == 0 && isatty(STDOUT_FILENO))
		return iot_opts_wrong(cmd, "compressed data is not written to a terminal; use -o");
	if (apply(w, o, compression) != IOT_OK)
		return iot_opts_wrong(cmd, "%s", iot_writer_error(w));
	if (iot_writer_open(w, o->path) != IOT_OK)
		return iot_write_fault(w, o);
	return IOT_EXIT_OK;
}

int iot_write_close(struct iot_writer *w)
{
	iot_signals_hold(true);
	const int status = iot_writer_close(w);
	iot_signals_hold(false);
	return status;
}

void iot_tell_cut(const char *path)
{
	char shown[512];
	iot_message("interrupted before the end of the input: %s ends with %%lost",
		    strcmp(path, "-") == 0
			? "the output"
			: iot_escape(shown, sizeof shown, path, strlen(path)));
}

int iot_write_fault(const struct iot_writer *w, const struct iot_write_options *o)
{
	if (strcmp(o->path, "-") != 0 || !nobody_reads_stdout())
		iot_message("%s", iot_writer_error(w));
	return IOT_EXIT_FAULT;
}

int iot_make_folder(const char *path)
{
	char why[128];
	struct stat st;
	int errnum = mkdir(path, 0777) == 0 ? 0 : errno;
	if (errnum == EEXIST && stat(path, &st) == 0)
		errnum = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	if (errnum == 0)
		return IOT_EXIT_OK;
	snprintf(why, sizeof why, "the directory cannot be made: %s", strerror(errnum));
	return iot_fault(path, why);
}
