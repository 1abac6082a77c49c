/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes leave in the directory of the recording: their files, rings and requests. */
#include "collector_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/full_io.h"
#include "lib/base/number.h"
#include "site_tables.h"

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

void collector_taken_name(char name[32], uint32_t serial)
{
	(void)snprintf(name, 32, "taken.%" PRIu32, serial);
}

/* A ring with a spool has a name until the end of its process has been spooled. */
static void keep_ring(struct collector *c, struct ring *r, const char *name)
{
	char taken[32];
	r->serial = ++c->serial;
	collector_taken_name(taken, r->serial);
	(void)renameat(c->recording->fd, name, c->recording->fd, taken);
}

static void open_ring(struct collector *c, const char *name)
{
	struct ring r;
	if (c->rings == COLLECTOR_RINGS_MAX ||
	    !array_reserve(&c->ring, &c->ring_capacity, c->rings + 1, sizeof(*c->ring)) ||
	    ring_open(&r, c->recording->fd, name) != NULL)
		return;
	const size_t process = processes_joined(&c->processes, r.pid, r.start);
	if (process == SIZE_MAX) {
		ring_close(&r);
		return;
	}
	r.process = (uint32_t)process;
	r.user = (struct ring_user){r.process, r.process};
	c->processes.process[process].rings++;
	if (c->spool != NULL)
		keep_ring(c, &r, name);
	else
		(void)unlinkat(c->recording->fd, name, 0);
	c->ring[c->rings++] = r;
}

void collector_join_process(struct collector *c, const char *name)
{
	const char *why;
	(void)processes_join(&c->processes, c->recording->fd, name, &why);
}

/* "spare.PID.NUMBER": the file of a process that has claimed it gets the name of one. */
void collector_join_spare(struct collector *c, const char *name)
{
	char claimed[64];
	const size_t maker = processes_spare(&c->processes, c->recording->fd, name, claimed);
	if (maker != SIZE_MAX)
		c->processes.process[maker].makes_spares = true;
	if (*claimed != '\0' && renameat(c->recording->fd, name, c->recording->fd, claimed) == 0)
		collector_join_process(c, claimed);
}

/* A process that another iotrace record has added, and its program. */
static void add_joined(struct collector *c, const char *name)
{
	char program[PATH_MAX];
	uint64_t pid;
	const char *digits = strchr(name, '.') + 1;
	const int fd =
	    openat(c->recording->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, program, sizeof(program) - 1, 0) : -1;
	if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(c->recording->fd, name, 0);
	if (n < 0 || !number_decimal(digits, strlen(digits), &pid) || pid > INT32_MAX)
		return;
	program[n] = '\0';
	collector_expect(c, (uint32_t)pid, program);
}

/* "event.PID.NUMBER"; the file of a process that has not joined is left for the next time. */
static void read_event(struct collector *c, const char *name)
{
	_Alignas(8) unsigned char record[RECORD_SIZE_MAX];
	const char *digits = strchr(name, '.') + 1;
	uint64_t pid;
	if (c->spool != NULL) /* only with packets, which are not spooled, are there such files */
		return;
	if (!number_decimal(digits, strcspn(digits, "."), &pid) || pid > INT32_MAX)
		return;
	const size_t process = processes_find(&c->processes, (uint32_t)pid);
	if (process == SIZE_MAX || c->processes.process[process].start == 0)
		return;
	const int fd =
	    openat(c->recording->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, record, sizeof(record), 0) : -1;
	if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(c->recording->fd, name, 0);
	if (n <= 0)
		return;
	c->processes.process[process].received++;
	c->processes.process[process].received_others++;
	(void)collector_add_records(c, (uint32_t)process, record, (size_t)n);
}

/* Reads the path that a file of a process has. Returns false if it has none. */
static bool read_path(const struct collector *c, const char *name, char path[PATH_MAX])
{
	const int fd =
	    openat(c->recording->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, path, PATH_MAX - 1, 0) : -1;
	if (fd >= 0)
		(void)close(fd);
	path[n > 0 ? n : 0] = '\0';
	return path[0] == '/';
}

/* The process may have another root. If it has ended, nobody waits for its program. */
static void provide_sites_of(struct collector *c, uint64_t pid, const char *path)
{
	const bool is_program = strcmp(path, "/proc/self/exe") == 0;
	char seen[PATH_MAX + 64];
	if (is_program)
		(void)snprintf(seen, sizeof(seen), "/proc/%ju/exe", (uintmax_t)pid);
	else
		(void)snprintf(seen, sizeof(seen), "/proc/%ju/root%s", (uintmax_t)pid, path);
	if (access(seen, R_OK) == 0)
		(void)site_tables_provide(c->recording->fd, seen);
	else if (!is_program)
		(void)site_tables_provide(c->recording->fd, path);
}

/* "library.PID.NUMBER": the process waits until the file is gone. */
static void answer_library(struct collector *c, const char *name)
{
	char path[PATH_MAX];
	const char *digits = strchr(name, '.') + 1;
	uint64_t pid;
	if (number_decimal(digits, strcspn(digits, "."), &pid) && read_path(c, name, path))
		provide_sites_of(c, pid, path);
	(void)unlinkat(c->recording->fd, name, 0);
}

static DIR *open_directory(struct collector *c)
{
	const int fd = openat(c->recording->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		(void)error_system(&c->error, errno, "%s: cannot be read", c->recording->path);
		if (fd >= 0)
			(void)close(fd);
	}
	return d;
}

int collector_read_files(struct collector *c, const struct collector_files *files)
{
	DIR *d = open_directory(c);
	const struct dirent *e;
	if (d == NULL)
		return c->error.status;
	for (; files->prefix != NULL; files++) {
		rewinddir(d);
		while ((e = readdir(d)) != NULL)
			if (begins(e->d_name, files->prefix))
				files->found(c, e->d_name);
	}
	(void)closedir(d);
	return IOT_OK;
}

int collector_read_directory(struct collector *c)
{
	static const struct collector_files files[] = {
	    {"joined.", add_joined},
	    {"process.", collector_join_process},
	    {"spare.", collector_join_spare},
	    {"ring.", open_ring},
	    {"spare.", open_ring},
	    {"event.", read_event},
	    {"library.", answer_library},
	    {NULL, NULL},
	};
	return collector_read_files(c, files);
}

/*
 * Reads the directory if files were added since the last time. A ring whose process joins while the
 * directory is read is found next time, as `files` is incremented after that.
 */
int collector_find_rings(struct collector *c)
{
	const uint32_t files = atomic_load(&c->recording->control->files);
	if (files == c->files)
		return IOT_OK;
	c->files = files;
	const int status = collector_read_directory(c);
	atomic_store(&c->recording->control->searched, files);
	return status;
}
