/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * converter or reader -> prefetch -> watch -> sort -> shift -> definitions -> finish. Signals
 * interrupt a blocking read only in the thread of the caller: a pipe is not prefetched.
 */
#include "source_internal.h"
#include "lib/base/plural.h"

#include <assert.h>
#include <string.h>
#include <time.h>

enum {
	/*
	 * Definitions follow what earlier batches released: another size changes their positions.
	 */
	SOURCE_BATCH = IOT_BATCH_EVENTS - 1,
	PROGRESS_NS = 100000000,
};

/* Returns whether progress is due, because determining it visits every open file. */
static bool is_due(uint64_t *last_ns)
{
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return false;
	const uint64_t now_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (now_ns - *last_ns < PROGRESS_NS)
		return false;
	*last_ns = now_ns;
	return true;
}

/* The converter, which a thread may run ahead */

/* Called as soon as all events are read, to free memory for merging sorted runs; idempotent. */
static void close_converter(struct iot_source *s)
{
	if (s->converter_open)
		s->state.converter->close(&s->state);
	s->converter_open = false;
}

static int read_converter(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_source *s = context;
	struct source_state *state = &s->state;
	uint64_t done, total;
	(void)self;
	assert(b->capacity >= SOURCE_BATCH);
	const int n = state->converter->next(state, b->events, SOURCE_BATCH);
	if (n < 0 || (n == 0 && !state->paused)) {
		close_converter(s);
		return 0; /* the reason is in state->error */
	}
	s->blank = s->blank && n == 0;
	b->count = (size_t)n;
	b->watermark_ns = state->watermark_ns;
	if (is_due(&s->looked_ns)) {
		input_progress(s->input, &done, &total);
		atomic_store(&s->done, done);
		atomic_store(&s->total, total);
	}
	return 1;
}

/*
 * The stages after this one have been freed: their counts complete the report, and nobody uses s.
 */
static void end_stream(void *context)
{
	struct iot_source *s = context;
	struct report *r = &s->state.report;
	close_converter(s);
	s->streaming = false;
	if (s->sort.late > 0) {
		report_add(r, "late", s->sort.late);
		report_note(r, "%ju %s out of order", (uintmax_t)s->sort.late,
			    plural(s->sort.late, "event arrived after the watermark and is",
				   "events arrived after the watermark and are"));
	}
	if (s->early > 0)
		report_add(r, "clock.before_start", s->early);
	if (s->freed != NULL)
		s->freed(s);
}

/* The reader of a trace */

static int read_trace(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_source *s = context;
	const ssize_t n = iot_reader_events(s->reader, b->events, b->capacity);
	uint64_t done = 0, total = 0;
	if (n < 0)
		return iot_stream_fail(self, (int)n, iot_reader_error(s->reader));
	s->blank = s->blank && n == 0;
	b->count = (size_t)n;
	b->watermark_ns = (int64_t)iot_reader_fact(s->reader, IOT_FACT_LAST_NS);
	(void)iot_reader_progress(s->reader, &done, &total);
	atomic_store(&s->done, done);
	atomic_store(&s->total, total);
	return n > 0;
}

static void end_trace(void *context)
{
	struct iot_source *s = context;
	s->streaming = false;
	if (s->freed != NULL)
		s->freed(s);
}

/* The stage after both: progress and the reason of the end, in the thread of the caller */

/*
 * Valid events before an error have been delivered; without any, the input is not of this source.
 * Returns 0 if what was read is worth delivering.
 */
static int input_ended(struct iot_source *s, struct iot_stream *self, const struct error *e)
{
	s->read_all = true;
	if (atomic_load(&s->interrupt.cut))
		s->damage = (struct error){.status = IOT_ETRUNCATED, .text = "interrupted"};
	else if (e->status != IOT_OK && (s->blank || s->state.foreign || e->status == IOT_ENOMEM ||
					 e->status == IOT_EUSAGE))
		return iot_stream_fail(self, e->status, e->text);
	else
		s->damage = *e;
	return 0;
}

static void show_progress(struct iot_source *s, const struct iot_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		s->records += b->events[i].kind == IOT_RECORD;
	if (is_due(&s->shown_ns))
		s->progress(s->progress_context, b->bytes_done, b->bytes_total, s->records);
}

static bool is_cancelled(struct iot_source *s)
{
	const enum interrupt_request ends =
	    input_is_piped(s->input) ? INTERRUPT_QUIT : INTERRUPT_DRAIN;
	if (interrupt_requested(&s->interrupt) < ends)
		return false;
	atomic_store(&s->interrupt.cut, true);
	return true;
}

static int watch(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_source *s = context;
	struct error error = {.status = IOT_OK};
	if (is_cancelled(s))
		return input_ended(s, self, &error);
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	if (status < 0 && s->is_trace)
		error_set(&error, status, "%s", iot_stream_error(iot_stream_upstream(self)));
	else if (status < 0)
		return status;
	if (status <= 0)
		return input_ended(s, self, s->is_trace ? &error : &s->state.error);
	b->bytes_done = atomic_load(&s->done);
	b->bytes_total = atomic_load(&s->total);
	if (s->progress != NULL)
		show_progress(s, b);
	return 1;
}

/* The last stage: %lost and the failure */

static int deliver_lost(struct iot_source *s, struct iot_stream *self, struct iot_batch *b)
{
	/* the text is valid until the next pull */
	static const char damaged[] = "damaged", truncated[] = "truncated";
	const char *why = !s->is_trace || atomic_load(&s->interrupt.cut) ? s->damage.text
			  : s->damage.status == IOT_ETRUNCATED           ? truncated
									 : damaged;
	struct iot_builder builder;
	iot_directive_begin(&builder, s->lost, sizeof(s->lost), "lost");
	iot_directive_number(&builder, "time", (uint64_t)s->last_ns);
	iot_directive_text(&builder, "why", why, strnlen(why, SOURCE_LOST_SIZE / 4));
	if (iot_directive_end(&builder, &b->events[0]) != IOT_OK)
		return iot_stream_fail(self, IOT_EFORMAT, "%lost cannot be expressed");
	s->lost_delivered = true;
	b->count = 1;
	return 1;
}

/* Untimed events at the end of a trace, or of a scoped source, have no time that counts. */
static void find_last(struct iot_source *s, const struct iot_batch *b)
{
	const bool timed = s->is_trace || s->state.scoped;
	for (size_t i = b->count; i-- > 0;) {
		const struct iot_event *ev = &b->events[i];
		if (timed && ev->kind != IOT_RECORD && (ev->has & IOT_HAS_TIME) == 0)
			continue;
		s->last_ns = ev->rec.start_ns;
		return;
	}
}

static int finish(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_source *s = context;
	int status = 0;
	if (!s->lost_delivered)
		status = iot_stream_next(iot_stream_upstream(self), b);
	if (status > 0) {
		find_last(s, b);
		return status;
	}
	if (status < 0) {
		const char *sentence = iot_stream_error(iot_stream_upstream(self));
		return error_set(&s->error, status, "%s",
				 sentence[0] != '\0' ? sentence : "out of memory");
	}
	if (s->damage.status == IOT_OK)
		return 0;
	if (!s->lost_delivered && (!s->state.lost_reported || atomic_load(&s->interrupt.cut)))
		return deliver_lost(s, self, b);
	error_set(&s->error, s->damage.status, "%s", s->damage.text);
	return iot_stream_fail(self, s->damage.status, s->damage.text);
}

/* The pipeline */

static struct iot_stream *sorted(struct iot_source *s, struct iot_stream *upstream)
{
	const bool live = !s->is_trace && s->state.converter->live;
	const bool hold = s->order == SOURCE_ORDER_START || s->state.unordered;
	const struct iot_sort_options sort = {.size = sizeof(sort),
					      .mode = live   ? IOT_SORT_WATERMARK
						      : hold ? IOT_SORT_ALL
							     : IOT_SORT_STRICT,
					      .memory = s->memory,
					      .by_start = !s->is_trace && !s->state.scoped,
					      .by_process = live,
					      .prefetch = 1,
					      .report = &s->sort};
	return s->order != SOURCE_ORDER_INPUT ? iot_stream_sort(upstream, &sort) : upstream;
}

static struct iot_stream *shifted(struct iot_source *s, struct iot_stream *upstream)
{
	const struct iot_shift_options shift = {
	    .size = sizeof(shift), .zero_ns = s->state.first_ns, .or_first = 1, .early = &s->early};
	return s->is_trace ? upstream : source_definitions(iot_stream_shift(upstream, &shift));
}

struct iot_stream *source_stream_new(struct iot_source *s)
{
	static const struct iot_stage converter = {.next = read_converter, .close = end_stream},
				      trace = {.next = read_trace, .close = end_trace},
				      watching = {.next = watch}, last = {.next = finish};
	struct iot_stream *e = iot_stream_new(NULL, s->is_trace ? &trace : &converter, s);
	if (!input_is_piped(s->input))
		e = iot_stream_prefetch(e);
	e = e != NULL ? iot_stream_new(e, &watching, s) : NULL;
	e = shifted(s, sorted(s, e));
	return e != NULL ? iot_stream_new(e, &last, s) : NULL;
}
