/* SPDX-License-Identifier: BSD-2-Clause */
#include "idle.h"

#include <stdlib.h>

/* Marks the bins with a request in progress or an operation. */
static void mark_used(const struct view *view, const struct series *s, bool *used)
{
	for (int64_t bin = s->first_bin; s->any && bin <= s->last_bin; bin++) {
		const struct series_bin *b = series_at(s, bin);
		if (b->in_flight_ns > 0 || b->operations > 0 || b->requests)
			used[view_bin(view, bin, series_k(s)) - view->first] = true;
	}
}

static void period(const struct view *view, size_t bins, struct histogram *h)
{
	const uint128 ns = (uint128)bins * view->width_num / view->width_den;
	if (bins > 0)
		histogram_add(h, ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns);
}

/* Runs of bins that are not used. */
static void periods(const struct view *view, const bool *used, struct summary_names name,
		    struct values *v, struct histogram *h)
{
	size_t run = 0, idle = 0;
	*h = (struct histogram){.count = 0};
	for (size_t i = 0; i < view->bins; i++) {
		idle += !used[i];
		if (used[i])
			period(view, run, h);
		run = used[i] ? 0 : run + 1;
	}
	period(view, run, h);
	values_number(v, name.moments, "bins", "", idle);
	values_real(v, name.moments, "share", "", (double)idle / (double)view->bins);
	values_summary(v, name, "ns", h);
}

static void few_bytes(const struct view *view, bool *used)
{
	uint64_t peak = 0;
	for (size_t i = 0; i < view->bins; i++)
		peak = view_bytes(view, i) > peak ? view_bytes(view, i) : peak;
	for (size_t i = 0; i < view->bins; i++)
		used[i] = (uint128)view_bytes(view, i) * 20 >= peak;
}

bool idle_values(const struct view *view, const struct series *series, struct values *v)
{
	bool *used = calloc(view->bins, sizeof *used);
	struct histogram *h = calloc(1, sizeof *h);
	const bool done = used != NULL && h != NULL;
	if (done) {
		few_bytes(view, used);
		periods(view, used, SUMMARY("idle_below_5"), v, h);
		for (size_t i = 0; i < view->bins; i++)
			used[i] = false;
		mark_used(view, series, used);
		periods(view, used, SUMMARY("idle_without"), v, h);
	}
	free(used);
	free(h);
	return done;
}
