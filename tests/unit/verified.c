/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verified reading: the events delivered from a damaged trace are a part of those written, and
 * depend neither on how the text is read nor on how much of it is held in memory.
 */
#include <criterion/criterion.h>

#include "trace_tools.h"

enum { RECORDS = 60 };

/* A way to read a trace. */
struct way {
	uint64_t read_size, held, threads;
	bool piped;
};

static const struct way ways[] = {
    {0, 0, 1, false}, {17, 0, 1, false},  {0, 50, 1, false}, {100, 300, 1, false},
    {0, 0, 1, true},  {33, 100, 1, true}, {64, 0, 3, false}, {64, 200, 2, false},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

struct pipe {
	struct bytes bytes;
	size_t at, max;
};

static ssize_t read_pipe(void *context, void *to, size_t size)
{
	struct pipe *p = context;
	size_t n = p->bytes.size - p->at;
	n = n < size ? n : size;
	n = n < p->max ? n : p->max;
	memcpy(to, p->bytes.data + p->at, n);
	p->at += n;
	return (ssize_t)n;
}

static struct reading read_verified(struct bytes b, const struct way *way, struct how how)
{
	struct pipe pipe = {b, 0, way->read_size > 0 ? way->read_size : SIZE_MAX};
	how.read_size = way->read_size;
	struct iot_reader *r = new_reader(&how);
	cr_assert_eq(iot_reader_set(r, IOT_SET_VERIFIED, 1), IOT_OK);
	cr_assert_eq(iot_reader_set(r, IOT_SET_THREADS, way->threads), IOT_OK);
	if (way->held > 0)
		cr_assert_eq(iot_reader_set(r, IOT_SET_LIMIT_HELD, way->held), IOT_OK);
	const int status = way->piped ? iot_reader_open_callback(r, read_pipe, &pipe, "t.iot")
				      : iot_reader_open_memory(r, b.data, b.size, "t.iot");
	return drain(r, status, &how);
}

/* The record lines of `part` are in `whole`, in that order. CPU clocks are 0 in both. */
static void check_part(const char *part, const char *whole, const char *what)
{
	while (*part != '\0') {
		const size_t n = strcspn(part, "\n") + 1;
		const char *at = whole;
		while (*at != '\0' && strncmp(at, part, n) != 0)
			at += strcspn(at, "\n") + 1;
		cr_assert(*at != '\0', "%s: not written: %.*s", what, (int)n, part);
		whole = at + n;
		part += n;
	}
}

static uint64_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005 + 1442695040888963407;
	return *x >> 33;
}

static void flip(struct bytes b, uint64_t *random, unsigned bits)
{
	for (; bits > 0; bits--)
		b.data[next_random(random) % b.size] ^= (char)(1 << next_random(random) % 8);
}

static void compare(const struct reading *a, const struct reading *b, const char *what)
{
	cr_assert_eq(a->status, b->status, "%s: %s; %s", what, a->error, b->error);
	cr_assert_str_eq(a->text.data, b->text.data, "%s", what);
	cr_assert_eq(a->records, b->records, "%s", what);
	cr_assert_eq(a->lost_records, b->lost_records, "%s", what);
}

/* A trace with flipped bits is read in each of the ways. */
static void check_damaged(struct bytes whole, unsigned bits, uint64_t seed, const char *expected)
{
	struct bytes b = {malloc(whole.size), whole.size};
	struct reading first = {.status = 0};
	char what[80];
	for (size_t i = 0; i < 2 * WAYS; i++) {
		const struct how how = {.records_only = true, .no_cpu = true, .recover = i >= WAYS};
		uint64_t random = seed;
		memcpy(b.data, whole.data, b.size);
		flip(b, &random, bits);
		struct reading got = read_verified(b, &ways[i % WAYS], how);
		snprintf(what, sizeof(what), "seed %d, way %d", (int)seed, (int)i);
		check_part(got.text.data, expected, what);
		if (i % WAYS != 0) {
			compare(&first, &got, what);
			free_reading(&got);
			continue;
		}
		if (i > 0)
			free_reading(&first);
		first = got;
	}
	free_reading(&first);
	free(b.data);
}

static const struct make makes[] = {
    {.sync = 7},
    {.sync = 1, .base = 10},
    {.sync = 0},
    {.sync = 20, .compression = IOT_ZSTD},
    {.sync = 30, .tick_ns = 4000},
    {.sync = 9, .compression = IOT_GZIP, .tick_ns = 7},
};

Test(verified, nothing_that_was_not_written_is_delivered, .timeout = 120)
{
	for (size_t m = 0; m < sizeof(makes) / sizeof(makes[0]); m++) {
		struct bytes whole = sample(RECORDS, makes[m]);
		const struct how how = {.records_only = true, .no_cpu = true};
		struct reading all = read_bytes(whole.data, whole.size, how);
		cr_assert_eq(all.records, RECORDS);
		for (uint64_t seed = 1; seed <= 150; seed++)
			check_damaged(whole, 1 + (unsigned)(seed % 3), seed, all.text.data);
		free_reading(&all);
		free(whole.data);
	}
}

Test(verified, all_of_an_intact_trace_is_delivered)
{
	for (size_t m = 0; m < sizeof(makes) / sizeof(makes[0]); m++) {
		struct bytes b = sample(RECORDS, makes[m]);
		struct reading all = read_bytes(b.data, b.size, (struct how){.batch = 5});
		for (size_t i = 0; i < WAYS; i++) {
			struct reading got = read_verified(b, &ways[i], (struct how){.batch = 5});
			cr_assert_eq(got.status, IOT_OK, "%s", got.error);
			compare(&all, &got, "intact");
			free_reading(&got);
		}
		free_reading(&all);
		free(b.data);
	}
}

Test(verified, a_trace_cut_short_ends_with_its_last_sync)
{
	struct bytes b = sample(RECORDS, (struct make){.sync = 7});
	for (size_t size = 100; size < b.size; size += 13) {
		struct bytes cut = {b.data, size};
		struct reading got =
		    read_verified(cut, &ways[size % WAYS], (struct how){.base = 16});
		cr_assert_eq(got.records % 7, 0);
		cr_assert_eq(got.status, IOT_ETRUNCATED, "%zu: %s", size, got.error);
		free_reading(&got);
	}
	free(b.data);
}

/* After damage in the first interval, a tick other than a power of ten may be wrong. */
Test(verified, the_tick_of_a_damaged_interval_has_to_be_certain)
{
	for (unsigned i = 0; i < 4; i++) {
		struct bytes b =
		    sample(RECORDS, (struct make){.sync = 7, .tick_ns = i < 2 ? 3000 : 1000});
		const struct how how = {.recover = true, .tick_ns = i % 2 ? 3000 : 0};
		char *first = strstr(b.data, "name=one");
		cr_assert_not_null(first);
		first[5] ^= 1;
		struct reading got = read_verified(b, &ways[0], how);
		cr_assert_eq(got.status, i == 0 ? IOT_EFORMAT : IOT_OK, "%u %s", i, got.error);
		cr_assert_eq(got.records, i == 0 ? 0 : RECORDS - 7);
		cr_assert_eq(got.lost, i > 0);
		free_reading(&got);
		free(b.data);
	}
}

/* The time= of a %sync at which reading resumes is not covered by any hash. */
Test(verified, a_sync_that_states_another_time_opens_no_interval)
{
	struct bytes b = sample(RECORDS, (struct make){.sync = 7});
	char *damage = strstr(b.data, "name=one"), *time = strstr(b.data, "%sync time=");
	damage[5] ^= 1;
	time[strlen("%sync time=")] ^= 3;
	struct reading got = read_verified(b, &ways[0], (struct how){.recover = true, .base = 16});
	cr_assert_eq(got.records, RECORDS - 14);
	cr_assert_eq(got.lost_records, 14);
	free_reading(&got);
	free(b.data);
}

Test(verified, records_that_are_not_verified_are_counted)
{
	struct bytes b = sample(RECORDS, (struct make){.sync = 10});
	struct iot_record rec[RECORDS];
	char *end = strstr(b.data, "%end");
	for (unsigned i = 0; i < 2; i++) {
		struct iot_reader *r = iot_reader_new();
		ssize_t n, count = 0;
		cr_assert_eq(iot_reader_set(r, IOT_SET_VERIFIED, i), IOT_OK);
		const size_t size = (size_t)(end - b.data) - 100;
		cr_assert_eq(iot_reader_open_memory(r, b.data, size, "cut"), IOT_OK);
		while ((n = iot_reader_records(r, rec, RECORDS)) > 0)
			count += n;
		cr_assert_eq(n, IOT_ETRUNCATED);
		const uint64_t unverified = iot_reader_fact(r, IOT_FACT_UNVERIFIED);
		cr_assert(unverified > 0 && unverified < 10, "%d", (int)unverified);
		cr_assert_eq(count, i == 1 ? 50 : 50 + (ssize_t)unverified);
		iot_reader_free(r);
	}
	free(b.data);
}
