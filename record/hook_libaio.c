/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of libaio, which are the system calls, and return -errno. A program may load the
 * library where RTLD_NEXT does not find it, so these functions make the calls.
 */
#include <linux/aio_abi.h>

#include "raw.h"
#include "requests.h"

int io_submit(aio_context_t context, long count, struct iocb **list);
int io_getevents(aio_context_t context, long min, long max, struct io_event *events,
		 struct timespec *timeout);
int io_pgetevents(aio_context_t context, long min, long max, struct io_event *events,
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

EXPORT int io_getevents(aio_context_t context, long min, long max, struct io_event *events,
			struct timespec *timeout)
{
	return completed(
	    raw_call(SYS_io_getevents, (long)context, min, max, (long)events, (long)timeout, 0),
	    events);
}

EXPORT int io_pgetevents(aio_context_t context, long min, long max, struct io_event *events,
			 struct timespec *timeout, sigset_t *mask)
{
	const struct {
		sigset_t *mask;
		size_t size;
	} set = {mask, 8};
	return completed(raw_call(SYS_io_pgetevents, (long)context, min, max, (long)events,
				  (long)timeout, (long)&set),
			 events);
}
