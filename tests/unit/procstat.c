/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets' converter: events, watermarks, and losses, in blocks and batches of any size. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "converters/converter.h"
#include "converters/procstat/procstat.h"
#include "lib/packets/packet.h"

enum { HEADER = PACKET_WORD_SIZE * PACKET_HEADER, TEXT = 1 << 16, BATCH = 1024 };

static int fd;
static char *text;
static int64_t watermark;
static struct report report;
static uint32_t tick_ps = 1000;

static void begin(void)
{
	fd = memfd_create("packets", MFD_CLOEXEC);
	text = calloc(1, TEXT);
	cr_assert(fd >= 0 && text != NULL);
}

static void end(void)
{
	close(fd);
	free(text);
}

TestSuite(procstat, .init = begin, .fini = end);

static void put(unsigned kind, uint32_t process, uint32_t file, uint64_t sequence, uint64_t wall,
		const uint64_t *word, uint32_t words, uint32_t entries)
{
	unsigned char data[PACKET_MAX];
	struct packet p = {.kind = kind,
			   .process = process,
			   .file = file,
			   .sequence = sequence,
			   .wall = wall,
			   .tick_ps = tick_ps,
			   .words = words,
			   .entries = entries};
	for (uint32_t i = 0; i < words; i++)
		packet_word_put(data + HEADER + PACKET_WORD_SIZE * i, word[i]);
	packet_seal(data, &p);
	cr_assert_eq(write(fd, data, packet_size(&p)), (ssize_t)packet_size(&p));
}

static void put_start(uint32_t process, uint32_t parent, uint64_t wall)
{
	put(PACKET_START, process, 0, 0, wall,
	    (uint64_t[]){parent, 5000, UINT64_C(0x6170700000000000)}, 3, 0);
}

static void put_io(uint32_t process, uint32_t file, uint64_t sequence, uint64_t start)
{
	put(PACKET_DATA, process, file, sequence, start + 10,
	    (uint64_t[]){UINT64_C(0x80c0000000000003), start, 1, 100, 7}, 5, 1);
}

static void put_open(uint32_t process, uint32_t file, uint64_t sequence, uint64_t start,
		     uint64_t how)
{
	put(PACKET_OPEN, process, file, sequence, start,
	    (uint64_t[]){start, how, 2, UINT64_C(0x2f66000000000000)}, 4, 0);
}

static void put_word(unsigned kind, uint32_t process, uint64_t sequence, uint64_t wall,
		     uint64_t word)
{
	put(kind, process, 0, sequence, wall, &word, 1, 0);
}

/* Events as lines, records as "PROCESS:FILE@START #OBJECT"; the status at the end. */
static int convert(size_t read_size, int max)
{
	char path[64];
	const char *const paths[] = {path};
	struct error error = {0};
	struct iot_event ev[BATCH];
	size_t n = 0;
	int got;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct input *in = input_new(paths, 1, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	input_set_read_size(in, read_size);
	struct source_state src = {
	    .converter = converter_find("procstat"), .input = in, .watermark_ns = INT64_MIN};
	cr_expect_gt(src.converter->sniff(in), 0);
	cr_assert_eq(src.converter->open(&src), IOT_OK, "%s", src.error.text);
	watermark = INT64_MIN;
	while ((got = src.converter->next(&src, ev, max)) > 0) {
		cr_assert_leq(got, max);
		cr_assert_geq(src.watermark_ns, watermark);
		watermark = src.watermark_ns;
		for (int i = 0; i < got; i++) {
			const struct iot_record *r = &ev[i].rec;
			if (ev[i].kind == IOT_RECORD)
				n += (size_t)snprintf(text + n, TEXT - n, "%u:%u@%lld #%u\n",
						      r->process, r->file, (long long)r->start_ns,
						      r->object);
			else
				n += (size_t)snprintf(text + n, TEXT - n, "%.*s\n",
						      (int)ev[i].text.size, ev[i].text.data);
		}
	}
	watermark = src.watermark_ns;
	report = src.report;
	src.converter->close(&src);
	input_free(in);
	return got;
}

static void expect(int status, const char *wanted)
{
	static const struct {
		size_t read_size;
		int max;
	} how[] = {{0, BATCH}, {17, BATCH}, {1, 1}, {0, 3}};
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		cr_expect_eq(convert(how[i].read_size, how[i].max), status);
		cr_expect_str_eq(text, wanted, "read %zu, max %d:\n%s", how[i].read_size,
				 how[i].max, text);
	}
}

Test(procstat, a_process_with_a_file)
{
	put_start(7, 1, 100);
	put_open(7, 1, 1, 200, PACKET_OPEN_CREATED | 5);
	put_io(7, 1, 2, 300);
	put(PACKET_CLOSE, 7, 1, 3, 400, (uint64_t[]){390, 4}, 2, 0);
	put_word(PACKET_EXIT, 7, 4, 500, 3);
	expect(IOT_OK, "%trace source=procstat epoch=5000\n"
		       "%process id=7 name=app parent=1\n"
		       "%file process=7 id=1 object=1 path=/f\n"
		       "%op name=create time=200 took=5 process=7 file=1 path=/f flags=2 result=0\n"
		       "7:1@300 #1\n"
		       "%op name=close time=390 took=4 process=7 file=1 result=0\n"
		       "%op name=exit time=500 took=0 process=7 status=3\n");
}

Test(procstat, a_path_is_an_object_until_it_is_recreated)
{
	put_start(7, 0, 100);
	put_open(7, 1, 1, 200, 0);
	put_open(7, 2, 2, 300, 0);
	put_open(7, 3, 3, 400, PACKET_OPEN_CREATED);
	put_open(7, 4, 4, 500, PACKET_OPEN_CUT);
	put_io(7, 1, 5, 600);
	put_io(7, 2, 6, 600);
	put_io(7, 3, 7, 600);
	put_io(7, 4, 8, 600);
	convert(0, BATCH);
	cr_expect_not_null(strstr(text, "7:1@600 #1\n7:2@600 #1\n7:3@600 #2\n7:4@600 #3\n"));
}

Test(procstat, a_child_has_the_files_of_its_parent)
{
	put_start(7, 0, 100);
	put_open(7, 1, 1, 200, 0);
	put_start(8, 7, 300);
	put_open(7, 2, 2, 400, 0);
	put_io(8, 1, 1, 500);
	put_io(8, 2, 2, 600);
	convert(0, BATCH);
	cr_expect_not_null(
	    strstr(text, "%file process=8 id=1 object=1 path=/f\n8:1@500 #1\n8:2@600 #0\n"));
}

/* 8 has ended, and its number is reused by a child of 7 that has a child of its own. */
Test(procstat, a_grandchild_has_the_files_of_its_grandparent)
{
	put_start(7, 0, 100);
	put_open(7, 1, 1, 200, 0);
	put_start(8, 7, 300);
	put_start(9, 8, 310);
	put_word(PACKET_EXIT, 8, 1, 320, 0);
	put_start(8, 7, 400);
	put_start(10, 8, 410);
	put_io(9, 1, 1, 500);
	put_io(10, 1, 1, 600);
	convert(0, BATCH);
	cr_expect_not_null(strstr(text, "%file process=9 id=1 object=1 path=/f\n9:1@500 #1\n"));
	cr_expect_not_null(strstr(text, "%file process=10 id=1 object=1 path=/f\n10:1@600 #1\n"),
			   "%s", text);
}

Test(procstat, the_min_promise_counts)
{
	put_start(7, 0, 100);
	put_start(8, 7, 200);
	put_word(PACKET_WATERMARK, 7, 1, 900, 800);
	convert(0, BATCH);
	cr_expect_eq(watermark, 200);
	put_word(PACKET_WATERMARK, 8, 1, 700, 600);
	put_io(8, 1, 2, 650);
	convert(0, BATCH);
	cr_expect_eq(watermark, 600);
	put_word(PACKET_EXIT, 8, 3, 950, 0);
	convert(0, BATCH);
	cr_expect_eq(watermark, 800);
	put_word(PACKET_EXIT, 7, 2, 960, 0);
	convert(0, BATCH);
	cr_expect_eq(watermark, 961, "nobody is left; what was told may go");
}

Test(procstat, who_never_started_promises_nothing)
{
	put_io(7, 1, 0, 500);
	convert(0, BATCH);
	cr_expect_eq(watermark, 0);
}

Test(procstat, what_is_missing_is_reported)
{
	put_start(7, 0, 100);
	put_io(7, 1, 3, 500);
	expect(IOT_EFORMAT, "%trace source=procstat epoch=5000\n"
			    "%process id=7 name=app\n"
			    "%lost time=100 process=7 packets=2 why=packets%20are%20missing\n"
			    "7:1@500 #0\n");
	cr_expect_eq(report.records, 1);
}

Test(procstat, what_overtook_is_put_in_order)
{
	put_start(7, 0, 100);
	put_io(7, 1, 3, 300);
	put_word(PACKET_WATERMARK, 7, 4, 500, 400);
	put_io(7, 1, 2, 200);
	put_io(7, 1, 1, 150);
	put_io(7, 1, 1, 150);
	expect(IOT_OK, "%trace source=procstat epoch=5000\n"
		       "%process id=7 name=app\n"
		       "7:1@150 #0\n7:1@200 #0\n7:1@300 #0\n");
	cr_expect_eq(watermark, 400);
}

Test(procstat, damage_is_reported)
{
	put_start(7, 0, 100);
	cr_assert_eq(write(fd, "damage", 6), 6);
	put_io(7, 1, 1, 300);
	expect(IOT_EFORMAT, "%trace source=procstat epoch=5000\n"
			    "%process id=7 name=app\n"
			    "%lost time=100 bytes=6 why=no%20packet%20begins%20here\n"
			    "7:1@300 #0\n");
}

Test(procstat, a_last_packet_that_is_cut_is_truncation)
{
	put_start(7, 0, 100);
	cr_assert_eq(write(fd, "IOTPKT01 and so", 15), 15);
	cr_expect_eq(convert(0, BATCH), IOT_ETRUNCATED);
}

Test(procstat, unknown_kinds_are_skipped)
{
	put_start(7, 0, 100);
	put_word(99, 7, 1, 200, 0);
	put_io(7, 1, 2, 300);
	expect(IOT_OK, "%trace source=procstat epoch=5000\n"
		       "%process id=7 name=app\n"
		       "7:1@300 #0\n");
}

/* Tables that forget */

static struct procstat_files files;

static const struct tracked_file *open_as(uint32_t process, uint32_t file, unsigned name)
{
	unsigned char payload[PACKET_MAX] = {0};
	char *path = (char *)payload + PACKET_WORD_SIZE * PACKET_OPEN_WORDS;
	memset(path, 'x', 400);
	(void)snprintf(path + 400, 32, "%u", name);
	const struct packet p = {.kind = PACKET_OPEN,
				 .process = process,
				 .file = file,
				 .words = PACKET_OPEN_WORDS + 52,
				 .payload = payload};
	return procstat_files_open(&files, process, &p, 0);
}

/* Other ticks */

static uint64_t count_of(const char *name)
{
	for (size_t i = 0; i < report.counts; i++)
		if (strcmp(report.count[i].name, name) == 0)
			return report.count[i].value;
	return 0;
}

enum hostile { STARTS, OPENS, WRITES, MARKS, EXITS, SAME_NUMBER, HOSTILES };

/* With another tick, of a process of the stream, and with sequence numbers of its packets. */
static void put_hostile(enum hostile what, uint32_t tick)
{
	tick_ps = tick;
	switch (what) {
	case STARTS:
		put(PACKET_START, 7, 0, 0, 1, (uint64_t[]){1, INT64_MAX, 0}, 3, 0);
		break;
	case OPENS:
		put_open(7, 1, 1, 1, PACKET_OPEN_CREATED | 5);
		break;
	case WRITES:
		put_io(99, 1, 0, 1);
		break;
	case MARKS:
		put_word(PACKET_WATERMARK, 7, 5, 1, 1 << 30);
		break;
	case EXITS:
		put_word(PACKET_EXIT, 7, 39, 1, 0);
		break;
	default:
		put_io(7, 1, 20, 1);
	}
	tick_ps = 1000;
}

/* 40 good packets, of which number `at` follows the hostile one; -1: no good packets. */
static void put_forty(int at, enum hostile what, uint32_t tick)
{
	cr_assert_eq(ftruncate(fd, 0) | (int)lseek(fd, 0, SEEK_SET), 0);
	for (int i = 0; i <= 40; i++) {
		const uint64_t number = (uint64_t)i;
		if (i == at)
			put_hostile(what, tick);
		if (i == 0)
			put_start(7, 1, 100);
		else if (i == 1)
			put_open(7, 1, 1, 200, 5);
		else if (i < 39)
			put_io(7, 1, number, 200 + number * 10);
		else if (i == 39)
			put_word(PACKET_EXIT, 7, 39, 1000, 0);
	}
}

Test(procstat, one_packet_with_another_tick_changes_nothing_else)
{
	static char wanted[TEXT];
	put_forty(-1, STARTS, 0);
	cr_assert_eq(convert(0, BATCH), IOT_OK);
	memcpy(wanted, text, TEXT);
	for (unsigned i = 0; i < HOSTILES * 41 * 2; i++) {
		const int at = (int)(i / 2 % 41);
		put_forty(at, (enum hostile)(i / 2 / 41), i % 2 == 0 ? 4000000000 : 1);
		cr_assert_eq(convert(i % 3 == 0 ? 17 : 0, i % 5 == 0 ? 1 : BATCH), IOT_EFORMAT);
		char *lost = strstr(text, "%lost");
		cr_assert_not_null(lost);
		cr_assert_not_null(strstr(lost, " packets=1 why=another%20tick"), "%s", lost);
		*lost = '\0';
		cr_assert_str_eq(text, wanted, "hostile %u at %d", i / 2 / 41, at);
		cr_assert_eq(count_of("packets.other_tick"), 1);
		cr_assert_eq(count_of("packets.good"), 40);
	}
}

/* Only the hostile packet has arrived when the tick is chosen. */
Test(procstat, a_tick_that_does_not_prevail_is_given_up)
{
	int ends[2];
	unsigned char data[PACKET_MAX];
	char path[64];
	const char *const paths[] = {path};
	struct error error = {0};
	struct iot_event ev[BATCH];
	size_t records = 0;
	ssize_t n;
	int got;
	put_hostile(SAME_NUMBER, 77);
	const off_t size = lseek(fd, 0, SEEK_CUR);
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(pread(fd, data, sizeof data, 0), size);
	cr_assert_eq(write(ends[1], data, (size_t)size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	struct input *in = input_new(paths, 1, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	struct source_state src = {
	    .converter = converter_find("procstat"), .input = in, .watermark_ns = INT64_MIN};
	cr_assert_eq(src.converter->open(&src), IOT_OK);
	put_forty(-1, STARTS, 0);
	(void)lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, data, sizeof data)) > 0)
		cr_assert_eq(write(ends[1], data, (size_t)n), n);
	close(ends[1]);
	while ((got = src.converter->next(&src, ev, BATCH)) > 0)
		for (int i = 0; i < got; i++)
			records += ev[i].kind == IOT_RECORD && ev[i].rec.start_ns >= 200 &&
				   ev[i].rec.object == 1;
	report = src.report;
	src.converter->close(&src);
	input_free(in);
	close(ends[0]);
	cr_expect_eq(got, IOT_EFORMAT);
	cr_expect_eq(records, 37);
	cr_expect_eq(count_of("packets.other_tick"), 1);
	cr_expect_eq(count_of("packets.good"), 40);
}

Test(procstat, one_start_does_not_decide_the_epoch)
{
	for (uint32_t i = 0; i < 4; i++)
		put(PACKET_START, 7 + i, 0, 0, 100,
		    (uint64_t[]){1, i == 0 ? INT64_MAX : 5000 + i, 0}, 3, 0);
	cr_expect_eq(convert(0, BATCH), IOT_OK);
	cr_expect_not_null(strstr(text, "%trace source=procstat epoch=5001\n"), "%s", text);
}

Test(procstat, names_take_no_more_memory_than_the_limit)
{
	fdtable_init(&files.tracker);
	files.tracker.memory_max = 1 << 20;
	for (uint32_t i = 0; i < 20000; i++) {
		cr_assert_not_null(open_as(i, i, i));
		cr_assert_leq(files.tracker.memory, files.tracker.memory_max);
	}
	cr_expect_eq(files.tracker.status, IOT_OK);
	cr_expect_not_null(procstat_files_find(&files, 19999, 19999));
	cr_expect_null(procstat_files_find(&files, 1, 1), "forgotten");
	procstat_files_free(&files);
	cr_expect_eq(files.tracker.memory, 0);
}

Test(procstat, files_and_ancestors_beyond_the_limit_are_forgotten)
{
	struct packet_process who = {.id = 1};
	fdtable_init(&files.tracker);
	struct tracked_file *after = file_unlinked(&files.tracker);
	for (uint32_t i = 0; i < PROCSTAT_FILES_MAX + 1000; i++) {
		who.id = i;
		cr_assert(procstat_files_add(&files, i, i % 7, after, 0));
		cr_assert(procstat_ancestor_add(&files, &who, NULL, 0));
	}
	cr_expect_eq(files.ids.count, 1000);
	cr_expect_eq(files.ancestor_count, 1000 + PROCSTAT_FILES_MAX - PROCSTAT_ANCESTORS_MAX);
	cr_expect_not_null(procstat_files_find(&files, who.id, who.id % 7));
	cr_expect_not_null(procstat_ancestor(&files, who.ancestors, who.id));
	file_free(&files.tracker, after);
	procstat_files_free(&files);
}
