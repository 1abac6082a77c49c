/* SPDX-License-Identifier: BSD-2-Clause */
#include "latency.h"

#include "lib/analyze/containers/saturate.h"
#include "state.h"
#include "statistic.h"

/* Without a branch on the direction: each duration is appended to both, and counts in one. */
static inline void append_both(const struct io_span *span, uint64_t ns[2][REQUESTS_MAX + 1],
			       size_t count[2])
{
	size_t reads = count[0], writes = count[1];
	for (size_t i = 0; i < span->count; i++) {
		ns[0][reads] = ns[1][writes] = span_duration(span, i);
		reads += !span->write[i];
		writes += span->write[i];
	}
	count[0] = reads;
	count[1] = writes;
}

static inline void append(const struct io_span *span, uint64_t *ns, size_t *count)
{
	uint64_t *to = ns + *count;
	for (size_t i = 0; i < span->count; i++)
		to[i] = span_duration(span, i);
	*count += span->count;
}

static inline void add_span(struct latency *l, const struct io_span *span,
			    uint64_t ns[2][REQUESTS_MAX + 1], size_t count[2])
{
	const bool writes = span->of[1].count > 0;
	if (writes && span->of[0].count > 0)
		append_both(span, ns, count);
	else
		append(span, ns[writes], &count[writes]);
	for (unsigned d = 0; d < 2; d++)
		l->bytes[d] = saturate_add(l->bytes[d], span->of[d].bytes);
}

void latency_add(struct latency *l, const struct io_spans *spans)
{
	uint64_t ns[2][REQUESTS_MAX + 1];
	size_t count[2] = {0, 0};
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		if (span_is_timed(span))
			add_span(l, span, ns, count);
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

static void state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct latency *l = of;
	size_t i;
	while (state_each(s, "latency", 2, &i))
		state_number(s, "bytes", &l->bytes[i]);
	for (s->direction = 0; s->direction < 2; s->direction++)
		state_histogram(s, STATE_NAMES("latency.ns"), &l->durations[s->direction]);
	s->direction = -1;
}

/* The statistic */

static bool add(void *of, const struct statistic_batch *b)
{
	latency_add(of, &b->grouped);
	return true;
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	(void)map;
	latency_join(of, part);
	return true;
}

const struct statistic latency_statistic = {
    .sections = IOT_ANALYZE_TIME,
    .add = add,
    .join = join,
    .add_trace = join,
    .state = state,
};
