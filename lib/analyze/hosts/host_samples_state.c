/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads samples; see state.h. */
#include "host_samples_state.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/analyze/over_time/bins_state.h"
#include "lib/analyze/state.h"

static void known_state(struct state *s, struct sample_sums *sums)
{
	state_small(s, "known", &sums->known, (UINT32_C(1) << SAMPLE_VALUES) - 1);
}

/* A state without samples has neither a row nor further tables. */
static bool sums_state(struct state *s, struct host_samples *h)
{
	size_t i;
	bool any = false;
	while (state_each(s, "samples", h->count + h->wrong > 0 || !state_saves(s), &i)) {
		any = true;
		state_number(s, "count", &h->count);
		state_number(s, "gaps", &h->gaps);
		state_number(s, "resets", &h->resets);
		state_number(s, "doubtful", &h->doubtful);
		state_number(s, "wrong", &h->wrong);
		state_number(s, "interval", &h->interval_ns);
		state_number(s, "counters", &h->counters_ns);
		known_state(s, &h->sums);
	}
	while (any && state_each(s, "samples.sum", SAMPLE_VALUES, &i))
		state_number(s, "sum", &h->sums.sum[i]);
	return any;
}

static void load_host(struct state *s, struct host_samples *h, struct iot_text name)
{
	const size_t i = idmap_number(&h->numbers, XXH3_64bits(name.data, name.size));
	if (i == SIZE_MAX || i + 1 != h->numbers.count) {
		state_check(s, i == SIZE_MAX, "hosts that differ");
		state_no_memory(s);
		return;
	}
	struct counted_host *host = state_at(s, &h->host, &h->host_capacity, i, sizeof *h->host);
	if (host != NULL && (host->name = strndup(name.data, name.size)) == NULL)
		state_no_memory(s);
}

/* Numbers the hosts for the tables that refer to them. */
static void hosts_state(struct state *s, struct host_samples *h, struct state_numbers *rows)
{
	size_t i = 0;
	for (; state_list(s, "samples.host", state_saves(s) && i < h->numbers.count); i++) {
		struct iot_text name = {NULL, 0};
		if (state_saves(s))
			name = (struct iot_text){h->host[i].name, strlen(h->host[i].name)};
		state_text(s, "name", &name);
		state_check(s, i < COUNTED_HOSTS_MAX && name.size <= COUNTED_HOST_SIZE,
			    "up to 1048576 hosts");
		if (!state_saves(s) && !state_failed(s))
			load_host(s, h, name);
		if (!state_failed(s))
			state_add_number(s, rows, (uint32_t)i);
	}
}

static void host_sums_state(struct state *s, struct host_samples *h)
{
	size_t i;
	while (state_each(s, "samples.host_sums", h->numbers.count, &i)) {
		known_state(s, &h->host[i].sums);
		for (unsigned v = 0; v < SAMPLE_VALUES; v++)
			state_number(s, sample_names[v].data, &h->host[i].sums.sum[v]);
	}
}

static void load_counter(struct state *s, struct host_samples *h, size_t i, uint64_t key)
{
	state_check(s, i < COUNTED_HOSTS_MAX, "up to 1048576 counters");
	if (state_failed(s))
		return;
	const size_t number = idmap_number(&h->counters, key);
	if (number == SIZE_MAX)
		state_no_memory(s);
	state_check(s, number == SIZE_MAX || number == i, "counters that differ");
}

static void counters_state(struct state *s, struct host_samples *h)
{
	for (size_t i = 0;
	     state_list(s, "samples.counter", state_saves(s) && i < h->counters.count); i++) {
		uint64_t key = state_saves(s) ? h->counters.keys[i] : 0;
		state_number(s, "key", &key);
		if (!state_saves(s))
			load_counter(s, h, i, key);
	}
	coverage_state(s, "samples.counted", &h->of_counters, h->counters.count);
}

static void bins_state(struct state *s, struct host_samples *h, const struct state_numbers *rows)
{
	for (unsigned all = 0; all < 2; all++) {
		s->direction = (int)(2 * all);
		cells_state(s, &h->of_hosts[all], rows);
		s->direction = (int)(2 * all + 1);
		cells_state(s, &h->calls_of_hosts[all], rows);
	}
	s->direction = -1;
	series_state(s, &h->series, NULL);
}

void host_samples_state(struct state *s, void *of, const struct requests *requests)
{
	struct host_samples *h = of;
	struct state_numbers rows = {.count = 0};
	if (!sums_state(s, h))
		return;
	hosts_state(s, h, &rows);
	host_sums_state(s, h);
	coverage_state(s, "samples.covered", &h->coverage, h->numbers.count);
	counters_state(s, h);
	state_histogram(s, STATE_NAMES("samples.took"), &h->took);
	sizes_state(s, &h->sizes, requests);
	bins_state(s, h, &rows);
	free(rows.own);
	free(rows.index);
	for (unsigned all = 0; all < 2 && !state_saves(s) && !state_failed(s); all++)
		if (!cells_settle(&h->of_hosts[all]) || !cells_settle(&h->calls_of_hosts[all]))
			state_no_memory(s);
}
