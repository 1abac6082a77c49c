/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of sockets: bytes are counted, but not by the kernel, which counts read and write alone.
 */
#ifndef RECORD_MESSAGE_H
#define RECORD_MESSAGE_H

#include "call.h"

static inline int64_t message_moved(const struct data_call *c, int64_t result, unsigned bits)
{
	if (result > 0 && c->d.kind != DESCRIPTOR_UNKNOWN)
		call_uncounted(result, bits);
	return call_moved(c, result, bits);
}

/* Forgets what the numbers of received descriptors referred to. */
static inline void received(const struct msghdr *m)
{
	for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h != NULL;
	     h = CMSG_NXTHDR((struct msghdr *)m, h)) {
		const int *fd = (const int *)(const void *)CMSG_DATA(h);
		const size_t count = (h->cmsg_len - CMSG_LEN(0)) / sizeof *fd;
		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++)
			descriptor_reset(fd[i]);
		recording_count(RECORD_COUNTER_PASSED, count);
	}
}

/* Returns the bytes of `count` messages; -1 if the call failed. */
static inline int64_t bytes_of(const struct mmsghdr *message, int count)
{
	int64_t n = count < 0 ? -1 : 0;
	for (int i = 0; i < count; i++)
		n += message[i].msg_len;
	return n;
}

/* The message may contain descriptors, whose descriptions other processes will look for. */
static inline void sent(const struct data_call *c, const struct msghdr *m)
{
	if (c->p != NULL && m->msg_controllen > 0)
		descriptors_share(false);
}

#endif
