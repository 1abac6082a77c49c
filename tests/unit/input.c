/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs: the paths of the user become a list of members with their decompressed bytes. */
#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/converter.h"
#include "converters/input/archive_reader.h"

static char directory[64];

static void enter(void)
{
	strcpy(directory, "/tmp/iotrace-test-XXXXXX");
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
}

static void leave(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_expect_eq(chdir("/"), 0);
	cr_expect_eq(system(command), 0);
}

TestSuite(input, .init = enter, .fini = leave);

static void put(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(data, 1, size, f), size);
	cr_assert_eq(fclose(f), 0);
}

/* Text that no compressor makes much smaller. */
static char *noise(size_t size)
{
	char *text = malloc(size + 1);
	uint32_t x = 12345;
	cr_assert_not_null(text);
	for (size_t i = 0; i < size; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = (char)('0' + (x >> 26));
	}
	text[size] = '\0';
	return text;
}

struct file {
	const char *name, *data;
	size_t size;
	mode_t type;
	const char *link;
};

static void write_entry(struct archive *a, const struct file *f)
{
	struct archive_entry *e = archive_entry_new();
	archive_entry_set_pathname(e, f->name);
	archive_entry_set_filetype(e, f->type != 0 ? f->type : AE_IFREG);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_size(e, (la_int64_t)f->size);
	if (f->link != NULL && f->type == AE_IFLNK)
		archive_entry_set_symlink(e, f->link);
	else if (f->link != NULL)
		archive_entry_set_hardlink(e, f->link);
	cr_assert_eq(archive_write_header(a, e), ARCHIVE_OK);
	cr_assert_eq(archive_write_data(a, f->data, f->size), (la_ssize_t)f->size);
	archive_entry_free(e);
}

/* format ARCHIVE_FORMAT_RAW: one file, packed; else a tar. */
static void pack(const char *path, int format, int filter, const struct file *files, size_t n)
{
	struct archive *a = archive_write_new();
	cr_assert_eq(archive_write_set_format(a, format), ARCHIVE_OK);
	if (filter != ARCHIVE_FILTER_NONE)
		cr_assert_eq(archive_write_add_filter(a, filter), ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(a, 1);
	cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
	for (size_t i = 0; i < n; i++)
		write_entry(a, &files[i]);
	cr_assert_eq(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
}

static void pack_text(const char *path, int filter, const char *text, size_t size)
{
	const struct file f = {.name = "data", .data = text, .size = size};
	pack(path, ARCHIVE_FORMAT_RAW, filter, &f, 1);
}

static struct input *input_of(const char *path)
{
	struct error error = {.status = IOT_OK};
	struct input *in = input_new(&path, 1, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	return in;
}

static void expect_refused(const char *path, const char *words)
{
	struct error error = {.status = IOT_OK};
	struct input *in = input_new(&path, 1, NULL, &error);
	cr_assert_null(in);
	cr_expect_lt(error.status, 0);
	cr_expect_not_null(strstr(error.text, words), "%s", error.text);
}

/* All bytes of a member; *error gets the window's error. */
static char *slurp(struct input *in, size_t member, size_t *size, struct error *error)
{
	struct bufreader *w = input_open(in, member, error);
	char *all = malloc(1);
	size_t have, n = 0;
	cr_assert_not_null(w, "%s", error->text);
	for (;;) {
		const char *p = bufreader_peek(w, 1, &have);
		if (have == 0)
			break;
		all = realloc(all, n + have + 1);
		cr_assert_not_null(all);
		memcpy(all + n, p, have);
		n += have;
		bufreader_consume(w, have);
	}
	*error = *bufreader_error(w);
	bufreader_free(w);
	*size = n;
	return all;
}

static void expect_member(struct input *in, size_t member, const char *name, const char *text,
			  size_t size)
{
	struct error error = {.status = IOT_OK};
	size_t got;
	cr_assert_lt(member, input_count(in));
	cr_expect_str_eq(input_name(in, member), name);
	char *bytes = slurp(in, member, &got, &error);
	cr_expect_eq(error.status, IOT_OK, "%s", error.text);
	cr_expect_eq(got, size);
	cr_expect(got == size && memcmp(bytes, text, size) == 0);
	free(bytes);
}

Test(input, a_plain_file_is_one_member_that_opens_again_and_again)
{
	put("a.txt", "hello\n", 6);
	struct input *in = input_of("a.txt");
	size_t size;
	cr_expect_eq(input_count(in), 1);
	cr_expect(input_again(in));
	cr_expect_arr_eq(input_head(in, 0, &size), "hello\n", 6);
	cr_expect_eq(size, 6);
	expect_member(in, 0, "a.txt", "hello\n", 6);
	expect_member(in, 0, "a.txt", "hello\n", 6);
	input_free(in);
}

Test(input, packed_files_show_what_is_in_them_whatever_the_block_size)
{
	static const int filters[] = {ARCHIVE_FILTER_NONE,  ARCHIVE_FILTER_GZIP,
				      ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
				      ARCHIVE_FILTER_ZSTD,  ARCHIVE_FILTER_LZ4};
	static const size_t blocks[] = {0, 1, 17};
	const size_t size = INPUT_HEAD_SIZE + 4464;
	char *text = noise(size);
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		pack_text("packed", filters[i], text, size);
		for (size_t k = 0; k < 3; k++) {
			struct input *in = input_of("packed");
			size_t have;
			input_set_read_size(in, blocks[k]);
			const char *head = input_head(in, 0, &have);
			cr_expect_eq(have, INPUT_HEAD_SIZE);
			cr_expect(have <= size && memcmp(head, text, have) == 0);
			expect_member(in, 0, "packed", text, size);
			input_free(in);
		}
	}
	free(text);
}

Test(input, an_empty_file_is_a_member_without_bytes)
{
	put("empty", "", 0);
	pack_text("empty.xz", ARCHIVE_FILTER_XZ, "", 0);
	struct input *in = input_of("empty");
	expect_member(in, 0, "empty", "", 0);
	input_free(in);
	in = input_of("empty.xz");
	expect_member(in, 0, "empty.xz", "", 0);
	input_free(in);
}

static void expect_cut_short(int filter, size_t min)
{
	const size_t size = 400000;
	char *text = noise(size);
	struct error error = {.status = IOT_OK};
	struct stat st;
	size_t got;
	pack_text("whole", filter, text, size);
	cr_assert_eq(stat("whole", &st), 0);
	cr_assert_eq(truncate("whole", st.st_size / 2), 0);
	struct input *in = input_of("whole");
	char *bytes = slurp(in, 0, &got, &error);
	cr_expect_eq(error.status, IOT_ETRUNCATED, "filter %d: %s", filter, error.text);
	cr_expect(strncmp(error.text, "whole: ", 7) == 0, "%s", error.text);
	cr_expect_geq(got, min, "filter %d: %zu bytes", filter, got);
	cr_expect(got <= size && memcmp(bytes, text, got) == 0);
	free(bytes);
	free(text);
	input_free(in);
}

Test(input, what_is_cut_short_gives_its_good_bytes_and_then_the_error)
{
	expect_cut_short(ARCHIVE_FILTER_GZIP, 150000);
	expect_cut_short(ARCHIVE_FILTER_ZSTD, 65536);
	expect_cut_short(ARCHIVE_FILTER_XZ, 65536);
	expect_cut_short(ARCHIVE_FILTER_LZ4, 0); /* one block of 4 MiB */
	expect_cut_short(ARCHIVE_FILTER_BZIP2, 0);
}

Test(input, damage_is_reported_in_the_words_of_the_decoder)
{
	const size_t size = 200000;
	char *text = noise(size);
	struct error error = {.status = IOT_OK};
	size_t got;
	pack_text("bad", ARCHIVE_FILTER_XZ, text, size);
	int fd = open("bad", O_WRONLY);
	cr_assert_eq(pwrite(fd, "!!!!!!!!", 8, 100000), 8);
	close(fd);
	struct input *in = input_of("bad");
	char *bytes = slurp(in, 0, &got, &error);
	cr_expect_eq(error.status, IOT_EFORMAT, "%s", error.text);
	cr_expect(strncmp(error.text, "bad: ", 5) == 0, "%s", error.text);
	cr_expect(got > 0 && got < size && memcmp(bytes, text, got) == 0);
	free(bytes);
	free(text);
	input_free(in);
}

static const struct file tar_files[] = {
    {.name = "b/", .type = AE_IFDIR},
    {.name = "b/two", .data = "second", .size = 6},
    {.name = "one", .data = "first", .size = 5},
    {.name = "soft", .type = AE_IFLNK, .link = "one"},
    {.name = "hard", .link = "one"},
    {.name = "pipe", .type = AE_IFIFO},
    {.name = "/etc/../../abs\n", .data = "x", .size = 1},
    {.name = "none", .data = "", .size = 0},
};

enum { TAR_FILES = sizeof(tar_files) / sizeof(*tar_files) };

static void expect_tar(struct input *in, const char *first, const char *second)
{
	cr_expect_eq(input_count(in), 4);
	cr_expect_eq(input_skipped(in), 3);
	cr_expect(input_again(in));
	expect_member(in, 0, first, "second", 6);
	expect_member(in, 1, second, "first", 5);
	expect_member(in, 1, second, "first", 5);
	cr_expect_not_null(strstr(input_name(in, 2), "abs\\x0a"), "%s", input_name(in, 2));
	expect_member(in, 3, input_name(in, 3), "", 0);
	input_free(in);
}

Test(input, the_regular_files_of_a_tar_are_members)
{
	pack("t", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, tar_files, TAR_FILES);
	expect_tar(input_of("t"), "t/b/two", "t/one");
	cr_expect_neq(access("one", F_OK), 0, "nothing is written under names of a tar");
	pack("t.xz", ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_XZ, tar_files, TAR_FILES);
	expect_tar(input_of("t.xz"), "t.xz/b/two", "t.xz/one");
	pack("t.zst", ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_ZSTD, tar_files, TAR_FILES);
	expect_tar(input_of("t.zst"), "t.zst/b/two", "t.zst/one");
}

static char *bytes_of(const char *path, size_t *size)
{
	struct stat st;
	cr_assert_eq(stat(path, &st), 0);
	*size = (size_t)st.st_size;
	char *bytes = malloc(*size);
	FILE *f = fopen(path, "r");
	cr_assert(bytes != NULL && f != NULL);
	cr_assert_eq(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

Test(input, members_of_a_tar_may_be_packed_themselves)
{
	struct file files[2] = {{.name = "a.gz"}, {.name = "b.bz2"}};
	char *text = noise(5000);
	pack_text("gz", ARCHIVE_FILTER_GZIP, text, 5000);
	pack_text("bz2", ARCHIVE_FILTER_BZIP2, text, 5000);
	char *gz = bytes_of("gz", &files[0].size), *bz2 = bytes_of("bz2", &files[1].size);
	files[0].data = gz;
	files[1].data = bz2;
	pack("t.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, files, 2);
	struct input *in = input_of("t.tar");
	expect_member(in, 0, "t.tar/a.gz", text, 5000);
	expect_member(in, 1, "t.tar/b.bz2", text, 5000);
	input_free(in);
	free(text);
	free(gz);
	free(bz2);
}

Test(input, a_tar_cut_short_keeps_what_it_has)
{
	char *text = noise(100000);
	const struct file files[] = {{.name = "a", .data = "first", .size = 5},
				     {.name = "b", .data = text, .size = 100000}};
	struct error error = {.status = IOT_OK};
	size_t got;
	pack("t", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, files, 2);
	cr_assert_eq(truncate("t", 50000), 0);
	struct input *in = input_of("t");
	cr_assert_eq(input_count(in), 2);
	expect_member(in, 0, "t/a", "first", 5);
	char *bytes = slurp(in, 1, &got, &error);
	cr_expect_eq(error.status, IOT_ETRUNCATED, "%s", error.text);
	cr_expect(strncmp(error.text, "t: ", 3) == 0, "%s", error.text);
	cr_expect(got > 40000 && got < 50000 && memcmp(bytes, text, got) == 0, "%zu", got);
	free(bytes);
	free(text);
	input_free(in);
}

Test(input, a_directory_is_its_regular_files_sorted_by_name)
{
	cr_assert_eq(mkdir("d", 0755), 0);
	cr_assert_eq(mkdir("d/m", 0755), 0);
	put("d/z", "last", 4);
	put("d/m/x", "middle", 6);
	pack_text("d/a.gz", ARCHIVE_FILTER_GZIP, "first", 5);
	cr_assert_eq(symlink("z", "d/link"), 0);
	cr_assert_eq(mkfifo("d/fifo", 0600), 0);
	struct input *in = input_of("d/");
	cr_expect_eq(input_count(in), 3);
	cr_expect_eq(input_skipped(in), 2);
	expect_member(in, 0, "d/a.gz", "first", 5);
	expect_member(in, 1, "d/m/x", "middle", 6);
	expect_member(in, 2, "d/z", "last", 4);
	input_free(in);
}

static void expect_replaced(struct input *in, size_t member)
{
	struct error error = {.status = IOT_OK};
	struct bufreader *w = input_open(in, member, &error);
	cr_expect_null(w);
	cr_expect_eq(error.status, IOT_EIO);
	cr_expect_not_null(strstr(error.text, "was replaced by another file"), "%s", error.text);
	bufreader_free(w);
}

Test(input, a_member_that_is_replaced_is_neither_followed_nor_waited_for, .timeout = 20)
{
	cr_assert_eq(mkdir("d", 0755), 0);
	cr_assert_eq(mkdir("d/m", 0755), 0);
	cr_assert_eq(mkdir("other", 0755), 0);
	put("d/a", "one", 3);
	put("d/b", "two", 3);
	put("d/m/c", "three", 5);
	put("d/z", "last", 4);
	put("other/c", "secret", 6);
	put("named", "four", 4);
	const char *const paths[] = {"d", "named"};
	struct error error = {.status = IOT_OK};
	struct input *in = input_new(paths, 2, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	cr_assert_eq(input_count(in), 5);
	cr_assert_eq(unlink("d/a") | mkfifo("d/a", 0600), 0);
	cr_assert_eq(unlink("d/b") | symlink("../other/c", "d/b"), 0);
	cr_assert_eq(rename("d/m", "moved") | symlink("../moved", "d/m"), 0);
	cr_assert_eq(rename("named", "kept") | mkfifo("named", 0600), 0);
	for (size_t i = 0; i < 3; i++)
		expect_replaced(in, i);
	expect_member(in, 3, "d/z", "last", 4);
	expect_replaced(in, 4);
	cr_assert_eq(unlink("d/z") | link("other/c", "d/z"), 0);
	expect_replaced(in, 3);
	input_free(in);
}

Test(input, a_directory_that_is_replaced_is_not_entered)
{
	cr_assert_eq(mkdir("d", 0755), 0);
	put("d/a", "one", 3);
	struct input *in = input_of("d");
	cr_assert_eq(rename("d", "moved") | symlink("moved", "d"), 0);
	expect_member(in, 0, "d/a", "one", 3);
	cr_assert_eq(unlink("d") | mkdir("d", 0755) | link("moved/a", "d/a"), 0);
	expect_replaced(in, 0);
	input_free(in);
}

Test(input, folders_too_deep_and_without_files_are_refused)
{
	char path[256] = "deep";
	cr_assert_eq(mkdir(path, 0755), 0);
	expect_refused("deep", "no files");
	for (size_t i = 0; i < 40; i++) {
		strcat(path, "/d");
		cr_assert_eq(mkdir(path, 0755), 0);
	}
	expect_refused("deep", "deeper than 32");
}

Test(input, what_is_not_there_is_named)
{
	expect_refused("absent\n", "absent\\x0a: cannot be opened: No such file");
}

Test(input, several_paths_are_members_of_one_input)
{
	const char *const paths[] = {"a", "b"};
	struct error error = {.status = IOT_OK};
	uint64_t done, total;
	size_t size;
	put("a", "12345", 5);
	put("b", "678", 3);
	struct input *in = input_new(paths, 2, NULL, &error);
	cr_assert_not_null(in, "%s", error.text);
	input_progress(in, &done, &total);
	cr_expect_eq(total, 8);
	expect_member(in, 0, "a", "12345", 5);
	input_progress(in, &done, &total);
	cr_expect(done >= 5 && done <= 8, "%ju", (uintmax_t)done);
	free(slurp(in, 1, &size, &error));
	input_progress(in, &done, &total);
	cr_expect_eq(done, 8);
	input_free(in);
}

/* Standard input becomes a pipe that holds `size` bytes (at most 64 KiB) and then ends. */
static void pipe_in(const char *data, size_t size)
{
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], data, size), (ssize_t)size);
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
}

Test(input, a_look_at_a_pipe_takes_nothing_from_it)
{
	char *text = noise(60000);
	struct error error = {.status = IOT_OK};
	size_t size;
	pipe_in(text, 60000);
	struct input *in = input_of("-");
	cr_expect_not(input_again(in));
	const char *head = input_head(in, 0, &size);
	cr_expect(size >= 4096 && memcmp(head, text, size) == 0);
	expect_member(in, 0, "-", text, 60000);
	cr_expect_null(input_open(in, 0, &error));
	cr_expect_eq(error.status, IOT_EUSAGE);
	input_free(in);
	free(text);
}

Test(input, a_pipe_may_be_packed)
{
	static const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
				      ARCHIVE_FILTER_LZ4};
	char *text = noise(20000);
	for (size_t i = 0; i < 4; i++) {
		size_t size;
		pack_text("packed", filters[i], text, 20000);
		char *bytes = bytes_of("packed", &size);
		pipe_in(bytes, size);
		struct input *in = input_of("-");
		expect_member(in, 0, "-", text, 20000);
		input_free(in);
		free(bytes);
	}
	free(text);
}

Test(input, a_tar_from_a_pipe_can_be_read_again)
{
	size_t size;
	pack("t", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_LZ4, tar_files, TAR_FILES);
	char *bytes = bytes_of("t", &size);
	pipe_in(bytes, size);
	expect_tar(input_of("-"), "-/b/two", "-/one");
	free(bytes);
}

Test(input, a_stopped_pipe_ends_though_its_writer_lives)
{
	const char *const path = "-";
	struct interrupt stop = {.request = INTERRUPT_DRAIN};
	struct error error = {.status = IOT_OK};
	int ends[2];
	size_t size;
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], "abc", 3), 3);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	struct input *in = input_new(&path, 1, &stop, &error);
	cr_assert_not_null(in, "%s", error.text);
	char *bytes = slurp(in, 0, &size, &error);
	cr_expect_eq(size, 3);
	cr_expect_eq(error.status, IOT_ETRUNCATED);
	cr_expect(stop.cut);
	free(bytes);
	input_free(in);
	close(ends[1]);
}

Test(input, standard_input_is_named_once)
{
	const char *const paths[] = {"-", "-"};
	struct error error = {.status = IOT_OK};
	pipe_in("abc", 3);
	cr_expect_null(input_new(paths, 2, NULL, &error));
	cr_expect_eq(error.status, IOT_EUSAGE);
}

Test(input, many_members_have_small_heads)
{
	char *text = noise(10000), path[32];
	size_t size;
	cr_assert_eq(mkdir("d", 0755), 0);
	for (int i = 0; i < 2000; i++) {
		snprintf(path, sizeof(path), "d/%04d", i);
		put(path, text, 10000);
	}
	struct input *in = input_of("d");
	cr_expect_eq(input_count(in), 2000);
	(void)input_head(in, 1999, &size);
	cr_expect(size >= 256 && size <= 4096, "%zu", size);
	input_free(in);
	free(text);
}

Test(unpack, text_is_no_tar_and_not_packed)
{
	static char text[512];
	memset(text, '0', sizeof(text));
	cr_expect_not(is_tar(text, sizeof(text)));
	cr_expect_not(is_tar(text, 100));
	cr_expect_eq(compression_layer_of(text, sizeof(text)), COMPRESSION_LAYER_NONE);
	cr_expect_eq(compression_layer_of("", 0), COMPRESSION_LAYER_NONE);
	cr_expect_eq(compression_layer_of("BZh91AY", 7), COMPRESSION_LAYER_BZIP2);
	cr_expect_eq(compression_layer_of("BZh9 is text", 12), COMPRESSION_LAYER_NONE);
}

Test(report, names_are_summed_and_the_first_unparsed_places_kept)
{
	static struct report r;
	report_add(&r, "hidden.mmap", 2);
	report_add(&r, "ambiguous", 1);
	report_add(&r, "hidden.mmap", 3);
	cr_expect_eq(r.counts, 2);
	cr_expect_eq(r.count[0].value, 5);
	for (uint64_t i = 1; i <= 8; i++)
		report_unparsed(&r, "a\n", i, "\033[2J", 4);
	cr_expect_eq(r.unparsed, 8);
	cr_expect_eq(r.examples, REPORT_EXAMPLES);
	cr_expect_eq(r.example[4].line, 5);
	cr_expect_str_eq(r.example[0].file, "a\\x0a");
	cr_expect_str_eq(r.example[0].text, "\\x1b[2J");
}
