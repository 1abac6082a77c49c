/* SPDX-License-Identifier: BSD-2-Clause */
/* Files: their numbers, and the packets of their opens and closes. */
#include <errno.h>
#include <string.h>

#include "sender_internal.h"

uint32_t iot_sender_file(struct iot_sender *s)
{
	sender_lock(s);
	const uint32_t file = ++s->files;
	(void)sender_unlock(s, IOT_OK);
	return file;
}

struct opened_file {
	const char *path;
	uint64_t flags;
	int created;
};

static int send_open(struct iot_sender *s, const struct packet_entry *e, uint32_t file,
		     const struct opened_file *call)
{
	const size_t capacity = (size_t)PACKET_WORD_SIZE * (PACKET_PAYLOAD_MAX - PACKET_OPEN_WORDS),
		     size = strnlen(call->path, capacity + 1);
	const bool cut = size > capacity;
	unsigned char *payload = sender_payload(s);
	packet_word_put(payload, e->start);
	packet_word_put(payload + PACKET_WORD_SIZE, e->elapsed |
							(call->created ? PACKET_OPEN_CREATED : 0) |
							(cut ? PACKET_OPEN_CUT : 0));
	packet_word_put(payload + 2 * PACKET_WORD_SIZE, call->flags);
	const uint32_t words = sender_write_text(payload + PACKET_WORD_SIZE * PACKET_OPEN_WORDS,
						 call->path, cut ? capacity : size);
	return sender_send(s, PACKET_OPEN, file, PACKET_OPEN_WORDS + words, 0);
}

/* The I/Os of the file are sent first. */
static int send_close(struct iot_sender *s, const struct packet_entry *e, uint32_t file)
{
	(void)sender_drain_all(s);
	struct sender_batch *b = sender_batches_find(&s->batches, file);
	if (b != NULL) {
		(void)sender_send_batch(s, b);
		sender_batches_release(&s->batches, b);
	}
	packet_word_put(sender_payload(s), e->start);
	packet_word_put(sender_payload(s) + PACKET_WORD_SIZE, e->elapsed);
	return sender_send(s, PACKET_CLOSE, file, 2, 0);
}

/* open: NULL if the call closed the file. */
static int end_call(struct iot_sender *s, struct iot_pending_io *io, uint32_t file,
		    const struct opened_file *open)
{
	const int saved_errno = errno;
	int status = IOT_OK;
	if (io->generation == 0)
		return sender_status(s);
	struct packet_entry e;
	sender_set_times(s, &e, io, sender_clock_wall(&s->clock));
	sender_lock(s);
	const bool was_pending = sender_end_alone(s, io);
	if (!sender_is_ready(s))
		status = sender_not_ready(s);
	else if (was_pending)
		status = open != NULL ? send_open(s, &e, file, open) : send_close(s, &e, file);
	errno = saved_errno;
	return sender_unlock(s, status);
}

int iot_sender_opened(struct iot_sender *s, struct iot_pending_io *io, uint32_t file,
		      const char *path, uint64_t flags, int created)
{
	const struct opened_file open = {path, flags, created};
	return end_call(s, io, file, &open);
}

int iot_sender_closed(struct iot_sender *s, struct iot_pending_io *io, uint32_t file)
{
	return end_call(s, io, file, NULL);
}
