/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source -> sorter -> rebase -> writer. Sorting streams if everything can be read and written
 * again: a source that violates its watermark then costs only time, as the conversion restarts with
 * a sorter that holds all events. Otherwise the sorter holds all events from the start. Live
 * sources are never held: released events are written while the source is still running.
 */
#include "convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/sort/sorter.h"

#include "cli/ui/piped.h"
#include "cli/filter/event_queue.h"
#include "cli/ui/signals.h"

enum { LOST_CAPACITY = 2048, FLUSH_MS = 200 };

/* How an attempt ends, in addition to EXIT_...; RESTART: start again with a full sort. */
enum { GO_ON = -1, RESTART = -2 };

static int report(struct conversion *c, const char *sentence)
{
	progress_clear(&c->progress);
	if (signal_ending() == 0)
		print_message("%s", sentence);
	return EXIT_FAULT;
}

/* Output: writer */

static int write_events(struct conversion *c, struct iot_event *ev, size_t n)
{
	if (!time_shift_events(&c->rebase, ev, n))
		return report(c, "out of memory");
	rounding_events(&c->rounding, ev, n);
	if (iot_writer_events(c->writer, ev, n) == IOT_OK) {
		c->last_ns = n > 0 ? ev[n - 1].rec.start_ns : c->last_ns;
		return GO_ON;
	}
	progress_clear(&c->progress);
	return report_write_error(c->writer, &c->write);
}

/* Time zero is the first event, or earlier if the source declared so when it was opened. */
static int begin_time(struct conversion *c, int64_t start_ns)
{
	int64_t zero = c->source.first_ns < start_ns ? c->source.first_ns : start_ns;
	c->rebase.zero_ns = zero == INT64_MIN ? -INT64_MAX : zero;
	c->begun = true;
	return c->trace_text != NULL ? write_events(c, &c->trace, 1) : GO_ON;
}

/* %trace needs time zero, and text is valid for one batch only. */
static int keep_trace(struct conversion *c, const struct iot_event *ev)
{
	c->trace = *ev;
	c->trace_text = malloc(ev->text.size + 1);
	if (c->trace_text == NULL)
		return report(c, "out of memory");
	memcpy(c->trace_text, ev->text.data, ev->text.size);
	c->trace.text.data = c->trace_text;
	return GO_ON;
}

static int emit(struct conversion *c, struct iot_event *ev, size_t n)
{
	int status = GO_ON;
	if (!c->begun && n > 0 && c->trace_text == NULL && ev->kind == IOT_TRACE) {
		status = keep_trace(c, ev++);
		n--;
	}
	if (status == GO_ON && !c->begun && n > 0)
		status = begin_time(c, ev->rec.start_ns);
	return status == GO_ON && n > 0 ? write_events(c, ev, n) : status;
}

static int write_sorted(struct conversion *c, struct iot_event *ev, size_t n)
{
	int status = emit(c, ev, n);
	return status == GO_ON && signal_pending() != 0 ? EXIT_FAULT : status;
}

static int drain(struct conversion *c)
{
	ssize_t n;
	while ((n = sorter_events(c->sorter, c->out, NULL, EVENT_QUEUE_BATCH)) > 0) {
		int status = write_sorted(c, c->out, (size_t)n);
		if (status != GO_ON)
			return status;
	}
	return n < 0 ? report(c, sorter_error(c->sorter)->text) : GO_ON;
}

static ssize_t pull_sorted(void *context, struct iot_event *ev, size_t max)
{
	struct conversion *c = context;
	return sorter_events(c->sorter, ev, NULL, max);
}

static int drain_at_end(struct conversion *c)
{
	struct iot_event *ev;
	ssize_t n = 0;
	int status = GO_ON;
	struct event_queue *sorted = event_queue_new(pull_sorted, c, false);
	while (sorted != NULL && status == GO_ON && (n = event_queue_next(sorted, &ev)) > 0) {
		status = write_sorted(c, ev, (size_t)n);
		progress_show_written(&c->progress, iot_writer_fact(c->writer, IOT_FACT_RECORDS),
				      c->source.report.records);
	}
	event_queue_free(sorted);
	if (sorted == NULL || (n < 0 && sorter_error(c->sorter)->status == IOT_OK))
		return report(c, "out of memory");
	return n < 0 ? report(c, sorter_error(c->sorter)->text) : status;
}

/* Input: source */

/* Removes the %op that are not requested; returns the number of remaining events. */
static size_t filter_ops(const struct conversion *c, struct iot_event *in, size_t n)
{
	size_t kept = 0;
	if (c->options->ops == OPS_ALL)
		return n;
	for (size_t i = 0; i < n; i++)
		if (in[i].kind != IOT_OP ||
		    (c->options->ops == OPS_NAMES && op_renames(iot_directive_get(&in[i], "name"))))
			in[kept++] = in[i];
	return kept;
}

static int sort(struct conversion *c, struct iot_event *in, size_t n, int64_t watermark_ns)
{
	size_t passed = sorter_passthrough(c->sorter, in, n, watermark_ns);
	int status = passed > 0 ? write_sorted(c, in, passed) : GO_ON;
	if (status != GO_ON)
		return status;
	status = sorter_add(c->sorter, in + passed, NULL, n - passed);
	if (status == IOT_OK)
		status = sorter_set_watermark(c->sorter, watermark_ns);
	if (status == SORTER_RESTART)
		return RESTART;
	if (status != IOT_OK)
		return report(c, sorter_error(c->sorter)->text);
	return GO_ON;
}

static int64_t now_ms(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A reader may be waiting for the events of a live source. */
static int flush_live(struct conversion *c, bool paused)
{
	if (!c->piped || c->out_restart || !c->source.converter->live || !c->begun)
		return GO_ON;
	int64_t now = now_ms();
	if (!paused && now - c->flushed_ms < FLUSH_MS)
		return GO_ON;
	c->flushed_ms = now;
	return iot_writer_flush(c->writer) == IOT_OK ? GO_ON
						     : report_write_error(c->writer, &c->write);
}

/*
 * If a thread prefetches from a source, its watermark and state travel in a last pseudo-event of
 * each batch.
 */
static void say(struct conversion *c, struct iot_event *last)
{
	*last = (struct iot_event){.rec.start_ns = c->source.watermark_ns,
				   .rec.cpu_ns = c->source.paused,
				   .rec.duration_ns = c->source.report.records};
	/* Only if progress is due, because the query visits every open file. */
	last->rec.type = progress_due(&c->progress, &c->declared_ns);
	if (last->rec.type != 0)
		input_progress(c->input, &last->rec.offset, &last->rec.length);
}

static ssize_t pull_source(void *context, struct iot_event *ev, size_t max)
{
	struct conversion *c = context;
	int n = c->source.converter->next(&c->source, ev, (int)max - 1);
	if (n < 0 || (n == 0 && !c->source.paused))
		return n;
	say(c, ev + n);
	return n + 1;
}

static int take_batch(struct conversion *c, struct iot_event *in, size_t n, bool hold)
{
	const struct iot_record declared = in[--n].rec;
	bool slow = c->piped && n < EVENT_QUEUE_BATCH - 1;
	/* The first event, which is written first whatever its time. */
	if (n > 0 && !c->taken && in[0].kind == IOT_TRACE)
		in[0].rec.start_ns = INT64_MIN;
	c->taken |= n > 0;
	n = filter_ops(c, in, n);
	int status = c->sorter != NULL ? sort(c, in, n, declared.start_ns) : emit(c, in, n);
	if (status == GO_ON && c->sorter != NULL && !hold)
		status = drain(c);
	if (status == GO_ON)
		status = flush_live(c, declared.cpu_ns != 0);
	if (status == GO_ON && c->sorter == NULL && slow && iot_writer_flush(c->writer) != IOT_OK)
		status = report_write_error(c->writer, &c->write);
	if (declared.type != 0)
		progress_show(&c->progress, declared.offset, declared.length, declared.duration_ns);
	return status;
}

/*
 * Reports why the source ended early. Valid events before the error have been delivered; without
 * any, the input is not of this source.
 */
static int input_ended(struct conversion *c, bool blank)
{
	const struct error *e = &c->source.error;
	if (blank || e->status == IOT_ENOMEM || e->status == IOT_EUSAGE)
		return report(c, e->text);
	c->damage = *e;
	return GO_ON;
}

static int pump(struct conversion *c, bool hold)
{
	struct iot_event *ev;
	ssize_t n = 0;
	bool blank = true;
	int status = GO_ON;
	/* Signals interrupt a blocking read only in this thread. */
	struct event_queue *source = event_queue_new(pull_source, c, c->piped);
	while (source != NULL && status == GO_ON && (n = event_queue_next(source, &ev)) > 0) {
		blank = blank && n == 1;
		status = take_batch(c, ev, (size_t)n, hold);
		if (status == GO_ON && signal_pending() != 0)
			status = EXIT_FAULT;
	}
	event_queue_free(source);
	if (source == NULL || (n < 0 && c->source.error.status == IOT_OK))
		return report(c, "out of memory");
	if (signal_pending() != 0)
		return EXIT_FAULT;
	if (n < 0)
		status = input_ended(c, blank);
	if (status == GO_ON && signal_cut())
		c->damage = (struct error){.status = IOT_ETRUNCATED, .text = "interrupted"};
	return status;
}

/* End of the conversion */

static bool strict_violated(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	return c->options->strict &&
	       (c->damage.status != IOT_OK || r->unparsed > 0 || convert_sum(r, "ambiguous") > 0);
}

static int write_lost(struct conversion *c)
{
	char memory[LOST_CAPACITY];
	struct iot_builder b;
	struct iot_event ev;
	iot_directive_begin(&b, memory, sizeof(memory), "lost");
	iot_directive_number(&b, "time", (uint64_t)c->last_ns);
	iot_directive_text(&b, "why", c->damage.text, strnlen(c->damage.text, LOST_CAPACITY / 4));
	if (iot_directive_end(&b, &ev) != IOT_OK)
		return report(c, "%lost cannot be expressed");
	if (iot_writer_events(c->writer, &ev, 1) != IOT_OK)
		return report_write_error(c->writer, &c->write);
	return GO_ON;
}

static int finish(struct conversion *c)
{
	int status = GO_ON;
	c->violated = strict_violated(c);
	if (c->violated)
		return EXIT_FAULT;
	if (c->sorter != NULL) {
		if (sorter_end(c->sorter) != IOT_OK)
			return report(c, sorter_error(c->sorter)->text);
		status = drain_at_end(c);
	}
	if (status == GO_ON && !c->begun) /* nothing except %trace, if that */
		status = begin_time(c, c->source.first_ns == INT64_MAX ? 0 : c->source.first_ns);
	if (status == GO_ON && c->damage.status != IOT_OK &&
	    (!c->source.lost_reported || signal_cut()))
		status = write_lost(c);
	if (status != GO_ON)
		return status;
	if (write_close(c->writer) != IOT_OK)
		return report_write_error(c->writer, &c->write);
	c->kept = true;
	c->written = iot_writer_fact(c->writer, IOT_FACT_BYTES_STORED);
	return c->damage.status == IOT_OK ? EXIT_OK : EXIT_FAULT;
}

/* One attempt */

static int open_source(struct conversion *c, const struct converter *converter)
{
	c->source = (struct source_state){.converter = converter,
					  .input = c->input,
					  .settings = c->options->settings,
					  .setting_count = c->options->setting_count,
					  .tick_ns = IOT_TICK_DEFAULT_NS,
					  .watermark_ns = INT64_MIN};
	c->source_open = true;
	int status = converter->open(&c->source);
	if (status == IOT_EUSAGE)
		return options_wrong(c->options->command, "%s", c->source.error.text);
	if (status != IOT_OK)
		return report(c, c->source.error.text);
	if (c->options->write.tick_ns == NOT_GIVEN)
		c->write.tick_ns = c->source.tick_ns;
	return GO_ON;
}

/* Called as soon as all events are read, to free memory for merging sorted runs; idempotent. */
static void close_source(struct conversion *c)
{
	if (c->source_open)
		c->source.converter->close(&c->source);
	c->source_open = false;
}

static int open_output(struct conversion *c, bool hold)
{
	c->writer = iot_writer_new();
	enum sorter_mode mode = c->source.converter->live ? SORTER_LIVE
				: hold                    ? SORTER_HOLD
							  : SORTER_STREAM;
	if (!c->options->unsorted)
		c->sorter = sorter_new(c->options->memory, mode);
	if (c->sorter != NULL && mode == SORTER_LIVE)
		sorter_tiebreak_by_process(c->sorter);
	if (c->writer == NULL || (c->sorter == NULL && !c->options->unsorted))
		return report(c, "out of memory");
	int status = write_open(c->writer, &c->write, c->options->command);
	rounding_begin(&c->rounding, c->writer, c->options->verbose && !c->options->quiet);
	return status == EXIT_OK ? GO_ON : status;
}

static void report_late(struct conversion *c)
{
	uint64_t late = sorter_late(c->sorter);
	if (late == 0)
		return;
	report_add(&c->source.report, "late", late);
	report_note(&c->source.report,
		    "%ju events arrived after the watermark and are out of order", (uintmax_t)late);
}

static void close_attempt(struct conversion *c)
{
	close_source(c);
	if (c->sorter != NULL) {
		c->runs = sorter_runs(c->sorter);
		c->spilled = sorter_spilled(c->sorter);
		report_late(c);
	}
	if (c->rebase.before_zero > 0)
		report_add(&c->source.report, "clock.before_start", c->rebase.before_zero);
	sorter_free(c->sorter);
	iot_writer_free(c->writer);
	time_shift_free(&c->rebase);
	free(c->trace_text);
	c->sorter = NULL;
	c->writer = NULL;
	c->trace_text = NULL;
	c->begun = c->taken = false;
}

static int attempt(struct conversion *c, const struct converter *converter, bool hold)
{
	int status = open_source(c, converter);
	hold = hold || c->source.unordered;
	if (status == GO_ON)
		status = open_output(c, hold);
	if (status == GO_ON)
		status = pump(c, hold);
	close_source(c);
	if (status == GO_ON)
		status = finish(c);
	close_attempt(c);
	progress_clear(&c->progress);
	return status;
}

/* Entry point */

static bool is_written_restart(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static int refuse(struct conversion *c, const struct error *e)
{
	if (e->status == IOT_EUSAGE)
		return options_wrong(c->options->command, "%s", e->text);
	return report(c, e->text);
}

static int open_input(struct conversion *c)
{
	struct error error = {.status = IOT_OK};
	int status = EXIT_OK;
	for (size_t i = 0; i < c->path_count; i++)
		c->piped = c->piped || is_piped(c->paths[i]);
	signals_catch(c->piped ? SIGNALS_PIPE : SIGNALS_FILES, c->write.path, c->options->quiet);
	c->input = input_new(c->paths, c->path_count, signal_stop(), &error);
	if (c->input == NULL)
		return refuse(c, &error);
	for (size_t i = 0; i < input_count(c->input) && status == EXIT_OK; i++)
		if (c->options->files != NULL)
			status = files_check_member(c->options->files, input_name(c->input, i));
	return status == EXIT_OK ? GO_ON : status;
}

static int convert(struct conversion *c)
{
	const struct converter *converter = c->options->converter;
	struct error error = {.status = IOT_OK};
	int status = open_input(c);
	if (status != GO_ON)
		return status;
	if (converter == NULL)
		converter = converter_sniff(c->input, &error);
	if (converter == NULL)
		return refuse(c, &error);
	c->out_restart = is_written_restart(c->write.path);
	bool hold = (!input_again(c->input) || !c->out_restart) && !converter->live;
	status = attempt(c, converter, hold);
	if (status != RESTART)
		return status;
	c->started_restart = true;
	if (c->options->verbose)
		print_message("cannot sort while streaming; restarting with a full sort");
	return attempt(c, converter, true);
}

static void report_cut(const struct conversion *c)
{
	if (c->kept)
		report_input_cut(c->write.path);
	else if (signal_pending() == 0)
		print_message("interrupted before the end of the input: no trace written");
}

int convert_inputs(struct conversion *c, const struct convert_options *o, const char *const *paths,
		   size_t count, const char *out)
{
	*c = (struct conversion){
	    .options = o, .paths = paths, .path_count = count, .write = o->write};
	c->write.path = out;
	c->out = malloc(EVENT_QUEUE_BATCH * sizeof(*c->out));
	progress_begin(&c->progress, o->progress, o->quiet, out);
	int status = c->out != NULL ? convert(c) : report(c, "out of memory");
	progress_clear(&c->progress);
	signals_restore();
	if (signal_cut())
		report_cut(c);
	else if (c->damage.status != IOT_OK)
		(void)report(c, c->damage.text);
	return status;
}

void convert_free(struct conversion *c)
{
	input_free(c->input);
	free(c->out);
	*c = (struct conversion){.input = NULL};
}
