/* SPDX-License-Identifier: BSD-2-Clause */
/* Sinks: files that appear when they are complete, pipes, devices, memory, each compression. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/atomic_file.h"
#include "lib/base/byte_sink.h"
#include "lib/io/bufreader.h"

static char directory[64];

static void enter_directory(void)
{
	strcpy(directory, "/tmp/iot-sink-XXXXXX");
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
}

static void leave_directory(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlink(entry->d_name);
	if (dir)
		closedir(dir);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(directory), 0);
}

/* How many names there are, hidden ones too. */
static unsigned names_here(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	unsigned n = 0;

	cr_assert_not_null(dir);
	while ((entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static struct byte_sink *sink_of(enum iot_compression how, int level, unsigned threads)
{
	struct byte_sink *s = byte_sink_new();

	cr_assert_not_null(s);
	cr_assert_eq(byte_sink_compress(s, how, level, threads), IOT_OK);
	return s;
}

static void put_text(struct byte_sink *s, const char *text)
{
	cr_assert_eq(byte_sink_write(s, text, strlen(text)), IOT_OK);
}

static void make_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	cr_assert_not_null(f);
	cr_assert_geq(fputs(text, f), 0);
	cr_assert_eq(fclose(f), 0);
}

static void assert_file(const char *path, const char *text)
{
	char got[4096];
	FILE *f = fopen(path, "r");
	size_t n;

	cr_assert_not_null(f, "%s", path);
	n = fread(got, 1, sizeof(got) - 1, f);
	fclose(f);
	got[n] = '\0';
	cr_assert_str_eq(got, text);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	cr_assert_eq(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Unpacks and compares. */
static void assert_unpacks(const void *packed, size_t size, const char *text, size_t text_size,
			   enum iot_compression how)
{
	const struct bufreader_options options = {.buffer_max = text_size + 1};
	struct bufreader *w = bufreader_new("packed", &options);
	const char *p;
	size_t have;

	cr_assert_eq(bufreader_open_memory(w, packed, size), IOT_OK);
	p = bufreader_peek(w, text_size + 1, &have);
	cr_assert_eq(bufreader_status(w), IOT_OK, "%s", bufreader_error(w)->text);
	cr_assert_eq(bufreader_compression(w), how);
	cr_assert_eq(have, text_size, "%zu bytes, not %zu", have, text_size);
	cr_assert(have == 0 || memcmp(p, text, have) == 0);
	bufreader_free(w);
}

static char *text_of(size_t size)
{
	char *text = malloc(size + 64);
	unsigned seed = 1;

	cr_assert_not_null(text);
	for (size_t at = 0; at < size;) {
		seed = seed * 1103515245 + 12345;
		at += (size_t)sprintf(text + at, "%x %x line\n", seed >> 16, seed >> 28);
	}
	return text;
}

Test(byte_sink, what_is_written_in_any_portions_comes_out_again)
{
	static const size_t portions[] = {1, 20, 4096, 262143, 262144, 262145, 3000000};
	const size_t size = 3000000;
	char *text = text_of(size);

	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		for (size_t i = 0; i < sizeof(portions) / sizeof(*portions); i++) {
			struct byte_sink *s = sink_of(how, 1, i % 2 ? 2 : 0);
			const void *packed;
			size_t packed_size;

			cr_assert_eq(byte_sink_open_memory(s), IOT_OK);
			for (size_t at = 0; at < size; at += portions[i]) {
				const size_t left = size - at;
				const size_t n = left < portions[i] ? left : portions[i];

				if (byte_sink_write(s, text + at, n) != IOT_OK)
					cr_assert_fail("%s", byte_sink_error(s)->text);
			}
			cr_assert_eq(byte_sink_close(s), IOT_OK);
			packed = byte_sink_memory(s, &packed_size);
			cr_assert_eq(byte_sink_stored(s), packed_size);
			assert_unpacks(packed, packed_size, text, size, how);
			byte_sink_free(s);
		}
	}
	free(text);
}

Test(byte_sink, every_level_works_and_others_are_refused)
{
	static const int max[] = {9, 19};

	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		struct byte_sink *s = byte_sink_new();

		for (int level = 0; level <= max[how - IOT_GZIP]; level++) {
			struct byte_sink *good = sink_of(how, level, 0);
			const void *packed;
			size_t size;

			cr_assert_eq(byte_sink_open_memory(good), IOT_OK);
			put_text(good, "text");
			cr_assert_eq(byte_sink_close(good), IOT_OK);
			packed = byte_sink_memory(good, &size);
			assert_unpacks(packed, size, "text", 4, how);
			byte_sink_free(good);
		}
		cr_assert_eq(byte_sink_compress(s, how, max[how - IOT_GZIP] + 1, 0), IOT_EUSAGE);
		byte_sink_free(s);
	}
}

/* A window stops at the first member if the bytes are cut there: so ends of frames can be seen. */
Test(byte_sink, a_frame_can_be_entered_where_it_begins)
{
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		for (unsigned threads = 0; threads < 3; threads++) {
			struct byte_sink *s = sink_of(how, 0, threads);
			const char *packed;
			size_t first, size;

			cr_assert_eq(byte_sink_open_memory(s), IOT_OK);
			put_text(s, "one");
			cr_assert_eq(byte_sink_frame(s), IOT_OK);
			cr_assert_eq(byte_sink_flush(s), IOT_OK);
			byte_sink_memory(s, &first);
			put_text(s, "two");
			cr_assert_eq(byte_sink_close(s), IOT_OK);
			packed = byte_sink_memory(s, &size);
			assert_unpacks(packed, first, "one", 3, how);
			assert_unpacks(packed + first, size - first, "two", 3, how);
			assert_unpacks(packed, size, "onetwo", 6, how);
			byte_sink_free(s);
		}
	}
}

Test(byte_sink, frames_are_never_empty)
{
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		struct byte_sink *s = sink_of(how, 0, 0);
		size_t once, size;

		cr_assert_eq(byte_sink_open_memory(s), IOT_OK);
		cr_assert_eq(byte_sink_frame(s), IOT_OK);
		cr_assert_eq(byte_sink_flush(s), IOT_OK);
		cr_assert_eq(byte_sink_stored(s), 0);
		put_text(s, "one");
		cr_assert_eq(byte_sink_frame(s), IOT_OK);
		cr_assert_eq(byte_sink_flush(s), IOT_OK);
		byte_sink_memory(s, &once);
		cr_assert_eq(byte_sink_frame(s), IOT_OK);
		cr_assert_eq(byte_sink_write(s, "", 0), IOT_OK);
		cr_assert_eq(byte_sink_frame(s), IOT_OK);
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		byte_sink_memory(s, &size);
		cr_assert_eq(size, once);
		byte_sink_free(s);
	}
}

Test(byte_sink, an_output_without_bytes_is_one_valid_empty_frame)
{
	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct byte_sink *s = sink_of(how, 0, 1);
		const void *packed;
		size_t size;

		cr_assert_eq(byte_sink_open_memory(s), IOT_OK);
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		packed = byte_sink_memory(s, &size);
		cr_assert_eq(size > 0, how != IOT_PLAIN);
		assert_unpacks(packed, size, "", 0, how);
		byte_sink_free(s);
	}
}

Test(byte_sink, what_was_flushed_can_be_read_at_the_other_end)
{
	alarm(300);
	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct byte_sink *s = sink_of(how, 0, 2);
		struct bufreader *w = bufreader_new("in", NULL);
		int fds[2];
		size_t have;

		cr_assert_eq(pipe(fds), 0);
		cr_assert_eq(byte_sink_open_fd(s, fds[1], "out"), IOT_OK);
		cr_assert_eq(bufreader_open_fd(w, fds[0]), IOT_OK);
		for (int i = 0; i < 3; i++) {
			put_text(s, "line\n");
			cr_assert_eq(byte_sink_flush(s), IOT_OK);
			cr_assert_eq(byte_sink_flush(s), IOT_OK);
			bufreader_peek(w, 5, &have);
			cr_assert_eq(have, 5);
			bufreader_consume(w, 5);
		}
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		close(fds[1]);
		bufreader_peek(w, 1, &have);
		cr_assert_eq(have, 0);
		cr_assert_eq(bufreader_status(w), IOT_OK);
		close(fds[0]);
		byte_sink_free(s);
		bufreader_free(w);
	}
}

Test(byte_sink, a_new_file_appears_at_close_with_the_mode_the_umask_leaves, .init = enter_directory,
     .fini = leave_directory)
{
	static const mode_t masks[] = {022, 027, 077, 0};

	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		struct byte_sink *s = byte_sink_new();

		umask(masks[i]);
		cr_assert_eq(byte_sink_open(s, "out"), IOT_OK);
		put_text(s, "text");
		cr_assert_eq(byte_sink_flush(s), IOT_OK);
		cr_assert_neq(access("out", F_OK), 0);
		cr_assert_leq(names_here(), 1); /* none where unnamed files are not supported */
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		assert_file("out", "text");
		cr_assert_eq(mode_of("out"), 0666 & ~masks[i]);
		cr_assert_eq(names_here(), 1);
		byte_sink_free(s);
		cr_assert_eq(unlink("out"), 0);
	}
}

/* The call of fsync, in place of the C library's: whether "out" existed, and what fd was. */
static char synced[16];
static int sync_error;

int fsync(int fd)
{
	struct stat st;
	const size_t n = strlen(synced);

	if (n + 1 < sizeof(synced) && fstat(fd, &st) == 0)
		synced[n] = S_ISDIR(st.st_mode) ? 'd' : access("out", F_OK) == 0 ? 'F' : 'f';
	if (sync_error == 0)
		return (int)syscall(SYS_fsync, fd);
	errno = sync_error;
	return -1;
}

Test(byte_sink, a_file_is_on_the_disk_before_its_name_is, .init = enter_directory,
     .fini = leave_directory)
{
	static const char *const expected[] = {"fd", "Fd", ""};

	for (unsigned i = 0; i < 3; i++) {
		struct byte_sink *s = byte_sink_new();

		memset(synced, 0, sizeof(synced));
		byte_sink_how(s, i == 2 ? ATOMIC_FILE_NO_SYNC : 0);
		cr_assert_eq(byte_sink_open(s, "out"), IOT_OK);
		put_text(s, "text");
		cr_assert_str_eq(synced, "");
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		cr_assert_str_eq(synced, expected[i]);
		assert_file("out", "text");
		byte_sink_free(s);
	}
}

Test(byte_sink, a_file_that_does_not_reach_the_disk_gets_no_name, .init = enter_directory,
     .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();

	make_file("out", "old");
	sync_error = EIO;
	cr_assert_eq(byte_sink_open(s, "out"), IOT_OK);
	put_text(s, "new");
	cr_assert_eq(byte_sink_close(s), IOT_EIO);
	sync_error = 0;
	assert_file("out", "old");
	cr_assert_eq(names_here(), 1);
	byte_sink_free(s);
}

Test(byte_sink, a_file_system_without_fsync_will_do, .init = enter_directory,
     .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();

	sync_error = EINVAL;
	cr_assert_eq(byte_sink_open(s, "out"), IOT_OK);
	put_text(s, "text");
	cr_assert_eq(byte_sink_close(s), IOT_OK);
	sync_error = 0;
	assert_file("out", "text");
	byte_sink_free(s);
}

Test(byte_sink, a_private_file_is_its_owners_alone_whatever_it_replaces, .init = enter_directory,
     .fini = leave_directory)
{
	static const char *const paths[] = {"absent", "existing", "link"};

	umask(0);
	make_file("existing", "old");
	make_file("there", "old");
	cr_assert_eq(chmod("existing", 0644), 0);
	cr_assert_eq(chmod("there", 0666), 0);
	cr_assert_eq(symlink("there", "link"), 0);
	const int reader = open("existing", O_RDONLY);
	for (unsigned i = 0; i < 3; i++) {
		struct byte_sink *s = byte_sink_new();

		byte_sink_how(s, ATOMIC_FILE_PRIVATE);
		cr_assert_eq(byte_sink_open(s, paths[i]), IOT_OK);
		put_text(s, "new");
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		cr_assert_eq(mode_of(i == 2 ? "there" : paths[i]), 0600);
		assert_file(paths[i], "new");
		byte_sink_free(s);
	}
	char text[8] = "";
	cr_assert_eq(read(reader, text, sizeof(text) - 1), 3);
	cr_assert_str_eq(text, "old");
	close(reader);
}

Test(byte_sink, a_private_file_does_not_go_where_another_user_says, .init = enter_directory,
     .fini = leave_directory)
{
	static const char *const paths[] = {"link", "theirs"};

	if (geteuid() != 0)
		return; /* only root can create files of another user */
	make_file("mine", "old");
	make_file("theirs", "old");
	cr_assert_eq(symlink("mine", "link"), 0);
	cr_assert_eq(lchown("link", 1, 1), 0);
	cr_assert_eq(chown("theirs", 1, 1), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct byte_sink *s = byte_sink_new();

		byte_sink_how(s, ATOMIC_FILE_PRIVATE);
		cr_assert_eq(byte_sink_open(s, paths[i]), IOT_EIO);
		cr_assert_not_null(strstr(byte_sink_error(s)->text, "another user"));
		byte_sink_free(s);
		assert_file(paths[i], "old");
	}
}

Test(byte_sink, an_existing_file_is_untouched_until_close_and_keeps_its_mode,
     .init = enter_directory, .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();

	make_file("out", "old");
	cr_assert_eq(chmod("out", 0604), 0);
	cr_assert_eq(byte_sink_open(s, "out"), IOT_OK);
	put_text(s, "new");
	cr_assert_eq(byte_sink_flush(s), IOT_OK);
	assert_file("out", "old");
	cr_assert_eq(byte_sink_close(s), IOT_OK);
	assert_file("out", "new");
	cr_assert_eq(mode_of("out"), 0604);
	cr_assert_eq(names_here(), 1);
	byte_sink_free(s);
}

Test(byte_sink, freed_without_close_it_leaves_no_file, .init = enter_directory,
     .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();

	make_file("out", "old");
	cr_assert_eq(byte_sink_open(s, "out"), IOT_OK);
	put_text(s, "new");
	cr_assert_eq(byte_sink_flush(s), IOT_OK);
	cr_assert_leq(names_here(), 2);
	byte_sink_free(s);
	assert_file("out", "old");
	cr_assert_eq(names_here(), 1);
	byte_sink_free(NULL);
}

Test(byte_sink, a_link_stays_and_what_it_points_to_is_replaced, .init = enter_directory,
     .fini = leave_directory)
{
	static const char *targets[] = {"there", "absent"};

	make_file("there", "old");
	for (size_t i = 0; i < 2; i++) {
		struct byte_sink *s = byte_sink_new();
		char absolute[128];

		snprintf(absolute, sizeof(absolute), "%s/middle", directory);
		cr_assert_eq(symlink(absolute, "link"), 0);
		cr_assert_eq(symlink(targets[i], "middle"), 0);
		cr_assert_eq(byte_sink_open(s, "./link"), IOT_OK, "%s", byte_sink_error(s)->text);
		put_text(s, "new");
		cr_assert_eq(byte_sink_close(s), IOT_OK);
		assert_file(targets[i], "new");
		assert_file("link", "new");
		cr_assert_eq(readlink("link", absolute, sizeof(absolute)),
			     (ssize_t)strlen(directory) + 7);
		byte_sink_free(s);
		unlink("link");
		unlink("middle");
	}
}

Test(byte_sink, links_in_a_circle_are_an_error, .init = enter_directory, .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();

	cr_assert_eq(symlink("a", "b"), 0);
	cr_assert_eq(symlink("b", "a"), 0);
	cr_assert_eq(byte_sink_open(s, "a"), IOT_EIO);
	cr_assert_str_eq(byte_sink_error(s)->text,
			 "a: cannot be opened: Too many levels of symbolic links");
	byte_sink_free(s);
}

Test(byte_sink, a_name_as_long_as_names_may_be_works, .init = enter_directory,
     .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();
	char name[256];

	memset(name, 'n', 255);
	name[255] = '\0';
	cr_assert_eq(byte_sink_open(s, name), IOT_OK, "%s", byte_sink_error(s)->text);
	put_text(s, "text");
	cr_assert_eq(byte_sink_close(s), IOT_OK);
	assert_file(name, "text");
	byte_sink_free(s);
}

static void *read_fifo(void *context)
{
	assert_file("fifo", "text");
	return context;
}

Test(byte_sink, a_fifo_is_written_directly, .init = enter_directory, .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();
	struct stat st;
	pthread_t thread;

	alarm(300);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	cr_assert_eq(pthread_create(&thread, NULL, read_fifo, NULL), 0);
	cr_assert_eq(byte_sink_open(s, "fifo"), IOT_OK);
	put_text(s, "text");
	cr_assert_eq(byte_sink_close(s), IOT_OK);
	pthread_join(thread, NULL);
	cr_assert_eq(lstat("fifo", &st), 0);
	cr_assert(S_ISFIFO(st.st_mode));
	cr_assert_eq(names_here(), 1);
	byte_sink_free(s);
}

Test(byte_sink, what_cannot_be_opened_says_why, .init = enter_directory, .fini = leave_directory)
{
	static const char *const cases[][2] = {
	    {".", ".: cannot be written: Is a directory"},
	    {"absent/", "absent/: cannot be opened: Is a directory"},
	    {"", ": cannot be opened: No such file or directory"},
	    {"absent/out", "absent/out: directory absent does not exist"},
	    {"/dev/null/out", "/dev/null/out: cannot be opened: Not a directory"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct byte_sink *s = byte_sink_new();

		cr_assert_eq(byte_sink_open(s, cases[i][0]), IOT_EIO);
		cr_assert_str_eq(byte_sink_error(s)->text, cases[i][1]);
		cr_assert_eq(byte_sink_write(s, "x", 1), IOT_EIO);
		cr_assert_eq(byte_sink_close(s), IOT_EIO);
		byte_sink_free(s);
		cr_assert_eq(names_here(), 0);
	}
}

Test(byte_sink, a_full_disk_is_an_error_at_flush_and_ever_after)
{
	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct byte_sink *s = sink_of(how, 0, 0);

		cr_assert_eq(byte_sink_open(s, "/dev/full"), IOT_OK);
		put_text(s, "text");
		cr_assert_eq(byte_sink_flush(s), IOT_EIO);
		cr_assert_str_eq(
		    byte_sink_error(s)->text,
		    "/dev/full: at byte 0: cannot be written: No space left on device");
		cr_assert_eq(byte_sink_write(s, "x", 1), IOT_EIO);
		cr_assert_eq(byte_sink_close(s), IOT_EIO);
		byte_sink_free(s);
	}
}

Test(byte_sink, a_full_disk_is_an_error_at_close_if_not_before)
{
	struct byte_sink *s = byte_sink_new();

	cr_assert_eq(byte_sink_open(s, "/dev/full"), IOT_OK);
	put_text(s, "text");
	cr_assert_eq(byte_sink_close(s), IOT_EIO);
	byte_sink_free(s);
}

Test(byte_sink, a_large_write_to_a_full_disk_fails_at_once)
{
	struct byte_sink *s = byte_sink_new();
	char *text = text_of(1 << 20);

	cr_assert_eq(byte_sink_open(s, "/dev/full"), IOT_OK);
	cr_assert_eq(byte_sink_write(s, text, 1 << 20), IOT_EIO);
	byte_sink_free(s);
	free(text);
}

Test(byte_sink, a_pipe_without_reader_is_an_error)
{
	struct byte_sink *s = byte_sink_new();
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(fds), 0);
	close(fds[0]);
	cr_assert_eq(byte_sink_open_fd(s, fds[1], "out"), IOT_OK);
	put_text(s, "text");
	cr_assert_eq(byte_sink_close(s), IOT_EIO);
	cr_assert_str_eq(byte_sink_error(s)->text,
			 "out: at byte 0: cannot be written: Broken pipe");
	close(fds[1]);
	byte_sink_free(s);
}

/* After a failed write the old file still exists. */
Test(byte_sink, an_output_that_failed_does_not_replace_a_file, .init = enter_directory,
     .fini = leave_directory)
{
	struct byte_sink *s = byte_sink_new();

	make_file("out", "old");
	cr_assert_eq(byte_sink_open(s, "out"), IOT_OK);
	put_text(s, "new");
	cr_assert_eq(unlink("out"), 0);
	cr_assert_eq(mkdir("out", 0700), 0);
	cr_assert_eq(byte_sink_close(s), IOT_EIO);
	cr_assert_eq(names_here(), 1);
	cr_assert_eq(rmdir("out"), 0);
	byte_sink_free(s);
}

struct slow {
	char got[8192];
	size_t size;
	unsigned calls;
};

/* Accepts three bytes at a time, and is interrupted now and then. */
static ssize_t take_slowly(void *context, const void *data, size_t size)
{
	struct slow *slow = context;
	const size_t n = size < 3 ? size : 3;

	if (slow->calls++ % 5 == 2) {
		errno = EINTR;
		return -1;
	}
	memcpy(slow->got + slow->size, data, n);
	slow->size += n;
	return (ssize_t)n;
}

static ssize_t take_nothing(void *context, const void *data, size_t size)
{
	(void)context, (void)data, (void)size;
	return 0;
}

Test(byte_sink, short_writes_are_continued)
{
	struct slow slow = {.size = 0};
	struct byte_sink *s = byte_sink_new();
	char *text = text_of(8000);

	cr_assert_eq(byte_sink_open_callback(s, take_slowly, &slow, "out"), IOT_OK);
	cr_assert_eq(byte_sink_write(s, text, 8000), IOT_OK);
	cr_assert_eq(byte_sink_close(s), IOT_OK);
	cr_assert_eq(slow.size, 8000);
	cr_assert_eq(memcmp(slow.got, text, 8000), 0);
	byte_sink_free(s);
	free(text);
}

Test(byte_sink, a_callback_that_takes_nothing_is_an_error)
{
	struct byte_sink *s = byte_sink_new();

	alarm(300);
	cr_assert_eq(byte_sink_open_callback(s, take_nothing, NULL, "out"), IOT_OK);
	put_text(s, "text");
	cr_assert_eq(byte_sink_flush(s), IOT_EIO);
	byte_sink_free(s);
}

Test(byte_sink, a_descriptor_stays_open, .init = enter_directory, .fini = leave_directory)
{
	const int fd = open("out", O_WRONLY | O_CREAT, 0600);
	struct byte_sink *s = byte_sink_new();

	cr_assert_geq(fd, 0);
	cr_assert_eq(byte_sink_open_fd(s, fd, "out"), IOT_OK);
	put_text(s, "text");
	cr_assert_eq(byte_sink_close(s), IOT_OK);
	byte_sink_free(s);
	cr_assert_eq(write(fd, "more", 4), 4);
	close(fd);
	assert_file("out", "textmore");
}

static void *read_slowly(void *context)
{
	const int fd = *(int *)context;
	char block[4096];
	size_t total = 0;
	ssize_t n;

	usleep(50000);
	while ((n = read(fd, block, sizeof(block))) > 0)
		total += (size_t)n;
	*(size_t *)context = total;
	return NULL;
}

Test(byte_sink, a_descriptor_that_does_not_block_is_waited_for)
{
	alarm(300);
	union {
		int fd;
		size_t total;
	} reader;
	struct byte_sink *s = byte_sink_new();
	char *text = text_of(1000000);
	pthread_t thread;
	int fds[2];

	cr_assert_eq(pipe2(fds, O_NONBLOCK), 0);
	cr_assert_eq(fcntl(fds[0], F_SETFL, 0), 0);
	reader.fd = fds[0];
	cr_assert_eq(pthread_create(&thread, NULL, read_slowly, &reader), 0);
	cr_assert_eq(byte_sink_open_fd(s, fds[1], "out"), IOT_OK);
	cr_assert_eq(byte_sink_write(s, text, 1000000), IOT_OK);
	cr_assert_eq(byte_sink_close(s), IOT_OK, "%s", byte_sink_error(s)->text);
	close(fds[1]);
	pthread_join(thread, NULL);
	cr_assert_eq(reader.total, 1000000);
	close(fds[0]);
	byte_sink_free(s);
	free(text);
}

Test(byte_sink, used_in_the_wrong_order_it_refuses)
{
	struct byte_sink *s = byte_sink_new();

	cr_assert_eq(byte_sink_write(s, "x", 1), IOT_EUSAGE);
	byte_sink_free(s);

	s = byte_sink_new();
	cr_assert_eq(byte_sink_open_memory(s), IOT_OK);
	cr_assert_eq(byte_sink_compress(s, IOT_GZIP, 0, 0), IOT_EUSAGE);
	byte_sink_free(s);

	s = byte_sink_new();
	cr_assert_eq(byte_sink_open_memory(s), IOT_OK);
	cr_assert_eq(byte_sink_close(s), IOT_OK);
	cr_assert_eq(byte_sink_write(s, "x", 1), IOT_EUSAGE);
	byte_sink_free(s);
}
