/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings and direct system calls: what moves data without a wrapped call. */
#include <errno.h>
#include <linux/sched.h>
#include <stdarg.h>

#include "wrap.h"
#include "raw.h"
#include "uring.h"

EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	struct operation_call o;
	if (!real.resolved) { /* an allocator that runs before the constructor */
		const long result =
		    raw_call(SYS_mmap, (long)at, (long)size, protection, flags, fd, offset);
		if (result > -4096 && result < 0)
			errno = (int)-result;
		return result > -4096 && result < 0 ? MAP_FAILED : (void *)result;
	}
	if (fd < 0 || (flags & MAP_ANONYMOUS) != 0 || !operation_begin(&o, RECORD_OP_MMAP))
		return real.mmap(at, size, protection, flags, fd, offset);
	operation_on(&o, fd);
	void *const result = real.mmap(at, size, protection, flags, fd, offset);
	if (result != MAP_FAILED)
		recording_count(RECORD_COUNTER_MMAP, 1);
	operation_end(&o, result == MAP_FAILED ? -1 : 0);
	return result;
}

ALIAS(mmap64, mmap);

EXPORT int msync(void *at, size_t size, int flags)
{
	struct operation_call o;
	if (!operation_begin(&o, RECORD_OP_MSYNC))
		return real.msync(at, size, flags);
	return (int)operation_end(&o, real.msync(at, size, flags));
}

/*
 * Libraries in another namespace, or before which libc comes, may call it unseen. libc derives the
 * search path from the return address, so these functions count and then jump to the functions of
 * libc.
 */
void *dlmopen_begin(Lmid_t space);
void *dlopen_begin(const char *name, int flags);

static void *counted(bool hides, void *function)
{
	if (hides)
		recording_count(RECORD_COUNTER_LOADED, 1);
	return function;
}

void *dlmopen_begin(Lmid_t space)
{
	if (!real.resolved)
		real_resolve();
	return counted(space != LM_ID_BASE, (void *)(uintptr_t)real.dlmopen);
}

void *dlopen_begin(const char *name, int flags)
{
	(void)name;
	if (!real.resolved)
		real_resolve();
	return counted((flags & RTLD_DEEPBIND) != 0, (void *)(uintptr_t)real.dlopen);
}

#define JUMPS(name)                                                                                \
	__asm__(".text\n"                                                                          \
		".globl " #name "\n"                                                               \
		".type " #name ", @function\n" #name ":\n"                                         \
		"	.cfi_startproc\n"                                                                \
		"	endbr64\n"                                                                       \
		"	pushq %rdi\n"                                                                    \
		"	.cfi_adjust_cfa_offset 8\n"                                                      \
		"	pushq %rsi\n"                                                                    \
		"	.cfi_adjust_cfa_offset 8\n"                                                      \
		"	pushq %rdx\n"                                                                    \
		"	.cfi_adjust_cfa_offset 8\n"                                                      \
		"	call " #name "_begin\n"                                                    \
		"	popq %rdx\n"                                                                     \
		"	.cfi_adjust_cfa_offset -8\n"                                                     \
		"	popq %rsi\n"                                                                     \
		"	.cfi_adjust_cfa_offset -8\n"                                                     \
		"	popq %rdi\n"                                                                     \
		"	.cfi_adjust_cfa_offset -8\n"                                                     \
		"	jmp *%rax\n"                                                                     \
		"	.cfi_endproc\n"                                                                  \
		".size " #name ", .-" #name "\n")

JUMPS(dlmopen);
JUMPS(dlopen);

/* System calls by number. Those that wrapped functions make go through the wrappers. */

static long open_by_number(int directory, const char *path, const uint64_t *how, long size)
{
	struct operation_call o;
	const unsigned flags = size >= 8 && how != NULL ? (unsigned)how[0] : 0;
	const bool recorded = operation_opens(&o, directory, path, flags);
	const long result = real.syscall(SYS_openat2, directory, path, how, size);
	if (!recorded)
		return result;
	return operation_opened(&o, (int)result);
}

static bool is_fork(long number, long flags)
{
	return number == SYS_fork || (number == SYS_clone && (flags & CLONE_VM) == 0);
}

/* Returns false if the number belongs to no wrapped call. */
static bool transfers_by_number(long number, const long a[6], long *result)
{
	const int fd = (int)a[0];
	switch (number) {
	case SYS_read:
		*result = read(fd, (void *)a[1], (size_t)a[2]);
		return true;
	case SYS_write:
		*result = write(fd, (const void *)a[1], (size_t)a[2]);
		return true;
	case SYS_pread64:
		*result = pread(fd, (void *)a[1], (size_t)a[2], a[3]);
		return true;
	case SYS_pwrite64:
		*result = pwrite(fd, (const void *)a[1], (size_t)a[2], a[3]);
		return true;
	case SYS_readv:
		*result = readv(fd, (const struct iovec *)a[1], (int)a[2]);
		return true;
	case SYS_writev:
		*result = writev(fd, (const struct iovec *)a[1], (int)a[2]);
		return true;
	case SYS_preadv:
		*result = preadv(fd, (const struct iovec *)a[1], (int)a[2], a[3]);
		return true;
	case SYS_pwritev:
		*result = pwritev(fd, (const struct iovec *)a[1], (int)a[2], a[3]);
		return true;
	case SYS_preadv2:
		*result = preadv2(fd, (const struct iovec *)a[1], (int)a[2], a[3], (int)a[5]);
		return true;
	case SYS_pwritev2:
		*result = pwritev2(fd, (const struct iovec *)a[1], (int)a[2], a[3], (int)a[5]);
		return true;
	case SYS_sendfile:
		*result = sendfile(fd, (int)a[1], (off_t *)a[2], (size_t)a[3]);
		return true;
	case SYS_copy_file_range:
		*result = copy_file_range(fd, (off_t *)a[1], (int)a[2], (off_t *)a[3], (size_t)a[4],
					  (unsigned)a[5]);
		return true;
	case SYS_splice:
		*result = splice(fd, (off_t *)a[1], (int)a[2], (off_t *)a[3], (size_t)a[4],
				 (unsigned)a[5]);
		return true;
	default:
		return false;
	}
}

static bool descriptors_by_number(long number, const long a[6], long *result)
{
	const int fd = (int)a[0];
	switch (number) {
	case SYS_open:
		*result = open((const char *)a[0], (int)a[1], (mode_t)a[2]);
		return true;
	case SYS_openat:
		*result = openat(fd, (const char *)a[1], (int)a[2], (mode_t)a[3]);
		return true;
	case SYS_openat2:
		*result = open_by_number(fd, (const char *)a[1], (const uint64_t *)a[2], a[3]);
		return true;
	case SYS_close:
		*result = close(fd);
		return true;
	case SYS_close_range:
		*result = close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
		return true;
	case SYS_dup:
		*result = dup(fd);
		return true;
	case SYS_dup2:
		*result = dup2(fd, (int)a[1]);
		return true;
	case SYS_dup3:
		*result = dup3(fd, (int)a[1], (int)a[2]);
		return true;
	case SYS_lseek:
		*result = lseek(fd, a[1], (int)a[2]);
		return true;
	case SYS_fsync:
		*result = fsync(fd);
		return true;
	case SYS_fdatasync:
		*result = fdatasync(fd);
		return true;
	case SYS_ftruncate:
		*result = ftruncate(fd, a[1]);
		return true;
	case SYS_fallocate:
		*result = fallocate(fd, (int)a[1], a[2], a[3]);
		return true;
	default:
		return false;
	}
}

static bool identity_by_number(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setfsuid:
	case SYS_pivot_root:
		recording_make_spares();
		return false;
	case SYS_chroot:
		*result = chroot((const char *)a[0]);
		return true;
	case SYS_setns:
		*result = setns((int)a[0], (int)a[1]);
		return true;
	case SYS_unshare:
		*result = unshare((int)a[0]);
		return true;
	default:
		return false;
	}
}

/* Also in the child of vfork, whose other calls are not recorded. */
static bool runs_by_number(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_execve:
		*result = execve((const char *)a[0], (char **)a[1], (char **)a[2]);
		return true;
	case SYS_execveat:
		*result = execveat((int)a[0], (const char *)a[1], (char **)a[2], (char **)a[3],
				   (int)a[4]);
		return true;
	default:
		return false;
	}
}

static long ring_by_number(const long *a)
{
	const long fd = real.syscall(SYS_io_uring_setup, a[0], a[1]);
	uring_opened((int)fd, (const void *)a[1]);
	return fd;
}

EXPORT long syscall(long number, ...)
{
	long a[6], result;
	va_list list;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (runs_by_number(number, a, &result))
		return result;
	if (thread_enter() != NULL) {
		if (transfers_by_number(number, a, &result) ||
		    descriptors_by_number(number, a, &result) ||
		    identity_by_number(number, a, &result))
			return result;
		if (number == SYS_io_uring_setup)
			return ring_by_number(a);
		if (number == SYS_io_uring_enter)
			recording_count(RECORD_COUNTER_URING_CALLS, 1);
		else if (is_fork(number, a[0]))
			descriptors_share(true);
	}
	return real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
