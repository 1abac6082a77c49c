/* SPDX-License-Identifier: BSD-2-Clause */
/* The sender handle: settings, opening, and all kinds of packets except those of files. */
#include "sender_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	POOL_DEFAULT = 32,
	POOL_MAX = 65536,
	FLUSH_DEFAULT = 100000,
	NS_PER_S = 1000000000,
};

/* Creation */

static int64_t clock_ns(clockid_t which)
{
	struct timespec t;
	if (clock_gettime(which, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void system_clocks(void *context, int64_t *wall_ns, int64_t *cpu_ns)
{
	(void)context;
	*wall_ns = clock_ns(CLOCK_MONOTONIC);
	*cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void sender_clock(const struct iot_sender *s, int64_t *wall_ns, int64_t *cpu_ns)
{
	s->clock(s->clock_context, wall_ns, cpu_ns);
	*wall_ns = *wall_ns > 0 ? *wall_ns : 0;
	*cpu_ns = *cpu_ns > 0 ? *cpu_ns : 0;
}

struct iot_sender *iot_sender_new(void)
{
	struct iot_sender *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	if (pthread_mutex_init(&s->lock, NULL) != 0) {
		free(s);
		return NULL;
	}
	s->fd = s->fork_pipe[0] = s->fork_pipe[1] = -1;
	s->tick_ps = PACKET_TICK_PS_PER_NS;
	s->pool = POOL_DEFAULT;
	s->flush_every = FLUSH_DEFAULT;
	s->clock = system_clocks;
	s->flights.next = s->flights.previous = &s->flights;
	s->life = 1;
	s->mark_max = UINT64_MAX;
	return s;
}

void iot_sender_free(struct iot_sender *s)
{
	if (s == NULL)
		return;
	if (s->owns_fd)
		close(s->fd);
	sender_batches_free(&s->batches);
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
		s->pool = (uint32_t)value;
		return value >= 1 && value <= POOL_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FLUSH:
		s->flush_every = value;
		return value >= 1 ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FLUSH_NS:
		s->flush_ns = value;
		return IOT_OK;
	case IOT_SEND_TICK_PS:
		s->tick_ps = (uint32_t)value;
		return value >= 1 && value <= UINT32_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_PHYSICAL:
		s->physical = value == 1;
		return value <= 1 ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_DROP:
		s->full = value == 1 ? SENDER_PIPE_DROP : SENDER_PIPE_WAIT;
		return value <= 1 ? IOT_OK : IOT_EUSAGE;
	}
	return IOT_EUSAGE;
}

int iot_sender_set(struct iot_sender *s, enum iot_sender_option option, uint64_t value)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->is_open)
		return IOT_EUSAGE; /* the sender itself remains usable */
	if (set(s, option, value) != IOT_OK)
		return error_set(&s->error, IOT_EUSAGE, "setting %d of a sender: no such value",
				 (int)option);
	return IOT_OK;
}

int iot_sender_on_clock(struct iot_sender *s, iot_clock_fn *fn, void *context, int64_t epoch_ns)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->is_open)
		return IOT_EUSAGE;
	if (fn == NULL || epoch_ns < 0)
		return error_set(&s->error, IOT_EUSAGE, "a sender's clock: no such clock");
	s->clock = fn;
	s->clock_context = context;
	s->epoch_ns = epoch_ns;
	return IOT_OK;
}

/* Packets */

int sender_send(struct iot_sender *s, enum packet_kind kind, uint32_t file, uint32_t words,
		uint32_t entries)
{
	int64_t wall_ns, cpu_ns;
	bool dropped;
	if (s->error.status != IOT_OK)
		return s->error.status;
	sender_clock(s, &wall_ns, &cpu_ns);
	struct packet p = {.kind = kind,
			   .words = words,
			   .process = s->process,
			   .file = file,
			   .sequence = s->sequence++,
			   .tick_ps = s->tick_ps,
			   .entries = entries,
			   .wall = packet_ticks_from_ns((uint64_t)wall_ns, s->tick_ps),
			   .cpu = packet_ticks_from_ns((uint64_t)cpu_ns, s->tick_ps)};
	packet_seal(s->packet, &p);
	/* The start packet is never dropped, because the order of all others depends on it. */
	enum sender_pipe_full full = kind == PACKET_START ? SENDER_PIPE_WAIT : s->full;
	int status = sender_pipe_send(s->fd, s->packet, packet_size(&p), full, &dropped, &s->error);
	s->dropped += dropped;
	return status;
}

int sender_send_batch(struct iot_sender *s, struct sender_batch *b)
{
	uint32_t entries = b->entries, words = b->words;
	if (entries == 0)
		return s->error.status;
	sender_batch_write(b, sender_payload(s));
	return sender_send(s, PACKET_DATA, b->file, words, entries);
}

int sender_send_all(struct iot_sender *s)
{
	for (uint32_t i = 0; i < s->batches.count; i++)
		if (sender_send_batch(s, &s->batches.batch[i]) != IOT_OK)
			break;
	return s->error.status;
}

int sender_send_mark(struct iot_sender *s)
{
	int64_t wall_ns, cpu_ns;
	sender_clock(s, &wall_ns, &cpu_ns);
	s->flushed_ns = wall_ns;
	s->unflushed = 0;
	if (s->flights.next != &s->flights && s->flights.next->start_ns < wall_ns)
		wall_ns = s->flights.next->start_ns;
	uint64_t mark = packet_ticks_from_ns((uint64_t)wall_ns, s->tick_ps);
	packet_word_put(sender_payload(s), mark < s->mark_max ? mark : s->mark_max);
	return sender_send(s, PACKET_MARK, 0, 1, 0);
}

int sender_send_start(struct iot_sender *s)
{
	unsigned char *payload = sender_payload(s);
	size_t words = (s->program_size + PACKET_WORD_SIZE - 1) / PACKET_WORD_SIZE;
	packet_word_put(payload, s->parent);
	packet_word_put(payload + PACKET_WORD_SIZE, (uint64_t)s->epoch_ns);
	payload += PACKET_WORD_SIZE * PACKET_START_WORDS;
	memset(payload, 0, PACKET_WORD_SIZE * words);
	memcpy(payload, s->program, s->program_size);
	return sender_send(s, PACKET_START, 0, (uint32_t)(PACKET_START_WORDS + words), 0);
}

/* Opening */

static int begin(struct iot_sender *s, const char *program)
{
	int64_t cpu_ns;
	s->program_size = strnlen(program, sizeof(s->program));
	memcpy(s->program, program, s->program_size);
	if (!sender_batches_init(&s->batches, s->pool))
		return error_set(&s->error, IOT_ENOMEM, "out of memory for a sender");
	if (!s->process_given)
		s->process = (uint32_t)getpid();
	if (!s->parent_given)
		s->parent = (uint32_t)getppid();
	if (s->clock == system_clocks)
		s->epoch_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	sender_clock(s, &s->flushed_ns, &cpu_ns);
	s->is_open = true;
	return sender_send_start(s);
}

/* Allows opening once, and not after a rejected setting. */
static int may_open(const struct iot_sender *s)
{
	return s->is_open ? IOT_EUSAGE : s->error.status;
}

int iot_sender_open_fd(struct iot_sender *s, int fd, const char *program)
{
	int status = may_open(s);
	if (status != IOT_OK)
		return status;
	s->fd = fd;
	return begin(s, program);
}

int iot_sender_open(struct iot_sender *s, const char *path, const char *program)
{
	char shown[512];
	int fd, status = may_open(s);
	if (status != IOT_OK)
		return status;
	do
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return error_system(&s->error, errno, "%s: cannot be opened",
				    escape_text(shown, sizeof(shown), path, strlen(path)));
	s->owns_fd = true;
	s->fd = fd;
	/* Set after open, because a nonblocking open of a FIFO without a reader would fail. */
	if (s->full == SENDER_PIPE_DROP && fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK) != 0)
		return error_system(&s->error, errno, "a pipe cannot be made O_NONBLOCK");
	return begin(s, program);
}

/* Counters and errors */

uint64_t iot_sender_fact(struct iot_sender *s, enum iot_sender_fact fact)
{
	(void)pthread_mutex_lock(&s->lock);
	uint64_t value = fact == IOT_SENT_PACKETS   ? s->sequence
			 : fact == IOT_SENT_RECORDS ? s->records
			 : fact == IOT_SENT_DROPPED ? s->dropped
						    : 0;
	(void)pthread_mutex_unlock(&s->lock);
	return value;
}

const char *iot_sender_error(struct iot_sender *s)
{
	return s->error.text;
}
