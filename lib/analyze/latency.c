/* SPDX-License-Identifier: BSD-2-Clause */
#include "latency.h"

#include "interval.h"
#include "saturate.h"
#include "state.h"

void latency_add(struct latency *l, const struct io_request *list, size_t n)
{
	uint64_t ns[2][REQUESTS_MAX];
	size_t count[2] = {0, 0};
	for (size_t i = 0; i < n; i++) {
		const struct io_request *q = &list[i];
		if (!interval_is_known(q))
			continue;
		ns[q->write][count[q->write]++] = q->duration_ns;
		l->bytes[q->write] = saturate_add(l->bytes[q->write], q->length);
	}
	for (unsigned d = 0; d < 2; d++)
		histogram_add_list(&l->durations[d], ns[d], count[d]);
}

void latency_join(struct latency *l, const struct latency *part)
{
	for (unsigned d = 0; d < 2; d++) {
		histogram_join(&l->durations[d], &part->durations[d]);
		l->bytes[d] = saturate_add(l->bytes[d], part->bytes[d]);
	}
}

void latency_state(struct state *s, struct latency *l)
{
	size_t i;
	while (state_each(s, "latency", 2, &i))
		state_number(s, "bytes", &l->bytes[i]);
	for (s->direction = 0; s->direction < 2; s->direction++)
		state_histogram(s, STATE_NAMES("latency.ns"), &l->durations[s->direction]);
	s->direction = -1;
}
