/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * converter -> prefetch -> watch -> sort -> shift -> count rounding -> writer. If everything can be
 * read and written again, sorting streams: a source that violates its watermark then costs only
 * time, as the conversion restarts with a full sort. Otherwise all events are sorted before the
 * first is written. Live sources are never held: released events are written while the source is
 * still running.
 */
#include "convert.h"

#include <assert.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/ui/piped.h"
#include "cli/ui/signals.h"
#include "cli/ui/trace_out.h"

enum { LOST_CAPACITY = 2048, FLUSH_MS = 200 };

/* Definitions follow what earlier batches have released: another size changes their positions. */
enum { SOURCE_BATCH = IOT_BATCH_EVENTS - 1 };

static int report_failure(struct conversion *c, const char *sentence)
{
	progress_clear(&c->progress);
	if (signals_ending() == 0)
		message_print("%s", sentence);
	return EXIT_FAULT;
}

static int refuse(struct conversion *c, const struct error *e)
{
	if (e->status == IOT_EUSAGE)
		return options_wrong(c->options->command, "%s", e->text);
	return report_failure(c, e->text);
}

static int write_failure(struct conversion *c)
{
	progress_clear(&c->progress);
	return trace_out_error(c->writer, &c->write);
}

/* The source, which a thread may prefetch */

/* Called as soon as all events are read, to free memory for merging sorted runs; idempotent. */
static void close_source(struct conversion *c)
{
	if (c->source_open)
		c->source.converter->close(&c->source);
	c->source_open = false;
}

static int read_source(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct conversion *c = context;
	struct source_state *s = &c->source;
	(void)self;
	assert(b->capacity >= SOURCE_BATCH);
	const int n = s->converter->next(s, b->events, SOURCE_BATCH);
	if (n < 0 || (n == 0 && !s->paused)) {
		close_source(c);
		return 0; /* the reason is in s->error */
	}
	c->blank = c->blank && n == 0;
	b->count = (size_t)n;
	b->watermark_ns = s->watermark_ns;
	/* Only if progress is due, because the query visits every open file. */
	if (progress_due(&c->progress, &c->due_ns))
		input_progress(c->input, &b->bytes_done, &b->bytes_total);
	return 1;
}

/* The stage after it: progress, signals and the reason of the end, in the thread of the caller */

static bool strict_violated(const struct conversion *c)
{
	const struct report *r = &c->source.report;
	return c->options->strict &&
	       (c->damage.status != IOT_OK || r->unparsed > 0 || convert_sum(r, "ambiguous") > 0);
}

/*
 * Valid events before an error have been delivered; without any, the input is not of this source.
 */
static void input_ended(struct conversion *c)
{
	const struct error *e = &c->source.error;
	c->read_all = true;
	c->unusable =
	    e->status != IOT_OK && (c->blank || e->status == IOT_ENOMEM || e->status == IOT_EUSAGE);
	if (signals_cut())
		c->damage = (struct error){.status = IOT_ETRUNCATED, .text = "interrupted"};
	else if (!c->unusable)
		c->damage = *e;
	c->violated = strict_violated(c);
}

static void show_progress(struct conversion *c, const struct iot_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		c->records += b->events[i].kind == IOT_RECORD;
	if (b->bytes_done > 0 || b->bytes_total > 0)
		progress_show(&c->progress, b->bytes_done, b->bytes_total, c->records);
}

static int watch_source(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct conversion *c = context;
	if (signals_pending() != 0)
		return 0;
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	if (status == 0)
		input_ended(c);
	else if (status > 0 && c->progress.on)
		show_progress(c, b);
	return status;
}

static int open_source(struct conversion *c, const struct converter *converter)
{
	c->source = (struct source_state){.converter = converter,
					  .input = c->input,
					  .settings = c->options->settings,
					  .setting_count = c->options->setting_count,
					  .tick_ns = IOT_TICK_DEFAULT_NS,
					  .watermark_ns = INT64_MIN};
	c->source_open = c->blank = true;
	c->read_all = false;
	c->records = c->early = 0;
	c->damage.status = IOT_OK;
	c->sort = (struct iot_sort_report){.late = 0};
	if (converter->open(&c->source) != IOT_OK)
		return refuse(c, &c->source.error);
	if (c->options->write.tick_ns == NOT_GIVEN)
		c->write.tick_ns = c->source.tick_ns;
	return EXIT_OK;
}

/* Output */

static int64_t now_ms(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * Whether a reader may be waiting for the events of a slow source. The source has no thread then.
 */
static bool must_flush(struct conversion *c, const struct iot_batch *b)
{
	if (!c->piped)
		return false;
	if (c->options->unsorted && b->count < SOURCE_BATCH)
		return true;
	if (c->rewritable || !c->source.converter->live)
		return false;
	const int64_t now = now_ms();
	if (!c->source.paused && now - c->flushed_ms < FLUSH_MS)
		return false;
	c->flushed_ms = now;
	return true;
}

static int write_batch(struct conversion *c, const struct iot_batch *b)
{
	int status = iot_writer_events(c->writer, b->events, b->count);
	if (b->count > 0)
		c->last_ns = b->events[b->count - 1].rec.start_ns;
	if (status == IOT_OK && must_flush(c, b))
		status = iot_writer_flush(c->writer);
	if (c->read_all)
		progress_show_written(&c->progress, iot_writer_fact(c->writer, IOT_FACT_RECORDS),
				      c->source.report.records);
	return status;
}

/* Signals interrupt a blocking read only in this thread: a pipe is not prefetched. */
static struct iot_stream *new_pipeline(struct conversion *c, enum iot_sort_mode mode)
{
	static const struct iot_stage source = {.next = read_source},
				      watch = {.next = watch_source};
	const bool live = c->source.converter->live;
	const struct iot_sort_options sort = {.size = sizeof(sort),
					      .mode = mode,
					      .memory = c->options->memory,
					      .by_start = 1,
					      .by_process = live,
					      .prefetch = 1,
					      .report = &c->sort};
	const struct iot_shift_options shift = {.size = sizeof(shift),
						.zero_ns = c->source.first_ns,
						.or_first = 1,
						.early = &c->early};
	struct iot_stream *s = iot_stream_new(NULL, &source, c);
	if (!c->piped)
		s = iot_stream_prefetch(s);
	s = s != NULL ? iot_stream_new(s, &watch, c) : NULL;
	if (!c->options->unsorted)
		s = iot_stream_sort(s, &sort);
	return iot_stream_count_rounding(iot_stream_shift(s, &shift), &c->rounding);
}

/* Writes all events. Returns an exit status, EXIT_OK also for a source that failed. */
static int write_events(struct conversion *c, struct iot_stream *s, struct iot_batch *b)
{
	int status = IOT_OK, written = IOT_OK;
	while (written == IOT_OK && (status = iot_stream_next(s, b)) > 0) {
		if (signals_pending() != 0 || c->unusable || c->violated)
			return EXIT_OK;
		written = write_batch(c, b);
	}
	if (written != IOT_OK)
		return write_failure(c);
	if (c->sort.restart)
		return EXIT_FAULT;
	return status < 0 ? report_failure(c, iot_stream_error(s)) : EXIT_OK;
}

static int run_pipeline(struct conversion *c, enum iot_sort_mode mode)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_stream *s = new_pipeline(c, mode);
	const int status =
	    b != NULL && s != NULL ? write_events(c, s, b) : report_failure(c, "out of memory");
	iot_stream_free(s);
	iot_batch_free(b);
	return status;
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
		return report_failure(c, "%lost cannot be expressed");
	return iot_writer_events(c->writer, &ev, 1) == IOT_OK ? EXIT_OK : write_failure(c);
}

static int finish(struct conversion *c)
{
	if (signals_pending() != 0 || c->violated)
		return EXIT_FAULT;
	if (c->unusable)
		return report_failure(c, c->source.error.text);
	if (c->damage.status != IOT_OK && (!c->source.lost_reported || signals_cut()) &&
	    write_lost(c) != EXIT_OK)
		return EXIT_FAULT;
	if (trace_out_close(c->writer) != IOT_OK)
		return write_failure(c);
	c->kept = true;
	c->written = iot_writer_fact(c->writer, IOT_FACT_BYTES_STORED);
	return c->damage.status == IOT_OK ? EXIT_OK : EXIT_FAULT;
}

/* One attempt */

static int open_output(struct conversion *c)
{
	c->writer = iot_writer_new();
	if (c->writer == NULL)
		return report_failure(c, "out of memory");
	const int status = trace_out_open(c->writer, &c->write, c->options->command);
	c->rounding = trace_out_rounding(c->writer, c->options->verbose && !c->options->quiet);
	return status;
}

static void close_attempt(struct conversion *c)
{
	struct report *r = &c->source.report;
	close_source(c);
	if (c->sort.late > 0) {
		report_add(r, "late", c->sort.late);
		report_note(r, "%ju events arrived after the watermark and are out of order",
			    (uintmax_t)c->sort.late);
	}
	if (c->early > 0)
		report_add(r, "clock.before_start", c->early);
	iot_writer_free(c->writer);
	c->writer = NULL;
	progress_clear(&c->progress);
}

/* Returns the exit status, unless c->sort.restart has been set. */
static int attempt(struct conversion *c, const struct converter *converter, bool hold)
{
	int status = open_source(c, converter);
	if (status == EXIT_OK)
		status = open_output(c);
	if (status == EXIT_OK)
		status = run_pipeline(c, converter->live               ? IOT_SORT_WATERMARK
					 : hold || c->source.unordered ? IOT_SORT_ALL
								       : IOT_SORT_STRICT);
	if (status == EXIT_OK)
		status = finish(c);
	close_attempt(c);
	return status;
}

/* Entry point */

static bool is_rewritable(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static int open_input(struct conversion *c)
{
	struct error error = {.status = IOT_OK};
	int status = EXIT_OK;
	for (size_t i = 0; i < c->path_count; i++)
		c->piped = c->piped || piped_detect(c->paths[i]);
	signals_catch(c->piped ? SIGNALS_PIPE : SIGNALS_FILES, c->write.path, c->options->quiet);
	c->input = input_new(c->paths, c->path_count, signals_interrupt(), &error);
	if (c->input == NULL)
		return refuse(c, &error);
	for (size_t i = 0; i < input_count(c->input) && status == EXIT_OK; i++)
		if (c->options->files != NULL)
			status = same_file_check_member(c->options->files, input_name(c->input, i));
	return status;
}

static int convert(struct conversion *c)
{
	const struct converter *converter = c->options->converter;
	struct error error = {.status = IOT_OK};
	int status = open_input(c);
	if (status != EXIT_OK)
		return status;
	if (converter == NULL)
		converter = converter_sniff(c->input, &error);
	if (converter == NULL)
		return refuse(c, &error);
	c->rewritable = is_rewritable(c->write.path);
	status = attempt(c, converter, !input_again(c->input) || !c->rewritable);
	if (!c->sort.restart)
		return status;
	c->restarted = true;
	if (c->options->verbose)
		message_print("cannot sort while streaming; restarting with a full sort");
	return attempt(c, converter, true);
}

static void report_cut(const struct conversion *c)
{
	if (c->kept)
		trace_out_report_cut(c->write.path);
	else if (signals_pending() == 0)
		message_print("interrupted before the end of the input: no trace written");
}

int convert_and_report(const struct convert_options *o, const char *const *paths, size_t count,
		       const char *out, struct report_file *f)
{
	struct conversion c = {
	    .options = o, .paths = paths, .path_count = count, .write = o->write};
	c.write.path = out;
	progress_begin(&c.progress, o->progress, o->quiet, out);
	const int status = convert(&c);
	signals_restore();
	if (signals_cut())
		report_cut(&c);
	else if (c.damage.status != IOT_OK)
		(void)report_failure(&c, c.damage.text);
	if (report_file_is_due(status)) {
		convert_warn(&c);
		if (f->path != NULL)
			convert_report(&c, &f->json);
	}
	input_free(c.input);
	return status;
}
