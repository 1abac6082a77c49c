/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads request sizes, which are settled; see state.h. */
#include "sizes.h"

#include "state.h"

struct pairs {
	struct state *state;
	struct sizes_direction *of;
	const struct state_numbers *numbers;
};

static struct few *pair_at(void *context, size_t i)
{
	const struct pairs *p = context;
	struct sizes_direction *of = p->of;
	return state_at(p->state, &of->pairs, &of->pair_capacity, p->numbers->own[i],
			sizeof *of->pairs);
}

static void direction_state(struct state *s, struct sizes_direction *of)
{
	struct pairs pairs = {s, of, &s->pairs};
	size_t i;
	state_histogram(s, STATE_NAMES("sizes.length"), &of->lengths);
	while (state_each(s, "sizes.bytes", HISTOGRAM_BINS, &i))
		state_number(s, "s", &of->bytes[i]);
	state_common(s, STATE_NAMES("sizes.common"), &of->common);
	while (state_each(s, "sizes.zeros", ZERO_BITS, &i)) {
		state_number(s, "offset", &of->offset_zeros[i]);
		state_number(s, "length", &of->length_zeros[i]);
	}
	state_few(s, "sizes.pair", pair_at, &pairs, s->pairs.count);
}

void sizes_state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct request_sizes *sizes = of;
	for (s->direction = 0; s->direction < 2; s->direction++)
		direction_state(s, &sizes->of[s->direction]);
	s->direction = -1;
}
