/* SPDX-License-Identifier: BSD-2-Clause */
/* Shifts times to the beginning of the trace: see time_shift.h; and the stage that does it. */
#include "time_shift.h"

#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/base/options.h"
#include "lib/base/word.h"
#include "lib/stream/batch.h"

static const char time_key[] = "time=", epoch_key[] = "epoch=";

static bool has_number(const struct iot_event *ev)
{
	return (ev->has & IOT_HAS_TIME) != 0 || ev->kind == IOT_TRACE;
}

/* Returns whether the start is a real time; for other events it is a sort key. */
static bool has_time(const struct iot_event *ev)
{
	return ev->kind == IOT_RECORD || (ev->kind != IOT_TRACE && (ev->has & IOT_HAS_TIME));
}

uint64_t shifted(uint64_t value, int64_t by)
{
	uint64_t distance = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
	if (by < 0)
		return value > distance ? value - distance : 0;
	return value > UINT64_MAX - distance ? UINT64_MAX : value + distance;
}

/* Returns the next position at which a token begins with `key`, which ends in '='; or NULL. */
static const char *find_key(const char *at, const char *end, const char *key, size_t size)
{
	for (const char *p = at; (p = memchr(p, '=', (size_t)(end - p))) != NULL; p++) {
		const char *begin = p - (size - 1);
		if ((size_t)(p - at) >= size && memcmp(begin, key, size) == 0 &&
		    is_blank(begin[-1]))
			return begin;
	}
	return NULL;
}

/*
 * Copies text to out with every decimal after `key` shifted; returns the number of bytes written.
 */
static size_t shift_numbers(struct iot_text text, const char *key, int64_t by, char *out)
{
	const char *at = text.data, *end = text.data + text.size, *found;
	size_t key_size = strlen(key), n = 0;
	while ((found = find_key(at, end, key, key_size)) != NULL) {
		const char *digits = found + key_size, *stop = digits;
		uint64_t value;
		while (stop < end && *stop >= '0' && *stop <= '9')
			stop++;
		memcpy(out + n, at, (size_t)(digits - at));
		n += (size_t)(digits - at);
		at = digits;
		if (!number_decimal(digits, (size_t)(stop - digits), &value))
			continue;
		n += number_dec(out + n, shifted(value, by));
		at = stop;
	}
	memcpy(out + n, at, (size_t)(end - at));
	return n + (size_t)(end - at);
}

/* A short number may become a long one; each key with one digit has at least 7 bytes. */
static size_t capacity_for(size_t size)
{
	return size + (size / 7 + 1) * NUMBER_DIGITS_MAX;
}

/* Shifts only starts; returns the capacity needed for the rewritten texts. */
static size_t shift_starts(struct time_shift *s, struct iot_event *ev, size_t n)
{
	const int64_t zero = s->zero_ns;
	size_t need = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t *start = &ev[i].rec.start_ns;
		if (*start < zero) {
			s->before_zero += has_time(&ev[i]);
			*start = 0;
		} else if (__builtin_sub_overflow(*start, zero, start)) {
			*start = INT64_MAX;
		}
		if (has_number(&ev[i]))
			need += capacity_for(ev[i].text.size);
	}
	return need;
}

bool time_shift_events(struct time_shift *s, struct iot_event *ev, size_t n)
{
	const size_t need = shift_starts(s, ev, n);
	if (need == 0)
		return true;
	if (!array_reserve(&s->text, &s->capacity, need, 1))
		return false;
	char *out = s->text;
	for (size_t i = 0; i < n; i++) {
		if (!has_number(&ev[i]))
			continue;
		const bool trace = ev[i].kind == IOT_TRACE;
		const size_t size = shift_numbers(ev[i].text, trace ? epoch_key : time_key,
						  trace ? s->zero_ns : -s->zero_ns, out);
		ev[i].text = (struct iot_text){out, size};
		out += size;
	}
	return true;
}

void time_shift_free(struct time_shift *s)
{
	free(s->text);
	*s = (struct time_shift){.text = NULL};
}

/* The stage */

struct shift_stage {
	struct iot_shift_options options;
	struct time_shift shift;
	bool begun;             /* zero_ns is known */
	struct iot_batch *held; /* events after a %trace that was delivered alone */
};

/* The start of the first event after a %trace at the start of b; INT64_MAX if there is none. */
static int find_start(struct shift_stage *s, struct iot_stream *self, struct iot_batch *b,
		      int64_t *start_ns)
{
	const size_t first = b->events[0].kind == IOT_TRACE;
	int status = 1;
	*start_ns = INT64_MAX;
	if (first == b->count) {
		s->held = iot_batch_new(b->capacity);
		if (s->held == NULL || iot_batch_keep_text(b) != IOT_OK)
			return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
		while (status > 0 && s->held->count == 0)
			status = iot_stream_next(iot_stream_upstream(self), s->held);
	}
	if (status > 0)
		*start_ns = (s->held != NULL ? s->held->events[0] : b->events[first]).rec.start_ns;
	return IOT_OK;
}

static int begin(struct shift_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	int64_t start_ns, zero_ns = s->options.zero_ns;
	const int status = find_start(s, self, b, &start_ns);
	if (status != IOT_OK)
		return status;
	if (start_ns < zero_ns)
		zero_ns = start_ns;
	else if (zero_ns == INT64_MAX)
		zero_ns = 0;
	s->shift.zero_ns = zero_ns == INT64_MIN ? -INT64_MAX : zero_ns;
	if (b->events[0].kind == IOT_TRACE)
		b->events[0].rec.start_ns = s->shift.zero_ns;
	s->begun = true;
	return IOT_OK;
}

static int pull(struct shift_stage *s, struct iot_stream *self, struct iot_batch *b)
{
	if (s->held != NULL && s->held->count > 0) {
		batch_swap(b, s->held);
		s->held->count = 0;
		return 1;
	}
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	if (status <= 0 || s->begun || b->count == 0)
		return status;
	return begin(s, self, b) == IOT_OK ? 1 : IOT_ENOMEM;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct shift_stage *s = context;
	const int status = pull(s, self, b);
	if (status <= 0)
		return status;
	if (!time_shift_events(&s->shift, b->events, b->count))
		return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
	if (b->watermark_ns == INT64_MIN ||
	    __builtin_sub_overflow(b->watermark_ns, s->shift.zero_ns, &b->watermark_ns))
		b->watermark_ns = INT64_MIN;
	return 1;
}

static void close_stage(void *context)
{
	struct shift_stage *s = context;
	if (s->options.early != NULL)
		*s->options.early = s->shift.before_zero;
	time_shift_free(&s->shift);
	iot_batch_free(s->held);
	free(s);
}

struct iot_stream *iot_stream_shift(struct iot_stream *upstream,
				    const struct iot_shift_options *options)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	struct shift_stage *s = upstream != NULL ? calloc(1, sizeof(*s)) : NULL;
	if (s == NULL || !options_copy(&s->options, sizeof(s->options), options)) {
		free(s);
		iot_stream_free(upstream);
		return NULL;
	}
	s->begun = !s->options.or_first;
	s->shift.zero_ns = s->options.zero_ns == INT64_MIN ? -INT64_MAX : s->options.zero_ns;
	return iot_stream_new(upstream, &stage, s);
}
