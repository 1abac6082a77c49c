/* SPDX-License-Identifier: BSD-2-Clause */
#include "layer.h"

#include <stdlib.h>

#include "lib/analyze/over_time/bins_state.h"

#include "state.h"

#define ROW(TYPE, NAME) {&NAME##_statistic, offsetof(struct layer, NAME)},
static const struct {
	const struct statistic *is;
	size_t offset; /* of its state */
} registry[REGISTERED] = {STATISTICS(ROW)};
#undef ROW

/* The state, or a pointer to it. */
static void *member_of(struct layer *l, unsigned i)
{
	return (char *)l + registry[i].offset;
}

static void *state_of(struct layer *l, unsigned i)
{
	void *member = member_of(l, i);
	return registry[i].is->size > 0 ? *(void **)member : member;
}

static bool allocate_states(struct layer *l)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->size > 0) {
			void *state = calloc(1, registry[i].is->size);
			*(void **)member_of(l, i) = state;
			done = state != NULL;
		}
	return done;
}

static void free_states(struct layer *l)
{
	for (unsigned i = 0; i < REGISTERED; i++)
		if (registry[i].is->size > 0)
			free(state_of(l, i));
}

struct layer *layer_new(const struct iot_analyze_options *o)
{
	struct layer *l = calloc(1, sizeof *l);
	if (l == NULL)
		return NULL;
	if (!allocate_states(l)) {
		free_states(l);
		free(l);
		return NULL;
	}
	for (unsigned i = 0; i < REGISTERED; i++)
		if (registry[i].is->init != NULL)
			registry[i].is->init(state_of(l, i), o);
	return l;
}

void layer_free(struct layer *l)
{
	if (l == NULL)
		return;
	for (unsigned i = 0; i < REGISTERED; i++)
		if (registry[i].is->free != NULL)
			registry[i].is->free(state_of(l, i));
	free_states(l);
	free(l);
}

bool layer_needs(unsigned i, const struct iot_analyze_options *o)
{
	const struct statistic *is = registry[i].is;
	return is->is_needed != NULL ? is->is_needed(o)
				     : is->sections == 0 || (is->sections & o->sections) != 0;
}

bool layer_add(struct layer *l, unsigned i, const struct statistic_batch *b)
{
	return registry[i].is->add == NULL || registry[i].is->add(state_of(l, i), b);
}

bool layer_act(struct layer *l, unsigned i, const struct statistic_action *a)
{
	return registry[i].is->act == NULL || registry[i].is->act(state_of(l, i), a);
}

bool layer_add_sample(struct layer *l, const struct iot_event *ev, uint64_t epoch_ns)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->add_sample != NULL)
			done = registry[i].is->add_sample(state_of(l, i), ev, epoch_ns);
	return done;
}

bool layer_add_at_once(struct layer *l, const struct statistic_batch *b, const struct requests *r)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->add_at_once != NULL && layer_needs(i, &r->options))
			done = registry[i].is->add_at_once(state_of(l, i), b, r);
	return done;
}

bool layer_add_heads(struct layer *l, const struct requests *r)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->add_heads != NULL)
			done = registry[i].is->add_heads(state_of(l, i), r);
	return done;
}

static bool join_statistic(struct layer *l, struct layer *part, unsigned i,
			   const struct statistic_map *map)
{
	const struct statistic *is = registry[i].is;
	return (is->settle == NULL || is->settle(state_of(part, i))) &&
	       (is->join == NULL || is->join(state_of(l, i), state_of(part, i), map));
}

bool layer_join(struct layer *l, struct layer *part, const struct statistic_map *map)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->link != NULL)
			done = registry[i].is->link(
			    state_of(l, i), part != NULL ? state_of(part, i) : NULL, map->numbers);
	for (unsigned i = 0; i < REGISTERED && done && part != NULL; i++)
		done = join_statistic(l, part, i, map);
	return done;
}

bool layer_add_trace(struct layer *l, struct layer *more, const struct statistic_map *map)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->add_trace != NULL)
			done = registry[i].is->add_trace(state_of(l, i), state_of(more, i), map);
	return done;
}

bool layer_settle(struct layer *l)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->settle != NULL)
			done = registry[i].is->settle(state_of(l, i));
	return done;
}

bool layer_end(struct layer *l)
{
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if (registry[i].is->end != NULL)
			done = registry[i].is->end(state_of(l, i));
	return done;
}

bool layer_values(struct layer *l, const struct statistic_values *from, struct values *v)
{
	const struct iot_analyze_options *o = &from->requests->options;
	bool done = true;
	for (unsigned i = 0; i < REGISTERED && done; i++)
		if ((registry[i].is->values_section & o->sections) != 0 && layer_needs(i, o)) {
			const size_t first = v->count;
			done = registry[i].is->values(state_of(l, i), from, v);
			values_group(v, first);
		}
	return done;
}

void layer_forget(struct layer *l)
{
	for (unsigned i = 0; i < REGISTERED; i++)
		if (registry[i].is->forget != NULL)
			registry[i].is->forget(state_of(l, i));
}

void layer_shift(struct layer *l, uint64_t by_ns)
{
	for (unsigned i = 0; i < REGISTERED; i++)
		if (registry[i].is->shift != NULL)
			registry[i].is->shift(state_of(l, i), by_ns);
}

void layer_sample(struct layer *l, const struct sample_kept *k)
{
	for (unsigned i = 0; i < REGISTERED; i++)
		if (registry[i].is->sample != NULL)
			registry[i].is->sample(state_of(l, i), k);
}

void layer_state(struct state *s, struct layer *l, const struct requests *r)
{
	for (unsigned i = 0; i < REGISTERED; i++)
		registry[i].is->state(s, state_of(l, i), r);
	bins_check_state(s, &l->cells, &l->series);
}
