/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings in traces: damage, wherever it is, and irregularities. */
#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

#include <iotrace/verify.h>

#include "trace_tools.h"

enum { POSITIONS = 8 };

/* Findings: the first positions, and the verifier. */
struct look {
	struct iot_verifier *verifier;
	int fd;
	struct iot_finding position[POSITIONS];
	char text[POSITIONS][256];
	size_t count;
};

static void found(void *context, const struct iot_finding *f)
{
	struct look *l = context;
	cr_expect_eq(f->severity, iot_finding_severity(f->kind));
	if (l->count == POSITIONS)
		return;
	l->position[l->count] = *f;
	snprintf(l->text[l->count], sizeof(l->text[0]), "%s", f->text);
	l->count++;
}

static void look_at(struct look *l, const void *data, size_t size)
{
	*l =
	    (struct look){.verifier = iot_verifier_new(), .fd = memfd_create("trace", MFD_CLOEXEC)};
	cr_assert_not_null(l->verifier);
	cr_assert_geq(l->fd, 0);
	cr_assert_eq(write(l->fd, data, size), (ssize_t)size);
	cr_assert_eq(lseek(l->fd, 0, SEEK_SET), 0);
	iot_verifier_on_finding(l->verifier, found, l);
	cr_expect_eq(iot_verifier_set(l->verifier, IOT_VERIFY_REPAIR, 1), IOT_OK);
	cr_expect_eq(iot_verifier_set(l->verifier, IOT_VERIFY_TICK_NS, IOT_TICK_DEFAULT_NS),
		     IOT_OK);
	cr_expect_eq(iot_verifier_run(l->verifier, l->fd, "t.iot"), IOT_OK, "%s",
		     iot_verifier_error(l->verifier));
}

static void look_away(struct look *l)
{
	iot_verifier_free(l->verifier);
	close(l->fd);
}

static uint64_t errors(const struct look *l)
{
	return iot_verifier_total(l->verifier, IOT_SEVERITY_ERROR);
}

static uint64_t total(const struct look *l)
{
	return errors(l) + iot_verifier_total(l->verifier, IOT_SEVERITY_WARNING) +
	       iot_verifier_total(l->verifier, IOT_SEVERITY_NOTE);
}

/* Returns the number of records that repair delivers, in order. */
static uint64_t repaired(struct look *l, int keep_unverified)
{
	struct iot_batch *b = iot_batch_new(7);
	int64_t last_ns = 0;
	uint64_t records = 0;
	int status = iot_verifier_select(l->verifier, keep_unverified);
	struct iot_stream *s = iot_stream_of_repair(l->verifier);
	cr_assert_eq(s != NULL, status == IOT_OK);
	cr_assert_not_null(b);
	while (s != NULL && (status = iot_stream_next(s, b)) > 0) {
		for (size_t i = 0; i < b->count; i++) {
			if (b->events[i].kind != IOT_RECORD)
				continue;
			cr_expect_geq(b->events[i].rec.start_ns, last_ns);
			last_ns = b->events[i].rec.start_ns;
			records++;
		}
	}
	if (s != NULL)
		cr_expect_eq(status, 0, "%s", iot_stream_error(s));
	cr_expect_eq(records, iot_verifier_fact(l->verifier, IOT_REPAIR_KEPT));
	iot_stream_free(s);
	iot_batch_free(b);
	return records;
}

static void expect_one(const char *text, enum iot_finding_kind kind, uint64_t line, unsigned column)
{
	struct look l;
	look_at(&l, text, strlen(text));
	cr_expect_eq(iot_verifier_count(l.verifier, kind), 1, "%s: %lu of %s", text,
		     (unsigned long)iot_verifier_count(l.verifier, kind), iot_finding_name(kind));
	for (size_t i = 0; i < l.count; i++) {
		if (l.position[i].kind != kind)
			continue;
		cr_expect_eq(l.position[i].line, line, "%s: line %lu", text,
			     (unsigned long)l.position[i].line);
		cr_expect_eq(l.position[i].column, column, "%s: column %u", text,
			     l.position[i].column);
	}
	look_away(&l);
}

Test(check, what_writers_make_is_fine)
{
	static const enum iot_compression how[] = {IOT_PLAIN, IOT_GZIP, IOT_ZSTD};
	for (size_t i = 0; i < 3; i++) {
		for (unsigned base = 10; base <= 16; base += 6) {
			const struct make make = {.compression = how[i], .sync = 7, .base = base};
			struct bytes t = sample(100, make);
			struct look l;
			look_at(&l, t.data, t.size);
			cr_expect_eq(total(&l), 0, "%s", l.text[0]);
			cr_expect_eq(iot_verifier_fact(l.verifier, IOT_VERIFIED_RECORDS), 100);
			cr_expect(iot_verifier_fact(l.verifier, IOT_VERIFIED_COMPLETE) == 1);
			look_away(&l);
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
	expect_one("ff %iotrace version=1 tick=1\nff %iotrace version=1 tick=1\n", IOT_BAD_TAIL, 2,
		   4);
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

Test(check, each_damaged_interval_is_reported_once)
{
	struct bytes t = sample(100, (struct make){.sync = 10});
	*(strstr(sync_of(t.data, 2), "\nc0") + 1) = 'x';
	*(strstr(sync_of(t.data, 5), "\nc0") + 1) = 'x';
	struct look l;
	look_at(&l, t.data, t.size);
	cr_expect_eq(errors(&l), 2);
	cr_expect_eq(iot_verifier_count(l.verifier, IOT_BAD_RECORD), 2);
	const uint64_t kept = repaired(&l, 0);
	cr_expect_eq(kept, 80);
	look_away(&l);
	free(t.data);
}

Test(check, calls_in_a_wrong_order_are_refused)
{
	struct look l;
	struct iot_verifier *v = iot_verifier_new();
	cr_assert_not_null(v);
	cr_expect_eq(iot_verifier_select(v, 0), IOT_EUSAGE);
	cr_expect_null(iot_stream_of_repair(v));
	cr_expect_eq(iot_verifier_set(v, IOT_VERIFY_BASE, 8), IOT_EUSAGE);
	cr_expect_eq(iot_verifier_set(v, (enum iot_verify_option)99, 0), IOT_EUSAGE);
	cr_expect_eq(iot_verifier_run(v, -1, "none"), IOT_EIO);
	cr_expect_str_neq(iot_verifier_error(v), "");
	cr_expect_eq(iot_verifier_select(v, 0), IOT_EIO);
	iot_verifier_free(v);
	look_at(&l, "x\n", 2);
	cr_expect_eq(iot_verifier_run(l.verifier, l.fd, "again"), IOT_EUSAGE);
	cr_expect_eq(iot_verifier_set(l.verifier, IOT_VERIFY_WARNINGS, 0), IOT_EUSAGE);
	cr_expect_eq(iot_verifier_select(l.verifier, 1), IOT_EFORMAT);
	cr_expect_null(iot_stream_of_repair(l.verifier));
	cr_expect_null(iot_finding_name(IOT_WARN_SAMPLE + 1));
	cr_expect_eq(iot_verifier_count(l.verifier, 99), 0);
	look_away(&l);
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
		struct look l;
		look_at(&l, t.data, t.size);
		cr_expect_gt(errors(&l), 0, "byte %zu", i);
		const uint64_t kept = repaired(&l, 0);
		cr_expect_geq(kept, 50, "byte %zu: %lu", i, (unsigned long)kept);
		look_away(&l);
		sync[i] = was;
	}
	free(t.data);
}

Test(check, damage_in_a_frame_is_found_and_passed)
{
	static const enum iot_compression how[] = {IOT_GZIP, IOT_ZSTD};
	for (size_t i = 0; i < 2; i++) {
		struct bytes t = sample(100, (struct make){.sync = 10, .compression = how[i]});
		for (size_t at = 0; at < t.size; at += 1 + t.size / 50) {
			t.data[at] ^= 0x55;
			struct look l;
			look_at(&l, t.data, t.size);
			const uint64_t kept = repaired(&l, 0);
			cr_expect_geq(kept, 90, "byte %zu of %zu: %lu", at, t.size,
				      (unsigned long)kept);
			cr_expect(errors(&l) > 0 || kept == 100, "byte %zu", at);
			look_away(&l);
			t.data[at] ^= 0x55;
		}
		free(t.data);
	}
}

Test(check, a_trace_after_another_is_named)
{
	struct bytes t = sample(20, (struct make){.sync = 7});
	char *two = malloc(2 * t.size);
	cr_assert_not_null(two);
	memcpy(two, t.data, t.size);
	memcpy(two + t.size, t.data, t.size);
	struct look l;
	look_at(&l, two, 2 * t.size);
	cr_expect_eq(iot_verifier_count(l.verifier, IOT_BAD_TAIL), 1);
	cr_expect_gt(iot_verifier_fact(l.verifier, IOT_VERIFIED_SECOND_TRACE), 20);
	cr_expect_eq(iot_verifier_fact(l.verifier, IOT_VERIFIED_RECORDS), 20);
	look_away(&l);
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
	struct look l;
	look_at(&l, t.data, t.size);
	cr_expect_eq(errors(&l), 1, "%lu", (unsigned long)errors(&l));
	look_away(&l);
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
		struct look l;
		look_at(&l, copy, t.size);
		(void)repaired(&l, 1);
		look_away(&l);
		free(copy);
	}
	free(t.data);
}
