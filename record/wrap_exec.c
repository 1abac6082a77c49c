/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that run programs. */
#include <alloca.h>
#include <errno.h>
#include <stdarg.h>

#include "call.h"
#include "paths.h"
#include "program.h"
#include "raw.h"
#include "uring.h"

/* The environment with which a program runs; on the caller's stack. */
#define ENVIRONMENT(envp)                                                                          \
	(program_needs_environment(envp)                                                           \
	     ? program_environment((envp), alloca((environment_count(envp) + 3) * sizeof(char *)), \
				   alloca(ENVIRONMENT_TEXT))                                       \
	     : (char **)(envp))

/* In the child of vfork: the parent's ring, which is not in use, receives what it does. */
static void vforked_record(struct event_child *e)
{
	struct producer *p = &producer_self;
	e->pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	p->ring = p->parked;
	if (p->ring != NULL)
		event_child(p, e);
	p->ring = NULL;
}

static void vforked_exec(int directory, const char *path, char *const *envp)
{
	struct event_child e = {
	    .how = RECORD_VFORK, .directory = directory, .program = path, .why = program_why(envp)};
	vforked_record(&e);
	if (producer_self.parked != NULL)
		descriptors_share(false);
}

/* Publishes the call before it is made, as it does not return. */
static bool exec_begin(struct operation_call *o, int directory, const char *path, char *const *envp)
{
	if (producer_self.vforked)
		vforked_exec(directory, path, envp);
	if (!operation_begin(o, RECORD_OP_EXEC)) {
		program_is_unrecorded(1);
		return false;
	}
	event_seeks_flush(o->p);
	operation_on_path(o, directory, path);
	o->event.end = o->event.start;
	o->event.result = program_why(envp);
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
		o->event.start = clock_now(); /* after the record of the call */
		operation_end(o, -1);
		return -1;
	}
	if (producer_self.vforked)
		vforked_record(&(struct event_child){.how = RECORD_EXEC_FAILED});
	program_is_unrecorded(-1);
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
