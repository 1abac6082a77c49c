/* SPDX-License-Identifier: BSD-2-Clause */
#include "batches.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/task_ring.h"

enum { SLOTS = 16, ACTIONS_MAX = 256 };

/* What precedes the requests of a slot. */
struct batch_action {
	enum { ACTION_OPERATION, ACTION_END } kind;
	size_t stream; /* that ends */
	struct request_operation numbers;
	struct row_operation operation;
};

/* The requests of a run of records, and what precedes them. */
struct batch_slot {
	struct io_batch batch[LAYERS];
	struct io_spans grouped[LAYERS], in_order[LAYERS], by_process[LAYERS]; /* count 0: none */
	struct layer *layers[LAYERS];
	uint64_t epoch_ns;
	uint32_t other_file; /* of struct requests */
	bool any;            /* requests */
	struct batch_action *actions;
	size_t action_count, action_capacity;
};

/* Groups */

struct batch_group {
	unsigned sections; /* any of which needs it; 0: always, or if `wanted` */
	bool (*add)(struct layer *l, const struct batch_slot *s, unsigned i); /* NULL: none */
	bool (*act)(struct layer *l, const struct batch_slot *s, const struct batch_action *of);
	bool (*wanted)(const struct iot_analyze_options *o); /* NULL: `sections` decide */
};

static bool add_totals(struct layer *l, const struct batch_slot *s, unsigned i)
{
	const struct io_batch *batch = &s->batch[i];
	return totals_add(&l->totals, &s->grouped[i]) &&
	       totals_add_clocks(&l->totals, batch->clock, batch->clock_count);
}

static bool add_sizes(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return sizes_add(&l->sizes, &s->in_order[i], &s->grouped[i]);
}

static bool add_order(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return order_add(&l->order, &s->grouped[i]);
}

static bool act_order(struct layer *l, const struct batch_slot *s, const struct batch_action *of)
{
	(void)s;
	return of->kind != ACTION_END || order_end(&l->order, of->stream);
}

static bool add_repetition(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return repetition_add(&l->repetition, &s->batch[i], s->other_file, &s->in_order[i]);
}

static bool add_busy(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return busy_add(&l->busy, &s->by_process[i]);
}

static bool act_busy(struct layer *l, const struct batch_slot *s, const struct batch_action *of)
{
	const struct row_operation *op = &of->operation;
	(void)s;
	if (of->kind != ACTION_OPERATION)
		return true;
	busy_count_op(&l->busy, op->has_end);
	return !op->has_end ||
	       busy_add_op(&l->busy, of->numbers.process, op->start_ns, op->duration_ns);
}

static bool act_op_times(struct layer *l, const struct batch_slot *s, const struct batch_action *of)
{
	const struct row_operation *op = &of->operation;
	(void)s;
	return of->kind != ACTION_OPERATION || !op->has_end ||
	       op_times_add(&l->op_times, op->kind, op->start_ns, op->duration_ns);
}

static bool add_cells(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return cells_add(&l->cells, &s->by_process[i], s->epoch_ns);
}

static bool add_series(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return series_add(&l->series, &s->in_order[i], s->epoch_ns);
}

static bool act_series(struct layer *l, const struct batch_slot *s, const struct batch_action *of)
{
	return of->kind != ACTION_OPERATION || !of->operation.timed ||
	       series_add_op(&l->series, s->epoch_ns + (uint64_t)of->operation.start_ns);
}

static bool add_arrival(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return arrival_add(&l->arrival, &s->in_order[i], &s->by_process[i], &s->grouped[i]);
}

static bool add_concurrency(struct layer *l, const struct batch_slot *s, unsigned i)
{
	latency_add(&l->latency, &s->grouped[i]);
	return concurrency_add(&l->concurrency, &s->in_order[i], &s->grouped[i]);
}

static bool add_file_users(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return file_users_add(&l->file_users, &s->grouped[i], s->epoch_ns);
}

static bool add_rows(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return rows_add(&l->rows, &s->grouped[i]);
}

static bool act_rows(struct layer *l, const struct batch_slot *s, const struct batch_action *of)
{
	(void)s;
	return of->kind != ACTION_OPERATION ||
	       rows_add_operation(&l->rows, of->numbers, &of->operation);
}

static bool add_reuse(struct layer *l, const struct batch_slot *s, unsigned i)
{
	l->reuse.other_file = s->other_file;
	return reuse_add(&l->reuse, &s->grouped[i], &s->in_order[i]);
}

static bool add_offsets(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return offsets_add(&l->offsets, &s->grouped[i], s->epoch_ns);
}

static bool add_dependencies(struct layer *l, const struct batch_slot *s, unsigned i)
{
	return dependencies_add(&l->dependencies, &s->in_order[i]);
}

static bool want_offsets(const struct iot_analyze_options *o)
{
	return o->offsets != 0;
}

static bool want_dependencies(const struct iot_analyze_options *o)
{
	return o->dependencies != 0;
}

static const struct batch_group groups[] = {
    {0, add_totals, NULL, NULL},
    {IOT_ANALYZE_SIZES, add_sizes, NULL, NULL},
    {NEED_ORDER, add_order, act_order, NULL},
    {IOT_ANALYZE_ORDER, add_repetition, NULL, NULL},
    {NEED_BUSY, add_busy, act_busy, NULL},
    {IOT_ANALYZE_FINDINGS, NULL, act_op_times, NULL},
    {NEED_BINS, add_cells, NULL, NULL},
    {NEED_BINS, add_series, act_series, NULL},
    {IOT_ANALYZE_TIME, add_arrival, NULL, NULL},
    {IOT_ANALYZE_TIME, add_concurrency, NULL, NULL},
    {IOT_ANALYZE_TIME, add_file_users, NULL, NULL},
    {REQUESTS_ROWS, add_rows, act_rows, NULL},
    {NEED_REUSE, add_reuse, NULL, NULL},
    {0, add_offsets, NULL, want_offsets},
    {0, add_dependencies, NULL, want_dependencies},
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static bool is_needed(const struct batch_group *g, const struct iot_analyze_options *o)
{
	return g->wanted != NULL ? g->wanted(o)
				 : g->sections == 0 || (g->sections & o->sections) != 0;
}

struct batches {
	struct iot_analyze *of;
	struct task_ring *ring;          /* NULL: what is added is passed at once */
	struct batch_slot *slots, *slot; /* the ring; the one that is filled */
	size_t slot_count;
};

static void keep(struct iot_analyze *a, bool done)
{
	if (!done || a->requests.failed)
		a->status = IOT_ENOMEM;
}

/* Slots */

static bool act(const struct batch_group *g, const struct batch_slot *s,
		const struct batch_action *of)
{
	bool done = true;
	for (unsigned i = 0; i < LAYERS && g->act != NULL; i++)
		done = done && (s->layers[i] == NULL || g->act(s->layers[i], s, of));
	return done;
}

static bool run(void *context, unsigned task, size_t slot)
{
	const struct batches *b = context;
	const struct batch_group *g = &groups[task];
	const struct batch_slot *s = &b->slots[slot];
	bool done = true;
	if (!is_needed(g, &b->of->options))
		return true;
	for (size_t i = 0; i < s->action_count && g->act != NULL; i++)
		done = done && act(g, s, &s->actions[i]);
	for (unsigned i = 0; i < LAYERS && s->any; i++)
		done = done &&
		       (s->grouped[i].count == 0 || g->add == NULL || g->add(s->layers[i], s, i));
	return done;
}

static void use_slot(struct batches *b, size_t slot)
{
	b->slot = &b->slots[slot];
	b->slot->any = false;
	b->slot->action_count = 0;
	b->of->requests.batch = b->slot->batch;
	requests_clear(&b->of->requests);
}

/* Passes the slot to the groups, and begins the next one. */
static void publish(struct batches *b)
{
	bool done = true;
	for (unsigned i = 0; i < LAYERS; i++)
		b->slot->layers[i] = b->of->layers[i];
	b->slot->epoch_ns = b->of->trace.epoch_ns;
	b->slot->other_file = b->of->requests.other_file;
	if (b->ring != NULL) {
		task_ring_publish(b->ring);
		use_slot(b, task_ring_slot(b->ring));
		keep(b->of, !task_ring_failed(b->ring));
		return;
	}
	for (unsigned i = 0; i < GROUPS && done; i++)
		done = run(b, i, 0);
	keep(b->of, done);
	use_slot(b, 0);
}

/* Those that refer to the state of the requests, so that they are passed at once. */
static bool add_at_once(struct iot_analyze *a, struct layer *l, unsigned i)
{
	if (a->options.part && (a->options.sections & NEED_ORDER) != 0 &&
	    !order_add_heads(&l->order, &a->requests))
		return false;
	return !a->options.working_set ||
	       working_set_add(&l->working_set, &a->batches->slot->grouped[i], &a->requests,
			       a->trace.epoch_ns);
}

static void set_spans(struct iot_analyze *a, struct batch_slot *s, unsigned i)
{
	s->grouped[i] = requests_grouped(&a->requests, i);
	s->in_order[i] = requests_in_order(&a->requests, i);
	if ((a->options.sections & (NEED_BUSY | NEED_BINS)) == 0)
		return;
	s->by_process[i] = requests_by_process(&a->requests, i);
	requests_sum_times(&a->requests, i);
}

void batches_add(struct iot_analyze *a)
{
	struct batches *b = a->batches;
	struct batch_slot *s = b->slot;
	for (unsigned i = 0; i < LAYERS && a->status == IOT_OK; i++) {
		struct layer *l = s->batch[i].count > 0 ? analyze_layer(a, i) : NULL;
		s->grouped[i].count = 0;
		if (l == NULL)
			continue;
		set_spans(a, s, i);
		keep(a, !a->requests.failed && add_at_once(a, l, i));
		s->any = true;
	}
	if (a->status == IOT_OK)
		publish(b);
}

static void add_action(struct iot_analyze *a, const struct batch_action *action)
{
	struct batches *b = a->batches;
	struct batch_slot *s = b->slot;
	if (!array_reserve(&s->actions, &s->action_capacity, s->action_count + 1,
			   sizeof *s->actions)) {
		keep(a, false);
		return;
	}
	s->actions[s->action_count++] = *action;
	if (b->ring == NULL || s->action_count == ACTIONS_MAX)
		publish(b);
}

void batches_add_operation(struct iot_analyze *a, struct request_operation numbers,
			   const struct iot_event *ev)
{
	for (unsigned i = 0; i < LAYERS; i++)
		if (analyze_layer(a, i) == NULL)
			return;
	add_action(a,
		   &(struct batch_action){.kind = ACTION_OPERATION,
					  .numbers = numbers,
					  .operation = row_operation_of(ev, numbers.synchronous)});
}

void batches_end_stream(struct iot_analyze *a, size_t stream)
{
	add_action(a, &(struct batch_action){.kind = ACTION_END, .stream = stream});
}

void batches_drain(struct iot_analyze *a)
{
	struct batches *b = a->batches;
	if (b->slot->action_count > 0)
		publish(b);
	if (b->ring == NULL)
		return;
	task_ring_drain(b->ring);
	keep(a, !task_ring_failed(b->ring));
}

/* Handles */

static void start_threads(struct batches *b, size_t threads)
{
	const struct task_ring_options options = {run, b, GROUPS, b->slot_count};
	b->ring = task_ring_new(&options, threads);
}

/* Values of parts refer to the state of the requests, so a part is analyzed on one thread. */
bool batches_new(struct iot_analyze *a)
{
	const struct iot_analyze_options *o = &a->options;
	const bool threaded = o->threads > 1 && o->part == 0;
	struct batches *b = calloc(1, sizeof *b);
	a->batches = b;
	if (b == NULL)
		return false;
	b->of = a;
	b->slot_count = threaded ? SLOTS : 1;
	b->slots = calloc(b->slot_count, sizeof *b->slots);
	if (b->slots == NULL)
		return false;
	use_slot(b, 0);
	if (threaded)
		start_threads(b, (size_t)o->threads - 1);
	return true;
}

void batches_end(struct iot_analyze *a)
{
	struct batches *b = a->batches;
	batches_drain(a);
	task_ring_free(b->ring);
	b->ring = NULL;
	use_slot(b, 0);
}

void batches_free(struct iot_analyze *a)
{
	struct batches *b = a->batches;
	if (b == NULL)
		return;
	task_ring_free(b->ring);
	for (size_t i = 0; i < b->slot_count && b->slots != NULL; i++)
		free(b->slots[i].actions);
	free(b->slots);
	free(b);
}
