/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens inputs. */
#include "trace_in_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/thread.h"

#include "file_content.h"
#include "piped.h"
#include "same_file.h"
#include "signals.h"

enum { THREADS_MIN = 3, THREADS_MAX = 8 };

static void warn(void *context, const char *sentence)
{
	struct trace_in *in = context;
	if (in->quiet)
		return;
	progress_clear(&in->progress);
	message_print("warning: %s", sentence);
}

/*
 * Uses the available processors: with two, a thread that decompresses ahead is faster than parallel
 * decoding, whose records pass through memory once more, unless they are only counted.
 */
static unsigned threads(bool counted)
{
	const unsigned n = cpu_count();
	if (n < THREADS_MIN && !counted)
		return 1;
	return n < THREADS_MAX ? n : THREADS_MAX;
}

static int apply(struct iot_reader *r, const struct trace_in_options *o)
{
	int status = iot_reader_set(r, IOT_SET_VERIFY, o->no_verify ? 0 : 1);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_VERIFIED, o->verified ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_RECOVER, o->recover ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_ALLOW_EMPTY, o->allow_empty ? 1 : 0);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_NAMES, !o->no_names);
	if (status == IOT_OK)
		status = iot_reader_set(r, IOT_SET_READ_AHEAD, !o->probes);
	if (status == IOT_OK && (o->side_by_side || o->threads > 0))
		status = iot_reader_set(r, IOT_SET_THREADS,
					o->threads > 0 ? o->threads : threads(o->counted));
	if (status == IOT_OK && o->read_size > 0)
		status = iot_reader_set(r, IOT_SET_READ_SIZE, o->read_size);
	if (status == IOT_OK && o->base != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_BASE, o->base);
	if (status == IOT_OK && o->tick_ns != NOT_GIVEN)
		status = iot_reader_set(r, IOT_SET_TICK_NS, o->tick_ns);
	return status;
}

void trace_in_catch_signals(const char *path, struct trace_in_options *o, const char *out)
{
	o->interruptible = true;
	o->out = out;
	signals_catch(piped_detect(path) ? SIGNALS_PIPE : SIGNALS_FILES, out, o->quiet);
}

static void show_reading(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	struct trace_in *in = context;
	progress_show(&in->progress, done, total, records);
}

/* No file of IN may be the one that is written. */
static enum exit_status check_files(const struct trace_in *in, const struct trace_in_options *o,
				    const struct command_spec *cmd)
{
	struct same_file_set files = {.command = cmd};
	enum exit_status status = EXIT_OK;
	const char *path;
	if (in->log == NULL || o->out == NULL)
		return EXIT_OK;
	same_file_add(&files, ROLE_TRACE, o->out);
	for (size_t i = 0; status == EXIT_OK && (path = iot_source_file(in->source, i)); i++)
		status = same_file_check_member(&files, path);
	same_file_free(&files);
	return status;
}

/* A range that does not match the input is an error of the plan, not damage. */
static enum exit_status limit_to_range(struct trace_in *in, const struct trace_in_options *o)
{
	const int status = iot_reader_set_range(in->reader, o->range, o->alone);
	if (status == IOT_OK) {
		in->alone_bytes = o->alone ? o->range->part.to - o->range->part.from : 0;
		return EXIT_OK;
	}
	in->status = status;
	in->opened = false;
	message_print("%s", iot_reader_error(in->reader));
	return EXIT_FAILED;
}

static enum exit_status open_reader(struct trace_in *in, const struct trace_in_options *o)
{
	in->reader = iot_reader_new();
	if (in->reader == NULL)
		return trace_in_fail(in, IOT_ENOMEM);
	iot_reader_on_warning(in->reader, warn, in);
	int status = apply(in->reader, o);
	if (status == IOT_OK)
		status = iot_source_open_reader(in->source, in->reader);
	in->opened = status == IOT_OK;
	if (status == IOT_OK && o->range != NULL)
		return limit_to_range(in, o);
	return status == IOT_OK ? EXIT_OK : trace_in_fail(in, status);
}

/* Returns physical if the events have records, all of which are physical. */
static enum record_layer layer_of(const struct iot_event *ev, size_t n)
{
	enum record_layer layer = LAYER_DEFAULT;
	for (size_t i = 0; i < n && layer != LAYER_LOGICAL; i++)
		if (ev[i].kind == IOT_RECORD)
			layer = ev[i].rec.type & IOT_LOGICAL ? LAYER_LOGICAL : LAYER_PHYSICAL;
	return layer == LAYER_PHYSICAL ? layer : LAYER_LOGICAL;
}

void trace_in_report_physical(const struct trace_in_options *o, const char *why)
{
	if (!o->quiet || !o->shows_layer)
		message_print("%s: physical ones are used (--layer=physical)", why);
}

/* Copies the text of an event, which the next pull invalidates. */
static bool keep_text(struct trace_in *in, struct iot_event *ev)
{
	in->held_text = malloc(ev->text.size + 1);
	if (in->held_text == NULL)
		return false;
	if (ev->text.size > 0)
		memcpy(in->held_text, ev->text.data, ev->text.size);
	ev->text.data = in->held_text;
	return true;
}

/*
 * Determines the layer from the first events, which are held, as the input is read once. The
 * reader itself loads a state, so only its first line is held.
 */
static enum exit_status peek_layer(struct trace_in *in, const struct trace_in_options *o)
{
	struct iot_event *ev = malloc(TRACE_IN_BATCH * sizeof *ev);
	in->held = ev;
	size_t n = ev != NULL ? trace_in_events(in, ev, 1) : 0;
	if (ev == NULL || (n > 0 && !keep_text(in, ev)))
		return trace_in_fail(in, IOT_ENOMEM);
	if (n > 0 && !file_content_is_state(ev))
		n += trace_in_events(in, ev + 1, TRACE_IN_BATCH - 1);
	in->held_count = n;
	in->filter.layer = layer_of(in->held, in->held_count);
	if (in->filter.layer == LAYER_PHYSICAL)
		trace_in_report_physical(o, "the first records are physical");
	return EXIT_OK;
}

enum exit_status trace_in_open(struct trace_in *in, const char *path,
			       const struct trace_in_options *o, const struct command_spec *cmd)
{
	memset(in, 0, sizeof *in);
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(cmd, "standard input is a terminal; name a trace");
	in->quiet = o->quiet;
	in->verified = o->verified;
	in->interruptible = o->interruptible;
	in->names_input = o->names_input;
	in->probes = o->probes;
	in->growing = o->growing;
	in->filter.layer = o->layer;
	in->filters = (o->layer == LAYER_POSIX || o->layer == LAYER_MPIIO) && !o->mixes_layers;
	in->operand = path;
	escape_text(in->path, sizeof in->path, path, strlen(path));
	progress_begin(&in->progress, o->progress, o->quiet, o->out);
	struct source_in_options source = o->source;
	if (o->range != NULL || (o->trace != NULL && strcmp(o->trace, path) == 0))
		source.format = "iotrace"; /* the first bytes need not be read to detect it */
	enum exit_status status = source_in_open(&in->source, path, &source, o->interruptible, cmd);
	if (status != EXIT_OK) {
		in->status = IOT_EIO;
		return status;
	}
	in->log = source_in_is_trace(in->source) ? NULL : iot_source_name(in->source);
	if (in->progress.on && in->log != NULL)
		iot_source_on_progress(in->source, show_reading, in);
	status = check_files(in, o, cmd);
	if (status == EXIT_OK)
		status = open_reader(in, o);
	if (status == EXIT_OK && o->selects_layer && o->layer == LAYER_DEFAULT)
		status = peek_layer(in, o);
	return status;
}

int trace_in_descriptor(const char *path, struct stat *st)
{
	const int fd =
	    strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	const bool fine = fd >= 0 && fstat(fd, st) == 0;
	if (fine && !S_ISDIR(st->st_mode))
		return fd;
	char why[128];
	snprintf(why, sizeof why, "cannot be %s: %s", fine ? "read" : "opened",
		 strerror(fine ? EISDIR : errno));
	if (fd > STDIN_FILENO)
		(void)close(fd);
	message_print_about(path, "%s", why);
	return -1;
}
