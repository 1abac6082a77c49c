/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs of Darshan and the text of its tools, as records and counters. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "converters/converter.h"

#include "converter_tools.h"
#include "darshan_build.h"

enum { TEXT_CAPACITY = 1 << 20, FILES = 64, SETTINGS = 3 };

enum {
	POSIX = 1,
	MPIIO = 2,
	LUSTRE = 8,
	STDIO = 9,
	DXT_POSIX = 10,
	DXT_MPIIO = 11,
	APXC = 13,
	HEATMAP = 15,
	DFS = 16
};

#define START_NS INT64_C(1700000000000000000)

/* A conversion: records one per line ("100+20 1:w /a 0+10": start and duration in microseconds
 * since the start of the job), directives as they are, and the end. */
static struct {
	char directory[64], path[80], other[80];
	struct setting settings[SETTINGS];
	size_t setting_count, read_size;
	int max;
	char *records, *directives;
	size_t records_size, directives_size;
	char file[FILES][64];
	uint64_t count, bytes;
	int status;
	struct source_state src;
} run;

static void enter(void)
{
	memset(&run, 0, sizeof run);
	run.max = 100;
	run.records = calloc(1, TEXT_CAPACITY);
	run.directives = calloc(1, TEXT_CAPACITY);
	strcpy(run.directory, "/tmp/iotrace-test-XXXXXX");
	cr_assert_not_null(mkdtemp(run.directory));
	snprintf(run.path, sizeof run.path, "%s/a.darshan", run.directory);
}

static void leave(void)
{
	unlink(run.path);
	if (run.other[0] != '\0')
		unlink(run.other);
	cr_expect_eq(rmdir(run.directory), 0);
	free(run.records);
	free(run.directives);
}

TestSuite(darshan, .init = enter, .fini = leave, .timeout = 300);

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(data, 1, size, f), size);
	cr_assert_eq(fclose(f), 0);
}

static void add(char *out, size_t *n, const char *text, size_t size)
{
	if (*n + size + 2 > TEXT_CAPACITY)
		return;
	memcpy(out + *n, text, size);
	*n += size;
	out[(*n)++] = '\n';
	out[*n] = '\0';
}

static void take_record(const struct iot_record *r)
{
	char line[160];
	int n = snprintf(line, sizeof line,
			 "%" PRId64 "+%" PRIu64 " %" PRIu32 ":%s %s %" PRIu64 "+%" PRIu64 "%s",
			 (r->start_ns - START_NS) / 1000, r->duration_ns / 1000, r->process,
			 (r->type & IOT_WRITE) != 0 ? "w" : "r", run.file[r->file % FILES],
			 r->offset, r->length, (r->flags & IOT_OFFSET_UNKNOWN) != 0 ? "?" : "");
	add(run.records, &run.records_size, line, (size_t)n);
	run.count++;
	run.bytes += r->length;
}

static void take(const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD) {
		take_record(&ev->rec);
		return;
	}
	if (ev->kind == IOT_FILE) {
		struct iot_text path = iot_directive_get(ev, "path");
		cr_assert(path.size < sizeof run.file[0]);
		memset(run.file[ev->rec.file % FILES], 0, sizeof run.file[0]);
		memcpy(run.file[ev->rec.file % FILES], path.data != NULL ? path.data : "",
		       path.size);
	}
	add(run.directives, &run.directives_size, ev->text.data, ev->text.size);
}

static void set(const char *name, const char *value)
{
	run.settings[run.setting_count++] = (struct setting){name, value};
}

/* The text in run.path (and run.other). */
static void convert(void)
{
	const char *paths[] = {run.path, run.other};
	struct error error = {0};
	struct input *in = input_new(paths, run.other[0] != '\0' ? 2 : 1, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	input_set_read_size(in, run.read_size);
	run.src = (struct source_state){.converter = converter_find("darshan"),
					.input = in,
					.settings = run.settings,
					.setting_count = run.setting_count};
	struct iot_event *ev = calloc((size_t)run.max, sizeof *ev);
	bool first = true;
	int got = run.src.converter->open(&run.src);
	while (got == IOT_OK && (got = run.src.converter->next(&run.src, ev, run.max)) > 0) {
		for (int i = 0; i < got; i++) {
			cr_expect(!first || ev[i].kind == IOT_TRACE, "%%trace comes first");
			first = false;
			take(&ev[i]);
		}
		got = IOT_OK;
	}
	run.status = got;
	run.src.converter->close(&run.src);
	input_free(in);
	free(ev);
}

static void convert_log(struct log *l)
{
	make_log(l);
	write_file(run.path, l->file.data, l->file.size);
	convert();
	free_log(l);
}

static void convert_text(const char *text)
{
	write_file(run.path, text, strlen(text));
	convert();
}

static void expect_records(const char *want)
{
	cr_expect_str_eq(run.records, want, "records:\n%sinstead of:\n%s", run.records, want);
}

static void expect_directive(const char *part)
{
	cr_expect_not_null(strstr(run.directives, part), "no '%s' in:\n%s", part, run.directives);
}

static uint64_t counted(const char *name)
{
	return counted_in(&run.src.report, name);
}

/* A log with one file, which has one write and one read. */
static struct log small_log(unsigned minor, bool swap)
{
	struct log l = new_log(minor, swap);
	add_name(&l, 77, "/scratch/a");
	if (minor > 0) {
		struct bytes *dxt = module(&l, DXT_POSIX, 1);
		add_head(dxt, 77, 2, 1, 1);
		add_segment(dxt, 0, 100, 0.25, 0.5);
		add_segment(dxt, 50, 10, 0.75, 0.75);
	}
	return l;
}

/* Formats */

Test(darshan, every_format_in_both_byte_orders)
{
	static const unsigned minors[] = {10, 20, 21, 41};
	for (unsigned i = 0; i < 8; i++) {
		struct log l = small_log(minors[i / 2], i % 2 != 0);
		convert_log(&l);
		cr_expect_eq(run.status, IOT_OK);
		expect_records("250000+250000 3:w /scratch/a 0+100\n"
			       "750000+0 3:r /scratch/a 50+10\n");
		expect_directive("%process id=3 rank=2 name=app host=node01\n");
		expect_directive("command=/bin/app%20-x job=42 uid=1000 ranks=4");
		expect_directive(" fs=lustre mount=/scratch\n");
		leave();
		enter();
	}
}

Test(darshan, names_of_the_oldest_format_have_a_length)
{
	struct log l = small_log(0, true);
	add_counters(module(&l, POSIX, 1), 77, -1, 68, 15, 6, 123);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_directive("%counter source=POSIX rank=-1 object=1 path=/scratch/a record=77 ");
	expect_directive(" POSIX_FOPENS=123 ");
	expect_directive(" POSIX_F_READ_START_TIMESTAMP=0.1 "
			 "POSIX_F_WRITE_START_TIMESTAMP=0.2 POSIX_F_READ_END_TIMESTAMP="
			 "0.30000000000000004 ");
	cr_expect_null(strstr(run.directives, "DUPS"), "a counter that version 1 does not have");
}

static void expect_refused(size_t at, const char *bytes, size_t n, const char *why)
{
	struct log l = small_log(41, false);
	make_log(&l);
	memcpy(l.file.data + at, bytes, n);
	write_file(run.path, l.file.data, l.file.size);
	convert();
	cr_expect_lt(run.status, 0);
	cr_expect_not_null(strstr(run.src.error.text, why), "%s", run.src.error.text);
	free_log(&l);
}

Test(darshan, refuses_what_is_no_log_of_a_known_format)
{
	static const char zeros[1328] = "";
	expect_refused(0, "2.06", 5, "older than 3.00");
	expect_refused(0, "3.30", 5, "3.30 is not supported");
	expect_refused(0, "x", 1, "no version");
	expect_refused(8, "\x38", 1, "magic");
	expect_refused(16, "\x09", 1, "compression 9");
	expect_refused(0, zeros, sizeof zeros, "incomplete log");
}

Test(darshan, small_reads_and_small_batches_make_no_difference)
{
	static const size_t sizes[] = {1, 17, 0};
	for (int i = 0; i < 3; i++) {
		struct log l = small_log(41, false);
		l.how = 0;
		run.read_size = sizes[i];
		run.max = 1;
		convert_log(&l);
		expect_records("250000+250000 3:w /scratch/a 0+100\n"
			       "750000+0 3:r /scratch/a 50+10\n");
		leave();
		enter();
	}
}

/* A log whose DXT has one stream for each rank, of `count` segments. */
static void convert_streams(const int count[], int ranks)
{
	struct log l = new_log(41, false);
	add_name(&l, 1, "/a");
	struct bytes *dxt = module(&l, DXT_POSIX, 1), streams = {.swap = false};
	for (int rank = 0; rank < ranks; rank++) {
		dxt->size = 0;
		add_head(dxt, 1, rank, count[rank], 0);
		for (int i = 0; i < count[rank]; i++)
			add_segment(dxt, 10 * rank, 10, 1 + rank, 2 + rank);
		uLongf size = compressBound(dxt->size);
		unsigned char *packed = malloc(size);
		cr_assert_eq(compress2(packed, &size, dxt->data, dxt->size, 1), Z_OK);
		put_bytes(&streams, packed, size);
		free(packed);
	}
	l.how = 0;
	make_log(&l);
	/* the streams after the log, and the map of the module that covers them */
	uint64_t map[2] = {l.file.size, streams.size};
	put_bytes(&l.file, streams.data, streams.size);
	memcpy(l.file.data + 48 + 16 * DXT_POSIX, map, sizeof map);
	write_file(run.path, l.file.data, l.file.size);
	convert();
	cr_expect_eq(run.status, IOT_OK, "%s", run.src.error.text);
	free(streams.data);
	free_log(&l);
}

Test(darshan, a_region_may_be_many_streams)
{
	convert_streams((const int[]){1, 1, 1}, 3);
	expect_records("1000000+1000000 1:w /a 0+10\n2000000+1000000 2:w /a 10+10\n"
		       "3000000+1000000 3:w /a 20+10\n");
}

Test(darshan, streams_too_large_to_be_unpacked_at_once_may_stand_among_others)
{
	enum { LARGE = 200000 };
	run.max = 1024;
	convert_streams((const int[]){1000, LARGE, 0, 1000, LARGE}, 5);
	cr_expect_eq(run.count, 2 * (LARGE + 1000));
	cr_expect_eq(run.bytes, 10 * 2 * (LARGE + 1000));
}

/* Records */

Test(darshan, writes_and_reads_are_merged_by_start_then_end_then_writes_first)
{
	struct log l = new_log(41, false);
	add_name(&l, 1, "/a");
	struct bytes *dxt = module(&l, DXT_POSIX, 1);
	add_head(dxt, 1, 0, 3, 3);
	add_segment(dxt, 0, 1, 2, 3);
	add_segment(dxt, 0, 2, 1, 4); /* a thread that ended later began earlier */
	add_segment(dxt, 0, 3, 5, 6);
	add_segment(dxt, 0, 4, 1, 2);
	add_segment(dxt, 0, 5, 2, 3);
	add_segment(dxt, 0, 6, 7, 8);
	convert_log(&l);
	expect_records("1000000+1000000 1:r /a 0+4\n1000000+3000000 1:w /a 0+2\n"
		       "2000000+1000000 1:w /a 0+1\n2000000+1000000 1:r /a 0+5\n"
		       "5000000+1000000 1:w /a 0+3\n7000000+1000000 1:r /a 0+6\n");
}

Test(darshan, a_record_longer_than_a_batch_loses_nothing)
{
	enum { EACH = 140000 };
	struct log l = new_log(41, false);
	struct bytes *dxt = module(&l, DXT_POSIX, 2);
	add_head(dxt, 1, 0, EACH, EACH);
	for (int i = 0; i < 2 * EACH; i++) {
		add_segment(dxt, i, 3, i % EACH * 1e-5, i % EACH * 1e-5);
		put_u64(dxt, 7);
	}
	l.how = 0;
	run.max = 1024;
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	cr_expect_eq(run.count, 2 * EACH);
	cr_expect_eq(run.bytes, 3 * 2 * EACH);
}

Test(darshan, offsets_that_the_log_does_not_know_are_flagged)
{
	struct log l = new_log(10, false);
	add_name(&l, 1, "/a");
	struct bytes *old = module(&l, DXT_MPIIO, 1), *dxt = module(&l, DXT_POSIX, 1);
	add_head(old, 1, 0, 1, 0);
	add_segment(old, 0, 5, 1, 2);
	add_head(dxt, 1, 0, 2, 0);
	add_segment(dxt, -1, 5, 3, 4);
	add_segment(dxt, 9, -5, 5, 6);
	set("layer", "both");
	convert_log(&l);
	expect_records("3000000+1000000 1:w /a 0+5?\n5000000+1000000 1:w /a 9+0\n"
		       "1000000+1000000 1:w /a 0+5?\n");
	cr_expect_eq(counted("unknown.offset_records"), 2);
	cr_expect_eq(counted("unknown.length_records"), 1);
	expect_directive("object=1 path=/a source-id=1 layer=posix");
	expect_directive("object=1 path=/a source-id=1 layer=mpiio");
}

Test(darshan, times_that_are_none_are_clamped_and_counted)
{
	struct log l = new_log(41, false);
	struct bytes *dxt = module(&l, DXT_POSIX, 1);
	add_head(dxt, 1, 0, 3, 0);
	add_segment(dxt, 0, 1, 2, 1);
	add_segment(dxt, 0, 2, NAN, INFINITY);
	add_segment(dxt, 0, 3, -1, 1);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_records("0+0 1:w  0+2\n0+1000000 1:w  0+3\n2000000+0 1:w  0+1\n");
	cr_expect_eq(counted("clock.negative_duration"), 1);
	cr_expect_eq(counted("clock.not_a_time"), 2);
	cr_expect_eq(counted("clock.before_start"), 1);
}

/* 2^63 nanoseconds are 9,223,372,036.85 s. */
Test(darshan, times_that_cannot_be_represented_are_counted)
{
	struct log l = new_log(41, false);
	struct bytes *dxt = module(&l, DXT_POSIX, 1);
	l.start_s = INT64_C(8589934591);
	add_head(dxt, 1, 0, 4, 0);
	add_segment(dxt, 0, 1, 1, 2);
	add_segment(dxt, 0, 2, 6.3e8, 6.4e8);
	add_segment(dxt, 0, 3, 9.9e8, 9.99e8);
	add_segment(dxt, 0, 4, -9.9e8, 3);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_records("6889934591000000+0 1:w  0+3\n6889934591000000+3000000 1:w  0+4\n"
		       "6889934592000000+1000000 1:w  0+1\n"
		       "7519934591000000+0 1:w  0+2\n");
	cr_expect_eq(counted("clock.not_a_time"), 3);
	cr_expect_eq(counted("clock.negative_duration"), 1);
	cr_expect_eq(counted("clock.before_start"), 1);
}

Test(darshan, threads_are_processes_where_it_is_asked_for)
{
	struct log l = new_log(41, false);
	add_name(&l, 1, "/a");
	struct bytes *dxt = module(&l, DXT_POSIX, 2);
	add_head(dxt, 1, 0, 2, 0);
	add_segment(dxt, 0, 1, 1, 2);
	put_u64(dxt, 111);
	add_segment(dxt, 0, 2, 3, 4);
	put_u64(dxt, 222);
	set("threads", "");
	convert_log(&l);
	expect_records("1000000+1000000 4293918720:w /a 0+1\n"
		       "3000000+1000000 4293918721:w /a 0+2\n");
	expect_directive("%process id=4293918720 thread-of=1 rank=0 thread=111\n");
}

/* Names */

Test(darshan, the_greatest_rank_and_a_thread_are_different_processes)
{
	struct log l = new_log(41, false);
	add_name(&l, 1, "/a");
	struct bytes *dxt = module(&l, DXT_POSIX, 2);
	add_head(dxt, 1, INT32_MAX, 1, 0);
	add_segment(dxt, 0, 1, 1, 2);
	put_u64(dxt, 111);
	set("threads", "");
	convert_log(&l);
	expect_directive(
	    "%process id=4293918720 thread-of=2147483648 rank=2147483647 thread=111\n");
}

Test(darshan, of_several_names_the_first_that_is_not_empty_counts)
{
	struct log l = small_log(41, false);
	l.names.size = 0;
	add_name(&l, 77, "");
	add_name(&l, 77, "/first");
	add_name(&l, 77, "/second");
	convert_log(&l);
	expect_records("250000+250000 3:w /first 0+100\n750000+0 3:r /first 50+10\n");
}

Test(darshan, a_name_that_does_not_end_costs_only_the_names)
{
	struct log l = small_log(41, false);
	l.names.size -= 1;
	convert_log(&l);
	cr_expect_eq(run.status, IOT_EFORMAT);
	cr_expect_not_null(strstr(run.src.error.text, "names: ends inside a name"), "%s",
			   run.src.error.text);
	expect_records("250000+250000 3:w  0+100\n750000+0 3:r  50+10\n");
}

/* Counters */

Test(darshan, bins_that_fill_a_line_go_on_in_the_next)
{
	enum { BINS = 3000 };
	struct log l = new_log(41, false);
	struct bytes *b = module(&l, HEATMAP, 1);
	put_u64(b, 5);
	put_i64(b, 1);
	put_f64(b, 0.1);
	put_i64(b, BINS);
	put_zeros(b, 16);
	for (int i = 0; i < 2 * BINS; i++)
		put_i64(b, INT64_MAX - i);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_directive(
	    " HEATMAP_F_BIN_WIDTH_SECONDS=0.1 HEATMAP_WRITE_BIN_0=9223372036854775807");
	expect_directive("%counter source=HEATMAP process=2 rank=1 object=1 record=5 part=2 ");
	expect_directive(" HEATMAP_READ_BIN_2999=9223372036854769808\n");
}

/* Cray XC routers: the record of the job, followed by the records of one router. */
static struct log router_log(int records, const char *path)
{
	struct log l = new_log(41, false);
	struct bytes *b = module(&l, APXC, 1);
	add_name(&l, 6, path);
	put_u64(b, 5);
	put_i64(b, 0);
	put_u64(b, UINT64_C(0x4155544f50455246));
	put_zeros(b, 48);
	for (int rank = 0; rank < records; rank++) {
		put_u64(b, 6);
		put_i64(b, rank);
		for (int i = 0; i < 396; i++)
			put_i64(b, INT64_MAX - i);
	}
	return l;
}

Test(darshan, a_layout_is_known_though_zeros_follow_or_the_end_is_missing)
{
	struct log l = router_log(1, "APXC");
	put_zeros(module(&l, APXC, 1), 5000);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_directive(" record=6 APXC_GROUP=9223372036854775807 ");
	leave();
	enter();
	l = router_log(1, "APXC");
	make_log(&l);
	write_file(run.path, l.file.data, l.file.size - 8);
	convert();
	free_log(&l);
	cr_expect_eq(run.status, IOT_ETRUNCATED);
	expect_directive(" record=5 APXC_MAGIC=");
	cr_expect_null(strstr(run.directives, "skipped"), "%s", run.directives);
}

Test(darshan, a_layout_without_a_name_is_not_known)
{
	struct log l = router_log(1, "");
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_directive("%counter source=APXC module=13 version=1 bytes-skipped=3256\n");
}

/* A path of 15,000 bytes, each of which is encoded as three. */
Test(darshan, counters_that_fill_a_line_go_on_in_the_next)
{
	enum { PATH = 15000 };
	static char path[PATH + 1];
	memset(path, 1, PATH);
	struct log l = router_log(2, path);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	cr_expect_eq(counted("directive.too_long"), 0);
	expect_directive("%counter source=APXC process=1 rank=0 object=1 record=5 APXC_MAGIC=");
	expect_directive(" record=6 APXC_GROUP=9223372036854775807 ");
	expect_directive(" record=6 part=2 APXC_AR_RTR_");
	expect_directive("APXC_AR_RTR_PT_5_7_INQ_PRF_RSP_ROWBUS_STALL_CNT=9223372036854775412\n");
}

Test(darshan, a_record_that_comes_again_is_reported_once)
{
	struct log l = new_log(41, true);
	struct bytes *lustre = module(&l, LUSTRE, 2), *heat = module(&l, HEATMAP, 1);
	for (int i = 0; i < 5; i++) {
		put_u64(lustre, 5);
		put_i64(lustre, i < 3 ? 1 : 2);
		put_i64(lustre, 0);
		put_i64(lustre, 1);
		put_i64(lustre, 17);
		put_u64(heat, 6);
		put_i64(heat, 1);
		put_f64(heat, i < 4 ? 0.5 : 1);
		put_zeros(heat, 24);
	}
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_directive(" rank=1 object=1 record=5 LUSTRE_NUM_COMPONENTS=0 LUSTRE_NUM_STRIPES=1 "
			 "LUSTRE_OST_ID_0=17 times=3\n");
	expect_directive(" rank=2 object=1 record=5 LUSTRE_NUM_COMPONENTS=0 LUSTRE_NUM_STRIPES=1 "
			 "LUSTRE_OST_ID_0=17 times=2\n");
	expect_directive(" HEATMAP_F_BIN_WIDTH_SECONDS=0.5 times=4\n");
	expect_directive(" HEATMAP_F_BIN_WIDTH_SECONDS=1\n");
	cr_expect_eq(counted("counters.records"), 10);
}

Test(darshan, unknown_modules_are_reported_and_skipped)
{
	struct log l = small_log(41, false);
	put_zeros(module(&l, DFS, 2), 100);
	put_zeros(module(&l, STDIO, 9), 50);
	put_zeros(module(&l, 0, 1), 10);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	expect_directive("%counter source=DFS module=16 version=2 bytes-skipped=100\n");
	expect_directive("%counter source=STDIO module=9 version=9 bytes-skipped=50\n");
	expect_directive("%counter source=unknown module=0 version=1 bytes-skipped=10\n");
	cr_expect_eq(counted("skipped.modules"), 3);
	cr_expect_eq(run.src.report.notes_made, 3);
}

Test(darshan, a_module_that_ran_out_of_memory_is_lost_in_part)
{
	for (int swap = 0; swap < 2; swap++) {
		struct log l = small_log(21, swap != 0);
		l.partial = 1 << 9;
		convert_log(&l);
		cr_expect_eq(run.status, IOT_OK);
		expect_directive("%lost time=1700000009999999999 "
				 "why=module%20DXT_POSIX%20ran%20out%20of%20memory");
		cr_expect_eq(counted("partial.modules"), 1);
		leave();
		enter();
	}
}

Test(darshan, a_lack_of_dxt_is_reported_and_counters_are_there)
{
	struct log l = new_log(41, false);
	add_counters(module(&l, STDIO, 2), 3, 1, 14, 15, 0, 7);
	convert_log(&l);
	cr_expect_eq(run.status, IOT_OK);
	cr_expect_eq(run.count, 0);
	cr_expect_not_null(strstr(run.src.report.note[0], "has no DXT data"));
	expect_directive(" STDIO_OPENS=7 ");
	expect_directive("%process id=2 rank=1 name=app\n");
}

Test(darshan, check_compares_with_the_counters)
{
	struct log l = small_log(41, false);
	add_counters(module(&l, POSIX, 4), 77, 2, 69, 17, 3, 5);
	set("check", "");
	convert_log(&l);
	const struct report *r = &run.src.report;
	cr_expect_eq(run.status, IOT_OK);
	cr_assert_eq(r->differences_found, 4);
	cr_expect_str_eq(r->difference[0].where, "POSIX, rank 2, /scratch/a");
	cr_expect_str_eq(r->difference[0].what, "reads");
	cr_expect_eq(r->difference[0].source_says, 5);
	cr_expect_eq(r->difference[0].converted, 1);
	cr_expect_str_eq(r->difference[3].what, "bytes written");
}

/* Damage */

static void expect_damage(const char *why, const char *records)
{
	cr_expect_lt(run.status, 0);
	cr_expect_not_null(strstr(run.src.error.text, why), "%s", run.src.error.text);
	expect_records(records);
}

Test(darshan, counts_that_cannot_be_end_the_module_alone)
{
	static const int64_t counts[] = {-1, INT64_MAX, INT64_MIN};
	for (int i = 0; i < 3; i++) {
		struct log l = small_log(41, false);
		add_head(module(&l, DXT_POSIX, 1), 78, 0, counts[i], counts[i]);
		add_counters(module(&l, STDIO, 2), 3, 1, 14, 15, 0, 7);
		convert_log(&l);
		expect_damage("module DXT_POSIX: a record of rank 0 with",
			      "250000+250000 3:w /scratch/a 0+100\n"
			      "750000+0 3:r /scratch/a 50+10\n");
		expect_directive(" STDIO_OPENS=7 ");
		leave();
		enter();
	}
}

Test(darshan, what_comes_before_a_cut_is_kept)
{
	struct log l = small_log(41, false);
	make_log(&l);
	write_file(run.path, l.file.data, l.file.size - 10);
	convert();
	expect_damage("the file ends inside it", "250000+250000 3:w /scratch/a 0+100\n");
	cr_expect_eq(run.status, IOT_ETRUNCATED);
	cr_expect_eq(counted("damaged.segments"), 1);
	free_log(&l);
}

Test(darshan, a_changed_byte_in_a_stream_is_caught)
{
	struct log l = small_log(41, false);
	l.how = 0;
	make_log(&l);
	l.file.data[l.file.size - 1] ^= 1; /* of its checksum */
	write_file(run.path, l.file.data, l.file.size);
	convert();
	expect_damage("module DXT_POSIX: incorrect data check",
		      "250000+250000 3:w /scratch/a 0+100\n750000+0 3:r /scratch/a 50+10\n");
	free_log(&l);
}

Test(darshan, a_region_on_another_is_refused)
{
	struct log l = small_log(41, false);
	add_counters(module(&l, STDIO, 2), 3, 1, 14, 15, 0, 7);
	make_log(&l);
	memcpy(l.file.data + 48 + 16 * STDIO, l.file.data + 48 + 16 * DXT_POSIX, 16);
	write_file(run.path, l.file.data, l.file.size);
	convert();
	cr_expect_lt(run.status, 0);
	expect_directive("module%20DXT_POSIX:%20overlaps%20the%20preceding%20region");
	free_log(&l);
}

Test(darshan, several_logs_are_one_trace_with_processes_of_their_own)
{
	struct log l = small_log(41, false);
	make_log(&l);
	snprintf(run.other, sizeof run.other, "%s/b.darshan", run.directory);
	write_file(run.other, l.file.data, l.file.size);
	write_file(run.path, l.file.data, l.file.size);
	convert();
	cr_expect_eq(run.status, IOT_OK);
	expect_records("250000+250000 3:w /scratch/a 0+100\n750000+0 3:r /scratch/a 50+10\n"
		       "250000+250000 7:w /scratch/a 0+100\n750000+0 7:r /scratch/a 50+10\n");
	free_log(&l);
}

/* Text */

#define TEXT_HEAD                                                                                  \
	"# darshan log version: 3.10\n# exe: ./a b\n# uid: 1\n# jobid: 2\n"                        \
	"# start_time: 1700000000\n# end_time: 1700000001\n# nprocs: 4\n"                          \
	"# mount entry:\t/scratch\text4\n\n# ****\n# DXT_POSIX module data\n# ****\n\n"            \
	"# DXT, file_id: 9, file_name: /scratch/a b\n# DXT, rank: 1, hostname: h\n"                \
	"# DXT, write_count: 1, read_count: 1\n# Module ...\n"

Test(darshan, rows_of_old_and_new_tools)
{
	convert_text(TEXT_HEAD
		     " X_POSIX       1  write        0             100              10      0.5000"
		     "      0.6000\n"
		     " X_POSIX       1   read        0             200              20      0.7000"
		     "      0.7000  [ 3]  [4]   140086048592960\n"
		     " X_POSIX       1   read        11234567890123456              30      0.8000"
		     "      0.8001   N/A\n");
	cr_expect_eq(run.status, IOT_OK);
	expect_records("500000+100000 2:w /scratch/a%20b 100+10\n"
		       "700000+0 2:r /scratch/a%20b 200+20\n"
		       "800000+100 2:r /scratch/a%20b 1234567890123456+30\n");
	expect_directive("command=./a%20b job=2 uid=1 ranks=4 job-start=1700000000");
	expect_directive(" fs=ext4 mount=/scratch\n");
	cr_expect_eq(run.src.tick_ns, 100000);
}

Test(darshan, rows_of_mpiio_once_had_no_offset)
{
	set("layer", "mpiio");
	convert_text(TEXT_HEAD
		     " X_MPIIO       1  write        0              10      0.5000      0.6000\n"
		     " X_MPIIO       1  write        1              64              10      0.7000"
		     "      0.8000\n");
	cr_expect_eq(run.status, IOT_OK);
	expect_records("500000+100000 2:w /scratch/a%20b 0+10?\n"
		       "700000+100000 2:w /scratch/a%20b 64+10\n");
}

Test(darshan, rows_that_are_not_certain_are_not_guessed)
{
	convert_text(TEXT_HEAD " X_POSIX       1  write        0              10      0.5000"
			       "      0.6000\n"
			       " X_POSIX       2  write        1   1   1      0.5000      0.6000\n"
			       " X_POSIX       1  write        2   1   1      0.5   0.6\n");
	cr_expect_eq(run.src.report.unparsed, 3);
	expect_records("");
}

Test(darshan, lines_of_one_record_are_one_counter)
{
	convert_text("# darshan log version: 3.41\n# start_time: 1\n# end_time: 2\n"
		     "POSIX\t-1\t7\tPOSIX_OPENS\t4\t/a\tb\t/\text4\n"
		     "POSIX\t-1\t7\tPOSIX_F_READ_TIME\t0.250000\t/a\tb\t/\text4\n"
		     "POSIX\t0\t8\tPOSIX_OPENS\t1\t(null)\t/\text4\n"
		     "POSIX\t0\t8\tPOSIX_OPENS\t2\t(null)\t/\text4\n"
		     "total_POSIX_OPENS: 7\nnonsense\n");
	cr_expect_eq(run.status, IOT_OK);
	expect_directive("%counter source=POSIX rank=-1 object=1 path=/a%09b record=7 "
			 "POSIX_OPENS=4 POSIX_F_READ_TIME=0.250000\n");
	expect_directive(
	    "%counter source=POSIX process=1 rank=0 object=2 record=8 POSIX_OPENS=1\n");
	expect_directive(
	    "%counter source=POSIX process=1 rank=0 object=2 record=8 POSIX_OPENS=2\n");
	cr_expect_eq(run.src.report.unparsed, 1);
}
