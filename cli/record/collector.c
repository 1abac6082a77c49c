/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order: a thread stores a mark (in_flight) before a call starts. Stores become visible to the
 * collector within SLACK_NS, so after a look at all marks no event that starts before now -
 * SLACK_NS and all marks can arrive any more: that is the watermark. Rings are looked for after the
 * clock is read, because a ring exists before the first call that it records.
 *
 * A program's time stamp can be later than the collector's after it: processors read their
 * counters before earlier loads are complete, and the counters of two processors differ.
 */
#include "collector_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/clock.h"

/* For how long records wait for calls that started before them. */
#define OPERATION_NS UINT64_C(1000000000)
#define TRANSFER_NS  UINT64_C(10000000000)

enum {
	WAIT_MIN_MS = 3, /* while programs are busy */
	WAIT_MAX_MS = 20,
	BUSY = 1 << 14,     /* bytes of all rings after which the next look follows soon */
	SLICE = 1 << 18,    /* bytes of rings whose events are written at once */
	SLACK_NS = 1000000, /* stores become visible within microseconds */
	SKEW_NS = 10000000, /* of a valid time stamp */
};

static bool start_writing(struct collector *c, struct iot_writer *w,
			  const struct collector_options *o)
{
	if (o->spool != NULL) {
		const struct replay_options options = {o->memory, o->per_thread, &o->events};
		c->replay = replay_new(o->begin, w, &options);
		return c->replay != NULL;
	}
	c->events = ring_events_new(w, &c->processes, c->clock, &o->events);
	return event_order_init(&c->order, o->memory, c->events) && c->events != NULL;
}

struct collector *collector_new(const struct recording *r, struct iot_writer *w,
				struct clock_map *clock, const struct collector_options *o)
{
	struct collector *c = calloc(1, sizeof(*c));
	if (c == NULL)
		return NULL;
	c->recording = r;
	c->clock = clock;
	c->zero = c->watermark = clock->sample[0].ticks;
	c->slack = clock_map_units(clock, SLACK_NS);
	c->skew = clock_map_units(clock, SKEW_NS);
	c->operation = clock_map_units(clock, OPERATION_NS);
	c->transfer = clock_map_units(clock, TRANSFER_NS);
	c->wait_ms = WAIT_MIN_MS;
	packet_pipe_init(&c->packets, r->pipe);
	c->per_thread = o->per_thread;
	c->spool = o->spool;
	c->flags = r->control->cpu == RECORD_CPU_NONE ? IOT_CPU_UNKNOWN : 0;
	const bool can_write = start_writing(c, w, o);
	ring_survive_truncation();
	doorbell_start(&c->doorbell, &r->control->doorbell, &r->control->heartbeat);
	if (can_write)
		return c;
	collector_free(c);
	return NULL;
}

void collector_free(struct collector *c)
{
	if (c == NULL)
		return;
	doorbell_stop(&c->doorbell);
	for (size_t i = 0; i < c->rings; i++)
		ring_close(&c->ring[i]);
	free(c->ring);
	free(c->spooled_ring);
	event_order_free(&c->order);
	ring_events_free(c->events);
	replay_free(c->replay);
	processes_free(&c->processes);
	free(c);
}

void collector_begin_part(struct collector *c, struct iot_writer *w)
{
	ring_events_begin_part(c->events, w);
}

int collector_keep(struct collector *c, bool keep)
{
	return ring_events_keep(c->events, keep);
}

bool collector_part_has_times(const struct collector *c)
{
	return ring_events_part_has_times(c->events);
}

bool collector_is_active(const struct collector *c)
{
	return c->processes.alive_count > 0 || c->ended_count > 0;
}

const char *collector_error(const struct collector *c)
{
	if (c->error.status != IOT_OK)
		return c->error.text;
	return c->spool != NULL ? replay_error(c->replay) : c->order.error.text;
}

uint64_t collector_late(const struct collector *c)
{
	return c->spool != NULL ? replay_late(c->replay) : c->order.late;
}

const struct ring_events_totals *collector_totals(const struct collector *c)
{
	return c->spool != NULL ? replay_totals(c->replay) : ring_events_totals(c->events);
}

/* Writes the events before a time of the trace. */
static int write_events(struct collector *c, int64_t watermark)
{
	const int status = event_order_write(&c->order, watermark);
	collector_release_rings(c);
	return status;
}

/* Writes the events before a time of the clock. */
static int write_until(struct collector *c, uint64_t time)
{
	return write_events(c, (int64_t)(time - c->zero));
}

/* An invalid head is found when its ring is drained. */
static uint64_t available_bytes(const struct collector *c)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < c->rings; i++) {
		const struct ring *r = &c->ring[i];
		const uint64_t n =
		    atomic_load_explicit(&r->header->head, memory_order_relaxed) - r->tail;
		bytes += r->data != NULL && n <= r->size ? n : 0;
	}
	return bytes;
}

/* last: leaves at most a quarter of each ring, so that programs need not wait. */
static int drain_rings(struct collector *c, uint64_t until, bool last)
{
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings && status == IOT_OK; i++)
		status = collector_drain(c, &c->ring[i], until,
					 last ? c->ring[i].size / 4 : c->ring[i].size);
	return status;
}

/*
 * Writes events of rings before the watermark, in slices of time. The last slice is the caller's.
 */
static int write_slices(struct collector *c, uint64_t from)
{
	const uint64_t slices = available_bytes(c) / SLICE + 1;
	const uint64_t length = (c->watermark - from) / slices;
	int status = IOT_OK;
	for (uint64_t i = 1; i < slices && status == IOT_OK; i++) {
		status = drain_rings(c, from + i * length, false);
		if (status == IOT_OK)
			status = write_until(c, from + i * length);
	}
	return status;
}

/* all: leaves nothing in the rings. */
static int drain_all(struct collector *c, bool all)
{
	const uint64_t from = c->watermark;
	uint64_t watermark = clock_map_now(c->clock) - c->slack;
	int status = collector_find_rings(c);
	for (size_t i = 0; i < c->rings; i++)
		watermark = collector_oldest(c, &c->ring[i], watermark);
	watermark = collector_oldest_unsent(c, watermark);
	if (watermark > c->watermark)
		c->watermark = watermark;
	if (c->spool != NULL)
		return status == IOT_OK ? collector_spool_rings(c) : status;
	if (status == IOT_OK)
		status = write_slices(c, from);
	if (status == IOT_OK)
		status = drain_rings(c, all ? 0 : c->watermark, true);
	return status == IOT_OK ? collector_drain_packets(c) : status;
}

/* Rings are released when what they had is complete in the spool. */
static int end_spool_step(struct collector *c)
{
	const int status = collector_spool_step(c);
	if (status == IOT_OK)
		collector_release_rings(c);
	return status;
}

/* Little is left to write when the program ends, and an idle one costs little. */
static void choose_wait(struct collector *c)
{
	c->wait_ms = c->drained > BUSY ? WAIT_MIN_MS : c->wait_ms * 2;
	if (c->wait_ms > WAIT_MAX_MS)
		c->wait_ms = WAIT_MAX_MS;
	c->drained = 0;
}

int collector_step(struct collector *c, int fd)
{
	struct pollfd extra[] = {{.fd = fd, .events = POLLIN},
				 {.fd = c->doorbell.fd, .events = POLLIN}};
	if (!processes_wait(&c->processes, extra, 2, c->wait_ms, c->ended, &c->ended_count,
			    COLLECTOR_ENDED_MAX))
		return error_system(&c->error, errno, "cannot wait for the program");
	atomic_store(&c->recording->control->heartbeat, clock_monotonic_ns());
	clock_map_sample(c->clock);
	doorbell_answer(&c->doorbell);
	int status = drain_all(c, c->ended_count > 0);
	choose_wait(c);
	if (status == IOT_OK && c->spool == NULL)
		status = write_until(c, c->watermark);
	for (size_t i = 0; i < c->ended_count && status == IOT_OK; i++)
		status = collector_report_end(c, c->ended[i]);
	if (status == IOT_OK && c->spool != NULL)
		status = end_spool_step(c);
	for (size_t i = 0; i < c->ended_count && status == IOT_OK; i++)
		collector_release_process(c, c->ended[i]);
	c->ended_count = 0;
	return status;
}

static int interrupt_process(struct collector *c, uint32_t index)
{
	const int status = collector_add(
	    c, (struct iot_event){.kind = RING_LOST,
				  .rec = {.process = index, .type = RING_INTERRUPTED}});
	return status == IOT_OK ? collector_report_end(c, index) : status;
}

/* The file stays until the recording is removed: if this fails, it can be converted again. */
static int finish_spool(struct collector *c)
{
	int status = collector_spool_processes(c);
	if (status == IOT_OK)
		status = end_spool_step(c);
	if (status == IOT_OK && !c->replays)
		status = collector_convert_spool(c);
	return status == IOT_OK ? replay_end(c->replay) : status;
}

/* The directory is read even if a process was killed before it counted its file. */
int collector_finish(struct collector *c)
{
	int status = collector_read_directory(c);
	if (status == IOT_OK)
		status = drain_all(c, true);
	if (status == IOT_OK && c->spool == NULL)
		status = collector_copy_events(c);
	for (size_t i = 0; i < c->processes.count && status == IOT_OK; i++)
		if (c->processes.process[i].shared != NULL)
			status = interrupt_process(c, (uint32_t)i);
	clock_map_sample(c->clock);
	if (status == IOT_OK)
		status = c->spool != NULL ? finish_spool(c) : event_order_end(&c->order);
	for (size_t i = 0; i < c->processes.count && status == IOT_OK; i++)
		if (c->processes.process[i].shared != NULL)
			collector_release_process(c, (uint32_t)i);
	return status;
}
