/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of traces, and states of their analyses: every interval in one part, and what is refused.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <iotrace/analyze.h>

enum { RECORDS = 1000, SYNC = 37 };

/* The text of a trace, which the writer owns. */
static const void *make_trace(struct iot_writer *w, enum iot_compression how, size_t *size)
{
	cr_assert_eq(iot_writer_set(w, IOT_SET_SYNC, SYNC), IOT_OK);
	cr_assert_eq(iot_writer_set(w, IOT_SET_COMPRESSION, how), IOT_OK);
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	for (unsigned i = 0; i < RECORDS; i++) {
		const struct iot_record rec = {.type = IOT_LOGICAL | (i % 3 == 0 ? IOT_WRITE : 0),
					       .process = i % 5,
					       .file = i % 2,
					       .offset = (uint64_t)i * 100,
					       .length = 100,
					       .start_ns = (int64_t)i * 1000000,
					       .duration_ns = 5000000,
					       .cpu_ns = (int64_t)i * 1000};
		cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
	}
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	return iot_writer_memory(w, size);
}

static struct iot_reader *open_part(const void *text, size_t size, uint64_t k, uint64_t n,
				    struct iot_part *part)
{
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_open_memory(r, text, size, "trace"), IOT_OK);
	cr_assert_eq(iot_reader_part(r, k, n, part), IOT_OK);
	return r;
}

static void check_parts(const void *text, size_t size, uint64_t n)
{
	uint64_t records = 0, end = 0, id = 0;
	for (uint64_t k = 1; k <= n; k++) {
		struct iot_part part;
		struct iot_record rec;
		struct iot_reader *r = open_part(text, size, k, n, &part);
		ssize_t got;
		cr_assert_eq(part.from, end);
		cr_assert_eq(part.stored, size);
		cr_assert(k == 1 || part.trace_id == id);
		for (; (got = iot_reader_records(r, &rec, 1)) == 1; records++)
			cr_assert_eq(rec.offset, records * 100);
		cr_assert_eq(got, 0);
		end = part.to;
		id = part.trace_id;
		iot_reader_free(r);
	}
	cr_assert_eq(end, size);
	cr_assert_eq(records, RECORDS);
}

Test(part, each_interval_is_in_one_part)
{
	for (int how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct iot_writer *w = iot_writer_new();
		size_t size;
		const void *text = make_trace(w, how, &size);
		for (uint64_t n = 1; n <= 8; n++)
			check_parts(text, size, n);
		check_parts(text, size, 100);
		iot_writer_free(w);
	}
}

Test(part, the_next_sync_is_compared)
{
	struct iot_writer *w = iot_writer_new();
	size_t size;
	const char *text = make_trace(w, IOT_PLAIN, &size);
	char *damaged = malloc(size), *sync;
	struct iot_part part;
	struct iot_record rec[RECORDS];
	ssize_t n;
	memcpy(damaged, text, size);
	struct iot_reader *r = open_part(damaged, size, 1, 2, &part);
	iot_reader_free(r);
	sync = memmem(damaged + part.to, size - part.to, "xxh3=", 5);
	sync[5] = sync[5] == '0' ? '1' : '0';
	r = open_part(damaged, size, 1, 2, &part);
	while ((n = iot_reader_records(r, rec, RECORDS)) > 0)
		;
	cr_assert_eq(n, IOT_EFORMAT);
	cr_assert(strstr(iot_reader_error(r), "does not match the next %sync") != NULL);
	iot_reader_free(r);
	free(damaged);
	iot_writer_free(w);
}

Test(part, misuse_is_refused)
{
	struct iot_writer *w = iot_writer_new();
	struct iot_reader *r = iot_reader_new();
	struct iot_part part;
	struct iot_record rec;
	size_t size;
	const void *text = make_trace(w, IOT_PLAIN, &size);
	cr_assert_eq(iot_reader_open_memory(r, text, size, "trace"), IOT_OK);
	cr_assert_eq(iot_reader_part(r, 0, 2, &part), IOT_EUSAGE);
	cr_assert_eq(iot_reader_part(r, 3, 2, &part), IOT_EUSAGE);
	cr_assert_eq(iot_reader_part(r, 1, 1000001, &part), IOT_EUSAGE);
	cr_assert_eq(iot_reader_records(r, &rec, 1), 1);
	cr_assert_eq(iot_reader_part(r, 1, 2, &part), IOT_EUSAGE);
	iot_reader_free(r);
	iot_writer_free(w);
}

/* Ranges: as parts, where a plan states them. */

static void compare_records(struct iot_reader *a, struct iot_reader *b)
{
	struct iot_record x, y;
	ssize_t got;
	while ((got = iot_reader_records(a, &x, 1)) == 1) {
		cr_assert_eq(iot_reader_records(b, &y, 1), 1);
		cr_assert_eq(memcmp(&x, &y, sizeof x), 0);
	}
	cr_assert_eq(got, 0, "%s", iot_reader_error(a));
	cr_assert_eq(iot_reader_records(b, &y, 1), 0, "%s", iot_reader_error(b));
}

struct some_bytes {
	const char *at, *end;
};

static ssize_t read_bytes(void *context, void *to, size_t size)
{
	struct some_bytes *b = context;
	const size_t left = (size_t)(b->end - b->at), n = left < size ? left : size;
	memcpy(to, b->at, n);
	b->at += n;
	return (ssize_t)n;
}

static void check_ranges(const char *text, size_t size, uint64_t n)
{
	struct iot_reader *finder = iot_reader_new();
	cr_assert_eq(iot_reader_open_memory(finder, text, size, "trace"), IOT_OK);
	for (uint64_t k = 1; k <= n; k++) {
		struct iot_range range;
		struct iot_part part;
		cr_assert_eq(iot_reader_find_range(finder, k, n, &range), IOT_OK);
		if (range.part.from == range.part.to)
			continue;
		struct iot_reader *whole = iot_reader_new(), *pipe = iot_reader_new();
		struct iot_reader *by_number = open_part(text, size, k, n, &part);
		struct some_bytes bytes = {text + range.part.from, text + range.part.to};
		cr_assert_eq(iot_reader_open_memory(whole, text, size, "trace"), IOT_OK);
		cr_assert_eq(iot_reader_set_range(whole, &range, 0), IOT_OK);
		compare_records(by_number, whole);
		iot_reader_free(by_number);
		by_number = open_part(text, size, k, n, &part);
		cr_assert_eq(iot_reader_open_callback(pipe, read_bytes, &bytes, "pipe"), IOT_OK);
		cr_assert_eq(iot_reader_set_range(pipe, &range, 1), IOT_OK, "%s",
			     iot_reader_error(pipe));
		compare_records(by_number, pipe);
		iot_reader_free(by_number);
		iot_reader_free(whole);
		iot_reader_free(pipe);
	}
	iot_reader_free(finder);
}

Test(part, a_range_is_read_alone_and_in_the_trace)
{
	for (int how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct iot_writer *w = iot_writer_new();
		size_t size;
		const void *text = make_trace(w, how, &size);
		for (uint64_t n = 1; n <= 8; n++)
			check_ranges(text, size, n);
		iot_writer_free(w);
	}
}

Test(part, a_range_of_another_trace_is_refused)
{
	struct iot_writer *w = iot_writer_new();
	struct iot_reader *finder = iot_reader_new();
	struct iot_range range;
	size_t size;
	const char *text = make_trace(w, IOT_PLAIN, &size);
	char *other = malloc(size + 1);
	memcpy(other, text, size);
	other[size] = '\n';
	cr_assert_eq(iot_reader_open_memory(finder, text, size, "trace"), IOT_OK);
	cr_assert_eq(iot_reader_find_range(finder, 2, 3, &range), IOT_OK);
	for (int change = 0; change < 4; change++) {
		struct iot_range wrong = range;
		struct iot_reader *r = iot_reader_new();
		wrong.part.trace_id += change == 1;
		wrong.record += change == 2;
		wrong.part.from += change == 3;
		cr_assert_eq(iot_reader_open_memory(r, other, size + (change == 0), "trace"),
			     IOT_OK);
		cr_assert_eq(iot_reader_set_range(r, &wrong, 0), IOT_EFORMAT);
		iot_reader_free(r);
	}
	iot_reader_free(finder);
	iot_writer_free(w);
	free(other);
}

/* States */

static struct iot_analyze *analyze(const void *text, size_t size, uint64_t k, uint64_t n)
{
	struct iot_part part;
	struct iot_event ev[64];
	struct iot_reader *r = open_part(text, size, k, n, &part);
	struct iot_analyze *a = iot_analyze_new(
	    &(struct iot_analyze_options){.size = sizeof(struct iot_analyze_options),
					  .part = k > 1,
					  .trace_id = part.trace_id,
					  .from = part.from,
					  .to = part.to,
					  .stored = part.stored});
	ssize_t got;
	while ((got = iot_reader_events(r, ev, 64)) > 0)
		cr_assert_eq(iot_analyze_events(a, ev, (size_t)got), IOT_OK);
	iot_reader_free(r);
	return a;
}

static struct iot_writer *save(struct iot_analyze *a)
{
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	cr_assert_eq(iot_analyze_save(a, w), IOT_OK);
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	return w;
}

Test(part, states_join_to_that_of_the_whole)
{
	struct iot_writer *w = iot_writer_new();
	size_t size, sizes[2];
	const void *text = make_trace(w, IOT_ZSTD, &size);
	struct iot_analyze *whole = analyze(text, size, 1, 1), *first = analyze(text, size, 1, 3),
			   *second = analyze(text, size, 2, 3), *third = analyze(text, size, 3, 3);
	cr_assert_eq(iot_analyze_join(second, third), IOT_OK);
	cr_assert_eq(iot_analyze_join(first, second), IOT_OK);
	struct iot_writer *of_whole = save(whole), *of_parts = save(first);
	const void *a = iot_writer_memory(of_whole, &sizes[0]),
		   *b = iot_writer_memory(of_parts, &sizes[1]);
	cr_assert(sizes[0] == sizes[1] && memcmp(a, b, sizes[0]) == 0);
	iot_writer_free(of_whole);
	iot_writer_free(of_parts);
	iot_analyze_free(whole);
	iot_analyze_free(first);
	iot_writer_free(w);
}

Test(part, only_neighbours_join)
{
	struct iot_writer *w = iot_writer_new();
	size_t size;
	const void *text = make_trace(w, IOT_PLAIN, &size);
	struct iot_analyze *first = analyze(text, size, 1, 3), *third = analyze(text, size, 3, 3);
	cr_assert_eq(iot_analyze_join(first, third), IOT_EUSAGE);
	cr_assert(strstr(iot_analyze_error(first), "neighbours") != NULL);
	cr_assert_eq(iot_analyze_join(third, first), IOT_EUSAGE);
	cr_assert_eq(iot_analyze_finish(first), IOT_OK);
	cr_assert_eq(iot_analyze_save(first, w), IOT_EUSAGE);
	iot_analyze_free(first);
	iot_analyze_free(third);
	iot_writer_free(w);
}
