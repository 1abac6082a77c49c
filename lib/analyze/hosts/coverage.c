/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/state.h"
#include "lib/base/array.h"

/* The index of the first interval that does not end before a time. */
static size_t find(const struct coverage_host *h, uint64_t ns)
{
	size_t from = 0, to = h->count;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (h->of[middle].to_ns < ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool insert(struct coverage *c, struct coverage_host *h, size_t at,
		   struct coverage_interval more)
{
	if (c->intervals >= COVERAGE_MAX && h->count > 0) {
		if (at > 0)
			h->of[at - 1].to_ns = more.to_ns;
		else
			h->of[0].from_ns = more.from_ns;
		return true;
	}
	if (!array_reserve(&h->of, &h->capacity, h->count + 1, sizeof *h->of))
		return false;
	memmove(&h->of[at + 1], &h->of[at], (h->count - at) * sizeof *h->of);
	h->of[at] = more;
	h->count++;
	c->intervals++;
	return true;
}

/* Makes one of an interval that was extended and the intervals that it has reached. */
static void absorb(struct coverage *c, struct coverage_host *h, size_t at)
{
	size_t next = at + 1;
	for (; next < h->count && h->of[next].from_ns <= h->of[at].to_ns; next++)
		if (h->of[next].to_ns > h->of[at].to_ns)
			h->of[at].to_ns = h->of[next].to_ns;
	memmove(&h->of[at + 1], &h->of[next], (h->count - next) * sizeof *h->of);
	c->intervals -= next - at - 1;
	h->count -= next - at - 1;
}

bool coverage_add(struct coverage *c, size_t host, struct coverage_interval more)
{
	if (!array_reserve_index(&c->host, &c->capacity, host, sizeof *c->host))
		return false;
	c->hosts = host >= c->hosts ? host + 1 : c->hosts;
	struct coverage_host *h = &c->host[host];
	const size_t at = find(h, more.from_ns);
	if (at == h->count || h->of[at].from_ns > more.to_ns)
		return insert(c, h, at, more);
	if (more.from_ns < h->of[at].from_ns)
		h->of[at].from_ns = more.from_ns;
	if (more.to_ns > h->of[at].to_ns)
		h->of[at].to_ns = more.to_ns;
	absorb(c, h, at);
	return true;
}

bool coverage_join(struct coverage *c, const struct coverage *part, const uint32_t *host)
{
	bool done = true;
	for (size_t i = 0; i < part->hosts; i++)
		for (size_t k = 0; k < part->host[i].count && done; k++)
			done = coverage_add(c, host[i], part->host[i].of[k]);
	return done;
}

/* The last bin that begins at or before a time, which is in one of n bins. */
static size_t bin_of(const uint64_t *edge, size_t n, uint64_t ns)
{
	size_t from = 0, to = n;
	while (to - from > 1) {
		const size_t middle = from + (to - from) / 2;
		if (edge[middle] <= ns)
			from = middle;
		else
			to = middle;
	}
	return from;
}

/* Adds an interval to the bins that it begins or ends in, and counts the bins that it fills. */
static void sum(struct coverage_interval i, const uint64_t *edge, size_t n, uint64_t *ns,
		int64_t *filled)
{
	const uint64_t from = i.from_ns > edge[0] ? i.from_ns : edge[0],
		       to = i.to_ns < edge[n] ? i.to_ns : edge[n];
	if (from >= to)
		return;
	const size_t first = bin_of(edge, n, from), last = bin_of(edge, n, to - 1);
	if (first == last) {
		ns[first] += to - from;
		return;
	}
	ns[first] += edge[first + 1] - from;
	ns[last] += to - edge[last];
	filled[first + 1]++;
	filled[last]--;
}

bool coverage_sum(const struct coverage *c, const uint64_t *edge, size_t n, uint64_t *ns)
{
	int64_t *filled = calloc(n + 1, sizeof *filled), hosts = 0;
	if (filled == NULL)
		return false;
	memset(ns, 0, n * sizeof *ns);
	for (size_t i = 0; i < c->hosts; i++)
		for (size_t k = 0; k < c->host[i].count; k++)
			sum(c->host[i].of[k], edge, n, ns, filled);
	for (size_t i = 0; i < n; i++) {
		hosts += filled[i];
		ns[i] += (uint64_t)hosts * (edge[i + 1] - edge[i]);
	}
	free(filled);
	return true;
}

static void load(struct state *s, struct coverage *c, size_t hosts, uint32_t host,
		 struct coverage_interval i)
{
	state_check(s, host < hosts && i.from_ns < i.to_ns, "an interval of a host");
	if (!state_failed(s) && !coverage_add(c, host, i))
		state_no_memory(s);
}

/* The next interval in order of hosts; false: none. */
static bool next(const struct coverage *c, size_t *host, size_t *at)
{
	while (*host < c->hosts && *at >= c->host[*host].count) {
		++*host;
		*at = 0;
	}
	return *host < c->hosts;
}

void coverage_state(struct state *s, const char *table, struct coverage *c, size_t hosts)
{
	size_t at = 0, row = 0;
	while (state_list(s, table, state_saves(s) && next(c, &row, &at))) {
		struct coverage_interval i = {0, 0};
		uint32_t host = (uint32_t)row;
		if (state_saves(s))
			i = c->host[row].of[at++];
		state_small(s, "host", &host, UINT32_MAX);
		state_number(s, "from", &i.from_ns);
		state_number(s, "to", &i.to_ns);
		if (!state_saves(s) && !state_failed(s))
			load(s, c, hosts, host, i);
	}
}

uint64_t coverage_total(const struct coverage *c)
{
	uint64_t ns = 0;
	for (size_t i = 0; i < c->hosts; i++)
		for (size_t k = 0; k < c->host[i].count; k++)
			ns = saturate_add(ns, c->host[i].of[k].to_ns - c->host[i].of[k].from_ns);
	return ns;
}

void coverage_free(struct coverage *c)
{
	for (size_t i = 0; i < c->hosts; i++)
		free(c->host[i].of);
	free(c->host);
	*c = (struct coverage){.hosts = 0};
}
