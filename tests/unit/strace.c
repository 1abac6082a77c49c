/* SPDX-License-Identifier: BSD-2-Clause */
/* strace's text, with the traps of each of its layouts, as records and operations. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "converters/converter.h"

#include "converter_tools.h"

enum { FILES = 4096, TEXT_CAPACITY = 1 << 16 };

/* A conversion: records one per line ("9:w a.dat 0+10"), directives as they are, and the end. */
static struct {
	char directory[64];
	char path[4][80];
	unsigned paths;
	const char *setting;
	size_t read_size;
	char records[TEXT_CAPACITY], directives[TEXT_CAPACITY];
	size_t records_size, directives_size;
	char file[FILES][64]; /* the path of each file, from its last %file */
	int64_t start_ns[FILES];
	uint64_t took_ns[FILES];
	uint8_t flags_of[FILES];
	unsigned count;
	uint8_t flags;
	int status;
	struct source_state src;
} run;

static void enter(void)
{
	memset(&run, 0, sizeof run);
	strcpy(run.directory, "/tmp/iotrace-test-XXXXXX");
	cr_assert_not_null(mkdtemp(run.directory));
}

static void leave(void)
{
	for (unsigned i = 0; i < run.paths; i++)
		unlink(run.path[i]);
	cr_expect_eq(rmdir(run.directory), 0);
}

TestSuite(strace, .init = enter, .fini = leave);

static void put(const char *name, const char *log)
{
	char *path = run.path[run.paths++];
	strcpy(path, run.directory);
	strcat(strcat(path, "/"), name);
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(log, 1, strlen(log), f), strlen(log));
	cr_assert_eq(fclose(f), 0);
}

static void add(char *out, size_t *n, const char *text, size_t size)
{
	cr_assert(*n + size + 2 < TEXT_CAPACITY);
	memcpy(out + *n, text, size);
	*n += size;
	out[(*n)++] = '\n';
	out[*n] = '\0';
}

static void take_file(const struct iot_event *ev)
{
	struct iot_text path = iot_directive_get(ev, "path");
	char *out = run.file[ev->rec.file % FILES];
	cr_assert(path.size < sizeof run.file[0]);
	size_t n = path.data == NULL ? 0 : iot_percent_decode(path, out, NULL);
	out[n] = '\0';
}

static void take_record(const struct iot_record *r)
{
	char line[160];
	int n =
	    snprintf(line, sizeof line, "%" PRIu32 ":%s %s %" PRIu64 "+%" PRIu64 "%s", r->process,
		     (r->type & IOT_WRITE) != 0 ? "w" : "r", run.file[r->file % FILES], r->offset,
		     r->length, (r->flags & IOT_OFFSET_UNKNOWN) != 0 ? "?" : "");
	add(run.records, &run.records_size, line, (size_t)n);
	run.start_ns[run.count % FILES] = r->start_ns;
	run.flags_of[run.count % FILES] = r->flags;
	run.took_ns[run.count++ % FILES] = r->duration_ns;
	run.flags |= r->flags;
}

static void convert_files(int max)
{
	const struct converter *converter = converter_find("strace");
	const char *paths[4];
	struct error error = {0};
	for (unsigned i = 0; i < run.paths; i++)
		paths[i] = run.path[i];
	struct input *in = input_new(paths, run.paths, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	struct setting setting = {.name = run.setting, .value = "none"};
	input_set_read_size(in, run.read_size);
	run.src = (struct source_state){.converter = converter,
					.input = in,
					.settings = &setting,
					.setting_count = run.setting != NULL};
	struct iot_event *ev = calloc((size_t)max, sizeof *ev);
	int got = converter->open(&run.src);
	int64_t mark = INT64_MIN;
	bool first = true;
	while (got == IOT_OK && (got = converter->next(&run.src, ev, max)) > 0) {
		for (int i = 0; i < got; i++) {
			cr_expect(!first || ev[i].kind == IOT_TRACE, "%%trace comes first");
			first = false;
			cr_expect_geq(ev[i].rec.start_ns, mark, "a watermark was broken");
			if (ev[i].kind == IOT_FILE)
				take_file(&ev[i]);
			if (ev[i].kind == IOT_RECORD)
				take_record(&ev[i].rec);
			else
				add(run.directives, &run.directives_size, ev[i].text.data,
				    ev[i].text.size);
		}
		mark = run.src.watermark_ns;
		got = IOT_OK;
	}
	run.status = got;
	converter->close(&run.src);
	input_free(in);
	free(ev);
}

static void convert(const char *log)
{
	put("t.strace", log);
	convert_files(100);
}

static void expect_records(const char *want)
{
	cr_expect_str_eq(run.records, want, "records:\n%sinstead of:\n%s", run.records, want);
}

static void expect_directive(const char *want)
{
	cr_expect(strstr(run.directives, want) != NULL, "no %s in\n%s", want, run.directives);
}

static uint64_t counted(const char *name)
{
	return counted_in(&run.src.report, name);
}

#define OPEN_A "openat(AT_FDCWD, \"a\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3\n"

/* Layouts */

Test(strace, without_any_prefix)
{
	convert(OPEN_A "write(3, \"x\", 1) = 1\nread(3, \"\", 5)  = 0\n");
	expect_records("1:w a 0+1\n1:r a 1+0\n");
	cr_expect_eq(run.status, IOT_OK);
	expect_directive("trace source=strace lacks=cpu,completion,start");
	convert(OPEN_A "write(3, \"x\", 1) = 1 <0.000007>\n");
	expect_directive("trace source=strace lacks=cpu,start");
	cr_expect(run.flags & IOT_START_UNKNOWN);
}

Test(strace, pid_is_padded)
{
	convert("42    " OPEN_A "42    write(3, \"x\", 1) = 1\n");
	expect_records("42:w a 0+1\n");
}

Test(strace, pid_with_the_name_of_the_program)
{
	convert("42<my dd> " OPEN_A "42<my dd> write(3, \"x\", 1) = 1\n");
	expect_records("42:w a 0+1\n");
	expect_directive("%process id=42 name=my%20dd");
}

Test(strace, time_of_day_goes_over_midnight)
{
	convert("23:59:59.500000 " OPEN_A "00:00:01.250000 write(3, \"x\", 1) = 1 <0.000007>\n");
	expect_records("1:w a 0+1\n");
	cr_expect_eq(run.start_ns[0], INT64_C(86401250000000));
	cr_expect_eq(run.took_ns[0], 7000);
	cr_expect_eq(run.src.tick_ns, 1000);
}

Test(strace, times_since_1970_with_nanoseconds)
{
	convert("1700000000.000000001 " OPEN_A
		"1700000000.000000003 write(3, \"x\", 1) = 1 <0.000000009>\n");
	cr_expect_eq(run.start_ns[0], INT64_C(1700000000000000003));
	cr_expect_eq(run.took_ns[0], 9);
	cr_expect_eq(run.src.tick_ns, 1);
	expect_directive("epoch=0");
}

Test(strace, times_near_the_end_of_the_range_do_not_overflow)
{
	convert("9223000000.000000 " OPEN_A
		"9223000000.000001 write(3, \"x\", 1) = 1 <999999999.000000>\n"
		"9223000001.000000 write(3, \"x\", 1) = 1 <0.000002>\n"
		"9223372036.999999 write(3, \"x\", 1) = 1 <0.000002>\n");
	expect_records("1:w a 0+1\n1:w a 1+1\n");
	cr_expect_eq(run.start_ns[0], INT64_C(9223000000000001000));
	cr_expect_eq(run.took_ns[0], 0);
	cr_expect(run.flags & IOT_DURATION_UNKNOWN);
	cr_expect_eq(run.took_ns[1], 2000);
}

Test(strace, times_in_whole_seconds_are_no_pids)
{
	convert("1700000000 " OPEN_A "1700000001 write(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n");
	cr_expect_eq(run.start_ns[0], INT64_C(1700000001000000000));
	cr_expect_eq(run.src.tick_ns, UINT64_C(1000000000));
}

Test(strace, relative_times_are_summed)
{
	convert("     0.000000 " OPEN_A "     0.000010 write(3, \"x\", 1) = 1\n"
		"     0.000005 write(3, \"x\", 1) = 1\n");
	cr_expect_eq(run.start_ns[0], 10000);
	cr_expect_eq(run.start_ns[1], 15000);
}

Test(strace, relative_times_next_to_absolute_ones)
{
	convert("7 00:00:01.000000 (+     0.000000) " OPEN_A
		"7 00:00:02.000000 (+     1.000000) write(3, \"x\", 1) = 1\n");
	expect_records("7:w a 0+1\n");
	cr_expect_eq(run.start_ns[0], INT64_C(2000000000));
}

Test(strace, call_numbers_and_instruction_pointers)
{
	convert("8914  00:01:45.377020 [ 257] [00007f134648a350] " OPEN_A
		"8914  00:01:45.377030 [   1] [????????????????] write(3, \"x\", 1) = 1\n");
	expect_records("8914:w a 0+1\n");
}

Test(strace, colours_are_taken_out)
{
	convert("\33[33m" OPEN_A "write(3, \33[1;32m\"x\"\33[0m, 1) = 1\n");
	expect_records("1:w a 0+1\n");
}

Test(strace, carriage_returns_and_a_missing_last_newline)
{
	convert("openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3\r\nwrite(3, \"x\", 1) = 1\r");
	expect_records("1:w a 0+1\n");
	cr_expect_eq(run.status, IOT_OK);
}

Test(strace, raw_arguments)
{
	convert("openat(0xffffff9c, 0x7ffe23a5f5a, 0x241, 0x1b6) = 0x3\n"
		"write(0x3, 0x5617325c4000, 0x3e8) = 0x3e8\nlseek(0x3, 0xa, 0) = 0xa\n"
		"read(0x3, 0x5617325c4000, 0x5) = 0x5\n");
	expect_records("1:w  0+1000\n1:r  10+5\n");
	expect_directive("source-id=0:3");
}

Test(strace, numbers_with_names_after_them)
{
	convert(
	    "openat(-100 /* AT_FDCWD */, \"a\", 0x441 /* O_WRONLY|O_CREAT|O_APPEND */, 0666) = 3\n"
	    "lseek(3, 0, 0x2 /* SEEK_END */) = 50\nwrite(3, \"x\", 1) = 1\n");
	expect_records("1:w a 50+1\n");
}

Test(strace, named_arguments)
{
	convert("openat(dirfd=AT_FDCWD, pathname=\"a\", flags=O_RDWR|O_TRUNC) = 3\n"
		"pwrite64(fd=3, buf=\"x=1\", count=3, pos=7) = 3\n");
	expect_records("1:w a 7+3\n");
}

/* Calls cut in two */

Test(strace, unfinished_and_resumed)
{
	convert("1 1700000000.000001 " OPEN_A "1 1700000000.000002 read(3,  <unfinished ...>\n"
		"1 1700000000.000009 <... read resumed>\"\", 5) = 0\n"
		"1 1700000000.000010 pwrite64(3, \"a\", 1, 5 <unfinished ...>\n"
		"1 1700000000.000011 <... pwrite64 resumed>) = 1 <0.000003>\n");
	expect_records("1:r a 0+0\n1:w a 5+1\n");
	cr_expect_eq(run.start_ns[0], INT64_C(1700000000000002000));
	cr_expect_eq(run.took_ns[0], 7000);
	cr_expect_eq(run.took_ns[1], 3000);
}

Test(strace, resumed_with_a_space_as_older_versions_print)
{
	convert("1 " OPEN_A
		"1 write(3,  <unfinished ...>\n1 <... write resumed> \"abc\", 3) = 3\n");
	expect_records("1:w a 0+3\n");
}

Test(strace, killed_inside_a_call_moves_nothing)
{
	convert(
	    "1 " OPEN_A "1 write(3,  <unfinished ...>\n"
	    "1 <... write resumed> <unfinished ...>) = ?\n1 write(3, \"x\", 1 <unfinished ...>\n"
	    "1 +++ killed by SIGKILL +++\n");
	expect_records("");
}

Test(strace, interrupted_calls_move_nothing_and_come_again)
{
	convert(OPEN_A
		"read(3, 0x7ffe, 100) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)\n"
		"--- SIGALRM {si_signo=SIGALRM, si_code=SI_KERNEL} ---\n"
		"read(3, \"ab\", 100) = 2\n");
	expect_records("1:r a 0+2\n");
	cr_expect_eq(counted("interrupted"), 1);
}

Test(strace, resumed_without_its_beginning_is_counted)
{
	convert("1 <... read resumed>\"ab\", 2) = 2\n1 " OPEN_A "1 write(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n");
	cr_expect_eq(counted("resumed_alone"), 1);
}

Test(strace, detached_is_no_damage)
{
	convert("1 " OPEN_A "1 read(3,  <detached ...>\n");
	expect_records("");
	cr_expect_eq(run.status, IOT_OK);
	cr_expect_eq(counted("unfinished_at_end"), 1);
}

/* Text between lines */

Test(strace, output_of_the_program_inside_a_call)
{
	convert("12:00:00 " OPEN_A "12:00:01 dup2(3, 1) = 1\n"
		"12:00:02 write(1, \"line (one\\n\", 10line (one\n) = 10 <0.000003>\n"
		"12:00:03 write(1, \"two\", 3two) = 3 <0.000003>\n");
	expect_records("1:w a 0+10\n1:w a 10+3\n");
	cr_expect_eq(counted("mixed.joined"), 1);
}

/* Two programs write to one terminal: a call has the result of another one. */
Test(strace, a_result_that_a_call_cannot_have_is_no_record)
{
	static const struct {
		const char *line, *counter;
	} RESULTS[] = {
	    {"read(3, \"x\"..., 10) = 11", "contradicted.lost"},
	    {"write(3, \"x\"..., 10) = 11", "contradicted.lost"},
	    {"write(3, \"x\"..., 10) = -7", "contradicted.lost"},
	    {"pwrite64(3, \"x\", 10, 0) = 11", "contradicted.lost"},
	    {"pread64(3, \"x\", 1, -5) = 1", "contradicted.lost"},
	    {"sendfile(3, 3, NULL, 10) = 11", "contradicted.lost"},
	    {"copy_file_range(3, NULL, 3, NULL, 10, 0) = 11", "contradicted.lost"},
	    {"read(3, ) = 0x7f0000001000", "mixed.lost"},
	    {"pwrite64(3, ) = 10", "mixed.lost"},
	    {"write(3, \"x\", 1) = x", "mixed.lost"},
	    {"writev(3, [...], 2) = 0x7f0000001000", "contradicted.lost"},
	};
	for (size_t i = 0; i < sizeof RESULTS / sizeof RESULTS[0]; i++) {
		char log[512];
		snprintf(log, sizeof log,
			 OPEN_A "write(3, \"x\", 5) = 5\n%s\nwrite(3, \"x\", 5) = 5\n"
				"lseek(3, 100, SEEK_SET) = 100\nwrite(3, \"x\", 5) = 5\n",
			 RESULTS[i].line);
		run.records_size = 0;
		run.paths = 0;
		convert(log);
		cr_expect_str_eq(run.records, "1:w a 0+5\n1:w a 5+5?\n1:w a 100+5\n", "%s: %s",
				 RESULTS[i].line, run.records);
		cr_expect_eq(counted(RESULTS[i].counter), 1, "%s", RESULTS[i].line);
		cr_expect_eq(run.status, IOT_EFORMAT, "%s", RESULTS[i].line);
	}
}

Test(strace, a_negative_duration_is_unknown)
{
	convert("1 1700000000.000001 " OPEN_A
		"1 1700000000.000002 read(3, \"x\"..., 9) = 9 <-0.000002>\n"
		"1 1700000000.000004 read(3, \"x\"...,  <unfinished ...>\n"
		"1 1700000000.000003 <... read resumed>, 9) = 9\n");
	expect_records("1:r a 0+9\n1:r a 9+9\n");
	cr_expect_eq(counted("clock.negative_duration"), 2);
	cr_expect_eq(run.status, IOT_OK);
}

/* The kernel's answer to MSG_TRUNC is the size of the datagram. */
Test(strace, a_message_may_be_longer_than_its_buffer)
{
	run.setting = "all";
	convert("socket(AF_INET, SOCK_DGRAM, IPPROTO_IP) = 3\n"
		"recvfrom(3, \"x\", 1, MSG_TRUNC, NULL, NULL) = 50\n");
	expect_records("1:r  0+50\n");
	cr_expect_eq(counted("mixed.lost"), 0);
}

Test(strace, attached_message_inside_a_fork)
{
	convert(OPEN_A "clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLDstrace: Process 9 "
		       "attached\n, child_tidptr=0x7f) = 9\n[pid     9] write(3, \"x\", 1) = 1\n"
		       "[pid     8] write(3, \"x\", 1) = 1\n[pid     9] +++ exited with 0 +++\n"
		       "write(3, \"x\", 1) = 1\n");
	expect_records("9:w a 0+1\n1:w a 1+1\n1:w a 2+1\n");
	expect_directive("%process id=9 parent=1");
}

Test(strace, stacks_and_dumps_are_stepped_over)
{
	convert(OPEN_A " > /lib/x.so(read+0x1) [0x2]\nwrite(3, \"x\", 1) = 1\n"
		       " | 00000  78                                                x        |\n"
		       " * 1 bytes in buffer 0\n\nwrite(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n1:w a 1+1\n");
	cr_expect_eq(run.src.report.unparsed, 0);
}

Test(strace, foreign_lines_are_counted_not_fatal)
{
	convert("12:00:00 " OPEN_A "hello (world) = 7\n12:00:00 write(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n");
	cr_expect_eq(run.src.report.unparsed, 1);
	cr_expect_eq(run.src.report.example[0].line, 2);
}

Test(strace, a_cut_last_line_is_reported)
{
	convert("1 1.0 x\n1 12:00:00 " OPEN_A "1 12:00:00 write(3, \"x\", 1) = 1\n"
		"1 12:00:00 write(3, \"x");
	expect_records("1:w a 0+1\n");
	cr_expect_eq(run.status, IOT_ETRUNCATED);
	cr_expect(strstr(run.src.error.text, "middle of a line") != NULL);
}

/* Each last line lacks its LF; what may be the beginning of a longer line moves no bytes. */
Test(strace, a_last_line_without_durations_that_may_be_cut_is_not_believed)
{
	static const char *const CUT[] = {
	    "1 write(3, \"x\", 12) = 1",  "1 write(3, \"x\", 12) = -1 EAG",
	    "1 <... write resumed>) = 1", "1 +++ superseded by execve in pid 1",
	    "1 --- SIGCHLD {si_signo=",   "1 ",
	};
	for (size_t i = 0; i < sizeof CUT / sizeof CUT[0]; i++) {
		char log[512];
		snprintf(log, sizeof log, "1 " OPEN_A "1 write(3, \"x\", 12 <unfinished ...>\n%s",
			 CUT[i]);
		if (i != 2)
			snprintf(log, sizeof log, "1 " OPEN_A "%s", CUT[i]);
		run.records_size = 0;
		run.records[0] = '\0';
		run.paths = 0;
		convert(log);
		cr_expect_str_eq(run.records, "", "%s", CUT[i]);
		cr_expect_eq(run.status, IOT_ETRUNCATED, "%s", CUT[i]);
		cr_expect_eq(counted("unclosed"), 1, "%s", CUT[i]);
	}
}

Test(strace, a_last_line_that_is_whole_needs_no_end_of_line)
{
	convert("1 " OPEN_A "1 write(3, \"x\", 1) = 1\n1 +++ exited with 0 +++");
	expect_records("1:w a 0+1\n");
	cr_expect_eq(run.status, IOT_OK);
}

Test(strace, the_log_of_a_set_that_is_cut_is_named)
{
	put("t.1",
	    "1700000001.000001 " OPEN_A "1700000001.000002 clone(child_stack=0x7f, flags=SIGCHLD) "
	    "= 2\n1700000001.000003 write(3, \"x\", 1) = 1\n");
	put("t.2", "1700000001.000004 write(3, \"x\", 12) = 1");
	convert_files(100);
	expect_records("1:w a 0+1\n");
	cr_expect_eq(run.status, IOT_ETRUNCATED);
	cr_expect_not_null(strstr(run.src.error.text, "t.2: ends in the middle"));
}

static bool noted(const char *words)
{
	for (size_t i = 0; i < run.src.report.notes; i++)
		if (strstr(run.src.report.note[i], words) != NULL)
			return true;
	return false;
}

/* As a full disk leaves it. */
Test(strace, all_logs_of_a_set_that_are_cut_or_empty_are_named)
{
	put("t.1",
	    "1700000001.000001 " OPEN_A "1700000001.000002 clone(child_stack=0x7f, flags=SIGCHLD) "
	    "= 2\n1700000001.000003 write(3, \"x\", 12) = 1");
	put("t.2", "1700000001.000004 write(3, \"x\", 12) = 1");
	put("t.3", "");
	put("t.4", "1700000001.000004 getpid() = 4\n");
	convert_files(100);
	expect_records("");
	cr_expect_eq(run.status, IOT_ETRUNCATED);
	cr_expect_not_null(strstr(run.src.error.text, "t.1: ends in the middle"));
	cr_expect(noted("t.2: ends in the middle of a line, too"));
	cr_expect(noted("t.3: empty"));
	cr_expect(!noted("t.1: ") && !noted("t.4: "));
}

/* A pipe whose numbers strace has truncated, of a process that had 4 open before the log began. */
Test(strace, a_wrong_candidate_is_not_a_missed_close)
{
	convert(OPEN_A
		"pipe2([...], 0) = 0\nopenat(AT_FDCWD, \"b\", O_RDWR|O_CREAT|O_TRUNC, 0644) "
		"= 5\nwrite(5, \"x\", 7) = 7\nwrite(5, \"x\", 7) = 7\nwrite(4</c>, \"x\", 2) = 2\n"
		"write(3, \"x\", 1) = 1\n");
	expect_records("1:w b 0+7\n1:w b 7+7\n1:w /c 0+2?\n1:w a 0+1\n");
	cr_expect_eq(counted("guessed.pair"), 1);
	cr_expect_eq(counted("missed.close"), 0);
}

/* strace -e trace=%desc,%file: the shell has moved the position of its parent's descriptor. */
Test(strace, without_forks_what_children_inherit_is_flagged)
{
	static const char CHILD[] = "2 dup2(9, 1) = 1\n2 write(1, \"x\", 50) = 50\n";
	char log[1024];
	for (int forks = 0; forks < 2; forks++) {
		snprintf(log, sizeof log,
			 "1 execve(\"./a\", [\"./a\"], 0x7f) = 0\n1 openat(AT_FDCWD, \"a\", "
			 "O_RDWR|O_CREAT|O_TRUNC, 0644) = 9\n1 write(9, \"x\", 10) = 10\n%s%s"
			 "1 write(9, \"x\", 5) = 5\n",
			 forks == 0 ? "" : "1 clone(child_stack=NULL, flags=SIGCHLD) = 2\n", CHILD);
		run.records_size = run.paths = 0;
		convert(log);
		cr_expect(strstr(run.records, forks == 0 ? "1:w a 10+5?\n" : "1:w a 60+5\n") !=
			      NULL,
			  "%s", run.records);
		cr_expect_eq(counted("unseen.forks"), forks == 0);
		cr_expect_eq(noted("without a call that starts it"), forks == 0);
	}
}

Test(strace, a_log_of_file_calls_alone_causes_a_warning)
{
	static char log[16384];
	size_t n = (size_t)snprintf(log, sizeof log, OPEN_A "write(4, \"x\", 1) = 1\n");
	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(log + n, sizeof log - n, "write(3, \"x\", 1) = 1\n");
	convert(log);
	cr_expect(noted("only calls on files"));
	snprintf(log + n, sizeof log - n, "brk(NULL) = 0x55\n");
	run.paths = 0;
	convert(log);
	cr_expect(!noted("only calls on files"));
}

#define AT(us) "1700000001.00000" us " "

Test(strace, logs_of_two_hosts_with_the_same_numbers_are_reported)
{
	put("a.strace", "7 " AT("1") OPEN_A
	    "7 " AT("3") "write(3, \"x\", 1) = 1\n"
			 "7 " AT("5") "write(3, \"x\", 1) = 1\n7 " AT("7") "close(3) = 0\n");
	put("b.strace", "7 " AT("2") OPEN_A
	    "7 " AT("4") "write(3, \"x\", 1) = 1\n"
			 "7 " AT("6") "write(3, \"x\", 1) = 1\n7 " AT("8") "close(3) = 0\n");
	convert_files(100);
	cr_expect_eq(counted("ambiguous.process"), 1);
	cr_expect(noted("process number 7"));
}

Test(strace, two_files_of_one_number_in_sets_are_reported)
{
	put("a.7", AT("1") OPEN_A AT("3") "write(3, \"x\", 1) = 1\n");
	put("b.7", AT("4") OPEN_A AT("5") "write(3, \"x\", 1) = 1\n");
	convert_files(100);
	cr_expect_eq(counted("ambiguous.process"), 1);
}

/* The first process of b has the number of one of a that has ended, and a log may be split. */
Test(strace, logs_may_use_a_number_one_after_the_other)
{
	put("a.strace", "7 " AT("1") OPEN_A "7 " AT("3") "write(3, \"x\", 1) = 1\n"
							 "7 " AT("3") "write(3, \"x\", 1) = 1\n");
	put("b.strace", "7 " AT("3") "write(3, \"x\", 1) = 1\n7 " AT(
			    "5") "close(3) = 0\n"
				 "7 " AT("5") "+++ exited with 0 +++\n");
	put("c.strace", "7 " AT("6") OPEN_A "7 " AT("7") "write(3, \"x\", 1) = 1\n");
	convert_files(100);
	cr_expect_eq(counted("ambiguous.process"), 0);
	expect_records("7:w a 0+1\n7:w a 1+1\n7:w a 2+1\n4194305:w a 0+1\n");
}

Test(strace, a_result_that_may_be_cut_is_not_believed)
{
	convert("12:00:00 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3 <0.000001>\n"
		"12:00:00 write(3, \"x\", 100) = 10");
	expect_records("");
	cr_expect_eq(run.status, IOT_ETRUNCATED);
}

Test(strace, a_summary_has_no_events)
{
	convert("% time     seconds  usecs/call     calls    errors syscall\n"
		"------ ----------- ----------- --------- --------- ----------------\n"
		"  0.00    0.000000           0         6           read\n");
	cr_expect_eq(run.status, IOT_EFORMAT);
	cr_expect(strstr(run.src.error.text, "summary") != NULL);
}

Test(strace, text_that_is_no_trace_is_refused)
{
	convert("type,start,duration\n1,2,3\n");
	cr_expect_eq(run.status, IOT_EFORMAT);
}

/* Arguments */

Test(strace, brackets_and_equal_signs_in_strings_and_statuses)
{
	convert(OPEN_A "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 9\n"
		       "write(3, \") = 5 \\\") \", 11) = 2\n");
	expect_records("1:w a 0+2\n");
}

Test(strace, names_are_unescaped)
{
	convert("openat(AT_FDCWD, \"q\\\"\\303\\251\\x41 b\", O_RDWR|O_TRUNC) = 3\n"
		"write(3, \"x\", 1) = 1\n");
	expect_records("1:w q\"\xc3\xa9"
		       "A b 0+1\n");
}

Test(strace, names_alongside_descriptors)
{
	convert("openat(AT_FDCWD</d>, \"l\", O_RDWR|O_TRUNC) = 3</d/gt\\76lt\\74.dat>\n"
		"write(3</d/gt\\76lt\\74.dat>, \"x\", 1) = 1\n"
		"unlink(\"gt>lt<.dat\") = 0\n"
		"write(3</d/gt\\76lt\\74.dat>(deleted), \"x\", 1) = 1\n"
		"read(0</dev/null<char 1:3>>, \"\", 5) = 0\n"
		"write(4<TCP:[127.0.0.1:1->127.0.0.1:2]>, \"x\", 1) = 1\n"
		"pread64(5</dev/vda<block 254:0>>, \"x\", 512, 1024) = 512\n");
	expect_records("1:w /d/gt>lt<.dat 0+1\n1:w /d/gt>lt<.dat 1+1\n1:r /dev/vda 1024+512\n");
}

Test(strace, a_name_that_changes_is_a_rename_not_seen)
{
	convert("openat(AT_FDCWD</d>, \"a\", O_RDWR|O_TRUNC) = 3</d/a>\n"
		"write(3</d/b>, \"x\", 1) = 1\nopenat(AT_FDCWD</d>, \"b\", O_RDWR) = 4</d/b>\n"
		"read(4</d/b>, \"x\", 1) = 1\n");
	expect_records("1:w /d/a 0+1\n1:r /d/b 0+1\n");
	expect_directive("%file process=1 id=2 object=1 path=/d/b");
}

/* Positions */

Test(strace, failed_and_short_calls)
{
	convert(OPEN_A
		"read(3, 0x7f, 5) = -1 EIO (Input/output error)\nwrite(3, \"xx\"..., 500) = 100\n"
		"write(3, \"xx\"..., 500) = -1 EFBIG (File too large)\n"
		"lseek(3, -1, SEEK_SET) = -1 EINVAL (Invalid argument)\nwrite(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+100\n1:w a 100+1\n");
}

Test(strace, a_position_that_was_wrong_is_mended_and_counted)
{
	convert(OPEN_A
		"lseek(3, 0, SEEK_CUR) = 0\nlseek(3, 0, SEEK_CUR) = 7\nwrite(3, \"x\", 1) = 1\n");
	expect_records("1:w a 7+1\n");
	cr_expect_eq(counted("position.resynced"), 1);
}

Test(strace, llseek_and_descriptors_from_dup)
{
	convert(OPEN_A "_llseek(3, 4294967296, [4294967296], SEEK_SET) = 0\ndup(3) = 4\n"
		       "write(4, \"x\", 1) = 1\nclose(3) = 0\nwrite(4, \"x\", 1) = 1\n");
	expect_records("1:w a 4294967296+1\n1:w a 4294967297+1\n");
}

Test(strace, append_of_unknown_size_is_flagged)
{
	convert(
	    "openat(AT_FDCWD, \"a\", O_WRONLY|O_CREAT|O_APPEND, 0644) = 3\nwrite(3, \"xy\", 2) = "
	    "2\n"
	    "write(3, \"xy\", 2) = 2\nnewfstatat(3, \"\", {st_mode=S_IFREG|0644, st_size=54, ...}, "
	    "AT_EMPTY_PATH) = 0\nwrite(3, \"xy\", 2) = 2\n");
	expect_records("1:w a 0+2?\n1:w a 2+2?\n1:w a 54+2\n");
	cr_expect_eq(counted("unknown.offset_bytes"), 4);
}

Test(strace, vectors_and_flags_of_preadv2_and_pwritev2)
{
	convert(
	    OPEN_A
	    "pwritev2(3, [{iov_base=\"x\", iov_len=10}], 1, -1, 0) = 10\n"
	    "pwritev2(3, [{iov_base=\"x\", iov_len=10}], 1, 0, RWF_APPEND) = 10\n"
	    "preadv2(3, [{iov_base=\"x\", iov_len=10}], 1, 3, 0) = 10\nwritev(3, [...], 2) = 5\n");
	expect_records("1:w a 0+10\n1:w a 10+10\n1:r a 3+10\n1:w a 10+5\n");
}

Test(strace, copies_count_on_both_sides)
{
	convert("openat(AT_FDCWD, \"in\", O_RDONLY) = 3\nopenat(AT_FDCWD, \"out\", "
		"O_WRONLY|O_TRUNC) = 4\n"
		"sendfile(4, 3, [50] => [120], 70) = 70\nsendfile(4, 3, NULL, 30) = 30\n"
		"copy_file_range(3, [10], 4, NULL, 5, 0) = 5\n"
		"splice(3, NULL, 9, NULL, 8, 0) = 8\nsplice(9, NULL, 4, [900], 8, 0) = 8\n");
	expect_records("1:r in 50+70\n1:w out 0+70\n1:r in 0+30\n1:w out 70+30\n1:r in 10+5\n"
		       "1:w out 100+5\n1:r in 30+8\n1:w out 900+8\n");
}

Test(strace, entries_of_io_submit_and_those_hidden)
{
	convert("openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 7\n"
		"io_submit(0x7f, 4, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=7, "
		"aio_buf=0x5, aio_nbytes=4096, aio_offset=8192}, {aio_data=0x1, "
		"aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=7, aio_buf=\"aio_offset=1, {\"..., "
		"aio_nbytes=512, aio_offset=512}, ...]) = 4\n");
	expect_records("1:r a 8192+4096\n1:w a 512+512\n");
	cr_expect_eq(counted("hidden.io_submit_entries"), 2);
}

Test(strace, a_damaged_time_does_not_change_later_times)
{
	convert("1 1500000000.000000 openat(AT_FDCWD, \"a\", O_RDWR) = 7 <0.000001>\n"
		"1 150000000=.000001 lseek(7, 0, SEEK_SET) = 0 <0.000001>\n"
		"1 1500000000.000002 read(7, \"\"..., 10) = 10 <0.000001>\n");
	expect_records("1:r a 0+10\n");
	cr_expect_eq(run.start_ns[0], 1500000000000002000);
}

/* Asynchronous requests and their results */

#define AIO_BEGIN                                                                                  \
	"1 1500000000.000000 openat(AT_FDCWD, \"a\", O_RDWR) = 7 <0.000001>\n"                     \
	"1 1500000000.000001 io_setup(64, [0x7f]) = 0 <0.000001>\n"
#define IOCB(data, op, length, offset)                                                             \
	"{aio_data=" data ", aio_lio_opcode=IOCB_CMD_" op ", aio_fildes=7, aio_buf=0x5, "          \
	"aio_nbytes=" length ", aio_offset=" offset "}"
#define RESULT(data, res) "{data=" data ", obj=0x55, res=" res ", res2=0}"
/* AIO_BEGIN, and two requests at microsecond 10 */
#define TWO_SUBMITTED(a, b)                                                                        \
	AIO_BEGIN "1 1500000000.000010 io_submit(0x7f, 2, [" a ", " b "]) = 2 <0.000005>\n"
#define ONE_RESULT(at, result, took)                                                               \
	"1 1500000000.0000" at " io_getevents(0x7f, 1, 8, [" result "], NULL) = 1 "                \
	"<0.00000" took ">\n"

/* "took 30" in microseconds, "unknown": of each record in the order in which they came. */
static void expect_took(const char *want)
{
	char got[256] = "";
	size_t n = 0;
	for (unsigned i = 0; i < run.count; i++)
		n += (size_t)((run.flags_of[i] & IOT_DURATION_UNKNOWN) != 0
				  ? snprintf(got + n, sizeof got - n, "unknown ")
				  : snprintf(got + n, sizeof got - n, "%" PRIu64 " ",
					     run.took_ns[i] / 1000));
	cr_expect_str_eq(got, want);
}

Test(strace, results_are_matched_by_aio_data)
{
	convert(
	    TWO_SUBMITTED(IOCB("0x1", "PREAD", "4096", "0"), IOCB("0x2", "PWRITE", "512", "8192"))
		ONE_RESULT("20", RESULT("0x2", "512"), "4")
		    ONE_RESULT("30", RESULT("0x1", "100"), "3"));
	expect_records("1:w a 8192+512\n1:r a 0+100\n");
	expect_took("14 23 ");
	cr_expect_eq(run.start_ns[1], 1500000000000010000);
	cr_expect_eq(counted("unknown.duration_records"), 0);
}

Test(strace, results_of_all_that_is_outstanding_complete_it)
{
	convert(TWO_SUBMITTED(
	    IOCB("0", "PREAD", "4096", "0"),
	    IOCB("0", "PREAD", "512", "8192")) "1 1500000000.000020 io_pgetevents(0x7f, 2, 8, "
					       "[" RESULT("0", "512") ", " RESULT(
						   "0", "4096") "], NULL, NULL) "
								"= 2 "
								"<0.000004>\n");
	expect_records("1:r a 0+4096\n1:r a 8192+512\n");
	expect_took("14 14 ");
	cr_expect_eq(counted("unknown.async_lengths"), 0);
}

Test(strace, a_result_of_any_of_several_requests_has_an_unknown_completion)
{
	convert(TWO_SUBMITTED(IOCB("0", "PREAD", "4096", "0"), IOCB("0", "PREAD", "4096", "8192"))
		    ONE_RESULT("20", RESULT("0", "4096"), "4") ONE_RESULT(
			"30", RESULT("0", "4096"),
			"4") "1 1500000000.000040 io_submit(0x7f, 1, "
			     "[" IOCB("0", "PREAD", "512", "0") "]) = 1 "
								"<0.000005>\n" ONE_RESULT(
								    "50", RESULT("0", "512"), "2"));
	expect_records("1:r a 0+4096\n1:r a 8192+4096\n1:r a 0+512\n");
	expect_took("unknown unknown 12 ");
	cr_expect_eq(counted("unknown.duration_records"), 2);
	cr_expect_eq(counted("unknown.async_lengths"), 0);
	cr_expect_eq(counted("unseen.async_results"), 0);
}

Test(strace, a_short_result_of_any_of_several_requests_is_counted)
{
	convert(TWO_SUBMITTED(IOCB("0", "PREAD", "4096", "0"), IOCB("0", "PREAD", "4096", "8192"))
		    ONE_RESULT("20", RESULT("0", "4096"), "4")
			ONE_RESULT("30", RESULT("0", "-28"), "4"));
	expect_took("unknown unknown ");
	cr_expect_eq(counted("unknown.async_lengths"), 1);
}

Test(strace, asynchronous_requests_that_fail_are_no_records)
{
	convert(TWO_SUBMITTED(IOCB("0x1", "PREAD", "4096", "0"),
			      IOCB("0x2", "FSYNC", "0",
				   "0")) "1 1500000000.000020 io_getevents(0x7f, 2, 8, "
					 "[" RESULT("0x1", "-5") ", " RESULT("0x2",
									     "0") "], NULL) = 2 "
										  "<0.000004>\n");
	expect_records("");
	cr_expect_eq(counted("failed.async"), 1);
}

Test(strace, a_thread_has_results_before_io_submit_returns)
{
	convert(
	    AIO_BEGIN
	    "1 1500000000.000005 clone(flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2 <0.000001>\n"
	    "1 1500000000.000010 io_submit(0x7f, 2, [" IOCB("0x1", "PREAD", "4096", "0") ", " IOCB(
		"0x2", "PREAD", "4096",
		"4096") "] <unfinished ...>\n"
			"2 1500000000.000020 io_getevents(0x7f, 1, 8, [" RESULT(
			    "0x1",
			    "4096") "], NULL) = 1 "
				    "<0.000004>\n"
				    "1 1500000000.000030 <... io_submit resumed>) = 1 <0.000020>\n"
				    "1 1500000000.000040 exit_group(0) = ?\n1 1500000000.000041 "
				    "+++ "
				    "exited with 0 +++\n");
	expect_records("1:r a 0+4096\n");
	expect_took("14 ");
	cr_expect_eq(counted("unseen.async_results"), 0);
}

Test(strace, results_before_io_submit_returns_in_a_set_of_files)
{
	put("t.1", "1500000000.000000 openat(AT_FDCWD, \"a\", O_RDWR) = 7 <0.000001>\n"
		   "1500000000.000001 io_setup(64, [0x7f]) = 0 <0.000001>\n"
		   "1500000000.000005 clone(flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2 "
		   "<0.000001>\n"
		   "1500000000.000010 io_submit(0x7f, 1, [" IOCB("0x1", "PREAD", "4096",
								 "0") "]) = 1 <0.000050>\n");
	put("t.2", "1500000000.000020 io_getevents(0x7f, 1, 8, [" RESULT(
		       "0x1", "4096") "], NULL) = 1 <0.000004>\n");
	convert_files(100);
	expect_records("1:r a 0+4096\n");
	expect_took("14 ");
}

Test(strace, a_context_of_which_results_are_cut_is_not_trusted)
{
	convert(AIO_BEGIN "1 1500000000.000010 io_submit(0x7f, 1, [" IOCB(
	    "0", "PREAD", "4096",
	    "0") "]) = 1 "
		 "<0.000005>\n"
		 "1 1500000000.000020 io_getevents(0x7f, 1, 8, [...], NULL) = 1 <0.000004>\n"
		 "1 1500000000.000030 io_submit(0x7f, 1, [" IOCB(
		     "0", "PREAD", "4096", "0") "]) = 1 "
						"<0.000005>\n" ONE_RESULT("40", RESULT("0", "4096"),
									  "4"));
	expect_took("unknown unknown ");
	cr_expect_eq(counted("hidden.io_getevents_entries"), 1);
	cr_expect_eq(counted("unknown.duration_records"), 2);
}

Test(strace, requests_without_result_end_with_their_context)
{
	static const char *const ends[] = {
	    "1 1500000000.000030 io_destroy(0x7f) = 0 <0.000001>\n",
	    "1 1500000000.000030 execve(\"/bin/true\", [\"true\"], 0x7f) = 0 <0.000001>\n",
	    "1 1500000000.000030 +++ exited with 0 +++\n", ""};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		char log[4096];
		snprintf(log, sizeof log, "%s%s%s", AIO_BEGIN,
			 "1 1500000000.000010 io_submit(0x7f, 1, [" IOCB("0", "PREAD", "4096",
									 "0") "]) = 1 <0.000005>\n",
			 ends[i]);
		run.paths = run.count = 0;
		run.records_size = run.directives_size = 0;
		convert(log);
		expect_records("1:r a 0+4096\n");
		expect_took("unknown ");
		cr_expect_eq(counted("unseen.async_results"), 1);
	}
}

Test(strace, requests_of_a_context_that_was_there_before_are_not_matched)
{
	convert("1 1500000000.000000 openat(AT_FDCWD, \"a\", O_RDWR) = 7 <0.000001>\n"
		"1 1500000000.000010 io_submit(0x7f, 1, [" IOCB(
		    "0", "PREAD", "4096", "0") "]) = 1 "
					       "<0.000005>\n" ONE_RESULT("20", RESULT("0", "4096"),
									 "4"));
	expect_records("1:r a 0+4096\n");
	expect_took("unknown ");
}

Test(strace, outstanding_requests_are_bounded)
{
	const size_t capacity = 24 << 20;
	char *log = malloc(capacity);
	cr_assert_not_null(log);
	size_t n = (size_t)snprintf(log, capacity, "%s", AIO_BEGIN);
	for (int i = 0; i < 66000; i++)
		n += (size_t)snprintf(log + n, capacity - n,
				      "1 1500000000.%06d io_submit(0x7f, 1, [{aio_data=%#x, "
				      "aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=7}]) = 1 "
				      "<0.000001>\n",
				      i + 10, i + 1);
	snprintf(log + n, capacity - n,
		 "1 1500000001.000000 io_submit(0x7f, 1, [" IOCB("0x1", "PREAD", "4096",
								 "0") "]) = 1 "
								      "<0.000005>\n");
	convert(log);
	expect_records("1:r a 0+4096\n");
	cr_expect_eq(counted("unseen.async_results"), 66001);
	free(log);
}

/* Processes */

Test(strace, a_child_speaks_before_its_fork_returns)
{
	convert("1 " OPEN_A "1 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n"
		"2 write(3, \"x\", 1) = 1\n1 <... clone resumed>) = 2\n1 write(3, \"x\", 1) = 1\n");
	expect_records("2:w a 0+1\n1:w a 1+1\n");
	expect_directive("%process id=2 parent=1");
}

Test(strace, nobody_is_his_own_child)
{
	convert("1 " OPEN_A "1 write(3, \"x\", 1) = 1\n1 fork() = 1\n"
		"1 fork( <unfinished ...>\n1 <... fork resumed>) = 1\n"
		"1 clone(child_stack=NULL, flags=SIGCHLDhello\n) = 1\n1 write(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n1:w a 1+1\n");
}

Test(strace, a_held_line_may_end_the_task_that_forked)
{
	convert("execve(\"/bin/s <unfinished ...>\n[pid 1] <... nanosleep resumed>NULL) = 0\n"
		"[pid 4] +++ killed by SIGKILL +++\nclone(flags=SIGCHLDstrace: Process 4 attached\n"
		"+++ exited with 0 +++\nclone(flags=SIGCHLDstrace: Process 5 attached\n"
		"clone(flags=SIGCHLDstrace: Process 5 attached\n, child_tidptr=0x7f) = 5\n" OPEN_A
		"write(3, \"x\", 1) = 1\n");
	cr_expect_gt(strlen(run.records), 0);
}

Test(strace, two_forks_at_once_hold_the_children_back)
{
	convert("1 execve(\"/bin/x\", [\"x\"], 0x7f /* 1 var */) = 0\n1 " OPEN_A
		"1 clone(child_stack=NULL, flags=SIGCHLD) = 2\n"
		"2 openat(AT_FDCWD, \"b\", O_RDWR|O_TRUNC) = 4\n"
		"1 vfork( <unfinished ...>\n2 vfork( <unfinished ...>\n"
		"3 write(4, \"x\", 1) = 1\n4 write(3, \"x\", 1) = 1\n"
		"2 <... vfork resumed>) = 3\n1 <... vfork resumed>) = 4\n");
	expect_records("3:w b 0+1\n4:w a 0+1\n");
	expect_directive("%process id=3 name=/bin/x parent=2");
	expect_directive("%process id=4 name=/bin/x parent=1");
}

Test(strace, threads_share_their_process_and_its_table)
{
	convert("1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD, exit_signal=0} => "
		"{parent_tid=[2]}, 88) = 2\n2 " OPEN_A "1 write(3, \"x\", 1) = 1\n"
		"2 close(3) = 0\n1 write(3, 0x7f, 1) = -1 EBADF (Bad file descriptor)\n");
	expect_records("1:w a 0+1\n");
}

Test(strace, threads_can_be_distinguished)
{
	run.setting = "threads";
	convert("1 clone(child_stack=0x7f, flags=CLONE_FILES|CLONE_THREAD) = 2\n2 " OPEN_A
		"1 write(3, \"x\", 1) = 1\n2 write(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n2:w a 1+1\n");
	expect_directive("thread-of=1");
}

/* Descriptors passed on */

#define PAIR "1 socketpair(AF_UNIX, SOCK_STREAM, 0, [8, 9]) = 0\n1 fork() = 2\n"
#define MESSAGE(control)                                                                           \
	"{msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"x\", iov_len=1}], msg_iovlen=1, "     \
	"msg_control=[" control "], msg_controllen=24, msg_flags=0}"
#define RIGHTS(list)                                                                               \
	MESSAGE("{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[" list "]"  \
		"}")

Test(strace, a_descriptor_that_is_passed_on_shares_its_position)
{
	convert(PAIR "1 " OPEN_A "1 write(3, \"x\", 10) = 10\n"
		     "1 sendmsg(8, " RIGHTS(
			 "3") ", 0) = 1\n"
			      "2 recvmsg(9, " RIGHTS(
				  "5") ", 0) = 1\n"
				       "2 write(5, \"x\", 20) = 20\n1 write(3, \"x\", 40) = 40\n");
	expect_records("1:w a 0+10\n2:w a 10+20\n1:w a 30+40\n");
	cr_expect_eq(counted("unseen.passed"), 0);
}

Test(strace, a_message_may_arrive_before_its_sender_returns)
{
	convert(PAIR
		"1 " OPEN_A "2 recvmsg(9,  <unfinished ...>\n"
		"1 sendmsg(8, " RIGHTS(
		    "3") ", 0 <unfinished ...>\n"
			 "2 <... recvmsg resumed>" RIGHTS(
			     "5") ", 0) = 1\n"
				  "2 write(5, \"x\", 20) = 20\n1 <... sendmsg resumed>) = 1\n"
				  "1 write(3, \"x\", 40) = 40\n2 close(5) = 0\n1 close(3) = 0\n");
	expect_records("2:w a 0+20\n1:w a 20+40\n");
	cr_expect_eq(counted("unseen.passed"), 0);
}

Test(strace, a_message_that_was_not_sent_does_not_arrive)
{
	convert(PAIR
		"1 " OPEN_A "1 openat(AT_FDCWD, \"b\", O_RDWR|O_TRUNC) = 4\n"
		"1 sendmsg(8, " RIGHTS(
		    "3") ", 0 <unfinished ...>\n"
			 "1 <... sendmsg resumed>) = -1 EAGAIN (Resource temporarily unavailable)\n"
			 "1 sendmsg(8, " RIGHTS(
			     "3") ", 0) = -1 EAGAIN (Resource temporarily unavailable)\n"
				  "1 sendmsg(8, " RIGHTS(
				      "4") ", 0) = 1\n"
					   "2 recvmsg(9, " RIGHTS(
					       "5") ", 0) = 1\n2 write(5, \"x\", 20) = 20\n");
	expect_records("2:w b 0+20\n");
}

Test(strace, messages_differ_by_the_descriptors_they_carry)
{
	convert(PAIR
		"1 " OPEN_A "1 openat(AT_FDCWD, \"b\", O_RDWR|O_TRUNC) = 4\n"
		"1 sendmsg(8, " RIGHTS(
		    "3") ", 0) = 1\n2 read(9, \"x\", 1) = 1\n"
			 "1 sendmsg(8, " RIGHTS(
			     "4, 8, 3") ", 0) = 1\n"
					"2 recvmsg(9, " RIGHTS(
					    "3, 4, 5") ", 0) = 1\n"
						       "2 write(3, \"x\", 1) = 1\n2 write(4, "
						       "\"x\", 1) = 1\n2 write(5, \"x\", 1) = 1\n"
						       "2 write(9, \"x\", 1) = 1\n");
	expect_records("2:w b 0+1\n2:w a 0+1\n");
}

Test(strace, raw_numbers_and_other_control_messages)
{
	convert(PAIR "1 " OPEN_A "1 sendmsg(8, " MESSAGE(
	    "{cmsg_len=28, cmsg_level=SOL_SOCKET, cmsg_type=SCM_CREDENTIALS, cmsg_data={pid=1, "
	    "uid=0, "
	    "gid=0}}, {cmsg_len=20, cmsg_level=0x1, cmsg_type=0x1, cmsg_data=[3]}, {cmsg_len=20, "
	    "cmsg_level=0x0, cmsg_type=0x1, cmsg_data=[4]}") ", 0) = 1\n"
							     "2 recvmsg(9, " RIGHTS(
								 "5") ", 0) = 1\n2 write(5, \"x\", "
								      "20) = 20\n");
	expect_records("2:w a 0+20\n");
}

Test(strace, positions_are_not_known_where_one_end_is_not_in_the_log)
{
	convert("1 socket(AF_UNIX, SOCK_STREAM, 0) = 8\n1 " OPEN_A "1 write(3, \"x\", 10) = 10\n"
		"1 sendmsg(8, " RIGHTS(
		    "3") ", 0) = 1\n1 write(3, \"x\", 40) = 40\n"
			 "1 recvmsg(8, " RIGHTS(
			     "5</c>") ", 0) = 1\n1 write(5</c>, \"x\", 20) = 20\n"
				      "1 lseek(3, 5, SEEK_SET) = 5\n1 write(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+10\n1:w a 10+40?\n1:w /c 0+20?\n1:w a 5+1?\n");
	cr_expect_eq(counted("unseen.passed"), 2);
}

Test(strace, a_list_of_descriptors_that_is_cut_is_counted)
{
	convert(PAIR "1 " OPEN_A "1 sendmsg(8, " RIGHTS(
	    "...") ", 0) = 1\n"
		   "1 sendmsg(8, " RIGHTS(
		       "3, ...") ", 0) = 1\n1 write(3, \"x\", 40) = 40\n"
				 "2 recvmsg(9, " RIGHTS(
				     "5, ...") ", 0) = 1\n2 write(5, \"x\", 20) = 20\n");
	expect_records("1:w a 0+40?\n2:w  0+20?\n");
	cr_expect_eq(counted("unseen.passed"), 2);
}

Test(strace, many_messages_at_once_are_counted_if_they_carry_descriptors)
{
	convert("1 sendmmsg(8, [{msg_hdr=" RIGHTS(
	    "3") ", msg_len=1}], 1, 0) = 1\n"
		 "1 recvmmsg(8, [{msg_hdr=" RIGHTS(
		     "4") ", msg_len=1}], 1, 0, NULL) = 1\n"
			  "1 sendmmsg(8, [{msg_hdr=" MESSAGE(
			      "") ", msg_len=1}], 1, 0) = 1\n"
				  "1 sendmmsg(8, [{msg_hdr=" RIGHTS(
				      "3") "}], 1, 0) = -1 EAGAIN (Try again)\n");
	cr_expect_eq(counted("unseen.passed"), 2);
}

Test(strace, a_message_to_oneself_gives_another_descriptor)
{
	convert("1 socketpair(AF_UNIX, SOCK_STREAM, 0, [8, 9]) = 0\n1 " OPEN_A
		"1 sendmsg(8, " RIGHTS("3") ", 0) = 1\n1 recvmsg(9, " RIGHTS(
		    "5") ", 0) = 1\n"
			 "1 write(3, \"x\", 10) = 10\n1 close(3) = 0\n1 write(5, \"x\", 20) = 20\n"
			 "1 close(5) = 0\n");
	expect_records("1:w a 0+10\n1:w a 10+20\n");
	const char *first = strstr(run.directives, "%op name=close");
	cr_assert_not_null(first);
	cr_expect_null(strstr(first + 1, "%op name=close"));
}

Test(strace, files_of_a_set_are_merged_so_that_messages_arrive)
{
	put("log.1",
	    "1700000010.000001 socketpair(AF_UNIX, SOCK_STREAM, 0, [8, 9]) = 0 <0.000001>\n"
	    "1700000010.000002 fork() = 2 <0.000001>\n"
	    "1700000010.000003 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3 <0.000001>\n"
	    "1700000010.000010 sendmsg(8, " RIGHTS(
		"3") ", 0) = 1 <0.000009>\n"
		     "1700000010.000030 write(3, \"x\", 40) = 40 <0.000001>\n");
	put("log.2", "1700000010.000005 recvmsg(9, " RIGHTS(
			 "5") ", 0) = 1 <0.000007>\n"
			      "1700000010.000015 write(5, \"x\", 20) = 20 <0.000001>\n"
			      "1700000010.000020 +++ exited with 0 +++\n");
	convert_files(9);
	expect_records("2:w a 0+20\n1:w a 20+40\n");
}

Test(strace, exec_closes_what_is_marked_and_keeps_positions)
{
	convert("1 " OPEN_A "1 openat(AT_FDCWD, \"b\", O_RDWR|O_CLOEXEC|O_TRUNC) = 4\n"
		"1 write(3, \"x\", 1) = 1\n1 execve(\"/bin/y\", [\"y\"], 0x7f) = 0\n"
		"1 write(3, \"x\", 1) = 1\n1 openat(AT_FDCWD, \"c\", O_RDWR|O_TRUNC) = 4\n"
		"1 write(4, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n1:w a 1+1\n1:w c 0+1\n");
	expect_directive("%process id=1 name=/bin/y");
	cr_expect_eq(counted("missed.close"), 0);
}

Test(strace, a_thread_that_calls_exec_becomes_the_leader)
{
	convert("1 " OPEN_A "1 clone(child_stack=0x7f, flags=CLONE_FILES|CLONE_THREAD) = 2\n"
		"1 pause( <unfinished ...>\n2 execve(\"/bin/y\", [\"y\"], 0x7f <unfinished ...>\n"
		"1 <... pause resumed>) = ?\n1 +++ superseded by execve in pid 2 +++\n"
		"1 <... execve resumed>) = 0\n1 write(3, \"x\", 1) = 1\n");
	expect_records("1:w a 0+1\n");
	expect_directive("%process id=1 name=/bin/y");
}

Test(strace, a_number_used_again_is_another_process)
{
	convert("1 fork() = 2\n2 " OPEN_A "2 write(3, \"x\", 1) = 1\n2 +++ exited with 0 +++\n"
		"1 fork() = 2\n2 openat(AT_FDCWD, \"b\", O_RDWR|O_TRUNC) = 3\n2 write(3, \"x\", 1) "
		"= 1\n");
	expect_records("2:w a 0+1\n4194305:w b 0+1\n");
}

Test(strace, descriptors_open_before_the_trace)
{
	convert(
	    "1 read(3, \"x\", 10) = 10\n1 write(1, \"x\", 1) = 1\n1 lseek(3, 0, SEEK_CUR) = 90\n"
	    "1 read(3, \"x\", 10) = 10\n");
	expect_records("1:r  0+10?\n1:r  90+10\n");
	expect_directive("source-id=1:3");
}

Test(strace, standard_descriptors_that_are_files)
{
	convert("fstat(1, {st_mode=S_IFREG|0644, st_size=5, ...}) = 0\nwrite(1, \"x\", 1) = 1\n");
	expect_records("1:w  0+1?\n");
}

/* Sets */

Test(strace, files_of_a_set_are_merged_by_time)
{
	put("log.10", "12:00:01.000000 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3\n"
		      "12:00:02.000000 clone(child_stack=NULL, flags=SIGCHLD) = 11\n"
		      "12:00:04.000000 write(3, \"xx\", 2) = 2\n");
	put("log.11",
	    "12:00:03.000000 write(3, \"x\", 1) = 1\n12:00:03.500000 +++ exited with 0 +++\n");
	convert_files(100);
	expect_records("11:w a 0+1\n10:w a 1+2\n");
	cr_expect_eq(run.src.first_ns, INT64_C(43201000000000));
}

/* Operations */

Test(strace, operations_with_their_results)
{
	convert(
	    "1 1700000000.000001 mkdir(\"d\", 0755) = 0 <0.000002>\n"
	    "1 1700000000.000002 unlink(\"x\") = -1 ENOENT (No such file or directory) <0.000001>\n"
	    "1 1700000000.000003 openat(AT_FDCWD, \"d/a\", O_RDWR|O_CREAT, 0644) = 3 <0.000001>\n"
	    "1 1700000000.000004 rename(\"d/a\", \"d/b\") = 0 <0.000001>\n"
	    "1 1700000000.000005 close(3) = 0 <0.000001>\n");
	expect_directive(
	    "%op name=mkdir time=1700000000000001000 took=2000 process=1 path=d result=0");
	expect_directive("%op name=unlink time=1700000000000002000 took=1000 process=1 path=x "
			 "result=ENOENT");
	expect_directive("%op name=create time=1700000000000003000 took=1000 process=1 file=1 "
			 "path=d/a result=0");
	expect_directive("path=d/a to=d/b result=0");
	expect_directive(
	    "%op name=close time=1700000000000005000 took=1000 process=1 file=1 path=d/b");
}

Test(strace, extended_attributes_are_operations)
{
	convert(
	    "1 1700000000.000001 lgetxattr(\"a\", \"security.selinux\", 0x1, 255) = -1 ENODATA (No "
	    "data available) <0.000001>\n"
	    "1 1700000000.000002 removexattr(\"a\", \"user.b\") = 0 <0.000001>\n"
	    "1 1700000000.000002 openat(AT_FDCWD, \"a\", O_RDONLY) = 3 <0.000001>\n"
	    "1 1700000000.000003 flistxattr(3, NULL, 0) = 7 <0.000001>\n");
	expect_directive("%op name=xattr time=1700000000000001000 took=1000 process=1 path=a "
			 "result=ENODATA");
	expect_directive(
	    "%op name=xattr time=1700000000000002000 took=1000 process=1 path=a result=0");
	expect_directive("%op name=xattr time=1700000000000003000 took=1000 process=1 file=1 "
			 "path=a result=0");
}

Test(strace, a_rename_that_exchanges_two_names_is_an_operation_of_its_own)
{
	convert("1 1700000000.000001 renameat2(AT_FDCWD, \"a\", AT_FDCWD, \"b\", RENAME_EXCHANGE) "
		"= 0 <0.000001>\n"
		"1 1700000000.000002 renameat2(AT_FDCWD, \"c\", AT_FDCWD, \"d\", RENAME_NOREPLACE) "
		"= 0 <0.000001>\n"
		"1 1700000000.000003 renameat2(3</w>, \"e\", 3</w>, \"f\", 0x2) = -1 EINVAL "
		"(Invalid argument) "
		"<0.000001>\n");
	expect_directive(
	    "%op name=exchange time=1700000000000001000 took=1000 process=1 path=a to=b result=0");
	expect_directive(
	    "%op name=rename time=1700000000000002000 took=1000 process=1 path=c to=d result=0");
	expect_directive(
	    "%op name=exchange time=1700000000000003000 took=1000 process=1 path=/w/e to=/w/f "
	    "result=EINVAL");
}

Test(strace, operations_can_be_left_out)
{
	run.setting = "ops"; /* none */
	convert("mkdir(\"d\", 0755) = 0\n" OPEN_A "close(3) = 0\n");
	cr_expect_null(strstr(run.directives, "%op"));
}

Test(strace, close_is_recorded_for_the_last_descriptor_only)
{
	convert(OPEN_A "dup(3) = 4\nclose(3) = 0\nread(4, \"\", 1) = 0\nclose(4) = 0\n");
	const char *first = strstr(run.directives, "name=close");
	cr_assert_not_null(first);
	cr_expect_null(strstr(first + 1, "name=close"));
}

Test(strace, sockets_and_pipes_only_when_asked_for)
{
	const char *log =
	    "pipe2([3, 4], 0) = 0\nwrite(4, \"hello\", 5) = 5\nread(3, \"hello\", 9) = 5\n"
	    "write(2, \"x\", 1) = 1\n";
	convert(log);
	expect_records("");
	run.records_size = run.paths = 0;
	run.setting = "all";
	convert(log);
	expect_records("1:w  0+5\n1:r  0+5\n1:w  0+1?\n");
	expect_directive("kind=pipe");
}

/* Laws */

Test(strace, batches_and_blocks_of_any_size_give_the_same_events)
{
	const char *log = "1 12:00:00 " OPEN_A "1 12:00:00 fork( <unfinished ...>\n"
			  "2 12:00:01 write(3, \"x\", 1) = 1\n1 12:00:02 <... fork resumed>) = 2\n"
			  "1 12:00:02 close_range(3, 9, 0) = 0\n";
	convert(log);
	char *want = strdup(run.directives), *records = strdup(run.records);
	run.records_size = run.directives_size = run.paths = 0;
	put("t.strace", log);
	convert_files(1);
	cr_expect_str_eq(run.directives, want);
	cr_expect_str_eq(run.records, records);
	for (run.read_size = 1; run.read_size < 20; run.read_size += 16) {
		run.records_size = run.directives_size = run.paths = 0;
		put("t.strace", log);
		convert_files(7);
		cr_expect_str_eq(run.directives, want, "blocks of %zu bytes", run.read_size);
		cr_expect_str_eq(run.records, records);
	}
	free(want);
	free(records);
}

Test(strace, sniffs_its_own_and_nothing_else)
{
	static const struct {
		const char *text;
		bool mine;
	} CASES[] = {
	    {OPEN_A "close(3) = 0\n", true},
	    {"1 12:00:00 +++ exited with 0 +++\n", true},
	    {"% time     seconds  usecs/call     calls    errors syscall\n", true},
	    {"ff %iotrace version=1 tick=1000\nc0 22 0 8 0 1f4 3 7 0\n", false},
	    {"type,start,duration\n128,0,1\n", false},
	    {"int main(void)\n{\n\tputs(\"x\");\n\treturn f(1);\n}\n", false},
	};
	const struct converter *converter = converter_find("strace");
	for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
		struct error error = {0};
		run.paths = 0;
		put("x", CASES[i].text);
		const char *path = run.path[0];
		struct input *in = input_new(&path, 1, NULL, &error);
		cr_assert_not_null(in);
		cr_expect_eq(converter->sniff(in) > 0, CASES[i].mine, "case %zu", i);
		input_free(in);
	}
}

/* Names of one file: an append through one is visible through the others. */
#define OPEN_O "open(\"o\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3\nwrite(3, \"\", 40) = 40\n"

Test(strace, appends_through_other_names_of_a_file_are_seen)
{
	static const struct {
		const char *link, *name;
	} ALIASES[] = {
	    {"symlink(\"o\", \"s\") = 0\n", "s"},
	    {"symlinkat(\"o\", AT_FDCWD, \"s\") = 0\nrename(\"s\", \"t\") = 0\n", "t"},
	    {"symlink(\".\", \"d\") = 0\n", "d/o"},
	    {"symlink(\"sub\", \"d\") = 0\n", "d/../o"},
	    {"link(\"o\", \"h\") = 0\n", "h"},
	    {"linkat(AT_FDCWD, \"o\", AT_FDCWD, \"h\", 0) = 0\n", "h"},
	    {"symlink(\"o\", \"s\") = 0\nlinkat(AT_FDCWD, \"s\", AT_FDCWD, \"h\", "
	     "AT_SYMLINK_FOLLOW) = 0\nunlink(\"s\") = 0\n",
	     "h"},
	    {"linkat(AT_FDCWD, \"/proc/self/fd/3\", AT_FDCWD, \"h\", AT_SYMLINK_FOLLOW) = 0\n",
	     "h"},
	    {"linkat(3, \"\", AT_FDCWD, \"h\", AT_EMPTY_PATH) = 0\n", "h"},
	    {"", "/proc/self/fd/3"},
	    {"", "/proc/7/fd/3"},
	    {"", "/proc/7/task/7/fd/3"},
	    {"", "/dev/fd/3"},
	};
	for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++) {
		char log[1024], *p = log;
		char text[1024];
		snprintf(text, sizeof text,
			 OPEN_O "%sopen(\"%s\", O_WRONLY|O_APPEND) = 4\nwrite(4, \"\", 5) = 5\n"
				"open(\"o\", O_WRONLY|O_APPEND) = 5\nwrite(5, \"\", 7) = 7\n",
			 ALIASES[i].link, ALIASES[i].name);
		for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
			p += sprintf(p, "7 %s\n", line);
		run.records_size = 0;
		run.paths = 0;
		convert(log);
		cr_expect_str_eq(run.records, "7:w o 0+40\n7:w o 40+5\n7:w o 45+7\n", "%s %s: %s",
				 ALIASES[i].link, ALIASES[i].name, run.records);
	}
}

Test(strace, one_of_two_hard_links_is_unlinked)
{
	convert(OPEN_O "link(\"o\", \"h\") = 0\nunlink(\"o\") = 0\n"
		       "open(\"h\", O_WRONLY|O_APPEND) = 4\nwrite(4, \"\", 5) = 5\n"
		       "open(\"o\", O_WRONLY|O_CREAT|O_APPEND) = 5\nwrite(5, \"\", 7) = 7\n");
	expect_records("1:w o 0+40\n1:w h 40+5\n1:w o 0+7\n");
}

Test(strace, a_file_without_a_name_gets_one)
{
	convert("open(\"/d\", O_RDWR|O_TMPFILE, 0600) = 3\nwrite(3, \"\", 40) = 40\n"
		"linkat(AT_FDCWD, \"/proc/self/fd/3\", AT_FDCWD, \"/d/o\", AT_SYMLINK_FOLLOW) = 0\n"
		"open(\"/d/o\", O_WRONLY|O_APPEND) = 4\nwrite(4, \"\", 5) = 5\n"
		"write(3, \"\", 1) = 1\n");
	expect_records("1:w  0+40\n1:w /d/o 40+5\n1:w  40+1\n");
}

Test(strace, a_name_next_to_a_result_is_the_real_one)
{
	convert(
	    "symlink(\"o\", \"/s\") = 0\n"
	    "open(\"/x/o\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3</x/o>\nwrite(3</x/o>, \"\", 40) = "
	    "40\nopen(\"/s\", O_WRONLY|O_APPEND) = 4</x/o>\nwrite(4</x/o>, \"\", 5) = 5\n");
	expect_records("1:w /x/o 0+40\n1:w /x/o 40+5\n");
}

Test(strace, what_a_ring_of_links_opens_is_of_unknown_size)
{
	convert("symlink(\"b\", \"a\") = 0\nsymlink(\"a\", \"b\") = 0\n"
		"open(\"a\", O_WRONLY|O_APPEND) = 3\nwrite(3, \"\", 5) = 5\n");
	cr_expect_not_null(strstr(run.records, "0+5?"));
}

/* Threads */

#define THREADS                                                                                    \
	"100 openat(AT_FDCWD, \"a\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3\n"                          \
	"100 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD|CLONE_SIGHAND) = "    \
	"101\n"

Test(strace, a_number_that_is_returned_has_been_closed)
{
	convert(THREADS "100 close(3 <unfinished ...>\n"
			"101 openat(AT_FDCWD, \"b\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3\n"
			"100 <... close resumed>) = 0\n101 write(3, \"\", 100) = 100\n"
			"101 openat(AT_FDCWD, \"b\", O_WRONLY|O_APPEND) = 4\n"
			"101 write(4, \"\", 10) = 10\n");
	expect_records("100:w b 0+100\n100:w b 100+10\n");
	cr_expect_eq(counted("missed.close"), 0);
	expect_directive("%op name=close time=0 process=100 file=1 path=a result=0");
}

Test(strace, whatever_returns_a_number_shows_that_it_has_been_closed)
{
	static const struct {
		const char *call, *records;
	} MAKERS[] = {
	    {"dup(4) = 3", "100:w b 0+7\n100:w b 7+100\n"},
	    {"fcntl(4, F_DUPFD, 0) = 3", "100:w b 0+7\n100:w b 7+100\n"},
	    {"pipe2([3, 5], 0) = 0", "100:w b 0+7\n"},
	    {"socket(AF_UNIX, SOCK_STREAM, 0) = 3", "100:w b 0+7\n"},
	    {"accept(9, NULL, NULL) = 3", "100:w b 0+7\n"},
	    {"epoll_create1(0) = 3", "100:w b 0+7\n"},
	};
	static const char *const CLOSES[] = {"close(3", "close_range(3, 3, 0"};
	for (size_t i = 0; i < 2 * sizeof MAKERS / sizeof MAKERS[0]; i++) {
		char log[2048];
		snprintf(log, sizeof log,
			 THREADS "101 openat(AT_FDCWD, \"b\", O_RDWR|O_TRUNC) = 4\n"
				 "101 write(4, \"\", 7) = 7\n"
				 "100 %s <unfinished ...>\n101 %s\n"
				 "100 <... %.*s resumed>) = 0\n101 write(3, \"\", 100) = 100\n",
			 CLOSES[i % 2], MAKERS[i / 2].call, i % 2 == 0 ? 5 : 11, CLOSES[i % 2]);
		run.records_size = 0;
		run.paths = 0;
		convert(log);
		cr_expect_str_eq(run.records, MAKERS[i / 2].records, "%s%s", log, run.records);
		cr_expect_eq(counted("missed.close"), 0);
	}
}

Test(strace, a_call_under_way_means_what_its_descriptor_was)
{
	convert(THREADS "100 read(3,  <unfinished ...>\n101 close(3) = 0\n"
			"101 openat(AT_FDCWD, \"b\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3\n"
			"100 <... read resumed>\"\", 5) = 5\n101 write(3, \"\", 1) = 1\n");
	expect_records("100:r a 0+5\n100:w b 0+1\n");
}

Test(strace, a_number_opened_while_dup2_is_under_way_is_not_known)
{
	convert(THREADS "100 openat(AT_FDCWD, \"c\", O_RDWR|O_TRUNC) = 5\n"
			"100 dup2(5, 3 <unfinished ...>\n101 close(3) = 0\n"
			"101 openat(AT_FDCWD, \"b\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3\n"
			"100 <... dup2 resumed>) = 3\n101 write(3, \"\", 1) = 1\n");
	expect_records("100:w  0+1?\n");
}

Test(strace, a_set_shows_that_a_number_has_been_closed)
{
	put("log.100",
	    "1700000001.000001 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3 <0.000001>\n"
	    "1700000001.000020 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = "
	    "101 <0.000005>\n1700000001.000100 close(3) = 0 <0.000030>\n");
	put("log.101", "1700000001.000110 openat(AT_FDCWD, \"b\", O_RDWR|O_TRUNC) = 3 <0.000005>\n"
		       "1700000001.000140 write(3, \"\", 100) = 100 <0.000001>\n"
		       "1700000001.000160 write(3, \"\", 10) = 10 <0.000001>\n");
	convert_files(100);
	expect_records("100:w b 0+100\n100:w b 100+10\n");
	cr_expect_eq(counted("missed.close"), 0);
}

Test(strace, writes_of_one_position_that_overlap_are_flagged)
{
	convert(THREADS "100 write(3, \"\", 1) = 1\n100 write(3, \"\", 5 <unfinished ...>\n"
			"101 write(3, \"\", 7) = 7\n100 <... write resumed>) = 5\n"
			"100 write(3, \"\", 2) = 2\n");
	expect_records("100:w a 0+1\n100:w a 1+7?\n100:w a 8+5?\n100:w a 13+2\n");
	cr_expect_eq(counted("ambiguous.order"), 2);
}

/* The previous size of the file is unknown, and so is the order of overlapping appends. */
Test(strace, appends_that_overlap_are_counted_at_an_unknown_base)
{
	convert("100 open(\"a\", O_WRONLY|O_APPEND) = 3\n101 open(\"a\", O_WRONLY|O_APPEND) = 3\n"
		"100 write(3, \"\", 1) = 1\n100 write(3, \"\", 5 <unfinished ...>\n"
		"101 write(3, \"\", 7) = 7\n100 <... write resumed>) = 5\n"
		"101 write(3, \"\", 2) = 2\n");
	cr_expect_eq(counted("unknown.offset_records"), 4);
	cr_expect_eq(counted("ambiguous.order"), 2);
}

Test(strace, appends_of_a_set_that_overlap_are_counted_at_an_unknown_base)
{
	put("log.100", "1700000001.000001 open(\"a\", O_WRONLY|O_APPEND) = 3 <0.000001>\n"
		       "1700000001.000100 write(3, \"\", 5) = 5 <0.000050>\n"
		       "1700000001.000200 getppid() = 1 <0.000001>\n"
		       "1700000001.000400 write(3, \"\", 2) = 2 <0.000001>\n");
	put("log.101", "1700000001.000002 open(\"a\", O_WRONLY|O_APPEND) = 3 <0.000001>\n"
		       "1700000001.000120 write(3, \"\", 7) = 7 <0.000005>\n");
	convert_files(100);
	cr_expect_eq(counted("unknown.offset_records"), 3);
	cr_expect_eq(counted("ambiguous.order"), 2);
}

Test(strace, a_seek_that_overlaps_a_write_leaves_no_position)
{
	convert(THREADS "100 write(3, \"\", 5 <unfinished ...>\n101 lseek(3, 50, SEEK_SET) = 50\n"
			"100 <... write resumed>) = 5\n100 write(3, \"\", 2) = 2\n"
			"100 lseek(3, 9, SEEK_SET) = 9\n100 write(3, \"\", 1) = 1\n");
	cr_expect_not_null(strstr(run.records, "+5?\n"));
	cr_expect_not_null(strstr(run.records, "+2?\n"));
	cr_expect_not_null(strstr(run.records, "100:w a 9+1\n"));
}

Test(strace, an_append_during_another_change_of_the_size_is_flagged)
{
	static const char *const OTHERS[] = {
	    "pwrite64(3, \"\", 9, 100",
	    "ftruncate(3, 50",
	    "truncate(\"a\", 50",
	    "openat(AT_FDCWD, \"a\", O_WRONLY|O_TRUNC",
	};
	for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
		char log[2048];
		const int name = (int)strcspn(OTHERS[i], "(");
		snprintf(log, sizeof log,
			 THREADS "101 openat(AT_FDCWD, \"a\", O_WRONLY|O_APPEND) = 4\n"
				 "100 %s <unfinished ...>\n101 write(4, \"\", 7) = 7\n"
				 "100 <... %.*s resumed>) = %d\n101 write(4, \"\", 3) = 3\n",
			 OTHERS[i], name, OTHERS[i],
			 i == 0   ? 9
			 : i == 3 ? 6
				  : 0);
		run.records_size = 0;
		run.paths = 0;
		convert(log);
		cr_expect_not_null(strstr(run.records, "+7?\n"), "%s%s", log, run.records);
		cr_expect_not_null(strstr(run.records, "+3?\n"), "%s%s", log, run.records);
	}
}

Test(strace, overlapping_writes_of_a_set_are_flagged_both)
{
	put("log.100",
	    "1700000001.000001 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3 <0.000001>\n"
	    "1700000001.000020 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = "
	    "101 <0.000005>\n1700000001.000100 write(3, \"\", 5) = 5 <0.000030>\n"
	    "1700000001.000200 write(3, \"\", 6) = 6 <0.000001>\n");
	put("log.101", "1700000001.000110 write(3, \"\", 7) = 7 <0.000005>\n"
		       "1700000001.000150 +++ exited with 0 +++\n");
	convert_files(100);
	expect_records("100:w a 0+7?\n100:w a 7+5?\n100:w a 12+6\n");
}

/* Descriptors in messages that the log does not show */

Test(strace, a_message_that_is_cut_may_carry_any_descriptor)
{
	static const char *const SENDS[] = {
	    "sendmsg(8, {msg_control=[{cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, "
	    "cmsg_data=[...]}], msg_controllen=24}, 0) = 1",
	    "sendmmsg(8, [{msg_hdr={msg_control=[{cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, "
	    "cmsg_data=[...]}]}, msg_len=1}], 1, 0) = 1",
	};
	for (size_t i = 0; i < sizeof SENDS / sizeof SENDS[0]; i++) {
		char log[2048];
		snprintf(log, sizeof log,
			 "1 socketpair(AF_UNIX, SOCK_STREAM, 0, [8, 9]) = 0\n1 " OPEN_A
			 "1 write(3, \"\", 10) = 10\n1 %s\n1 write(3, \"\", 5) = 5\n"
			 "1 lseek(3, 0, SEEK_SET) = 0\n1 write(3, \"\", 6) = 6\n"
			 "1 pwrite64(3, \"\", 7, 100) = 7\n",
			 SENDS[i]);
		run.records_size = 0;
		run.paths = 0;
		convert(log);
		expect_records("1:w a 0+10\n1:w a 10+5?\n1:w a 0+6?\n1:w a 100+7\n");
		cr_expect_geq(counted("unseen.passed"), 1);
	}
}

/* As `strace -y -e trace=%desc` shows it: neither sendmsg nor recvmsg. */
Test(strace, a_descriptor_from_nowhere_shares_a_position)
{
	convert("1 execve(\"/bin/x\", [\"x\"], 0x7f) = 0\n"
		"1 openat(AT_FDCWD, \"/a\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3</a>\n"
		"1 openat(AT_FDCWD, \"/b\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 4</b>\n"
		"1 clone(child_stack=NULL, flags=SIGCHLD) = 2\n1 write(3</a>, \"\", 10) = 10\n"
		"2 close(3</a>) = 0\n2 write(5</a>, \"\", 20) = 20\n"
		"1 write(3</a>, \"\", 30) = 30\n1 write(4</b>, \"\", 1) = 1\n");
	expect_records("1:w /a 0+10\n2:w /a 0+20?\n1:w /a 10+30?\n1:w /b 0+1\n");
	cr_expect_eq(counted("unseen.passed"), 1);
	const struct report *r = &run.src.report;
	cr_expect_not_null(strstr(r->note[r->notes - 1], "desc,sendmsg,recvmsg"));
}

Test(strace, a_descriptor_without_a_name_from_nowhere_may_be_any)
{
	convert("1 execve(\"/bin/x\", [\"x\"], 0x7f) = 0\n"
		"1 socketpair(AF_UNIX, SOCK_STREAM, 0, [8, 9]) = 0\n1 " OPEN_A
		"1 clone(child_stack=NULL, flags=SIGCHLD) = 2\n1 write(3, \"\", 10) = 10\n"
		"2 write(5, \"\", 20) = 20\n1 write(3, \"\", 30) = 30\n");
	expect_records("1:w a 0+10\n2:w  0+20?\n1:w a 10+30?\n");
}

Test(strace, a_write_that_overlaps_a_truncation_in_a_set_leaves_no_size)
{
	put("log.100",
	    "1700000001.000001 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3 <0.000001>\n"
	    "1700000001.000010 write(3, \"\", 50) = 50 <0.000001>\n"
	    "1700000001.000020 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = "
	    "101 <0.000005>\n1700000001.000110 pwrite64(3, \"\", 9, 0) = 9 <0.000100>\n"
	    "1700000001.000300 write(4, \"\", 6) = 6 <0.000001>\n");
	put("log.101",
	    "1700000001.000100 openat(AT_FDCWD, \"a\", O_WRONLY|O_TRUNC|O_APPEND) = 4 <0.000120>\n"
	    "1700000001.000250 +++ exited with 0 +++\n");
	convert_files(100);
	expect_records("100:w a 0+9\n100:w a 0+50\n100:w a 0+6?\n"); /* before they are sorted */
}

/* The durations are shorter than the calls were: 101's open came after all of 100's. */
Test(strace, of_two_calls_that_return_a_number_in_a_set_the_second_may_be_the_first)
{
	put("log.100",
	    "1700000001.000001 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3 <0.000001>\n"
	    "1700000001.000020 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = "
	    "101 <0.000005>\n1700000001.000110 pipe2([5, 6], 0) = 0 <0.000005>\n"
	    "1700000001.000120 close(5) = 0 <0.000005>\n"
	    "1700000001.000130 close(6) = 0 <0.000005>\n");
	put("log.101", "1700000001.000100 openat(AT_FDCWD, \"b\", O_RDWR|O_TRUNC) = 5 <0.000009>\n"
		       "1700000001.000200 write(5, \"\", 7) = 7 <0.000001>\n");
	convert_files(100);
	expect_records("100:w b 0+7\n");
	cr_expect_eq(counted("missed.close"), 0);
}

Test(strace, a_set_without_durations_leaves_the_order_of_threads_open)
{
	put("log.100",
	    "1700000001.000001 openat(AT_FDCWD, \"a\", O_RDWR|O_TRUNC) = 3\n"
	    "1700000001.000010 write(3, \"\", 50) = 50\n"
	    "1700000001.000020 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = "
	    "101\n1700000001.000110 write(3, \"\", 9) = 9\n");
	put("log.101", "1700000001.000300 pwrite64(3, \"\", 6, 7) = 6\n"
		       "1700000001.000400 +++ exited with 0 +++\n");
	convert_files(100);
	expect_records("100:w a 7+6\n100:w a 0+50\n100:w a 50+9?\n"); /* before they are sorted */
}
