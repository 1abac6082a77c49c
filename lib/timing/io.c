/* SPDX-License-Identifier: BSD-2-Clause */
/* I/Os in flight, and calls that sleep until they complete. */
#include "lib/base/array.h"
#include "sim_internal.h"

/* The data of an event of s->completions. */
enum { IO_WRITE = 1, IO_CLEANS = 2, IO_LENGTH_SHIFT = 2 };

static void count_flight(struct sim *s)
{
	const int64_t ns = s->now_ns - s->flight_ns;
	s->depth_ns += (double)s->in_flight * (double)ns;
	s->result->device_busy_ns += s->in_flight > 0 ? (uint64_t)ns : 0;
	s->flight_ns = s->now_ns;
}

static void count_issue(struct sim *s, uint64_t length, bool write)
{
	struct timing_result *r = s->result;
	count_flight(s);
	s->in_flight++;
	if (s->in_flight > r->depth_max)
		r->depth_max = s->in_flight;
	r->device_reads += !write;
	r->device_writes += write;
	r->device_read_bytes += write ? 0 : length;
	r->device_written_bytes += write ? length : 0;
}

int64_t sim_issue(struct sim *s, uint32_t object, uint64_t offset, uint64_t length, bool write,
		  bool cleans)
{
	const struct device_io io = {offset, length, object, write};
	const int64_t done_ns = device_issue(&s->device, s->now_ns, &io);
	const uint64_t data =
	    length << IO_LENGTH_SHIFT | (write ? IO_WRITE : 0U) | (cleans ? IO_CLEANS : 0U);
	count_issue(s, length, write);
	if (done_ns >= CLOCK_END)
		error_set(s->error, IOT_ELIMIT, "the simulated time exceeds 146 years");
	if (!event_queue_add(&s->completions, (struct queue_event){done_ns, s->issued++, data}))
		sim_no_memory(s);
	if (write)
		s->objects[object].written_ns = clock_later(s->objects[object].written_ns, done_ns);
	return done_ns;
}

static void wake_stalled(struct sim *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->stalled_count; i++) {
		const struct stalled *w = &s->stalled[i];
		if (w->throttled && write_back_is_throttled(s))
			s->stalled[kept++] = *w;
		else if (!event_queue_add(&s->wakes,
					  (struct queue_event){s->now_ns, w->number, w->id}))
			sim_no_memory(s);
	}
	s->stalled_count = kept;
}

void sim_complete(struct sim *s)
{
	const struct queue_event event = event_queue_take(&s->completions);
	const uint64_t length = event.data >> IO_LENGTH_SHIFT;
	count_flight(s);
	s->in_flight--;
	s->full = false;
	if (event.data & IO_CLEANS)
		s->writing_blocks -= length / s->o->block;
	/* an interval includes its end, so that no completion is after the last one */
	rates_add(s, event.time - (event.time > 0),
		  event.data & IO_WRITE ? RATE_DEVICE_WRITTEN : RATE_DEVICE_READ, length);
	if (s->stalled_count > 0)
		wake_stalled(s);
}

void sim_sleep(struct sim *s, uint32_t id, enum call_result how, int64_t until_ns)
{
	const uint64_t number = s->slept++;
	if (how == CALL_SLEEPS) {
		if (!event_queue_add(&s->wakes, (struct queue_event){until_ns, number, id}))
			sim_no_memory(s);
		return;
	}
	if (!array_reserve(&s->stalled, &s->stalled_capacity, s->stalled_count + 1,
			   sizeof *s->stalled)) {
		sim_no_memory(s);
		return;
	}
	s->stalled[s->stalled_count++] = (struct stalled){number, id, how == CALL_THROTTLED};
	s->result->stalls += how == CALL_STALLS;
	s->result->throttled += how == CALL_THROTTLED;
}

void sim_end(struct sim *s)
{
	count_flight(s);
	if (s->result->device_busy_ns > 0)
		s->result->depth_mean = s->depth_ns / (double)s->result->device_busy_ns;
}

void sim_pending(struct sim *s)
{
	int64_t last_ns = s->now_ns;
	for (size_t i = 0; i < s->completions.count; i++) {
		const struct queue_event *event = &s->completions.events[i];
		if ((event->data & IO_WRITE) == 0)
			continue;
		s->result->pending_bytes += event->data >> IO_LENGTH_SHIFT;
		last_ns = clock_later(last_ns, event->time);
	}
	s->result->pending_ns = (uint64_t)(last_ns - s->now_ns);
}
