/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_in.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"

enum { NS_PER_MS = 1000000, PATH_SIZE = 4096 };

static const struct text_source sources[] = {
    {.name = "disk", .converter = "diskstats", .path = "/proc/diskstats"},
    {.name = "nfs", .converter = "mountstats", .path = "/proc/self/mountstats"},
    {.name = "lustre",
     .converter = "lustre",
     .program = {"lctl", "get_param", "llite.*.stats", "obdfilter.*.stats", "mdt.*.md_stats",
		 NULL}},
    {.name = "gpfs",
     .converter = "mmpmon",
     .program = {"mmpmon", "-p", NULL},
     .input = "fs_io_s\n"},
};

const struct text_source *text_source_at(size_t i)
{
	return i < sizeof sources / sizeof *sources ? &sources[i] : NULL;
}

/* Returns whether a directory, whose name has `size` bytes, has the program. */
static bool has_program(const char *directory, size_t size, const char *program)
{
	char path[PATH_SIZE];
	const int n = snprintf(path, sizeof path, "%.*s/%s", (int)size, directory, program);
	return n > 0 && (size_t)n < sizeof path && access(path, X_OK) == 0;
}

bool text_source_exists(const struct text_source *t)
{
	const char *at = getenv("PATH");
	if (t->path != NULL)
		return access(t->path, R_OK) == 0;
	while (at != NULL) {
		const size_t size = strcspn(at, ":");
		if (size > 0 && has_program(at, size, t->program[0]))
			return true;
		at = at[size] == ':' ? at + size + 1 : NULL;
	}
	return false;
}

/* Reading */

/* Waits for bytes until a time of the monotonic clock. Returns 0, or an errno. */
static int await(int fd, uint64_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	const uint64_t now = clock_monotonic_ns();
	if (now >= until_ns)
		return ETIMEDOUT;
	const int ms = (int)((until_ns - now) / NS_PER_MS) + 1, n = poll(&p, 1, ms);
	return n > 0 || (n < 0 && errno == EINTR) ? 0 : n == 0 ? ETIMEDOUT : errno;
}

static int read_all(int fd, char *buffer, size_t capacity, size_t *size, uint64_t until_ns)
{
	*size = 0;
	for (;;) {
		const int errnum = await(fd, until_ns);
		if (errnum != 0)
			return errnum;
		if (*size == capacity)
			return EFBIG;
		const ssize_t n = read(fd, buffer + *size, capacity - *size);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return errno;
		*size += n > 0 ? (size_t)n : 0;
	}
}

static int read_file(const char *path, char *buffer, size_t capacity, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int errnum = 0;
	ssize_t n = 1;
	*size = 0;
	while (n != 0 && errnum == 0 && *size < capacity) {
		n = read(fd, buffer + *size, capacity - *size);
		*size += n > 0 ? (size_t)n : 0;
		errnum = n < 0 && errno != EINTR ? errno : 0;
	}
	(void)close(fd);
	return errnum != 0 ? errnum : n != 0 ? EFBIG : 0;
}

/* Programs */

/* Signals are as when the command began; standard error goes nowhere. */
static int spawn(const struct text_source *t, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int errnum = posix_spawn_file_actions_init(&files);
	if (errnum != 0)
		return errnum;
	errnum = posix_spawnattr_init(&attributes);
	if (errnum != 0) {
		(void)posix_spawn_file_actions_destroy(&files);
		return errnum;
	}
	(void)sigemptyset(&none);
	(void)sigemptyset(&usual);
	(void)sigaddset(&usual, SIGPIPE);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setsigdefault(&attributes, &usual);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	(void)posix_spawn_file_actions_adddup2(&files, in, 0);
	(void)posix_spawn_file_actions_adddup2(&files, out, 1);
	(void)posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	char *argv[sizeof t->program / sizeof *t->program];
	memcpy(argv, t->program, sizeof argv);
	errnum = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&files);
	return errnum;
}

static void close_pair(const int fd[2])
{
	(void)close(fd[0]);
	(void)close(fd[1]);
}

/* The input of a program fits in a pipe. */
static int open_input(const struct text_source *t, int fd[2])
{
	const size_t size = t->input != NULL ? strlen(t->input) : 0;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return errno;
	if (size == 0 || write(fd[1], t->input, size) == (ssize_t)size)
		return 0;
	const int errnum = errno;
	close_pair(fd);
	return errnum;
}

static int read_from(const struct text_source *t, const int in[2], const int out[2], char *buffer,
		     size_t capacity, size_t *size, uint64_t until_ns)
{
	pid_t pid;
	int errnum = spawn(t, in[0], out[1], &pid), status;
	close_pair(in);
	(void)close(out[1]);
	if (errnum != 0)
		return errnum;
	errnum = read_all(out[0], buffer, capacity, size, until_ns);
	if (errnum != 0)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return errnum != 0 ? errnum : *size == 0 ? ENODATA : 0;
}

static int read_program(const struct text_source *t, char *buffer, size_t capacity, size_t *size,
			uint64_t limit_ns)
{
	int in[2], out[2];
	int errnum = open_input(t, in);
	if (errnum != 0)
		return errnum;
	if (pipe2(out, O_CLOEXEC) != 0) {
		errnum = errno;
		close_pair(in);
		return errnum;
	}
	errnum = read_from(t, in, out, buffer, capacity, size, clock_monotonic_ns() + limit_ns);
	(void)close(out[0]);
	return errnum;
}

int text_read(const struct text_source *t, char *buffer, size_t capacity, size_t *size,
	      uint64_t limit_ns)
{
	*size = 0;
	return t->path != NULL ? read_file(t->path, buffer, capacity, size)
			       : read_program(t, buffer, capacity, size, limit_ns);
}
