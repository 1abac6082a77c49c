/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "die.h"
#include "transfer.h"

void write_all(int fd, const char *path, const char *data, size_t size)
{
	while (size > 0) {
		const ssize_t n = write(fd, data, size);
		if (n <= 0)
			die_errno(path, "write");
		data += n;
		size -= (size_t)n;
	}
}

static void put_write(struct output *o, const char *data, size_t size)
{
	write_all(o->fd, o->open_path, data, size);
}

static void put_pwrite(struct output *o, const char *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		const ssize_t n = pwrite(o->fd, data + done, size - done, o->offset + (off_t)done);
		if (n <= 0)
			die_errno(o->open_path, "pwrite");
		done += (size_t)n;
	}
}

/* Two halves in one call. */
static void put_writev(struct output *o, const char *data, size_t size)
{
	union {
		const char *from;
		void *base;
	} half[2] = {{data}, {data + size / 2}};
	const struct iovec parts[2] = {{half[0].base, size / 2}, {half[1].base, size - size / 2}};
	const ssize_t n = writev(o->fd, parts, 2);
	if (n <= 0)
		die_errno(o->open_path, "writev");
	write_all(o->fd, o->open_path, data + n, size - (size_t)n);
}

static void put_mmap(struct output *o, const char *data, size_t size)
{
	const size_t before = (size_t)o->offset % (size_t)sysconf(_SC_PAGESIZE);
	/* Allocates the space, so that a full disk is an error here instead of a signal. */
	const int status = posix_fallocate(o->fd, o->offset, (off_t)size);
	if (status != 0) {
		errno = status;
		die_errno(o->open_path, "allocate");
	}
	char *map = mmap(NULL, before + size, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd,
			 o->offset - (off_t)before);
	if (map == MAP_FAILED)
		die_errno(o->open_path, "mmap");
	memcpy(map + before, data, size);
	if (munmap(map, before + size) != 0)
		die_errno(o->open_path, "munmap");
}

/* Direct writes need an aligned address, size and offset, which vectors do not have. */
static void put_direct(struct output *o, const char *data, size_t size)
{
	if (o->block == NULL && (o->block = aligned_alloc(DIRECT_ALIGNMENT, DIRECT_BLOCK)) == NULL)
		die("out of memory");
	while (size > 0) {
		const size_t space = DIRECT_BLOCK - o->waiting, n = size < space ? size : space;
		memcpy(o->block + o->waiting, data, n);
		o->waiting += n;
		data += n;
		size -= n;
		if (o->waiting == DIRECT_BLOCK) {
			write_all(o->fd, o->open_path, o->block, o->waiting);
			o->waiting = 0;
		}
	}
}

void transfer_rest(struct output *o)
{
	if (o->waiting == 0)
		return;
	if (fcntl(o->fd, F_SETFL, 0) != 0)
		die_errno(o->open_path, "fcntl");
	write_all(o->fd, o->open_path, o->block, o->waiting);
	o->waiting = 0;
}

void transfer(struct output *o, const char *data, size_t size)
{
	static void (*const put[])(struct output *, const char *, size_t) = {
	    [IO_WRITE] = put_write, [IO_PWRITE] = put_pwrite, [IO_WRITEV] = put_writev,
	    [IO_MMAP] = put_mmap,   [IO_DIRECT] = put_direct, [IO_ASYNC] = put_write};
	put[o->io](o, data, size);
	o->offset += (off_t)size;
}
