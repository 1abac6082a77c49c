/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that create, duplicate and close descriptors. */
#include <dirent.h>
#include <stdarg.h>

#include "wrap.h"
#include "packets.h"
#include "raw.h"
#include "uring.h"

/* Reads the mode argument of a call to open, which exists only with these flags. */
#define MODE_AFTER(flags)                                                                          \
	({                                                                                         \
		mode_t mode_ = 0;                                                                  \
		if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) {                  \
			va_list list;                                                              \
			va_start(list, flags);                                                     \
			mode_ = va_arg(list, mode_t);                                              \
			va_end(list);                                                              \
		}                                                                                  \
		mode_;                                                                             \
	})

EXPORT int open(const char *path, int flags, ...)
{
	const mode_t mode = MODE_AFTER(flags);
	struct operation_call o;
	if (!operation_opens(&o, AT_FDCWD, path, (unsigned)flags))
		return real.open(path, flags, mode);
	return operation_opened(&o, real.open(path, flags, mode));
}

EXPORT int openat(int directory, const char *path, int flags, ...)
{
	const mode_t mode = MODE_AFTER(flags);
	struct operation_call o;
	if (!operation_opens(&o, directory, path, (unsigned)flags))
		return real.openat(directory, path, flags, mode);
	return operation_opened(&o, real.openat(directory, path, flags, mode));
}

EXPORT int creat(const char *path, mode_t mode)
{
	struct operation_call o;
	if (!operation_opens(&o, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC))
		return real.creat(path, mode);
	return operation_opened(&o, real.creat(path, mode));
}

ALIAS(open64, open);
ALIAS(__open, open);
ALIAS(__open64, open);
ALIAS(openat64, openat);
ALIAS(creat64, creat);

EXPORT int __open_2(const char *path, int flags)
{
	return open(path, flags, 0);
}

EXPORT int __openat_2(int directory, const char *path, int flags)
{
	return openat(directory, path, flags, 0);
}

ALIAS(__open64_2, __open_2);
ALIAS(__openat64_2, __openat_2);

/* Calls whose arguments do not include the name of the file: the kernel knows it. */
#define OPENS(name, parameters, arguments, flags_)                                                 \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		struct operation_call o;                                                           \
		if (!operation_opens(&o, AT_FDCWD, NULL, (unsigned)(flags_)))                      \
			return real.name arguments;                                                \
		return operation_opened(&o, real.name arguments);                                  \
	}

enum { TEMPORARY = O_RDWR | O_CREAT | O_EXCL };

OPENS(open_by_handle_at, (int mount, struct file_handle *handle, int flags), (mount, handle, flags),
      flags)
OPENS(mkstemp, (char *template), (template), TEMPORARY)
OPENS(mkostemp, (char *template, int flags), (template, flags), (int)TEMPORARY | flags)
OPENS(mkstemps, (char *template, int size), (template, size), TEMPORARY)
OPENS(mkostemps, (char *template, int size, int flags), (template, size, flags),
      (int)TEMPORARY | flags)
OPENS(shm_open, (const char *path, int flags, mode_t mode), (path, flags, mode), flags)

ALIAS(mkstemp64, mkstemp);
ALIAS(mkostemp64, mkostemp);
ALIAS(mkstemps64, mkstemps);
ALIAS(mkostemps64, mkostemps);

/* The program does not know the descriptor of the library: for its calls it is not open. */
static int bad_descriptor(void)
{
	errno = EBADF;
	return -1;
}

EXPORT int close(int fd)
{
	struct operation_call o;
	if (packets_owns(fd))
		return bad_descriptor();
	if (!operation_begin(&o, RECORD_OP_CLOSE))
		return real.close(fd);
	uring_closes(fd);
	const union descriptor d = descriptor_remove(fd);
	descriptor_compare(d, fd);
	const int result = real.close(fd);
	operation_closed(&o, d, fd, result);
	return result;
}

ALIAS(__close, close);

/* Functions of libc that close a descriptor with internal calls. */
#define CLOSES(type, name, parameter, argument, fd_)                                               \
	EXPORT type name(parameter)                                                                \
	{                                                                                          \
		struct operation_call o;                                                           \
		if (!operation_begin(&o, RECORD_OP_CLOSE))                                         \
			return real.name(argument);                                                \
		const int fd = fd_;                                                                \
		const union descriptor d = descriptor_remove(fd);                                  \
		const type result = real.name(argument);                                           \
		operation_closed(&o, d, fd, result);                                               \
		return result;                                                                     \
	}

CLOSES(int, closedir, DIR *directory, directory, dirfd(directory))

/* All but the library's own. */
static int close_others(unsigned first, unsigned last, int flags)
{
	const unsigned own = (unsigned)recording.pipe;
	if (recording.pipe < 0 || own < first || own > last || first > last)
		return real.close_range(first, last, flags);
	int result = 0;
	if (own > first)
		result = real.close_range(first, own - 1, flags);
	if (result == 0 && own < last)
		result = real.close_range(own + 1, last, flags);
	return result;
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	struct producer *p = thread_enter();
	const int result = close_others(first, last, flags);
	if (p != NULL && result == 0 && (flags & (int)CLOSE_RANGE_CLOEXEC) == 0)
		descriptor_reset_range(p, first, last);
	return result;
}

EXPORT void closefrom(int first)
{
	struct producer *p = thread_enter();
	if (first <= recording.pipe &&
	    close_others(first < 0 ? 0 : (unsigned)first, (unsigned)recording.pipe, 0) == 0)
		real.closefrom(recording.pipe + 1);
	else
		real.closefrom(first);
	if (p != NULL)
		descriptor_reset_range(p, first < 0 ? 0 : (unsigned)first, ~0U);
}

/* Closes what `to` referred to. */
static void duplicated(struct producer *p, int from, int to)
{
	if (p == NULL || to < 0 || from == to)
		return;
	descriptor_reset_range(p, (unsigned)to, (unsigned)to);
	descriptor_duplicated(p, from, to);
}

EXPORT int dup(int fd)
{
	struct producer *p = thread_enter();
	const int to = real.dup(fd);
	duplicated(p, fd, to);
	return to;
}

/* The child of vfork has descriptors of its own, in the memory of the parent. */
static void yield_number(int to)
{
	if (packets_owns(to) && !producer_self.vforked)
		packets_move();
}

EXPORT int dup2(int from, int to)
{
	struct producer *p = thread_enter();
	if (packets_owns(from))
		return bad_descriptor();
	yield_number(to);
	const int result = real.dup2(from, to);
	duplicated(p, from, result);
	return result;
}

EXPORT int dup3(int from, int to, int flags)
{
	struct producer *p = thread_enter();
	if (packets_owns(from))
		return bad_descriptor();
	yield_number(to);
	const int result = real.dup3(from, to, flags);
	duplicated(p, from, result);
	return result;
}

ALIAS(__dup2, dup2);

/* Returns whether fcntl changes a lock, for which it may wait. */
static bool is_lock(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
	       command == F_OFD_SETLKW;
}

static int lock(int fd, int command, void *argument)
{
	struct operation_call o;
	if (!operation_begin(&o, RECORD_OP_LOCK))
		return real.fcntl(fd, command, argument);
	operation_on(&o, fd);
	return (int)operation_end(&o, real.fcntl(fd, command, argument));
}

/* Every argument is passed on as a pointer, which holds an int as well. */
EXPORT int fcntl(int fd, int command, ...)
{
	va_list list;
	va_start(list, command);
	void *argument = va_arg(list, void *);
	va_end(list);
	if (is_lock(command))
		return lock(fd, command, argument);
	struct producer *p = thread_enter();
	union descriptor d = {0};
	if (p != NULL && command == F_SETFL) /* a description is found by its flags */
		d = descriptor_get(p, fd);
	const int result = real.fcntl(fd, command, argument);
	if (p == NULL || result < 0)
		return result;
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		duplicated(p, fd, result);
	else if (command == F_SETFL)
		descriptor_set_append(d, fd, ((intptr_t)argument & O_APPEND) != 0);
	return result;
}

ALIAS(fcntl64, fcntl);
ALIAS(__fcntl, fcntl);

EXPORT off_t lseek(int fd, off_t offset, int whence)
{
	struct producer *p = thread_enter();
	union descriptor d = {0};
	const uint64_t start = p != NULL ? clock_now() : 0;
	if (p != NULL) /* a description is found by its position */
		d = descriptor_get(p, fd);
	const off_t result = real.lseek(fd, offset, whence);
	if (p != NULL && result >= 0)
		descriptor_set_position(p, fd, result);
	if (d.kind == DESCRIPTOR_FILE)
		event_seek(p, d.number, start);
	return result;
}

ALIAS(lseek64, lseek);
ALIAS(__lseek, lseek);
ALIAS(llseek, lseek);

/* Calls that return a descriptor of another kind, which is looked up when it is first used. */
#define CREATES(name, parameters, arguments)                                                       \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		const int created = real.name arguments;                                           \
		if (created >= 0 && thread_enter() != NULL)                                        \
			descriptor_reset(created);                                                 \
		return created;                                                                    \
	}

#define CREATES_PAIR(name, parameters, arguments)                                                  \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		const int result = real.name arguments;                                            \
		if (result == 0 && thread_enter() != NULL) {                                       \
			descriptor_reset(pair[0]);                                                 \
			descriptor_reset(pair[1]);                                                 \
		}                                                                                  \
		return result;                                                                     \
	}

CREATES(memfd_create, (const char *name, unsigned flags), (name, flags))
CREATES(socket, (int domain, int type, int protocol), (domain, type, protocol))
CREATES(accept, (int fd, struct sockaddr *restrict address, socklen_t *restrict size),
	(fd, address, size))
CREATES(accept4, (int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags),
	(fd, address, size, flags))
CREATES(pidfd_getfd, (int pidfd, int fd, unsigned flags), (pidfd, fd, flags))
CREATES(eventfd, (unsigned value, int flags), (value, flags))
CREATES(epoll_create, (int size), (size))
CREATES(epoll_create1, (int flags), (flags))
CREATES(timerfd_create, (int clock, int flags), (clock, flags))
CREATES(signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
CREATES(inotify_init, (void), ())
CREATES(inotify_init1, (int flags), (flags))
CREATES_PAIR(pipe, (int pair[2]), (pair))
CREATES_PAIR(pipe2, (int pair[2], int flags), (pair, flags))
CREATES_PAIR(socketpair, (int domain, int type, int protocol, int pair[2]),
	     (domain, type, protocol, pair))

ALIAS(__pipe, pipe);
