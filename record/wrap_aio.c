/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous I/O of POSIX: libc transfers in threads of its own, with internal calls. */
#include <errno.h>

#include "requests.h"
#include "wrap.h"

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
