/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace_out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "output.h"
#include "signals.h"
#include "lib/base/plural.h"

enum { TICK_DEFAULT_NS = 1000 /* of a trace that does not state it */ };

static int apply(struct iot_writer *w, const struct trace_out_options *o,
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
	if (status == IOT_OK && o->version != NOT_GIVEN && o->version != 0)
		status = iot_writer_set(w, IOT_SET_VERSION, o->version);
	if (status == IOT_OK && o->bare)
		status = iot_writer_set(w, IOT_SET_FRAMING, 0);
	if (status == IOT_OK && o->no_index)
		status = iot_writer_set(w, IOT_SET_INDEX, 0);
	if (status == IOT_OK && o->no_fsync)
		status = iot_writer_set(w, IOT_SET_FSYNC, 0);
	return status;
}

enum exit_status trace_out_check_suffix(const struct command_spec *cmd, const char *path)
{
	static const char *const others[] = {".xz", ".bz2", ".lz4", ".zstd", ".zip", ".Z"};
	char shown[512];
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (output_has_suffix(path, others[i]))
			return options_wrong(cmd, "%s: only .gz and .zst are made",
					     escape_text(shown, sizeof shown, path, strlen(path)));
	return EXIT_OK;
}

enum exit_status trace_out_open(struct iot_writer *w, const struct trace_out_options *o,
				const struct command_spec *cmd)
{
	enum iot_compression compression = o->compression >= 0
					       ? (enum iot_compression)o->compression
					       : output_compression(o->path);
	const enum exit_status status =
	    o->compression >= 0 ? EXIT_OK : trace_out_check_suffix(cmd, o->path);
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
		return trace_out_error(w, o);
	return EXIT_OK;
}

int trace_out_close(struct iot_writer *w)
{
	signals_hold(true);
	const int status = iot_writer_close(w);
	signals_hold(false);
	return status;
}

static const char *shown_output(char *shown, size_t size, const char *path)
{
	return strcmp(path, "-") == 0 ? "the output" : escape_text(shown, size, path, strlen(path));
}

void trace_out_report_cut(const char *path)
{
	char shown[512];
	message_print("interrupted before the end of the input: %s ends with %%lost",
		      shown_output(shown, sizeof shown, path));
}

void trace_out_report_discarded(const char *path)
{
	char shown[512];
	message_print("interrupted: %s has not been written",
		      shown_output(shown, sizeof shown, path));
}

struct iot_rounding trace_out_rounding(const struct iot_writer *w, bool wanted)
{
	const uint64_t tick_ns = wanted ? iot_writer_fact(w, IOT_FACT_TICK_NS) : 0;
	return (struct iot_rounding){.tick_ns = tick_ns > 1 ? tick_ns : 0};
}

void trace_out_report_rounding(const struct iot_rounding *r)
{
	if (r->times > 0)
		message_print("%ju %s rounded down to the tick of %ju ns, by at most %ju ns",
			      (uintmax_t)r->times, plural(r->times, "time was", "times were"),
			      (uintmax_t)r->tick_ns, (uintmax_t)r->max_ns);
}

void trace_out_note_bare(const struct trace_out_options *o)
{
	if (o->bare && o->tick_ns != NOT_GIVEN && o->tick_ns != TICK_DEFAULT_NS)
		message_print("note: a bare trace does not state its tick: read this one with "
			      "--in-tick=%ju",
			      (uintmax_t)o->tick_ns);
}

enum exit_status trace_out_error(const struct iot_writer *w, const struct trace_out_options *o)
{
	if (strcmp(o->path, "-") != 0 || !output_is_unread())
		message_print("%s", iot_writer_error(w));
	return EXIT_FAILED;
}

enum exit_status trace_out_make_directory(const char *path)
{
	char why[128];
	struct stat st;
	int errnum = mkdir(path, 0777) == 0 ? 0 : errno;
	if (errnum == EEXIST && stat(path, &st) == 0)
		errnum = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	if (errnum == 0)
		return EXIT_OK;
	snprintf(why, sizeof why, "the directory cannot be made: %s", strerror(errnum));
	return message_error(path, why);
}

struct iot_text trace_out_name_part(const char *path)
{
	size_t end = strlen(path), start;
	if (strcmp(path, "-") == 0)
		return (struct iot_text){"stdin", 5};
	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		;
	return (struct iot_text){path + start, end - start};
}

char *trace_out_name(const struct trace_out_options *o, const char *directory, const char *path)
{
	static const char *const suffixes[] = {
	    [IOT_PLAIN] = ".iot", [IOT_GZIP] = ".iot.gz", [IOT_ZSTD] = ".iot.zst"};
	const char *suffix = suffixes[o->compression >= 0 ? o->compression : IOT_ZSTD];
	const struct iot_text name = trace_out_name_part(path);
	char *out;
	const int size = asprintf(&out, "%s/%.*s%s", directory, (int)name.size, name.data, suffix);
	return size >= 0 ? out : NULL;
}
