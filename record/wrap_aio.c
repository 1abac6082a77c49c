/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous I/O of POSIX, and of libaio. */
#include <errno.h>
#include <linux/aio_abi.h>

#include "raw.h"
#include "requests.h"

/* POSIX: libc transfers in threads of its own, with internal calls. */

#define SUBMITS(name, bits)                                                                        \
	EXPORT int name(struct aiocb *request)                                                     \
	{                                                                                          \
		struct producer *p = thread_enter();                                               \
		if (p != NULL)                                                                     \
			request_submit(p, request, request->aio_fildes, request->aio_offset,       \
				       bits);                                                      \
		const int result = real.name(request);                                             \
		if (p != NULL && result != 0)                                                      \
			request_cancel(request);                                                   \
		return result;                                                                     \
	}

SUBMITS(aio_read, 0)
SUBMITS(aio_write, RECORD_WRITE)

EXPORT int aio_error(const struct aiocb *request)
{
	const int error = real.aio_error(request);
	if (error != EINPROGRESS && thread_enter() != NULL)
		request_note_end(request);
	return error;
}

EXPORT ssize_t aio_return(struct aiocb *request)
{
	struct producer *p = thread_enter();
	const ssize_t result = real.aio_return(request);
	if (p != NULL)
		request_complete(p, request, result);
	return result;
}

EXPORT int lio_listio(int mode, struct aiocb *const list[restrict], int count,
		      struct sigevent *restrict event)
{
	struct producer *p = thread_enter();
	for (int i = 0; p != NULL && i < count; i++)
		if (list[i] != NULL && list[i]->aio_lio_opcode != LIO_NOP)
			request_submit(p, list[i], list[i]->aio_fildes, list[i]->aio_offset,
				       list[i]->aio_lio_opcode == LIO_WRITE ? RECORD_WRITE : 0);
	return real.lio_listio(mode, list, count, event);
}

EXPORT int aio_fsync(int how, struct aiocb *request)
{
	struct operation_call o;
	if (!operation_begin(&o, RECORD_OP_FSYNC))
		return real.aio_fsync(how, request);
	operation_on(&o, request->aio_fildes);
	return (int)operation_end(&o, real.aio_fsync(how, request));
}

/* struct aiocb64 and struct aiocb are the same on 64-bit machines. */
#define ALIAS_64(type, of, parameters)                                                             \
	EXPORT extern type of##64 parameters __attribute__((alias(#of)))

ALIAS_64(int, aio_read, (struct aiocb64 *));
ALIAS_64(int, aio_write, (struct aiocb64 *));
ALIAS_64(int, aio_error, (const struct aiocb64 *));
ALIAS_64(ssize_t, aio_return, (struct aiocb64 *));
ALIAS_64(int, aio_fsync, (int, struct aiocb64 *));
ALIAS_64(int, lio_listio, (int, struct aiocb64 *const[restrict], int, struct sigevent *restrict));

/*
 * libaio: its functions are the system calls, and return -errno. A program may load it where
 * RTLD_NEXT does not find it, so they are made here.
 */
int io_submit(aio_context_t context, long count, struct iocb **list);
int io_getevents(aio_context_t context, long least, long most, struct io_event *events,
		 struct timespec *timeout);
int io_pgetevents(aio_context_t context, long least, long most, struct io_event *events,
		  struct timespec *timeout, sigset_t *mask);

static void submit(struct producer *p, const struct iocb *request)
{
	enum { PREADV = 7, PWRITEV = 8 };
	const int fd = (int)request->aio_fildes;
	if (request->aio_lio_opcode == IOCB_CMD_PREAD || request->aio_lio_opcode == PREADV)
		request_submit(p, request, fd, request->aio_offset, 0);
	else if (request->aio_lio_opcode == IOCB_CMD_PWRITE || request->aio_lio_opcode == PWRITEV)
		request_submit(p, request, fd, request->aio_offset, RECORD_WRITE);
}

EXPORT int io_submit(aio_context_t context, long count, struct iocb **list)
{
	struct producer *p = thread_here();
	for (long i = 0; p != NULL && i < count; i++)
		submit(p, list[i]);
	const long result = raw_call(SYS_io_submit, (long)context, count, (long)list, 0, 0, 0);
	for (long i = result < 0 ? 0 : result; p != NULL && i < count; i++)
		request_cancel(list[i]);
	return (int)result;
}

static int completed(long result, const struct io_event *events)
{
	struct producer *p = thread_here();
	for (long i = 0; p != NULL && i < result; i++)
		request_complete(p, (const void *)(uintptr_t)events[i].obj, events[i].res);
	return (int)result;
}

EXPORT int io_getevents(aio_context_t context, long least, long most, struct io_event *events,
			struct timespec *timeout)
{
	return completed(
	    raw_call(SYS_io_getevents, (long)context, least, most, (long)events, (long)timeout, 0),
	    events);
}

EXPORT int io_pgetevents(aio_context_t context, long least, long most, struct io_event *events,
			 struct timespec *timeout, sigset_t *mask)
{
	const struct {
		sigset_t *mask;
		size_t size;
	} set = {mask, 8};
	return completed(raw_call(SYS_io_pgetevents, (long)context, least, most, (long)events,
				  (long)timeout, (long)&set),
			 events);
}
