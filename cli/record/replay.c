/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "event_order.h"

/* A ring, by its serial number. */
struct replay_ring {
	bool known, failed; /* failed: has an invalid record, and is read no more */
	struct ring_user user;
};

enum { RINGS_MAX = 1 << 28 };

struct replay {
	struct event_order order;
	struct ring_events *events;
	struct processes processes;
	uint32_t *index; /* in `processes`, of the processes of the spool */
	size_t count, capacity;
	struct replay_ring *ring;
	size_t ring_capacity;
	struct clock_map clock;
	uint64_t zero, skew;
	uint8_t flags; /* of all records */
	bool per_thread;
	struct error error;
};

enum { SKEW_NS = 10000000 }; /* of a valid time stamp */

static void start_clock(struct replay *r, const struct spool_begin *begin)
{
	r->clock.clock = begin->clock == RECORD_TSC ? RECORD_TSC : RECORD_MONOTONIC;
	r->clock.sample[0] = begin->sample[0];
	r->clock.count = 1;
	if (begin->samples > 1)
		clock_map_add(&r->clock, begin->sample[1]);
	r->zero = begin->sample[0].ticks;
	r->skew = clock_map_units(&r->clock, SKEW_NS);
}

struct replay *replay_new(const struct spool_begin *begin, struct iot_writer *w,
			  const struct replay_options *o)
{
	struct replay *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	start_clock(r, begin);
	r->per_thread = o->per_thread;
	r->flags = begin->cpu == RECORD_CPU_NONE ? IOT_CPU_UNKNOWN : 0;
	r->events = ring_events_new(w, &r->processes, &r->clock, o->events);
	if (event_order_init(&r->order, o->memory, r->events) && r->events != NULL)
		return r;
	replay_free(r);
	return NULL;
}

void replay_free(struct replay *r)
{
	if (r == NULL)
		return;
	event_order_free(&r->order);
	ring_events_free(r->events);
	processes_free(&r->processes);
	free(r->index);
	free(r->ring);
	free(r);
}

const char *replay_error(const struct replay *r)
{
	return r->error.status != IOT_OK ? r->error.text : r->order.error.text;
}

uint64_t replay_late(const struct replay *r)
{
	return r->order.late;
}

const struct ring_events_totals *replay_totals(const struct replay *r)
{
	return ring_events_totals(r->events);
}

static int invalid(struct replay *r, const char *what)
{
	return error_set(&r->error, IOT_EFORMAT, "the spool has an invalid %s", what);
}

static int add_process(struct replay *r, const struct spool_entry *e, const void *data)
{
	struct spool_process p;
	if (e->size != sizeof(p) || e->process != r->count)
		return invalid(r, "process");
	memcpy(&p, data, sizeof(p));
	if (!array_reserve(&r->index, &r->capacity, r->count + 1, sizeof(*r->index)))
		return error_no_memory(&r->error);
	const size_t index = processes_restore(&r->processes, p.pid, p.parent, p.namespace);
	if (index == SIZE_MAX)
		return invalid(r, "process");
	r->index[r->count++] = (uint32_t)index;
	return IOT_OK;
}

static int expect(struct replay *r, const struct spool_entry *e, const void *data)
{
	const char *program = data;
	if (e->process >= r->count || e->size == 0 || program[e->size - 1] != '\0')
		return invalid(r, "program");
	ring_events_expect(r->events, r->index[e->process], program);
	return IOT_OK;
}

static int add_event(struct replay *r, const struct spool_entry *e, const void *data)
{
	struct spool_event s;
	if (e->size < sizeof(s) || e->process >= r->count)
		return invalid(r, "event");
	memcpy(&s, data, sizeof(s));
	if ((s.kind != RING_LOST && s.kind != RING_ENDED) || s.text_size > e->size - sizeof(s) ||
	    s.rec.start_ns < 0)
		return invalid(r, "event");
	const struct iot_event ev = {.kind = (uint8_t)s.kind,
				     .rec = s.rec,
				     .text = {(const char *)data + sizeof(s), s.text_size}};
	struct iot_event copy = ev;
	copy.rec.process = r->index[e->process];
	return event_order_add(&r->order, &copy, 1);
}

/* The rest of a ring is not decoded. */
static int give_up(struct replay *r, struct replay_ring *ring, uint32_t process, uint64_t time)
{
	const struct iot_event ev = {.kind = RING_LOST,
				     .rec = {.start_ns = (int64_t)(time - r->zero),
					     .process = process,
					     .type = RING_DAMAGED}};
	ring->failed = true;
	return event_order_add(&r->order, &ev, 1);
}

static void find_user(struct replay *r, struct replay_ring *ring, uint32_t process,
		      const unsigned char *data, size_t n)
{
	struct record_thread stated;
	if (ring_states_user(data, n, &stated))
		ring->user = processes_ring_user(&r->processes, process, &stated, r->per_thread);
}

static struct replay_ring *ring_of(struct replay *r, const struct spool_entry *e)
{
	if (!array_reserve_index(&r->ring, &r->ring_capacity, e->ring, sizeof(*r->ring)))
		return NULL;
	struct replay_ring *ring = &r->ring[e->ring];
	const uint32_t process = r->index[e->process];
	if (!ring->known)
		*ring = (struct replay_ring){.known = true, .user = {process, process}};
	return ring;
}

static int add_records(struct replay *r, const struct spool_entry *e, const unsigned char *data)
{
	if (e->process >= r->count || e->ring > RINGS_MAX || e->time < r->zero ||
	    e->time - r->zero > INT64_MAX)
		return invalid(r, "part of a ring");
	struct replay_ring *ring = ring_of(r, e);
	const uint32_t process = r->index[e->process];
	struct ring_decoder d = {
	    .zero = r->zero, .now = e->time, .skew = r->skew, .flags = r->flags};
	int status = ring == NULL ? error_no_memory(&r->error) : IOT_OK;
	for (size_t at = 0; status == IOT_OK && at < e->size && !ring->failed;) {
		size_t used;
		find_user(r, ring, process, data + at, e->size - at);
		d.user = ring->user;
		const int count =
		    ring_decode(&d, data + at, e->size - at, event_order_next(&r->order), &used);
		if (count < 0 || used == 0)
			return give_up(r, ring, process, e->time);
		r->order.count += (size_t)count;
		at += used;
		if (event_order_is_full(&r->order))
			status = event_order_copy(&r->order);
	}
	return status;
}

static int end_step(struct replay *r, const struct spool_entry *e, const void *data)
{
	struct clock_sample sample;
	if (e->size != sizeof(sample) || e->time < r->zero || e->time - r->zero > INT64_MAX)
		return invalid(r, "time");
	memcpy(&sample, data, sizeof(sample));
	clock_map_add(&r->clock, sample);
	return event_order_write(&r->order, (int64_t)(e->time - r->zero));
}

int replay_entry(struct replay *r, const struct spool_entry *e, const void *data)
{
	switch (e->kind) {
	case SPOOL_BEGIN:
		return IOT_OK;
	case SPOOL_PROCESS:
		return add_process(r, e, data);
	case SPOOL_EXPECT:
		return expect(r, e, data);
	case SPOOL_RING:
		return add_records(r, e, data);
	case SPOOL_EVENT:
		return add_event(r, e, data);
	case SPOOL_STEP:
		return end_step(r, e, data);
	default:
		return invalid(r, "entry");
	}
}

int replay_copy(struct replay *r)
{
	return event_order_copy(&r->order);
}

int replay_end(struct replay *r)
{
	return event_order_end(&r->order);
}
