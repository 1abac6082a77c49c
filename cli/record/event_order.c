/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_order.h"

#include <stdlib.h>

enum { EVENTS_MAX = 1 << 14 }; /* that are not copied */

/* The events of the sorter in o->batch that have not been written: [at, count). */
struct sorted_batch {
	size_t at, count;
	bool ended;
};

bool event_order_init(struct event_order *o, uint64_t memory, struct ring_events *events)
{
	o->events = events;
	o->sorter = sorter_new(memory, SORTER_LIVE);
	o->event = malloc((EVENTS_MAX + RING_BATCH) * sizeof(*o->event));
	o->key = malloc((EVENTS_MAX + RING_BATCH) * sizeof(*o->key));
	o->spare = malloc((EVENTS_MAX + RING_BATCH) * sizeof(*o->spare));
	return o->sorter != NULL && o->event != NULL && o->key != NULL && o->spare != NULL;
}

void event_order_free(struct event_order *o)
{
	free(o->event);
	free(o->key);
	free(o->spare);
	sorter_free(o->sorter);
}

struct iot_event *event_order_next(struct event_order *o)
{
	return o->event + o->count;
}

bool event_order_is_full(const struct event_order *o)
{
	return o->count >= EVENTS_MAX;
}

static int sorter_failed(struct event_order *o)
{
	return error_set(&o->error, sorter_error(o->sorter)->status, "%s",
			 sorter_error(o->sorter)->text);
}

int event_order_add(struct event_order *o, const struct iot_event *ev, size_t n)
{
	if (n == 0 || sorter_add(o->sorter, ev, NULL, n) == SORTER_OK)
		return IOT_OK;
	return sorter_failed(o);
}

int event_order_copy(struct event_order *o)
{
	const int status = event_order_add(o, o->event, o->count);
	o->count = 0;
	return status;
}

static void write_event(struct event_order *o, const struct iot_event *ev)
{
	o->late += ev->kind == IOT_RECORD && ev->rec.start_ns < o->passed;
	if (ev->rec.start_ns > o->passed)
		o->passed = ev->rec.start_ns;
	(void)ring_events_add(o->events, ev);
}

/* Writes the events of the sorter that start up to a time. */
static int write_sorted_until(struct event_order *o, int64_t time, struct sorted_batch *s)
{
	for (;;) {
		if (s->at == s->count && !s->ended) {
			const ssize_t n = sorter_events(o->sorter, o->batch, NULL, RING_BATCH);
			if (n < 0)
				return sorter_failed(o);
			*s = (struct sorted_batch){.count = (size_t)n, .ended = n == 0};
		}
		if (s->ended || o->batch[s->at].rec.start_ns > time)
			return IOT_OK;
		write_event(o, &o->batch[s->at++]);
	}
}

static void sort_events(struct event_order *o)
{
	for (size_t i = 0; i < o->count; i++)
		o->key[i] = (struct sort_key){o->event[i].rec.start_ns, i};
	keysort(o->key, o->count, 0, o->spare);
}

/*
 * Writes all events before the watermark in order. If starts are equal, events of the sorter come
 * first, because they arrived first.
 */
static int write_before(struct event_order *o, int64_t watermark)
{
	struct sorted_batch s = {.at = 0};
	size_t i = 0;
	int status = IOT_OK;
	sort_events(o);
	for (; i < o->count && status == IOT_OK && o->key[i].start < watermark; i++) {
		status = write_sorted_until(o, o->key[i].start, &s);
		write_event(o, &o->event[o->key[i].tie]);
	}
	if (status == IOT_OK)
		status = write_sorted_until(o, INT64_MAX, &s);
	for (; i < o->count && status == IOT_OK; i++)
		status = event_order_add(o, &o->event[o->key[i].tie], 1);
	o->count = 0;
	const int written = ring_events_flush(o->events);
	if (written == IOT_ENOMEM)
		(void)error_set(&o->error, written, "out of memory");
	return status == IOT_OK ? written : status;
}

int event_order_write(struct event_order *o, int64_t watermark)
{
	if (sorter_set_watermark(o->sorter, watermark) != IOT_OK)
		return sorter_failed(o);
	return write_before(o, watermark);
}

int event_order_end(struct event_order *o)
{
	const int status = event_order_copy(o);
	if (status != IOT_OK)
		return status;
	if (sorter_end(o->sorter) != IOT_OK)
		return sorter_failed(o);
	const int written = write_before(o, INT64_MAX);
	return written == IOT_OK ? ring_events_end(o->events) : written;
}
