/* SPDX-License-Identifier: BSD-2-Clause */
/* Analysis: bins of histograms, limits of tables, patterns, counting rules. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include <iotrace/analyze.h>

#include "lib/analyze/containers/common.h"
#include "lib/analyze/containers/few.h"
#include "lib/analyze/containers/histogram.h"
#include "lib/analyze/containers/owner_map.h"
#include "lib/analyze/containers/span_sums.h"
#include "lib/analyze/metadata.h"
#include "lib/analyze/over_time/arrival.h"
#include "lib/analyze/over_time/busy.h"
#include "lib/analyze/over_time/cells.h"
#include "lib/analyze/over_time/concurrency.h"
#include "lib/base/hyperloglog.h"

/* Histograms */

Test(analyze, bins_cover_all_values)
{
	cr_assert_eq(histogram_upper(HISTOGRAM_BINS - 1), UINT64_MAX);
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
		cr_assert_eq(histogram_index(histogram_lower(i)), i);
		cr_assert_eq(histogram_index(histogram_upper(i)), i);
		cr_assert(i == 0 || histogram_lower(i) == histogram_upper(i - 1) + 1);
	}
}

Test(analyze, limits_of_classes_are_upper_bounds)
{
	static const uint64_t limits[] = {100,     1024,     10240,     102400,    1048576,
					  4194304, 10485760, 104857600, 1073741824};
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
		cr_assert_eq(histogram_upper(histogram_index(limits[i])), limits[i]);
	for (unsigned k = 0; k < 64; k++) {
		const uint64_t power = (uint64_t)1 << k;
		cr_assert_eq(histogram_upper(histogram_index(power)), power);
	}
}

Test(analyze, moments_are_exact)
{
	static struct histogram h;
	for (uint64_t v = 1; v <= 1000; v++)
		histogram_add(&h, v);
	cr_assert_eq(h.min, 1);
	cr_assert_eq(h.max, 1000);
	cr_assert(fabs(histogram_mean(&h) - 500.5) < 1e-9);
	cr_assert(fabs(histogram_deviation(&h) - sqrt(999999.0 / 12)) < 1e-9);
	cr_assert_eq(histogram_up_to(&h, 512), 512);
	cr_assert(fabs(histogram_quantile(&h, 500) - 500) < 500 * 0.016);
}

Test(analyze, sums_saturate)
{
	static struct histogram h, other;
	histogram_add(&h, UINT64_MAX);
	histogram_add(&other, UINT64_MAX);
	histogram_join(&h, &other);
	cr_assert_eq(h.sum, UINT64_MAX);
	cr_assert_eq(h.count, 2);
	cr_assert(isfinite(histogram_deviation(&h)));
}

/* Distinct values */

static void add_numbers(struct hyperloglog *h, uint64_t from, uint64_t to)
{
	for (uint64_t v = from; v < to; v++)
		hyperloglog_add(h, XXH3_64bits(&v, sizeof v));
}

Test(analyze, distinct_values_are_estimated)
{
	static const uint64_t counts[] = {0, 1, 20, 1000, 4096, 10000, 20000, 1000000};
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		static struct hyperloglog empty;
		struct hyperloglog h = empty, low = empty, high = empty;
		const double n = (double)counts[i];
		add_numbers(&h, 0, counts[i]);
		cr_expect(fabs(hyperloglog_estimate(&h) - n) <= 0.05 * n);
		add_numbers(&low, 0, counts[i] / 2 + counts[i] / 4);
		add_numbers(&high, counts[i] / 2, counts[i]);
		hyperloglog_join(&low, &high);
		cr_expect_arr_eq(low.value, h.value, sizeof h.value);
	}
}

/* Owners of bytes */

enum { OWNED_BYTES = 64 };

/* Bytes of a change by use before and process, and those without. */
struct owned_sums {
	uint64_t bytes[OWNER_USES][3], gaps;
};

static bool count_owned(void *context, const struct owner_range *before, uint64_t bytes)
{
	struct owned_sums *sums = context;
	sums->bytes[before->use][before->process] += bytes;
	return true;
}

static bool count_gap(void *context, uint64_t begin, uint64_t end)
{
	struct owned_sums *sums = context;
	sums->gaps += end - begin;
	return true;
}

/* A change, byte by byte. */
static void change_bytes(struct owner_range byte[OWNED_BYTES], bool known[OWNED_BYTES],
			 const struct owner_change *c, struct owned_sums *sums)
{
	for (uint64_t i = c->to.begin; i < c->to.end; i++) {
		if (known[i])
			sums->bytes[byte[i].use][byte[i].process]++;
		else
			sums->gaps++;
		if (!known[i] && !c->write && c->keeps_gaps)
			continue;
		if (c->write || !known[i] || byte[i].use == OWNER_READ)
			byte[i].process = c->to.process;
		byte[i].use = c->write                                 ? OWNER_WRITTEN
			      : !known[i] || byte[i].use == OWNER_READ ? OWNER_READ
								       : OWNER_WRITTEN_READ;
		known[i] = true;
	}
}

/* The listed ranges agree with the bytes, and neighbours differ. */
static void check_ranges(const struct owner_maps *all, const struct owner_map *m,
			 const struct owner_range byte[OWNED_BYTES], const bool known[OWNED_BYTES])
{
	struct owner_range *list = NULL;
	size_t capacity = 0, count, i = 0;
	cr_assert(owner_map_list(all, m, &list, &capacity, &count));
	for (uint64_t at = 0; at < OWNED_BYTES; at++) {
		const bool in = i < count && at >= list[i].begin;
		cr_assert_eq(in, known[at]);
		if (!in)
			continue;
		cr_assert_eq(list[i].process, byte[at].process);
		cr_assert_eq(list[i].use, byte[at].use);
		if (at + 1 < list[i].end)
			continue;
		i++;
		cr_assert(i == count || list[i].begin > list[i - 1].end ||
			  list[i].process != list[i - 1].process || list[i].use != list[i - 1].use);
	}
	cr_assert_eq(i, count);
	free(list);
}

static void check_owners(bool keeps_gaps)
{
	struct owner_maps all = {.nodes = NULL};
	struct owner_map m = {.root = 0};
	struct owner_range byte[OWNED_BYTES] = {{.begin = 0}};
	bool known[OWNED_BYTES] = {false};
	uint64_t seed = 1;
	for (unsigned i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		struct owned_sums found = {.gaps = 0}, expected = {.gaps = 0};
		struct owner_change c = {.to = {.begin = (seed >> 40) % OWNED_BYTES,
						.process = (uint32_t)(seed >> 50) % 3},
					 .write = (seed >> 60) % 3 == 0,
					 .counts = count_owned,
					 .gap = count_gap,
					 .context = &found,
					 .keeps_gaps = keeps_gaps};
		c.to.end = c.to.begin + (seed >> 32) % (OWNED_BYTES + 1 - c.to.begin);
		c.to.use = c.write ? OWNER_WRITTEN : OWNER_READ;
		cr_assert(owner_map_change(&all, &m, &c));
		change_bytes(byte, known, &c, &expected);
		cr_assert_arr_eq(&found, &expected, sizeof found);
		cr_assert_leq(all.ranges, OWNED_BYTES);
		if (i % 16 == 0)
			check_ranges(&all, &m, byte, known);
	}
	owner_maps_free(&all);
}

Test(analyze, owners_of_ranges_are_those_of_their_bytes)
{
	check_owners(false);
}

Test(analyze, owners_of_a_part_are_known_from_the_first_write_on)
{
	check_owners(true);
}

Test(analyze, owners_have_a_limit)
{
	struct owner_maps all = {.nodes = NULL};
	struct owner_map m = {.root = 0};
	for (uint64_t i = 0; !all.limited && i <= OWNER_RANGES_MAX; i++) {
		struct owner_change c = {.to = {.begin = 2 * i, .end = 2 * i + 1}};
		cr_assert(owner_map_change(&all, &m, &c));
	}
	cr_assert(all.limited);
	cr_assert_eq(all.ranges, OWNER_RANGES_MAX + 1);
	owner_maps_free(&all);
}

/* Tables */

Test(analyze, few_values_become_many)
{
	struct few f = {.many = false};
	for (uint64_t i = 0; i < FEW_MAX; i++)
		cr_assert(few_add(&f, i, i + 1));
	struct few_value largest[2];
	few_largest(&f, largest);
	cr_assert_eq(largest[0].count, FEW_MAX);
	cr_assert_eq(largest[1].count, FEW_MAX - 1);
	cr_assert_eq(largest[1].value, FEW_MAX - 2);
	cr_assert(!f.many);
	cr_assert(few_add(&f, FEW_MAX, 1));
	cr_assert(f.many);
	cr_assert(few_add(&f, 0, 1));
	cr_assert_null(few_at(&f, 0));
	few_free(&f);
}

Test(analyze, common_values_beyond_the_limit_are_a_sample_with_exact_counts)
{
	enum { VALUES = COMMON_MAX + 5 };
	static struct common c;
	struct common_value top[COMMON_TOP];
	uint64_t sum = 0;
	for (uint64_t i = 0; i < VALUES; i++)
		cr_assert(common_add(&c, i, i == 77 ? 9 : 1));
	cr_assert(common_add(&c, 4096, 7));
	for (size_t i = 0; i < c.map.count; i++)
		sum += c.counts[i];
	cr_assert_leq(c.map.count, COMMON_MAX);
	cr_assert_geq(c.map.count, COMMON_MAX / 8);
	cr_assert_eq(sum + c.other, VALUES + 8 + 7);
	cr_assert_eq(common_top(&c, false, top), COMMON_TOP);
	cr_assert_eq(top[0].value, 77);
	cr_assert_eq(top[1].value, 4096);
	cr_assert_eq(top[1].count, 8);
	common_free(&c);
}

static void add_common_values(struct common *c, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		cr_assert(common_add(c, i * 0x9e3779b97f4a7c15U, i % 3 + 1));
}

Test(analyze, sample_of_common_values_does_not_depend_on_parts)
{
	enum { VALUES = 5 * COMMON_MAX };
	static struct common whole, part[3];
	add_common_values(&whole, 0, VALUES);
	add_common_values(&part[0], 0, 100);
	add_common_values(&part[1], 50, COMMON_MAX + 100);
	add_common_values(&part[2], COMMON_MAX + 100, VALUES);
	add_common_values(&whole, 50, 100);
	cr_assert(common_join(&part[0], &part[2]));
	cr_assert(common_join(&part[0], &part[1]));
	cr_assert_eq(part[0].other, whole.other);
	cr_assert_eq(part[0].level, whole.level);
	cr_assert_eq(part[0].map.count, whole.map.count);
	for (size_t i = 0; i < whole.map.count; i++) {
		const size_t k = idmap_find(&part[0].map, whole.map.keys[i]);
		cr_assert_neq(k, SIZE_MAX);
		cr_assert_eq(part[0].counts[k], whole.counts[i]);
	}
	common_free(&whole);
	for (size_t i = 0; i < 3; i++)
		common_free(&part[i]);
}

/* Traces */

static struct iot_analyze *new_analysis_of(const struct iot_analyze_options *options)
{
	struct iot_analyze *a = iot_analyze_new(options);
	cr_assert_not_null(a);
	return a;
}

static struct iot_analyze *new_analysis(void)
{
	return new_analysis_of(
	    &(struct iot_analyze_options){.size = sizeof(struct iot_analyze_options)});
}

static void add(struct iot_analyze *a, uint32_t file, uint64_t offset, uint64_t length)
{
	const struct iot_event ev = {.kind = IOT_RECORD,
				     .rec = {.type = IOT_LOGICAL,
					     .process = 1,
					     .file = file,
					     .offset = offset,
					     .length = length}};
	cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
}

static void add_text(struct iot_analyze *a, const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
}

static uint64_t number(const struct iot_analyze *a, const char *section, const char *name,
		       const char *key)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, section, name, key);
	cr_assert_not_null(v, "%s %s", name, key != NULL ? key : "");
	cr_assert_eq(v->kind, IOT_VALUE_NUMBER);
	return v->number;
}

static void expect_pattern(const uint64_t *offsets, size_t n, uint64_t length, const char *pattern)
{
	struct iot_analyze *a = new_analysis();
	for (size_t i = 0; i < n; i++)
		add(a, 1, offsets[i], length);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(number(a, "order", "read_pattern_requests", pattern), n, "%s", pattern);
	iot_analyze_free(a);
}

Test(analyze, patterns_of_streams)
{
	expect_pattern((const uint64_t[]){0, 10, 20}, 3, 10, "short");
	expect_pattern((const uint64_t[]){0, 10, 20, 30, 99}, 5, 10, "contiguous");
	expect_pattern((const uint64_t[]){0, 30, 60, 90, 120, 0}, 6, 10, "simple strided");
	expect_pattern((const uint64_t[]){0, 10, 50, 60, 100, 110, 150}, 7, 10, "nested strided");
	expect_pattern((const uint64_t[]){0, 11, 23, 36, 50, 65, 81}, 7, 10, "sequential");
	expect_pattern((const uint64_t[]){0, 70, 20, 90, 10, 65, 3}, 7, 10, "random");
}

Test(analyze, a_stream_of_many_strides_never_steps_back)
{
	uint64_t offsets[200];
	for (uint64_t i = 0; i < 200; i++)
		offsets[i] = i * i + 10 * i;
	expect_pattern(offsets, 200, 10, "sequential");
	offsets[150] = 0;
	expect_pattern(offsets, 200, 10, "random");
}

Test(analyze, close_ends_a_stream)
{
	struct iot_analyze *a = new_analysis();
	add(a, 1, 0, 10);
	add(a, 1, 10, 10);
	add_text(a, "%op name=close time=0 process=1 file=1 result=0");
	add(a, 1, 20, 10);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(number(a, "order", "read_followers", NULL), 1);
	cr_assert_eq(number(a, "order", "read_pattern_streams", "short"), 2);
	cr_assert_eq(number(a, "totals", "files", NULL), 1);
	cr_assert_eq(iot_analyze_events(a, NULL, 0), IOT_EUSAGE);
	cr_assert_eq(iot_analyze_finish(a), IOT_EUSAGE);
	iot_analyze_free(a);
}

Test(analyze, the_lowest_layer_counts)
{
	struct iot_analyze *a = new_analysis();
	add_text(a, "%file process=1 id=1 object=1 layer=mpiio");
	add_text(a, "%file process=1 id=2 object=1 layer=posix");
	add(a, 1, 0, 100);
	add(a, 2, 0, 60);
	add(a, 2, 60, 40);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(number(a, "totals", "requests", NULL), 2);
	cr_assert_eq(number(a, "trace", "left_out", NULL), 1);
	iot_analyze_free(a);
}

Test(analyze, threads_belong_to_their_process)
{
	struct iot_analyze *a = new_analysis();
	add_text(a, "%process id=2 thread-of=1");
	add_text(a, "%process id=3 thread-of=1");
	add_text(a, "%op name=stat time=0 process=2");
	add_text(a, "%op name=stat time=0 process=3");
	add(a, 1, 0, 1);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(number(a, "trace", "processes", NULL), 1);
	iot_analyze_free(a);
}

/* Over time */

enum { SECOND = 1000000000 };

Test(analyze, bins_begin_where_the_previous_one_ends)
{
	for (int k = -10; k <= CELLS_K; k++)
		for (int64_t bin = 1; bin < 1000; bin += 7) {
			const uint64_t start = cells_start(bin * 1001, k);
			cr_assert_eq(cells_bin(start, k), bin * 1001);
			cr_assert_eq(cells_bin(start - 1, k), bin * 1001 - 1);
		}
}

struct request {
	int64_t start_ns, end_ns;
	uint64_t length;
};

static struct request request_at(uint64_t start_ns, uint64_t duration_ns, uint64_t length)
{
	return (struct request){(int64_t)start_ns, (int64_t)(start_ns + duration_ns), length};
}

/* The last REQUESTS_MAX requests of all spans, which are reads at offset 0. */
static struct io_span span_of(const struct request *list, size_t n, uint32_t process)
{
	static struct io_columns c;
	static size_t used;
	const size_t from = used + n <= REQUESTS_MAX ? used : 0;
	struct io_span s = {.process = process,
			    .pair = process,
			    .offset = c.offset + from,
			    .length = c.length + from,
			    .start_ns = c.start_ns + from,
			    .end_ns = c.end_ns + from,
			    .write = c.write + from,
			    .count = (uint32_t)n};
	for (size_t i = 0; i < n; i++) {
		c.length[from + i] = list[i].length;
		c.start_ns[from + i] = list[i].start_ns;
		c.end_ns[from + i] = list[i].end_ns;
	}
	used = from + n;
	span_sum(&s);
	return s;
}

#define SPANS(span) (&(struct io_spans){&(span), 1, NULL})

static uint64_t bytes_of_bin(const struct cells *c, int64_t bin)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < c->row_capacity; i++)
		for (size_t j = 0; j < c->rows[i].count; j++)
			if (c->rows[i].cell[j].bin == bin)
				bytes += c->rows[i].cell[j].bytes[0];
	return bytes;
}

Test(analyze, cells_do_not_depend_on_the_order)
{
	enum { REQUESTS = 500 };
	struct request list[REQUESTS], reversed[REQUESTS];
	struct cells a = {.coarser = 0}, b = {.coarser = 0};
	struct io_span spans[REQUESTS];
	for (uint64_t i = 0; i < REQUESTS; i++) {
		list[i] = request_at(i * i * 12345677, i % 3 * 1234567890, 1000 + i);
		reversed[REQUESTS - 1 - i] = list[i];
	}
	for (size_t i = 0; i < REQUESTS; i++)
		spans[i] = span_of(&list[i], 1, (uint32_t)(i % 3));
	cr_assert(cells_add(&a, &(struct io_spans){spans, REQUESTS, NULL}, 7));
	b.many = b.started = true; /* none is deferred */
	for (size_t i = 0; i < REQUESTS; i++) {
		const struct io_span s =
		    span_of(&reversed[i], 1, (uint32_t)((REQUESTS - 1 - i) % 3));
		cr_assert(cells_add(&b, SPANS(s), 7));
	}
	cr_assert(cells_settle(&a) && cells_settle(&b));
	cr_assert_eq(a.coarser, b.coarser);
	cr_assert_gt(a.coarser, 0);
	cr_assert_eq(cells_count(&a), cells_count(&b));
	for (int64_t bin = a.first_bin; bin <= a.last_bin; bin++)
		cr_assert_eq(bytes_of_bin(&a, bin), bytes_of_bin(&b, bin));
	cells_free(&a);
	cells_free(&b);
}

Test(analyze, cells_that_were_read_take_further_requests)
{
	struct cells c = {.coarser = 0}, again = {.coarser = 0};
	const struct request list[] = {request_at(0, 10, 1),
				       request_at(SECOND, 1000 * (uint64_t)SECOND, 7)};
	const struct io_span first = span_of(list, 1, 0), second = span_of(list + 1, 1, 1);
	cr_assert(cells_add(&c, SPANS(first), 0) && cells_settle(&c));
	cr_assert(cells_add(&c, SPANS(second), 0) && cells_settle(&c));
	cr_assert(cells_add(&again, SPANS(first), 0) && cells_add(&again, SPANS(second), 0));
	cr_assert(cells_settle(&again));
	cr_assert_eq(c.coarser, again.coarser);
	cr_assert_eq(cells_count(&c), cells_count(&again));
	cr_assert_eq(c.deferred_count, 2);
	cells_free(&c);
	cells_free(&again);
}

Test(analyze, bytes_are_apportioned)
{
	struct cells c = {.coarser = CELLS_K};
	const struct request q = request_at(SECOND / 2, 2 * (uint64_t)SECOND, 1001);
	const struct io_span s = span_of(&q, 1, 0);
	cr_assert(cells_add(&c, SPANS(s), 0) && cells_settle(&c));
	cr_assert_eq(bytes_of_bin(&c, 0), 250);
	cr_assert_eq(bytes_of_bin(&c, 1), 500);
	cr_assert_eq(bytes_of_bin(&c, 2), 251);
	cells_free(&c);
}

Test(analyze, time_in_io_is_a_union)
{
	struct busy b = {.processes = NULL};
	const struct request list[] = {request_at(0, 10, 1), request_at(5, 10, 1),
				       request_at(7, 1, 1), request_at(20, 5, 1)};
	const struct io_span first = span_of(list, 3, 0), second = span_of(list + 3, 1, 0);
	cr_assert(busy_add(&b, SPANS(first)));
	cr_assert(busy_add_op(&b, 0, 12, 10));
	cr_assert(busy_add(&b, SPANS(second)));
	cr_assert_eq(busy_sum(&b, BUSY_READ), 20);
	cr_assert_eq(busy_sum(&b, BUSY_METADATA), 10);
	cr_assert_eq(busy_sum(&b, BUSY_IO), 20);
	cr_assert_eq(busy_max(&b, BUSY_ALL), 25);
	busy_free(&b);
}

static double real(const struct iot_analyze *a, const char *section, const char *name,
		   const char *key)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, section, name, key);
	cr_assert_not_null(v, "%s", name);
	cr_assert_eq(v->kind, IOT_VALUE_REAL);
	return v->real;
}

/* 30 s of I/O by process 1 every 120 s; process 2 joins in the first 15 of these. */
Test(analyze, intensity_and_burstiness)
{
	struct iot_analyze *a = new_analysis();
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL, .file = 1, .length = 2 << 20}};
	for (int64_t s = 0; s < 480; s++) {
		ev.rec.start_ns = s * SECOND;
		ev.rec.process = 1;
		if (s % 120 < 30)
			cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
		ev.rec.process = 2;
		if (s % 120 < 15)
			cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
	}
	add_text(a, "%op name=sync time=479000000000 took=1000000000 process=1");
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(number(a, "time", "bins", NULL), 480);
	cr_assert(fabs(real(a, "time", "intensity", "1048576") - 0.25) < 1e-12);
	cr_assert(fabs(real(a, "time", "burstiness", "1048576") - (1 - tanh(1.0 / 3))) < 1e-12);
	cr_assert(fabs(real(a, "time", "parallel_intensity", "1048576") - 0.75) < 1e-12);
	cr_assert(fabs(real(a, "time", "parallel_intensity_normalised", "1048576") - 0.5) < 1e-12);
	cr_assert(fabs(real(a, "time", "dominating_type", "none") - 0.75) < 1e-12);
	cr_assert(fabs(real(a, "time", "bytes_per_s_max", NULL) - (4 << 20)) < 1e-6);
	cr_assert_eq(number(a, "time", "operation_time_ns", NULL), SECOND);
	iot_analyze_free(a);
}

/* The intensity of 30 s of I/O every 120 s, ten times, in a job that begins at any time. */
static double intensity_at(uint64_t interval_s, uint64_t job_start_ns, uint64_t runtime_s)
{
	struct iot_analyze *a = new_analysis_of(
	    &(struct iot_analyze_options){.size = sizeof(struct iot_analyze_options),
					  .interval_ns = interval_s * SECOND,
					  .runtime_ns = runtime_s * SECOND});
	char text[256];
	snprintf(text, sizeof text, "%%trace epoch=%ju job-start=%ju.%09ju job-end=%ju.%09ju",
		 (uintmax_t)job_start_ns, (uintmax_t)(job_start_ns / SECOND),
		 (uintmax_t)(job_start_ns % SECOND), (uintmax_t)(job_start_ns / SECOND + 1200),
		 (uintmax_t)(job_start_ns % SECOND));
	if (job_start_ns != 0)
		add_text(a, text);
	struct iot_event ev = {
	    .kind = IOT_RECORD,
	    .rec = {.type = IOT_LOGICAL, .file = 1, .process = 1, .length = 8 << 20}};
	for (int64_t s = 0; s < 1200; s++) {
		ev.rec.start_ns = s * SECOND;
		if (s % 120 < 30)
			cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
	}
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	const double intensity = real(a, "time", "intensity", "1048576");
	iot_analyze_free(a);
	return intensity;
}

Test(analyze, bins_begin_with_the_run_at_any_time_of_day)
{
	for (uint64_t i = 0; i < 20; i++) {
		const uint64_t start = 1600000000123456789 + i * 7919 * SECOND + i * 87654321;
		cr_assert_eq(intensity_at(30, start, 0), 0.25, "%ju", (uintmax_t)start);
		cr_assert_eq(intensity_at(60, start, 0), 0.5, "%ju", (uintmax_t)start);
		cr_assert_eq(intensity_at(120, start, 0), 1, "%ju", (uintmax_t)start);
	}
}

Test(analyze, bins_cover_the_run_time)
{
	cr_assert_eq(intensity_at(30, 0, 1200), 0.25);
	cr_assert_eq(intensity_at(30, 0, 2400), 0.125);
	cr_assert_gt(intensity_at(30, 0, 1), 0.25); /* the trace is longer, and ends with I/O */
}

/* 16 MiB by one of four processes in each second. */
Test(analyze, processes_in_turn_are_not_parallel)
{
	struct iot_analyze *a = new_analysis();
	struct iot_event ev = {.kind = IOT_RECORD,
			       .rec = {.type = IOT_LOGICAL, .file = 1, .length = 16 << 20}};
	for (int64_t s = 0; s < 40; s++) {
		ev.rec.start_ns = s * SECOND;
		ev.rec.process = 1 + (uint32_t)(s % 4);
		cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
	}
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(real(a, "map", "3.1", "parallel_normalised"), 0);
	cr_assert_eq(real(a, "time", "parallel_intensity", "1048576"), 0.25);
	iot_analyze_free(a);
}

static void add_of(struct iot_analyze *a, uint32_t process, uint64_t offset, uint64_t duration_ns)
{
	const struct iot_event ev = {.kind = IOT_RECORD,
				     .rec = {.type = IOT_LOGICAL,
					     .process = process,
					     .file = 1,
					     .object = 7,
					     .offset = offset,
					     .length = 100,
					     .duration_ns = duration_ns}};
	cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
}

/* A run of a second gets bins of which there are at least 20; one of an instant cannot. */
Test(analyze, bins_of_short_runs_are_narrow)
{
	struct iot_analyze *a = new_analysis(), *instant = new_analysis();
	add_of(a, 1, 0, SECOND);
	add_of(instant, 1, 0, 0);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_finish(instant), IOT_OK);
	cr_assert_eq(number(a, "time", "bins", NULL), 32);
	cr_assert_eq(real(a, "time", "bin_width_s", NULL), 1.0 / 32);
	cr_assert_eq(real(instant, "time", "bin_width_s", NULL), 1);
	iot_analyze_free(a);
	iot_analyze_free(instant);
}

Test(analyze, lists_of_values_add_up)
{
	enum { VALUES = 1000 };
	static struct histogram one, list;
	uint64_t values[VALUES];
	for (uint64_t i = 0; i < VALUES; i++)
		values[i] = i % 400 == 399 ? UINT64_MAX - i : i * i * i;
	for (size_t i = 0; i < VALUES; i++)
		histogram_add(&one, values[i]);
	histogram_add_list(&list, values, 700);
	histogram_add_list(&list, values + 700, VALUES - 700);
	histogram_add_list(&list, values, 0);
	cr_assert_eq(memcmp(&one, &list, sizeof one), 0);
}

Test(analyze, outstanding_requests)
{
	struct concurrency c = {.count = 0};
	const struct request list[] = {request_at(0, 10, 1), request_at(2, 2, 1),
				       request_at(3, 1, 1),  request_at(3, 0, 1),
				       request_at(20, 5, 1), request_at(15, 7, 1)};
	const struct io_span s[] = {span_of(list, 1, 0), span_of(list + 1, 5, 0)};
	cr_assert(concurrency_add(&c, SPANS(s[0]), SPANS(s[0])) &&
		  concurrency_add(&c, SPANS(s[1]), SPANS(s[1])));
	concurrency_end(&c);
	cr_assert_eq(c.ns[1], 2 + 6 + 5 - 2); /* the last one counts from the latest start on */
	cr_assert_eq(c.ns[2], 1 + 2);
	cr_assert_eq(c.ns[3], 1);
	cr_assert_eq(c.max, 3);
	cr_assert_eq(c.in_flight_ns, 25);
	cr_assert_eq(c.any.busy_ns, 15);
	cr_assert_eq(c.any.gaps.count, 1);
	cr_assert_eq(c.any.gaps.max, 10);
	concurrency_free(&c);
}

Test(analyze, requests_are_outstanding_until_many_later_ones_have_begun)
{
	enum { MORE = 5 };
	struct concurrency c = {.count = 0};
	for (uint64_t i = 0; i < OUTSTANDING_MAX + MORE; i++) {
		const struct request q = request_at(i, i < MORE ? SECOND - i % 3 : 1, 1);
		const struct io_span s = span_of(&q, 1, 0);
		cr_assert(concurrency_add(&c, SPANS(s), SPANS(s)));
	}
	concurrency_end(&c);
	cr_assert_eq(c.max, MORE + 1);
	cr_assert_eq(c.shortened, MORE);
	cr_assert_eq(c.any.busy_ns, OUTSTANDING_MAX + MORE);
	cr_assert_eq(c.ns[1], 2); /* of the first and the last request */
	concurrency_free(&c);
}

Test(analyze, times_between_requests)
{
	static struct arrival a;
	const struct request list[] = {request_at(0, 10, 1), request_at(4, 2, 1),
				       request_at(9, 1, 1), request_at(8, 5, 1)};
	struct io_span spans[] = {span_of(&list[0], 1, 0), span_of(&list[1], 1, 1),
				  span_of(&list[2], 1, 1), span_of(&list[3], 1, 0)};
	const struct io_id ids[] = {{.file = 0}};
	const uint16_t id = 0;
	spans[2].flags = IOT_DURATION_UNKNOWN;
	for (size_t i = 0; i < 4; i++)
		spans[i].id = &id;
	const struct io_span by_process[] = {spans[0], spans[3], spans[1], spans[2]};
	const struct io_spans grouped = {by_process, 4, ids};
	cr_assert(arrival_add(&a, &(struct io_spans){spans, 4, ids}, &grouped, &grouped));
	arrival_settle(&a);
	cr_assert_eq(a.in_trace.sum, 4 + 5 + 0);
	cr_assert_eq(a.in_process.sum, 8 + 5);
	cr_assert_eq(a.in_file.count, 3);
	cr_assert_eq(a.think.count, 1);
	cr_assert_eq(a.think.sum, 3);
	arrival_free(&a);
}

static void check_sums(const struct io_span *s)
{
	struct io_sums of[2] = {{.count = 0}};
	uint64_t low = UINT64_MAX, extent = 0;
	bool disjoint = true, same_length = true;
	for (size_t i = 0; i < s->count; i++) {
		const uint64_t end = saturate_add(s->offset[i], s->length[i]);
		of[s->write[i]].count++;
		of[s->write[i]].bytes = saturate_add(of[s->write[i]].bytes, s->length[i]);
		of[s->write[i]].duration_ns += (uint64_t)(s->end_ns[i] - s->start_ns[i]);
		low = s->offset[i] < low ? s->offset[i] : low;
		extent = end > extent ? end : extent;
		disjoint &=
		    s->end_ns[i] > s->start_ns[i] && (i == 0 || s->start_ns[i] >= s->end_ns[i - 1]);
		same_length &= s->length[i] == s->length[0];
	}
	cr_assert_eq(memcmp(of, s->of, sizeof of), 0);
	cr_assert_eq(s->disjoint, disjoint);
	cr_assert_eq(s->same_length, same_length);
	cr_assert_eq(s->low, low);
	cr_assert_eq(s->extent, extent);
}

/* Of few and many requests, with lengths and offsets that are and are not large. */
Test(analyze, sums_of_a_span)
{
	static struct io_columns c;
	uint64_t random = 1;
	for (uint32_t count = 1; count < 300; count++) {
		int64_t ns = 0;
		for (uint32_t i = 0; i < count; i++) {
			random = random * 6364136223846793005U + 1442695040888963407U;
			ns += count % 3 == 0 && random >> 60 == 0 ? -1 : 1;
			c.start_ns[i] = ns;
			c.end_ns[i] = ns += count % 3 == 1 && random >> 60 == 1 ? 0 : 5;
			c.length[i] = count % 2 == 0 ? 4096 : random >> (count % 5 == 1 ? 0 : 40);
			c.offset[i] = random << 1 >> (count % 7 == 1 ? 0 : 20);
			c.write[i] = random >> 50 & 1;
		}
		struct io_span s = {.offset = c.offset,
				    .length = c.length,
				    .start_ns = c.start_ns,
				    .end_ns = c.end_ns,
				    .write = c.write,
				    .count = count};
		span_sum(&s);
		check_sums(&s);
		const bool disjoint = s.disjoint;
		span_sum_times(&s);
		cr_assert_eq(s.disjoint, disjoint);
	}
}

/* 2 s of I/O every 10 s, in bins of 1 s, and of 10 s, which all have I/O. */
Test(analyze, bursts_and_idle_periods)
{
	for (unsigned interval = 1; interval <= 10; interval += 9) {
		const struct iot_analyze_options options = {
		    .size = sizeof options, .interval_ns = (uint64_t)interval * SECOND};
		struct iot_analyze *a = iot_analyze_new(&options);
		struct iot_event ev = {.kind = IOT_RECORD,
				       .rec = {.type = IOT_LOGICAL,
					       .process = 1,
					       .file = 1,
					       .duration_ns = 2 * (uint64_t)SECOND,
					       .length = 1000}};
		for (int64_t s = 0; s < 100; s += 10) {
			ev.rec.start_ns = s * SECOND;
			cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
		}
		add_text(a, "%op name=stat time=95000000000 process=1");
		cr_assert_eq(iot_analyze_finish(a), IOT_OK);
		cr_assert_eq(number(a, "time", "bursts", NULL), 10);
		cr_assert(fabs(real(a, "time", "burst_byte_share", NULL) - 1) < 1e-12);
		cr_assert_eq(number(a, "time", "idle_gap_ns", "sum"), 9 * 8 * (uint64_t)SECOND);
		cr_assert_eq(number(a, "time", "bins", NULL), interval == 1 ? 96 : 10);
		cr_assert_eq(number(a, "time", "idle_without_io", "bins"), interval == 1 ? 75 : 0);
		cr_assert_eq(number(a, "time", "idle_below_5", "n"), interval == 1 ? 10 : 0);
		cr_assert_eq(number(a, "time", "inter_arrival_ns", "min"), 10 * (uint64_t)SECOND);
		cr_assert_eq(number(a, "time", "think_time_ns", "max"), 8 * (uint64_t)SECOND);
		iot_analyze_free(a);
	}
}

/* Operations */

Test(analyze, operations_by_name)
{
	struct iot_analyze *a = new_analysis();
	add(a, 1, 0, 100);
	add_text(a, "%op name=open time=0 took=5000 process=1 file=1");
	add_text(a, "%op name=open time=9 took=7000 process=1 result=ENOENT");
	add_text(a, "%op name=mkdir result=0");
	add_text(a, "%op name=lseek");
	add_text(a, "%op name=lseek");
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(number(a, "metadata", "operations", NULL), 5);
	cr_assert_eq(number(a, "metadata", "failed_operations", NULL), 1);
	cr_assert_eq(number(a, "metadata", "calls", "open"), 2);
	cr_assert_eq(number(a, "metadata", "failed", "open"), 1);
	cr_assert_eq(number(a, "metadata", "errors", "ENOENT"), 1);
	cr_assert_eq(number(a, "metadata", "operation_ns", "open"), 12000);
	cr_assert_eq(number(a, "metadata", "operation_min_ns", "open"), 5000);
	cr_assert_eq(number(a, "metadata", "operation_max_ns", "open"), 7000);
	cr_assert_eq(iot_analyze_find(a, "metadata", "operation_ns", "lseek")->kind,
		     IOT_VALUE_UNKNOWN);
	cr_assert_eq(number(a, "metadata", "opens", NULL), 1);
	cr_assert_eq(number(a, "metadata", "directory_operations", NULL), 1);
	cr_assert(fabs(real(a, "metadata", "seeks_per_request", NULL) - 2) < 1e-12);
	iot_analyze_free(a);
}

/* Failed calls of op<from>, op<from + 1>, ... */
static void add_operations(struct metadata *m, unsigned from, unsigned n)
{
	char text[64];
	for (unsigned i = from; i < from + n; i++) {
		snprintf(text, sizeof text, "%%op name=op%u result=E%u", i, i);
		struct iot_event ev = {.text = {text, strlen(text)}};
		cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
		const struct op op = operation_of(&ev);
		metadata_add(m, &op);
	}
}

Test(analyze, names_of_operations_are_limited)
{
	static struct metadata m;
	add_operations(&m, 0, METADATA_MAX + 5);
	add_operations(&m, 0, 1);
	cr_assert_eq(m.names.count, METADATA_MAX);
	cr_assert_eq(m.names.other, 5);
	cr_assert_eq(m.results.other, 5);
	cr_assert_eq(m.names.of[0].calls, 2);
	cr_assert_eq(m.all.calls, METADATA_MAX + 6);
}

Test(analyze, operations_of_parts_add_up)
{
	static struct metadata whole, m, part;
	add_operations(&whole, 0, 50);
	add_operations(&whole, 30, 50);
	add_operations(&m, 0, 50);
	add_operations(&part, 30, 50);
	metadata_join(&m, &part);
	cr_assert_eq(memcmp(&whole, &m, sizeof m), 0);
}

Test(analyze, names_that_remain_do_not_depend_on_parts)
{
	static struct metadata whole, m, part, last;
	add_operations(&whole, 40, 50);
	add_operations(&whole, 20, METADATA_MAX + 1);
	add_operations(&whole, 0, 90);
	add_operations(&m, 40, 50);
	add_operations(&part, 20, METADATA_MAX + 1);
	add_operations(&last, 0, 90);
	metadata_join(&part, &last);
	metadata_join(&m, &part);
	cr_assert_eq(m.names.count, METADATA_MAX);
	cr_assert_eq(memcmp(&whole, &m, sizeof m), 0);
}

/* Repetition */

static struct iot_analyze *repeat(uint64_t period, unsigned rounds)
{
	struct iot_analyze *a = new_analysis();
	for (unsigned round = 0; round < rounds; round++)
		for (uint64_t i = 0; i < period; i++)
			add(a, 1, i * 100, 100);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	return a;
}

Test(analyze, requests_repeat_after_a_constant_number)
{
	struct iot_analyze *a = repeat(1000, 3);
	cr_assert_eq(number(a, "order", "repetition", "tokens"), 3000);
	cr_assert_eq(number(a, "order", "repetition", "covered"), 2000);
	cr_assert_eq(number(a, "order", "repetition", "lag"), 1000);
	cr_assert_eq(number(a, "order", "repetition", "repetitive"), 1);
	cr_assert_null(iot_analyze_find(a, "order", "repetition", "tokens")->note);
	iot_analyze_free(a);
}

Test(analyze, lengths_that_differ_in_the_highest_bit_do_not_repeat)
{
	struct iot_analyze *a = new_analysis();
	add(a, 1, 0, 1);
	add(a, 1, 0, (UINT64_C(1) << 63) + 1);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(number(a, "order", "repetition", "covered"), 0);
	iot_analyze_free(a);
}

Test(analyze, many_requests_that_repeat_are_sampled)
{
	struct iot_analyze *a = repeat(50000, 3);
	const uint64_t tokens = number(a, "order", "repetition", "tokens");
	cr_assert(tokens < 150000 / 2 && tokens > 150000 / 8, "%ju", (uintmax_t)tokens);
	cr_assert_eq(number(a, "order", "repetition", "covered") * 3, tokens * 2);
	cr_assert_eq(number(a, "order", "repetition", "lag"), 50000);
	cr_assert_not_null(iot_analyze_find(a, "order", "repetition", "tokens")->note);
	iot_analyze_free(a);
}

/* Rows */

static const struct iot_analyze_value *row_value(const struct iot_analyze_row *row,
						 const char *name)
{
	for (size_t i = 0; i < row->count; i++)
		if (strcmp(row->values[i].name, name) == 0)
			return &row->values[i];
	cr_assert_fail("%s", name);
	return NULL;
}

static bool is_text(struct iot_text text, const char *expected)
{
	return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

Test(analyze, a_shared_file_has_a_row)
{
	struct iot_analyze *a = new_analysis();
	struct iot_analyze_row row;
	add_text(a, "%file process=1 id=1 object=7 path=/a%20b");
	add_text(a, "%op name=open process=1 file=1 result=0");
	add_of(a, 1, 0, 10);
	add_of(a, 2, 100, 30);
	add_of(a, 1, 200, 10);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_rows(a, IOT_ANALYZE_BY_FILE), 1);
	cr_assert_eq(iot_analyze_row(a, 0, &row), IOT_OK);
	cr_assert(is_text(row.key, "object/7"));
	cr_assert(is_text(row_value(&row, "path")->text, "/a%20b"));
	cr_assert(is_text(row_value(&row, "layout")->text, "overlapping"));
	cr_assert_eq(row_value(&row, "processes")->number, 2);
	cr_assert_eq(row_value(&row, "opens")->number, 1);
	cr_assert_eq(row_value(&row, "extent")->number, 300);
	/* both requests of process 1 start at time zero: 10 ns of 40 */
	cr_assert(fabs(row_value(&row, "stragglers")->real - 0.5) < 1e-9);
	cr_assert_eq(iot_analyze_row(a, 1, &row), IOT_EUSAGE);
	cr_assert_eq(iot_analyze_rows(a, IOT_ANALYZE_BY_PROCESS), 2);
	cr_assert_eq(iot_analyze_row(a, 0, &row), IOT_OK);
	cr_assert(is_text(row.key, "1"));
	cr_assert_eq(row_value(&row, "host")->kind, IOT_VALUE_UNKNOWN);
	cr_assert_eq(number(a, "files", "class_files", "shared"), 1);
	iot_analyze_free(a);
}

static struct iot_analyze *new_part(void)
{
	const struct iot_analyze_options options = {.size = sizeof options, .part = 1};
	struct iot_analyze *a = iot_analyze_new(&options);
	cr_assert_not_null(a);
	return a;
}

Test(analyze, an_operation_of_a_part_belongs_to_the_file_of_an_earlier_one)
{
	struct iot_analyze *a = new_analysis(), *part = new_part();
	struct iot_analyze_row row;
	add_text(a, "%file process=1 id=1 object=7 path=/a");
	add_of(a, 1, 0, 10);
	add_text(part, "%op name=close process=1 file=1 time=50 took=5 result=0");
	cr_assert_eq(iot_analyze_join(a, part), IOT_OK);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_rows(a, IOT_ANALYZE_BY_FILE), 1);
	cr_assert_eq(iot_analyze_row(a, 0, &row), IOT_OK);
	cr_assert_eq(row_value(&row, "closes")->number, 1);
	cr_assert_eq(row_value(&row, "operation_time_ns")->number, 5);
	cr_assert_eq(row_value(&row, "last_ns")->number, 55);
	iot_analyze_free(a);
}

Test(analyze, bins_over_time_divide_bytes_and_name_processes)
{
	struct iot_analyze *a = new_analysis_of(&(struct iot_analyze_options){
	    .size = sizeof(struct iot_analyze_options), .interval_ns = SECOND});
	struct iot_analyze_timeline t;
	cr_assert_eq(iot_analyze_timeline(a, 0, &t), IOT_EUSAGE);
	add_of(a, 5, 0, 2000000000);
	add_of(a, 9, 100, 1000000000);
	add_text(a, "%op name=open process=5 time=1000000000 took=5 result=0");
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_timeline(a, 0, &t), IOT_OK);
	cr_assert_eq(t.count, 2);
	cr_assert_eq(t.width_s, 1);
	cr_assert_eq(t.begin_s, 0);
	cr_assert_eq(t.end_s, 2);
	cr_assert_eq(t.bins[0].bytes[0], 150);
	cr_assert_eq(t.bins[1].bytes[0], 50);
	cr_assert_eq(t.bins[0].requests[0], 2);
	cr_assert_eq(t.bins[0].in_flight_ns, 2000000000);
	cr_assert_eq(t.bins[1].operations, 1);
	cr_assert_eq(t.cell_count, 3);
	cr_assert_eq(t.cells[0].process, 5);
	cr_assert_eq(t.cells[1].bin, 1);
	cr_assert_eq(t.cells[1].bytes[0], 50);
	cr_assert_eq(t.cells[2].process, 9);
	cr_assert_eq(t.burst_count, iot_analyze_find(a, "time", "bursts", NULL)->number);
	cr_assert_gt(t.burst_count, 0);
	for (size_t i = 1; i < t.burst_count; i++)
		cr_assert(t.burst_s[i] > t.burst_s[i - 1] && t.burst_s[i] < 2);
	cr_assert_eq(iot_analyze_timeline(a, 64, &t), IOT_OK);
	cr_assert_eq(t.count, 64);
	cr_assert_eq(t.width_s, 1. / 32);
	iot_analyze_free(a);
}

Test(analyze, no_bins_without_times)
{
	struct iot_analyze *a = new_analysis();
	struct iot_analyze_timeline t;
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_timeline(a, 64, &t), IOT_OK);
	cr_assert_eq(t.count, 0);
	iot_analyze_free(a);
}

static struct iot_analyze *new_offsets(uint32_t part)
{
	const struct iot_analyze_options options = {
	    .size = sizeof options, .part = part, .offsets = 1};
	struct iot_analyze *a = iot_analyze_new(&options);
	cr_assert_not_null(a);
	return a;
}

static void add_at(struct iot_analyze *a, uint32_t object, int64_t start_ns, uint64_t offset,
		   uint64_t length)
{
	const struct iot_event ev = {
	    .kind = IOT_RECORD,
	    .rec = {.type = IOT_LOGICAL | (start_ns % 3 == 0 ? IOT_WRITE : 0),
		    .process = 1,
		    .file = object,
		    .object = object,
		    .start_ns = start_ns,
		    .offset = offset,
		    .length = length}};
	cr_assert_eq(iot_analyze_events(a, &ev, 1), IOT_OK);
}

Test(analyze, bytes_by_time_and_offset)
{
	struct iot_analyze *a = new_offsets(0);
	struct iot_analyze_offsets o;
	cr_assert_eq(iot_analyze_offsets(a, 0, &o), IOT_EUSAGE);
	add_at(a, 1, 1, 10, 5);
	add_at(a, 2, 1000000000, 250, 10); /* in two blocks of 8 bytes */
	add_at(a, 2, 2000000000, 0, 2);
	add_at(a, 2, 2000000001, 510, 2);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_offsets(a, 0, &o), IOT_OK);
	cr_assert(is_text(o.key, "object/2"));
	cr_assert_eq(o.block_bytes, 8);
	cr_assert_eq(o.width_s, 1. / 32);
	cr_assert_eq(o.bins, 65);
	cr_assert_eq(o.count, 4);
	cr_assert_eq(o.cells[0].bin, 32);
	cr_assert_eq(o.cells[0].block, 31);
	cr_assert_eq(o.cells[0].bytes[0], 6);
	cr_assert_eq(o.cells[1].block, 32);
	cr_assert_eq(o.cells[1].bytes[0], 4);
	cr_assert_eq(o.cells[2].bin, 64);
	cr_assert_eq(o.cells[2].block, 0);
	cr_assert_eq(o.cells[3].block, 63);
	cr_assert_eq(o.cells[3].bytes[1], 2);
	cr_assert_eq(iot_analyze_offsets(a, 1, &o), IOT_OK);
	cr_assert(is_text(o.key, "object/1"));
	cr_assert_eq(o.block_bytes, 1);
	cr_assert_eq(o.count, 5);
	cr_assert_eq(iot_analyze_offsets(a, 2, &o), IOT_EUSAGE);
	iot_analyze_free(a);
}

Test(analyze, joined_parts_have_the_bytes_by_time_and_offset_of_the_whole)
{
	enum { N = 3000 };
	struct iot_analyze *whole = new_offsets(0), *a = new_offsets(0), *part = new_offsets(1);
	struct iot_analyze_offsets of_whole, o;
	uint64_t random = 1;
	for (unsigned i = 0; i < N; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		const uint64_t offset = (random >> 33) % (1000 + (uint64_t)i * i);
		const uint32_t object = 1 + (uint32_t)(random >> 60) % 3;
		add_at(whole, object, (int64_t)i * i * 1000, offset, random >> 54);
		add_at(i < 1000 ? a : part, object, (int64_t)i * i * 1000, offset, random >> 54);
	}
	cr_assert_eq(iot_analyze_join(a, part), IOT_OK);
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_finish(whole), IOT_OK);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(iot_analyze_offsets(whole, i, &of_whole), IOT_OK);
		cr_assert_eq(iot_analyze_offsets(a, i, &o), IOT_OK);
		cr_assert_eq(o.block_bytes, of_whole.block_bytes);
		cr_assert_eq(o.width_s, of_whole.width_s);
		cr_assert_eq(o.begin_s, of_whole.begin_s);
		cr_assert_eq(o.count, of_whole.count);
		cr_assert_arr_eq(o.cells, of_whole.cells, o.count * sizeof *o.cells);
	}
	iot_analyze_free(a);
	iot_analyze_free(whole);
}

/* Request i of many files over a time that grows, so that bins become wider. */
static void add_of_many(struct iot_analyze *a, unsigned i, uint32_t files)
{
	add_at(a, 1 + i * 7919U % files, (int64_t)i * i, i % 1000, 1 + i % 97);
}

static struct iot_analyze *new_of_many(unsigned from, unsigned to, uint32_t files)
{
	struct iot_analyze *a = new_offsets(from > 0);
	for (unsigned i = from; i < to; i++)
		add_of_many(a, i, files);
	return a;
}

static size_t assert_same_maps(struct iot_analyze *a, struct iot_analyze *b)
{
	struct iot_analyze_offsets o, other;
	size_t i = 0;
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_finish(b), IOT_OK);
	for (; iot_analyze_offsets(a, i, &o) == IOT_OK; i += 100) {
		cr_assert_eq(iot_analyze_offsets(b, i, &other), IOT_OK);
		cr_assert_eq(strncmp(o.key.data, other.key.data, o.key.size), 0);
		cr_assert_eq(o.sampled, other.sampled);
		cr_assert_eq(o.count, other.count);
		cr_assert_arr_eq(o.cells, other.cells, o.count * sizeof *o.cells);
	}
	cr_assert_eq(iot_analyze_offsets(b, i, &other), IOT_EUSAGE);
	return i;
}

Test(analyze, a_sample_of_many_files_keeps_its_offsets_however_the_trace_is_cut)
{
	enum { FILES = 20000, N = 60000 };
	struct iot_analyze *whole = new_of_many(0, N, FILES), *a = new_of_many(0, 9000, FILES),
			   *b = new_of_many(9000, 50000, FILES), *c = new_of_many(50000, N, FILES);
	struct iot_analyze_offsets o;
	cr_assert_eq(iot_analyze_join(b, c), IOT_OK);
	cr_assert_eq(iot_analyze_join(a, b), IOT_OK);
	const size_t kept = assert_same_maps(whole, a);
	cr_assert(kept > 8000 && kept < 12000, "%zu", kept);
	cr_assert_eq(iot_analyze_offsets(whole, 0, &o), IOT_OK);
	cr_assert_eq(o.sampled, 1);
	iot_analyze_free(a);
	iot_analyze_free(whole);
}

Test(analyze, of_few_requests_all_files_keep_their_offsets)
{
	enum { FILES = 20000 };
	struct iot_analyze *a = new_of_many(0, FILES, FILES);
	struct iot_analyze_offsets o;
	cr_assert_eq(iot_analyze_finish(a), IOT_OK);
	cr_assert_eq(iot_analyze_offsets(a, FILES - 1, &o), IOT_OK);
	cr_assert_eq(o.sampled, 0);
	iot_analyze_free(a);
}

Test(analyze, invalid_options)
{
	struct iot_analyze_options options = {.size = sizeof options, .alignment = 1000};
	cr_assert_null(iot_analyze_new(&options));
	options.alignment = 0;
	options.sections = 0x80000000;
	cr_assert_null(iot_analyze_new(&options));
}
