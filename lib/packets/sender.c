/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender: settings, opening, counters. The calls of a traced program for its I/Os are in
 * sender_io.c, those for files in sender_files.c, and those around fork in sender_fork.c. An I/O
 * stays in its thread's lane; the thread that fills a lane takes the sender's lock, moves the I/Os
 * to the batches of their files, and sends the packets that are due. Order of locks: sender, lane,
 * clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sender_internal.h"

enum {
	FILES_DEFAULT = 32,
	FILES_MAX = 65536,
	FLUSH_DEFAULT = 100000,
};

/* Creation */

static bool init_locks(struct iot_sender *s)
{
	if (pthread_mutex_init(&s->lock, NULL) != 0)
		return false;
	if (sender_clock_init(&s->clock))
		return true;
	(void)pthread_mutex_destroy(&s->lock);
	return false;
}

struct iot_sender *iot_sender_new(void)
{
	struct iot_sender *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	if (!init_locks(s)) {
		free(s);
		return NULL;
	}
	s->fd = s->fork.pipe[0] = s->fork.pipe[1] = -1;
	s->tick_ps = PACKET_TICK_PS_PER_NS;
	s->files_max = FILES_DEFAULT;
	s->flush.every = FLUSH_DEFAULT;
	s->generation = 1;
	s->watermark_max = UINT64_MAX;
	return s;
}

void iot_sender_free(struct iot_sender *s)
{
	if (s == NULL)
		return;
	if (s->owns_fd)
		close(s->fd);
	if (s->lanes != NULL)
		sender_lanes_free(s->lanes);
	free(s->lanes);
	sender_batches_free(&s->batches);
	sender_clock_free(&s->clock);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Settings */

static int set(struct iot_sender *s, enum iot_sender_option option, uint64_t value)
{
	switch (option) {
	case IOT_SEND_PROCESS:
		s->process = (uint32_t)value;
		s->process_given = true;
		return value <= UINT32_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_PARENT:
		s->parent = (uint32_t)value;
		s->parent_given = true;
		return value <= UINT32_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FILES:
		s->files_max = (uint32_t)value;
		return value >= 1 && value <= FILES_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FLUSH:
		s->flush.every = value;
		return value >= 1 ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FLUSH_NS:
		s->flush.every_ns = value;
		return IOT_OK;
	case IOT_SEND_TICK_PS:
		s->tick_ps = (uint32_t)value;
		return value >= 1 && value <= UINT32_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_PHYSICAL:
		s->physical = value == 1;
		return value <= 1 ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_CPU_NS:
		s->clock.cpu_every_ns = value;
		return IOT_OK;
	case IOT_SEND_DROP:
		s->full = value == 1 ? PIPE_DROP : PIPE_WAIT;
		return value <= 1 ? IOT_OK : IOT_EUSAGE;
	}
	return IOT_EUSAGE;
}

/* Settings and opening are allowed once, before open, and not after a rejected setting. */
static int may_open(const struct iot_sender *s)
{
	return s->error.status == IOT_OK && s->is_open ? IOT_EUSAGE : s->error.status;
}

int iot_sender_set(struct iot_sender *s, enum iot_sender_option option, uint64_t value)
{
	const int status = may_open(s);
	if (status == IOT_OK && set(s, option, value) != IOT_OK)
		return error_set(&s->error, IOT_EUSAGE, "setting %d of a sender: no such value",
				 (int)option);
	return status;
}

int iot_sender_on_clock(struct iot_sender *s, iot_clock_fn *fn, void *context, int64_t epoch_ns)
{
	const int status = may_open(s);
	if (status != IOT_OK)
		return status;
	if (fn == NULL || epoch_ns < 0)
		return error_set(&s->error, IOT_EUSAGE, "a sender's clock: no such clock");
	s->clock.read = fn;
	s->clock.context = context;
	s->clock.epoch_ns = epoch_ns;
	return IOT_OK;
}

/* Opening */

static bool allocate(struct iot_sender *s)
{
	if (!sender_batches_init(&s->batches, s->files_max))
		return false;
	s->lanes = calloc(LANES, sizeof(*s->lanes));
	if (s->lanes != NULL && sender_lanes_init(s->lanes, sender_lane_limit(&s->flush)))
		return true;
	free(s->lanes);
	s->lanes = NULL;
	return false;
}

static int begin(struct iot_sender *s, const char *program)
{
	s->program_size = strnlen(program, sizeof(s->program));
	memcpy(s->program, program, s->program_size);
	if (!allocate(s))
		return error_set(&s->error, IOT_ENOMEM, "out of memory for a sender");
	if (!s->process_given)
		s->process = (uint32_t)getpid();
	if (!s->parent_given)
		s->parent = (uint32_t)getppid();
	sender_clock_open(&s->clock);
	s->flush.flushed_ns = sender_clock_wall(&s->clock);
	s->is_open = true;
	(void)sender_send_start(s);
	s->ready = sender_is_ready(s);
	return s->error.status;
}

int iot_sender_open_fd(struct iot_sender *s, int fd, const char *program)
{
	const int status = may_open(s);
	if (status != IOT_OK)
		return status;
	s->fd = fd;
	return begin(s, program);
}

int iot_sender_open(struct iot_sender *s, const char *path, const char *program)
{
	char name[512];
	int fd;
	const int status = may_open(s);
	if (status != IOT_OK)
		return status;
	do
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return error_system(&s->error, errno, "%s: cannot be opened",
				    escape_text(name, sizeof(name), path, strlen(path)));
	s->owns_fd = true;
	s->fd = fd;
	/* Set after open, because a nonblocking open of a FIFO without a reader would fail. */
	if (s->full == PIPE_DROP && fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK) != 0)
		return error_system(&s->error, errno, "a pipe cannot be made O_NONBLOCK");
	return begin(s, program);
}

/* Counters and errors */

static uint64_t records_of(struct iot_sender *s)
{
	uint64_t n = s->records;
	for (uint32_t i = 0; s->lanes != NULL && i < LANES; i++) {
		sender_lane_lock(&s->lanes[i]);
		n += s->lanes[i].count;
		sender_lane_unlock(&s->lanes[i]);
	}
	return n;
}

uint64_t iot_sender_fact(struct iot_sender *s, enum iot_sender_fact fact)
{
	sender_lock(s);
	const uint64_t value = fact == IOT_SENT_PACKETS   ? s->sequence
			       : fact == IOT_SENT_RECORDS ? records_of(s)
			       : fact == IOT_SENT_DROPPED ? s->dropped
							  : 0;
	(void)sender_unlock(s, IOT_OK);
	return value;
}

const char *iot_sender_error(struct iot_sender *s)
{
	return s->error.text;
}
