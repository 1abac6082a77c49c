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

/* Lengths of periods, for intervals of a minute or more. */
enum { CLASSES = 5 };
static const uint64_t minute_ns = 60000000000;

struct idle_classes {
	uint64_t count[CLASSES], ns[CLASSES];
	size_t longest, longest_first; /* bins; the first one */
};

static void classify(struct idle_classes *c, uint64_t ns)
{
	static const unsigned minutes[CLASSES - 1] = {1, 10, 60, 360};
	unsigned class = 0;
	while (class < CLASSES - 1 && ns >= minutes[class] * minute_ns)
		class ++;
	c->count[class]++;
	c->ns[class] = saturate_add(c->ns[class], ns);
}

struct idle_names {
	struct summary_names summary;
	const char *count, *ns, *hours, *longest;
};
#define IDLE_NAMES(name)                                                                           \
	((struct idle_names){{name, name "_quantile_ns", name "_bins"},                            \
			     name "_class",                                                        \
			     name "_class_ns",                                                     \
			     name "_hours_share",                                                  \
			     name "_longest_s"})

/* Seconds from the first bin to the longest period. */
static double longest_begins(const struct view *view, const struct idle_classes *c)
{
	return (double)c->longest_first * view->width_s;
}

static void class_values(const struct view *view, const struct idle_classes *c,
			 struct idle_names name, struct values *v)
{
	static const char *const keys[CLASSES] = {"< 1 min", "1-10 min", "10-60 min", "1-6 h",
						  ">= 6 h"};
	for (unsigned i = 0; i < CLASSES; i++)
		values_number(v, name.count, keys[i], "", c->count[i]);
	for (unsigned i = 0; i < CLASSES; i++)
		values_number(v, name.ns, keys[i], "ns", c->ns[i]);
	values_ratio(v, name.hours, NULL, "", (double)saturate_add(c->ns[3], c->ns[4]) / 1e9,
		     (double)view->observed * view->width_s, "no bin is observed");
	if (c->longest == 0)
		return;
	values_real(v, name.longest, "begin", "s", longest_begins(view, c));
	values_real(v, name.longest, "length", "s", (double)c->longest * view->width_s);
}

/* A period of a number of bins, before bin `end`. */
static void period(const struct view *view, size_t bins, size_t end, struct histogram *h,
		   struct idle_classes *c)
{
	const uint128 wide = (uint128)bins * view->width_num / view->width_den;
	const uint64_t ns = wide > UINT64_MAX ? UINT64_MAX : (uint64_t)wide;
	if (bins == 0)
		return;
	histogram_add(h, ns);
	classify(c, ns);
	if (bins > c->longest) {
		c->longest = bins;
		c->longest_first = end - bins;
	}
}

/* Runs of bins that are not used. */
static void periods(const struct view *view, const bool *used, struct idle_names name,
		    struct values *v, struct histogram *h)
{
	struct idle_classes classes = {{0}, {0}, 0, 0};
	size_t run = 0, idle = 0;
	*h = (struct histogram){.count = 0};
	for (size_t i = 0; i < view->bins; i++) {
		const bool ends = used[i] || !view_observes(view, i);
		idle += !ends;
		if (ends)
			period(view, run, i, h, &classes);
		run = ends ? 0 : run + 1;
	}
	period(view, run, view->bins, h, &classes);
	values_number(v, name.summary.moments, "bins", "", idle);
	values_real(v, name.summary.moments, "share", "",
		    (double)idle / (double)(view->observed > 0 ? view->observed : 1));
	values_summary(v, name.summary, "ns", h);
	if (view->width_num / view->width_den >= minute_ns)
		class_values(view, &classes, name, v);
}

static void few_bytes(const struct view *view, bool *used)
{
	uint64_t peak = 0;
	for (size_t i = 0; i < view->bins; i++)
		if (view_observes(view, i) && view_bytes(view, i) > peak)
			peak = view_bytes(view, i);
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
		periods(view, used, IDLE_NAMES("idle_below_5"), v, h);
		for (size_t i = 0; i < view->bins; i++)
			used[i] = false;
		mark_used(view, series, used);
		periods(view, used, IDLE_NAMES("idle_without_io"), v, h);
	}
	free(used);
	free(h);
	return done;
}
