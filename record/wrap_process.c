/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that create processes, run programs, and end. */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "call.h"
#include "environment.h"
#include "paths.h"
#include "raw.h"
#include "uring.h"

void vfork_begin(void);
pid_t vfork_end(long result);

static pid_t fork_with(pid_t (*call)(void))
{
	struct producer *p = thread_enter();
	if (p == NULL)
		return call();
	descriptors_share(true);
	const pid_t pid = call();
	if (pid > 0)
		event_child(p, RECORD_FORK, (uint32_t)pid, NULL);
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

/*
 * A child that shares the memory until it calls exec is like that of vfork. Threads are recorded if
 * they have thread-local memory of their own.
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
	const int pid = real.clone(run, stack, flags, argument, parent, tls, child);
	if (p != NULL && pid > 0)
		event_child(p, RECORD_FORK, (uint32_t)pid, NULL);
	else if (p != NULL && pid < 0)
		descriptors_unshare();
	return pid;
}

ALIAS(__clone, clone);

/*
 * vfork returns twice on one stack, so the return address stays in a register during the call. The
 * child runs in the memory of the parent, and the thread's state says so until the parent returns.
 */
void vfork_begin(void)
{
	struct producer *p = &producer_self;
	if (thread_enter() != NULL)
		descriptors_share(false);
	p->parked = p->ring;
	p->vforked = true;
	p->ring = NULL;
}

/* Only in the parent. */
pid_t vfork_end(long result)
{
	struct producer *p = &producer_self;
	p->ring = p->parked;
	p->vforked = false;
	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	p = thread_enter();
	if (p != NULL)
		event_child(p, RECORD_VFORK, (uint32_t)result, NULL);
	return (pid_t)result;
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

/* exec */

/* An environment with which the next program loads the library; on the caller's stack. */
#define ENVIRONMENT(envp)                                                                          \
	(must_complete(envp)                                                                       \
	     ? completed((envp), alloca((environment_count(envp) + 3) * sizeof(char *)),           \
			 alloca(ENVIRONMENT_TEXT))                                                 \
	     : (char **)(envp))

static bool must_complete(char *const *envp)
{
	if (!real.resolved)
		real_resolve();
	return recording.control != NULL && !recording.control->no_follow &&
	       !environment_is_complete(envp);
}

static char **completed(char *const *envp, char **out, char *text)
{
	environment_complete(envp, out, text);
	return out;
}

/* In the child of vfork: the parent's ring, which is not in use, receives the path. */
static void vforked_exec(const char *path)
{
	struct producer *p = &producer_self;
	p->ring = p->parked;
	if (p->ring != NULL) {
		const long pid = raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
		event_child(p, RECORD_VFORK, (uint32_t)pid, path);
		descriptors_share(false);
	}
	p->ring = NULL;
}

/* Returns 0, or why the next program, which has no capabilities of this one, cannot record. */
static int32_t exec_result(char *const *envp)
{
	const long user = raw_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	if (!environment_is_complete(envp))
		return RECORD_EXEC_CLEARED;
	if (user != raw_call(SYS_getuid, 0, 0, 0, 0, 0, 0) ||
	    raw_call(SYS_getegid, 0, 0, 0, 0, 0, 0) != raw_call(SYS_getgid, 0, 0, 0, 0, 0, 0))
		return RECORD_EXEC_SECURE;
	return user == 0 || user == recording.control->owner ? 0 : RECORD_EXEC_USER;
}

/* Publishes the call before it is made, as it does not return. */
static bool exec_begin(struct operation_call *o, int directory, const char *path, char *const *envp)
{
	if (producer_self.vforked)
		vforked_exec(directory == AT_FDCWD ? path : NULL);
	if (!operation_begin(o, RECORD_OP_EXEC))
		return false;
	operation_on_path(o, directory, path);
	o->event.end = o->event.start;
	o->event.result = exec_result(envp);
	event_operation(o->p, &o->event);
	producer_end(o->p, o->outer);
	descriptors_exec();
	process_executes();
	return true;
}

/* The call has failed. */
static int exec_failed(struct operation_call *o, bool recorded)
{
	if (recorded) {
		descriptors_exec_failed();
		uring_continues();
		atomic_store(&recording.process->state, RECORD_RUNNING);
		operation_end(o, -1);
	}
	return -1;
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	struct operation_call o;
	char **const environment = ENVIRONMENT(envp);
	const bool recorded = exec_begin(&o, AT_FDCWD, path, environment);
	real.execve(path, argv, environment);
	return exec_failed(&o, recorded);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	struct operation_call o;
	char **const environment = ENVIRONMENT(envp);
	const bool recorded = exec_begin(&o, -1, file, environment);
	real.execvpe(file, argv, environment);
	return exec_failed(&o, recorded);
}

EXPORT int execveat(int directory, const char *path, char *const argv[], char *const envp[],
		    int flags)
{
	struct operation_call o;
	char **const environment = ENVIRONMENT(envp);
	const bool recorded = exec_begin(&o, directory, path, environment);
	real.execveat(directory, path, argv, environment, flags);
	return exec_failed(&o, recorded);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct operation_call o;
	char path[RECORD_TEXT_MAX];
	char **const environment = ENVIRONMENT(envp);
	paths_of_descriptor(fd, path);
	const bool recorded = exec_begin(&o, AT_FDCWD, path, environment);
	real.fexecve(fd, argv, environment);
	return exec_failed(&o, recorded);
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Collects the arguments of a variadic exec, and the NULL at their end, on the caller's stack. */
#define ARGUMENTS(first, argv, list)                                                               \
	va_list list;                                                                              \
	size_t n_ = 1;                                                                             \
	va_start(list, first);                                                                     \
	while (va_arg(list, char *) != NULL)                                                       \
		n_++;                                                                              \
	va_end(list);                                                                              \
	char **const argv = alloca((n_ + 1) * sizeof(char *));                                     \
	va_start(list, first);                                                                     \
	argv[0] = (char *)(uintptr_t)(first);                                                      \
	for (size_t i_ = 1; i_ <= n_; i_++)                                                        \
	argv[i_] = va_arg(list, char *)

EXPORT int execl(const char *path, const char *argument, ...)
{
	ARGUMENTS(argument, argv, list);
	va_end(list);
	return execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *argument, ...)
{
	ARGUMENTS(argument, argv, list);
	va_end(list);
	return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *argument, ...)
{
	ARGUMENTS(argument, argv, list);
	char **const envp = va_arg(list, char **);
	va_end(list);
	return execve(path, argv, envp);
}

typedef int spawn_fn(pid_t *restrict, const char *restrict,
		     const posix_spawn_file_actions_t *restrict, const posix_spawnattr_t *restrict,
		     char *const[restrict], char *const[restrict]);

/* path: of the program, or NULL if PATH is searched. */
static int spawn(spawn_fn *call, pid_t *pid, const char *file, const char *path,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const argv[], char *const envp[])
{
	pid_t child;
	struct producer *p = thread_enter();
	if (p != NULL)
		descriptors_share(false);
	const int error = call(&child, file, actions, attributes, argv, envp);
	if (error == 0 && pid != NULL)
		*pid = child;
	if (p != NULL && error == 0)
		event_child(p, RECORD_SPAWN, (uint32_t)child, path);
	return error;
}

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
		       const posix_spawn_file_actions_t *restrict actions,
		       const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
		       char *const envp[restrict])
{
	char **const environment = ENVIRONMENT(envp);
	return spawn(real.posix_spawn, pid, path, path, actions, attributes, argv, environment);
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			const posix_spawn_file_actions_t *restrict actions,
			const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
			char *const envp[restrict])
{
	char **const environment = ENVIRONMENT(envp);
	return spawn(real.posix_spawnp, pid, file, NULL, actions, attributes, argv, environment);
}

EXPORT int system(const char *command)
{
	if (thread_enter() != NULL)
		descriptors_share(false);
	return real.system(command);
}

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

EXPORT int chroot(const char *path)
{
	const int result = real.chroot(path);
	if (result == 0 && thread_enter() != NULL) {
		recording_count(RECORD_COUNTER_NAMESPACES, 1);
		paths_forget();
		paths_update_directory();
	}
	return result;
}
