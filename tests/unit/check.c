/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings in traces: damage, wherever it is, and irregularities. */
#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/verify/verify.h"

#include "trace_tools.h"

enum { PLACES = 8 };

/* Findings: the first positions, and the verdict. */
struct look {
	struct verdict verdict;
	struct intervals intervals;
	struct finding place[PLACES];
	char text[PLACES][256];
	size_t count;
};

static void found(void *context, const struct finding *f)
{
	struct look *l = context;
	if (l->count == PLACES)
		return;
	l->place[l->count] = *f;
	snprintf(l->text[l->count], sizeof(l->text[0]), "%s", f->text);
	l->count++;
}

static struct look look_at(const void *data, size_t size)
{
	struct look l = {0};
	struct error error;
	const struct verify_options options = {.found = found,
					       .context = &l,
					       .places = PLACES,
					       .lint = true,
					       .tick_ns = IOT_TICK_DEFAULT_NS,
					       .memory_max = (uint64_t)1 << 28,
					       .intervals = &l.intervals};
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, data, size), (ssize_t)size);
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	cr_expect_eq(verify_trace(fd, "t.iot", &options, &l.verdict, &error), IOT_OK, "%s",
		     error.text);
	close(fd);
	return l;
}

static struct look look_at_text(const char *text)
{
	return look_at(text, strlen(text));
}

static uint64_t errors(const struct look *l)
{
	uint64_t n = 0;
	for (int i = 0; i < VERIFY_ERRORS; i++)
		n += l->verdict.count[i];
	return n;
}

static uint64_t total(const struct look *l)
{
	uint64_t n = 0;
	for (int i = 0; i < FINDINGS; i++)
		n += l->verdict.count[i];
	return n;
}

static void expect_one(const char *text, enum finding_kind kind, uint64_t line, unsigned column)
{
	struct look l = look_at_text(text);
	cr_expect_eq(l.verdict.count[kind], 1, "%s: %lu of %s", text,
		     (unsigned long)l.verdict.count[kind], finding_name(kind));
	for (size_t i = 0; i < l.count; i++) {
		if (l.place[i].kind != kind)
			continue;
		cr_expect_eq(l.place[i].line, line, "%s: line %lu", text,
			     (unsigned long)l.place[i].line);
		cr_expect_eq(l.place[i].column, column, "%s: column %u", text, l.place[i].column);
	}
	intervals_free(&l.intervals);
}

Test(check, what_writers_make_is_fine)
{
	static const enum iot_compression how[] = {IOT_PLAIN, IOT_GZIP, IOT_ZSTD};
	for (size_t i = 0; i < 3; i++) {
		for (unsigned base = 10; base <= 16; base += 6) {
			const struct make make = {.compression = how[i], .sync = 7, .base = base};
			struct bytes t = sample(100, make);
			struct look l = look_at(t.data, t.size);
			cr_expect_eq(total(&l), 0, "%s", l.text[0]);
			cr_expect_eq(l.verdict.records, 100);
			cr_expect(l.verdict.ended);
			cr_expect_leq(l.intervals.count, 2);
			intervals_free(&l.intervals);
			free(t.data);
		}
	}
}

Test(check, every_oddity_has_its_place)
{
	expect_one("c0 20 0 8 0 1 1 1 0\n", IOT_WARN_HEADER, 1, 1);
	expect_one("ff %iotrace version=1 tick=1\n", IOT_WARN_END, 2, 1);
	expect_one("c0 20 0 8 9 1 1 1 0\nc0 2c 8 -1 1 1 0\n", IOT_WARN_TIME, 2, 9);
	expect_one("c4 20 0 8 0 1 1 1 0\n", IOT_WARN_BITS, 1, 1);
	expect_one("c0 20 0 8 0 9 1 1 0\nc0 ec 5 1 0\n", IOT_NOTE_OVERLAP, 2, 1);
	expect_one("c8 20 0 8 0 9 1 1 0\nc0 ec 5 1 0\nc0 ec 0 1 0\n", IOT_NOTE_OVERLAP, 3, 1);
	expect_one("ff %op name=%zz\n", IOT_WARN_PERCENT, 1, 13);
	expect_one("c0 20 0 8 0 1 1 1 0\nff %file process=1 id=1\n", IOT_WARN_LATE_FILE, 2, 4);
	expect_one("ff %process id=1\nff %process id=1\n", IOT_WARN_REPEAT, 2, 4);
	expect_one("c0 20 0 8 0 1 1 1 0\nC0 ec 1 1 0\n", IOT_WARN_SPELLING, 2, 1);
	expect_one("c0 20 0 8 0 1 1 1 0\nc0 ec  1 1 0\n", IOT_WARN_SPELLING, 2, 7);
	expect_one("ff one\r\n", IOT_WARN_SPELLING, 1, 1);
	expect_one("ff one\n\n", IOT_WARN_SPELLING, 2, 1);
	expect_one("ff one", IOT_WARN_SPELLING, 1, 7);
}

Test(check, every_error_has_its_place)
{
	expect_one("c0 20 0 8 0 1 1 1 0\nc0 ec 1 x 0\n", IOT_BAD_RECORD, 2, 9);
	expect_one("ff %file process=1\n", IOT_BAD_COMMENT, 1, 4);
	expect_one("ff %iotrace version=1 tick=0\n", IOT_BAD_FRAMING, 1, 4);
	expect_one("ff %iotrbce version=1 tick=1\n", IOT_BAD_FRAMING, 1, 1);
	expect_one("fg %iotrace version=1 tick=1\n", IOT_BAD_FRAMING, 1, 1);
	expect_one("ff %iotrace version=1 tick=1\nff %end records=0 comments=0 "
		   "xxh3=0000000000000000\n",
		   IOT_BAD_HASH, 2, 4);
	expect_one("ff %iotrace version=1 tick=1\nff cut", IOT_BAD_CUT, 2, 1);
	expect_one("ff %iotrace version=1 tick=1\nff %iotrace version=1 tick=1\n", IOT_BAD_TAIL, 2, 4);
}

static char *sync_of(char *text, size_t n)
{
	for (;;) {
		text = strstr(text, "ff %sync");
		if (n-- == 0)
			return text;
		text++;
	}
}

Test(check, each_damaged_interval_is_told_once)
{
	struct bytes t = sample(100, (struct make){.sync = 10});
	*(strstr(sync_of(t.data, 2), "\nc0") + 1) = 'x';
	*(strstr(sync_of(t.data, 5), "\nc0") + 1) = 'x';
	struct look l = look_at(t.data, t.size);
	cr_expect_eq(errors(&l), 2);
	cr_expect_eq(l.verdict.count[IOT_BAD_RECORD], 2);
	intervals_settle(&l.intervals, false);
	uint64_t kept = 0;
	for (size_t i = 0; i < l.intervals.count; i++)
		if (l.intervals.entry[i].disposition == DISPOSITION_KEPT)
			kept += l.intervals.entry[i].records;
	cr_expect_eq(kept, 80);
	intervals_free(&l.intervals);
	free(t.data);
}

/*
 * Whichever byte of a %sync line is damaged, the interval after it is kept, and usually the one
 * before it.
 */
Test(check, a_damaged_sync_costs_one_interval_at_most)
{
	struct bytes t = sample(60, (struct make){.sync = 10});
	char *sync = sync_of(t.data, 2);
	const size_t size = (size_t)(strchr(sync, '\n') + 1 - sync);
	for (size_t i = 0; i < size; i++) {
		const char was = sync[i];
		sync[i] ^= 0x11;
		struct look l = look_at(t.data, t.size);
		cr_expect_gt(errors(&l), 0, "byte %zu", i);
		intervals_settle(&l.intervals, false);
		uint64_t kept = 0;
		for (size_t k = 0; k < l.intervals.count; k++)
			if (l.intervals.entry[k].disposition == DISPOSITION_KEPT)
				kept += l.intervals.entry[k].records;
		cr_expect_geq(kept, 50, "byte %zu: %lu", i, (unsigned long)kept);
		intervals_free(&l.intervals);
		sync[i] = was;
	}
	free(t.data);
}

Test(check, damage_in_a_frame_is_found_and_left_behind)
{
	static const enum iot_compression how[] = {IOT_GZIP, IOT_ZSTD};
	for (size_t i = 0; i < 2; i++) {
		struct bytes t = sample(100, (struct make){.sync = 10, .compression = how[i]});
		for (size_t at = 0; at < t.size; at += 1 + t.size / 50) {
			t.data[at] ^= 0x55;
			struct look l = look_at(t.data, t.size);
			intervals_settle(&l.intervals, false);
			uint64_t kept = 0;
			for (size_t k = 0; k < l.intervals.count; k++)
				if (l.intervals.entry[k].disposition == DISPOSITION_KEPT)
					kept += l.intervals.entry[k].records;
			cr_expect_geq(kept, 90, "byte %zu of %zu: %lu", at, t.size,
				      (unsigned long)kept);
			cr_expect(errors(&l) > 0 || kept == 100, "byte %zu", at);
			intervals_free(&l.intervals);
			t.data[at] ^= 0x55;
		}
		free(t.data);
	}
}

Test(check, a_trace_behind_another_is_named)
{
	struct bytes t = sample(20, (struct make){.sync = 7});
	char *two = malloc(2 * t.size);
	cr_assert_not_null(two);
	memcpy(two, t.data, t.size);
	memcpy(two + t.size, t.data, t.size);
	struct look l = look_at(two, 2 * t.size);
	cr_expect_eq(l.verdict.count[IOT_BAD_TAIL], 1);
	cr_expect_gt(l.verdict.second_line, 20);
	cr_expect_eq(l.verdict.records, 20);
	intervals_free(&l.intervals);
	free(two);
	free(t.data);
}

Test(check, lines_that_are_too_long_are_errors)
{
	struct bytes t = {malloc(400000), 400000};
	cr_assert_not_null(t.data);
	memset(t.data, 'x', t.size);
	memcpy(t.data, "ff ", 3);
	memcpy(t.data + t.size - 8, "\nff two\n", 8);
	struct look l = look_at(t.data, t.size);
	cr_expect_eq(errors(&l), 1, "%lu", (unsigned long)errors(&l));
	intervals_free(&l.intervals);
	free(t.data);
}

Test(check, any_bytes_are_survived)
{
	struct bytes t = sample(60, (struct make){.sync = 10});
	uint64_t seed = 1;
	for (int trial = 0; trial < 300; trial++) {
		char *copy = malloc(t.size);
		cr_assert_not_null(copy);
		memcpy(copy, t.data, t.size);
		for (int i = 0; i < 20; i++) {
			seed = seed * 6364136223846793005U + 1442695040888963407U;
			copy[(seed >> 20) % t.size] = (char)(seed >> 56);
		}
		struct look l = look_at(copy, t.size);
		intervals_settle(&l.intervals, true);
		intervals_free(&l.intervals);
		free(copy);
	}
	free(t.data);
}
