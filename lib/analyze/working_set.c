/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The working set: distinct blocks of 64 KiB that requests touch, in bins of 2^-k seconds, of which
 * there are up to 128. Bin b becomes bin floor(b / 2) when there are more, so k depends on the
 * requests alone. Sets are estimated by HyperLogLog; the set of several bins is their union.
 */
#include <math.h>
#include <stdlib.h>

#include <xxhash.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/over_time/cells.h"
#include "lib/analyze/over_time/over_time.h"
#include "lib/base/hyperloglog.h"
#include "lib/result/names.h"

#include "statistic.h"
#include "state.h"
#include "values.h"

enum {
	WORKING_SET_BINS_MAX = 128,
	WORKING_SET_BINS_MIN = 64, /* that a view has, unless there are fewer */
	WORKING_SET_BLOCK = 1 << 16,
	WORKING_SET_BLOCKS_MAX = 1 << 15 /* of one request */
};

/* All zeros: no request. */
struct working_set {
	int coarser;              /* k is CELLS_K - coarser */
	struct hyperloglog *bins; /* bin b at b % WORKING_SET_BINS_MAX; NULL: none */
	int64_t first, last;      /* bins, if there are any */
	bool truncated;           /* requests of more than WORKING_SET_BLOCKS_MAX blocks */
	bool unordered;           /* traces with other ids of files were added */
};

static struct hyperloglog *bin_at(struct hyperloglog *bins, int64_t bin)
{
	return &bins[(uint64_t)bin % WORKING_SET_BINS_MAX];
}

static int k_of(const struct working_set *w)
{
	return CELLS_K - w->coarser;
}

/* Stores the unions of groups of 2^steps bins in new bins. */
static struct hyperloglog *coarser_bins(const struct working_set *w, int steps)
{
	struct hyperloglog *bins = calloc(WORKING_SET_BINS_MAX, sizeof *bins);
	for (int64_t b = w->first; bins != NULL && w->bins != NULL && b <= w->last; b++)
		hyperloglog_join(bin_at(bins, b >> steps), bin_at(w->bins, b));
	return bins;
}

static bool coarsen(struct working_set *w, int steps)
{
	struct hyperloglog *bins = coarser_bins(w, steps);
	if (bins == NULL)
		return false;
	free(w->bins);
	w->bins = bins;
	w->coarser += steps;
	w->first >>= steps;
	w->last >>= steps;
	return true;
}

/* Coarsens until the bins of both times can be added. */
static bool extend(struct working_set *w, uint64_t from_ns, uint64_t to_ns)
{
	for (int steps = 0;; steps++) {
		const int64_t from = cells_bin(from_ns, k_of(w) - steps),
			      to = cells_bin(to_ns, k_of(w) - steps);
		const bool any = w->bins != NULL;
		const int64_t min = any && w->first >> steps < from ? w->first >> steps : from,
			      max = any && w->last >> steps > to ? w->last >> steps : to;
		if (max - min >= WORKING_SET_BINS_MAX)
			continue;
		if ((steps > 0 || !any) && !coarsen(w, steps))
			return false;
		w->first = min;
		w->last = max;
		return true;
	}
}

/* The blocks of a request in the bin of its start. */
static void add_blocks(struct working_set *w, const struct file_key *file, uint64_t offset,
		       uint64_t length, struct hyperloglog *to)
{
	const uint64_t end = saturate_add(offset, length);
	uint64_t key[3] = {(uint64_t)file->process << 32 | file->file, file->object,
			   offset / WORKING_SET_BLOCK};
	const uint64_t blocks = length > 0 ? (end - 1) / WORKING_SET_BLOCK - key[2] + 1 : 0;
	w->truncated |= blocks > WORKING_SET_BLOCKS_MAX;
	for (uint64_t i = 0; i < blocks && i < WORKING_SET_BLOCKS_MAX; i++, key[2]++)
		hyperloglog_add(to, XXH3_64bits(key, sizeof key));
}

static bool add_at_once(void *of, const struct statistic_batch *b, const struct requests *r)
{
	struct working_set *w = of;
	for (size_t i = 0; i < b->grouped.count; i++) {
		const struct io_span *span = &b->grouped.span[i];
		if (!span_is_located(span) || (span->flags & IOT_START_UNKNOWN) != 0 ||
		    span->file + 1 == r->files.other)
			continue;
		for (size_t k = 0; k < span->count; k++) {
			const uint64_t start = b->epoch_ns + (uint64_t)span->start_ns[k];
			if (!extend(w, start, start))
				return false;
			add_blocks(w, &r->files.keys[span->file], span->offset[k], span->length[k],
				   bin_at(w->bins, cells_bin(start, k_of(w))));
		}
	}
	return true;
}

static bool join(void *of, void *part_of, const struct statistic_map *map)
{
	struct working_set *w = of;
	const struct working_set *part = part_of;
	(void)map;
	w->truncated |= part->truncated;
	w->unordered |= part->unordered;
	if (part->bins == NULL)
		return true;
	if (!extend(w, cells_start(part->first, k_of(part)), cells_start(part->last, k_of(part))))
		return false;
	if (w->coarser < part->coarser && !coarsen(w, part->coarser - w->coarser))
		return false;
	for (int64_t b = part->first; b <= part->last; b++)
		hyperloglog_join(bin_at(w->bins, b >> (w->coarser - part->coarser)),
				 bin_at(part->bins, b));
	return true;
}

static void free_all(void *of)
{
	free(((struct working_set *)of)->bins);
}

/* Values */

/* Values that are estimates, in bytes. */
struct estimates {
	struct values *v;
	const char *note;
};

static void estimate(const struct estimates *e, const char *name, const char *key, double blocks)
{
	values_real(e->v, name, key, "bytes", blocks * WORKING_SET_BLOCK);
	values_note(e->v, e->note);
}

/* The sets of all windows of a number of bins, in blocks. */
struct window_sizes {
	double mean, max;
};

static struct window_sizes sizes_of(const struct hyperloglog *window, size_t n)
{
	struct window_sizes s = {.max = 0};
	for (size_t i = 0; i < n; i++) {
		const double blocks = hyperloglog_estimate(&window[i]);
		s.mean += blocks / (double)n;
		s.max = blocks > s.max ? blocks : s.max;
	}
	return s;
}

/*
 * Windows of 1, 2, 4 ... bins: each of twice the bins is the union of two. window: of the bins,
 * which this changes. Returns the number of sizes.
 */
static size_t find_sizes(struct hyperloglog *window, size_t bins, struct window_sizes *sizes)
{
	size_t count = 0;
	for (size_t width = 1; width <= bins; width *= 2) {
		const size_t n = bins - width + 1;
		sizes[count++] = sizes_of(window, n);
		for (size_t i = 0; i + width < n; i++)
			hyperloglog_join(&window[i], &window[i + width]);
	}
	return count;
}

static void size_values(const struct estimates *e, const struct window_sizes *sizes, size_t count)
{
	char key[VALUE_KEY];
	for (size_t i = 0; i < count; i++)
		estimate(e, "working_set_mean", values_key(key, (uint64_t)1 << i), sizes[i].mean);
	for (size_t i = 0; i < count; i++)
		estimate(e, "working_set_max", values_key(key, (uint64_t)1 << i), sizes[i].max);
}

static void bin_values(const struct estimates *e, struct hyperloglog *bins, size_t n)
{
	struct hyperloglog all = {.value = {0}};
	char key[VALUE_KEY];
	for (size_t i = 0; i < n; i++)
		hyperloglog_join(&all, &bins[i]);
	estimate(e, "working_set_all", NULL, hyperloglog_estimate(&all));
	for (size_t i = 0; i < n; i++)
		estimate(e, "working_set", values_key(key, i), hyperloglog_estimate(&bins[i]));
}

/* Stores the bins of the coarsest view with at least WORKING_SET_BINS_MIN bins, in their order. */
static struct hyperloglog *make_view(const struct working_set *w, struct working_set *to)
{
	const int steps =
	    (w->last >> 1) - (w->first >> 1) + 1 >= WORKING_SET_BINS_MIN; /* one at most */
	struct hyperloglog *bins = coarser_bins(w, steps), *ordered;
	*to = (struct working_set){
	    .coarser = w->coarser + steps, .first = w->first >> steps, .last = w->last >> steps};
	ordered = bins != NULL ? calloc(WORKING_SET_BINS_MAX, sizeof *ordered) : NULL;
	for (int64_t b = to->first; ordered != NULL && b <= to->last; b++)
		ordered[b - to->first] = *bin_at(bins, b);
	free(bins);
	return ordered;
}

static bool known_values(const struct working_set *w, uint64_t begin_ns, struct values *v)
{
	const struct estimates e = {v, w->truncated ? "an estimate (1.6 %), without blocks beyond "
						      "2 GiB of a request"
						    : "an estimate (1.6 %)"};
	struct window_sizes sizes[8]; /* of up to 2^7 bins */
	struct working_set of;
	of.bins = make_view(w, &of);
	if (of.bins == NULL)
		return false;
	const size_t n = (size_t)(of.last - of.first) + 1;
	values_real(v, NAME_OF(working_set_bin_width_s), NULL, "s", ldexp(1, of.coarser - CELLS_K));
	values_number(v, NAME_OF(working_set_bins), NULL, "", n);
	values_real(v, NAME_OF(working_set_begin_s), NULL, "s",
		    over_time_seconds(begin_ns, cells_start(of.first, k_of(&of))));
	bin_values(&e, of.bins, n);
	size_values(&e, sizes, find_sizes(of.bins, n, sizes));
	free_all(&of);
	return true;
}

static bool add_values(const void *of, const struct statistic_values *from, struct values *v)
{
	const struct working_set *w = of;
	v->section = SECTION_OF(reuse);
	if (w->bins != NULL && !w->unordered && !from->sampled)
		return known_values(w, from->begin_ns, v);
	values_unknown(v, NAME_OF(working_set_all), NULL, "bytes",
		       w->unordered    ? VALUES_UNORDERED
		       : from->sampled ? VALUES_SAMPLED
				       : "no request has a known start and offset");
	return true;
}

/* Saves and loads */

/* A register of a bin, counted from the first bin. */
struct register_at {
	uint32_t bin, i, value;
};

static struct hyperloglog *bin_of(const struct working_set *w, uint32_t bin)
{
	return &w->bins[(uint64_t)(w->first + bin) % WORKING_SET_BINS_MAX];
}

/* Moves to the next register with a value. Returns false after the last one. */
static bool next_register(const struct working_set *w, struct register_at *at)
{
	for (; w->first + at->bin <= w->last; at->bin++, at->i = 0)
		for (; at->i < HLL_REGISTERS; at->i++) {
			at->value = bin_of(w, at->bin)->value[at->i];
			if (at->value > 0)
				return true;
		}
	return false;
}

static void registers_state(struct state *s, struct working_set *w)
{
	struct register_at at = {.bin = 0};
	bool any = state_saves(s) && w->bins != NULL && next_register(w, &at);
	while (state_list(s, "working_set.register", any)) {
		state_check(s, w->bins != NULL, "registers in bins");
		state_small(s, "bin", &at.bin,
			    state_failed(s) ? 0 : (uint32_t)(w->last - w->first));
		state_small(s, "i", &at.i, HLL_REGISTERS - 1);
		state_small(s, "value", &at.value, HLL_VALUE_MAX);
		if (state_saves(s)) {
			at.i++;
			any = next_register(w, &at);
		} else if (!state_failed(s)) {
			bin_of(w, at.bin)->value[at.i] = (uint8_t)at.value;
		}
	}
}

static void state(struct state *s, void *of, const struct requests *r)
{
	struct working_set *w = of;
	size_t i;
	(void)r;
	while (state_each(s, "working_set", w->bins != NULL || !state_saves(s), &i)) {
		uint32_t coarser = (uint32_t)w->coarser;
		uint64_t first = (uint64_t)w->first, bins = (uint64_t)(w->last - w->first) + 1;
		state_small(s, "coarser", &coarser, CELLS_COARSER_MAX);
		w->coarser = (int)coarser;
		const int64_t max = cells_bin(UINT64_MAX, CELLS_K - w->coarser);
		state_limited(s, "first", &first, (uint64_t)max);
		state_limited(s, "bins", &bins, WORKING_SET_BINS_MAX);
		state_check(s, bins > 0 && bins - 1 <= (uint64_t)max - first,
			    "bins of times of 64 bits");
		state_flag(s, "truncated", &w->truncated);
		state_flag(s, "unordered", &w->unordered);
		if (state_saves(s) || state_failed(s))
			continue;
		w->first = (int64_t)first;
		w->last = (int64_t)(first + bins - 1);
		w->bins = calloc(WORKING_SET_BINS_MAX, sizeof *w->bins);
		if (w->bins == NULL)
			state_no_memory(s);
	}
	registers_state(s, w);
}

/* The statistic */

static bool is_needed(const struct iot_analyze_options *o)
{
	return o->working_set != 0;
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	(void)more;
	(void)map;
	((struct working_set *)of)->unordered = true;
	return true;
}

const struct statistic working_set_statistic = {
    .size = sizeof(struct working_set),
    .is_needed = is_needed,
    .add_at_once = add_at_once,
    .join = join,
    .add_trace = add_trace,
    .values_section = IOT_ANALYZE_REUSE,
    .values = add_values,
    .state = state,
    .free = free_all,
};
