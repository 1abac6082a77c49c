/* SPDX-License-Identifier: BSD-2-Clause */
#include "batches.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/task_ring.h"

#include "sample.h"

enum { SLOTS = 16, ACTIONS_MAX = 256 };

/* The requests of a run of records, and what precedes them. */
struct batch_slot {
	struct io_batch batch[LAYERS];
	struct io_spans grouped[LAYERS], in_order[LAYERS], by_process[LAYERS]; /* count 0: none */
	struct layer *layers[LAYERS];
	uint64_t epoch_ns;
	uint32_t other_file; /* of struct requests */
	bool any;            /* requests */
	struct statistic_action *actions;
	size_t action_count, action_capacity;
};

struct batches {
	struct iot_analyze *of;
	struct task_ring *ring;          /* NULL: a slot that is full runs at once */
	struct batch_slot *slots, *slot; /* the ring; the one that is filled */
	size_t slot_count;
};

/* Slots */

static struct statistic_batch batch_of(const struct batch_slot *s, unsigned layer)
{
	return (struct statistic_batch){.batch = &s->batch[layer],
					.grouped = s->grouped[layer],
					.in_order = s->in_order[layer],
					.by_process = s->by_process[layer],
					.epoch_ns = s->epoch_ns,
					.other_file = s->other_file};
}

static bool run_layer(struct layer *l, unsigned statistic, const struct batch_slot *s,
		      unsigned layer)
{
	const struct statistic_batch batch = batch_of(s, layer);
	bool done = true;
	for (size_t i = 0; i < s->action_count && done; i++)
		done = layer_act(l, statistic, &s->actions[i]);
	return done && (!s->any || batch.grouped.count == 0 || layer_add(l, statistic, &batch));
}

/* Passes a slot to the statistic that is task number `task`. */
static bool run(void *context, unsigned task, size_t slot)
{
	const struct batches *b = context;
	const struct batch_slot *s = &b->slots[slot];
	bool done = true;
	if (!layer_needs(task, &b->of->options))
		return true;
	for (unsigned i = 0; i < LAYERS && done; i++)
		done = s->layers[i] == NULL || run_layer(s->layers[i], task, s, i);
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

static void set_numbers(const struct iot_analyze *a, struct batch_slot *s)
{
	s->epoch_ns = a->trace.epoch_ns;
	s->other_file = a->requests.files.other;
}

/* Passes the slot to the statistics, and begins the next one. */
static void publish(struct batches *b)
{
	bool done = true;
	for (unsigned i = 0; i < LAYERS; i++)
		b->slot->layers[i] = b->of->layers[i];
	set_numbers(b->of, b->slot);
	if (b->ring != NULL) {
		task_ring_publish(b->ring);
		use_slot(b, task_ring_slot(b->ring));
		analyze_keep(b->of, !task_ring_failed(b->ring));
		return;
	}
	for (unsigned i = 0; i < REGISTERED && done; i++)
		done = run(b, i, 0);
	analyze_keep(b->of, done);
	use_slot(b, 0);
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

/* Passes the requests that were added to the statistics. */
static void pass(struct iot_analyze *a)
{
	struct batches *b = a->batches;
	struct batch_slot *s = b->slot;
	for (unsigned i = 0; i < LAYERS && a->status == IOT_OK; i++) {
		struct layer *l = s->batch[i].count > 0 ? analyze_layer(a, i) : NULL;
		s->grouped[i].count = 0;
		if (l == NULL)
			continue;
		set_spans(a, s, i);
		set_numbers(a, s);
		const struct statistic_batch batch = batch_of(s, i);
		analyze_keep(a, !a->requests.failed && layer_add_at_once(l, &batch, &a->requests));
		s->any = true;
	}
	if (a->status == IOT_OK)
		publish(b);
}

void batches_limit_streams(struct iot_analyze *a)
{
	requests_limit_streams(&a->requests);
	for (size_t i = 0; i < a->requests.ended_count; i++)
		batches_end_stream(a, a->requests.ended[i].stream);
	requests_end_replaced(&a->requests);
}

void batches_pass(struct iot_analyze *a)
{
	if (!a->requests.waiting)
		return;
	a->requests.waiting = false;
	pass(a);
	batches_limit_streams(a);
	if (!sample_is_due(a))
		return;
	batches_drain(a);
	analyze_keep(a, sample_limit(a));
}

void batches_add(struct iot_analyze *a, const struct iot_event *ev, size_t n)
{
	requests_add(&a->requests, ev, n);
	if (!requests_wait(&a->requests))
		batches_pass(a);
}

static void add_action(struct iot_analyze *a, const struct statistic_action *action)
{
	struct batches *b = a->batches;
	struct batch_slot *s = b->slot;
	if (!array_reserve(&s->actions, &s->action_capacity, s->action_count + 1,
			   sizeof *s->actions)) {
		analyze_keep(a, false);
		return;
	}
	s->actions[s->action_count++] = *action;
	if (a->options.part != 0 || s->action_count == ACTIONS_MAX)
		publish(b);
}

void batches_add_operation(struct iot_analyze *a, struct request_operation numbers,
			   const struct op *op)
{
	for (unsigned i = 0; i < LAYERS; i++)
		if (analyze_layer(a, i) == NULL)
			return;
	add_action(
	    a, &(struct statistic_action){.kind = ACTION_OPERATION,
					  .numbers = numbers,
					  .operation = row_operation_of(op, numbers.synchronous),
					  .epoch_ns = a->trace.epoch_ns});
}

void batches_end_stream(struct iot_analyze *a, size_t stream)
{
	add_action(a, &(struct statistic_action){.kind = ACTION_END, .stream = stream});
}

void batches_drain(struct iot_analyze *a)
{
	struct batches *b = a->batches;
	if (b->slot->action_count > 0)
		publish(b);
	if (b->ring == NULL)
		return;
	task_ring_drain(b->ring);
	analyze_keep(a, !task_ring_failed(b->ring));
}

/* Handles */

static void start_threads(struct batches *b, size_t threads)
{
	const struct task_ring_options options = {run, b, REGISTERED, b->slot_count};
	b->ring = task_ring_new(&options, threads);
}

/*
 * Values of parts refer to the state of the requests, so a part is analyzed on one thread, and its
 * actions are not collected.
 */
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
	batches_pass(a);
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
