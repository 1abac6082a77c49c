/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source -> count rounding -> writer. If everything can be read and written again, sorting streams:
 * a source that violates its watermark then costs only time, as the conversion restarts with a full
 * sort. Otherwise all events are sorted before the first is written. Live sources are never held:
 * released events are written while the source is still running.
 */
#include "convert.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/ui/piped.h"
#include "cli/ui/signals.h"
#include "cli/ui/source_in.h"
#include "cli/ui/source_warnings.h"
#include "cli/views/conversion.h"
#include "lib/base/error.h"

enum { FLUSH_MS = 200 };

static enum exit_status report_failure(struct conversion *c, const char *sentence)
{
	progress_clear(&c->progress);
	if (signals_ending() == 0)
		message_print("%s", sentence);
	return EXIT_FAILED;
}

static enum exit_status refuse(struct conversion *c, int status)
{
	const struct convert_options *o = c->options;
	const char *key = o->setting_count > 0 ? o->settings[0].name : NULL;
	char text[1024];
	const char *sentence = source_in_sentence(c->source, "--from", key, text, sizeof text);
	if (iot_source_fact(c->source, IOT_SOURCE_CANCELLED))
		atomic_store(&signals_interrupt()->cut, true);
	c->misused = status == IOT_EUSAGE;
	if (c->misused)
		return options_wrong(o->command, "%s", sentence);
	return report_failure(c, sentence);
}

static enum exit_status write_failure(struct conversion *c)
{
	progress_clear(&c->progress);
	return trace_out_error(c->writer, &c->write);
}

static bool is_fact(const struct conversion *c, enum iot_source_fact fact)
{
	return iot_source_fact(c->source, fact) != 0;
}

/* Input */

static void show_progress(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	progress_show(context, done, total, records);
}

static int apply_settings(struct conversion *c)
{
	const struct convert_options *o = c->options;
	char memory[32];
	snprintf(memory, sizeof(memory), "%ju", (uintmax_t)o->memory);
	int status = iot_source_set(c->source, "memory", memory);
	if (status == IOT_OK)
		status = iot_source_set(c->source, "option-prefix", "--");
	if (status == IOT_OK && o->format != NULL)
		status = iot_source_set(c->source, "format", o->format);
	for (size_t i = 0; i < o->setting_count && status == IOT_OK; i++)
		status = iot_source_set(c->source, o->settings[i].name, o->settings[i].value);
	return status;
}

static enum exit_status check_files(struct conversion *c)
{
	const char *path;
	enum exit_status status = EXIT_OK;
	for (size_t i = 0; (path = iot_source_file(c->source, i)) != NULL && status == EXIT_OK; i++)
		if (c->options->files != NULL)
			status = same_file_check_member(c->options->files, path);
	return status;
}

static enum exit_status refuse_trace(struct conversion *c)
{
	const char *path = iot_source_file(c->source, 0);
	char shown[256], sentence[512];
	c->refused = true;
	escape_text(shown, sizeof(shown), path, strlen(path));
	snprintf(sentence, sizeof(sentence),
		 "%s: a trace already, with nothing to convert; see iotrace cat", shown);
	return report_failure(c, sentence);
}

static enum exit_status open_source(struct conversion *c)
{
	for (size_t i = 0; i < c->path_count; i++)
		c->piped = c->piped || piped_detect(c->paths[i]);
	signals_catch(c->piped ? SIGNALS_PIPE : SIGNALS_FILES, c->write.path, c->options->quiet);
	iot_source_cancel_by(c->source, &signals_interrupt()->request);
	if (c->progress.on)
		iot_source_on_progress(c->source, show_progress, &c->progress);
	int status = apply_settings(c);
	if (status == IOT_OK)
		status = iot_source_open(c->source, c->paths, c->path_count);
	if (status != IOT_OK)
		return refuse(c, status);
	if (strcmp(iot_source_name(c->source), "iotrace") == 0)
		return refuse_trace(c);
	if (c->options->write.tick_ns == NOT_GIVEN)
		c->write.tick_ns = iot_source_fact(c->source, IOT_SOURCE_TICK_NS);
	return check_files(c);
}

/* Output */

static int64_t now_ms(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Returns whether a reader may be waiting for the events of a slow source. */
static bool must_flush(struct conversion *c, const struct iot_batch *b)
{
	if (!c->piped)
		return false;
	if (c->options->unsorted && b->count < IOT_BATCH_EVENTS - 1)
		return true;
	if (c->rewritable || !is_fact(c, IOT_SOURCE_LIVE))
		return false;
	const int64_t now = now_ms();
	if (!is_fact(c, IOT_SOURCE_WAITING) && now - c->flushed_ms < FLUSH_MS)
		return false;
	c->flushed_ms = now;
	return true;
}

static int write_batch(struct conversion *c, const struct iot_batch *b)
{
	int status = iot_writer_events(c->writer, b->events, b->count);
	if (status == IOT_OK && must_flush(c, b))
		status = iot_writer_flush(c->writer);
	if (is_fact(c, IOT_SOURCE_READ))
		progress_show_written(&c->progress, iot_writer_fact(c->writer, IOT_FACT_RECORDS),
				      iot_source_fact(c->source, IOT_SOURCE_RECORDS));
	return status;
}

/* The counts are final when the input has been read. */
static bool strict_is_violated(const struct conversion *c)
{
	return c->options->strict && is_fact(c, IOT_SOURCE_READ) &&
	       (is_fact(c, IOT_SOURCE_LOST) || is_fact(c, IOT_SOURCE_UNPARSED) ||
		source_count_sum(c->source, "ambiguous") > 0);
}

/* Writes all events. Returns EXIT_OK also for a damaged source. */
static enum exit_status write_events(struct conversion *c, struct iot_stream *s,
				     struct iot_batch *b)
{
	int status = IOT_OK, written = IOT_OK;
	while (written == IOT_OK && (status = iot_stream_next(s, b)) > 0) {
		c->violated = strict_is_violated(c);
		if (signals_pending() != 0 || c->violated)
			return EXIT_OK;
		written = write_batch(c, b);
	}
	c->violated = strict_is_violated(c);
	if (written != IOT_OK)
		return write_failure(c);
	if (is_fact(c, IOT_SOURCE_RESTART))
		return EXIT_FAILED;
	return status == 0 || is_fact(c, IOT_SOURCE_LOST) || signals_pending() != 0
		   ? EXIT_OK
		   : report_failure(c, iot_stream_error(s));
}

static enum exit_status run_pipeline(struct conversion *c)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_stream *s = iot_source_stream(c->source);
	if (s == NULL && *iot_source_error(c->source) != '\0') {
		iot_batch_free(b);
		return refuse(c, IOT_EFORMAT);
	}
	s = iot_stream_count_rounding(s, &c->rounding);
	const enum exit_status status =
	    b != NULL && s != NULL ? write_events(c, s, b) : report_failure(c, "out of memory");
	iot_stream_free(s);
	iot_batch_free(b);
	if (is_fact(c, IOT_SOURCE_CANCELLED))
		atomic_store(&signals_interrupt()->cut, true);
	return status;
}

static enum exit_status finish(struct conversion *c)
{
	if (signals_pending() != 0 || c->violated)
		return EXIT_FAILED;
	if (trace_out_close(c->writer) != IOT_OK)
		return write_failure(c);
	c->kept = true;
	c->written = iot_writer_fact(c->writer, IOT_FACT_BYTES_STORED);
	return is_fact(c, IOT_SOURCE_LOST) || source_is_mostly_unparsed(c->source) ? EXIT_DAMAGED
										   : EXIT_OK;
}

/* One attempt */

static enum exit_status open_output(struct conversion *c)
{
	c->writer = iot_writer_new();
	if (c->writer == NULL)
		return report_failure(c, "out of memory");
	if (!c->options->quiet)
		trace_out_note_bare(&c->write);
	const enum exit_status status = trace_out_open(c->writer, &c->write, c->options->command);
	c->rounding = trace_out_rounding(c->writer, c->options->verbose && !c->options->quiet);
	return status;
}

/* Returns the exit status, unless IOT_SOURCE_RESTART has been set. */
static enum exit_status attempt(struct conversion *c, const char *order)
{
	enum exit_status status = iot_source_set(c->source, "order", order) == IOT_OK
				      ? open_output(c)
				      : report_failure(c, iot_source_error(c->source));
	if (status == EXIT_OK)
		status = run_pipeline(c);
	if (status == EXIT_OK)
		status = finish(c);
	iot_writer_free(c->writer);
	c->writer = NULL;
	progress_clear(&c->progress);
	return status;
}

/* Entry point */

static bool is_rewritable(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static enum exit_status convert(struct conversion *c)
{
	enum exit_status status = open_source(c);
	if (status != EXIT_OK)
		return status;
	c->rewritable = is_rewritable(c->write.path);
	const bool again = c->rewritable && is_fact(c, IOT_SOURCE_REPEATABLE);
	status = attempt(c, c->options->unsorted ? "input" : again ? "stream" : "start");
	if (!is_fact(c, IOT_SOURCE_RESTART))
		return status;
	c->restarted = true;
	if (c->options->verbose)
		message_print("cannot sort while streaming; restarting with a full sort");
	return attempt(c, "start");
}

static void report_cut(const struct conversion *c)
{
	if (c->kept)
		trace_out_report_cut(c->write.path);
	else
		trace_out_report_discarded(c->write.path);
}

static enum exit_status report(struct conversion *c, enum exit_status status, struct report_file *f)
{
	if (signals_cut() || (signals_pending() != 0 && !c->kept))
		report_cut(c);
	else if (is_fact(c, IOT_SOURCE_LOST))
		(void)report_failure(c, iot_source_error(c->source));
	if (!c->misused && signals_pending() == 0) {
		f->due = true;
		convert_warn(c);
		if (f->path != NULL)
			conversion_print(&f->json, c);
	}
	return status;
}

enum exit_status convert_and_report(const struct convert_options *o, const char *const *paths,
				    size_t count, const char *out, struct report_file *f)
{
	struct conversion c = {
	    .options = o, .paths = paths, .path_count = count, .write = o->write};
	c.write.path = out;
	c.source = iot_source_new();
	if (c.source == NULL)
		return message_no_memory();
	progress_begin(&c.progress, o->progress, o->quiet, out);
	enum exit_status status = convert(&c);
	signals_restore();
	status = report(&c, status, f);
	iot_source_free(c.source);
	return status;
}
