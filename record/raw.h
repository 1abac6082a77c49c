/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of the library itself. They bypass libc, whose functions it wraps, and leave errno
 * unchanged. The result is negative if the call failed: -errno.
 */
#ifndef RECORD_RAW_H
#define RECORD_RAW_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline int raw_open(const char *path, int flags)
{
	return (int)raw_call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0600, 0, 0);
}

static inline void raw_close(int fd)
{
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long raw_read(int fd, void *buffer, size_t size)
{
	return raw_call(SYS_read, fd, (long)buffer, (long)size, 0, 0, 0);
}

static inline int64_t raw_lseek(int fd, int64_t offset, int whence)
{
	return raw_call(SYS_lseek, fd, offset, whence, 0, 0, 0);
}

/* Returns NULL if the mapping failed. */
static inline void *raw_map(void *at, size_t size, int protection, int flags, int fd, long offset)
{
	const long result = raw_call(SYS_mmap, (long)at, (long)size, protection, flags, fd, offset);
	return result < 0 && result > -4096 ? NULL : (void *)result;
}

static inline void raw_unmap(void *at, size_t size)
{
	raw_call(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

#endif
