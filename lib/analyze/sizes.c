/* SPDX-License-Identifier: BSD-2-Clause */
#include "sizes.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/result/names.h"

#include "counters.h"
#include "statistic.h"

static const char no_requests[] = "no requests";

static unsigned zero_bits(uint64_t v)
{
	return v == 0 ? 64 : (unsigned)__builtin_ctzll(v);
}

static bool count(struct sizes_direction *s, uint64_t length, uint64_t n)
{
	uint64_t *bytes = &s->bytes[histogram_index(length)], product;
	if (__builtin_mul_overflow(length, n, &product))
		product = UINT64_MAX;
	histogram_add_many(&s->lengths, length, n);
	*bytes = saturate_add(*bytes, product);
	s->length_zeros[zero_bits(length)] += n;
	return common_add(&s->common, length, n);
}

bool sizes_count(struct request_sizes *s, unsigned direction, uint64_t length, uint64_t n)
{
	return count(&s->of[direction], length, n);
}

static inline bool count_recent(struct sizes_direction *s, uint64_t length, uint64_t n)
{
	const uint64_t hash = length * 0x9e3779b97f4a7c15U;
	const size_t at = (size_t)(hash >> 32) % SIZES_RECENT;
	if (s->recent[at].length == length && s->recent[at].requests > 0) {
		s->recent[at].requests += n;
		return true;
	}
	if (s->recent[at].requests > 0 && !count(s, s->recent[at].length, s->recent[at].requests))
		return false;
	s->recent[at].length = length;
	s->recent[at].requests = n;
	return true;
}

bool sizes_settle(void *of)
{
	struct request_sizes *s = of;
	bool done = true;
	for (unsigned d = 0; d < 2; d++)
		for (size_t i = 0; i < SIZES_RECENT; i++) {
			if (s->of[d].recent[i].requests > 0)
				done &= count(&s->of[d], s->of[d].recent[i].length,
					      s->of[d].recent[i].requests);
			s->of[d].recent[i].requests = 0;
		}
	return done;
}

/* The number of requests from one on up to the first one of another length or direction. */
static inline size_t same_length(const struct io_span *s, size_t from)
{
	size_t i = from + 1;
	while (i < s->count && s->length[i] == s->length[from] && s->write[i] == s->write[from])
		i++;
	return i - from;
}

/* n requests of one length and direction. */
static inline bool add_length(struct sizes_direction *s, const struct io_span *span,
			      uint64_t length, uint64_t n)
{
	return count_recent(s, length, n) && few_add(&s->pairs[span->pair], length, n);
}

/* The lengths of a span. */
static inline bool add_lengths(struct request_sizes *s, const struct io_span *span)
{
	for (size_t i = 0, n; i < span->count; i += n) {
		n = same_length(span, i);
		if (!add_length(&s->of[span->write[i]], span, span->length[i], n))
			return false;
	}
	return true;
}

static inline bool add_same_length(struct request_sizes *s, const struct io_span *span)
{
	for (unsigned d = 0; d < 2; d++)
		if (span->of[d].count > 0 &&
		    !add_length(&s->of[d], span, span->length[0], span->of[d].count))
			return false;
	return true;
}

static bool reserve_pairs(struct request_sizes *s, const struct io_span *span)
{
	for (unsigned d = 0; d < 2; d++) {
		struct sizes_direction *of = &s->of[d];
		if (span->of[d].count > 0 && !array_reserve_index(&of->pairs, &of->pair_capacity,
								  span->pair, sizeof *of->pairs))
			return false;
	}
	return true;
}

static bool add_grouped(struct request_sizes *s, const struct io_span *span)
{
	if (!reserve_pairs(s, span))
		return false;
	for (size_t i = 0; i < span->count && span_is_located(span); i++)
		s->of[span->write[i]].offset_zeros[zero_bits(span->offset[i])]++;
	return span->same_length ? add_same_length(s, span) : add_lengths(s, span);
}

/* Loads the pairs of spans that follow span i. */
static inline void look_ahead(const struct request_sizes *s, const struct io_spans *spans, size_t i)
{
	const struct io_span *near = &spans->span[i] + AHEAD_STEPS / 2,
			     *far = near + AHEAD_STEPS / 2;
	if (i + AHEAD_STEPS >= spans->count)
		return;
	const struct sizes_direction *of = &s->of[far->write[0]];
	ahead_element(of->pairs, of->pair_capacity, far->pair, sizeof *of->pairs);
	of = &s->of[near->write[0]];
	if (near->pair < of->pair_capacity)
		few_ahead(&of->pairs[near->pair]);
}

bool sizes_add(struct request_sizes *s, const struct io_spans *grouped)
{
	bool added = true;
	for (size_t i = 0; i < grouped->count && added; i++) {
		look_ahead(s, grouped, i);
		added = add_grouped(s, &grouped->span[i]);
	}
	return added;
}

static bool join_pairs(struct sizes_direction *s, const struct sizes_direction *part,
		       const uint32_t *pair)
{
	for (size_t i = 0; i < part->pair_capacity; i++) {
		const struct few *f = &part->pairs[i];
		if (!f->many && few_at(f, 0) == NULL)
			continue;
		if (!array_reserve_index(&s->pairs, &s->pair_capacity, pair[i], sizeof *s->pairs) ||
		    !few_join(&s->pairs[pair[i]], f))
			return false;
	}
	return true;
}

bool sizes_join(struct request_sizes *s, const struct request_sizes *part, const uint32_t *pair)
{
	for (unsigned d = 0; d < 2; d++) {
		struct sizes_direction *to = &s->of[d];
		const struct sizes_direction *from = &part->of[d];
		histogram_join(&to->lengths, &from->lengths);
		for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
			to->bytes[i] = saturate_add(to->bytes[i], from->bytes[i]);
		for (unsigned i = 0; i < ZERO_BITS; i++) {
			to->offset_zeros[i] += from->offset_zeros[i];
			to->length_zeros[i] += from->length_zeros[i];
		}
		if (!common_join(&to->common, &from->common) || !join_pairs(to, from, pair))
			return false;
	}
	return true;
}

void sizes_free(void *sizes)
{
	struct request_sizes *s = sizes;
	for (unsigned d = 0; d < 2; d++) {
		struct sizes_direction *of = &s->of[d];
		for (size_t i = 0; i < of->pair_capacity; i++)
			few_free(&of->pairs[i]);
		free(of->pairs);
		common_free(&of->common);
	}
}

/* Values. Names of reads are first, then names of writes. */

static void moments(const struct histogram *h, unsigned d, struct values *v)
{
	static const char *const names[2][4] = {
	    {"read_size_min", "read_size_max", "read_size_mean", "read_size_stddev"},
	    {"write_size_min", "write_size_max", "write_size_mean", "write_size_stddev"}};
	if (h->count == 0) {
		for (unsigned i = 0; i < 4; i++)
			values_unknown(v, names[d][i], NULL, "bytes", no_requests);
		return;
	}
	values_number(v, names[d][0], NULL, "bytes", h->min);
	values_number(v, names[d][1], NULL, "bytes", h->max);
	values_real(v, names[d][2], NULL, "bytes", histogram_mean(h));
	values_real(v, names[d][3], NULL, "bytes", histogram_deviation(h));
}

static void quantiles(const struct histogram *h, unsigned d, struct values *v)
{
	static const char *const names[2] = {"read_size_quantile", "write_size_quantile"};
	static const struct {
		unsigned permille;
		const char *key;
	} at[] = {{10, "0.01"},  {250, "0.25"}, {500, "0.5"},
		  {750, "0.75"}, {900, "0.9"},  {990, "0.99"}};
	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
		if (h->count > 0)
			values_real(v, names[d], at[i].key, "bytes",
				    histogram_quantile(h, at[i].permille));
		else
			values_unknown(v, names[d], at[i].key, "bytes", no_requests);
}

/* The bins that are not empty, by their upper bounds. */
static void bins(const struct sizes_direction *s, unsigned d, struct values *v)
{
	static const char *const names[2][2] = {{"read_size_bins", "write_size_bins"},
						{"read_size_bin_bytes", "written_size_bin_bytes"}};
	char key[VALUE_KEY];
	for (unsigned bytes = 0; bytes < 2; bytes++)
		for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
			if (s->lengths.bin[i] > 0)
				values_number(
				    v, names[bytes][d], values_key(key, histogram_upper(i)),
				    bytes ? "bytes" : "", bytes ? s->bytes[i] : s->lengths.bin[i]);
}

/* Requests of more than half a power of two, up to it. */
static void powers(const struct histogram *h, unsigned d, struct values *v)
{
	static const char *const names[2] = {"read_size_log2", "write_size_log2"};
	uint64_t below = h->bin[0];
	char key[VALUE_KEY];
	if (below > 0)
		values_number(v, names[d], "0", "", below);
	for (unsigned k = 0; k < 64; k++) {
		const uint64_t up_to = histogram_up_to(h, (uint64_t)1 << k);
		if (up_to > below)
			values_number(v, names[d], values_key(key, (uint64_t)1 << k), "",
				      up_to - below);
		below = up_to;
	}
	if (h->count > below)
		values_number(v, names[d], "18446744073709551616", "", h->count - below);
}

static const struct {
	uint64_t up_to;
	const char *key;
} classes[COUNTERS_CLASSES] = {
    {100, "0-100"},          {1024, "100-1K"},   {10240, "1K-10K"},    {102400, "10K-100K"},
    {1048576, "100K-1M"},    {4194304, "1M-4M"}, {10485760, "4M-10M"}, {104857600, "10M-100M"},
    {1073741824, "100M-1G"}, {UINT64_MAX, "1G+"}};

static void darshan_classes(const struct histogram *h, const uint64_t *counted, unsigned d,
			    struct values *v)
{
	static const char *const names[2] = {"read_size_classes", "write_size_classes"};
	uint64_t below = 0;
	for (size_t i = 0; i < COUNTERS_CLASSES; i++) {
		const uint64_t up_to = histogram_up_to(h, classes[i].up_to);
		values_number(v, names[d], classes[i].key, "",
			      counted != NULL ? counted[i] : up_to - below);
		if (counted != NULL)
			values_note(v, COUNTERS_NOTE);
		below = up_to;
	}
}

/* The share of requests up to a limit, which counters know only if it is one of a class. */
static void counted_small(const uint64_t *counted, const char *name, const char *key,
			  uint64_t limit, struct values *v)
{
	double up_to = 0, all = 0;
	bool known = false;
	for (size_t i = 0; i < COUNTERS_CLASSES; i++) {
		known |= classes[i].up_to == limit;
		all += (double)counted[i];
		up_to += classes[i].up_to <= limit ? (double)counted[i] : 0;
	}
	if (!known) {
		values_unknown(v, name, key, "", "counters have other classes of sizes");
		return;
	}
	values_ratio(v, name, key, "", up_to, all, no_requests);
	values_note(v, COUNTERS_NOTE);
}

static void small(const struct histogram *h, const uint64_t *counted, unsigned d, uint64_t own,
		  struct values *v)
{
	static const char *const names[2] = {"read_small_share", "write_small_share"};
	static const uint64_t limits[] = {4096, 8192, 65536, 131072, 524288, 1048576, 4194304};
	const size_t n = sizeof limits / sizeof limits[0];
	char key[VALUE_KEY];
	bool listed = false;
	for (size_t i = 0; i <= n; i++) {
		const uint64_t limit = i < n ? limits[i] : own;
		if (i == n && listed)
			break;
		listed |= limit == own;
		if (counted != NULL) {
			counted_small(counted, names[d], values_key(key, limit), limit, v);
			continue;
		}
		values_ratio(v, names[d], values_key(key, limit), "",
			     (double)histogram_up_to(h, limit), (double)h->count, no_requests);
		if (histogram_upper(histogram_index(limit)) != limit)
			values_note(v, "of sizes up to the next lower bound of a bin");
	}
}

static void common(const struct sizes_direction *s, bool counted, unsigned d, struct values *v)
{
	static const char *const names[2][3] = {
	    {"read_common_sizes", "read_common_size_share", "read_common_size_other"},
	    {"write_common_sizes", "write_common_size_share", "write_common_size_other"}};
	struct common_value top[COMMON_TOP];
	const size_t n = common_top(&s->common, false, top);
	char key[VALUE_KEY];
	for (size_t i = 0; i < n; i++)
		values_number(v, names[d][0], values_key(key, top[i].value), "", top[i].count);
	for (size_t i = 0; i < n; i++)
		values_ratio(v, names[d][1], values_key(key, top[i].value), "",
			     (double)top[i].count, (double)s->lengths.count, no_requests);
	if (counted)
		values_unknown(v, names[d][2], NULL, "", "counters show no single requests");
	else
		values_number(v, names[d][2], NULL, "", s->common.other);
	if (s->common.other > 0)
		values_note(v, COMMON_INEXACT);
}

/* The share of numbers with at least the trailing zero bits of the alignment. */
static void aligned_share(const uint64_t zeros[ZERO_BITS], const char *name, uint64_t alignment,
			  struct values *v)
{
	uint64_t all = 0, aligned = 0;
	for (unsigned i = 0; i < ZERO_BITS; i++) {
		all += zeros[i];
		aligned += i >= zero_bits(alignment) ? zeros[i] : 0;
	}
	values_ratio(v, name, NULL, "", (double)aligned, (double)all,
		     "no request has a known offset");
}

static void zeros(const uint64_t counts[ZERO_BITS], const char *name, struct values *v)
{
	char key[VALUE_KEY];
	for (unsigned i = 0; i < ZERO_BITS; i++)
		if (counts[i] > 0)
			values_number(v, name, values_key(key, i), "", counts[i]);
}

static void alignment(const struct sizes_direction *s, unsigned d, uint64_t to, struct values *v)
{
	static const char *const names[2][4] = {{"read_aligned_share", "read_aligned_size_share",
						 "read_offset_zero_bits", "read_size_zero_bits"},
						{"write_aligned_share", "write_aligned_size_share",
						 "write_offset_zero_bits", "write_size_zero_bits"}};
	aligned_share(s->offset_zeros, names[d][0], to, v);
	aligned_share(s->length_zeros, names[d][1], to, v);
	zeros(s->offset_zeros, names[d][2], v);
	zeros(s->length_zeros, names[d][3], v);
}

/* The share of requests not of the most common size of their process in their file. */
static void variable(const struct sizes_direction *s, unsigned d, struct values *v)
{
	static const char *const names[2] = {"read_variable_share", "write_variable_share"};
	struct few_value largest[2];
	uint64_t usual = 0;
	for (size_t i = 0; i < s->pair_capacity; i++) {
		if (s->pairs[i].many) {
			values_unknown(v, names[d], NULL, "", "more than 64 sizes");
			return;
		}
		few_largest(&s->pairs[i], largest);
		usual += largest[0].count;
	}
	values_ratio(v, names[d], NULL, "", (double)(s->lengths.count - usual),
		     (double)s->lengths.count, no_requests);
}

/* The share of the aligned offsets of both directions. */
static void aligned_of_both(const struct request_sizes *s, uint64_t to,
			    const struct counters_totals *counted, struct values *v)
{
	uint64_t zero_bits_of[ZERO_BITS];
	for (unsigned i = 0; i < ZERO_BITS; i++)
		zero_bits_of[i] = s->of[0].offset_zeros[i] + s->of[1].offset_zeros[i];
	if (counted == NULL)
		aligned_share(zero_bits_of, "aligned_share", to, v);
	else
		counters_aligned(counted, v);
}

void sizes_values(const struct request_sizes *s, const struct iot_analyze_options *o,
		  const struct counters_totals *counted, struct values *v)
{
	static const unsigned first[2] = {COUNTERS_SIZE_READ, COUNTERS_SIZE_WRITE};
	v->section = SECTION_OF(sizes);
	for (unsigned d = 0; d < 2; d++) {
		const struct sizes_direction *of = &s->of[d];
		const uint64_t *counts = counted != NULL ? counted->sum + first[d] : NULL;
		moments(&of->lengths, d, v);
		quantiles(&of->lengths, d, v);
		small(&of->lengths, counts, d, o->small, v);
		variable(of, d, v);
		common(of, counted != NULL, d, v);
		alignment(of, d, o->alignment, v);
		darshan_classes(&of->lengths, counts, d, v);
		powers(&of->lengths, d, v);
		bins(of, d, v);
	}
	aligned_of_both(s, o->alignment, counted, v);
}

/* The statistic */

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return sizes_add(of, &b->grouped);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return sizes_join(of, part, map->numbers->pair);
}

static void sample_direction(struct sizes_direction *s, const struct sample_kept *k)
{
	for (size_t i = 0; i < k->pairs && i < s->pair_capacity; i++)
		if (k->pair[i] == UINT32_MAX)
			few_free(&s->pairs[i]);
	SAMPLE_KEEP(s->pairs, s->pair_capacity, k->pair, k->pairs);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct request_sizes *s = of;
	sample_direction(&s->of[0], k);
	sample_direction(&s->of[1], k);
}

const struct statistic sizes_statistic = {
    .sections = IOT_ANALYZE_SIZES,
    .add = add_batch,
    .join = join,
    .add_trace = join,
    .settle = sizes_settle,
    .sample = sample,
    .state = sizes_state,
    .free = sizes_free,
};
