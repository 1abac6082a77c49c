/* SPDX-License-Identifier: BSD-2-Clause */
#include "bursts.h"

#include <stdlib.h>

#include "lib/result/names.h"

#include "burst_runs.h"

struct bursts {
	uint64_t *bytes; /* of each bin */
	size_t bins;
	uint64_t *scratch; /* for medians */
	struct burst *runs;
	size_t count;
	struct burst_histograms {
		struct histogram duration, size, peak, gap;
	} * of;
};

static void measure(struct bursts *b, size_t i)
{
	uint64_t size = 0, peak = 0;
	for (size_t bin = b->runs[i].begin; bin < b->runs[i].end; bin++) {
		size = saturate_add(size, b->bytes[bin]);
		peak = b->bytes[bin] > peak ? b->bytes[bin] : peak;
	}
	histogram_add(&b->of->duration, b->runs[i].end - b->runs[i].begin);
	histogram_add(&b->of->size, size);
	histogram_add(&b->of->peak, peak);
	if (i > 0)
		histogram_add(&b->of->gap, b->runs[i].begin - b->runs[i - 1].end);
}

/* A type dominates a burst with nine in ten of its requests. */
static void types(const struct bursts *b, const struct view *view, struct values *v)
{
	static const char *const keys[] = {"read", "write", "read/write", "none"};
	uint64_t count[4] = {0};
	for (size_t i = 0; i < b->count; i++) {
		uint64_t n[2] = {0, 0};
		for (size_t bin = b->runs[i].begin; bin < b->runs[i].end; bin++) {
			n[0] += view->requests[bin][0];
			n[1] += view->requests[bin][1];
		}
		count[view_dominating(n)]++;
	}
	for (unsigned type = 0; type < 4; type++)
		values_number(v, NAME_OF(burst_type), keys[type], "", count[type]);
}

static void print(const struct bursts *b, const struct view *view, struct values *v)
{
	uint64_t all = 0;
	for (size_t i = 0; i < b->bins; i++)
		all = saturate_add(all, b->bytes[i]);
	values_number(v, NAME_OF(bursts), NULL, "", b->count);
	values_number(v, NAME_OF(burst_bytes), NULL, "bytes", b->of->size.sum);
	values_ratio(v, NAME_OF(burst_byte_share), NULL, "", (double)b->of->size.sum, (double)all,
		     "no bytes");
	types(b, view, v);
	values_real(v, NAME_OF(burst_bin_width_s), NULL, "s", view->width_s);
	values_summary(v, SUMMARY("burst_duration"), "bins", &b->of->duration);
	values_summary(v, SUMMARY("burst_size"), "bytes", &b->of->size);
	values_summary(v, SUMMARY("burst_peak"), "bytes/bin", &b->of->peak);
	values_summary(v, SUMMARY("burst_gap"), "bins", &b->of->gap);
}

static void find(struct bursts *b, const struct view *view)
{
	for (size_t i = 0; i < b->bins; i++)
		b->bytes[i] = view_bytes(view, i);
	b->count = burst_runs_find(b->bytes, b->bins, b->scratch, b->runs);
	for (size_t i = 0; i < b->count; i++)
		measure(b, i);
}

/* Allocates the members for the bins of a view. Returns false if out of memory. */
static bool begin(struct bursts *b, const struct view *view)
{
	*b = (struct bursts){.bins = view->bins,
			     .bytes = calloc(view->bins + 1, sizeof *b->bytes),
			     .scratch = calloc(view->bins + 1, sizeof *b->scratch),
			     .runs = calloc(view->bins + 1, sizeof *b->runs),
			     .of = calloc(1, sizeof *b->of)};
	return b->bytes != NULL && b->scratch != NULL && b->runs != NULL && b->of != NULL;
}

static void end(struct bursts *b)
{
	free(b->bytes);
	free(b->scratch);
	free(b->runs);
	free(b->of);
}

bool burst_values(const struct view_source *from, struct values *v)
{
	struct view view = {.k = 0};
	struct bursts b;
	const bool made = view_make(&view, from, BURST_BINS_MAX), done = begin(&b, &view) && made;
	if (done) {
		find(&b, &view);
		print(&b, &view, v);
	}
	end(&b);
	view_free(&view);
	return done;
}

bool burst_starts(const struct view_source *from, uint64_t **start_ns, size_t *count)
{
	struct view view = {.k = 0};
	struct bursts b;
	bool done = view_make(&view, from, BURST_BINS_MAX);
	done = begin(&b, &view) && done;
	if (done)
		find(&b, &view);
	*start_ns = done ? calloc(b.count + 1, sizeof **start_ns) : NULL;
	*count = *start_ns != NULL ? b.count : 0;
	for (size_t i = 0; i < *count; i++)
		(*start_ns)[i] = view_start(&view, b.runs[i].begin);
	end(&b);
	view_free(&view);
	return *start_ns != NULL;
}
