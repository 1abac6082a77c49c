/* SPDX-License-Identifier: BSD-2-Clause */
/* The repetition of requests as a statistic of a layer. */
#include "repetition_internal.h"
#include "statistic.h"

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return repetition_add(of, b->batch, b->other_file, &b->in_order);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return repetition_join(of, part, map->numbers->process);
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	return repetition_add_trace(of, more, map->numbers->process, map->trace + 1);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct repetition *r = of;
	if (k->bits > 0)
		repetition_free_table(&r->of[0]);
	SAMPLE_KEEP(r->file_hash, r->file_capacity, k->file, k->files);
}

static void state(struct state *s, void *of, const struct requests *r)
{
	repetition_state(s, of, r->options.part != 0);
}

const struct statistic repetition_statistic = {
    .sections = IOT_ANALYZE_ORDER,
    .add = add_batch,
    .join = join,
    .add_trace = add_trace,
    .sample = sample,
    .state = state,
    .free = repetition_free,
};
