/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Analyzes any trace: the values do not depend on how the events were divided among calls, shares
 * are shares, sums are sums, and twice the trace, as traces of one job, has twice the requests.
 *
 * The first byte of an input is options: bit 0 physical, 1-2 layer, 3 threads are processes, 4
 * recover.
 */
#include <math.h>

#include <iotrace/analyze.h>

#include "fuzz.h"

enum { EVENTS = 64, MEMORY_MAX = 16 << 20 };

static struct iot_reader *open_reader(const uint8_t *data, size_t size, unsigned how)
{
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_RECOVER, (how & 16) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, MEMORY_MAX) == IOT_OK);
	FUZZ_CHECK(iot_reader_open_memory(r, data, size, "fuzz") == IOT_OK);
	return r;
}

static struct iot_analyze *add(const uint8_t *data, size_t size, unsigned how, size_t batch)
{
	const struct iot_analyze_options options = {.size = sizeof options,
						    .physical = how & 1,
						    .layer = (how >> 1 & 3) % 3,
						    .per_thread = how >> 3 & 1};
	struct iot_analyze *a = iot_analyze_new(&options);
	struct iot_reader *r = open_reader(data, size, how);
	struct iot_event ev[EVENTS];
	ssize_t n;
	FUZZ_CHECK(a != NULL);
	while ((n = iot_reader_events(r, ev, batch)) > 0)
		FUZZ_CHECK(iot_analyze_events(a, ev, (size_t)n) == IOT_OK);
	iot_reader_free(r);
	return a;
}

static struct iot_analyze *analyze(const uint8_t *data, size_t size, unsigned how, size_t batch)
{
	struct iot_analyze *a = add(data, size, how, batch);
	FUZZ_CHECK(iot_analyze_finish(a) == IOT_OK);
	return a;
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static void check_value(const struct iot_analyze_value *v)
{
	static const char *const shares[] = {
	    "p_",          "small_",       "aligned_",       "variable_", "common_share_",
	    "sequential_", "consecutive_", "forward_",       "backward_", "strided_",
	    "intensity",   "burstiness",   "dominating_type"};
	FUZZ_CHECK(v->kind != IOT_VALUE_UNKNOWN || v->note != NULL);
	FUZZ_CHECK(v->kind != IOT_VALUE_REAL || isfinite(v->real));
	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
		FUZZ_CHECK(v->kind != IOT_VALUE_REAL || !begins(v->name, shares[i]) ||
			   (v->real >= 0 && v->real <= 1));
}

static uint64_t number(const struct iot_analyze *a, const char *section, const char *name)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, section, name, NULL);
	FUZZ_CHECK(v != NULL && v->kind == IOT_VALUE_NUMBER);
	return v->number;
}

/* The sum of the values of a name. */
static uint64_t sum(const struct iot_analyze *a, const char *name)
{
	const struct iot_analyze_value *v;
	uint64_t n = 0;
	for (size_t i = 0; (v = iot_analyze_value(a, i)) != NULL; i++)
		n += strcmp(v->name, name) == 0 ? v->number : 0;
	return n;
}

/* Figures from counters have no requests that sizes and patterns could count. */
static void check_sums(const struct iot_analyze *a)
{
	if (iot_analyze_find(a, "totals", "requests", NULL)->note != NULL)
		return;
	const uint64_t reads = number(a, "totals", "reads"), writes = number(a, "totals", "writes");
	FUZZ_CHECK(number(a, "totals", "requests") == reads + writes);
	FUZZ_CHECK(sum(a, "read_size_bins") == reads && sum(a, "write_size_bins") == writes);
	FUZZ_CHECK(sum(a, "read_size_log2") == reads && sum(a, "write_size_classes") == writes);
	FUZZ_CHECK(sum(a, "read_size_zero_bits") == reads);
	FUZZ_CHECK(sum(a, "read_pattern_requests") ==
		   reads - number(a, "totals", "read_unknown_offsets"));
	FUZZ_CHECK(sum(a, "write_pattern_requests") ==
		   writes - number(a, "totals", "write_unknown_offsets"));
}

static void check_same(const struct iot_analyze *a, const struct iot_analyze *b)
{
	const struct iot_analyze_value *v, *w;
	for (size_t i = 0; (v = iot_analyze_value(a, i)) != NULL; i++) {
		w = iot_analyze_value(b, i);
		FUZZ_CHECK(w != NULL && strcmp(v->name, w->name) == 0);
		FUZZ_CHECK(strcmp(v->key, w->key) == 0 && v->kind == w->kind);
		FUZZ_CHECK(v->number == w->number &&
			   memcmp(&v->real, &w->real, sizeof v->real) == 0);
		check_value(v);
	}
}

/* Processes without host and rank are distinct. */
static void check_twice(const struct iot_analyze *once, const uint8_t *data, size_t size,
			unsigned how)
{
	struct iot_analyze *a = add(data, size, how, EVENTS), *b = add(data, size, how, EVENTS);
	const int joined = iot_analyze_join_trace(a, b);
	FUZZ_CHECK(joined == IOT_OK || joined == IOT_ELIMIT);
	if (joined == IOT_OK) {
		FUZZ_CHECK(iot_analyze_finish(a) == IOT_OK);
		FUZZ_CHECK(number(a, "totals", "requests") ==
			   2 * number(once, "totals", "requests"));
		check_sums(a);
	}
	iot_analyze_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct iot_analyze *a = analyze(data + 1, size - 1, data[0], EVENTS),
			   *b = analyze(data + 1, size - 1, data[0], 3);
	check_sums(a);
	check_same(a, b);
	check_twice(a, data + 1, size - 1, data[0]);
	iot_analyze_free(a);
	iot_analyze_free(b);
	return 0;
}
