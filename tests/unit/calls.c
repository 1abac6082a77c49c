/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of DFTracer, perf and bpftrace, and what their calls do to descriptors. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/dftracer/dftracer.h"
#include "converters/perf/perf.h"

static struct iot_text text(const char *s)
{
	return (struct iot_text){s, strlen(s)};
}

static void is(struct iot_text t, const char *expected)
{
	cr_assert_eq(t.size, strlen(expected));
	cr_assert_eq(memcmp(t.data, expected, t.size), 0);
}

/* Lines */

static struct line_reader reader_of(const char *data, size_t size)
{
	struct line_reader r = {.bufreader = bufreader_new("lines", NULL)};
	cr_assert_eq(bufreader_open_memory(r.bufreader, data, size), IOT_OK);
	return r;
}

Test(calls, lines_end_with_lf_or_cr_lf_and_the_last_one_may_lack_both)
{
	static const char data[] = "one\r\n\ntwo";
	struct line_reader r = reader_of(data, sizeof data - 1);
	struct iot_text line;
	cr_assert_eq(line_reader_next(&r, &line), LINE_WHOLE);
	is(line, "one");
	cr_assert_eq(line_reader_next(&r, &line), LINE_WHOLE);
	cr_assert_eq(line.size, 0);
	cr_assert_eq(line_reader_next(&r, &line), LINE_LAST);
	is(line, "two");
	cr_assert_eq(r.number, 3);
	cr_assert_eq(line_reader_next(&r, &line), LINE_END);
	line_reader_close(&r);
}

Test(calls, a_line_beyond_the_limit_is_skipped)
{
	const size_t size = LINE_READER_MAX + 100000;
	char *data = malloc(size + 5);
	memset(data, 'x', size);
	memcpy(data + size, "\nend\n", 5);
	struct line_reader r = reader_of(data, size + 5);
	struct iot_text line;
	cr_assert_eq(line_reader_next(&r, &line), LINE_TOO_LONG);
	cr_assert_eq(line.size, LINE_READER_SHOWN);
	cr_assert_eq(memcmp(line.data, data, LINE_READER_SHOWN), 0);
	cr_assert_eq(line_reader_next(&r, &line), LINE_WHOLE);
	is(line, "end");
	cr_assert_eq(r.number, 2);
	line_reader_close(&r);
	free(data);
}

/* DFTracer */

Test(calls, pfw_numbers_may_be_quoted)
{
	struct pfw_event e;
	cr_assert_eq(
	    pfw_line_parse(text("{\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":\"7\",\"ts\":\"5\","
				"\"dur\":\"2\",\"ph\":\"X\",\"args\":{\"ret\":\"-1\",\"fd\":3}}"),
			   &e),
	    PFW_EVENT);
	cr_assert_eq(e.pid, 7);
	cr_assert_eq(e.start_ns, 5000);
	cr_assert_eq(e.duration_ns, 2000);
	cr_assert_eq(e.result, -1);
	cr_assert_eq(e.fd, 3);
	cr_assert_eq(e.has, (unsigned)(CALL_HAS_FD | CALL_HAS_RESULT | CALL_HAS_DURATION));
}

Test(calls, pfw_names_may_contain_quotes)
{
	struct pfw_event e;
	cr_assert_eq(pfw_line_parse(
			 text("  {\"name\":\"open\",\"ph\":\"X\",\"args\":{\"fname\":\"/a\"b\" c\","
			      "\"fd\":3,}}"),
			 &e),
		     PFW_EVENT);
	is(e.file, "/a\"b\" c");
	cr_assert(e.repaired);
	cr_assert_eq(e.fd, 3);
}

Test(calls, pfw_skips_what_is_nested)
{
	struct pfw_event e;
	cr_assert_eq(
	    pfw_line_parse(text("{\"x\":{\"name\":\"no\"},\"name\":\"train\",\"ph\":\"C\",\"args\":"
				"{\"a\":[1,{\"fd\":4}],\"fd\":3}}"),
			   &e),
	    PFW_EVENT);
	is(e.name, "train");
	cr_assert_eq(e.fd, 3);
}

Test(calls, pfw_lines_that_are_cut_or_overflow_are_not_events)
{
	static const char *const lines[] = {
	    "{\"name\":\"read\",\"ph\":\"X\",\"args\":{\"fd\":3}",
	    "{\"name\":\"read\",\"ph\":\"X\",\"args\":{\"fd\":3",
	    "{\"name\":\"read\",\"ph\":\"X",
	    "{\"name\":\"read\",\"ph\":\"X\",\"ts\":99999999999999999999}",
	    "{\"name\":\"read\",\"ph\":\"X\",\"pid\":4294967296}",
	    "{\"name\":\"read\",\"ph\":\"X\"} x",
	    "{\"name\":\"read\"}",
	    "[1]",
	};
	struct pfw_event e;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_assert_eq(pfw_line_parse(text(lines[i]), &e), PFW_UNKNOWN, "%s", lines[i]);
	cr_assert_eq(pfw_line_parse(text("["), &e), PFW_FRAME);
	cr_assert_eq(pfw_line_parse(text(" "), &e), PFW_FRAME);
}

/* perf and bpftrace */

Test(calls, a_line_of_perf_script_may_have_brackets_in_its_name)
{
	struct perf_line l;
	unsigned digits;
	cr_assert(perf_script_line(text(" my [0] app 12/34 [001] d..1.  5.000000123: "
					"syscalls:sys_enter_read: fd: 0x3, count: 0x10"),
				   &l, &digits));
	is(l.comm, "my [0] app");
	is(l.name, "read");
	cr_assert(l.has_pid);
	cr_assert_eq(l.pid, 12);
	cr_assert_eq(l.tid, 34);
	cr_assert_eq(l.time_ns, INT64_C(5000000123));
	cr_assert_eq(digits, 9);
	cr_assert_eq(l.kind, PERF_ENTER);
	cr_assert(perf_script_line(
	    text("app 12 [001] 5.1: syscalls:sys_exit_read: 0xfffffffffffffffe"), &l, &digits));
	cr_assert_eq(l.kind, PERF_EXIT);
	cr_assert_eq(l.call.result, -2);
	is(l.call.error, "ENOENT");
	cr_assert_not(perf_script_line(text("app [001] 5.1: sys_exit_read: 0x1"), &l, &digits));
}

Test(calls, a_line_of_perf_trace_has_a_duration_or_waits)
{
	struct perf_line l;
	unsigned digits;
	cr_assert(perf_trace_line(
	    text("  1.250 ( 0.018 ms): a/b/77 read(fd: 3</x = 1>, count: 9)   = 5"), &l, &digits));
	cr_assert_eq(l.kind, PERF_CALL);
	cr_assert_eq(l.tid, 77);
	is(l.comm, "a/b");
	cr_assert_eq(l.time_ns, 1250000);
	cr_assert_eq(l.call.duration_ns, 18000);
	cr_assert_eq(l.call.result, 5);
	cr_assert(perf_trace_line(text("  1.250 (         ): a/77 read(fd: 3, count: 9)   ..."), &l,
				  &digits));
	cr_assert_eq(l.kind, PERF_ENTER);
	cr_assert(perf_trace_line(
	    text("  1.250 ( 2.0 ms): a/77  ... [continued]: read()) = -1 EINTR (x)"), &l, &digits));
	cr_assert_eq(l.kind, PERF_EXIT);
	is(l.call.error, "EINTR");
}

Test(calls, arguments_are_words_numbers_strings_and_descriptors_with_names)
{
	const struct call_type type = {.names = "openat", .kind = CALL_OPEN};
	struct call c = {.type = &type};
	perf_arguments(
	    &c, text("dfd: CWD, filename: 0x5f \"/a, b\", flags: RDWR|CREAT|0x400, mode: 0644"));
	cr_assert_eq(c.to, CALL_AT_CWD);
	is(c.path, "/a, b");
	cr_assert_eq(c.flags, CALL_O_RDWR | CALL_O_CREAT | CALL_O_APPEND);
	perf_arguments(&c, text("fd: 5</x (y), z>, whence: END, offset: -4"));
	cr_assert_eq(c.fd, 5);
	is(c.note, "/x (y), z");
	cr_assert_eq(c.whence, 2);
	cr_assert_eq(c.offset, -4);
	perf_arguments(&c, text("fd: 0xffffffff, count: 0x10"));
	cr_assert_eq(c.fd, -1);
	cr_assert_eq(c.count, 16);
}

Test(calls, a_line_of_bpftrace_may_have_blanks_in_its_name)
{
	struct perf_line l;
	cr_assert(perf_bt_line(text("IOT1 5 7 8 my app 2 openat -100 3 - 9 66 /a b"), &l));
	is(l.comm, "my app 2");
	is(l.name, "openat");
	is(l.call.path, "/a b");
	cr_assert_eq(l.call.result, 3);
	cr_assert_eq(l.call.flags, 66);
	cr_assert_eq(l.call.has, (unsigned)(CALL_HAS_FD | CALL_HAS_RESULT | CALL_HAS_DURATION |
					    CALL_HAS_FLAGS));
	cr_assert_not(perf_bt_line(text("IOT1 5 7 8 app read 3"), &l));
	cr_assert_not(perf_bt_line(text("IOT1 x 7 8 app read 3 1 - 2"), &l));
}

/* Many files */

enum { FILES = PFW_OPEN_MAX + 10 };

static void write_pfw(const char *directory, int pid)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%d.pfw", directory, pid);
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	fprintf(f,
		"[\n{\"name\":\"open\",\"cat\":\"POSIX\",\"pid\":%d,\"ts\":%d,\"dur\":1,\"ph\":"
		"\"X\",\"args\":"
		"{\"fname\":\"/log\",\"flags\":1537,\"ret\":3}}\n"
		"{\"name\":\"write\",\"cat\":\"POSIX\",\"pid\":%d,\"ts\":%d,\"dur\":1,\"ph\":\"X\","
		"\"args\":"
		"{\"fname\":\"/log\",\"fd\":3,\"count\":4,\"ret\":4}}\n",
		pid, pid, pid, pid + 5);
	fclose(f);
}

/* Appends of files that are not merged may be in any order: their offsets are unknown. */
Test(calls, more_files_than_are_merged_leave_sizes_unknown)
{
	char directory[] = "/tmp/calls.XXXXXX";
	const char *path = mkdtemp(directory);
	struct error error = {0};
	struct iot_event ev[100];
	int n, records = 0, unknown = 0;
	for (int pid = 1; pid <= FILES; pid++)
		write_pfw(directory, pid);
	struct input *in = input_new(&path, 1, NULL, &error);
	struct source_state src = {.converter = converter_find("dftracer"), .input = in};
	cr_assert_eq(src.converter->open(&src), IOT_OK);
	while ((n = src.converter->next(&src, ev, 100)) > 0)
		for (int i = 0; i < n; i++) {
			records += ev[i].kind == IOT_RECORD;
			unknown +=
			    ev[i].kind == IOT_RECORD && (ev[i].rec.flags & IOT_OFFSET_UNKNOWN) != 0;
		}
	cr_assert_eq(n, 0);
	cr_assert_eq(records, FILES);
	cr_assert_eq(unknown, FILES);
	cr_assert_eq(src.report.lines, 3 * FILES);
	src.converter->close(&src);
	input_free(in);
	for (int pid = 1; pid <= FILES; pid++) {
		char name[200];
		snprintf(name, sizeof name, "%s/%d.pfw", directory, pid);
		(void)unlink(name);
	}
	(void)rmdir(directory);
}
