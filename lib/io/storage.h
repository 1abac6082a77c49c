/* SPDX-License-Identifier: BSD-2-Clause */
/* Input that the caller reads for us, at any byte. */
#ifndef LIB_IO_STORAGE_H
#define LIB_IO_STORAGE_H

#include <pthread.h>

#include <iotrace/iotrace.h>

struct storage {
	struct iot_storage from;
	pthread_mutex_t lock; /* held during calls, unless they may be concurrent */
};

/* Copies `from`. Returns NULL if out of memory. */
struct storage *storage_new(const struct iot_storage *from);
void storage_free(struct storage *s);

/* Reads 1 to n bytes at `at`; returns 0 at the end, or -1 with errno set. */
ssize_t storage_read_some(struct storage *s, uint64_t at, void *to, size_t n);
/* Reads n bytes, fewer only at the end. Returns -1 with errno set on failure. */
ssize_t storage_read(struct storage *s, uint64_t at, void *to, size_t n);

#endif
