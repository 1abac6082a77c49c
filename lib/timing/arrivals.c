/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open loop: each record is a call of its own that begins at its start time, whatever the calls
 * before it do. A call never counts as asynchronous, since its latency is what is measured. Calls
 * that cannot continue wait in a queue. When an I/O completes, they resume in order until one
 * cannot continue again: a retry of each of them would take quadratic time on a slow device.
 */
#include <stdlib.h>

#include "lib/base/array.h"
#include "sim_internal.h"

#define CALL_NONE UINT32_MAX

struct open_call {
	struct task task;
	struct step step;
	int64_t arrived_ns;
	uint64_t copy_ns;
	bool done;     /* when it wakes */
	uint32_t next; /* free or waiting call */
};

struct call_queue {
	uint32_t first, last; /* CALL_NONE: empty */
};

/* The next step of one copy of a world. */
struct arrival_source {
	const struct world *world;
	size_t at;
	uint32_t object_base, stream_base, process_base, row_base;
};

struct open_run {
	struct sim *sim;
	struct arrival_source *sources;
	size_t source_count;
	struct event_queue next; /* arrivals: of each source the next one */
	struct open_call *calls;
	size_t call_count, call_capacity;
	uint32_t free;
	size_t running;
	struct call_queue stalled, throttled;
	bool resumes; /* an I/O has completed: calls of the queues may continue */
};

/* Returns CALL_NONE if out of memory. */
static uint32_t call_take(struct open_run *r)
{
	uint32_t id = r->free;
	r->running++;
	if (id != CALL_NONE) {
		r->free = r->calls[id].next;
		return id;
	}
	if (!array_reserve(&r->calls, &r->call_capacity, r->call_count + 1, sizeof *r->calls))
		return CALL_NONE;
	return (uint32_t)r->call_count++;
}

static void record_latency(struct open_run *r, const struct open_call *a)
{
	struct timing_result *result = r->sim->result;
	if (a->step.kind > STEP_WRITE)
		return;
	if (!array_reserve(&result->latencies, &result->latency_capacity, result->latency_count + 1,
			   sizeof *result->latencies)) {
		sim_no_memory(r->sim);
		return;
	}
	const uint64_t latency_ns = (uint64_t)(r->sim->now_ns - a->arrived_ns) + a->copy_ns;
	result->latencies[result->latency_count++] = latency_ns;
	rows_wait(r->sim, &a->task, latency_ns);
}

static void call_end(struct open_run *r, uint32_t id)
{
	record_latency(r, &r->calls[id]);
	r->calls[id].next = r->free;
	r->free = id;
	r->running--;
}

static enum call_result call_continue(struct open_run *r, uint32_t id)
{
	struct open_call *a = &r->calls[id];
	a->task.step = &a->step; /* the array may have moved */
	const enum call_result how = a->done ? CALL_DONE : call_run(r->sim, &a->task);
	a->done = how == CALL_SLEEPS;
	if (how == CALL_DONE)
		call_end(r, id);
	else if (how == CALL_SLEEPS)
		sim_sleep(r->sim, id, how, a->task.wait_ns);
	r->sim->result->stalls += how == CALL_STALLS;
	r->sim->result->throttled += how == CALL_THROTTLED;
	return how;
}

/* Returns NULL for a call that does not wait in a queue. */
static struct call_queue *queue_of(struct open_run *r, enum call_result how)
{
	if (how == CALL_STALLS)
		return &r->stalled;
	return how == CALL_THROTTLED ? &r->throttled : NULL;
}

static void call_start(struct open_run *r, uint32_t id)
{
	struct call_queue *q = queue_of(r, call_continue(r, id));
	if (q == NULL)
		return;
	r->calls[id].next = CALL_NONE;
	*(q->first != CALL_NONE ? &r->calls[q->last].next : &q->first) = id;
	q->last = id;
}

/* A call that cannot continue is the first again. */
static void resume_queue(struct open_run *r, struct call_queue *q)
{
	struct call_queue *to = NULL;
	while (q->first != CALL_NONE && to != q) {
		const uint32_t id = q->first;
		if (q == &r->throttled && write_back_is_throttled(r->sim))
			return;
		q->first = r->calls[id].next;
		to = queue_of(r, call_continue(r, id));
		if (to == NULL)
			continue;
		if (to->first == CALL_NONE)
			to->last = id;
		r->calls[id].next = to->first;
		to->first = id;
	}
}

static void resume_calls(struct open_run *r)
{
	r->resumes = false;
	resume_queue(r, &r->stalled);
	resume_queue(r, &r->throttled);
}

static bool queue_next(struct open_run *r, uint64_t source)
{
	const struct arrival_source *from = &r->sources[source];
	const struct program *p = from->world->programs;
	if (from->world->program_count == 0 || from->at == p->count)
		return true;
	return event_queue_add(
	    &r->next,
	    (struct queue_event){clock_add(0, p->steps[from->at].delay_ns), source, source});
}

static void arrive(struct open_run *r)
{
	struct sim *s = r->sim;
	const struct queue_event event = event_queue_take(&r->next);
	struct arrival_source *from = &r->sources[event.data];
	const uint32_t row = program_row(from->world->programs, from->at);
	const struct step *step = &from->world->programs[0].steps[from->at++];
	const uint32_t id = call_take(r);
	if (id == CALL_NONE || !queue_next(r, event.data)) {
		sim_no_memory(s);
		return;
	}
	struct open_call *a = &r->calls[id];
	*a = (struct open_call){.step = *step, .arrived_ns = s->now_ns};
	a->step.async = false;
	a->copy_ns = call_copy_ns(s->o, step);
	s->result->copy_ns += a->copy_ns;
	call_begin(&a->task, &a->step, from->object_base, from->stream_base, from->world,
		   s->o->block);
	a->task.row = row != ROW_NONE ? from->row_base + row : ROW_NONE;
	if (step->stream != STREAM_NONE)
		a->task.process = from->process_base + from->world->streams[step->stream].program;
	call_start(r, id);
}

static void handle_next(struct open_run *r)
{
	struct sim *s = r->sim;
	const int64_t completion = event_queue_next(&s->completions),
		      awake = event_queue_next(&s->wakes), arrival = event_queue_next(&r->next),
		      timer = write_back_timer(s);
	if (r->resumes && completion > s->now_ns) {
		resume_calls(r);
		return;
	}
	int64_t now = completion < awake ? completion : awake;
	now = timer < now ? timer : now;
	s->now_ns = arrival < now ? arrival : now;
	if (completion == s->now_ns) {
		sim_complete(s);
		r->resumes = true;
	} else if (awake == s->now_ns)
		(void)call_continue(r, (uint32_t)event_queue_take(&s->wakes).data);
	else if (timer == s->now_ns)
		write_back_expired(s);
	else
		arrive(r);
}

static bool init_sources(struct open_run *r, struct world *const *worlds, size_t n)
{
	const struct timing_options *o = r->sim->o;
	struct sim_size base = {0};
	r->sources = calloc(n * o->copies + 1, sizeof *r->sources);
	for (size_t i = 0; i < n && r->sources != NULL; i++) {
		for (uint64_t copy = 0; copy < o->copies; copy++) {
			r->sources[r->source_count++] =
			    (struct arrival_source){worlds[i],
						    0,
						    (uint32_t)base.objects,
						    (uint32_t)base.streams,
						    (uint32_t)base.processes,
						    (uint32_t)base.rows};
			if (!queue_next(r, r->source_count - 1))
				return false;
			base.streams += worlds[i]->stream_count;
			base.processes += worlds[i]->process_ids.count;
			base.objects += o->share ? 0 : worlds[i]->object_count;
		}
		base.objects += o->share ? worlds[i]->object_count : 0;
		base.rows += worlds[i]->breakdown.rows.count;
	}
	return r->sources != NULL;
}

static int compare_latencies(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int arrivals_run(struct sim *s, struct world *const *worlds, size_t n)
{
	struct open_run r = {.sim = s,
			     .free = CALL_NONE,
			     .stalled = {CALL_NONE, CALL_NONE},
			     .throttled = {CALL_NONE, CALL_NONE}};
	if (!init_sources(&r, worlds, n))
		sim_no_memory(s);
	while ((r.running > 0 || r.next.count > 0) && s->error->status == IOT_OK)
		handle_next(&r);
	if (s->result->latency_count > 0)
		qsort(s->result->latencies, s->result->latency_count, sizeof *s->result->latencies,
		      compare_latencies);
	event_queue_free(&r.next);
	free(r.sources);
	free(r.calls);
	return s->error->status;
}
