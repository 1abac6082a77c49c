/* SPDX-License-Identifier: BSD-2-Clause */
#include "op_times.h"

#include "state.h"
#include "statistic.h"

/* The kinds have the same numbers in every part. */
static const uint32_t number[OPERATION_KINDS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

_Static_assert(OPERATION_KINDS == 10, "a number for each kind");

void op_times_init(struct op_times *t, bool part)
{
	t->busy.kinds = OPERATION_KINDS;
	t->busy.part = part;
}

bool op_times_add(struct op_times *t, enum operation_kind kind, int64_t start_ns,
		  uint64_t duration_ns)
{
	return busy_add_op(&t->busy, kind, start_ns, duration_ns);
}

bool op_times_join(struct op_times *t, struct op_times *part)
{
	return busy_join(&t->busy, &part->busy, number);
}

static void state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct op_times *t = of;
	busy_state(s, &t->busy);
}

uint64_t op_times_ns(const struct op_times *t, enum operation_kind kind)
{
	return kind < t->busy.capacity ? t->busy.processes[kind].of[BUSY_METADATA].ns : 0;
}

/* The statistic */

static void init(void *of, const struct iot_analyze_options *o)
{
	op_times_init(of, o->part != 0);
}

static bool act(void *of, const struct statistic_action *a)
{
	const struct row_operation *op = &a->operation;
	return a->kind != ACTION_OPERATION || !op->has_end ||
	       op_times_add(of, op->kind, op->start_ns, op->duration_ns);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	((struct op_times *)part)->busy.out_of_order = map->numbers->out_of_order;
	return op_times_join(of, part);
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	(void)map;
	struct op_times *t = of, *other = more;
	return busy_add_trace(&t->busy, &other->busy, number);
}

static void forget(void *of)
{
	busy_forget(&((struct op_times *)of)->busy);
}

static void free_all(void *of)
{
	busy_free(&((struct op_times *)of)->busy);
}

const struct statistic op_times_statistic = {
    .sections = IOT_ANALYZE_FINDINGS,
    .init = init,
    .act = act,
    .join = join,
    .add_trace = add_trace,
    .forget = forget,
    .state = state,
    .free = free_all,
};
