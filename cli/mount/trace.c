/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/ring.h"
#include "lib/base/error.h"
#include "lib/sort/sorter.h"

enum { MEMORY = 64 << 20, ENDED_MAX = 256, ANY_TIME = 1 };

#define SKEW_NS UINT64_C(10000000)

struct mount_trace {
	struct processes processes;
	struct ring_events *events;
	struct sorter *sorter;
	struct clock_map *clock;
	uint64_t zero, dropped; /* dropped: records that have been reported */
	struct idmap pids;      /* pid -> index + 1 of its process, in `process` */
	uint32_t *process;
	size_t process_capacity;
	struct iot_event batch[RING_BATCH];
	uint32_t ended[ENDED_MAX]; /* processes whose last closes may still arrive */
	size_t ended_count;
	struct error error;
};

struct mount_trace *mount_trace_new(struct iot_writer *w, struct clock_map *clock,
				    const struct ring_events_options *options)
{
	struct mount_trace *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->clock = clock;
	t->zero = clock->sample[0].ticks;
	t->processes.began = ANY_TIME; /* processes may be older than the mount */
	t->sorter = sorter_new(MEMORY, SORTER_LIVE);
	t->events = ring_events_new(w, &t->processes, clock, options);
	if (t->sorter != NULL && t->events != NULL)
		return t;
	mount_trace_free(t);
	return NULL;
}

void mount_trace_free(struct mount_trace *t)
{
	if (t == NULL)
		return;
	ring_events_free(t->events);
	sorter_free(t->sorter);
	processes_free(&t->processes);
	idmap_free(&t->pids);
	free(t->process);
	free(t);
}

const char *mount_trace_error(const struct mount_trace *t)
{
	return t->error.text;
}

const struct ring_events_totals *mount_trace_totals(const struct mount_trace *t)
{
	return ring_events_totals(t->events);
}

static int sorter_failed(struct mount_trace *t)
{
	return error_set(&t->error, sorter_error(t->sorter)->status, "%s",
			 sorter_error(t->sorter)->text);
}

/* Requests of the kernel itself belong to the process of the mount. */
static uint32_t shown_pid(uint32_t pid)
{
	return pid != 0 ? pid : (uint32_t)getpid();
}

/*
 * Returns the index of a process; SIZE_MAX if out of memory. is_start: it may have a new program.
 */
static size_t process_of(struct mount_trace *t, uint32_t pid, bool is_start)
{
	const size_t n = idmap_number(&t->pids, pid);
	if (n == SIZE_MAX ||
	    !array_reserve_index(&t->process, &t->process_capacity, n, sizeof(*t->process)))
		return SIZE_MAX;
	if (t->process[n] != 0 && !is_start)
		return t->process[n] - 1;
	const size_t index = processes_expect(&t->processes, pid, 0, 0);
	t->process[n] = index == SIZE_MAX ? 0 : (uint32_t)index + 1;
	return index;
}

/* Stores the event of a ring record. Returns 0 or a status. */
static int decode(struct mount_trace *t, struct buffered who, const unsigned char *record,
		  size_t size, struct iot_event *ev)
{
	struct record_head head;
	struct iot_event events[RING_BATCH];
	size_t used;
	memcpy(&head, record, sizeof(head));
	const size_t process = process_of(t, shown_pid(who.pid), head.kind == RECORD_START);
	if (process == SIZE_MAX)
		return error_no_memory(&t->error);
	const struct ring_decoder d = {.zero = t->zero,
				       .now = clock_map_now(t->clock),
				       .skew = clock_map_units(t->clock, SKEW_NS),
				       .user = {(uint32_t)process, (uint32_t)process},
				       .flags = IOT_CPU_UNKNOWN};
	if (ring_decode(&d, record, size, events, &used) != 1)
		return error_set(&t->error, IOT_EFORMAT, "a record in the buffer is invalid");
	*ev = events[0];
	return IOT_OK;
}

static int add_events(struct mount_trace *t, size_t n)
{
	return n == 0 || sorter_add(t->sorter, t->batch, NULL, n) == SORTER_OK ? IOT_OK
									       : sorter_failed(t);
}

/* Writes what the sorter returns. */
static int write_sorted(struct mount_trace *t)
{
	ssize_t n;
	while ((n = sorter_events(t->sorter, t->batch, NULL, RING_BATCH)) > 0)
		for (ssize_t i = 0; i < n; i++)
			(void)ring_events_add(t->events, &t->batch[i]);
	if (n < 0)
		return sorter_failed(t);
	const int status = ring_events_flush(t->events);
	return status == IOT_ENOMEM ? error_no_memory(&t->error) : status;
}

int mount_trace_add(struct mount_trace *t, const struct buffer *full)
{
	const unsigned char *record;
	struct buffered who;
	size_t at = 0, used = 0, size, n = 0;
	int status = IOT_OK;
	clock_map_sample(t->clock);
	while (status == IOT_OK && (record = buffers_next(full, &at, &used, &who, &size)) != NULL) {
		status = decode(t, who, record, size, &t->batch[n]);
		n += status == IOT_OK;
		if (status == IOT_OK && n == RING_BATCH) {
			status = add_events(t, n);
			n = 0;
		}
	}
	if (status == IOT_OK)
		status = add_events(t, n);
	if (status != IOT_OK)
		return status;
	if (sorter_set_watermark(t->sorter, (int64_t)(full->watermark - t->zero)) != IOT_OK)
		return sorter_failed(t);
	return write_sorted(t);
}

/* An event of the mount itself, at this time. */
static int add_own(struct mount_trace *t, struct iot_event ev)
{
	ev.rec.start_ns = (int64_t)(clock_map_now(t->clock) - t->zero);
	t->batch[0] = ev;
	return add_events(t, 1);
}

int mount_trace_look_for_ends(struct mount_trace *t)
{
	static const uint64_t none = 0;
	int status = IOT_OK;
	for (size_t i = 0; i < t->ended_count && status == IOT_OK; i++)
		status =
		    add_own(t, (struct iot_event){.kind = RING_ENDED,
						  .rec = {.process = t->ended[i]},
						  .text = {(const char *)&none, sizeof(none)}});
	t->ended_count = 0;
	if (status == IOT_OK &&
	    !processes_wait(&t->processes, NULL, 0, 0, t->ended, &t->ended_count, ENDED_MAX))
		return error_system(&t->error, errno, "cannot wait for processes");
	return status;
}

int mount_trace_dropped(struct mount_trace *t, uint64_t dropped)
{
	const uint64_t records = dropped - t->dropped;
	if (records == 0)
		return IOT_OK;
	t->dropped = dropped;
	const size_t process = process_of(t, (uint32_t)getpid(), false);
	if (process == SIZE_MAX)
		return error_no_memory(&t->error);
	return add_own(
	    t, (struct iot_event){
		   .kind = RING_LOST,
		   .rec = {.process = (uint32_t)process, .type = RING_DROPPED, .offset = records}});
}

int mount_trace_keep(struct mount_trace *t, bool keep)
{
	return ring_events_keep(t->events, keep);
}

int mount_trace_end(struct mount_trace *t)
{
	clock_map_sample(t->clock);
	if (sorter_end(t->sorter) != IOT_OK)
		return sorter_failed(t);
	const int status = write_sorted(t);
	return status == IOT_OK ? ring_events_end(t->events) : status;
}
