/* SPDX-License-Identifier: BSD-2-Clause */
/* A collector that continues the work of one that was killed. */
#include "collector_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

enum { RINGS_EVER = 1 << 28 }; /* serial numbers */

static int restore_event(struct collector *c, const struct spool_entry *e, const void *data,
			 struct spooled_ring *ring)
{
	struct spool_event event;
	if (e->size < sizeof(event) || e->process >= c->processes.count)
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid event");
	memcpy(&event, data, sizeof(event));
	struct process *p = &c->processes.process[e->process];
	if (event.kind == RING_ENDED) {
		p->ended = true;
		if (!processes_set_start(&c->processes, e->process, event.start))
			return error_no_memory(&c->error);
	} else if (event.rec.type == RING_DROPPED) {
		ring->dropped += event.rec.offset;
		ring->dropped_bytes += event.rec.length;
		ring->dropped_others += event.rec.object;
	}
	return IOT_OK;
}

static int restore_process(struct collector *c, const struct spool_entry *e, const void *data)
{
	struct spool_process p;
	if (e->size != sizeof(p))
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid process");
	memcpy(&p, data, sizeof(p));
	if (processes_restore(&c->processes, p.pid, p.parent, p.namespace) == SIZE_MAX)
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid process");
	c->spooled++;
	return IOT_OK;
}

static int restore_entry(struct collector *c, const struct spool_entry *e, const void *data)
{
	struct clock_sample sample;
	if (e->ring > RINGS_EVER ||
	    !array_reserve_index(&c->spooled_ring, &c->spooled_ring_capacity, e->ring,
				 sizeof(*c->spooled_ring)))
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid ring");
	struct spooled_ring *ring = &c->spooled_ring[e->ring];
	switch (e->kind) {
	case SPOOL_PROCESS:
		return restore_process(c, e, data);
	case SPOOL_RING:
		ring->end = e->position + e->size;
		return IOT_OK;
	case SPOOL_EVENT:
		return restore_event(c, e, data, ring);
	case SPOOL_STEP:
		memcpy(&sample, data, e->size < sizeof(sample) ? e->size : sizeof(sample));
		clock_map_add(c->clock, sample);
		c->watermark = e->time;
		return IOT_OK;
	default:
		return IOT_OK;
	}
}

/* Applies all entries up to the last step, and then lets the spool grow from there. */
static int restore_spool(struct collector *c)
{
	struct spool_entry e;
	const void *data;
	int status = IOT_OK;
	while (spool_next(c->spool, &e, &data) > 0)
		;
	if (!spool_cut(c->spool))
		return error_system(&c->error, errno, "the spool cannot be shortened");
	while (status == IOT_OK && spool_next(c->spool, &e, &data) > 0)
		status = restore_entry(c, &e, data);
	if (status == IOT_OK && !spool_cut(c->spool))
		status = error_system(&c->error, errno, "the spool cannot be shortened");
	return status;
}

/* "taken.SERIAL" */
static void reopen_ring(struct collector *c, const char *name)
{
	uint64_t serial;
	struct ring r;
	const char *digits = strchr(name, '.') + 1;
	if (!number_decimal(digits, strlen(digits), &serial) || serial > RINGS_EVER)
		return;
	if (serial > c->serial)
		c->serial = (uint32_t)serial;
	if (c->rings == COLLECTOR_RINGS_MAX ||
	    !array_reserve(&c->ring, &c->ring_capacity, c->rings + 1, sizeof(*c->ring)) ||
	    ring_open(&r, c->recording->fd, name) != NULL)
		return;
	const size_t process = processes_joined(&c->processes, r.pid, r.start);
	if (process == SIZE_MAX || c->processes.process[process].ended) {
		ring_close(&r);
		(void)unlinkat(c->recording->fd, name, 0);
		return;
	}
	r.serial = (uint32_t)serial;
	r.process = (uint32_t)process;
	r.user = (struct ring_user){r.process, r.process};
	if (serial < c->spooled_ring_capacity) {
		const struct spooled_ring *s = &c->spooled_ring[serial];
		r.tail = s->end;
		r.dropped = s->dropped;
		r.dropped_bytes = s->dropped_bytes;
		r.dropped_others = s->dropped_others;
	}
	c->processes.process[process].rings++;
	c->ring[c->rings++] = r;
}

static int reopen_directory(struct collector *c)
{
	static const struct collector_files files[] = {
	    {"process.", collector_join_process},
	    {"spare.", collector_join_spare},
	    {"taken.", reopen_ring},
	    {NULL, NULL},
	};
	return collector_read_files(c, files);
}

int collector_resume(struct collector *c, uint64_t began)
{
	c->processes.began = began;
	c->processes.resumed = true;
	int status = restore_spool(c);
	for (size_t i = 0; i < c->processes.count && status == IOT_OK; i++)
		if (!c->processes.process[i].ended && !processes_await_end(&c->processes, i))
			status = error_no_memory(&c->error);
	if (status == IOT_OK)
		status = reopen_directory(c);
	free(c->spooled_ring);
	c->spooled_ring = NULL;
	c->processes.resumed = false;
	return status;
}
