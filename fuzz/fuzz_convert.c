/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the command convert over any bytes, with its own options and options of converters: the
 * result is a trace that reads completely and in order of start, or none; a report that is JSON and
 * counts the same number of records; no other files.
 *
 * The first two bytes of an input are options, '0' is the default. First: bits 0-2 --from, 3 the
 * rest becomes a tar (see tar.h), 4 the rest becomes two inputs, 5 files of a directory. Second:
 * bits 0-1 compression, 2-3 sorting, 4-6 another option.
 */
#include "command.h"
#include "kept.h"
#include "tar.h"

#include "json.h"

#include <sys/stat.h>

enum { FILES_MAX = 8 };

struct converted {
	struct command done;
	char *trace, *report; /* NULL: none */
	size_t trace_size, report_size;
};

static struct converted convert(const char *const *paths, size_t files, unsigned from, unsigned how)
{
	static const char *const sources[] = {"-q",       "strace", "darshan", "recorder",
					      "procstat", "-v",     "strace",  "-q"};
	static const char *const names[] = {"out.iot", "out.iot.zst", "out.iot.gz", "out"};
	static const char *const orders[] = {"-q", "--memory=64K", "--unsorted", "--sync=5"};
	static const char *const others[] = {"-q",          "--strict",     "--ops=none",
					     "--ops=names", "--layer=both", "--per-thread",
					     "--check",     "--tick=us"};
	char out[COMMAND_PATH], report[COMMAND_PATH + 10], word[32];
	const bool named = sources[from & 7][0] != '-';
	struct converted c = {.trace = NULL};
	snprintf(word, sizeof(word), "%s%s", named ? "--from=" : "", sources[from & 7]);
	snprintf(report, sizeof(report), "--report=%s/report", command_directory());
	const char *words[COMMAND_WORDS] = {"convert",
					    word,
					    orders[how >> 2 & 3],
					    others[how >> 4 & 7],
					    report,
					    "-o",
					    command_path(out, names[how & 3])};
	for (size_t i = 0; i < files; i++)
		words[7 + i] = paths[i];
	c.done = command_run(cmd_convert, words);
	c.trace = command_output(out, &c.trace_size);
	c.report = command_output(command_path(out, "report"), &c.report_size);
	return c;
}

static uint64_t reported_records(const char *report)
{
	const char *at = strstr(report, "\"records\": ");
	FUZZ_CHECK(at != NULL);
	return strtoull(at + strlen("\"records\": "), NULL, 10);
}

static void check_trace(const struct converted *c, bool sorted)
{
	struct kept k = kept_of(c->trace, c->trace_size);
	const struct iot_record *rec;
	int64_t last = 0;
	FUZZ_CHECK(k.status == 0 || kept_is_full(&k));
	for (size_t i = 0; sorted && (rec = kept_record(&k, &i)) != NULL; last = rec->start_ns)
		FUZZ_CHECK(rec->start_ns >= last);
	if (c->report != NULL && !kept_is_full(&k))
		FUZZ_CHECK(reported_records(c->report) == kept_records(&k));
	kept_free(&k);
}

static void check(const char *const *paths, size_t files, unsigned from, unsigned how)
{
	struct converted c = convert(paths, files, from, how);
	FUZZ_CHECK(c.done.size == 0 && (c.done.status != EXIT_OK || c.trace != NULL));
	if (c.report != NULL)
		FUZZ_CHECK(json_is_valid(c.report, c.report_size));
	if (c.trace != NULL)
		check_trace(&c, (how >> 2 & 3) != 2);
	free(c.done.out);
	free(c.trace);
	free(c.report);
}

/* Names without directories, other than the outputs. */
static void in_a_directory(struct fuzz_input *in, unsigned from, unsigned how)
{
	char directory[COMMAND_PATH], path[FILES_MAX][COMMAND_PATH + NAME_CAPACITY + 4];
	const char *paths[] = {command_path(directory, "in")};
	struct piece p;
	size_t count = 0;
	FUZZ_CHECK(mkdir(directory, 0700) == 0);
	while (count < FILES_MAX && piece_take(in, &p)) {
		snprintf(path[count], sizeof(path[count]), "%s/%s", directory, p.name);
		const int fd = strchr(p.name, '/') != NULL
				   ? -1
				   : open(path[count], O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (fd < 0)
			continue;
		FUZZ_CHECK(write(fd, p.data, p.size) == (ssize_t)p.size && close(fd) == 0);
		count++;
	}
	check(paths, 1, from, how);
	while (count-- > 0)
		FUZZ_CHECK(unlink(path[count]) == 0);
	FUZZ_CHECK(rmdir(directory) == 0);
}

static void as_files(struct fuzz_input *in, unsigned from, unsigned how)
{
	char path[2][FUZZ_PATH];
	const char *paths[2] = {path[0], path[1]};
	const size_t files = from & 16 ? 2 : 1;
	int fd[2] = {-1, -1};
	for (size_t i = 0; i < files; i++) {
		struct fuzz_input part = {in->data, in->size / (files - i)};
		in->data += part.size;
		in->size -= part.size;
		fd[i] = from & 8 ? tar_file(&part) : fuzz_file(part.data, part.size);
		(void)fuzz_path(path[i], fd[i]);
	}
	check(paths, files, from, how);
	for (size_t i = 0; i < files; i++)
		(void)close(fd[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned from = (unsigned)fuzz_take(&in, 1) ^ '0';
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	if (from & 32)
		in_a_directory(&in, from, how);
	else
		as_files(&in, from, how);
	command_left_nothing();
	return 0;
}
