/* SPDX-License-Identifier: BSD-2-Clause */
#include "block_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/blktrace_api.h>
#include <linux/mount.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/full_io.h"

/* The settings of the tracer, in the order in which they are made. */
static const struct {
	const char *file, *value;
} settings[BLOCK_SETTINGS] = {
    {"trace_clock", "mono"},
    {"current_tracer", "blk"},
    {"options/context-info", "0"},
    {"options/bin", "1"},
};

/* Files */

static bool write_text(int dir, const char *file, const char *text)
{
	const int fd = openat(dir, file, O_WRONLY | O_CLOEXEC);
	const ssize_t n = (ssize_t)strlen(text);
	const bool written = fd >= 0 && write(fd, text, (size_t)n) == n;
	const int errnum = errno;
	if (fd >= 0)
		(void)close(fd);
	errno = errnum;
	return written;
}

/* Reads a file of at most size - 1 bytes. */
static bool read_text(int dir, const char *file, char *text, size_t size)
{
	const int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
	if (fd >= 0)
		(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Reduces "[local] global" to "local", and drops the end of the line. */
static void reduce(char *text)
{
	const char *chosen = strchr(text, '[');
	if (chosen != NULL)
		memmove(text, chosen + 1, strlen(chosen + 1) + 1);
	text[strcspn(text, "]\n")] = '\0';
}

/* Returns the file system of tracers where it is mounted; -1 with errno unchanged if it is not. */
static int open_mounted(void)
{
	const int errnum = errno;
	const int dir = open("/sys/kernel/tracing", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && faccessat(dir, "current_tracer", F_OK, 0) == 0)
		return dir;
	if (dir >= 0)
		(void)close(dir);
	errno = errnum;
	return -1;
}

/*
 * The file system of tracers, which need not be mounted anywhere. Returns a descriptor, or -1. Only
 * glibc 2.36 and later have functions for these calls.
 */
static int open_tracers(void)
{
	const int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return open_mounted();
	const int dir = syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0
			    ? (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0)
			    : -1;
	const int errnum = errno;
	(void)close(fs);
	errno = errnum;
	return dir;
}

/* Tracer */

static const char *set_tracer(struct block_trace *b)
{
	char now[BLOCK_VALUE_MAX];
	if (!read_text(b->dir, "current_tracer", now, sizeof now))
		return "the kernel's tracer cannot be read";
	reduce(now);
	errno = 0;
	if (strcmp(now, "nop") != 0)
		return "the kernel's tracer is in use";
	for (int i = 0; i < BLOCK_SETTINGS; i++) {
		char old[BLOCK_VALUE_MAX];
		if (!read_text(b->dir, settings[i].file, old, sizeof old))
			return "the kernel's tracer cannot be read";
		reduce(old);
		if (!write_text(b->dir, settings[i].file, settings[i].value))
			return "the kernel has no tracer of block devices";
		memcpy(b->old[i], old, sizeof old);
	}
	b->pipe = openat(b->dir, "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return b->pipe >= 0 ? NULL : "the kernel's tracer cannot be read";
}

static void restore_tracer(struct block_trace *b)
{
	for (int i = BLOCK_SETTINGS - 1; i >= 0; i--)
		if (b->old[i][0] != '\0')
			(void)write_text(b->dir, settings[i].file, b->old[i]);
}

/* Switches the tracing of a disk; a disk that is traced already belongs to another program. */
static bool switch_disk(int sys, const char *disk, bool on)
{
	char path[128], now[8];
	(void)snprintf(path, sizeof path, "%s/size", disk);
	if (on && (!read_text(sys, path, now, sizeof now) || strtoull(now, NULL, 10) == 0))
		return false;
	(void)snprintf(path, sizeof path, "%s/trace/enable", disk);
	if (on && (!read_text(sys, path, now, sizeof now) || now[0] != '0'))
		return false;
	return write_text(sys, path, on ? "1" : "0");
}

static const char *begin_disks(struct block_trace *b)
{
	DIR *d = opendir("/sys/block");
	const struct dirent *e;
	if (d == NULL)
		return "/sys/block cannot be read";
	while ((e = readdir(d)) != NULL && b->disks < BLOCK_DISKS_MAX)
		if (e->d_name[0] != '.' && strlen(e->d_name) < sizeof b->disk[0] &&
		    switch_disk(dirfd(d), e->d_name, true))
			(void)strcpy(b->disk[b->disks++], e->d_name);
	const int errnum = errno;
	(void)closedir(d);
	errno = errnum;
	return b->disks > 0 ? NULL : "no disk can be traced";
}

static void end_disks(struct block_trace *b)
{
	const int sys = open("/sys/block", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (sys >= 0 && b->disks > 0)
		(void)switch_disk(sys, b->disk[--b->disks], false);
	if (sys >= 0)
		(void)close(sys);
}

/* Closes all descriptors but two. */
static void close_others(int a, int b)
{
	const int low = a < b ? a : b, high = a < b ? b : a;
	if (low > 0)
		(void)close_range(0, (unsigned)low - 1, 0);
	if (high > low + 1)
		(void)close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	(void)close_range((unsigned)high + 1, ~0U, 0);
}

/* Waits for the end of this process: a byte says that it has restored the tracer itself. */
static void guard(struct block_trace *b, int from)
{
	char byte;
	sigset_t all;
	ssize_t n;
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)setsid(); /* a signal to the process group may kill the parent */
	close_others(from, b->dir);
	while ((n = read(from, &byte, 1)) < 0 && errno == EINTR)
		;
	if (n == 0) {
		end_disks(b);
		restore_tracer(b);
	}
	_exit(0);
}

/* A process that is killed cannot restore the tracer, so a child does; returns an errno. */
static int begin_guard(struct block_trace *b)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	b->guard = fork();
	if (b->guard == 0)
		guard(b, ends[0]);
	const int errnum = b->guard < 0 ? errno : 0;
	(void)close(ends[0]);
	b->guard_pipe = ends[1];
	return errnum;
}

/* Call when the tracer is restored. */
static void end_guard(struct block_trace *b)
{
	if (b->guard_pipe >= 0) {
		(void)full_write(b->guard_pipe, "", 1, FULL_IO_CURRENT);
		(void)close(b->guard_pipe);
	}
	while (b->guard > 0 && waitpid(b->guard, NULL, 0) < 0 && errno == EINTR)
		;
	b->guard_pipe = -1;
	b->guard = 0;
}

/* The kernel counts what did not fit for each CPU. */
static uint64_t count_lost(const struct block_trace *b)
{
	uint64_t lost = 0;
	char path[64], text[1024];
	for (int cpu = 0; cpu < 4096; cpu++) {
		(void)snprintf(path, sizeof path, "per_cpu/cpu%d/stats", cpu);
		if (faccessat(b->dir, path, F_OK, 0) != 0)
			break;
		const char *found =
		    read_text(b->dir, path, text, sizeof text) ? strstr(text, "\noverrun: ") : NULL;
		lost += found != NULL ? strtoull(found + strlen("\noverrun: "), NULL, 10) : 0;
	}
	return lost;
}

/* Returns an errno. */
static int write_times(const struct block_trace *b, uint64_t monotonic_ns, uint64_t wall_ns)
{
	struct {
		struct blk_io_trace head;
		uint32_t wall[2];
	} record = {.head = {.magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION,
			     .time = monotonic_ns,
			     .action = BLK_TN_TIMESTAMP,
			     .pdu_len = sizeof record.wall},
		    .wall = {(uint32_t)(wall_ns / 1000000000), (uint32_t)(wall_ns % 1000000000)}};
	return full_write(b->out, &record, sizeof record.head + sizeof record.wall, FULL_IO_CURRENT)
		   ? 0
		   : errno;
}

const char *block_trace_begin(struct block_trace *b, const char *path, uint64_t monotonic_ns,
			      uint64_t wall_ns, int *errnum)
{
	*b = (struct block_trace)BLOCK_TRACE_INIT;
	b->dir = open_tracers();
	const char *why = b->dir >= 0 ? set_tracer(b) : "the kernel's tracer cannot be used";
	*errnum = errno;
	if (why != NULL)
		return why;
	b->out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	b->created = b->out >= 0;
	*errnum = b->out >= 0 ? write_times(b, monotonic_ns, wall_ns) : errno;
	if (*errnum != 0)
		return "the file cannot be written";
	b->lost = count_lost(b);
	errno = 0;
	why = begin_disks(b);
	*errnum = errno;
	if (why != NULL)
		return why;
	*errnum = begin_guard(b);
	return *errnum == 0 ? NULL : "no process can watch over the kernel's tracer";
}

int block_trace_drain(struct block_trace *b)
{
	char memory[65536];
	ssize_t n;
	while (b->pipe >= 0 && b->out >= 0 && (n = read(b->pipe, memory, sizeof memory)) > 0) {
		if (!full_write(b->out, memory, (size_t)n, FULL_IO_CURRENT))
			return errno;
		b->bytes += (uint64_t)n;
	}
	return 0;
}

int block_trace_end(struct block_trace *b)
{
	end_disks(b);
	int errnum = block_trace_drain(b);
	const uint64_t before = b->lost;
	b->lost = b->dir >= 0 ? count_lost(b) - before : 0;
	if (b->out >= 0 && close(b->out) != 0 && errnum == 0)
		errnum = errno;
	if (b->pipe >= 0)
		(void)close(b->pipe);
	if (b->dir >= 0) {
		restore_tracer(b);
		(void)close(b->dir);
	}
	end_guard(b);
	b->out = b->pipe = b->dir = -1;
	return errnum;
}
