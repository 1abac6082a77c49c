/* SPDX-License-Identifier: BSD-2-Clause */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "cli/ui/signals.h"
#include "lib/base/full_io.h"
#include "record/ring.h"

/* Where install puts the directory of the library: from the program, and as a path. */
#ifndef LIBDIR
#define LIBDIR             "/usr/local/lib"
#define LIBDIR_FROM_BINDIR "../lib"
#endif

/* The message that releases the child; empty texts: end. */
struct release {
	char library[PATH_MAX], recording[PATH_MAX];
};

/* The library */

const char *launch_library(int seen)
{
	return seen == RECORD_CALLS ? "libiotrace-record-calls.so" : "libiotrace-record.so";
}

/* The path is absolute, because the program and its children may change their directory. */
static bool is_library(char path[PATH_MAX], const char *directory, const char *below,
		       const char *library)
{
	char name[PATH_MAX];
	const int n = snprintf(name, sizeof(name), "%s%s/%s", directory, below, library);
	return n > 0 && n < PATH_MAX && access(name, R_OK) == 0 && realpath(name, path) != NULL;
}

static bool is_near_program(char path[PATH_MAX], const char *below, const char *library)
{
	char own[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	own[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(own, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	return is_library(path, own, below, library);
}

bool launch_find_library(char path[PATH_MAX], int seen)
{
	const char *const directory = getenv("IOTRACE_LIBDIR"), *const library =
								    launch_library(seen);
	if (directory != NULL && *directory != '\0')
		return is_library(path, directory, "", library);
	return is_near_program(path, "", library) ||
	       is_near_program(path, "/" LIBDIR_FROM_BINDIR "/iotrace", library) ||
	       is_library(path, LIBDIR, "/iotrace", library);
}

/* The program */

/* Returns 0, or the errno that exec would have. */
static int why_not_run(const char *path)
{
	struct stat st;
	if (access(path, X_OK) != 0)
		return errno;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? EACCES : 0;
}

int launch_find_program(char path[PATH_MAX], const char *name)
{
	const char *list = getenv("PATH");
	char found[PATH_MAX];
	int why = ENOENT;
	(void)snprintf(path, PATH_MAX, "%s", name);
	if (*name == '\0') /* each directory of the list would be the program */
		return why;
	for (const char *p = list != NULL ? list : "/bin:/usr/bin"; strchr(name, '/') == NULL;) {
		const size_t n = strcspn(p, ":");
		const int size =
		    snprintf(found, sizeof(found), "%.*s%s%s", (int)n, p, n > 0 ? "/" : "./", name);
		const int errnum = size > 0 && size < PATH_MAX ? why_not_run(found) : ENOENT;
		if (errnum == 0) {
			memcpy(path, found, (size_t)size + 1);
			return 0;
		}
		if (errnum == EACCES)
			why = EACCES;
		if (p[n] == '\0')
			return why;
		p += n + 1;
	}
	return why_not_run(name);
}

/* Entries that the user has set follow ours. */
static bool set_environment(const struct release *r)
{
	const char *others = getenv("LD_PRELOAD");
	char *value;
	if (others == NULL || *others == '\0')
		return setenv("LD_PRELOAD", r->library, 1) == 0 &&
		       setenv(RECORD_VARIABLE, r->recording, 1) == 0;
	return asprintf(&value, "%s:%s", r->library, others) > 0 &&
	       setenv("LD_PRELOAD", value, 1) == 0 && setenv(RECORD_VARIABLE, r->recording, 1) == 0;
}

static void run_child(int release, int failure, char *const *argv)
{
	struct release r;
	if (full_read(release, &r, sizeof(r), FULL_IO_CURRENT) != (ssize_t)sizeof(r))
		_exit(EXIT_NOT_RECORDED);
	signals_inherit();
	if (*r.library == '\0' || set_environment(&r))
		(void)execvp(argv[0], argv);
	const int errnum = errno;
	(void)full_write(failure, &errnum, sizeof(errnum), FULL_IO_CURRENT);
	_exit(EXIT_NOT_RECORDED);
}

/* Descriptors of the pipes are close-on-exec, so the program has none of them. */
bool launch_start(struct launch *l, char *const *argv)
{
	int release[2], failure[2];
	l->missing = launch_find_program(l->program, argv[0]);
	if (pipe2(release, O_CLOEXEC) != 0)
		return false;
	if (pipe2(failure, O_CLOEXEC) != 0) {
		(void)close(release[0]);
		(void)close(release[1]);
		return false;
	}
	l->pid = fork();
	if (l->pid == 0) {
		(void)close(release[1]);
		(void)close(failure[0]);
		run_child(release[0], failure[1], argv);
	}
	const int errnum = errno;
	(void)close(release[0]);
	(void)close(failure[1]);
	l->release = release[1];
	l->failure = failure[0];
	errno = errnum;
	return l->pid > 0;
}

void launch_release(struct launch *l, const char *library, const char *recording)
{
	struct release r = {.library = ""};
	(void)snprintf(r.library, sizeof(r.library), "%s", library);
	(void)snprintf(r.recording, sizeof(r.recording), "%s", recording);
	l->released = full_write(l->release, &r, sizeof(r), FULL_IO_CURRENT);
	(void)close(l->release);
	l->release = -1;
}

int launch_wait(struct launch *l)
{
	int errnum = 0;
	if (full_read(l->failure, &errnum, sizeof(errnum), FULL_IO_CURRENT) == 0 && !l->released)
		errnum = EPIPE;
	(void)close(l->failure);
	l->failure = -1;
	if (errnum != 0)
		launch_reap(l, true);
	return errnum;
}

int launch_report(const char *program, int errnum)
{
	message_print_about(program, "%s", strerror(errnum));
	return errnum == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

void launch_cancel(struct launch *l)
{
	if (l->release >= 0)
		(void)close(l->release);
	if (l->failure >= 0)
		(void)close(l->failure);
	l->release = l->failure = -1;
	launch_reap(l, true);
}

void launch_reap(struct launch *l, bool wait)
{
	pid_t pid = 0;
	while (!l->reaped && (pid = waitpid(l->pid, &l->status, wait ? 0 : WNOHANG)) < 0 &&
	       errno == EINTR)
		;
	l->reaped = l->reaped || pid == l->pid;
}

int launch_status(const struct launch *l)
{
	return WIFSIGNALED(l->status) ? 128 + WTERMSIG(l->status) : WEXITSTATUS(l->status);
}
