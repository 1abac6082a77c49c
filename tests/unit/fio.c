/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs of fio: lines, limits, and logs that end anywhere. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "converters/fio/fio.h"

#include "converter_tools.h"

enum { BATCH = 64, NAME_CAPACITY = 40 };

static struct {
	uint64_t lost, ops;
	int status;
	struct iot_record last;
	struct report report;
} run;

TestSuite(fio, .timeout = 60);

static void take(const struct iot_event *ev)
{
	run.lost += ev->kind == IOT_LOST;
	run.ops += ev->kind == IOT_OP;
	if (ev->kind == IOT_RECORD)
		run.last = ev->rec;
}

static void convert(const void *data, size_t size)
{
	char name[NAME_CAPACITY];
	const char *path = name;
	struct error error = {0};
	struct iot_event ev[BATCH];
	const int fd = memfd_create("test", MFD_CLOEXEC);
	cr_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	memset(&run, 0, sizeof run);
	struct input *in = input_new(&path, 1, NULL, &error);
	cr_assert_not_null(in);
	struct source_state src = {
	    .converter = converter_find("fio"), .input = in, .watermark_ns = INT64_MIN};
	run.status = src.converter->open(&src);
	while (run.status >= 0 && (run.status = src.converter->next(&src, ev, BATCH)) > 0)
		for (int i = 0; i < run.status; i++)
			take(&ev[i]);
	run.report = src.report;
	src.converter->close(&src);
	input_free(in);
	(void)close(fd);
}

static void convert_text(const char *text)
{
	convert(text, strlen(text));
}

Test(fio, largest_numbers)
{
	convert_text(
	    "fio version 3 iolog\n9223372036854775 f read 18446744073709551615 4294967295\n");
	cr_expect_eq(run.last.start_ns, INT64_C(9223372036854775000));
	cr_expect_eq(run.last.offset, UINT64_MAX);
	cr_expect_eq(run.last.length, UINT32_MAX);
	convert_text("fio version 3 iolog\n9223372036854776 f read 0 1\n1 f read 0 4294967296\n"
		     "1 f read 18446744073709551616 1\n");
	cr_expect_eq(run.report.records, 0);
	cr_expect_eq(run.report.unparsed, 3);
}

/* fio accepts names of 255 bytes, and lines of 4,095 bytes. */
Test(fio, longest_names_and_lines)
{
	char text[8192];
	for (unsigned size = FIO_NAME_MAX; size <= FIO_NAME_MAX + 1; size++) {
		snprintf(text, sizeof text, "fio version 3 iolog\n1 %0*d read 0 1\n", (int)size, 0);
		convert_text(text);
		cr_expect_eq(run.report.unparsed, size > FIO_NAME_MAX);
	}
	for (unsigned size = FIO_LINE_MAX - 1; size <= FIO_LINE_MAX; size++) {
		snprintf(text, sizeof text, "fio version 3 iolog\n%-*s\n", (int)size,
			 "1 f read 0 1");
		convert_text(text);
		cr_expect_eq(run.report.unparsed, size == FIO_LINE_MAX);
	}
}

Test(fio, each_open_is_a_file)
{
	convert_text(
	    "fio version 3 iolog\n1 f open\n2 f read 0 1\n3 f close\n4 f open\n5 f read 0 1\n");
	cr_expect_eq(run.last.file, 2);
	cr_expect_eq(run.last.object, 1);
	cr_expect_eq(run.ops, 3);
}

Test(fio, samples)
{
	static const struct {
		const char *line;
		size_t columns;
	} lines[] = {{"0, 166247, 0, 4096, 28672, 0", 6},
		     {"0, 1, 2, 0, 0", 5},
		     {"7, 1, 1, 512", 4},
		     {"7, 1, 1, 512, 0, 0x0000, 99", 7},
		     {"7, 1, 1, 512, 0, 0, 99, 1", 0},
		     {"7, 1, 3, 512, 0, 0", 0},
		     {"7,1,1,512,0,0", 0},
		     {"7, 1, 1", 0},
		     {"7, 1, 1, ", 0},
		     {"a, 1, 1, 512", 0}};
	uint64_t column[FIO_COLUMNS_MAX];
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_expect_eq(
		    fio_sample_parse(lines[i].line, lines[i].line + strlen(lines[i].line), column),
		    lines[i].columns, "%s", lines[i].line);
}

Test(fio, kind_is_in_the_name_of_the_file)
{
	cr_expect_eq(fio_samples_kind("a_bw.b/x_lat.1.log"), FIO_LAT);
	cr_expect_eq(fio_samples_kind("x_clat.1.log"), FIO_CLAT);
	cr_expect_eq(fio_samples_kind("x_iops.log"), FIO_IOPS);
	cr_expect_eq(fio_samples_kind("a_bw.1/x.log"), FIO_UNNAMED);
}

Test(fio, log_that_ends_at_any_byte)
{
	static const char text[] =
	    "fio version 3 iolog\n23 f add\n136 f open\n141 f read 7168 8192\n"
	    "442 f write 96256 8192\n1007 f sync 0 0\n1008 f close\n";
	for (size_t n = 1; n < sizeof text; n++) {
		const bool whole = text[n - 1] == '\n' || n == strlen("fio version 3 iolog");
		convert(text, n);
		cr_expect_eq(run.status, whole ? IOT_OK : IOT_ETRUNCATED, "%zu bytes", n);
		cr_expect_eq(run.lost, !whole, "%zu bytes", n);
	}
}
