/* SPDX-License-Identifier: BSD-2-Clause */
#include "timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/array.h"

static bool has_start(const struct export *x, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return (ev->rec.flags & IOT_START_UNKNOWN) == 0;
	return (ev->has & IOT_HAS_TIME) != 0 && (x->names.lacks & IOT_START_UNKNOWN) == 0;
}

static bool has_duration(const struct export *x, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return (ev->rec.flags & IOT_DURATION_UNKNOWN) == 0;
	return (ev->has & IOT_HAS_TOOK) != 0 && (x->names.lacks & IOT_DURATION_UNKNOWN) == 0;
}

bool timeline_place(struct export *x, struct timeline *t, const struct iot_event *ev,
		    struct timeline_slice *s)
{
	const struct iot_record *rec = &ev->rec;
	const bool disk = ev->kind == IOT_RECORD && !(rec->type & IOT_LOGICAL);
	if (!has_start(x, ev)) {
		x->notes[NOTE_START_UNKNOWN]++;
		return false;
	}
	*s = (struct timeline_slice){.process = rec->process, .start_ns = (uint64_t)rec->start_ns};
	s->instant = !has_duration(x, ev);
	s->duration_ns = s->instant ? 0 : rec->duration_ns;
	const int lane = lanes_place(&t->lanes, idmap_pair(disk, rec->process), s->start_ns,
				     s->start_ns + s->duration_ns, &s->new_lane);
	x->failed |= lane == LANE_NO_MEMORY;
	x->notes[NOTE_OVERLAP] += lane == LANE_NONE;
	if (lane < 0)
		return false;
	s->lane = (unsigned)lane + 1 + (disk ? LANES_MAX : 0);
	return true;
}

struct name timeline_op_path(struct export *x, const struct iot_event *ev)
{
	struct iot_record rec = ev->rec;
	rec.type = IOT_LOGICAL;
	const struct name path = *names_value(&x->names, ev, "path");
	return path.text == NULL && (ev->has & IOT_HAS_FILE) ? *names_path(&x->names, &rec) : path;
}

void timeline_lane_name(char *text, size_t capacity, unsigned lane)
{
	const bool disk = lane > LANES_MAX;
	snprintf(text, capacity, "%sI/O %u", disk ? "disk " : "", disk ? lane - LANES_MAX : lane);
}

static void write_rate(struct export *x, const struct timeline *t, const struct rate *sum)
{
	const uint64_t periods = 1000000000 / RATE_PERIOD_NS;
	struct rate r = *sum;
	if (__builtin_mul_overflow(r.read, periods, &r.read))
		r.read = UINT64_MAX;
	if (__builtin_mul_overflow(r.written, periods, &r.written))
		r.written = UINT64_MAX;
	t->write_rate(x, &r);
}

/* Ends the period of a rate, and shows that nothing follows it if the next one is later. */
static void end_period(struct export *x, const struct timeline *t, struct rate *sum,
		       uint64_t start_ns)
{
	const uint64_t end_ns = sum->start_ns + RATE_PERIOD_NS;
	if (sum->read > 0 || sum->written > 0) {
		write_rate(x, t, sum);
		if (start_ns > end_ns) {
			const struct rate none = {.process = sum->process, .start_ns = end_ns};
			write_rate(x, t, &none);
		}
	}
	*sum = (struct rate){.process = sum->process, .start_ns = start_ns};
}

void timeline_count(struct export *x, struct timeline *t, const struct iot_record *rec)
{
	const size_t n = idmap_number(&t->processes, rec->process);
	const uint64_t start = (uint64_t)rec->start_ns / RATE_PERIOD_NS * RATE_PERIOD_NS;
	uint64_t bytes;
	if (!x->options->counters || !(rec->type & IOT_LOGICAL) ||
	    (rec->flags & IOT_START_UNKNOWN) != 0)
		return;
	if (!array_reserve_index(&t->rate, &t->capacity, n, sizeof *t->rate)) {
		x->failed = true;
		return;
	}
	struct rate *sum = &t->rate[n];
	sum->process = rec->process;
	if (start > sum->start_ns)
		end_period(x, t, sum, start);
	uint64_t *total = rec->type & IOT_WRITE ? &sum->written : &sum->read;
	bytes = rec->length;
	if (__builtin_add_overflow(*total, bytes, total))
		*total = UINT64_MAX;
}

void timeline_end(struct export *x, struct timeline *t)
{
	for (size_t i = 0; i < t->processes.count && i < t->capacity; i++)
		end_period(x, t, &t->rate[i], UINT64_MAX);
}

void timeline_free(struct timeline *t)
{
	lanes_free(&t->lanes);
	idmap_free(&t->processes);
	free(t->rate);
}
