/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources: any input as a stream of events, and readers on sources and streams. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/source.h>

static const char LOG[] = "1 1.000000 openat(AT_FDCWD, \"a\", O_RDWR) = 3 <0.000001>\n"
			  "1 1.000100 write(3, \"\"..., 4096) = 4096 <0.000010>\n"
			  "1 1.000200 read(3, \"\"..., 100) = 100 <0.000010>\n"
			  "1 1.000300 close(3) = 0 <0.000001>\n";

static const char TRACE[] = "ff %iotrace version=1 tick=1000\n"
			    "ff %file process=7 id=3 object=1 path=a\n"
			    "c0 22 0 8 0 1f4 3 7 0\n"
			    "c0 ec 3e8 1f5 3e8\n"
			    "ff untimed\n";

static char *directory(void)
{
	static char path[] = "/tmp/iotrace-source-XXXXXX";
	cr_assert_not_null(mkdtemp(path));
	cr_assert_eq(chdir(path), 0);
	return path;
}

static void leave(const char *path)
{
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(path), 0);
}

static void put(const char *path, const char *data, size_t size)
{
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(data, 1, size, f), size);
	cr_assert_eq(fclose(f), 0);
}

/* Standard input becomes a pipe with these bytes; returns its other end. */
static int pipe_in(const void *data, size_t size)
{
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], data, size), (ssize_t)size);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	return ends[1];
}

static struct iot_source *opened(const char *path)
{
	struct iot_source *s = iot_source_new();
	cr_assert_not_null(s);
	cr_assert_eq(iot_source_open(s, &path, 1), IOT_OK, "%s", iot_source_error(s));
	return s;
}

struct seen {
	size_t records, lost;
	int status, sorted;
	int64_t last_ns, lost_ns;
};

static struct seen drain(struct iot_source *s)
{
	struct seen seen = {.sorted = 1};
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_stream *e = iot_source_stream(s);
	cr_assert_not_null(e, "%s", iot_source_error(s));
	while ((seen.status = iot_stream_next(e, b)) > 0)
		for (size_t i = 0; i < b->count; i++) {
			const struct iot_event *ev = &b->events[i];
			seen.lost += ev->kind == IOT_LOST;
			if (ev->kind == IOT_LOST)
				seen.lost_ns = ev->rec.start_ns;
			if (ev->kind != IOT_RECORD)
				continue;
			seen.records++;
			seen.sorted = seen.sorted && ev->rec.start_ns >= seen.last_ns;
			seen.last_ns = ev->rec.start_ns;
		}
	iot_stream_free(e);
	iot_batch_free(b);
	return seen;
}

Test(source, a_log_is_a_stream_and_can_be_read_again)
{
	const char *at = directory();
	put("log", LOG, sizeof(LOG) - 1);
	struct iot_source *s = opened("log");
	cr_expect_str_eq(iot_source_name(s), "strace");
	cr_expect_str_eq(iot_source_file(s, 0), "log");
	cr_expect_null(iot_source_file(s, 1));
	cr_expect_eq(iot_source_fact(s, IOT_SOURCE_REPEATABLE), 1);
	for (int i = 0; i < 2; i++) {
		const struct seen seen = drain(s);
		cr_expect_eq(seen.records, 2);
		cr_expect_eq(seen.status, 0);
		cr_expect_eq(iot_source_fact(s, IOT_SOURCE_LINES), 4);
		cr_expect_eq(iot_source_fact(s, IOT_SOURCE_RECORDS), 2);
	}
	iot_source_free(s);
	unlink("log");
	leave(at);
}

Test(source, a_trace_is_a_source)
{
	const char *at = directory();
	put("trace", TRACE, sizeof(TRACE) - 1);
	struct iot_source *s = opened("trace");
	cr_expect_str_eq(iot_source_name(s), "iotrace");
	const struct seen seen = drain(s);
	cr_expect_eq(seen.records, 2);
	cr_expect_eq(seen.lost, 1, "it ends without %%end");
	cr_expect_eq(seen.lost_ns, 1000000);
	cr_expect_eq(seen.status, IOT_ETRUNCATED);
	cr_expect_eq(iot_source_fact(s, IOT_SOURCE_LOST), 1);
	cr_expect_neq(*iot_source_error(s), '\0');
	iot_source_free(s);
	unlink("trace");
	leave(at);
}

/* The trace as gzip stores it. */
static char *packed(size_t *size)
{
	static const struct iot_record rec = {.length = 100, .type = IOT_LOGICAL, .file = 1};
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_COMPRESSION, IOT_GZIP), IOT_OK);
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	const void *memory = iot_writer_memory(w, size);
	char *data = malloc(*size);
	memcpy(data, memory, *size);
	iot_writer_free(w);
	return data;
}

/* The sanitizer of addresses finds a source that its stream does not free, or frees too early. */
Test(source, a_stream_may_own_its_source)
{
	char *path = directory();
	put("log", LOG, sizeof(LOG) - 1);
	put("trace", TRACE, sizeof(TRACE) - 1);
	for (int i = 0; i < 2; i++) {
		struct iot_source *s = opened(i == 0 ? "log" : "trace");
		struct iot_stream *e = iot_source_into_stream(s);
		struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
		cr_assert_not_null(e);
		cr_assert_gt(iot_stream_next(e, b), 0);
		iot_batch_free(b);
		iot_stream_free(e);
	}
	cr_assert_eq(remove("log"), 0);
	cr_assert_eq(remove("trace"), 0);
	leave(path);
}

Test(source, a_reader_of_a_pipe_sees_its_stored_bytes)
{
	size_t size;
	char *data = packed(&size);
	struct iot_record rec[8];
	close(pipe_in(data, size));
	struct iot_source *s = opened("-");
	struct iot_reader *r = iot_reader_new();
	cr_assert_str_eq(iot_source_name(s), "iotrace");
	cr_assert_eq(iot_source_open_reader(s, r), IOT_OK);
	cr_expect_eq(iot_reader_records(r, rec, 8), 1);
	cr_expect_eq(iot_reader_records(r, rec, 8), 0);
	cr_expect_eq(iot_reader_fact(r, IOT_FACT_COMPRESSION), IOT_GZIP);
	cr_expect_eq(iot_reader_fact(r, IOT_FACT_BYTES_STORED), size);
	cr_expect_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
	iot_reader_free(r);
	iot_source_free(s);
	free(data);
}

Test(source, a_reader_of_standard_input_that_is_a_file_can_seek)
{
	const char *at = directory();
	size_t size;
	char *data = packed(&size);
	uint64_t done, total;
	put("trace", data, size);
	int fd = open("trace", O_RDONLY);
	cr_assert_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	struct iot_source *s = opened("-");
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec[8];
	cr_assert_eq(iot_source_open_reader(s, r), IOT_OK);
	cr_expect_eq(iot_reader_records(r, rec, 8), 1);
	cr_expect_eq(iot_reader_seek(r, IOT_SEEK_RECORD, 0), IOT_OK);
	cr_expect_eq(iot_reader_records(r, rec, 8), 1);
	cr_expect_eq(iot_reader_progress(r, &done, &total), IOT_OK);
	cr_expect_eq(total, size);
	iot_reader_free(r);
	iot_source_free(s);
	close(fd);
	free(data);
	unlink("trace");
	leave(at);
}

Test(source, a_reader_on_a_log_has_names_and_the_tick)
{
	const char *at = directory();
	struct iot_event ev[64];
	size_t size = 0;
	put("log", LOG, sizeof(LOG) - 1);
	struct iot_source *s = opened("log");
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_source_open_reader(s, r), IOT_OK);
	while (iot_reader_events(r, ev, 64) > 0)
		;
	cr_expect_str_eq(iot_reader_error(r), "");
	cr_expect_eq(iot_reader_fact(r, IOT_FACT_RECORDS), 2);
	cr_expect_eq(iot_reader_fact(r, IOT_FACT_TICK_NS), 1000);
	cr_expect_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
	const char *name = iot_reader_name(r, 1, &size);
	cr_assert_not_null(name);
	cr_expect_eq(name[size - 1], 'a');
	iot_reader_free(r);
	iot_source_free(s);
	unlink("log");
	leave(at);
}

Test(source, input_of_unknown_format_is_refused_or_a_trace)
{
	const char *at = directory(), *path = "bare";
	struct iot_record rec[8];
	put(path, "c0 22 0 8 0 1f4 3 7 0\n", 22);
	struct iot_source *s = iot_source_new();
	cr_expect_eq(iot_source_open(s, &path, 1), IOT_EFORMAT);
	cr_expect_neq(*iot_source_error(s), '\0');
	iot_source_free(s);
	s = iot_source_new();
	cr_assert_eq(iot_source_set(s, "fallback", "iotrace"), IOT_OK);
	cr_assert_eq(iot_source_open(s, &path, 1), IOT_OK);
	cr_expect_str_eq(iot_source_name(s), "iotrace");
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_source_open_reader(s, r), IOT_OK);
	cr_expect_eq(iot_reader_records(r, rec, 8), 1);
	iot_reader_free(r);
	iot_source_free(s);
	unlink(path);
	leave(at);
}

Test(source, options_are_checked)
{
	static const struct {
		const char *key, *value;
	} wrong[] = {{"nonsense", ""},      {"format", "nonsense"}, {"memory", "64X"},
		     {"memory", "0"},       {"memory", ""},         {"order", "backwards"},
		     {"fallback", "strace"}};
	static const char *const right[][2] = {{"format", "strace"},
					       {"memory", "64M"},
					       {"order", "input"},
					       {"all", ""},
					       {"ops", "none"}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct iot_source *s = iot_source_new();
		cr_expect_eq(iot_source_set(s, wrong[i].key, wrong[i].value), IOT_EUSAGE, "%s",
			     wrong[i].key);
		cr_expect_neq(*iot_source_error(s), '\0');
		iot_source_free(s);
	}
	struct iot_source *s = iot_source_new();
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		cr_expect_eq(iot_source_set(s, right[i][0], right[i][1]), IOT_OK, "%s",
			     right[i][0]);
	cr_expect_null(iot_source_stream(s), "not open");
	iot_source_free(s);
}

Test(source, a_damaged_log_yields_its_events_and_a_lost)
{
	const char *at = directory();
	put("log", LOG, sizeof(LOG) - 1);
	struct iot_source *s = opened("log");
	iot_source_cancel(s);
	const struct seen seen = drain(s);
	cr_expect_eq(seen.lost, 1);
	cr_expect_eq(seen.status, IOT_ETRUNCATED);
	cr_expect_eq(iot_source_fact(s, IOT_SOURCE_CANCELLED), 1);
	iot_source_free(s);
	unlink("log");
	leave(at);
}

Test(source, a_cancelled_pipe_ends_though_its_writer_lives)
{
	static volatile sig_atomic_t count;
	const char *path = "-";
	const int writer = pipe_in(LOG, sizeof(LOG) - 1);
	struct iot_source *s = iot_source_new();
	count = 1;
	iot_source_cancel_by(s, &count);
	cr_assert_eq(iot_source_open(s, &path, 1), IOT_OK);
	const struct seen seen = drain(s);
	cr_expect_eq(seen.records, 2);
	cr_expect_eq(seen.lost, 1);
	cr_expect_eq(seen.status, IOT_ETRUNCATED);
	cr_expect_null(iot_source_stream(s), "a pipe is read once");
	iot_source_free(s);
	close(writer);
}

static void *open_fifo(void *source)
{
	static const char *const path = "fifo";
	cr_expect_neq(iot_source_open(source, &path, 1), IOT_OK);
	return NULL;
}

/* The other thread waits in open, or is about to: the result is the same. */
Test(source, cancel_ends_the_wait_for_the_writer_of_a_fifo, .timeout = 60)
{
	const struct timespec wait = {.tv_nsec = 50000000};
	const char *at = directory();
	pthread_t thread;
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	struct iot_source *s = iot_source_new();
	cr_assert_eq(pthread_create(&thread, NULL, open_fifo, s), 0);
	nanosleep(&wait, NULL);
	iot_source_cancel(s);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_null(iot_source_stream(s));
	cr_expect_eq(iot_source_fact(s, IOT_SOURCE_CANCELLED), 1);
	iot_source_free(s);
	unlink("fifo");
	leave(at);
}

static void *write_fifo(void *log)
{
	put("fifo", log, strlen(log));
	return NULL;
}

Test(source, a_fifo_waits_for_its_writer, .timeout = 60)
{
	const char *at = directory();
	pthread_t thread;
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	cr_assert_eq(pthread_create(&thread, NULL, write_fifo, (void *)LOG), 0);
	struct iot_source *s = opened("fifo");
	const struct seen seen = drain(s);
	cr_expect_eq(seen.records, 2);
	cr_expect_eq(seen.status, 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	iot_source_free(s);
	unlink("fifo");
	leave(at);
}

Test(source, order_stream_fails_where_a_full_sort_is_needed)
{
	const char *at = directory();
	FILE *f = fopen("log", "w");
	/* a call that returns long after it began, while many others do */
	fprintf(f, "1 1.000000 openat(AT_FDCWD, \"a\", O_RDWR) = 3 <0.000001>\n"
		   "2 1.000001 read(3,  <unfinished ...>\n");
	for (int i = 0; i < 40000; i++)
		fprintf(f, "1 %d.%06d read(3, \"\"..., 100) = 100 <0.000001>\n", 2 + i / 1000,
			i % 1000);
	fprintf(f, "2 90.000000 <... read resumed>\"\"..., 10) = 10 <89.0>\n");
	fclose(f);
	const char *path = "log";
	struct iot_source *s = iot_source_new();
	cr_assert_eq(iot_source_set(s, "memory", "65536"), IOT_OK);
	cr_assert_eq(iot_source_set(s, "order", "stream"), IOT_OK);
	cr_assert_eq(iot_source_open(s, &path, 1), IOT_OK, "%s", iot_source_error(s));
	struct seen seen = drain(s);
	cr_expect_eq(seen.status, IOT_ELIMIT);
	cr_expect_eq(iot_source_fact(s, IOT_SOURCE_RESTART), 1);
	cr_assert_eq(iot_source_set(s, "order", "start"), IOT_OK);
	seen = drain(s);
	cr_expect_eq(seen.status, 0);
	cr_expect(seen.sorted);
	cr_expect_geq(seen.records, 40000);
	cr_expect_gt(iot_source_fact(s, IOT_SOURCE_RUNS), 0);
	iot_source_free(s);
	unlink("log");
	leave(at);
}

Test(source, several_traces_are_not_one_source)
{
	const char *at = directory();
	const char *const paths[] = {"a", "b"};
	put("a", TRACE, sizeof(TRACE) - 1);
	put("b", TRACE, sizeof(TRACE) - 1);
	struct iot_source *s = iot_source_new();
	cr_assert_eq(iot_source_set(s, "format", "iotrace"), IOT_OK);
	cr_expect_eq(iot_source_open(s, paths, 2), IOT_EUSAGE);
	iot_source_free(s);
	unlink("a");
	unlink("b");
	leave(at);
}

/* A stream of one record and a failure. */
static int fail_next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	int *calls = context;
	if (++*calls > 1)
		return iot_stream_fail(self, IOT_EFORMAT, "no more of it");
	b->events[0] = (struct iot_event){
	    .kind = IOT_RECORD, .rec = {.start_ns = 12345, .length = 1, .type = IOT_LOGICAL}};
	b->count = 1;
	b->bytes_done = 5;
	b->bytes_total = 10;
	return 1;
}

Test(source, a_reader_on_a_stream_passes_on_its_error)
{
	static const struct iot_stage stage = {.next = fail_next};
	int calls = 0;
	struct iot_record rec[4];
	uint64_t done, total;
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_open_stream(r, iot_stream_new(NULL, &stage, &calls)), IOT_OK);
	cr_expect_eq(iot_reader_open_stream(r, iot_stream_new(NULL, &stage, &calls)), IOT_EUSAGE);
	cr_expect_eq(iot_reader_records(r, rec, 4), 1);
	cr_expect_eq(rec[0].start_ns, 12345, "the tick is 1 ns");
	cr_expect_eq(iot_reader_progress(r, &done, &total), IOT_OK);
	cr_expect_eq(done, 5);
	cr_expect_eq(total, 10);
	cr_expect_eq(iot_reader_records(r, rec, 4), IOT_EFORMAT);
	cr_expect_str_eq(iot_reader_error(r), "no more of it");
	iot_reader_free(r);
}

Test(source, formats_have_options)
{
	struct iot_format f;
	size_t n = 0;
	while (iot_source_format(n, &f)) {
		cr_expect_neq(*f.name, '\0');
		cr_expect_neq(*f.summary, '\0');
		n++;
	}
	cr_expect_geq(n, 4);
}
