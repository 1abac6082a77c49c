/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that decompresses a region ahead, into a ring of buffers, while the main thread makes
 * records of it. While it runs, it owns the input side of the region (bufreader, decompressor).
 * Closing or ending the region joins it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "lib/base/thread.h"

#include "darshan.h"

enum { PIECES = 4, PIECE_SIZE = 256 << 10, STORED_MIN = 1 << 20 };

struct darshan_thread {
	struct darshan_region packed; /* owned by the thread */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Protected by the mutex: number of buffers filled and emptied so far. */
	size_t made, taken;
	bool finished, stop;
	size_t size[PIECES], used; /* used: bytes of the current buffer that were read */
	unsigned char *data;
};

/* The decompressing thread */

/* Returns NULL if the thread has to stop. */
static unsigned char *wait_for_space(struct darshan_thread *t)
{
	pthread_mutex_lock(&t->mutex);
	while (!t->stop && t->made - t->taken == PIECES)
		pthread_cond_wait(&t->changed, &t->mutex);
	unsigned char *piece = t->stop ? NULL : t->data + t->made % PIECES * (size_t)PIECE_SIZE;
	pthread_mutex_unlock(&t->mutex);
	return piece;
}

static void *work(void *context)
{
	struct darshan_thread *t = context;
	unsigned char *piece;
	while (!t->packed.ended && (piece = wait_for_space(t)) != NULL) {
		size_t n = 0;
		while (n < PIECE_SIZE && !t->packed.ended)
			n += darshan_decompress(&t->packed, piece + n, PIECE_SIZE - n);
		pthread_mutex_lock(&t->mutex);
		t->size[t->made % PIECES] = n;
		t->made++;
		t->finished = t->packed.ended;
		pthread_cond_broadcast(&t->changed);
		pthread_mutex_unlock(&t->mutex);
	}
	return NULL;
}

/* The reading thread */

static bool pays(const struct darshan_region *r)
{
	return r->how != DARSHAN_UNPACKED && r->left >= STORED_MIN && cpu_count() > 1;
}

void darshan_thread_begin(struct darshan_region *r)
{
	if (!pays(r))
		return;
	struct darshan_thread *t = calloc(1, sizeof *t);
	unsigned char *data = t != NULL ? malloc(PIECES * (size_t)PIECE_SIZE) : NULL;
	if (data == NULL) {
		free(t);
		return;
	}
	t->data = data;
	t->packed = *r; /* nothing has been decompressed yet, so no stream is open */
	pthread_mutex_init(&t->mutex, NULL);
	pthread_cond_init(&t->changed, NULL);
	r->thread = t;
	if (thread_start(&t->thread, work, t))
		return;
	r->thread = NULL;
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->mutex);
	free(data);
	free(t);
}

void darshan_thread_end(struct darshan_region *r)
{
	struct darshan_thread *t = r->thread;
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->mutex);
	t->stop = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->mutex);
	pthread_join(t->thread, NULL);
	darshan_region_close(&t->packed);
	r->left = t->packed.left;
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->mutex);
	free(t->data);
	free(t);
	r->thread = NULL;
}

/* Waits for the next filled buffer, whose size may be 0. Returns NULL if no more follow. */
static const unsigned char *wait_for_piece(struct darshan_thread *t, size_t *size)
{
	pthread_mutex_lock(&t->mutex);
	while (t->made == t->taken && !t->finished)
		pthread_cond_wait(&t->changed, &t->mutex);
	const bool there = t->made != t->taken;
	const size_t at = t->taken % PIECES;
	*size = there ? t->size[at] : 0;
	pthread_mutex_unlock(&t->mutex);
	return there ? t->data + at * (size_t)PIECE_SIZE : NULL;
}

static void release(struct darshan_thread *t)
{
	t->used = 0;
	pthread_mutex_lock(&t->mutex);
	t->taken++;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->mutex);
}

size_t darshan_thread_take(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	struct darshan_thread *t = r->thread;
	size_t size;
	const unsigned char *piece = wait_for_piece(t, &size);
	/* the thread has finished: its results can be read without the mutex */
	if (piece == NULL) {
		r->ended = true;
		r->status = t->packed.status;
		r->why = t->packed.why;
		return 0;
	}
	size_t n = size - t->used;
	if (n > capacity)
		n = capacity;
	memcpy(out, piece + t->used, n);
	t->used += n;
	if (t->used == size)
		release(t);
	return n;
}
