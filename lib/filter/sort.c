/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stage that sorts: upstream -> first %trace aside -> scope_attach -> untimed events wait for
 * their record -> sorter -> scope_replay. Events that have times of their own go directly to the
 * sorter.
 */
#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

#include "lib/base/array.h"
#include "lib/base/options.h"
#include "lib/sort/sorter.h"
#include "lib/stream/batch.h"
#include "scope.h"

enum { MEMORY_DEFAULT = 256 << 20, UNTIMED_BYTES_MAX = 4 << 20 };

/* Copies of events. */
struct kept {
	struct iot_event *ev;
	uint32_t *tag;
	size_t count, capacity, tag_capacity;
	char *text;
	size_t used, text_capacity;
};

struct sort_stage {
	struct iot_sort_options options;
	struct sorter *sorter;
	struct scope_tracker scopes;
	struct error error; /* of the scopes */
	bool ended;         /* the upstream has, with `status` */
	int status;
	bool begun;        /* a record has arrived */
	int64_t latest_ns; /* start of a record */
	struct kept first; /* %trace */
	size_t first_next;
	struct kept untimed;
	uint32_t *tag; /* of the events of one batch */
	size_t tag_capacity;
	struct iot_batch *sorted; /* events before their replay */
	size_t next;              /* of them */
	uint64_t bytes_done, bytes_total;
};

/* Copies */

static bool keep(struct kept *k, const struct iot_event *ev, uint32_t tag)
{
	if (!array_reserve(&k->ev, &k->capacity, k->count + 1, sizeof(*k->ev)) ||
	    !array_reserve(&k->tag, &k->tag_capacity, k->count + 1, sizeof(*k->tag)) ||
	    !array_reserve(&k->text, &k->text_capacity, k->used + ev->text.size, 1))
		return false;
	k->tag[k->count] = tag;
	k->ev[k->count++] = *ev;
	if (ev->text.size > 0)
		memcpy(k->text + k->used, ev->text.data, ev->text.size);
	k->used += ev->text.size;
	return true;
}

/* Sets the addresses of the texts, which keep() may move. */
static void locate_texts(struct kept *k)
{
	char *text = k->text;
	for (size_t i = 0; i < k->count; i++) {
		k->ev[i].text.data = text;
		if (text != NULL)
			text += k->ev[i].text.size;
	}
}

static void kept_free(struct kept *k)
{
	free(k->ev);
	free(k->tag);
	free(k->text);
}

/* In */

static int out_of_memory(struct iot_stream *self)
{
	return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
}

static int sorter_failure(struct sort_stage *s, struct iot_stream *self)
{
	return iot_stream_fail(self, sorter_error(s->sorter)->status,
			       sorter_error(s->sorter)->text);
}

static int add(struct sort_stage *s, struct iot_stream *self, const struct iot_event *ev,
	       const uint32_t *tag, size_t n)
{
	const enum sorter_result result = sorter_add(s->sorter, ev, tag, n);
	if (result == SORTER_OK)
		return IOT_OK;
	if (result == SORTER_FAILED)
		return sorter_failure(s, self);
	if (s->options.report != NULL)
		s->options.report->restart = 1;
	return iot_stream_fail(self, IOT_ELIMIT,
			       "events need more memory than allowed, or came after the watermark");
}

static bool is_timed(const struct iot_event *ev)
{
	return ev->kind == IOT_RECORD || (ev->has & IOT_HAS_TIME) != 0;
}

/*
 * Gives untimed events the start of the following event, or of the following record if
 * that is earlier; next_ns and record_ns are those after all n events.
 */
static void set_starts(struct iot_event *ev, size_t n, int64_t next_ns, int64_t record_ns)
{
	for (size_t i = n; i-- > 0;) {
		int64_t *start = &ev[i].rec.start_ns;
		if (ev[i].kind == IOT_RECORD)
			record_ns = *start;
		else if (!is_timed(&ev[i]))
			*start = next_ns < record_ns ? next_ns : record_ns;
		next_ns = *start;
	}
}

static int add_untimed(struct sort_stage *s, struct iot_stream *self, int64_t next_ns,
		       int64_t record_ns)
{
	struct kept *k = &s->untimed;
	const size_t n = k->count;
	if (n == 0)
		return IOT_OK;
	locate_texts(k);
	set_starts(k->ev, n, next_ns, record_ns);
	k->count = k->used = 0;
	return add(s, self, k->ev, k->tag, n);
}

/* Keeps the events of a batch from `i` on for the next record. */
static int keep_untimed(struct sort_stage *s, struct iot_stream *self, const struct iot_batch *b,
			size_t i)
{
	struct kept *k = &s->untimed;
	for (; i < b->count; i++)
		if (!keep(k, &b->events[i], s->tag[i]))
			return out_of_memory(self);
	if (k->count * sizeof(*k->ev) + k->used > UNTIMED_BYTES_MAX)
		return add_untimed(s, self, s->latest_ns, s->latest_ns);
	return IOT_OK;
}

/* The sort key of events after the last record of a batch depends on the next record. */
static int add_with_untimed(struct sort_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_event *ev = b->events;
	size_t first = 0, end = b->count;
	while (first < end && ev[first].kind != IOT_RECORD)
		first++;
	if (first == end)
		return keep_untimed(s, self, b, 0);
	while (ev[end - 1].kind != IOT_RECORD)
		end--;
	set_starts(ev, end, INT64_MAX, INT64_MAX);
	int status = add_untimed(s, self, ev[0].rec.start_ns, ev[first].rec.start_ns);
	if (status == IOT_OK)
		status = add(s, self, ev, s->tag, end);
	return status == IOT_OK ? keep_untimed(s, self, b, end) : status;
}

static int set_watermark(struct sort_stage *s, struct iot_stream *self, int64_t watermark_ns)
{
	if (s->options.mode == IOT_SORT_WINDOW &&
	    __builtin_sub_overflow(s->latest_ns, s->options.window_ns, &watermark_ns))
		watermark_ns = INT64_MIN;
	return sorter_set_watermark(s->sorter, watermark_ns) == IOT_OK ? IOT_OK
								       : sorter_failure(s, self);
}

static void find_latest(struct sort_stage *s, const struct iot_batch *b)
{
	int64_t latest = s->latest_ns;
	for (size_t i = 0; i < b->count; i++)
		if (b->events[i].kind == IOT_RECORD && b->events[i].rec.start_ns > latest)
			latest = b->events[i].rec.start_ns;
	s->latest_ns = latest;
}

static int attach_and_add(struct sort_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	find_latest(s, b);
	if (!array_reserve(&s->tag, &s->tag_capacity, b->count, sizeof(*s->tag)))
		return out_of_memory(self);
	if (scope_attach(&s->scopes, b->events, s->tag, b->count) != IOT_OK)
		return iot_stream_fail(self, s->error.status, s->error.text);
	const int status = add_with_untimed(s, self, b);
	b->count = 0;
	return status == IOT_OK ? set_watermark(s, self, b->watermark_ns) : status;
}

/*
 * Adds all events except those that need no sorting: they remain in the batch. A sorter that knows
 * the watermark need not keep the events in runs.
 */
static int add_by_start(struct sort_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	const size_t n = b->count;
	if (s->options.mode == IOT_SORT_WINDOW)
		find_latest(s, b);
	b->count =
	    s->first.count > 0 ? 0 : sorter_passthrough(s->sorter, b->events, n, b->watermark_ns);
	const int status = set_watermark(s, self, b->watermark_ns);
	return status == IOT_OK ? add(s, self, b->events + b->count, NULL, n - b->count) : status;
}

/* Moves the %trace that precede all records aside. */
static bool keep_first(struct sort_stage *s, struct iot_batch *b)
{
	size_t left = 0;
	for (size_t i = 0; i < b->count; i++) {
		s->begun = s->begun || b->events[i].kind == IOT_RECORD;
		if (s->begun || b->events[i].kind != IOT_TRACE)
			b->events[left++] = b->events[i];
		else if (!keep(&s->first, &b->events[i], 0))
			return false;
	}
	b->count = left;
	return true;
}

static int end(struct sort_stage *s, struct iot_stream *self)
{
	const int status = add_untimed(s, self, INT64_MAX, INT64_MAX);
	if (status == IOT_OK && sorter_end(s->sorter) != IOT_OK)
		return sorter_failure(s, self);
	return status;
}

/* Pulls a batch into b and sorts it. Events that remain in b are next. */
static int pull(struct sort_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	s->status = iot_stream_next(iot_stream_upstream(self), b);
	s->ended = s->status <= 0;
	if (s->ended)
		return end(s, self);
	s->bytes_done = b->bytes_done;
	s->bytes_total = b->bytes_total;
	if (!s->begun && !keep_first(s, b))
		return out_of_memory(self);
	return s->options.by_start ? add_by_start(s, self, b) : attach_and_add(s, self, b);
}

/*
 * Out: functions return 1 if they have filled b, 0 if no events are available, or a negative status
 */

static int deliver_first(struct sort_stage *s, struct iot_batch *b)
{
	struct kept *k = &s->first;
	locate_texts(k);
	while (b->count < b->capacity && s->first_next < k->count)
		b->events[b->count++] = k->ev[s->first_next++];
	if (s->first_next == k->count) /* others may follow in a later batch */
		k->count = k->used = s->first_next = 0;
	return 1;
}

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The sorted events are changed in place and exchanged with the events of b. They are copied only
 * if a definition must be inserted.
 */
static int replay(struct sort_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_batch *sorted = s->sorted;
	struct iot_event *ev = sorted->events, definition;
	struct iot_event *to = s->next == 0 && sorted->count <= b->capacity ? ev : b->events;
	size_t i = s->next, n = 0;
	while (i < sorted->count && (to == ev || n < b->capacity)) {
		const size_t max = min(sorted->count - i, to == ev ? SIZE_MAX : b->capacity - n);
		const size_t passed = scope_pass(&s->scopes, ev + i, s->tag + i, max);
		if (to + n != ev + i)
			memmove(to + n, ev + i, passed * sizeof(*to));
		n += passed;
		i += passed;
		if (passed == max)
			continue;
		const int step = scope_replay(&s->scopes, &ev[i], s->tag[i], &definition);
		if (step < 0)
			return iot_stream_fail(self, step, s->error.text);
		if (step == SCOPE_DEFINITION && to == ev && n == i)
			to = memcpy(b->events, ev, n * sizeof(*to));
		if (step == SCOPE_DEFINITION)
			to[n++] = definition;
		else if (step == SCOPE_EVENT && &to[n++] != &ev[i])
			to[n - 1] = ev[i];
		i += step != SCOPE_DEFINITION;
	}
	s->next = i;
	if (to == ev) {
		batch_swap(b, sorted);
		s->next = sorted->count = 0;
	}
	b->count = n;
	return 1;
}

static int deliver(struct sort_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_batch *to = s->options.by_start ? b : s->sorted;
	if (s->options.mode == IOT_SORT_ALL && !s->ended)
		return 0;
	if (s->first.count > 0)
		return deliver_first(s, b);
	if (to != b && s->next < to->count)
		return replay(s, self, b);
	if (to != b && !array_reserve(&s->tag, &s->tag_capacity, to->capacity, sizeof(*s->tag)))
		return out_of_memory(self);
	scope_release(&s->scopes);
	const ssize_t n = sorter_events(s->sorter, to->events, to != b ? s->tag : NULL,
					min(to->capacity, b->capacity));
	to->count = n > 0 ? (size_t)n : 0;
	s->next = 0;
	if (n <= 0)
		return n < 0 ? sorter_failure(s, self) : 0;
	return to != b ? replay(s, self, b) : 1;
}

static int next_sorted(struct sort_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	int status = deliver(s, self, b);
	if (status != 0)
		return status;
	do {
		if (s->ended)
			return s->status;
		status = pull(s, self, b);
		if (status != IOT_OK || b->count > 0)
			return status != IOT_OK ? status : 1;
		status = deliver(s, self, b);
	} while (status == 0 && s->options.mode == IOT_SORT_ALL);
	return status < 0 ? status : 1;
}

/* A directive out of place, a %trace or a repeated definition, may have a later time. */
static int64_t last_start(const struct iot_batch *b)
{
	for (size_t i = b->count; i-- > 0;)
		if (b->events[i].kind == IOT_RECORD)
			return b->events[i].rec.start_ns;
	return INT64_MIN;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct sort_stage *s = context;
	const int status = next_sorted(s, self, b);
	const bool late =
	    s->options.mode == IOT_SORT_WINDOW || s->options.mode == IOT_SORT_WATERMARK;
	b->watermark_ns = late || status <= 0 ? INT64_MIN : last_start(b);
	b->bytes_done = s->bytes_done;
	b->bytes_total = s->bytes_total;
	return status;
}

static void close_stage(void *context)
{
	struct sort_stage *s = context;
	struct iot_sort_report *report = s->options.report;
	if (s->sorter != NULL && report != NULL) {
		report->late = sorter_late(s->sorter);
		report->late_by_ns = sorter_late_by(s->sorter);
		report->runs = sorter_runs(s->sorter);
		report->spilled = sorter_spilled(s->sorter);
	}
	sorter_free(s->sorter);
	scope_tracker_free(&s->scopes);
	kept_free(&s->first);
	kept_free(&s->untimed);
	free(s->tag);
	iot_batch_free(s->sorted);
	free(s);
}

static struct sort_stage *new_context(const struct iot_sort_options *options)
{
	static const enum sorter_mode mode[] = {[IOT_SORT_ALL] = SORTER_HOLD,
						[IOT_SORT_WINDOW] = SORTER_LIVE,
						[IOT_SORT_WATERMARK] = SORTER_LIVE,
						[IOT_SORT_STRICT] = SORTER_STREAM};
	struct sort_stage *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	const struct iot_sort_options *o = &s->options;
	if (options_copy(&s->options, sizeof(*o), options) && o->mode <= IOT_SORT_STRICT)
		s->sorter =
		    sorter_new(o->memory > 0 ? (size_t)o->memory : MEMORY_DEFAULT, mode[o->mode]);
	if (!o->by_start)
		s->sorted = iot_batch_new(IOT_BATCH_EVENTS);
	if (s->sorter == NULL || (s->sorted == NULL && !o->by_start) ||
	    scope_tracker_init(&s->scopes, &s->error) != IOT_OK) {
		close_stage(s);
		return NULL;
	}
	if (o->by_process)
		sorter_tiebreak_by_process(s->sorter);
	if (o->report != NULL)
		*o->report = (struct iot_sort_report){.late = 0};
	return s;
}

struct iot_stream *iot_stream_sort(struct iot_stream *upstream,
				   const struct iot_sort_options *options)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	if (upstream == NULL)
		return NULL;
	struct sort_stage *s = new_context(options);
	if (s == NULL) {
		iot_stream_free(upstream);
		return NULL;
	}
	const bool prefetch = s->options.mode == IOT_SORT_ALL && s->options.prefetch;
	struct iot_stream *stream = iot_stream_new(upstream, &stage, s);
	return prefetch ? stream_prefetch_rest(stream) : stream;
}
