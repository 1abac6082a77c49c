/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of block devices: lines of blkparse, requests, and input that ends anywhere. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "converters/blktrace/blktrace.h"

#include "converter_tools.h"

enum { BATCH = 64, TEXT_CAPACITY = 1 << 16, NAME_CAPACITY = 40 };

/* A conversion: physical records as "start+duration R sector+sectors", one per line. */
static struct {
	char records[TEXT_CAPACITY];
	size_t size;
	uint64_t lost;
	int status;
	struct report report;
} run;

TestSuite(blktrace, .timeout = 60);

static void take(const struct iot_event *ev)
{
	run.lost += ev->kind == IOT_LOST;
	if (ev->kind != IOT_RECORD)
		return;
	const struct iot_record *r = &ev->rec;
	run.size +=
	    (size_t)snprintf(run.records + run.size, TEXT_CAPACITY - run.size,
			     "%" PRId64 "+%" PRIu64 "%s %s %" PRIu64 "+%" PRIu64 "\n", r->start_ns,
			     r->duration_ns, r->flags & IOT_DURATION_UNKNOWN ? "?" : "",
			     r->type & IOT_WRITE ? "W" : "R", r->offset, r->length);
	cr_assert(run.size < TEXT_CAPACITY - 100);
}

static int convert(const void *data, size_t size, const char *start)
{
	char name[NAME_CAPACITY];
	const char *path = name;
	struct error error = {0};
	struct iot_event ev[BATCH];
	const struct setting setting = {"start", start};
	const int fd = memfd_create("test", MFD_CLOEXEC);
	cr_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	memset(&run, 0, sizeof run);
	struct input *in = input_new(&path, 1, NULL, &error);
	cr_assert_not_null(in);
	struct source_state src = {.converter = converter_find("blktrace"),
				   .input = in,
				   .settings = &setting,
				   .setting_count = 1,
				   .watermark_ns = INT64_MIN};
	run.status = src.converter->open(&src);
	while (run.status >= 0 && (run.status = src.converter->next(&src, ev, BATCH)) > 0)
		for (int i = 0; i < run.status; i++)
			take(&ev[i]);
	run.report = src.report;
	src.converter->close(&src);
	input_free(in);
	(void)close(fd);
	return run.status;
}

static const char *records_of(const char *text, const char *start)
{
	(void)convert(text, strlen(text), start);
	return run.records;
}

#define LINE(cpu, time, pid, rest) "  8,0  " cpu "  1  0.00000" time "  " pid "  " rest "\n"

Test(blktrace, request_starts_when_it_is_issued_or_queued)
{
	static const char text[] = LINE("0", "1000", "9", "Q  RS 8 + 16 [a]")
	    LINE("0", "2000", "7", "D  RS 8 + 16 [k]") LINE("1", "5000", "0", "C  RS 8 + 16 [0]");
	cr_expect_str_eq(records_of(text, "issue"), "2000+3000 R 8+16\n");
	cr_expect_str_eq(records_of(text, "queue"), "1000+4000 R 8+16\n");
	cr_expect_eq(run.status, IOT_OK);
}

Test(blktrace, merged_requests_are_one_or_as_many_as_were_queued)
{
	static const char text[] = LINE("0", "1000", "9", "Q   W 8 + 8 [a]")
	    LINE("0", "1100", "9", "Q   W 16 + 8 [a]") LINE("0", "1200", "9", "M   W 16 + 8 [a]")
		LINE("0", "1300", "9", "Q   W 0 + 8 [a]") LINE("0", "1400", "9", "F   W 0 + 8 [a]")
		    LINE("0", "2000", "7", "D   W 0 + 24 [k]")
			LINE("1", "3000", "0", "C   W 0 + 12 [0]")
			    LINE("1", "4000", "0", "C   W 12 + 12 [0]");
	cr_expect_str_eq(records_of(text, "issue"), "2000+2000 W 0+24\n");
	cr_expect_str_eq(records_of(text, "queue"),
			 "1300+1700 W 0+8\n1000+3000 W 8+8\n1100+2900 W 16+8\n");
}

Test(blktrace, parts_of_a_split_request_complete_in_any_order)
{
	static const char text[] = LINE("0", "1000", "9", "Q   R 0 + 32 [a]")
	    LINE("0", "1100", "9", "X   R 0 / 16 [a]") LINE("0", "2000", "7", "D   R 16 + 16 [k]")
		LINE("0", "2100", "7", "D   R 0 + 16 [k]")
		    LINE("1", "3000", "0", "C   R 16 + 16 [0]")
			LINE("1", "4000", "0", "C   R 0 + 16 [0]");
	cr_expect_str_eq(records_of(text, "issue"), "2000+1000 R 16+16\n2100+1900 R 0+16\n");
	cr_expect_str_eq(records_of(text, "queue"), "1000+2000 R 16+16\n1000+3000 R 0+16\n");
}

Test(blktrace, requests_at_one_sector_complete_in_order_of_issue)
{
	static const char text[] =
	    LINE("0", "1000", "9", "D   R 8 + 8 [a]") LINE("0", "1500", "9", "D   R 8 + 8 [a]")
		LINE("1", "2000", "0", "C   R 8 + 8 [0]") LINE("1", "4000", "0", "C   R 8 + 8 [0]");
	cr_expect_str_eq(records_of(text, "issue"), "1000+1000 R 8+8\n1500+2500 R 8+8\n");
}

Test(blktrace, requeued_request_starts_at_its_last_issue)
{
	static const char text[] =
	    LINE("0", "1000", "9", "D   R 8 + 8 [a]") LINE("0", "1500", "9", "R   R 8 + 8 [0]")
		LINE("0", "2000", "9", "D   R 8 + 8 [a]") LINE("1", "4000", "0", "C   R 8 + 8 [0]");
	cr_expect_str_eq(records_of(text, "issue"), "2000+2000 R 8+8\n");
	cr_expect_eq(counted_in(&run.report, "actions.requeue"), 1);
}

Test(blktrace, unfinished_and_unmatched_requests_are_counted)
{
	static const char text[] = LINE("0", "1000", "9", "D   R 8 + 8 [a]")
	    LINE("1", "4000", "0", "C   R 80 + 8 [0]") LINE("0", "5000", "9", "Q   R 800 + 8 [a]");
	cr_expect_str_eq(records_of(text, "issue"), "1000+0? R 8+8\n");
	cr_expect_eq(counted_in(&run.report, "requests.unfinished"), 1);
	cr_expect_eq(counted_in(&run.report, "requests.unmatched"), 1);
	cr_expect_eq(counted_in(&run.report, "requests.dropped"), 1);
}

Test(blktrace, completion_before_the_issue_is_counted)
{
	static const char text[] =
	    LINE("0", "2000", "9", "D   R 8 + 8 [a]") LINE("1", "1000", "0", "C   R 8 + 8 [0]");
	cr_expect_str_eq(records_of(text, "issue"), "2000+0? R 8+8\n");
	cr_expect_eq(counted_in(&run.report, "clock.negative_duration"), 1);
}

Test(blktrace, impossible_sectors_are_damage)
{
	static const char text[] = LINE("0", "2000", "9", "D   R 18446744073709551600 + 8 [a]")
	    LINE("0", "3000", "9", "D   R 8 + 8 [a]") LINE("1", "4000", "0", "C   R 8 + 8 [0]");
	cr_expect_str_eq(records_of(text, "issue"), "3000+1000 R 8+8\n");
	cr_expect_eq(counted_in(&run.report, "skipped.beyond_devices"), 1);
	cr_expect_eq(run.status, IOT_EFORMAT);
}

/* The 65th request at one sector: the first one has not completed, and never will. */
Test(blktrace, too_many_requests_at_one_sector)
{
	char text[8192] = "";
	for (unsigned i = 0; i < BLKTRACE_SAME_MAX + 1; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 LINE("0", "1%03u", "9", "D   R 8 + 8 [a]"), i);
	(void)records_of(text, "issue");
	cr_expect_eq(strncmp(run.records, "1000+0? R 8+8\n", 14), 0);
	cr_expect_eq(run.report.records, BLKTRACE_SAME_MAX + 1);
}

Test(blktrace, lines_of_blkparse)
{
	static const struct {
		const char *line;
		uint32_t action;
		uint64_t sector, bytes;
		const char *rwbs, *name;
	} lines[] = {
	    {" 8,16 0 5 0.000000900 4242 Q RS 2148 + 8 [fio]", BLKTRACE_QUEUE, 2148, 4096, "RS",
	     "fio"},
	    {"259,10 127 4294967295 99.999999999 1 D WFSM 1 + 1 ( 12) [a [b]]", BLKTRACE_ISSUE, 1,
	     512, "WFSM", "a [b]"},
	    {"8,0 1 5 0.000000900 0 C FWS 999 [0]", BLKTRACE_COMPLETE, 999, 0, "FWS", ""},
	    {"8,0 1 5 0.000000900 0 C FN 0 [-5]", BLKTRACE_COMPLETE, 0, 0, "FN", ""},
	    {"8,0 1 5 0.000000900 3 UT N [x] 4", BLKTRACE_UNPLUG_TIMER, 0, 0, "N", ""},
	    {"8,0 1 5 0.000000900 3 Q ZA 8 + 8 [x]", BLKTRACE_OTHER, 0, 0, "N", ""},
	    {"8,0 1 5 0.000000900 3 Q D 8 + 8 [(null)]", BLKTRACE_QUEUE, 8, 4096, "D", ""},
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct blktrace_action_record r;
		char rwbs[BLKTRACE_RWBS];
		const char *line = lines[i].line;
		cr_assert(blktrace_text_parse(line, line + strlen(line), &r), "%s", line);
		(void)blktrace_rwbs(blktrace_kind(&r), rwbs);
		cr_expect_eq(r.action, lines[i].action, "%s", line);
		cr_expect_eq(r.sector, lines[i].sector, "%s", line);
		cr_expect_eq(r.bytes, lines[i].bytes, "%s", line);
		cr_expect_str_eq(rwbs, lines[i].rwbs, "%s", line);
		cr_expect_eq(r.text.size, strlen(lines[i].name), "%s", line);
		cr_expect_eq(memcmp(r.text.data, lines[i].name, r.text.size), 0, "%s", line);
	}
}

Test(blktrace, other_lines)
{
	static const char *const lines[] = {"",
					    "CPU0 (sda):",
					    "8,16 0 5 0.0000009 4242 Q RS 2148 + 8 [fio]",
					    "8;16 0 5 0.000000900 4242 Q RS 2148 + 8 [fio]",
					    "8,16 0 5 0.000000900 4242 q RS 2148 + 8 [fio]",
					    "8,16 0 5 0.000000900 4242 Q RS 2148 + x [fio]",
					    "8,16 0 5 0.000000900 4242 C RS 2148 + 8 [fio]",
					    "8,99999999 0 5 0.000000900 4242 Q R 1 + 8 [fio]"};
	struct blktrace_action_record r;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_expect(!blktrace_text_parse(lines[i], lines[i] + strlen(lines[i]), &r), "%s",
			  lines[i]);
}

/* Input that ends at each byte */

static size_t load(const char *path, char *data, size_t capacity)
{
	FILE *f = fopen(path, "r");
	cr_assert_not_null(f);
	const size_t size = fread(data, 1, capacity, f);
	cr_assert(size < capacity && fclose(f) == 0);
	return size;
}

/* A multiple of the size of a record without a payload, or the end of one. */
static bool ends_between(const char *data, size_t size)
{
	size_t at = 0;
	while (at + 48 <= size)
		at += 48U + (unsigned char)data[at + 46] + 256U * (unsigned char)data[at + 47];
	return at == size;
}

Test(blktrace, binary_that_ends_at_any_byte)
{
	char data[4096];
	const size_t size = load("testdata/blktrace/v7.blktrace.1", data, sizeof data);
	for (size_t n = 4; n < size; n++) {
		const bool whole = ends_between(data, n);
		(void)convert(data, n, "issue");
		cr_expect_eq(run.status, whole ? IOT_OK : IOT_ETRUNCATED, "%zu bytes", n);
		cr_expect_eq(run.lost, !whole, "%zu bytes", n);
	}
}

Test(blktrace, text_that_ends_at_any_byte)
{
	char data[8192];
	(void)load("testdata/blktrace/v7.blkparse.txt", data, sizeof data);
	for (size_t n = 300; n < 1500; n++) {
		const bool whole = data[n - 1] == '\n' || data[n - 1] == ']';
		(void)convert(data, n, "issue");
		cr_expect_eq(run.status, whole ? IOT_OK : IOT_ETRUNCATED, "%zu bytes", n);
		cr_expect_eq(run.lost, !whole, "%zu bytes", n);
	}
}
