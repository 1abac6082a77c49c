/* SPDX-License-Identifier: BSD-2-Clause */
#include "storage.h"

#include <errno.h>
#include <stdlib.h>

struct storage *storage_new(const struct iot_storage *from)
{
	struct storage *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->from = *from;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void storage_free(struct storage *s)
{
	if (s == NULL)
		return;
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static ssize_t call(struct storage *s, uint64_t at, void *to, size_t n)
{
	ssize_t got;
	if (!s->from.concurrent)
		pthread_mutex_lock(&s->lock);
	do
		got = s->from.read_at(s->from.context, to, n, at);
	while (got < 0 && errno == EINTR);
	const int errnum = errno;
	if (!s->from.concurrent)
		pthread_mutex_unlock(&s->lock);
	errno = errnum;
	return got;
}

ssize_t storage_read_some(struct storage *s, uint64_t at, void *to, size_t n)
{
	if (at >= s->from.size)
		return 0;
	if (n > s->from.size - at)
		n = (size_t)(s->from.size - at);
	const ssize_t got = n > 0 ? call(s, at, to, n) : 0;
	if (got <= (ssize_t)n)
		return got;
	errno = EOVERFLOW; /* the callback has written beyond the buffer */
	return -1;
}

ssize_t storage_read(struct storage *s, uint64_t at, void *to, size_t n)
{
	size_t done = 0;
	while (done < n) {
		const ssize_t got = storage_read_some(s, at + done, (char *)to + done, n - done);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}
