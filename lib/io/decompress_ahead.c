/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of buffers between a producer thread and a consumer. A buffer is passed on when it is
 * full, and before a read that may block.
 */
#include "decompress_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/thread.h"

enum {
	PIECES = 8,           /* minimum number of buffers */
	PIECE_SIZE = 1 << 16, /* small enough that buffers stay in the cache */
};

struct decompress_ahead {
	struct decompressor *unpacker;
	pthread_t thread;
	bool running; /* the thread has not been joined */
	int wake[2];  /* a byte in this pipe ends a blocked read */

	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Protected by the mutex: buffers produced, consumed and released so far. */
	size_t made, taken, released;
	bool finished, stop;

	char *block;
	size_t count;
	struct ahead_buffer pieces[];
};

bool decompress_ahead_pays(void)
{
	return cpu_count() > 1;
}

/* The producer */

/* Returns NULL if asked to stop. */
static struct ahead_buffer *wait_for_space(struct decompress_ahead *ra)
{
	struct ahead_buffer *piece = NULL;

	pthread_mutex_lock(&ra->mutex);
	while (!ra->stop && ra->made - ra->released == ra->count)
		pthread_cond_wait(&ra->changed, &ra->mutex);
	if (!ra->stop)
		piece = &ra->pieces[ra->made % ra->count];
	pthread_mutex_unlock(&ra->mutex);
	return piece;
}

static bool at_end(const struct decompressor *u)
{
	return u->ended || u->error->status != IOT_OK;
}

static void fill(struct decompressor *u, struct ahead_buffer *piece)
{
	size_t size = 0;

	do
		size += decompress_read(u, piece->data + size, PIECE_SIZE - size);
	while (size < PIECE_SIZE && !at_end(u) && (size == 0 || !decompress_hungry(u)));
	piece->size = size;
	piece->stored = u->in->stored;
}

/* Returns false if asked to stop. */
static bool hand_over(struct decompress_ahead *ra, const struct ahead_buffer *piece, bool last)
{
	bool stop;

	pthread_mutex_lock(&ra->mutex);
	ra->made += piece->size > 0;
	ra->finished = last;
	stop = ra->stop;
	pthread_cond_broadcast(&ra->changed);
	pthread_mutex_unlock(&ra->mutex);
	return !stop;
}

static void *work(void *context)
{
	struct decompress_ahead *ra = context;
	struct ahead_buffer *piece;
	bool last = false;

	while (!last && (piece = wait_for_space(ra))) {
		fill(ra->unpacker, piece);
		last = at_end(ra->unpacker);
		if (!hand_over(ra, piece, last))
			break;
	}
	return NULL;
}

/* The consumer */

static bool make_thread(struct decompress_ahead *ra)
{
	ra->running = thread_start(&ra->thread, work, ra);
	return ra->running;
}

struct decompress_ahead *decompress_ahead_new(struct decompressor *u, size_t size)
{
	const size_t count = size / PIECE_SIZE < PIECES ? PIECES : size / PIECE_SIZE;
	struct decompress_ahead *ra = calloc(1, sizeof(*ra) + count * sizeof(ra->pieces[0]));

	if (!ra)
		return NULL;
	ra->count = count;
	ra->unpacker = u;
	ra->wake[0] = ra->wake[1] = -1;
	pthread_mutex_init(&ra->mutex, NULL);
	pthread_cond_init(&ra->changed, NULL);
	ra->block = malloc(count * (DECOMPRESS_AHEAD_HEADROOM + PIECE_SIZE));
	for (size_t i = 0; ra->block && i < count; i++)
		ra->pieces[i].data = ra->block + i * (DECOMPRESS_AHEAD_HEADROOM + PIECE_SIZE) +
				     DECOMPRESS_AHEAD_HEADROOM;
	if (!ra->block || pipe2(ra->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
		decompress_ahead_free(ra);
		return NULL;
	}
	u->in->wake_fd = ra->wake[0];
	u->in->can_wake = true;
	if (!make_thread(ra)) {
		decompress_ahead_free(ra);
		return NULL;
	}
	return ra;
}

static void join(struct decompress_ahead *ra)
{
	if (ra->running)
		pthread_join(ra->thread, NULL);
	ra->running = false;
	ra->unpacker->in->can_wake = false;
}

static void stop(struct decompress_ahead *ra)
{
	pthread_mutex_lock(&ra->mutex);
	ra->stop = true;
	pthread_cond_broadcast(&ra->changed);
	pthread_mutex_unlock(&ra->mutex);
	/* The pipe is empty, so one byte always fits. */
	if (ra->running)
		while (write(ra->wake[1], "", 1) < 0 && errno == EINTR)
			;
	join(ra);
}

void decompress_ahead_free(struct decompress_ahead *ra)
{
	if (!ra)
		return;
	stop(ra);
	for (int i = 0; i < 2; i++)
		if (ra->wake[i] >= 0)
			close(ra->wake[i]);
	pthread_cond_destroy(&ra->changed);
	pthread_mutex_destroy(&ra->mutex);
	free(ra->block);
	free(ra);
}

bool decompress_ahead_next(struct decompress_ahead *ra, struct ahead_buffer *piece)
{
	bool got;

	pthread_mutex_lock(&ra->mutex);
	while (ra->taken == ra->made && !ra->finished)
		pthread_cond_wait(&ra->changed, &ra->mutex);
	got = ra->taken < ra->made;
	if (got)
		*piece = ra->pieces[ra->taken++ % ra->count];
	pthread_mutex_unlock(&ra->mutex);
	if (!got)
		join(ra);
	return got;
}

void decompress_ahead_release(struct decompress_ahead *ra)
{
	pthread_mutex_lock(&ra->mutex);
	ra->released++;
	pthread_cond_broadcast(&ra->changed);
	pthread_mutex_unlock(&ra->mutex);
}
