/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of record_lives that does random calls on files that its processes share. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record_lives.h"

enum { FILES_MAX = 8, STEPS = 40, DEPTH_MAX = 3, LENGTH_MAX = 30, OFFSET_MAX = 100 };

static const char *const names[] = {"a", "b", "c", "d"};

/* The descriptors of this process. */
static struct open_file {
	int fd;
	const char *name;
} files[FILES_MAX];
static size_t count;

static size_t below(size_t n)
{
	return (size_t)random() % n;
}

static void add(int fd, const char *name)
{
	check(fd >= 0, name);
	files[count++] = (struct open_file){fd, name};
}

static void open_one(void)
{
	const char *name = names[below(sizeof names / sizeof *names)];
	const int flags = (int)below(3) == 0 ? O_APPEND : 0;
	add(open(name, O_RDWR | O_CREAT | flags, 0666), name);
}

static void put_at(const struct open_file *f)
{
	static const char data[LENGTH_MAX];
	const size_t length = 1 + below(LENGTH_MAX);
	struct stat s;
	long offset = (long)below(OFFSET_MAX);
	check(fstat(f->fd, &s) == 0, "fstat");
	note('w', (fcntl(f->fd, F_GETFL) & O_APPEND) != 0 ? s.st_size : offset, (long)length,
	     f->name);
	check(pwrite(f->fd, data, length, offset) == (ssize_t)length, "pwrite");
}

static void close_one(size_t i)
{
	close(files[i].fd);
	files[i] = files[--count];
}

static void toggle_append(const struct open_file *f)
{
	check(fcntl(f->fd, F_SETFL, fcntl(f->fd, F_GETFL) ^ O_APPEND) == 0, "F_SETFL");
}

/* Another descriptor becomes one of this description. */
static void replace(const struct open_file *f, struct open_file *other)
{
	check(dup2(f->fd, other->fd) == other->fd, "dup2");
	other->name = f->name;
}

/* To the end of the file, which becomes the position. */
static void append_once(const struct open_file *f)
{
	static char data[LENGTH_MAX];
	const struct iovec v = {data, 1 + below(LENGTH_MAX)};
	struct stat s;
	check(fstat(f->fd, &s) == 0, "fstat");
	note('w', s.st_size, (long)v.iov_len, f->name);
	check(pwritev2(f->fd, &v, 1, -1, RWF_APPEND) == (ssize_t)v.iov_len, "pwritev2");
}

/* sendfile() and copy_file_range() refuse a file with O_APPEND. */
static void copy(const struct open_file *from, const struct open_file *to)
{
	struct stat s;
	const long at = raw(SYS_lseek, from->fd, 0, SEEK_CUR),
		   to_at = raw(SYS_lseek, to->fd, 0, SEEK_CUR);
	check(fstat(from->fd, &s) == 0, "fstat");
	if ((fcntl(to->fd, F_GETFL) & O_APPEND) != 0 || from->name == to->name ||
	    at + 5 > s.st_size)
		return;
	note('r', at, 5, from->name);
	note('w', to_at, 5, to->name);
	check((below(2) > 0 ? sendfile(to->fd, from->fd, NULL, 5)
			    : copy_file_range(from->fd, NULL, to->fd, NULL, 5, 0)) == 5,
	      "copy");
}

static int put_of_clone(void *of)
{
	const struct open_file *f = of;
	put(f->fd, 1 + below(LENGTH_MAX), f->name);
	return 0;
}

/* A child that shares the numbers of descriptors; each call is slower afterwards. */
static void share_numbers(struct open_file *f)
{
	static char stack[1 << 16];
	wait_for(clone(put_of_clone, stack + sizeof stack, CLONE_FILES | SIGCHLD, f));
}

static void run_writer(const struct open_file *f)
{
	wait_for(forked_writer(f->fd, below(2) > 0 ? -1 : (long)below(OFFSET_MAX),
			       1 + below(LENGTH_MAX), f->name));
}

static void run_steps(int depth);

/* A child continues with random numbers of its own, and ends or runs a program. */
static void have_child(int depth)
{
	const unsigned seed = (unsigned)random();
	const pid_t pid = fork();
	if (pid == 0) {
		srandom(seed);
		run_steps(depth + 1);
		if (below(2) > 0)
			execv(own_path, writer(files[0].fd, -1, 5, files[0].name));
		_exit(0);
	}
	wait_for(pid);
}

static void step(int depth)
{
	struct open_file *f = &files[below(count)], *other = &files[below(count)];
	switch (below(20)) {
	case 0:
		if (count < FILES_MAX)
			open_one();
		break;
	case 1:
		if (count < FILES_MAX)
			add(dup(f->fd), f->name);
		break;
	case 2:
		if (count > 1)
			close_one((size_t)(f - files));
		break;
	case 3:
		toggle_append(f);
		break;
	case 4:
		check(lseek(f->fd, (off_t)below(OFFSET_MAX), SEEK_SET) >= 0, "lseek");
		break;
	case 5:
		put_at(f);
		break;
	case 6:
		run_writer(f);
		break;
	case 7:
		if (depth < DEPTH_MAX)
			have_child(depth);
		break;
	case 8:
	case 9:
	case 10:
		get(f->fd, 1 + below(LENGTH_MAX), f->name);
		break;
	case 11:
		if (f->fd != other->fd)
			replace(f, other);
		break;
	case 12:
		check(ftruncate(f->fd, (off_t)below(2 * OFFSET_MAX)) == 0, "ftruncate");
		break;
	case 13:
		append_once(f);
		break;
	case 14:
		copy(f, other);
		break;
	case 15:
		if (below(8) == 0)
			share_numbers(f);
		break;
	default:
		put(f->fd, 1 + below(LENGTH_MAX), f->name);
	}
}

static void run_steps(int depth)
{
	for (int i = 0; i < STEPS >> depth; i++)
		step(depth);
}

void run_random(const char *seed)
{
	srandom((unsigned)strtoul(seed, NULL, 10));
	open_one();
	run_steps(0);
}
