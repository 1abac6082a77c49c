/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends the packets of I/Os, and the packets that begin a process or state a watermark. */
#include <errno.h>
#include <string.h>

#include "sender_internal.h"

unsigned char *sender_payload(struct iot_sender *s)
{
	return s->packet + PACKET_WORD_SIZE * PACKET_HEADER;
}

uint32_t sender_write_text(unsigned char *to, const char *text, size_t size)
{
	const size_t words = (size + PACKET_WORD_SIZE - 1) / PACKET_WORD_SIZE;
	memset(to, 0, PACKET_WORD_SIZE * words);
	memcpy(to, text, size);
	return (uint32_t)words;
}

int sender_send(struct iot_sender *s, enum packet_kind kind, uint32_t file, uint32_t words,
		uint32_t entries)
{
	int64_t wall_ns, cpu_ns;
	if (s->error.status != IOT_OK)
		return s->error.status;
	/* A data packet has the CPU time of its I/Os, which may be sampled. */
	if (kind == PACKET_DATA)
		sender_clock_start(&s->clock, &wall_ns, &cpu_ns);
	else
		sender_clock_read(&s->clock, &wall_ns, &cpu_ns);
	const struct packet p = {.kind = kind,
				 .words = words,
				 .process = s->process,
				 .file = file,
				 .sequence = s->sequence++,
				 .tick_ps = s->tick_ps,
				 .entries = entries,
				 .wall = sender_ticks(s, wall_ns),
				 .cpu = sender_ticks(s, cpu_ns)};
	packet_seal(s->packet, &p);
	/* The start packet is never dropped, because the order of all others depends on it. */
	const enum full_pipe full = kind == PACKET_START ? PIPE_WAIT : s->full;
	const int errnum = sender_pipe_write(s->fd, s->packet, packet_size(&p), full);
	s->dropped += errnum == EAGAIN;
	if (errnum == 0 || errnum == EAGAIN)
		return IOT_OK;
	return error_system(&s->error, errnum, "packets cannot be sent");
}

int sender_send_batch(struct iot_sender *s, struct sender_batch *b)
{
	const uint32_t entries = b->entries, words = b->words;
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

int sender_send_watermark(struct iot_sender *s, int64_t wall_ns)
{
	const uint64_t watermark = sender_ticks(s, wall_ns);
	packet_word_put(sender_payload(s),
			watermark < s->watermark_max ? watermark : s->watermark_max);
	return sender_send(s, PACKET_WATERMARK, 0, 1, 0);
}

int sender_send_start(struct iot_sender *s)
{
	unsigned char *payload = sender_payload(s);
	packet_word_put(payload, s->parent);
	packet_word_put(payload + PACKET_WORD_SIZE, (uint64_t)s->clock.epoch_ns);
	const uint32_t words = sender_write_text(payload + PACKET_WORD_SIZE * PACKET_START_WORDS,
						 s->program, s->program_size);
	return sender_send(s, PACKET_START, 0, PACKET_START_WORDS + words, 0);
}
