/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that change descriptors, or that begin and end processes. */
#include <linux/close_range.h>
#include <linux/io_uring.h>
#include <linux/sched.h>

#include "exec.h"
#include "identity.h"
#include "paths.h"
#include "program.h"
#include "stub_calls.h"
#include "stub_signals.h"
#include "uring.h"
#include "vfork.h"

static const char *text_at(long pointer)
{
	return (const char *)pointer;
}

static long open_with(const struct stub_frame *f, int directory, const char *path, unsigned flags)
{
	struct operation_call o;
	if (!operation_opens_of(&o, thread_here(), directory, path, flags))
		return stub_pass(f);
	const long result = stub_pass(f);
	operation_returns_opened(&o, result);
	return result;
}

static long on_open(const struct stub_frame *f)
{
	return open_with(f, AT_FDCWD, text_at(f->argument[0]), (unsigned)f->argument[1]);
}

static long on_openat(const struct stub_frame *f)
{
	return open_with(f, stub_fd(f), text_at(f->argument[1]), (unsigned)f->argument[2]);
}

static long on_creat(const struct stub_frame *f)
{
	return open_with(f, AT_FDCWD, text_at(f->argument[0]), O_CREAT | O_WRONLY | O_TRUNC);
}

static long on_openat2(const struct stub_frame *f)
{
	const uint64_t *const how = (const uint64_t *)f->argument[2];
	const unsigned flags = f->argument[3] >= 8 && how != NULL ? (unsigned)how[0] : 0;
	return open_with(f, stub_fd(f), text_at(f->argument[1]), flags);
}

/* The kernel knows the name of the file. */
static long on_open_by_handle(const struct stub_frame *f)
{
	return open_with(f, AT_FDCWD, NULL, (unsigned)f->argument[2]);
}

static long on_close(const struct stub_frame *f)
{
	struct operation_call o;
	const int fd = stub_fd(f);
	if (!operation_begin_of(&o, thread_here(), RECORD_OP_CLOSE))
		return stub_pass(f);
	uring_closes(fd);
	const union descriptor d = descriptor_remove(fd);
	descriptor_compare(d, fd);
	const long result = stub_pass(f);
	operation_returns_closed(&o, d, fd, result);
	return result;
}

static long on_close_range(const struct stub_frame *f)
{
	struct producer *p = thread_here();
	const long result = stub_pass(f);
	if (p != NULL && result == 0 && (f->argument[2] & CLOSE_RANGE_CLOEXEC) == 0)
		descriptor_reset_range(p, (unsigned)f->argument[0], (unsigned)f->argument[1]);
	return result;
}

/* Closes what `to` referred to. */
static void duplicated(struct producer *p, int from, int to)
{
	if (p == NULL || to < 0 || from == to)
		return;
	descriptor_reset_range(p, (unsigned)to, (unsigned)to);
	descriptor_duplicated(p, from, to);
}

static long on_dup(const struct stub_frame *f)
{
	struct producer *p = thread_here();
	const long to = stub_pass(f);
	duplicated(p, stub_fd(f), (int)to);
	return to;
}

/* Returns whether fcntl changes a lock, for which it may wait. */
static bool is_lock(long command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
	       command == F_OFD_SETLKW;
}

static long lock(const struct stub_frame *f)
{
	struct operation_call o;
	if (!operation_begin_of(&o, thread_here(), RECORD_OP_LOCK))
		return stub_pass(f);
	operation_on(&o, stub_fd(f));
	const long result = stub_pass(f);
	operation_returns(&o, result);
	return result;
}

static long on_fcntl(const struct stub_frame *f)
{
	const long command = f->argument[1];
	if (is_lock(command))
		return lock(f);
	struct producer *p = thread_here();
	union descriptor d = {0};
	if (p != NULL && command == F_SETFL) /* a description is found by its flags */
		d = descriptor_get(p, stub_fd(f));
	const long result = stub_pass(f);
	if (p == NULL || result < 0)
		return result;
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		duplicated(p, stub_fd(f), (int)result);
	else if (command == F_SETFL)
		descriptor_set_append(d, stub_fd(f), (f->argument[2] & O_APPEND) != 0);
	return result;
}

static long on_lseek(const struct stub_frame *f)
{
	struct producer *p = thread_here();
	union descriptor d = {0};
	const uint64_t start = p != NULL ? clock_now() : 0;
	if (p != NULL) /* a description is found by its position */
		d = descriptor_get(p, stub_fd(f));
	const long result = stub_pass(f);
	if (p != NULL && result >= 0)
		descriptor_set_position(p, stub_fd(f), result);
	if (d.kind == DESCRIPTOR_FILE)
		event_seek(p, d.number, start);
	return result;
}

/* A call that returns a descriptor of another kind, which is looked up when it is first used. */
static long on_create(const struct stub_frame *f)
{
	const long created = stub_pass(f);
	if (created >= 0 && thread_here() != NULL)
		descriptor_reset((int)created);
	return created;
}

static long create_pair(const struct stub_frame *f, const int *pair)
{
	const long result = stub_pass(f);
	if (result == 0 && thread_here() != NULL) {
		descriptor_reset(pair[0]);
		descriptor_reset(pair[1]);
	}
	return result;
}

static long on_pipe(const struct stub_frame *f)
{
	return create_pair(f, (const int *)f->argument[0]);
}

static long on_socketpair(const struct stub_frame *f)
{
	return create_pair(f, (const int *)f->argument[3]);
}

static long on_uring_enter(const struct stub_frame *f)
{
	recording_count(RECORD_COUNTER_URING_CALLS, 1);
	return (f->argument[3] & IORING_ENTER_EXT_ARG) != 0 ? stub_pass(f)
							    : stub_pass_unblocked(f, 4);
}

static long run_program(const struct stub_frame *f, int directory, const char *path,
			char *const *envp)
{
	struct operation_call o;
	const bool recorded = exec_begin(&o, thread_here(), directory, path, envp);
	const long result = stub_pass(f);
	exec_returns(&o, recorded, result);
	return result;
}

/* `environment` is the argument that has it; a program that loads the library may need another. */
static long execute(const struct stub_frame *f, int directory, const char *path, int environment)
{
	char *const *const envp = (char *const *)f->argument[environment];
	if (!program_needs_environment(envp))
		return run_program(f, directory, path, envp);
	struct stub_frame with = *f;
	char text[ENVIRONMENT_TEXT],
	    **const out = __builtin_alloca((environment_count(envp) + 3) * sizeof(char *));
	with.argument[environment] = (long)program_environment(envp, out, text);
	return run_program(&with, directory, path, out);
}

static long on_execve(const struct stub_frame *f)
{
	return execute(f, AT_FDCWD, text_at(f->argument[0]), 2);
}

static long on_execveat(const struct stub_frame *f)
{
	char path[RECORD_TEXT_MAX];
	const char *const name = text_at(f->argument[1]);
	if ((f->argument[4] & AT_EMPTY_PATH) == 0 || name == NULL || *name != '\0')
		return execute(f, stub_fd(f), name, 3);
	paths_of_descriptor(stub_fd(f), path);
	return execute(f, AT_FDCWD, path, 3);
}

static long on_uring_setup(const struct stub_frame *f)
{
	const long fd = stub_pass(f);
	if (thread_here() != NULL)
		uring_opened((int)fd, (const void *)f->argument[1]);
	return fd;
}

static long on_identity(const struct stub_frame *f)
{
	(void)identity_changes();
	return stub_pass(f);
}

/* The root or namespaces change. */
static long on_root(const struct stub_frame *f)
{
	(void)identity_changes();
	const long result = stub_pass(f);
	identity_renamed(result);
	return result;
}

static long on_unshare(const struct stub_frame *f)
{
	const bool records = identity_changes();
	const long result = stub_pass(f);
	identity_unshared((int)f->argument[0], result, records);
	return result;
}

static long on_exit_group(const struct stub_frame *f)
{
	if (!producer_self.vforked)
		process_exit();
	return stub_pass(f);
}

stub_handler *stub_descriptor(long number)
{
	switch (number) {
	case SYS_open:
		return on_open;
	case SYS_openat:
		return on_openat;
	case SYS_openat2:
		return on_openat2;
	case SYS_creat:
		return on_creat;
	case SYS_open_by_handle_at:
		return on_open_by_handle;
	case SYS_close:
		return on_close;
	case SYS_close_range:
		return on_close_range;
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
		return on_dup;
	case SYS_fcntl:
		return on_fcntl;
	case SYS_lseek:
		return on_lseek;
	case SYS_pipe:
	case SYS_pipe2:
		return on_pipe;
	case SYS_socketpair:
		return on_socketpair;
	case SYS_socket:
	case SYS_accept:
	case SYS_accept4:
	case SYS_eventfd:
	case SYS_eventfd2:
	case SYS_epoll_create:
	case SYS_epoll_create1:
	case SYS_timerfd_create:
	case SYS_signalfd:
	case SYS_signalfd4:
	case SYS_inotify_init:
	case SYS_inotify_init1:
	case SYS_memfd_create:
	case SYS_pidfd_getfd:
		return on_create;
	case SYS_io_uring_enter:
		return on_uring_enter;
	case SYS_io_uring_setup:
		return on_uring_setup;
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setfsuid:
	case SYS_pivot_root:
		return on_identity;
	case SYS_chroot:
	case SYS_setns:
		return on_root;
	case SYS_unshare:
		return on_unshare;
	case SYS_execve:
		return on_execve;
	case SYS_execveat:
		return on_execveat;
	case SYS_exit_group:
		return on_exit_group;
	default:
		return NULL;
	}
}

/* Calls that create a process or a thread, which the stub makes. */

enum created { CREATES_NOTHING_OF_OURS, CREATES_FORK, CREATES_VFORK };

static uint64_t flags_of(const struct stub_frame *f)
{
	switch (f->number) {
	case SYS_clone:
		return (uint64_t)f->argument[0];
	case SYS_clone3:
		return f->argument[0] != 0 ? *(const uint64_t *)f->argument[0] : CLONE_VM;
	case SYS_vfork:
		return CLONE_VM | CLONE_VFORK;
	default:
		return 0;
	}
}

static enum created creates(const struct stub_frame *f)
{
	const uint64_t flags = flags_of(f);
	if ((flags & CLONE_VM) == 0)
		return CREATES_FORK;
	return (flags & CLONE_VFORK) != 0 ? CREATES_VFORK : CREATES_NOTHING_OF_OURS;
}

/*
 * Returns whether the calls of the child trap as well. Those of a child of vfork do not: it changes
 * its signals, but shares what the library knows of them. A child with neither a memory nor a
 * thread pointer of its own has no selector.
 */
static bool child_traps(uint64_t flags)
{
	return recording.traps &&
	       ((flags & CLONE_VM) == 0 || (flags & (CLONE_SETTLS | CLONE_VFORK)) == CLONE_SETTLS);
}

/* The flags may be in memory that is gone after the call, so what it is waits in a stack. */
bool stub_creates(const struct stub_frame *f)
{
	struct producer *const self = &producer_self;
	enum created what = creates(f);
	if (what == CREATES_FORK && thread_here() == NULL)
		what = CREATES_NOTHING_OF_OURS;
	if (what == CREATES_FORK)
		descriptors_share(true);
	if (what == CREATES_FORK && (flags_of(f) & CLONE_FILES) != 0)
		descriptors_share_numbers();
	else if (what == CREATES_VFORK)
		vfork_begin();
	if (self->creating < sizeof self->created)
		self->created[self->creating] = (uint8_t)what;
	self->creating++;
	return child_traps(flags_of(f));
}

void stub_created(long result)
{
	struct producer *const self = &producer_self;
	if (result == 0) {
		signals_continue();
		return;
	}
	const uint8_t at = --self->creating;
	const enum created what =
	    at < sizeof self->created ? self->created[at] : CREATES_NOTHING_OF_OURS;
	if (what == CREATES_VFORK)
		vfork_returns(result);
	else if (what == CREATES_FORK && result > 0)
		event_child(self,
			    &(struct event_child){.how = RECORD_FORK, .pid = (uint32_t)result});
	else if (what == CREATES_FORK)
		descriptors_unshare();
}
