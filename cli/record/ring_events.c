/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of all kinds, and what is known at the end. */
#include "ring_events_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LATE_NS = 10000000 }; /* an operation that precedes other events by so much came late */

struct ring_events *ring_events_new(struct iot_writer *w, const struct processes *processes,
				    const struct clock_map *clock,
				    const struct ring_events_options *options)
{
	struct ring_events *e = calloc(1, sizeof(*e));
	char *text = malloc(TEXT_CAPACITY);
	struct iot_event *out = malloc(RING_BATCH * sizeof(*out));
	struct iot_operation *operation = malloc(RING_BATCH * sizeof(*operation));
	if (e == NULL || text == NULL || out == NULL || operation == NULL) {
		free(e);
		free(text);
		free(out);
		free(operation);
		return NULL;
	}
	e->w = w;
	e->processes = processes;
	e->clock = clock;
	e->options = options;
	e->text = text;
	e->out = out;
	e->operation = operation;
	return e;
}

void ring_events_free(struct ring_events *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->tracked_capacity; i++)
		ring_events_forget_process(&e->tracked[i]);
	for (size_t i = 0; i < e->description_capacity; i++)
		free(e->description[i].path);
	idmap_free(&e->numbers);
	idmap_free(&e->identities);
	file_maps_free(&e->maps);
	free(e->tracked);
	free(e->description);
	free(e->text);
	free(e->out);
	free(e->operation);
	free(e);
}

const struct ring_events_totals *ring_events_totals(const struct ring_events *e)
{
	return &e->totals;
}

static void on_lost(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	static const char *const whys[] = {[RING_DROPPED] = "dropped",
					   [RING_DAMAGED] = "damaged",
					   [RING_KILLED] = "killed",
					   [RING_INTERRUPTED] = "interrupted",
					   [RING_UNSENT] = "unsent"};
	struct iot_builder b;
	const bool is_unsent = ev->rec.type == RING_UNSENT;
	e->totals.lost += is_unsent || ev->rec.type == RING_DROPPED ? ev->rec.offset : 0;
	e->totals.killed += ev->rec.type == RING_KILLED ? ev->rec.offset : 0;
	e->totals.damaged += ev->rec.type == RING_DAMAGED;
	ring_events_repeat_process(e, ev->rec.process);
	ring_events_begin_directive(e, &b, "lost");
	iot_directive_number(&b, "time", (uint64_t)start_ns);
	iot_directive_number(&b, "process", e->processes->process[ev->rec.process].id);
	if (ev->rec.offset > 0 || ev->rec.type == RING_DROPPED)
		iot_directive_number(&b, "records", ev->rec.offset);
	if (ev->rec.length > 0)
		iot_directive_number(&b, "bytes", ev->rec.length);
	if (ev->rec.object > 0)
		iot_directive_number(&b, "events", ev->rec.object);
	ring_events_add_text(&b, "why", whys[ev->rec.type]);
	ring_events_end_directive(e, &b);
}

/* A record that passed the decoder, but contains invalid texts. */
static void on_damaged(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	struct iot_event lost = *ev;
	lost.rec.type = RING_DAMAGED;
	on_lost(e, &lost, start_ns);
}

static struct iot_event *next_event(struct ring_events *e)
{
	if (e->count == RING_BATCH || e->operations > 0)
		(void)ring_events_flush(e);
	return &e->out[e->count++];
}

/*
 * Returns a CPU time on the clock of the part, in which the first record of a process has the time
 * since its last record in the part before, as in a slice.
 */
static int64_t part_cpu_ns(struct tracked *t, int64_t cpu_ns)
{
	t->cpu_ns = cpu_ns;
	return cpu_ns - t->cpu_zero_ns;
}

static void on_transfer(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	const uint32_t thread = ev->rec.object;
	struct tracked *t = &e->tracked[ev->rec.process];
	const struct description *d = ring_events_use_file(e, thread, ev->rec.file);
	t->moved[(ev->rec.type & IOT_WRITE) != 0] += ev->rec.length;
	if (d != NULL && d->skipped) {
		t->skipped[0]++;
		t->skipped[(ev->rec.type & IOT_WRITE) != 0 ? 2 : 1] += ev->rec.length;
		return;
	}
	if (d != NULL)
		file_maps_use(&e->maps, d->object, (ev->rec.type & IOT_WRITE) != 0);
	ring_events_declare_process(e, thread);
	const int64_t end_ns = ring_events_time(
	    e, e->clock->sample[0].ticks + (uint64_t)ev->rec.start_ns + ev->rec.duration_ns);
	struct iot_event *out = next_event(e);
	*out = *ev;
	out->rec.process = e->processes->process[thread].id;
	out->rec.object = d != NULL ? d->object : 0;
	out->rec.start_ns = start_ns;
	out->rec.cpu_ns = part_cpu_ns(&e->tracked[thread], ev->rec.cpu_ns);
	out->rec.duration_ns = (uint64_t)(end_ns > start_ns ? end_ns - start_ns : 0);
	e->totals.records++;
	e->has_times = true;
}

static void on_raw(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	/* Copied, as texts in a batch are not aligned. */
	_Alignas(8) unsigned char record[RECORD_SIZE_MAX + RECORD_MARGIN];
	const struct record_head *head = (const void *)record;
	const uint32_t index = ev->rec.process;
	if (ev->text.size > RECORD_SIZE_MAX)
		return;
	memcpy(record, ev->text.data, ev->text.size);
	memset(record + ev->text.size, 0, RECORD_MARGIN);
	if (!ring_record_is_valid(record, ev->text.size))
		on_damaged(e, ev, start_ns);
	else if (head->kind == RECORD_OPEN)
		ring_events_on_open(e, ev, (void *)record, start_ns);
	else if (head->kind == RECORD_OPERATION)
		ring_events_on_operation(e, ev, (void *)record, start_ns);
	else if (head->kind == RECORD_START)
		ring_events_on_start(e, index, (const void *)record);
	else if (head->kind == RECORD_CHILD)
		ring_events_on_child(e, index, (const void *)record);
	else if (head->kind == RECORD_EXIT)
		ring_events_on_exit(e, index, (const void *)record);
}

/* Tracks the process of an event and its thread, which is linked to the process. */
static bool track(struct ring_events *e, const struct iot_event *ev)
{
	const bool has_thread = ev->kind == IOT_RECORD || ev->kind == RING_RAW;
	const uint32_t index = ev->rec.process, thread = has_thread ? ev->rec.object : index;
	if (ring_events_tracked(e, index) == NULL || ring_events_tracked(e, thread) == NULL)
		return false;
	struct tracked *t = &e->tracked[thread];
	if (thread != index && !t->linked) {
		t->linked = true;
		t->next_thread = e->tracked[index].next_thread;
		e->tracked[index].next_thread = thread;
	}
	return true;
}

int ring_events_add(struct ring_events *e, const struct iot_event *ev)
{
	if (e->status != IOT_OK || !track(e, ev))
		return e->status;
	/* a new sample of the clock can convert an equal time to an earlier one */
	const int64_t ns =
	    ring_events_time(e, e->clock->sample[0].ticks + (uint64_t)ev->rec.start_ns);
	if (ns > e->last_ns)
		e->last_ns = ns;
	if (ev->kind == IOT_RECORD)
		on_transfer(e, ev, e->last_ns);
	else if (ev->kind == RING_RAW)
		on_raw(e, ev, e->last_ns - ns < LATE_NS ? e->last_ns : ns);
	else if (ev->kind == RING_LOST)
		on_lost(e, ev, e->last_ns);
	else if (ev->kind == RING_ENDED)
		ring_events_on_ended(e, ev);
	return e->status;
}

/* Extents */

static void add_extents(struct ring_events *e, uint32_t object, const struct file_extents *x)
{
	struct iot_builder b;
	for (size_t i = 0; i < x->count; i++) {
		ring_events_begin_directive(e, &b, "extent");
		iot_directive_number(&b, "object", object);
		iot_directive_number(&b, "offset", x->extent[i].offset);
		iot_directive_number(&b, "length", x->extent[i].length);
		ring_events_add_text(&b, "device", x->disk);
		iot_directive_number(&b, "sector", x->extent[i].sector);
		ring_events_end_directive(e, &b);
	}
}

int ring_events_end(struct ring_events *e)
{
	if (e->options->live != NULL)
		ring_events_declare_discarded(e);
	if (!e->options->extents || e->status != IOT_OK)
		return ring_events_flush(e);
	e->totals.unmapped = file_maps_end(&e->maps);
	for (size_t i = 0; i < e->maps.capacity; i++)
		add_extents(e, (uint32_t)i + 1, &e->maps.file[i].extents);
	(void)ring_events_flush(e);
	return e->status;
}

void ring_events_begin_part(struct ring_events *e, struct iot_writer *w)
{
	e->w = w;
	e->part++;
	e->has_times = false;
	for (size_t i = 0; i < e->tracked_capacity; i++) {
		struct tracked *t = &e->tracked[i];
		idmap_free(&t->known);
		if (t->file != NULL)
			memset(t->file, 0, t->file_capacity * sizeof(*t->file));
		t->cpu_zero_ns = t->cpu_ns;
	}
}

bool ring_events_part_has_times(const struct ring_events *e)
{
	return e->has_times;
}
