/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Closed loop: processes compute and call on CPUs that serve one ready queue, round robin. Events
 * of one time are handled in this order: completions of I/Os, sleepers that wake, expired dirty
 * blocks, CPUs.
 */
#include <stdlib.h>

#include "sim_internal.h"

#define CPU_NONE  SIZE_MAX
#define IDLE      INT64_MAX
#define NEVER_RAN PROCESS_NONE

struct sim_process {
	struct task task;
	const struct world *world;
	const struct program *program;
	size_t at;         /* the current step */
	bool done;         /* the current step, when the process wakes */
	uint64_t burst_ns; /* CPU time that is left before the call */
	int64_t slept_ns;  /* since when it sleeps */
	uint32_t object_base, stream_base, row_base;
	uint32_t next_ready;
};

struct cpu {
	uint32_t process;            /* PROCESS_NONE: idle, or serves an interrupt only */
	uint32_t last;               /* the process that it ran last */
	int64_t until_ns;            /* the end of what it does; IDLE */
	int64_t idle_ns;             /* since when it is idle */
	uint64_t piece_ns, slice_ns; /* of the burst that runs until then; left of the quantum */
};

struct closed_run {
	struct sim sim;
	struct sim_process *processes;
	struct cpu *cpus;
	uint32_t first_ready, last_ready;
	size_t unfinished;
};

/* Ready queue */

static void ready_push(struct closed_run *r, uint32_t id)
{
	r->processes[id].next_ready = PROCESS_NONE;
	if (r->first_ready == PROCESS_NONE)
		r->first_ready = id;
	else
		r->processes[r->last_ready].next_ready = id;
	r->last_ready = id;
}

static uint32_t ready_take(struct closed_run *r)
{
	const uint32_t id = r->first_ready;
	r->first_ready = r->processes[id].next_ready;
	return id;
}

/* CPUs */

/* An idle CPU becomes busy. */
static void end_idle(struct closed_run *r, struct cpu *c)
{
	r->sim.result->idle_ns += (uint64_t)(r->sim.now_ns - c->idle_ns);
	rates_idle(&r->sim, c->idle_ns, r->sim.now_ns);
	c->until_ns = r->sim.now_ns;
}

static void begin_idle(struct closed_run *r, struct cpu *c)
{
	c->process = PROCESS_NONE;
	c->until_ns = IDLE;
	c->idle_ns = r->sim.now_ns;
}

static void run_piece(struct closed_run *r, struct cpu *c)
{
	const uint64_t burst = r->processes[c->process].burst_ns;
	c->piece_ns = burst < c->slice_ns ? burst : c->slice_ns;
	c->until_ns = clock_add(c->until_ns, c->piece_ns);
}

static void dispatch(struct closed_run *r, struct cpu *c)
{
	struct timing_result *result = r->sim.result;
	end_idle(r, c);
	c->process = ready_take(r);
	if (c->last != NEVER_RAN && c->last != c->process) {
		result->switches++;
		result->switch_ns += r->sim.o->switch_ns;
		c->until_ns = clock_add(c->until_ns, r->sim.o->switch_ns);
	}
	c->last = c->process;
	c->slice_ns = r->sim.o->quantum_ns;
	run_piece(r, c);
}

static void dispatch_all(struct closed_run *r)
{
	for (size_t i = 0; i < r->sim.o->cpus && r->first_ready != PROCESS_NONE; i++)
		if (r->cpus[i].until_ns == IDLE)
			dispatch(r, &r->cpus[i]);
}

/* An idle CPU, or the first one, whose process is suspended. */
static void interrupt(struct closed_run *r)
{
	struct cpu *c = &r->cpus[0];
	for (size_t i = r->sim.o->cpus; i-- > 0;)
		if (r->cpus[i].until_ns == IDLE)
			c = &r->cpus[i];
	r->sim.result->interrupts++;
	if (r->sim.o->interrupt_ns == 0)
		return;
	r->sim.result->interrupt_ns += r->sim.o->interrupt_ns;
	if (c->until_ns == IDLE)
		end_idle(r, c);
	c->until_ns = clock_add(c->until_ns, r->sim.o->interrupt_ns);
}

/* Processes */

/* Begins the current step. Returns false if the program has ended. */
static bool begin_step(struct closed_run *r, struct sim_process *p)
{
	const struct timing_options *o = r->sim.o;
	if (p->at == p->program->count)
		return false;
	const struct step *step = &p->program->steps[p->at];
	const uint64_t copy = call_copy_ns(o, step);
	const uint32_t row = program_row(p->program, p->at);
	call_begin(&p->task, step, p->object_base, p->stream_base, p->world, o->block);
	p->task.row = row != ROW_NONE ? p->row_base + row : ROW_NONE;
	rows_begin(&r->sim, &p->task, step->delay_ns);
	p->burst_ns = call_burst_ns(o, step);
	r->sim.result->think_ns += step->delay_ns;
	r->sim.result->syscall_ns += o->syscall_ns;
	r->sim.result->copy_ns += copy;
	r->sim.result->processes[p->task.process].think_ns += step->delay_ns;
	return true;
}

static void exit_process(struct closed_run *r, struct cpu *c)
{
	r->sim.result->processes[c->process].end_ns = r->sim.now_ns;
	r->unfinished--;
	begin_idle(r, c);
}

/* The current step is done. */
static void next_step(struct closed_run *r, struct cpu *c)
{
	struct sim_process *p = &r->processes[c->process];
	p->at++;
	if (!begin_step(r, p))
		exit_process(r, c);
}

static void sleep_process(struct closed_run *r, struct cpu *c, enum call_result how)
{
	struct sim_process *p = &r->processes[c->process];
	sim_sleep(&r->sim, c->process, how, p->task.wait_ns);
	p->slept_ns = r->sim.now_ns;
	begin_idle(r, c);
}

/* The process on a CPU has used the CPU time before its call, or was awakened. */
static void run_call(struct closed_run *r, struct cpu *c)
{
	struct sim_process *p = &r->processes[c->process];
	const enum call_result how = p->done ? CALL_DONE : call_run(&r->sim, &p->task);
	p->done = how == CALL_SLEEPS;
	if (how == CALL_DONE)
		next_step(r, c);
	else
		sleep_process(r, c, how);
}

/* A piece of the burst has run: at the end of the quantum another process may be next. */
static void continue_process(struct closed_run *r, struct cpu *c)
{
	if (c->slice_ns == 0 && r->first_ready != PROCESS_NONE) {
		r->sim.result->preemptions++;
		ready_push(r, c->process);
		begin_idle(r, c);
		return;
	}
	if (c->slice_ns == 0)
		c->slice_ns = r->sim.o->quantum_ns;
	run_piece(r, c);
}

static void handle_cpu(struct closed_run *r, struct cpu *c)
{
	if (c->process == PROCESS_NONE) {
		begin_idle(r, c);
		return;
	}
	struct sim_process *p = &r->processes[c->process];
	p->burst_ns -= c->piece_ns;
	c->slice_ns -= c->piece_ns;
	c->piece_ns = 0;
	if (p->burst_ns == 0)
		run_call(r, c);
	if (c->process != PROCESS_NONE)
		continue_process(r, c);
}

static void wake(struct closed_run *r)
{
	const struct queue_event event = event_queue_take(&r->sim.wakes);
	struct sim_process *p = &r->processes[event.data];
	const uint64_t slept_ns = (uint64_t)(r->sim.now_ns - p->slept_ns);
	r->sim.result->processes[event.data].sleep_ns += slept_ns;
	rows_wait(&r->sim, &p->task, slept_ns);
	ready_push(r, (uint32_t)event.data);
}

/* Events */

static struct cpu *next_cpu(const struct closed_run *r)
{
	struct cpu *next = &r->cpus[0];
	for (size_t i = 1; i < r->sim.o->cpus; i++)
		if (r->cpus[i].until_ns < next->until_ns)
			next = &r->cpus[i];
	return next;
}

static void handle_next(struct closed_run *r)
{
	struct sim *s = &r->sim;
	struct cpu *cpu = next_cpu(r);
	const int64_t completion = event_queue_next(&s->completions),
		      awake = event_queue_next(&s->wakes), timer = write_back_timer(s);
	int64_t now = completion < awake ? completion : awake;
	now = timer < now ? timer : now;
	s->now_ns = cpu->until_ns < now ? cpu->until_ns : now;
	if (completion == s->now_ns) {
		sim_complete(s);
		interrupt(r);
	} else if (awake == s->now_ns) {
		wake(r);
	} else if (timer == s->now_ns) {
		write_back_expired(s);
	} else {
		handle_cpu(r, cpu);
	}
	dispatch_all(r);
}

/* Idle CPUs were idle until the end; interrupts are served only until then. */
static void end_cpus(struct closed_run *r)
{
	struct sim *s = &r->sim;
	for (size_t i = 0; i < s->o->cpus; i++) {
		struct cpu *c = &r->cpus[i];
		if (c->until_ns == IDLE)
			end_idle(r, c);
		else
			s->result->interrupt_ns -= (uint64_t)(c->until_ns - s->now_ns);
	}
}

/* Setup */

static void init_process(struct closed_run *r, uint32_t id, struct world *w, size_t program)
{
	struct sim_process *p = &r->processes[id];
	p->world = w;
	p->program = &w->programs[program];
	p->task.process = id;
	if (begin_step(r, p)) {
		ready_push(r, id);
		r->unfinished++;
	}
}

static void init_world(struct closed_run *r, uint32_t *next, struct world *w, uint32_t world,
		       struct sim_size base, uint32_t copy)
{
	for (size_t i = 0; i < w->program_count; i++) {
		const uint32_t id = (*next)++;
		r->sim.result->processes[id] =
		    (struct timing_process){world, copy, w->programs[i].process, 0, 0, 0};
		r->processes[id].object_base = (uint32_t)base.objects;
		r->processes[id].stream_base = (uint32_t)base.streams;
		r->processes[id].row_base = (uint32_t)base.rows;
		init_process(r, id, w, i);
	}
}

static void init_processes(struct closed_run *r, struct world *const *worlds, size_t n)
{
	struct sim_size base = {0};
	uint32_t next = 0;
	for (size_t i = 0; i < n; i++) {
		for (uint32_t copy = 0; copy < r->sim.o->copies; copy++) {
			init_world(r, &next, worlds[i], (uint32_t)i, base, copy);
			base.streams += worlds[i]->stream_count;
			base.objects += r->sim.o->share ? 0 : worlds[i]->object_count;
		}
		base.objects += r->sim.o->share ? worlds[i]->object_count : 0;
		base.rows += worlds[i]->breakdown.rows.count;
	}
}

static bool allocate(struct closed_run *r, struct world *const *worlds, size_t n)
{
	const struct timing_options *o = r->sim.o;
	size_t processes = 0;
	for (size_t i = 0; i < n; i++)
		processes += worlds[i]->program_count * o->copies;
	r->processes = calloc(processes + 1, sizeof *r->processes);
	r->cpus = calloc(o->cpus, sizeof *r->cpus);
	r->sim.result->processes = calloc(processes + 1, sizeof *r->sim.result->processes);
	r->sim.result->process_count = processes;
	if (r->processes == NULL || r->cpus == NULL || r->sim.result->processes == NULL)
		return false;
	for (size_t i = 0; i < o->cpus; i++)
		r->cpus[i] = (struct cpu){PROCESS_NONE, NEVER_RAN, IDLE, 0, 0, 0};
	return true;
}

int processes_run(struct sim *s, struct world *const *worlds, size_t n)
{
	struct closed_run r = {.sim = *s, .first_ready = PROCESS_NONE};
	if (!allocate(&r, worlds, n)) {
		sim_no_memory(&r.sim);
	} else {
		init_processes(&r, worlds, n);
		dispatch_all(&r);
		while (r.unfinished > 0 && s->error->status == IOT_OK)
			handle_next(&r);
		end_cpus(&r);
	}
	free(r.processes);
	free(r.cpus);
	*s = r.sim;
	return s->error->status;
}
