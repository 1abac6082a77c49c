/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of Recorder, made here call by call, as records: the traps of the format one by one. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "converters/converter.h"

#include "converter_tools.h"

enum { RANKS = 8, CALLS = 64, CAPACITY = 1 << 16, FILES = 16, NAMES = 24 };

static const char *const names[NAMES] = {"creat",
					 "open",
					 "close",
					 "read",
					 "write",
					 "lseek",
					 "pread",
					 "pwrite",
					 "readv",
					 "fopen",
					 "fclose",
					 "fwrite",
					 "fread",
					 "fseek",
					 "rename",
					 "unlink",
					 "dup",
					 "MPI_Barrier",
					 "MPI_File_open",
					 "MPI_File_write_at",
					 "MPI_File_set_view",
					 "MPI_File_write",
					 "MPI_File_write_shared",
					 "ftruncate"};

struct buffer {
	char data[CAPACITY];
	size_t size;
};

/* The contents of a trace to build, and the result of its conversion. */
static struct {
	char directory[64], file[FILES][96];
	unsigned files, ranks;
	struct buffer cst, grammar[RANKS], times[RANKS];
	unsigned signatures, calls[RANKS];
	char key[CALLS][256]; /* of the signatures */
	bool inter, intra, no_posix, threads;
	double tick_s, start_s;
	const char *layer;
	char records[CAPACITY], directives[CAPACITY], path[FILES * 16][64];
	size_t records_size, directives_size;
	uint8_t flags;
	int status;
	struct source_state src;
} t;

static void enter(void)
{
	memset(&t, 0, sizeof t);
	t.tick_s = 1e-6;
	t.start_s = 1.7e9;
	t.ranks = 1;
	strcpy(t.directory, "/tmp/iotrace-test-XXXXXX");
	cr_assert_not_null(mkdtemp(t.directory));
}

static void leave(void)
{
	for (unsigned i = 0; i < t.files; i++)
		unlink(t.file[i]);
	cr_expect_eq(rmdir(t.directory), 0);
}

TestSuite(recorder, .init = enter, .fini = leave);

static void put(struct buffer *b, const void *data, size_t size)
{
	cr_assert(b->size + size <= CAPACITY);
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

static void put32(struct buffer *b, int32_t value)
{
	put(b, &value, sizeof value);
}

static void put64(struct buffer *b, uint64_t value)
{
	put(b, &value, sizeof value);
}

static void put_block(struct buffer *b, const struct buffer *from)
{
	uLongf size = compressBound(from->size);
	unsigned char *packed = malloc(size);
	cr_assert_not_null(packed);
	cr_assert_eq(compress(packed, &size, (const Bytef *)from->data, from->size), Z_OK);
	put64(b, size);
	put64(b, from->size);
	put(b, packed, size);
	free(packed);
}

static void save(const char *name, const struct buffer *b)
{
	char *path = t.file[t.files++];
	strcat(strcat(strcpy(path, t.directory), "/"), name);
	FILE *f = fopen(path, "wb");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(b->data, 1, b->size, f), b->size);
	cr_assert_eq(fclose(f), 0);
}

/* The number of a signature: "write /d/a %p 10", where a blank follows every argument. */
static int32_t signature(uint64_t thread, const char *call)
{
	char key[256];
	size_t n = strcspn(call, " "), args = strlen(call + n);
	int32_t function = 0;
	while (function < NAMES &&
	       (strlen(names[function]) != n || memcmp(names[function], call, n) != 0))
		function++;
	if (function == NAMES)
		function = 255;
	unsigned count = 0;
	for (const char *p = call + n; *p != '\0'; p++)
		count += *p == ' ';
	memset(key, 0, sizeof key);
	memcpy(key, &thread, 8);
	memcpy(key + 8, &function, 4);
	key[13] = (char)count;
	int32_t size = args == 0 ? 0 : (int32_t)args;
	memcpy(key + 14, &size, 4);
	if (args > 0) {
		memcpy(key + 18, call + n + 1, args - 1);
		key[18 + args - 1] = ' ';
	}
	for (unsigned i = 0; i < t.signatures; i++)
		if (memcmp(t.key[i], key, sizeof key) == 0)
			return (int32_t)i;
	memcpy(t.key[t.signatures], key, sizeof key);
	put32(&t.cst, (int32_t)t.signatures);
	put32(&t.cst, 0);
	put32(&t.cst, 18 + size);
	put32(&t.cst, 1);
	put(&t.cst, key, 18 + (size_t)size);
	return (int32_t)t.signatures++;
}

/* A call of a rank that starts this number of ticks after the previous one, and takes 1. */
static void call_at(unsigned rank, uint64_t thread, int32_t later, const char *text)
{
	put32(&t.grammar[rank], signature(thread, text));
	put32(&t.grammar[rank], 1);
	put32(&t.times[rank], later);
	put32(&t.times[rank], later + 1);
	t.calls[rank]++;
	t.ranks = rank >= t.ranks ? rank + 1 : t.ranks;
}

static void call(const char *text)
{
	call_at(0, 0, 10, text);
}

static void save_meta(void)
{
	struct buffer b = {.size = 0};
	const char flags[8] = {!t.no_posix, 1, 1, 1, 1, 1, t.threads, 1};
	const char four[4] = {1, 1, t.inter, t.intra};
	put32(&b, (int32_t)t.ranks);
	put(&b, flags, 8);
	put32(&b, 0x55555555); /* padding holds garbage */
	put(&b, &t.start_s, 8);
	put(&b, &t.tick_s, 8);
	put32(&b, 0);
	put(&b, four, 4);
	b.size = 1024;
	for (size_t i = 0; i < NAMES; i++) {
		put(&b, names[i], strlen(names[i]));
		put(&b, "\n", 1);
	}
	save("recorder.mt", &b);
}

static void save_trace(void)
{
	static struct buffer cst, cfg, times, ug, one;
	cst.size = cfg.size = times.size = ug.size = 0;
	struct buffer version = {.data = "3.0.0", .size = 5};
	save("VERSION", &version);
	save_meta();
	one.size = 0;
	put32(&one, (int32_t)t.signatures);
	put(&one, t.cst.data, t.cst.size);
	put_block(&cst, &one);
	save("recorder.cst", &cst);
	static struct buffer payload[RANKS];
	for (unsigned r = 0; r < t.ranks; r++) {
		one.size = payload[r].size = 0;
		put32(&one, 1);
		put32(&one, -1);
		put32(&one, (int32_t)t.calls[r]);
		put(&one, t.grammar[r].data, t.grammar[r].size);
		put_block(&cfg, &one);
		put32(&ug, (int32_t)r);
		if (t.calls[r] > 0)
			put_block(&payload[r], &t.times[r]);
		put64(&times, payload[r].size);
	}
	put32(&ug, (int32_t)t.ranks);
	for (unsigned r = 0; r < t.ranks; r++)
		put(&times, payload[r].data, payload[r].size);
	save("ug.cfg", &cfg);
	save("ug.mt", &ug);
	save("recorder.ts", &times);
}

static void add(char *out, size_t *n, const char *text, size_t size)
{
	cr_assert(*n + size + 2 < CAPACITY);
	memcpy(out + *n, text, size);
	*n += size;
	out[(*n)++] = '\n';
	out[*n] = '\0';
}

/* "0:w /d/a 0+10", followed by "?" if the offset is not known */
static void take(const struct iot_event *ev)
{
	char line[160];
	const struct iot_record *r = &ev->rec;
	if (ev->kind != IOT_RECORD) {
		add(t.directives, &t.directives_size, ev->text.data, ev->text.size);
		if (ev->kind != IOT_FILE)
			return;
		struct iot_text path = iot_directive_get(ev, "path");
		cr_assert(ev->rec.file < FILES * 16 && path.size < sizeof t.path[0]);
		if (path.data != NULL)
			t.path[ev->rec.file][iot_percent_decode(path, t.path[ev->rec.file], NULL)] =
			    '\0';
		return;
	}
	int n = snprintf(line, sizeof line, "%u:%c%s %s %" PRIu64 "+%" PRIu64 "%s", r->process - 1,
			 (r->type & IOT_WRITE) != 0 ? 'w' : 'r',
			 (r->type & IOT_ASYNC) != 0 ? "a" : "", t.path[r->file], r->offset,
			 r->length, (r->flags & IOT_OFFSET_UNKNOWN) != 0 ? "?" : "");
	add(t.records, &t.records_size, line, (size_t)n);
	t.flags |= r->flags;
}

static void convert(void)
{
	const char *path[] = {t.directory};
	struct iot_event ev[50];
	struct setting settings[] = {{"layer", t.layer}, {"check", ""}};
	struct error error = {.status = IOT_OK};
	struct input *in = input_new(path, 1, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	t.src = (struct source_state){.converter = converter_find("recorder"),
				      .input = in,
				      .settings = t.layer == NULL ? settings + 1 : settings,
				      .setting_count = t.layer == NULL ? 1 : 2};
	cr_expect_gt(t.src.converter->sniff(in), 0);
	int n = t.src.converter->open(&t.src);
	while (n >= 0 && (n = t.src.converter->next(&t.src, ev, 50)) > 0)
		for (int i = 0; i < n; i++)
			take(&ev[i]);
	t.status = n;
	t.src.converter->close(&t.src);
	input_free(in);
}

static void expect(const char *records)
{
	save_trace();
	convert();
	cr_expect_eq(t.status, IOT_OK, "%s", t.src.error.text);
	cr_expect_str_eq(t.records, records);
}

static void has_directive(const char *text)
{
	cr_expect_not_null(strstr(t.directives, text), "no '%s' in:\n%s", text, t.directives);
}

static uint64_t counted(const char *name)
{
	return counted_in(&t.src.report, name);
}

/* Positions */

Test(recorder, positions_go_on_with_each_call)
{
	call("open /d/a 66 420");
	call("write /d/a %p 10");
	call("write /d/a %p 20");
	call("lseek /d/a 5 0");
	call("read /d/a %p 7");
	call("lseek /d/a -2 1");
	call("readv /d/a 9 3");
	call("pwrite /d/a %p 3 100");
	call("write /d/a %p 1");
	call("close /d/a");
	expect("0:w /d/a 0+10\n0:w /d/a 10+20\n0:r /d/a 5+7\n0:r /d/a 10+9\n0:w /d/a 100+3\n"
	       "0:w /d/a 19+1\n");
	has_directive("op name=close");
	has_directive("process id=1 rank=0");
}

Test(recorder, reads_stop_at_an_end_that_is_known)
{
	call("open /d/a 578 420");
	call("write /d/a %p 100");
	call("pread /d/a %p 50 80");
	call("lseek /d/a 90 0");
	call("read /d/a %p 500");
	call("read /d/a %p 500");
	expect("0:w /d/a 0+100\n0:r /d/a 80+20\n0:r /d/a 90+10\n0:r /d/a 100+0\n");
}

Test(recorder, another_rank_that_writes_makes_the_end_unknown)
{
	call_at(0, 0, 10, "open /d/a 578 420");
	call_at(0, 0, 10, "write /d/a %p 100");
	call_at(1, 0, 30, "open /d/a 2");
	call_at(1, 0, 10, "pwrite /d/a %p 10 1000");
	call_at(0, 0, 1000, "lseek /d/a 0 2");
	call_at(0, 0, 1, "read /d/a %p 7");
	expect("0:w /d/a 0+100\n1:w /d/a 1000+10\n0:r /d/a 100+7?\n");
}

Test(recorder, streams_count_items)
{
	call("fopen /d/a w+");
	call("fwrite %p 8 16 /d/a");
	call("fseek /d/a -28 2");
	call("fread %p 10 5 /d/a");
	call("fclose /d/a");
	call("fopen /d/a a");
	call("fwrite %p 5 3 /d/a");
	expect("0:w /d/a 0+128\n0:r /d/a 100+28\n0:w /d/a 128+15\n");
}

Test(recorder, appending_goes_to_the_end_wherever_the_position_is)
{
	call("open /d/a 1089 420");
	call("write /d/a %p 10");
	call("lseek /d/a 3 0");
	call("write /d/a %p 20");
	expect("0:w /d/a 0+10?\n0:w /d/a 10+20?\n");
	has_directive("counter source=recorder unknown.offset_records=2");
}

Test(recorder, a_file_closed_may_live_on_in_a_copy_of_its_descriptor)
{
	call("open /d/a 0");
	call("dup 3");
	call("read /d/a %p 10");
	call("close /d/a");
	call("read /d/a %p 10");
	expect("0:r /d/a 0+10\n0:r /d/a 10+10\n");
	has_directive("file process=1 id=2 object=1 path=/d/a");
}

Test(recorder, two_opens_of_a_path_are_ambiguous)
{
	call("open /d/a 0");
	call("open /d/a 2");
	call("write /d/a %p 1");
	call("read /d/a %p 10");
	expect("0:w /d/a 0+1\n0:r /d/a 1+10\n");
	cr_expect_eq(counted("ambiguous.handle"), 1);
}

Test(recorder, what_was_never_opened_has_no_known_position)
{
	call("read /d/a %p 10");
	call("lseek /d/a 100 0");
	call("read /d/a %p 10");
	expect("0:r /d/a 0+10?\n0:r /d/a 100+10\n");
	cr_expect_eq(counted("unopened_records"), 2);
}

Test(recorder, renamed_files_stay_the_same_object)
{
	call("open /d/a 577 420");
	call("write /d/a %p 10");
	call("close /d/a");
	call("rename /d/a /d/b");
	call("open /d/b 0");
	call("read /d/b %p 50");
	call("unlink /d/b");
	call("open /d/b 577 420");
	expect("0:w /d/a 0+10\n0:r /d/b 0+10\n");
	has_directive("file process=1 id=2 object=1 path=/d/b");
	has_directive("file process=1 id=3 object=2 path=/d/b");
}

Test(recorder, lengths_beyond_2_gib_of_vectors_have_wrapped)
{
	call("open /d/a 0");
	call("readv /d/a -2147483648 4");
	expect("0:r /d/a 0+2147483648\n");
	cr_expect_eq(counted("ambiguous.length"), 1);
}

Test(recorder, arguments_that_are_none_are_counted)
{
	call("open /d/a 0");
	call("read /d/a %p ten");
	call("pread /d/a %p 5");
	call("read /d/a %p 99999999999999999999");
	call("pread /d/a %p 5 -1");
	expect("");
	cr_expect_eq(t.src.report.unparsed, 3);
	cr_expect_eq(counted("failed.negative_offset"), 1);
}

/* Patterns */

Test(recorder, differences_run_on_per_function)
{
	t.intra = true;
	call("open /d/a 66 420");
	call("pwrite /d/a %p 8 100");
	call("pwrite /d/a %p 8 50");
	call("pread /d/a %p 8 50");
	call("pwrite /d/a %p 8 -30");
	call("lseek /d/a 7 0");
	call("lseek /d/a 7 0");
	call("write /d/a %p 8");
	expect("0:w /d/a 100+8\n0:w /d/a 150+8\n0:r /d/a 50+8\n0:w /d/a 120+8\n0:w /d/a 14+8\n");
}

Test(recorder, slopes_go_by_the_place_among_ranks_of_as_many_signatures)
{
	t.inter = true;
	for (unsigned r = 0; r < 5; r++) {
		call_at(r, 0, (int32_t)r + 1, "open /d/a 66 420");
		call_at(r, 0, 10, "pwrite /d/a %p 8 -512*r+2000");
		if (r % 2 == 1) /* ranks 1 and 3 are others */
			call_at(r, 0, 10, "pwrite /d/a %p 9 0*r+40");
	}
	expect("0:w /d/a 2000+8\n1:w /d/a 2000+8\n2:w /d/a 1488+8\n3:w /d/a 1488+8\n"
	       "4:w /d/a 976+8\n1:w /d/a 40+9\n3:w /d/a 40+9\n");
}

Test(recorder, slopes_and_differences_together)
{
	t.inter = t.intra = true;
	for (unsigned r = 0; r < 3; r++) {
		call_at(r, 0, (int32_t)r + 1, "open /d/a 66 420");
		call_at(r, 0, 100, "pwrite /d/a %p 8 512*r+1000");
		call_at(r, 0, 100, "pwrite /d/a %p 8 16");
	}
	expect("0:w /d/a 1000+8\n1:w /d/a 1512+8\n2:w /d/a 2024+8\n"
	       "0:w /d/a 1016+8\n1:w /d/a 1528+8\n2:w /d/a 2040+8\n");
}

/* Times */

Test(recorder, starts_may_go_back)
{
	call_at(0, 0, 10, "open /d/a 66 420");
	call_at(0, 0, 100, "pwrite /d/a %p 1 0");
	call_at(0, 0, -50, "pwrite /d/a %p 2 0");
	expect("0:w /d/a 0+1\n0:w /d/a 0+2\n");
	cr_expect_eq(counted("clock.backwards"), 1);
}

Test(recorder, times_near_the_end_of_the_range_end_the_rank)
{
	t.start_s = 8.9e9;
	t.tick_s = 0.5;
	call_at(0, 0, 10, "open /d/a 66 420");
	call_at(0, 0, 100, "pwrite /d/a %p 1 0");
	call_at(0, 0, 2000000000, "pwrite /d/a %p 2 0");
	save_trace();
	convert();
	cr_expect_str_eq(t.records, "0:w /d/a 0+1\n");
	cr_expect_eq(t.status, IOT_EFORMAT);
}

Test(recorder, a_start_beyond_the_range_is_no_date)
{
	t.start_s = 5e10;
	call("open /d/a 66 420");
	call("pwrite /d/a %p 1 0");
	expect("0:w /d/a 0+1\n");
	cr_expect_null(strstr(t.directives, "epoch="));
}

Test(recorder, with_one_thread_a_large_difference_is_a_long_time)
{
	t.threads = true;
	call_at(0, 7, 10, "open /d/a 66 420");
	call_at(0, 7, -50, "pwrite /d/a %p 2 0");
	expect("0:w /d/a 0+2\n");
	cr_expect_eq(counted("clock.backwards"), 0);
}

Test(recorder, with_fine_ticks_a_warning_says_that_pauses_may_be_lost)
{
	t.tick_s = 1e-9;
	call("open /d/a 66 420");
	call("pwrite /d/a %p 2 0");
	expect("0:w /d/a 0+2\n");
	cr_expect_eq(t.src.report.notes_made, 1);
	cr_expect_eq(t.src.tick_ns, 1);
}

Test(recorder, user_functions_are_no_calls)
{
	call("open /d/a 66 420");
	call("outer prog.so outer");
	call("write /d/a %p 2");
	expect("0:w /d/a 0+2\n");
	cr_expect_eq(t.src.report.calls, 3);
}

/* Layers */

static void mpi_calls(void)
{
	call("MPI_File_open MPI_COMM_WORLD /d/a 9 %p 0-0");
	call("MPI_File_write_at 0-0 100 %p 10 MPI_INT MPI_STATUS_IGNORE");
	call("MPI_File_set_view 0-0 1000 MPI_DOUBLE MPI_DOUBLE native %p");
	call("MPI_File_write_at 0-0 2 %p 1 MPI_DOUBLE MPI_STATUS_IGNORE");
	call("MPI_File_write 0-0 %p 2 MPI_DOUBLE MPI_STATUS_IGNORE");
	call("MPI_File_write 0-0 %p 2 MPI_DOUBLE MPI_STATUS_IGNORE");
	call("MPI_File_write 0-0 %p 2 MPI_TYPE_UNKNOWN MPI_STATUS_IGNORE");
	call("MPI_File_write_shared 0-0 %p 2 MPI_BYTE MPI_STATUS_IGNORE");
	call("MPI_File_set_view 0-0 0 MPI_BYTE MPI_TYPE_UNKNOWN native %p");
	call("MPI_File_write_at 0-0 2 %p 1 MPI_BYTE MPI_STATUS_IGNORE");
}

Test(recorder, mpi_offsets_count_etypes_of_the_view)
{
	t.layer = "mpiio";
	mpi_calls();
	expect("0:w /d/a 100+40\n0:w /d/a 1016+8\n0:w /d/a 1000+16\n0:w /d/a 1016+16\n"
	       "0:w /d/a 0+2?\n0:w /d/a 0+1?\n");
	cr_expect_eq(counted("hidden.mpi_type"), 1);
	has_directive("op name=write");
}

Test(recorder, posix_calls_are_the_layer_by_default)
{
	mpi_calls();
	expect("");
}

Test(recorder, without_posix_calls_mpi_io_is_the_layer)
{
	t.no_posix = true;
	call("MPI_File_open MPI_COMM_WORLD /d/a 9 %p 0-0");
	call("MPI_File_write_at 0-0 100 %p 10 MPI_INT MPI_STATUS_IGNORE");
	expect("0:w /d/a 100+40\n");
	cr_expect_eq(t.src.report.notes_made, 1);
	has_directive("layer=mpiio");
}

/* Damage */

static void damage(const char *name, long at, char byte)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", t.directory, name);
	FILE *f = fopen(path, "r+b");
	cr_assert_not_null(f);
	cr_assert_eq(fseek(f, at, SEEK_SET), 0);
	cr_assert_eq(fputc(byte, f), (unsigned char)byte);
	cr_assert_eq(fclose(f), 0);
}

Test(recorder, of_two_ranks_one_is_damaged)
{
	for (unsigned r = 0; r < 2; r++) {
		call_at(r, 0, 10, "open /d/a 66 420");
		call_at(r, 0, 10, "pwrite /d/a %p 8 0");
	}
	save_trace();
	damage("recorder.ts", 16 + 20, 0x7f);
	convert();
	cr_expect_neq(t.status, IOT_OK);
	cr_expect_not_null(strstr(t.src.error.text, "recorder.ts"));
	cr_expect_str_eq(t.records, "1:w /d/a 0+8\n");
}

Test(recorder, where_nothing_can_be_had_nothing_is_begun)
{
	call("open /d/a 66 420");
	save_trace();
	damage("recorder.ts", 8 + 20, 0x7f);
	convert();
	cr_expect_neq(t.status, IOT_OK);
	cr_expect_eq(t.directives_size, 0);
}

Test(recorder, counts_of_the_table_are_compared)
{
	call("open /d/a 66 420");
	call("write /d/a %p 8");
	call("write /d/a %p 8");
	save_trace();
	convert();
	cr_expect_eq(t.src.report.differences_found, 1); /* the table made here says 1 of each */
	cr_expect_str_eq(t.src.report.difference[0].what, "calls of write");
	cr_expect_eq(t.src.report.difference[0].source_says, 1);
	cr_expect_eq(t.src.report.difference[0].converted, 2);
}
