/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command of iotrace in this process; stores its standard output and the files that it
 * writes to a scratch directory.
 */
#ifndef FUZZ_COMMAND_H
#define FUZZ_COMMAND_H

#include <fcntl.h>

#include "fuzz.h"

#include "cli/cmd.h"

enum { COMMAND_WORDS = 24, COMMAND_PATH = 300 };

struct command {
	int status;
	char *out; /* NUL-terminated */
	size_t size;
};

/* Sanitizers print to the original standard error, wherever that goes. */
__attribute__((weak)) void __sanitizer_set_report_fd(void *fd);

static inline char *command_read(int fd, size_t *size)
{
	const off_t end = lseek(fd, 0, SEEK_END);
	FUZZ_CHECK(end >= 0);
	char *data = fuzz_memory(NULL, (size_t)end + 1);
	for (*size = 0; *size < (size_t)end;) {
		ssize_t n = pread(fd, data + *size, (size_t)end - *size, (off_t)*size);
		FUZZ_CHECK(n > 0);
		*size += (size_t)n;
	}
	data[*size] = '\0';
	return data;
}

/* words: the command line from the command's name on, NULL-terminated. Free the result. */
static inline struct command command_run(enum exit_status (*run)(int, char **),
					 const char *const *words)
{
	static int standard_error = -1, nowhere = -1;
	char *argv[COMMAND_WORDS + 1] = {NULL};
	struct command done = {0};
	int argc = 0, out = dup(STDOUT_FILENO), kept = fuzz_file("", 0);
	for (; words[argc] != NULL; argc++) {
		FUZZ_CHECK(argc < COMMAND_WORDS);
		argv[argc] = (char *)(uintptr_t)words[argc];
	}
	if (standard_error < 0) {
		standard_error = dup(STDERR_FILENO);
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (__sanitizer_set_report_fd != NULL)
			__sanitizer_set_report_fd((void *)(intptr_t)standard_error);
	}
	(void)fflush(stdout);
	FUZZ_CHECK(out >= 0 && dup2(kept, STDOUT_FILENO) >= 0);
	FUZZ_CHECK(getenv("FUZZ_TELL") != NULL || dup2(nowhere, STDERR_FILENO) >= 0);
	done.status = (int)run(argc, argv);
	(void)fflush(stdout);
	FUZZ_CHECK(dup2(standard_error, STDERR_FILENO) >= 0);
	FUZZ_CHECK(dup2(out, STDOUT_FILENO) >= 0 && close(out) == 0);
	FUZZ_CHECK(done.status >= EXIT_OK && done.status <= EXIT_FAILED);
	done.out = command_read(kept, &done.size);
	(void)close(kept);
	return done;
}

static char command_capacity[COMMAND_PATH - 40];

/*
 * A directory for outputs, until command_left_nothing: fuzzers exit without a chance to remove one.
 */
static inline const char *command_directory(void)
{
	if (command_capacity[0] != '\0')
		return command_capacity;
	const char *temporary = getenv("TMPDIR");
	snprintf(command_capacity, sizeof(command_capacity), "%s/iotrace-fuzz-XXXXXX",
		 temporary != NULL && strlen(temporary) < 200 ? temporary : "/tmp");
	FUZZ_CHECK(mkdtemp(command_capacity) != NULL);
	return command_capacity;
}

static inline const char *command_path(char path[COMMAND_PATH], const char *name)
{
	snprintf(path, COMMAND_PATH, "%s/%s", command_directory(), name);
	return path;
}

/* Returns the contents of the file, which is removed; free them. NULL: no such file. */
static inline char *command_output(const char *path, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	char *data = command_read(fd, size);
	FUZZ_CHECK(close(fd) == 0 && unlink(path) == 0);
	return data;
}

/* Checks that no other file is left, such as a temporary file, and removes the directory. */
static inline void command_left_nothing(void)
{
	FUZZ_CHECK(rmdir(command_directory()) == 0);
	command_capacity[0] = '\0';
}

#endif
