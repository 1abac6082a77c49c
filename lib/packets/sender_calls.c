/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of a traced program for its I/Os: each takes the lock, and sends packets that are due. */
#include "sender_internal.h"

#include <errno.h>
#include <string.h>

enum { TYPE_COMMENT = 0xff };

static void lock(struct iot_sender *s)
{
	(void)pthread_mutex_lock(&s->lock);
}

static int unlock(struct iot_sender *s, int status)
{
	(void)pthread_mutex_unlock(&s->lock);
	return status;
}

static int not_ready(struct iot_sender *s)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	return IOT_EUSAGE; /* not open, or after exit */
}

/* Flights */

int iot_sender_begin(struct iot_sender *s, struct iot_flight *f)
{
	int caller = errno;
	lock(s);
	f->life = 0;
	if (!sender_ready(s))
		return unlock(s, not_ready(s));
	sender_clock(s, &f->start_ns, &f->cpu_ns);
	f->life = s->life;
	f->next = &s->flights;
	f->previous = s->flights.previous;
	f->previous->next = f;
	s->flights.previous = f;
	errno = caller;
	return unlock(s, IOT_OK);
}

/* Ends a flight. Returns false if it is not active or belongs to the parent process. */
static bool land(struct iot_sender *s, struct iot_flight *f)
{
	bool flew = f->life == s->life;
	f->life = 0;
	if (!flew)
		return false;
	f->next->previous = f->previous;
	f->previous->next = f->next;
	return true;
}

/* Returns an entry with start, CPU clock and elapsed time, in ticks. */
static struct packet_entry timed(const struct iot_sender *s, const struct iot_flight *f)
{
	int64_t now_ns, cpu_ns;
	sender_clock(s, &now_ns, &cpu_ns);
	struct packet_entry e = {.start = packet_ticks_from_ns((uint64_t)f->start_ns, s->tick_ps),
				 .cpu = packet_ticks_from_ns((uint64_t)f->cpu_ns, s->tick_ps)};
	uint64_t end = packet_ticks_from_ns((uint64_t)now_ns, s->tick_ps);
	e.elapsed = end > e.start ? end - e.start : 0;
	if (e.elapsed > PACKET_ELAPSED_MAX)
		e.elapsed = PACKET_ELAPSED_MAX;
	return e;
}

/* I/Os */

static bool fill_entry(struct packet_entry *e, const struct iot_record *rec)
{
	uint64_t unit = (rec->type & IOT_LOGICAL) != 0 ? 1 : PACKET_PHYSICAL_UNIT;
	e->type = rec->type;
	return rec->type != TYPE_COMMENT &&
	       !__builtin_mul_overflow(rec->offset, unit, &e->offset) &&
	       !__builtin_mul_overflow(rec->length, unit, &e->length);
}

static int refuse_physical(struct iot_sender *s)
{
	return error_refuse(&s->error,
			    "the type of a record lacks IOT_LOGICAL, so it would be an I/O of a "
			    "disk, in blocks of 512 bytes (IOT_SEND_PHYSICAL)");
}

static int gather(struct iot_sender *s, uint32_t file, const struct packet_entry *e)
{
	struct sender_batch *b = sender_batches_find(&s->batches, file);
	if (b == NULL)
		b = sender_batches_take(&s->batches, file);
	if (b == NULL) {
		b = sender_batches_oldest(&s->batches);
		(void)sender_send_batch(s, b);
		sender_batches_release(&s->batches, b);
		b = sender_batches_take(&s->batches, file);
	}
	if (!sender_batch_add(b, e)) {
		(void)sender_send_batch(s, b);
		(void)sender_batch_add(b, e);
	}
	s->records++;
	s->unflushed++;
	return s->error.status;
}

static bool is_due(const struct iot_sender *s, const struct packet_entry *e)
{
	if (s->unflushed >= s->flush_every)
		return true;
	if (s->flush_ns == 0)
		return false;
	int64_t ended_ns = packet_ticks_to_ns(e->start + e->elapsed, s->tick_ps);
	return ended_ns > s->flushed_ns && (uint64_t)(ended_ns - s->flushed_ns) >= s->flush_ns;
}

static int flush(struct iot_sender *s)
{
	return sender_send_all(s) == IOT_OK ? sender_send_mark(s) : s->error.status;
}

int iot_sender_end(struct iot_sender *s, struct iot_flight *f, const struct iot_record *rec)
{
	int caller = errno, status = IOT_OK;
	lock(s);
	bool flew = land(s, f);
	if (!sender_ready(s))
		return unlock(s, not_ready(s));
	if (rec != NULL && !(rec->type & IOT_LOGICAL) && !s->physical) {
		status = refuse_physical(s);
	} else if (flew && rec != NULL) {
		struct packet_entry e = timed(s, f);
		status = fill_entry(&e, rec) ? gather(s, rec->file, &e) : IOT_EUSAGE;
		if (status == IOT_OK && is_due(s, &e))
			status = flush(s);
	}
	errno = caller;
	return unlock(s, status);
}

int iot_sender_flush(struct iot_sender *s)
{
	lock(s);
	if (!sender_ready(s))
		return unlock(s, not_ready(s));
	return unlock(s, flush(s));
}

int iot_sender_exit(struct iot_sender *s, int status)
{
	lock(s);
	if (!sender_ready(s))
		return unlock(s, not_ready(s));
	if (sender_send_all(s) == IOT_OK) {
		packet_word_put(sender_payload(s), (uint64_t)status);
		(void)sender_send(s, PACKET_EXIT, 0, 1, 0);
	}
	s->ended = true;
	return unlock(s, s->error.status);
}

/* Files */

uint32_t iot_sender_file(struct iot_sender *s)
{
	lock(s);
	uint32_t file = ++s->files;
	(void)unlock(s, IOT_OK);
	return file;
}

/* Writes the path, truncated to the capacity of a packet; returns its size in words. */
static uint32_t put_path(unsigned char *to, const char *path, bool *cut)
{
	size_t capacity = (size_t)PACKET_WORD_SIZE * (PACKET_PAYLOAD_MAX - PACKET_OPEN_WORDS),
	       size = strnlen(path, capacity + 1);
	*cut = size > capacity;
	size = size < capacity ? size : capacity;
	size_t words = (size + PACKET_WORD_SIZE - 1) / PACKET_WORD_SIZE;
	memset(to, 0, PACKET_WORD_SIZE * words);
	memcpy(to, path, size);
	return (uint32_t)words;
}

int iot_sender_opened(struct iot_sender *s, struct iot_flight *f, uint32_t file, const char *path,
		      uint64_t flags, int created)
{
	int caller = errno, status = IOT_OK;
	lock(s);
	bool flew = land(s, f), cut;
	if (!sender_ready(s))
		return unlock(s, not_ready(s));
	if (flew) {
		unsigned char *payload = sender_payload(s);
		struct packet_entry e = timed(s, f);
		uint32_t words =
		    put_path(payload + PACKET_WORD_SIZE * PACKET_OPEN_WORDS, path, &cut);
		packet_word_put(payload, e.start);
		packet_word_put(payload + PACKET_WORD_SIZE,
				e.elapsed | (created ? PACKET_OPEN_CREATED : 0) |
				    (cut ? PACKET_OPEN_CUT : 0));
		packet_word_put(payload + 2 * PACKET_WORD_SIZE, flags);
		status = sender_send(s, PACKET_OPEN, file, PACKET_OPEN_WORDS + words, 0);
	}
	errno = caller;
	return unlock(s, status);
}

int iot_sender_closed(struct iot_sender *s, struct iot_flight *f, uint32_t file)
{
	int caller = errno, status = IOT_OK;
	lock(s);
	bool flew = land(s, f);
	if (!sender_ready(s))
		return unlock(s, not_ready(s));
	struct sender_batch *b = sender_batches_find(&s->batches, file);
	if (flew && b != NULL) {
		(void)sender_send_batch(s, b);
		sender_batches_release(&s->batches, b);
	}
	if (flew) {
		struct packet_entry e = timed(s, f);
		packet_word_put(sender_payload(s), e.start);
		packet_word_put(sender_payload(s) + PACKET_WORD_SIZE, e.elapsed);
		status = sender_send(s, PACKET_CLOSE, file, 2, 0);
	}
	errno = caller;
	return unlock(s, status);
}
