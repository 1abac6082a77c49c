/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that create processes and end them, and the working directory. */
#include <errno.h>
#include <stdarg.h>
#include <sys/sysmacros.h>

#include "wrap.h"
#include "paths.h"
#include "raw.h"
#include "vfork.h"

pid_t vfork_end(long result);

static pid_t fork_with(pid_t (*call)(void))
{
	struct producer *p = thread_enter();
	if (p == NULL)
		return call();
	descriptors_share(true);
	const pid_t pid = call();
	if (pid > 0)
		event_child(p, &(struct event_child){.how = RECORD_FORK, .pid = (uint32_t)pid});
	else if (pid < 0)
		descriptors_unshare();
	return pid;
}

EXPORT pid_t fork(void)
{
	if (!real.resolved)
		real_resolve();
	return fork_with(real.fork);
}

EXPORT pid_t _Fork(void)
{
	if (!real.resolved)
		real_resolve();
	return fork_with(real._Fork);
}

ALIAS(__fork, fork);

/* The descriptors of a daemon. Returns false if /dev/null is not that device. */
static bool daemon_descriptors(void)
{
	struct stat s;
	const int fd = open("/dev/null", O_RDWR);
	const bool found = fd >= 0 && fstat(fd, &s) == 0;
	const bool is_null = found && S_ISCHR(s.st_mode) && s.st_rdev == makedev(1, 3);
	for (int i = 0; is_null && i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
	if (found && !is_null)
		errno = ENODEV;
	return is_null;
}

/* Replaces the function of libc, whose internal call of fork is not seen. */
EXPORT int daemon(int keeps_directory, int keeps_descriptors)
{
	if (!real.resolved)
		real_resolve();
	if (thread_enter() == NULL)
		return real.daemon(keeps_directory, keeps_descriptors);
	const pid_t pid = fork();
	if (pid > 0)
		_exit(0);
	if (pid < 0 || setsid() < 0)
		return -1;
	if (keeps_directory == 0)
		(void)!chdir("/"); /* libc ignores a failure, too */
	return keeps_descriptors != 0 || daemon_descriptors() ? 0 : -1;
}

/*
 * A child that shares the memory until it calls exec is like a child of vfork. Threads are recorded
 * if they have thread-local memory of their own.
 */
static int clone_shared(int (*run)(void *), void *stack, int flags, void *argument, pid_t *parent,
			void *tls, pid_t *child)
{
	const bool parks = (flags & CLONE_VFORK) != 0;
	if (parks)
		vfork_begin();
	const int pid = real.clone(run, stack, flags, argument, parent, tls, child);
	const int error = errno;
	if (parks)
		vfork_end(pid);
	errno = error;
	return pid;
}

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	va_list list;
	va_start(list, argument);
	pid_t *const parent = va_arg(list, pid_t *);
	void *const tls = va_arg(list, void *);
	pid_t *const child = va_arg(list, pid_t *);
	va_end(list);
	if (!real.resolved)
		real_resolve();
	if ((flags & CLONE_VM) != 0)
		return clone_shared(run, stack, flags, argument, parent, tls, child);
	struct producer *p = thread_enter();
	if (p != NULL)
		descriptors_share(true);
	if (p != NULL && (flags & CLONE_FILES) != 0)
		descriptors_share_numbers();
	const int pid = real.clone(run, stack, flags, argument, parent, tls, child);
	if (p != NULL && pid > 0)
		event_child(p, &(struct event_child){.how = RECORD_FORK, .pid = (uint32_t)pid});
	else if (p != NULL && pid < 0)
		descriptors_unshare();
	return pid;
}

ALIAS(__clone, clone);

/*
 * vfork returns twice on one stack, so the return address stays in a register during the call. The
 * child runs in the memory of the parent, and the thread's state says so until the parent returns.
 */
/* Only in the parent. */
pid_t vfork_end(long result)
{
	vfork_returns(result);
	if (result >= 0)
		return (pid_t)result;
	errno = (int)-result;
	return -1;
}

__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call vfork_begin\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	movl $58, %eax\n"
	"	syscall\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	testq %rax, %rax\n"
	"	jz 1f\n"
	"	movq %rax, %rdi\n"
	"	jmp vfork_end\n"
	"1:	ret\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n"
	".globl __vfork\n"
	".set __vfork, vfork\n");

/* The end */

EXPORT void _exit(int status)
{
	if (!producer_self.vforked)
		process_exit();
	real._exit(status);
	__builtin_unreachable();
}

ALIAS(_Exit, _exit);

EXPORT void quick_exit(int status)
{
	process_exit();
	real.quick_exit(status);
	__builtin_unreachable();
}

/* The working directory */

EXPORT int chdir(const char *path)
{
	struct operation_call o;
	if (!operation_begin(&o, RECORD_OP_CHDIR))
		return real.chdir(path);
	const int result = real.chdir(path);
	if (result == 0)
		paths_update_directory();
	o.event.path = result == 0 ? paths_directory() : NULL;
	return (int)operation_end(&o, result);
}

EXPORT int fchdir(int fd)
{
	struct operation_call o;
	if (!operation_begin(&o, RECORD_OP_CHDIR))
		return real.fchdir(fd);
	const int result = real.fchdir(fd);
	if (result == 0)
		paths_update_directory();
	o.event.path = result == 0 ? paths_directory() : NULL;
	return (int)operation_end(&o, result);
}
