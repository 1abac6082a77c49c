/* SPDX-License-Identifier: BSD-2-Clause */
#include "wrap.h"

struct producer *thread_enter_slow(void)
{
	if (!real.resolved)
		real_resolve();
	return thread_here_slow();
}

bool operation_begin(struct operation_call *o, enum record_op op)
{
	return operation_begin_of(o, thread_enter(), op);
}

/* Converts the result of a libc function to the result of its system call. */
static int64_t with_error(int64_t result)
{
	return result == -1 ? -errno : result;
}

int64_t operation_end(struct operation_call *o, int64_t result)
{
	operation_returns(o, with_error(result));
	return result;
}

int operation_end_error(struct operation_call *o, int error)
{
	operation_returns(o, -error);
	return error;
}

bool operation_opens(struct operation_call *o, int directory, const char *path, unsigned flags)
{
	return operation_opens_of(o, thread_enter(), directory, path, flags);
}

int operation_opened(struct operation_call *o, int fd)
{
	operation_returns_opened(o, with_error(fd));
	return fd;
}

void operation_closed(struct operation_call *o, union descriptor d, int fd, int64_t result)
{
	operation_returns_closed(o, d, fd, with_error(result));
}
