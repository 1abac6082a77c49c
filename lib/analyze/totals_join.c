/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins the totals of parts. */
#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "totals.h"

static void add_each(uint64_t to[2], const uint64_t part[2])
{
	to[0] = saturate_add(to[0], part[0]);
	to[1] = saturate_add(to[1], part[1]);
}

static void join_io(struct totals_io *to, const struct totals_io *part)
{
	add_each(to->count, part->count);
	add_each(to->bytes, part->bytes);
}

static bool join_files(struct totals *t, const struct totals *part, const uint32_t *number)
{
	for (size_t i = 0; i < part->file_capacity; i++) {
		const struct totals_file *from = &part->files[i];
		if (from->io.count[0] + from->io.count[1] == 0)
			continue;
		if (!array_reserve_index(&t->files, &t->file_capacity, number[i], sizeof *t->files))
			return false;
		struct totals_file *to = &t->files[number[i]];
		join_io(&to->io, &from->io);
		to->extent = from->extent > to->extent ? from->extent : to->extent;
		to->located |= from->located;
	}
	return true;
}

/* The clocks of a part count from its beginning; sums wrap, as sums of the codec cannot. */
static int64_t since(const struct totals_map *map, size_t thread, int64_t ns)
{
	const int64_t base = thread < map->clock_capacity ? map->clocks[thread].ns : 0;
	return (int64_t)((uint64_t)base + (uint64_t)ns);
}

static bool join_clocks(struct totals *t, const struct totals *part, const struct totals_map *map)
{
	for (size_t i = 0; i < part->clock_capacity; i++) {
		const struct totals_clock *from = &part->clocks[i];
		const size_t n = from->used ? map->thread[i] : 0;
		if (!from->used)
			continue;
		if (!array_reserve_index(&t->clocks, &t->clock_capacity, n, sizeof *t->clocks))
			return false;
		struct totals_clock *to = &t->clocks[n];
		to->used = true;
		if (!from->known)
			continue;
		to->first_ns = to->known ? to->first_ns : since(map, n, from->first_ns);
		to->last_ns = since(map, n, from->last_ns);
		to->known = true;
	}
	return true;
}

bool totals_join(struct totals *t, const struct totals *part, const struct totals_map *map)
{
	join_io(&t->io, &part->io);
	add_each(t->offset_unknown, part->offset_unknown);
	add_each(t->offset_unknown_bytes, part->offset_unknown_bytes);
	add_each(t->asynchronous, part->asynchronous);
	add_each(t->asynchronous_bytes, part->asynchronous_bytes);
	add_each(t->timed, part->timed);
	add_each(t->duration_ns, part->duration_ns);
	return join_files(t, part, map->file) && join_clocks(t, part, map);
}

bool totals_add_trace(struct totals *t, struct totals *more, const struct totals_map *map)
{
	for (size_t i = 0; i < more->clock_capacity; i++) {
		const size_t n = more->clocks[i].used ? map->thread[i] : SIZE_MAX;
		if (n < t->clock_capacity && t->clocks[n].used)
			more->clocks[i].known = t->clocks[n].known = false;
	}
	return totals_join(t, more, map);
}

static void join_times(struct totals_trace *t, const struct totals_trace *part)
{
	if (!part->timed)
		return;
	t->out_of_order += part->out_of_order + (t->timed && part->first_ns < t->last_ns);
	t->first_ns = t->timed ? t->first_ns : part->first_ns;
	t->last_ns = part->last_ns;
	t->begin_ns = t->timed && t->begin_ns < part->begin_ns ? t->begin_ns : part->begin_ns;
	t->end_ns = t->timed && t->end_ns > part->end_ns ? t->end_ns : part->end_ns;
	t->timed = true;
}

void totals_join_trace(struct totals_trace *t, const struct totals_trace *part)
{
	join_times(t, part);
	t->ranks = part->ranks != 0 ? part->ranks : t->ranks;
	if (part->job_start_ns != 0) {
		t->job_start_ns = part->job_start_ns;
		t->job_end_ns = part->job_end_ns;
	}
	t->opens += part->opens;
	t->created += part->created;
	t->operations |= part->operations;
	t->lacks |= part->lacks;
	t->lost = saturate_add(t->lost, part->lost);
	t->lost_count += part->lost_count;
	t->lengths_requested |= part->lengths_requested;
	t->epoch_ns = t->epoch_ns != 0 ? t->epoch_ns : part->epoch_ns;
}

void totals_join_job(struct totals_trace *t, const struct totals_trace *more)
{
	const struct totals_trace first = *t;
	totals_join_trace(t, more);
	t->out_of_order = first.out_of_order + more->out_of_order;
	t->ranks = first.ranks > more->ranks ? first.ranks : more->ranks;
	if (first.job_start_ns == 0 || more->job_start_ns == 0)
		return;
	t->job_start_ns =
	    first.job_start_ns < more->job_start_ns ? first.job_start_ns : more->job_start_ns;
	t->job_end_ns = first.job_end_ns > more->job_end_ns ? first.job_end_ns : more->job_end_ns;
}
