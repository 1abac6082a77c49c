/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring of pieces between one thread that fills and one that packs them and writes. */
#include "writebehind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PIECES = 16,
	PIECES_LOW = PIECES / 2, /* who waits for room is woken when so many are left */
};

struct piece {
	size_t size;
	enum iot_ending ending;
};

struct iot_writebehind {
	struct iot_packer *packer;
	pthread_t thread;
	bool running; /* the thread is not joined yet */
	int wake[2];  /* a byte in it ends a write that waits */

	pthread_mutex_t mutex;
	pthread_cond_t sent_one; /* or stop */
	pthread_cond_t done_some;
	/* Under the mutex. */
	size_t sent, done; /* pieces so far */
	int status;
	uint64_t stored;
	bool stop;

	struct piece pieces[PIECES];
	char *block;
};

static char *data_of(const struct iot_writebehind *wb, size_t number)
{
	return wb->block + number % PIECES * IOT_WRITEBEHIND_ROOM;
}

/* The thread that writes */

/* False: told to stop. */
static bool wait_for_piece(struct iot_writebehind *wb, struct piece *piece)
{
	bool go_on;

	pthread_mutex_lock(&wb->mutex);
	while (!wb->stop && wb->sent == wb->done)
		pthread_cond_wait(&wb->sent_one, &wb->mutex);
	go_on = !wb->stop;
	*piece = wb->pieces[wb->done % PIECES];
	pthread_mutex_unlock(&wb->mutex);
	return go_on;
}

static void tell_done(struct iot_writebehind *wb, int status)
{
	size_t left;

	pthread_mutex_lock(&wb->mutex);
	left = wb->sent - ++wb->done;
	wb->status = status;
	wb->stored = wb->packer->stored;
	if (left == 0 || left == PIECES_LOW)
		pthread_cond_signal(&wb->done_some);
	pthread_mutex_unlock(&wb->mutex);
}

/* Whether a write may have to wait for whoever reads at the other end. */
static bool may_wait(const struct iot_packer *p)
{
	struct stat st;

	return p->destination == IOT_TO_FD && (fstat(p->fd, &st) != 0 || !S_ISREG(st.st_mode));
}

/* After an error the packer does nothing more, and the pieces that were on their way pass. */
static void *work(void *context)
{
	struct iot_writebehind *wb = context;
	struct iot_packer *p = wb->packer;
	struct piece piece;

	while (wait_for_piece(wb, &piece)) {
		if (wb->done == 0)
			p->can_wake = may_wait(p);
		tell_done(wb, iot_packer_put(p, data_of(wb, wb->done), piece.size, piece.ending));
	}
	return NULL;
}

/* The thread that fills */

static bool make_thread(struct iot_writebehind *wb)
{
	sigset_t all, before;
	int rc;

	/* Signals are for the program's own threads. */
	sigfillset(&all);
	if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0)
		return false;
	rc = pthread_create(&wb->thread, NULL, work, wb);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	wb->running = rc == 0;
	return wb->running;
}

struct iot_writebehind *iot_writebehind_new(struct iot_packer *p)
{
	struct iot_writebehind *wb = calloc(1, sizeof(*wb));

	if (!wb)
		return NULL;
	wb->packer = p;
	wb->wake[0] = wb->wake[1] = -1;
	pthread_mutex_init(&wb->mutex, NULL);
	pthread_cond_init(&wb->sent_one, NULL);
	pthread_cond_init(&wb->done_some, NULL);
	wb->block = malloc((size_t)PIECES * IOT_WRITEBEHIND_ROOM);
	if (!wb->block || pipe2(wb->wake, O_CLOEXEC | O_NONBLOCK) != 0 || !make_thread(wb)) {
		iot_writebehind_free(wb);
		return NULL;
	}
	p->wake_fd = wb->wake[0];
	return wb;
}

static void stop(struct iot_writebehind *wb)
{
	pthread_mutex_lock(&wb->mutex);
	wb->stop = true;
	pthread_cond_signal(&wb->sent_one);
	pthread_mutex_unlock(&wb->mutex);
	if (!wb->running)
		return;
	/* The pipe is empty: one byte always has room. */
	while (write(wb->wake[1], "", 1) < 0 && errno == EINTR)
		;
	pthread_join(wb->thread, NULL);
	wb->packer->can_wake = false;
}

void iot_writebehind_free(struct iot_writebehind *wb)
{
	if (!wb)
		return;
	stop(wb);
	for (int i = 0; i < 2; i++)
		if (wb->wake[i] >= 0)
			close(wb->wake[i]);
	pthread_cond_destroy(&wb->sent_one);
	pthread_cond_destroy(&wb->done_some);
	pthread_mutex_destroy(&wb->mutex);
	free(wb->block);
	free(wb);
}

/* Not woken for every piece that becomes free, but when there is something to do for a while. */
char *iot_writebehind_room(struct iot_writebehind *wb)
{
	char *data;

	pthread_mutex_lock(&wb->mutex);
	if (wb->sent - wb->done == PIECES)
		while (wb->sent - wb->done > PIECES_LOW)
			pthread_cond_wait(&wb->done_some, &wb->mutex);
	data = data_of(wb, wb->sent);
	pthread_mutex_unlock(&wb->mutex);
	return data;
}

int iot_writebehind_send(struct iot_writebehind *wb, size_t size, enum iot_ending ending)
{
	int status;

	pthread_mutex_lock(&wb->mutex);
	wb->pieces[wb->sent % PIECES] = (struct piece){size, ending};
	wb->sent++;
	status = wb->status;
	pthread_cond_signal(&wb->sent_one);
	pthread_mutex_unlock(&wb->mutex);
	return status;
}

int iot_writebehind_wait(struct iot_writebehind *wb)
{
	int status;

	pthread_mutex_lock(&wb->mutex);
	while (wb->done < wb->sent)
		pthread_cond_wait(&wb->done_some, &wb->mutex);
	status = wb->status;
	pthread_mutex_unlock(&wb->mutex);
	return status;
}

uint64_t iot_writebehind_stored(struct iot_writebehind *wb)
{
	uint64_t stored;

	pthread_mutex_lock(&wb->mutex);
	stored = wb->stored;
	pthread_mutex_unlock(&wb->mutex);
	return stored;
}
