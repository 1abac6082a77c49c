/* SPDX-License-Identifier: BSD-2-Clause */
/* The bins over time as statistics: cells, and the series, whose state follows theirs. */
#include "bins_state.h"
#include "lib/analyze/statistic.h"

/* Cells */

static bool cell_batch(void *of, const struct statistic_batch *b)
{
	return cells_add(of, &b->by_process, b->epoch_ns);
}

static bool cell_end(void *of)
{
	return cells_settle(of);
}

static bool cell_part(void *of, void *part, const struct statistic_map *map)
{
	return cells_join(of, part, map->numbers->process);
}

static void cell_rows(struct state *s, void *of, const struct requests *r)
{
	(void)r;
	s->cells = of;
	cells_state(s, of, &s->processes);
	if (!state_saves(s) && !state_failed(s) && !cells_settle(of))
		state_no_memory(s);
}

static void cell_clear(void *of)
{
	cells_free(of);
}

const struct statistic cells_statistic = {
    .sections = NEED_BINS,
    .add = cell_batch,
    .join = cell_part,
    .add_trace = cell_part,
    .settle = cell_end,
    .state = cell_rows,
    .free = cell_clear,
};

/* The series */

static bool series_batch(void *of, const struct statistic_batch *b)
{
	return series_add(of, &b->in_order, b->epoch_ns);
}

static bool series_operation(void *of, const struct statistic_action *a)
{
	return a->kind != ACTION_OPERATION || !a->operation.timed ||
	       series_add_op(of, a->epoch_ns + (uint64_t)a->operation.start_ns);
}

static bool series_end(void *of)
{
	series_settle(of);
	return true;
}

static bool series_part(void *of, void *part, const struct statistic_map *map)
{
	(void)map;
	return series_join(of, part);
}

static void series_rows(struct state *s, void *of, const struct requests *r)
{
	(void)r;
	series_state(s, of, s->cells);
}

static void series_clear(void *of)
{
	series_free(of);
}

const struct statistic series_statistic = {
    .sections = NEED_BINS,
    .add = series_batch,
    .act = series_operation,
    .join = series_part,
    .add_trace = series_part,
    .settle = series_end,
    .state = series_rows,
    .free = series_clear,
};
