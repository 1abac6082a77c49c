/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader with IOT_SET_RECOVER: repeated bytes, frames that reach the end, and input built to be
 * slow.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "trace_tools.h"

enum { RECORDS = 300, SYNC = 50 };

static const struct how recover = {.recover = true};

static struct bytes trace(enum iot_compression how)
{
	return sample(RECORDS, (struct make){.compression = how, .sync = SYNC});
}

/* Start of interval n in the stored bytes: at a %sync, frame or member. */
static size_t interval_at(struct bytes b, enum iot_compression how, unsigned n)
{
	static const char *const begins[] = {
	    [IOT_PLAIN] = "ff %sync", [IOT_GZIP] = "\x1f\x8b\x08", [IOT_ZSTD] = "\x28\xb5\x2f\xfd"};
	const size_t size = strlen(begins[how]);
	const char *p = b.data;
	if (n == 0)
		return 0;
	for (unsigned i = how == IOT_PLAIN ? 1 : 0; p != NULL; i++) {
		p = memmem(p, b.size - (size_t)(p - b.data), begins[how], size);
		if (p == NULL || i == n)
			break;
		p++;
	}
	cr_assert_not_null(p, "interval %u", n);
	return (size_t)(p - b.data);
}

/* The bytes with [from, to) there twice. */
static struct bytes doubled(struct bytes b, size_t from, size_t to)
{
	struct bytes d = {malloc(b.size + to - from + 1), b.size + to - from};
	memcpy(d.data, b.data, to);
	memcpy(d.data + to, b.data + from, b.size - from);
	d.data[d.size] = '\0';
	return d;
}

static void drop_lost(struct bytes *text)
{
	char *p;
	while ((p = strstr(text->data, "%lost ")) != NULL) {
		const char *lf = strchr(p, '\n');
		memmove(p, lf + 1, strlen(lf + 1) + 1);
	}
	text->size = strlen(text->data);
}

static void expect_once(struct bytes d, const struct reading *whole, uint64_t threads)
{
	struct iot_reader *r = new_reader(&recover);
	cr_assert_eq(iot_reader_set(r, IOT_SET_THREADS, threads), IOT_OK);
	struct reading got = drain(r, iot_reader_open_memory(r, d.data, d.size, "t.iot"), &recover);
	cr_assert_eq(got.status, IOT_OK, "%s", got.error);
	cr_assert_eq(got.records, RECORDS, "%d records", (int)got.records);
	cr_assert_eq(got.lost, 1);
	cr_assert_eq(got.lost_records, 0);
	drop_lost(&got.text);
	cr_assert_str_eq(got.text.data, whole->text.data);
	free_reading(&got);
}

Test(recovery, an_interval_that_is_there_twice_is_delivered_once)
{
	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct bytes b = trace(how);
		struct reading whole = read_bytes(b.data, b.size, recover);
		for (unsigned n = 0; n < RECORDS / SYNC - 1; n++) {
			struct bytes d =
			    doubled(b, interval_at(b, how, n), interval_at(b, how, n + 1));
			expect_once(d, &whole, 1);
			expect_once(d, &whole, 3);
			free(d.data);
		}
		free_reading(&whole);
		free(b.data);
	}
}

Test(recovery, several_intervals_that_are_there_twice_are_delivered_once)
{
	struct bytes b = trace(IOT_ZSTD);
	struct reading whole = read_bytes(b.data, b.size, recover);
	struct bytes d = doubled(b, interval_at(b, IOT_ZSTD, 1), interval_at(b, IOT_ZSTD, 4));
	expect_once(d, &whole, 1);
	free(d.data);
	free_reading(&whole);
	free(b.data);
}

/* Every line of `whole` is in `text`, in the same order. */
static bool has_all(const char *text, const char *whole)
{
	for (const char *lf; (lf = strchr(whole, '\n')) != NULL; whole = lf + 1) {
		char line[300];
		snprintf(line, sizeof(line), "%.*s", (int)(lf + 1 - whole), whole);
		text = strstr(text, line);
		if (text == NULL)
			return false;
		text += strlen(line);
	}
	return true;
}

Test(recovery, lines_that_are_there_twice_do_not_cost_the_interval_after_them)
{
	const struct how how = {.recover = true, .records_only = true, .no_cpu = true};
	struct bytes b = trace(IOT_PLAIN);
	struct reading whole = read_bytes(b.data, b.size, how);
	size_t from = interval_at(b, IOT_PLAIN, 2) - 200;
	from += strcspn(b.data + from, "\n") + 1;
	struct bytes d = doubled(b, from, from + strcspn(b.data + from, "\n") + 1);
	struct reading got = read_bytes(d.data, d.size, how);
	cr_assert_eq(got.status, IOT_OK, "%s", got.error);
	cr_assert_eq(got.lost, 1);
	cr_assert_eq(got.records, RECORDS + 1);
	const char *intact = strstr(whole.text.data, "0 1000000+");
	cr_assert_not_null(intact);
	cr_assert(has_all(got.text.data, intact));
	free(d.data);
	free_reading(&got);
	free_reading(&whole);
	free(b.data);
}

/* Frame n says of its first block that it is longer than all that follows. */
static void make_endless(struct bytes b, enum iot_compression how, unsigned n)
{
	char *p = b.data + interval_at(b, how, n);
	if (how == IOT_GZIP) {
		memcpy(p + 10, "\x00\xff\xff\x00\x00", 5); /* stored */
		return;
	}
	cr_assert_eq(p[4] & 0xf3, 0, "a frame header of 6 bytes");
	memcpy(p + 6, "\xf0\xff\x07", 3); /* raw, 65534 bytes */
}

Test(recovery, frame_that_runs_into_the_end_costs_its_interval_alone)
{
	static const size_t read_sizes[] = {0, 100};
	for (unsigned i = 0; i < 4; i++) {
		const enum iot_compression how = i % 2 ? IOT_GZIP : IOT_ZSTD;
		struct bytes b = trace(how);
		make_endless(b, how, 2);
		struct reading plain = read_bytes(b.data, b.size, (struct how){.recover = false});
		cr_assert_lt(plain.status, 0);
		struct reading got = read_bytes(
		    b.data, b.size, (struct how){.recover = true, .read_size = read_sizes[i / 2]});
		cr_assert_eq(got.status, IOT_OK, "%s", got.error);
		cr_assert_eq(got.records, RECORDS - SYNC, "%d", (int)got.records);
		cr_assert_eq(got.lost_records, SYNC);
		free_reading(&plain);
		free_reading(&got);
		free(b.data);
	}
}

Test(recovery, a_trace_cut_short_is_still_reported_as_such)
{
	struct bytes b = trace(IOT_ZSTD);
	struct reading got = read_bytes(b.data, b.size - 40, recover);
	cr_assert_eq(got.status, IOT_ETRUNCATED, "%s", got.error);
	cr_assert_not_null(strstr(got.text.data, "why=cut%20short"), "%s", got.text.data);
	free_reading(&got);
	free(b.data);
}

/* A trace, followed by the same bytes again and again. */
static struct bytes followed_by(enum iot_compression how, const char *unit, size_t unit_size,
				size_t total)
{
	struct bytes b = trace(how);
	b.data = realloc(b.data, b.size + total + unit_size);
	for (const size_t end = b.size + total; b.size < end; b.size += unit_size)
		memcpy(b.data + b.size, unit, unit_size);
	return b;
}

static void read_hostile(struct bytes b)
{
	struct iot_reader *r = new_reader(&recover);
	cr_assert_eq(iot_reader_set(r, IOT_SET_READ_AHEAD, 1), IOT_OK);
	cr_assert_eq(iot_reader_set(r, IOT_SET_THREADS, 2), IOT_OK);
	struct reading got = drain(r, iot_reader_open_memory(r, b.data, b.size, "t.iot"), &recover);
	cr_assert_lt(got.status, 0);
	cr_assert_eq(got.records, RECORDS);
	free_reading(&got);
	free(b.data);
}

Test(recovery, what_only_looks_like_frames_costs_little, .timeout = 300)
{
	read_hostile(followed_by(IOT_ZSTD, "\x28\xb5\x2f\xfd\x00\x48", 6, 1 << 20));
	read_hostile(followed_by(IOT_GZIP, "\x1f\x8b\x08\x00", 4, 1 << 20));
}

Test(recovery, frames_that_cover_one_another_cost_little, .timeout = 300)
{
	/* each begins with a block that covers the thousands that follow, and fails after it */
	static const char member[] =
	    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\xff";
	static const char frame[] =
	    "\x28\xb5\x2f\xfd\x00\x58\xe8\x1f\x00\x00\x00\x00\x00\x00\x00\x00"; /* raw, 1021 */
	read_hostile(followed_by(IOT_GZIP, member, 15, 4 << 20));
	read_hostile(followed_by(IOT_ZSTD, frame, 16, 4 << 20));
}

/* `size` bytes of blank lines of 4096 bytes, and then a record. */
struct blanks {
	size_t left;
	bool reported;
};

static ssize_t read_blanks(void *context, void *to, size_t size)
{
	static const char record[] = "c0 22 0 8 0 1f4 3 7 0\n";
	struct blanks *s = context;
	size_t n = size < s->left ? size : s->left;
	if (n == 0 && !s->reported) {
		s->reported = true;
		memcpy(to, record, sizeof(record) - 1);
		return sizeof(record) - 1;
	}
	memset(to, ' ', n);
	for (size_t i = s->left % 4096; n > 0 && i < n; i += 4096)
		((char *)to)[i] = '\n';
	if (n > 0 && n == s->left)
		((char *)to)[n - 1] = '\n';
	s->left -= n;
	return (ssize_t)n;
}

static struct reading read_after_blanks(size_t size, struct how how)
{
	struct blanks blanks = {.left = size};
	struct iot_reader *r = new_reader(&how);
	return drain(r, iot_reader_open_callback(r, read_blanks, &blanks, "t.iot"), &how);
}

Test(recovery, blank_lines_have_a_limit)
{
	struct reading got = read_after_blanks(1 << 26, (struct how){.base = 16});
	cr_assert_eq(got.status, IOT_OK, "%s", got.error);
	cr_assert_eq(got.records, 1);
	free_reading(&got);
	for (unsigned i = 0; i < 2; i++) {
		got = read_after_blanks((1 << 26) + 1, (struct how){.base = 16, .recover = i == 1});
		cr_assert_eq(got.status, IOT_ELIMIT, "%d %s", got.status, got.error);
		cr_assert_not_null(strstr(got.error, "more than 64 MiB of consecutive blank lines"),
				   "%s", got.error);
		free_reading(&got);
	}
}
