/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of programs that may crash: what remains of them after a kill at any moment. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace_tools.h"

static char path[64];

static void make_path(void)
{
	snprintf(path, sizeof(path), "/tmp/iotrace-live-XXXXXX");
	const int fd = mkstemp(path);
	cr_assert(fd >= 0);
	close(fd);
}

static void remove_path(void)
{
	unlink(path);
}

TestSuite(writer_live, .init = make_path, .fini = remove_path);

static struct iot_record nth(uint64_t i)
{
	return (struct iot_record){.start_ns = (int64_t)i * 1000,
				   .duration_ns = 1000,
				   .offset = i * 10,
				   .length = 10,
				   .file = (uint32_t)(i % 3),
				   .process = 7,
				   .object = (uint32_t)(i % 3) + 1,
				   .type = IOT_LOGICAL | IOT_WRITE,
				   .flags = i % 3 == 2 ? IOT_DURATION_UNKNOWN : 0};
}

static struct iot_writer *open_live(enum iot_compression how, uint64_t flush)
{
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_IN_PLACE, 1), IOT_OK);
	cr_assert_eq(iot_writer_set(w, IOT_SET_COMPRESSION, how), IOT_OK);
	cr_assert_eq(iot_writer_set(w, IOT_SET_FLUSH, flush), IOT_OK);
	cr_assert_eq(iot_writer_open(w, path), IOT_OK, "%s", iot_writer_error(w));
	for (uint32_t file = 0; file < 3; file++)
		cr_assert_eq(iot_writer_file(w, 7, file, file + 1, "/a"), IOT_OK);
	return w;
}

/* Reads the file; every record has to be the one that was written in its place. */
static uint64_t check_file(int *status)
{
	struct iot_record rec[100];
	struct iot_reader *r = iot_reader_new();
	uint64_t index = 0;
	ssize_t n = iot_reader_open(r, path);
	cr_assert_eq(n, IOT_OK, "%s", iot_reader_error(r));
	while ((n = iot_reader_records(r, rec, 100)) > 0) {
		for (ssize_t i = 0; i < n; i++, index++) {
			const struct iot_record want = nth(index);
			cr_assert(memcmp(&rec[i], &want, sizeof(want)) == 0, "record %lu",
				  (unsigned long)index);
		}
	}
	*status = (int)n;
	iot_reader_free(r);
	return index;
}

/* Writes until it is killed, and says how many records are surely flushed. */
static void write_for_ever(enum iot_compression how, uint64_t flush, _Atomic uint64_t *flushed)
{
	struct iot_writer *w = open_live(how, flush);
	for (uint64_t i = 0;; i++) {
		const struct iot_record rec = nth(i);
		if (iot_writer_records(w, &rec, 1) != IOT_OK)
			_exit(1);
		/* the three declarations are events, too */
		*flushed = (i + 4) / flush * flush < 3 ? 0 : (i + 4) / flush * flush - 3;
	}
}

static void kill_after(enum iot_compression how, uint64_t flush, long ns, _Atomic uint64_t *flushed)
{
	int status;
	*flushed = 0;
	const pid_t child = fork();
	cr_assert(child >= 0);
	if (child == 0)
		write_for_ever(how, flush, flushed);
	while (*flushed == 0)
		(void)usleep(100);
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
	kill(child, SIGKILL);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status), "the writer failed");
	const uint64_t surely = *flushed, found = check_file(&status);
	cr_assert_eq(status, IOT_ETRUNCATED);
	cr_assert(found >= surely, "%lu of %lu", (unsigned long)found, (unsigned long)surely);
}

Test(writer_live, what_was_flushed_before_a_kill_is_read)
{
	static const enum iot_compression hows[] = {IOT_PLAIN, IOT_ZSTD, IOT_GZIP};
	static const uint64_t flushes[] = {1, 7, 100, 4096};
	_Atomic uint64_t *flushed =
	    mmap(NULL, sizeof(*flushed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert(flushed != MAP_FAILED);
	for (int i = 0; i < 36; i++)
		kill_after(hows[i % 3], flushes[i / 3 % 4], (i * 7919L % 9 + 1) * 300000L, flushed);
	munmap(flushed, sizeof(*flushed));
}

Test(writer_live, closed_trace_is_whole)
{
	static const uint64_t flushes[] = {1, 5, 100, 0};
	for (unsigned i = 0; i < 12; i++) {
		struct iot_writer *w = open_live((enum iot_compression)(i % 3), flushes[i / 3]);
		int status;
		for (uint64_t k = 0; k < 97; k++) {
			const struct iot_record rec = nth(k);
			cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
		}
		cr_assert_eq(iot_writer_close(w), IOT_OK, "%s", iot_writer_error(w));
		iot_writer_free(w);
		cr_assert_eq(check_file(&status), 97);
		cr_assert_eq(status, 0);
	}
}

Test(writer_live, time_flushes_too)
{
	struct iot_writer *w = open_live(IOT_ZSTD, 0);
	int status;
	for (uint64_t k = 0; k < 2; k++) {
		const struct iot_record rec = nth(k);
		cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
		(void)usleep(120000);
	}
	cr_assert_eq(check_file(&status), 2);
	cr_assert_eq(status, IOT_ETRUNCATED);
	iot_writer_free(w);
}

Test(writer_live, asking_to_flush_seals_the_interval)
{
	struct iot_writer *w = iot_writer_new();
	const struct iot_record rec = nth(0);
	cr_assert_eq(iot_writer_set(w, IOT_SET_FLUSH, 1000), IOT_OK);
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(iot_writer_flush(w), IOT_OK);
	size_t size;
	const char *text = iot_writer_memory(w, &size);
	const char *sync = memmem(text, size, "%sync", 5);
	cr_assert_not_null(sync);
	cr_assert_null(memmem(sync + 1, size - (size_t)(sync + 1 - text), "%sync", 5));
	cr_assert_eq(text[size - 1], '\n');
	iot_writer_free(w);
}

Test(writer_live, file_that_cannot_be_made_is_an_error)
{
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_IN_PLACE, 1), IOT_OK);
	cr_assert_eq(iot_writer_open(w, "/nonexistent/t.iot"), IOT_EIO);
	cr_assert_str_eq(iot_writer_error(w),
			 "/nonexistent/t.iot: directory /nonexistent does not exist");
	iot_writer_free(w);
}

static int open_new(void)
{
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_IN_PLACE, 1), IOT_OK);
	cr_assert_eq(iot_writer_set(w, IOT_SET_NEW, 1), IOT_OK);
	const int status = iot_writer_open(w, path);
	iot_writer_free(w);
	return status;
}

Test(writer_live, new_file_replaces_no_file_and_no_link)
{
	cr_assert_eq(open_new(), IOT_EIO);
	unlink(path);
	cr_assert_eq(symlink("/nonexistent/t.iot", path), 0);
	cr_assert_eq(open_new(), IOT_EIO);
	unlink(path);
	cr_assert_eq(open_new(), IOT_OK);
}
