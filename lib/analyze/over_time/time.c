/* SPDX-License-Identifier: BSD-2-Clause */
#include "time.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

#include "activity.h"
#include "bursts.h"
#include "idle.h"

static void peaks(const struct view *view, struct values *v)
{
	static const char *const names[2][DIRECTIONS] = {
	    {"read_bytes_per_s_max", "written_bytes_per_s_max", "bytes_per_s_max"},
	    {"read_requests_per_s_max", "write_requests_per_s_max", "requests_per_s_max"}};
	for (unsigned d = 0; d < DIRECTIONS; d++) {
		uint64_t bytes = 0, requests = 0;
		for (size_t i = 0; i < view->bins; i++) {
			if (!view_observes(view, i))
				continue;
			const uint64_t b = view_sum(view->bytes[i], d),
				       n = view_sum(view->requests[i], d);
			bytes = b > bytes ? b : bytes;
			requests = n > requests ? n : requests;
		}
		values_real(v, names[0][d], NULL, "bytes/s", (double)bytes / view->width_s);
		values_real(v, names[1][d], NULL, "1/s", (double)requests / view->width_s);
	}
}

/* Shares of no bins are 0. */
static double observed_bins(const struct view *view)
{
	return view->observed > 0 ? (double)view->observed : 1;
}

/* A type dominates a bin with nine in ten of its requests. */
static void dominating_type(const struct view *view, struct values *v)
{
	static const char *const keys[] = {"read", "write", "read/write", "none"};
	uint64_t bins[4] = {0};
	for (size_t i = 0; i < view->bins; i++)
		bins[view_dominating(view->requests[i])] += view_observes(view, i);
	for (unsigned type = 0; type < 4; type++)
		values_real(v, NAME_OF(dominating_type), keys[type], "",
			    (double)bins[type] / observed_bins(view));
}

/* The share of the bins up to each share of the peak rate. */
static void rates(const struct view *view, struct values *v)
{
	static const struct {
		const char *key;
		unsigned percent;
	} shares[] = {{"0", 0},   {"10", 10}, {"20", 20},  {"33", 33},
		      {"50", 50}, {"75", 75}, {"100", 100}};
	const size_t n = sizeof shares / sizeof shares[0];
	uint128 sum = 0;
	uint64_t peak = 0, third = 0, below[sizeof shares / sizeof shares[0]] = {0};
	for (size_t i = 0; i < view->bins; i++) {
		if (!view_observes(view, i))
			continue;
		peak = view_bytes(view, i) > peak ? view_bytes(view, i) : peak;
		sum += view_bytes(view, i);
	}
	for (size_t i = 0; i < view->bins; i++) {
		const uint128 bytes = (uint128)view_bytes(view, i) * 100;
		if (!view_observes(view, i))
			continue;
		third += bytes < (uint128)peak * 33;
		for (size_t s = 0; s < n; s++)
			below[s] += bytes <= (uint128)peak * shares[s].percent;
	}
	const double bins = peak > 0 ? (double)view->observed : 0;
	values_real(v, NAME_OF(bytes_per_s_mean), NULL, "bytes/s",
		    (double)sum / view->width_s / observed_bins(view));
	values_ratio(v, NAME_OF(peak_to_mean), NULL, "", (double)peak * (double)view->observed,
		     (double)sum, "no bytes");
	values_ratio(v, NAME_OF(below_33_percent_of_peak), NULL, "", (double)third, bins,
		     "no bytes");
	for (size_t s = 0; s < n; s++)
		values_ratio(v, NAME_OF(rate_cdf), shares[s].key, "", (double)below[s], bins,
			     "no bytes");
}

/* Operations over time. Returns false if out of memory. */
static bool operations(const struct view *view, const struct series *s, struct values *v)
{
	uint64_t *count = calloc(view->bins, sizeof *count), max = 0, bins = 0;
	if (count == NULL)
		return false;
	for (int64_t bin = s->first_bin; s->any && bin <= s->last_bin; bin++)
		count[view_bin(view, bin, series_k(s)) - view->first] +=
		    series_at(s, bin)->operations;
	for (size_t i = 0; i < view->bins; i++) {
		max = count[i] > max ? count[i] : max;
		bins += count[i] > 0;
	}
	free(count);
	values_real(v, NAME_OF(operations_per_s_max), NULL, "1/s", (double)max / view->width_s);
	values_real(v, NAME_OF(operation_bin_share), NULL, "", (double)bins / (double)view->bins);
	return true;
}

static void no_operations(struct values *v)
{
	values_unknown(v, NAME_OF(operations_per_s_max), NULL, "1/s", TIME_NO_OPERATIONS);
	values_unknown(v, NAME_OF(operation_bin_share), NULL, "", TIME_NO_OPERATIONS);
}

/* Adds the values of the view that is wanted. Returns false if out of memory. */
static bool view_values(const struct view_source *from, bool shows_operations, struct values *v)
{
	struct view view = {.k = 0};
	bool done = view_make_main(&view, from);
	if (done) {
		values_real(v, NAME_OF(bin_width_s), NULL, "s", view.width_s);
		if (from->span.interval_ns != view.interval_ns)
			values_note(v, "wider than the interval: there are up to 65536 bins");
		values_number(v, NAME_OF(bins), NULL, "", view.bins);
		peaks(&view, v);
		done = activity_values(&view, from->span.processes, v);
		dominating_type(&view, v);
		rates(&view, v);
	}
	if (!shows_operations)
		no_operations(v);
	else
		done = done && operations(&view, from->series, v);
	done = done && idle_values(&view, from->series, v);
	view_free(&view);
	return done;
}

bool time_rates(const struct view_source *from, struct values *v)
{
	struct view view = {.k = 0};
	bool done = view_make_main(&view, from);
	if (done) {
		values_real(v, NAME_OF(bin_width_s), NULL, "s", view.width_s);
		values_number(v, NAME_OF(bins), NULL, "", view.bins);
		values_number(v, NAME_OF(observed_bins), NULL, "", view.observed);
		peaks(&view, v);
		rates(&view, v);
		done = idle_values(&view, from->series, v);
	}
	view_free(&view);
	return done;
}

bool time_values(const struct view_source *from, bool shows_operations, struct values *v)
{
	return !from->series->any ||
	       (view_values(from, shows_operations, v) && burst_values(from, v));
}
