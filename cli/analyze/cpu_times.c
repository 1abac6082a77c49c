/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu_times.h"

#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

#include "members.h"
#include "states.h"

/* The clock of a process, or NULL if out of memory. */
static struct cpu_times_process *process_of(struct cpu_times *c, uint32_t process)
{
	const size_t n = idmap_number(&c->numbers, process);
	if (!array_reserve_index(&c->processes, &c->capacity, n, sizeof *c->processes))
		return NULL;
	return &c->processes[n];
}

/*
 * Places a request at the CPU time since the first request of its process, or at 0 if the clock is
 * lower than at that request: threads have clocks of their own.
 */
static bool place_request(struct cpu_times *c, struct iot_record *rec)
{
	struct cpu_times_process *p = process_of(c, rec->process);
	if (p == NULL)
		return false;
	if (!p->known)
		*p = (struct cpu_times_process){true, rec->cpu_ns, 0};
	if (rec->cpu_ns < p->first_ns ||
	    __builtin_sub_overflow(rec->cpu_ns, p->first_ns, &p->since_ns))
		p->since_ns = 0;
	c->records++;
	c->runs |= rec->cpu_ns != 0;
	c->lacks |= (rec->flags & IOT_CPU_UNKNOWN) != 0;
	rec->start_ns = p->since_ns;
	rec->duration_ns = 0;
	rec->flags &= (uint8_t) ~(IOT_START_UNKNOWN | IOT_DURATION_UNKNOWN);
	return true;
}

static bool place_operation(struct cpu_times *c, struct iot_event *ev)
{
	const struct cpu_times_process *p = process_of(c, ev->rec.process);
	if (p == NULL)
		return false;
	ev->rec.start_ns = p->since_ns;
	ev->rec.duration_ns = 0;
	ev->has &= ~(uint32_t)IOT_HAS_TOOK;
	return true;
}

/* Returns whether a token of a %trace states a time of day. */
static bool is_moment(const char *token, size_t size)
{
	static const char *const keys[] = {"epoch=", "epoch-precision=", "job-start=", "job-end="};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (size >= strlen(keys[i]) && memcmp(token, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

static size_t token_size(const char *at, const char *end)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));
	return (size_t)((blank != NULL ? blank + 1 : end) - at);
}

/* Copies the text, and overwrites the tokens that are left out with those after them. */
static bool drop_moments(struct cpu_times *c, struct iot_event *ev)
{
	const char *at = ev->text.data, *end = at + ev->text.size;
	char *text = malloc(ev->text.size + 1);
	size_t used = 0;
	if (text == NULL)
		return false;
	for (size_t n; at < end; at += n) {
		n = token_size(at, end);
		if (is_moment(at, n))
			continue;
		memcpy(text + used, at, n);
		used += n;
	}
	ev->text = (struct iot_text){text, used};
	ev->rec.start_ns = 0;
	const bool copied = text_blocks_copy(&c->texts, &ev->text);
	free(text);
	return copied;
}

/* Other events, definitions among them, stay with the request that follows. */
static bool place(struct cpu_times *c, struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return place_request(c, &ev->rec);
	if (ev->kind == IOT_TRACE)
		return drop_moments(c, ev);
	if (ev->kind == IOT_OP)
		return place_operation(c, ev);
	ev->has &= ~(uint32_t)(IOT_HAS_TIME | IOT_HAS_TOOK);
	return true;
}

static bool is_state(const struct iot_batch *b)
{
	return b->count > 0 &&
	       (analyze_state_begins(b->events) || analyze_members_begin(b->events));
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct cpu_times *c = context;
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	if (status <= 0)
		return status;
	text_blocks_reset(&c->texts);
	c->states |= c->records == 0 && is_state(b);
	for (size_t i = 0; i < b->count && !c->no_memory && !c->states; i++)
		c->no_memory = !place(c, &b->events[i]);
	b->watermark_ns = INT64_MIN;
	if (c->no_memory)
		return iot_stream_fail(self, IOT_ENOMEM, "out of memory");
	return !c->lacks && !c->states;
}

struct iot_stream *cpu_times_stream(struct iot_stream *upstream, struct cpu_times *clock)
{
	static const struct iot_stage stage = {.next = next};
	const struct iot_sort_options sort = {.size = sizeof sort, .mode = IOT_SORT_ALL};
	struct iot_stream *s = upstream != NULL ? iot_stream_new(upstream, &stage, clock) : NULL;
	return iot_stream_sort(s, &sort);
}

const char cpu_times_of_state[] =
    "a state has no CPU times of requests; --clock=cpu needs the trace";

const char *cpu_times_refusal(const struct cpu_times *clock)
{
	if (clock->states)
		return cpu_times_of_state;
	if (clock->lacks || (clock->records > 0 && !clock->runs))
		return "the requests have no CPU times, which --clock=cpu needs";
	return NULL;
}

void cpu_times_free(struct cpu_times *clock)
{
	idmap_free(&clock->numbers);
	free(clock->processes);
	text_blocks_free(&clock->texts);
	*clock = (struct cpu_times){.capacity = 0};
}
