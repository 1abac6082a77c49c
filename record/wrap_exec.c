/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that run programs. */
#include <alloca.h>
#include <errno.h>
#include <stdarg.h>

#include "wrap.h"
#include "exec.h"
#include "paths.h"
#include "program.h"

static bool needs_environment(char *const *envp)
{
	if (!real.resolved)
		real_resolve();
	return program_needs_environment(envp);
}

/* The environment with which a program runs; on the caller's stack. */
#define ENVIRONMENT(envp)                                                                          \
	(needs_environment(envp)                                                                   \
	     ? program_environment((envp), alloca((environment_count(envp) + 3) * sizeof(char *)), \
				   alloca(ENVIRONMENT_TEXT))                                       \
	     : (char **)(envp))

static int exec_failed(struct operation_call *o, bool recorded)
{
	exec_returns(o, recorded, -errno);
	return -1;
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	struct operation_call o;
	char **const environment = ENVIRONMENT(envp);
	const bool recorded = exec_begin(&o, thread_enter(), AT_FDCWD, path, environment);
	real.execve(path, argv, environment);
	return exec_failed(&o, recorded);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	struct operation_call o;
	char **const environment = ENVIRONMENT(envp);
	const bool recorded = exec_begin(&o, thread_enter(), -1, file, environment);
	real.execvpe(file, argv, environment);
	return exec_failed(&o, recorded);
}

EXPORT int execveat(int directory, const char *path, char *const argv[], char *const envp[],
		    int flags)
{
	struct operation_call o;
	char **const environment = ENVIRONMENT(envp);
	const bool recorded = exec_begin(&o, thread_enter(), directory, path, environment);
	real.execveat(directory, path, argv, environment, flags);
	return exec_failed(&o, recorded);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct operation_call o;
	char path[RECORD_TEXT_MAX];
	char **const environment = ENVIRONMENT(envp);
	paths_of_descriptor(fd, path);
	const bool recorded = exec_begin(&o, thread_enter(), AT_FDCWD, path, environment);
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

void program_of_libc(void)
{
	if (program_follows() && program_why(environ) != 0)
		program_is_unrecorded(1);
}

typedef int spawn_fn(pid_t *restrict, const char *restrict,
		     const posix_spawn_file_actions_t *restrict, const posix_spawnattr_t *restrict,
		     char *const[restrict], char *const[restrict]);

/* directory: AT_FDCWD, or -1 if PATH is searched. */
static int spawn(spawn_fn *call, pid_t *pid, int directory, const char *file,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const argv[], char *const envp[])
{
	pid_t child;
	struct producer *p = thread_enter();
	if (p != NULL)
		descriptors_share(false);
	const int error = call(&child, file, actions, attributes, argv, envp);
	if (error != 0)
		return error;
	if (pid != NULL)
		*pid = child;
	if (p != NULL)
		event_child(p, &(struct event_child){.how = RECORD_SPAWN,
						     .pid = (uint32_t)child,
						     .directory = directory,
						     .program = file,
						     .why = program_why(envp)});
	else
		program_is_unrecorded(1);
	return 0;
}

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
		       const posix_spawn_file_actions_t *restrict actions,
		       const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
		       char *const envp[restrict])
{
	char **const environment = ENVIRONMENT(envp);
	return spawn(real.posix_spawn, pid, AT_FDCWD, path, actions, attributes, argv, environment);
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			const posix_spawn_file_actions_t *restrict actions,
			const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
			char *const envp[restrict])
{
	char **const environment = ENVIRONMENT(envp);
	return spawn(real.posix_spawnp, pid, -1, file, actions, attributes, argv, environment);
}

EXPORT int system(const char *command)
{
	if (thread_enter() != NULL)
		descriptors_share(false);
	program_of_libc();
	return real.system(command);
}
