/* SPDX-License-Identifier: BSD-2-Clause */
#include "requests.h"

enum { REQUESTS = 4096, PROBES = 64 };

/* An entry belongs to the request that has set its key. */
static struct {
	_Atomic(const void *) key;
	_Atomic uint64_t end; /* 0: the program does not know of the completion */
	struct data_call c;
	int64_t offset;
	unsigned bits;
} requests[REQUESTS];

static size_t hash(const void *key)
{
	return (size_t)((uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

/* Returns the index of a key; REQUESTS if it is not in the table. */
static size_t find(const void *key)
{
	for (size_t i = 0; i < PROBES; i++) {
		const size_t at = (hash(key) + i) % REQUESTS;
		if (atomic_load(&requests[at].key) == key)
			return at;
	}
	return REQUESTS;
}

/* Returns an entry that now belongs to this key; REQUESTS if none is free. */
static size_t claim(const void *key)
{
	for (size_t i = 0; i < PROBES; i++) {
		const size_t at = (hash(key) + i) % REQUESTS;
		const void *none = NULL;
		if (atomic_compare_exchange_strong(&requests[at].key, &none, key))
			return at;
	}
	return REQUESTS;
}

void request_submit(struct producer *p, const void *key, int fd, int64_t offset, unsigned bits)
{
	const union descriptor d = descriptor_get(p, fd);
	if (d.kind != DESCRIPTOR_FILE)
		return;
	size_t at = find(key); /* of a request whose completion was not seen */
	if (at == REQUESTS)
		at = claim(key);
	if (at == REQUESTS) {
		recording_count(RECORD_COUNTER_AIO_HIDDEN, 1);
		return;
	}
	requests[at].c = (struct data_call){.d = d, .fd = fd, .start = clock_now()};
	requests[at].offset = offset;
	requests[at].bits = bits | RECORD_ASYNC;
	atomic_store(&requests[at].end, 0);
}

void request_cancel(const void *key)
{
	const size_t at = find(key);
	if (at < REQUESTS)
		atomic_store(&requests[at].key, NULL);
}

void request_note_end(const void *key)
{
	uint64_t none = 0;
	const size_t at = find(key);
	if (at < REQUESTS)
		atomic_compare_exchange_strong(&requests[at].end, &none, clock_now());
}

void request_complete(struct producer *p, const void *key, int64_t result)
{
	request_note_end(key);
	const size_t at = find(key);
	if (at == REQUESTS)
		return;
	struct data_call c = requests[at].c;
	const uint64_t end = atomic_load(&requests[at].end);
	const unsigned bits = requests[at].bits;
	int64_t offset = requests[at].offset;
	atomic_store(&requests[at].key, NULL);
	if (result < 0)
		return;
	c.p = p;
	c.ring = p->ring;
	if (c.d.append && (bits & RECORD_WRITE) != 0)
		offset = call_append_offset(&c, result, false);
	call_record(&c, offset, result, end, bits);
	recording_count(RECORD_COUNTER_AIO_LATE, 1);
}
