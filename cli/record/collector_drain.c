/* SPDX-License-Identifier: BSD-2-Clause */
/* Empties rings: their records are decoded, or go to the spool as they are. */
#include "collector_internal.h"

/* A ring with an invalid record is read no more: its producer must not wait for space, though. */
static int give_up(struct collector *c, struct ring *r)
{
	const bool reported = r->failed;
	r->failed = true;
	r->tail = atomic_load(&r->header->head);
	return reported ? IOT_OK : collector_add_loss(c, r, RING_DAMAGED, 0);
}

/* The growth of a counter, which a process may have damaged. */
static uint64_t growth(_Atomic uint64_t *counter, uint64_t *reported)
{
	const uint64_t now = atomic_load_explicit(counter, memory_order_relaxed),
		       before = *reported;
	*reported = now;
	return now > before ? now - before : 0;
}

static int report_dropped(struct collector *c, struct ring *r)
{
	const uint64_t records = growth(&r->header->dropped, &r->dropped),
		       bytes = growth(&r->header->dropped_bytes, &r->dropped_bytes),
		       others = growth(&r->header->dropped_others, &r->dropped_others);
	if (records + others == 0)
		return IOT_OK;
	return collector_add(c, (struct iot_event){.kind = RING_LOST,
						   .rec = {.process = r->process,
							   .type = RING_DROPPED,
							   .file = r->serial,
							   .offset = records,
							   .length = bytes,
							   .object = (uint32_t)others}});
}

static void find_user(struct collector *c, struct ring *r, const unsigned char *data, size_t n)
{
	struct record_thread stated;
	if (!ring_states_user(data, n, &stated))
		return;
	collector_note_child(c, r->process, &stated, sizeof(stated));
	r->user = processes_ring_user(&c->processes, r->process, &stated, c->per_thread);
}

/*
 * Decodes the records of a ring that start before d->until, the others as well if one of them may
 * start before. Returns 0 if an invalid one follows, -1 if the rest stays in the ring.
 */
static int decode_some(struct collector *c, struct ring *r, struct ring_decoder *d, size_t n,
		       size_t max_left, size_t *used)
{
	const unsigned char *data = r->data + (r->tail & (r->size - 1));
	struct iot_event *out = event_order_next(&c->order);
	find_user(c, r, data, n);
	d->user = r->user;
	int count = ring_decode(d, data, n, out, used);
	if (count == 0 && *used == 0 && d->until != 0) {
		if (n <= max_left && ring_in_order(r, n))
			return -1;
		d->until = 0;
		count = ring_decode(d, data, n, out, used);
	}
	if (count < 0 || *used == 0)
		return 0;
	collector_note_children(c, r->process, out, (size_t)count);
	c->order.count += (size_t)count;
	return 1;
}

/* Returns the bytes of valid records, and expects the children that these announce. */
static size_t scan_records(struct collector *c, const struct ring *r, const unsigned char *data,
			   size_t n)
{
	size_t at = 0;
	for (size_t size; at < n && (size = ring_record_size(data + at, n - at)) > 0; at += size)
		collector_note_child(c, r->process, data + at, size);
	return at;
}

static int spool_ring(struct collector *c, struct ring *r)
{
	const bool failed = r->failed;
	const size_t n = r->data != NULL ? ring_available(r) : 0;
	const unsigned char *const data = r->data + (r->tail & (r->size - 1));
	const size_t valid = n > 0 ? scan_records(c, r, data, n) : 0;
	const struct spool_entry e = {.kind = SPOOL_RING,
				      .process = r->process,
				      .size = valid,
				      .ring = r->serial,
				      .position = r->tail,
				      .time = clock_map_now(c->clock)};
	int status = valid > 0 ? collector_spool_processes(c) : IOT_OK;
	if (status == IOT_OK && valid > 0)
		status = collector_spool_entry(c, &e, data);
	c->drained += valid;
	r->tail += valid;
	if (status == IOT_OK && (r->failed || valid < n)) {
		r->failed = failed;
		status = give_up(c, r);
	}
	return status == IOT_OK ? report_dropped(c, r) : status;
}

int collector_spool_rings(struct collector *c)
{
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings && status == IOT_OK; i++)
		status = spool_ring(c, &c->ring[i]);
	return status;
}

int collector_drain(struct collector *c, struct ring *r, uint64_t until, size_t max_left)
{
	const bool failed = r->failed;
	if (r->data == NULL)
		return report_dropped(c, r);
	size_t n = ring_available(r);
	struct ring_decoder d = collector_decoder(c, r->user);
	int status = IOT_OK;
	d.until = until;
	while (n > 0 && status == IOT_OK) {
		size_t used;
		const int decoded = decode_some(c, r, &d, n, max_left, &used);
		if (decoded == 0) {
			r->failed = failed;
			return give_up(c, r);
		}
		if (decoded < 0)
			break;
		c->drained += used;
		r->tail += used;
		n -= used;
		if (event_order_is_full(&c->order))
			status = collector_copy_events(c);
	}
	if (r->failed) {
		r->failed = failed;
		return give_up(c, r);
	}
	return status == IOT_OK ? report_dropped(c, r) : status;
}

/*
 * The mark of a ring is read before the ring's head. An operation may wait for hours, as flock
 * does, and a process may be stopped in a transfer: their records come late rather than holding
 * back all others.
 */
uint64_t collector_oldest(const struct collector *c, const struct ring *r, uint64_t watermark)
{
	const uint64_t mark = atomic_load_explicit(&r->header->in_flight, memory_order_acquire);
	const uint64_t limit = (mark & 1) != 0 ? c->operation : c->transfer;
	return mark == 0 || mark >= watermark || watermark - mark > limit ? watermark : mark;
}
