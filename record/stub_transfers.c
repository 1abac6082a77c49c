/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers at the system call. */
#include <sys/socket.h>
#include <sys/uio.h>

#include "copy.h"
#include "message.h"
#include "stub_calls.h"

static long end_read(const struct stub_frame *f, long n)
{
	return call_moved(&f->call, n, 0);
}

static long end_write(const struct stub_frame *f, long n)
{
	return call_moved(&f->call, n, RECORD_WRITE);
}

static long end_pread(const struct stub_frame *f, long n)
{
	return call_at(&f->call, n, f->argument[3], 0);
}

static long end_pwrite(const struct stub_frame *f, long n)
{
	return call_at(&f->call, n, f->argument[3], RECORD_WRITE);
}

static long end_receive(const struct stub_frame *f, long n)
{
	return message_moved(&f->call, n, 0);
}

static long end_send(const struct stub_frame *f, long n)
{
	return message_moved(&f->call, n, RECORD_WRITE);
}

/* Returns the function that ends a usual transfer, NULL if the call is not one. */
static stub_end *end_of(long number)
{
	switch (number) {
	case SYS_read:
	case SYS_readv:
		return end_read;
	case SYS_write:
	case SYS_writev:
		return end_write;
	case SYS_pread64:
	case SYS_preadv:
		return end_pread;
	case SYS_pwrite64:
	case SYS_pwritev:
		return end_pwrite;
	case SYS_recvfrom:
		return end_receive;
	case SYS_sendto:
		return end_send;
	default:
		return NULL;
	}
}

bool stub_transfer_begins(struct stub_frame *f)
{
	stub_end *const end = end_of(f->number);
	if (end == NULL)
		return false;
	if (end == end_pread || end == end_pwrite)
		call_begin_at_of(&f->call, thread_here(), stub_fd(f));
	else
		call_begin_of(&f->call, thread_here(), stub_fd(f));
	f->end = end;
	return true;
}

/* An offset of -1 is the position of the descriptor. */
static long on_preadv2(const struct stub_frame *f)
{
	struct data_call c;
	const long offset = f->argument[3];
	call_begin_of(&c, thread_here(), stub_fd(f));
	const long n = stub_pass(f);
	return offset == -1 ? call_moved(&c, n, 0) : call_at(&c, n, offset, 0);
}

static long on_pwritev2(const struct stub_frame *f)
{
	struct data_call c;
	const long offset = f->argument[3];
	call_begin_of(&c, thread_here(), stub_fd(f));
	if (c.d.kind != DESCRIPTOR_UNKNOWN && (f->argument[5] & RWF_APPEND) != 0)
		c.d.append = 1;
	const long n = stub_pass(f);
	return offset == -1 ? call_moved(&c, n, RECORD_WRITE)
			    : call_at(&c, n, offset, RECORD_WRITE);
}

static const off_t *offset_at(long pointer)
{
	return (const off_t *)pointer;
}

static long on_sendfile(const struct stub_frame *f)
{
	struct copy c;
	copy_begin(&c, thread_here(), (int)f->argument[1], offset_at(f->argument[2]), stub_fd(f),
		   NULL);
	return copy_end(&c, stub_pass(f));
}

static long on_copy_file_range(const struct stub_frame *f)
{
	struct copy c;
	copy_begin(&c, thread_here(), stub_fd(f), offset_at(f->argument[1]), (int)f->argument[2],
		   offset_at(f->argument[3]));
	return copy_end(&c, stub_pass(f));
}

static long on_splice(const struct stub_frame *f)
{
	struct copy c;
	copy_begin(&c, thread_here(), stub_fd(f), offset_at(f->argument[1]), (int)f->argument[2],
		   offset_at(f->argument[3]));
	return splice_end(&c, stub_pass(f));
}

static long on_copy_of_memory(const struct stub_frame *f)
{
	recording_count(RECORD_COUNTER_COPIES, 1);
	return stub_pass(f);
}

static long on_recvmsg(const struct stub_frame *f)
{
	struct data_call c;
	call_begin_of(&c, thread_here(), stub_fd(f));
	const long n = stub_pass(f);
	if (n >= 0 && c.p != NULL)
		received((const struct msghdr *)f->argument[1]);
	return message_moved(&c, n, 0);
}

static long on_recvmmsg(const struct stub_frame *f)
{
	struct data_call c;
	const struct mmsghdr *const message = (const struct mmsghdr *)f->argument[1];
	call_begin_of(&c, thread_here(), stub_fd(f));
	const int count = (int)stub_pass(f);
	for (int i = 0; i < count && c.p != NULL; i++)
		received(&message[i].msg_hdr);
	message_moved(&c, bytes_of(message, count), 0);
	return count;
}

static long on_sendmsg(const struct stub_frame *f)
{
	struct data_call c;
	call_begin_of(&c, thread_here(), stub_fd(f));
	const long n = stub_pass(f);
	if (n >= 0)
		sent(&c, (const struct msghdr *)f->argument[1]);
	return message_moved(&c, n, RECORD_WRITE);
}

static long on_sendmmsg(const struct stub_frame *f)
{
	struct data_call c;
	const struct mmsghdr *const message = (const struct mmsghdr *)f->argument[1];
	call_begin_of(&c, thread_here(), stub_fd(f));
	const int count = (int)stub_pass(f);
	for (int i = 0; i < count; i++)
		sent(&c, &message[i].msg_hdr);
	message_moved(&c, bytes_of(message, count), RECORD_WRITE);
	return count;
}

stub_handler *stub_transfer(long number)
{
	switch (number) {
	case SYS_preadv2:
		return on_preadv2;
	case SYS_pwritev2:
		return on_pwritev2;
	case SYS_sendfile:
		return on_sendfile;
	case SYS_copy_file_range:
		return on_copy_file_range;
	case SYS_splice:
		return on_splice;
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
		return on_copy_of_memory;
	case SYS_recvmsg:
		return on_recvmsg;
	case SYS_recvmmsg:
		return on_recvmmsg;
	case SYS_sendmsg:
		return on_sendmsg;
	case SYS_sendmmsg:
		return on_sendmmsg;
	default:
		return NULL;
	}
}
