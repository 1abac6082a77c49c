/* SPDX-License-Identifier: BSD-2-Clause */
/* I/Os: they begin and end in the lane of their thread, and a flush sends them. */
#include <errno.h>

#include "sender_internal.h"

enum { TYPE_COMMENT = 0xff };

uint32_t sender_lane_limit(const struct flush_policy *f)
{
	const uint64_t left = f->every > f->unflushed ? f->every - f->unflushed : 1;
	return left < LANE_ENTRIES ? (uint32_t)left : LANE_ENTRIES;
}

/* Pending I/Os: the low bits of an I/O's generation are the index of its lane. */

static struct sender_lane *lane_of(const struct iot_sender *s, const struct iot_pending_io *io)
{
	return &s->lanes[io->generation % LANES];
}

int iot_sender_begin(struct iot_sender *s, struct iot_pending_io *io)
{
	io->generation = 0;
	if (!s->ready)
		return sender_status(s);
	const uint32_t index = sender_lane_index();
	struct sender_lane *lane = &s->lanes[index];
	sender_lane_lock(lane);
	sender_clock_start(&s->clock, &io->start_ns, &io->cpu_ns);
	io->generation = s->generation * LANES + index;
	sender_lane_begin(lane, io);
	sender_lane_unlock(lane);
	return IOT_OK;
}

/*
 * Requires the lane's lock. Returns false if the I/O was not pending, or belongs to the parent
 * process.
 */
static bool end_pending(const struct iot_sender *s, struct iot_pending_io *io)
{
	const bool was_pending = io->generation / LANES == s->generation;
	io->generation = 0;
	if (was_pending)
		sender_lane_end(io);
	return was_pending;
}

bool sender_end_alone(const struct iot_sender *s, struct iot_pending_io *io)
{
	struct sender_lane *lane = lane_of(s, io);
	sender_lane_lock(lane);
	const bool was_pending = end_pending(s, io);
	sender_lane_unlock(lane);
	return was_pending;
}

void sender_set_times(const struct iot_sender *s, struct packet_entry *e,
		      const struct iot_pending_io *io, int64_t end_ns)
{
	const uint64_t end = sender_ticks(s, end_ns);
	e->start = sender_ticks(s, io->start_ns);
	e->cpu = sender_ticks(s, io->cpu_ns);
	e->elapsed = end > e->start ? end - e->start : 0;
	if (e->elapsed > PACKET_ELAPSED_MAX)
		e->elapsed = PACKET_ELAPSED_MAX;
}

/* Flushing: the I/Os of lanes go to the batches of their files, and full batches are sent. */

static void add_to_batch(struct iot_sender *s, const struct lane_entry *e)
{
	struct sender_batch *b = sender_batches_find(&s->batches, e->file);
	if (b == NULL)
		b = sender_batches_take(&s->batches, e->file);
	if (b == NULL) {
		b = sender_batches_oldest(&s->batches);
		(void)sender_send_batch(s, b);
		sender_batches_release(&s->batches, b);
		b = sender_batches_take(&s->batches, e->file);
	}
	if (!sender_batch_add(b, &e->io)) {
		(void)sender_send_batch(s, b);
		(void)sender_batch_add(b, &e->io);
	}
}

/* Empties a lane; returns the start of its oldest pending I/O, or INT64_MAX. */
static int64_t drain(struct iot_sender *s, struct sender_lane *lane)
{
	sender_lane_lock(lane);
	for (uint32_t i = 0; i < lane->count; i++)
		add_to_batch(s, &lane->entry[i]);
	s->records += lane->count;
	s->flush.unflushed += lane->count;
	lane->count = 0;
	lane->limit = sender_lane_limit(&s->flush);
	const int64_t oldest_ns = sender_lane_oldest(lane);
	sender_lane_unlock(lane);
	return oldest_ns;
}

int64_t sender_drain_all(struct iot_sender *s)
{
	int64_t oldest_ns = INT64_MAX;
	for (uint32_t i = 0; i < LANES; i++) {
		const int64_t start_ns = drain(s, &s->lanes[i]);
		oldest_ns = start_ns < oldest_ns ? start_ns : oldest_ns;
	}
	return oldest_ns;
}

/* An I/O that begins during the flush starts after its time, which is therefore read first. */
static int flush(struct iot_sender *s)
{
	const int64_t now_ns = sender_clock_wall(&s->clock), oldest_ns = sender_drain_all(s);
	s->flush.flushed_ns = now_ns;
	s->flush.unflushed = 0;
	if (sender_send_all(s) != IOT_OK)
		return s->error.status;
	return sender_send_watermark(s, oldest_ns < now_ns ? oldest_ns : now_ns);
}

static bool time_is_due(const struct flush_policy *f, int64_t now_ns)
{
	if (f->every_ns == 0)
		return false;
	const int64_t since_ns = now_ns - f->flushed_ns;
	return since_ns > 0 && (uint64_t)since_ns >= f->every_ns;
}

static int send_due(struct iot_sender *s, struct sender_lane *lane, int64_t now_ns)
{
	const int saved_errno = errno;
	sender_lock(s);
	if (!sender_is_ready(s))
		return sender_unlock(s, s->error.status);
	(void)drain(s, lane);
	if (s->flush.unflushed >= s->flush.every || time_is_due(&s->flush, now_ns))
		(void)flush(s);
	errno = saved_errno;
	return sender_unlock(s, s->error.status);
}

int iot_sender_flush(struct iot_sender *s)
{
	sender_lock(s);
	return sender_unlock(s, sender_is_ready(s) ? flush(s) : sender_not_ready(s));
}

/* Once ready is false, no lane takes an I/O, so none remains in one. */
int iot_sender_exit(struct iot_sender *s, int status)
{
	sender_lock(s);
	if (!sender_is_ready(s))
		return sender_unlock(s, sender_not_ready(s));
	s->ready = false;
	(void)sender_drain_all(s);
	if (sender_send_all(s) == IOT_OK) {
		packet_word_put(sender_payload(s), (uint64_t)status);
		(void)sender_send(s, PACKET_EXIT, 0, 1, 0);
	}
	s->ended = true;
	return sender_unlock(s, s->error.status);
}

/* I/Os */

static int refuse_physical(struct iot_sender *s)
{
	sender_lock(s);
	if (!sender_is_ready(s))
		return sender_unlock(s, sender_not_ready(s));
	return sender_unlock(s, error_refuse(&s->error,
					     "the type of a record lacks IOT_LOGICAL, so it "
					     "would be an I/O of a disk, in blocks of 512 "
					     "bytes (IOT_SEND_PHYSICAL)"));
}

/* Returns false if the record cannot be sent. */
static bool set_entry(struct lane_entry *e, const struct iot_record *rec)
{
	const uint64_t unit = (rec->type & IOT_LOGICAL) != 0 ? 1 : PACKET_PHYSICAL_UNIT;
	e->file = rec->file;
	e->io.type = rec->type;
	return rec->type != TYPE_COMMENT &&
	       !__builtin_mul_overflow(rec->offset, unit, &e->io.offset) &&
	       !__builtin_mul_overflow(rec->length, unit, &e->io.length);
}

/*
 * Adds a record to its lane; returns IOT_EUSAGE if it cannot be sent or the sender is not ready.
 * The entry is written in place, because copying one takes as long as a lock.
 */
static int append(struct iot_sender *s, struct sender_lane *lane, const struct iot_pending_io *io,
		  const struct iot_record *rec, int64_t end_ns)
{
	struct lane_entry *e = &lane->entry[lane->count];
	if (!s->ready)
		return IOT_EUSAGE;
	sender_set_times(s, &e->io, io, end_ns);
	if (!set_entry(e, rec))
		return IOT_EUSAGE;
	lane->count++;
	return IOT_OK;
}

/* Locks a lane that is not full: the thread that filled it is about to drain it. */
static void lock_with_space(struct iot_sender *s, struct sender_lane *lane, int64_t end_ns)
{
	sender_lane_lock(lane);
	while (s->ready && sender_lane_is_full(lane)) {
		sender_lane_unlock(lane);
		(void)send_due(s, lane, end_ns);
		sender_lane_lock(lane);
	}
}

static int end_record(struct iot_sender *s, struct iot_pending_io *io, const struct iot_record *rec,
		      int64_t end_ns)
{
	struct sender_lane *lane = lane_of(s, io);
	int status = IOT_OK;
	lock_with_space(s, lane, end_ns);
	if (end_pending(s, io))
		status = append(s, lane, io, rec, end_ns);
	const bool due = sender_lane_is_full(lane) || time_is_due(&s->flush, end_ns);
	sender_lane_unlock(lane);
	if (status != IOT_OK)
		return s->ready ? status : sender_status(s);
	return due ? send_due(s, lane, end_ns) : IOT_OK;
}

int iot_sender_end(struct iot_sender *s, struct iot_pending_io *io, const struct iot_record *rec)
{
	if (io->generation == 0)
		return sender_status(s);
	const int64_t end_ns = sender_clock_wall(&s->clock);
	if (rec != NULL && ((rec->type & IOT_LOGICAL) != 0 || s->physical))
		return end_record(s, io, rec, end_ns);
	(void)sender_end_alone(s, io);
	return rec != NULL ? refuse_physical(s) : sender_status(s);
}
