/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers. */
#include "wrap.h"
#include "copy.h"
#include "message.h"

extern void __chk_fail(void) __attribute__((noreturn));

EXPORT ssize_t read(int fd, void *buffer, size_t size)
{
	struct data_call c;
	call_begin(&c, fd);
	return call_moved(&c, real.read(fd, buffer, size), 0);
}

EXPORT ssize_t write(int fd, const void *buffer, size_t size)
{
	struct data_call c;
	call_begin(&c, fd);
	return call_moved(&c, real.write(fd, buffer, size), RECORD_WRITE);
}

EXPORT ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	struct data_call c;
	call_begin_at(&c, fd);
	return call_at(&c, real.pread(fd, buffer, size, offset), offset, 0);
}

EXPORT ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
	struct data_call c;
	call_begin_at(&c, fd);
	return call_at(&c, real.pwrite(fd, buffer, size, offset), offset, RECORD_WRITE);
}

EXPORT ssize_t readv(int fd, const struct iovec *vector, int count)
{
	struct data_call c;
	call_begin(&c, fd);
	return call_moved(&c, real.readv(fd, vector, count), 0);
}

EXPORT ssize_t writev(int fd, const struct iovec *vector, int count)
{
	struct data_call c;
	call_begin(&c, fd);
	return call_moved(&c, real.writev(fd, vector, count), RECORD_WRITE);
}

EXPORT ssize_t preadv(int fd, const struct iovec *vector, int count, off_t offset)
{
	struct data_call c;
	call_begin_at(&c, fd);
	return call_at(&c, real.preadv(fd, vector, count, offset), offset, 0);
}

EXPORT ssize_t pwritev(int fd, const struct iovec *vector, int count, off_t offset)
{
	struct data_call c;
	call_begin_at(&c, fd);
	return call_at(&c, real.pwritev(fd, vector, count, offset), offset, RECORD_WRITE);
}

/* An offset of -1 is the position of the descriptor. */
EXPORT ssize_t preadv2(int fd, const struct iovec *vector, int count, off_t offset, int flags)
{
	struct data_call c;
	call_begin(&c, fd);
	const ssize_t n = real.preadv2(fd, vector, count, offset, flags);
	return offset == -1 ? call_moved(&c, n, 0) : call_at(&c, n, offset, 0);
}

EXPORT ssize_t pwritev2(int fd, const struct iovec *vector, int count, off_t offset, int flags)
{
	struct data_call c;
	call_begin(&c, fd);
	if (c.d.kind != DESCRIPTOR_UNKNOWN && (flags & RWF_APPEND) != 0)
		c.d.append = 1;
	const ssize_t n = real.pwritev2(fd, vector, count, offset, flags);
	return offset == -1 ? call_moved(&c, n, RECORD_WRITE)
			    : call_at(&c, n, offset, RECORD_WRITE);
}

ALIAS(__read, read);
ALIAS(__write, write);
ALIAS(pread64, pread);
ALIAS(__pread64, pread);
ALIAS(pwrite64, pwrite);
ALIAS(__pwrite64, pwrite);
ALIAS(preadv64, preadv);
ALIAS(pwritev64, pwritev);
ALIAS(preadv64v2, preadv2);
ALIAS(pwritev64v2, pwritev2);

EXPORT ssize_t __read_chk(int fd, void *buffer, size_t size, size_t capacity)
{
	if (size > capacity)
		__chk_fail();
	return read(fd, buffer, size);
}

EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t capacity)
{
	if (size > capacity)
		__chk_fail();
	return pread(fd, buffer, size, offset);
}

ALIAS(__pread64_chk, __pread_chk);

/* Copies */

EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t size)
{
	struct copy c;
	copy_begin(&c, thread_enter(), in, offset, out, NULL);
	return copy_end(&c, real.sendfile(out, in, offset, size));
}

ALIAS(sendfile64, sendfile);

EXPORT ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t size,
			       unsigned flags)
{
	struct copy c;
	copy_begin(&c, thread_enter(), in, in_offset, out, out_offset);
	return copy_end(&c, real.copy_file_range(in, in_offset, out, out_offset, size, flags));
}

EXPORT ssize_t splice(int in, off_t *in_offset, int out, off_t *out_offset, size_t size,
		      unsigned flags)
{
	struct copy c;
	copy_begin(&c, thread_enter(), in, in_offset, out, out_offset);
	return splice_end(&c, real.splice(in, in_offset, out, out_offset, size, flags));
}

static void count_copy(void)
{
	recording_count(RECORD_COUNTER_COPIES, 1);
}

EXPORT ssize_t tee(int in, int out, size_t size, unsigned flags)
{
	count_copy();
	return real.tee(in, out, size, flags);
}

EXPORT ssize_t vmsplice(int fd, const struct iovec *vector, size_t count, unsigned flags)
{
	count_copy();
	return real.vmsplice(fd, vector, count, flags);
}

EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
				const struct iovec *remote, unsigned long remotes,
				unsigned long flags)
{
	count_copy();
	return real.process_vm_readv(pid, local, locals, remote, remotes, flags);
}

EXPORT ssize_t process_vm_writev(pid_t pid, const struct iovec *local, unsigned long locals,
				 const struct iovec *remote, unsigned long remotes,
				 unsigned long flags)
{
	count_copy();
	return real.process_vm_writev(pid, local, locals, remote, remotes, flags);
}

/* Sockets */

EXPORT ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
	struct data_call c;
	call_begin(&c, fd);
	return message_moved(&c, real.recv(fd, buffer, size, flags), 0);
}

EXPORT ssize_t send(int fd, const void *buffer, size_t size, int flags)
{
	struct data_call c;
	call_begin(&c, fd);
	return message_moved(&c, real.send(fd, buffer, size, flags), RECORD_WRITE);
}

EXPORT ssize_t recvfrom(int fd, void *restrict buffer, size_t size, int flags,
			struct sockaddr *restrict address, socklen_t *restrict length)
{
	struct data_call c;
	call_begin(&c, fd);
	return message_moved(&c, real.recvfrom(fd, buffer, size, flags, address, length), 0);
}

EXPORT ssize_t sendto(int fd, const void *buffer, size_t size, int flags,
		      const struct sockaddr *address, socklen_t length)
{
	struct data_call c;
	call_begin(&c, fd);
	return message_moved(&c, real.sendto(fd, buffer, size, flags, address, length),
			     RECORD_WRITE);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct data_call c;
	call_begin(&c, fd);
	const ssize_t n = real.recvmsg(fd, message, flags);
	if (n >= 0 && c.p != NULL)
		received(message);
	return message_moved(&c, n, 0);
}

EXPORT int recvmmsg(int fd, struct mmsghdr *message, unsigned n, int flags,
		    struct timespec *timeout)
{
	struct data_call c;
	call_begin(&c, fd);
	const int count = real.recvmmsg(fd, message, n, flags, timeout);
	for (int i = 0; i < count && c.p != NULL; i++)
		received(&message[i].msg_hdr);
	message_moved(&c, bytes_of(message, count), 0);
	return count;
}

EXPORT int sendmmsg(int fd, struct mmsghdr *message, unsigned n, int flags)
{
	struct data_call c;
	call_begin(&c, fd);
	const int count = real.sendmmsg(fd, message, n, flags);
	for (int i = 0; i < count; i++)
		sent(&c, &message[i].msg_hdr);
	message_moved(&c, bytes_of(message, count), RECORD_WRITE);
	return count;
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct data_call c;
	call_begin(&c, fd);
	const ssize_t n = real.sendmsg(fd, message, flags);
	if (n >= 0)
		sent(&c, message);
	return message_moved(&c, n, RECORD_WRITE);
}
