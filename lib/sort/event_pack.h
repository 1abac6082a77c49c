/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delta-encodes the events of a sorted run: a word with the number of bytes of each field, type and
 * flags, then the fields. Starts are differences to the previous event, durations absolute, all
 * other fields XORed with the same field of the previous event. Events other than plain records are
 * rare and stored in full, followed by their text. Each event has a tag, a number that the caller
 * chooses. This encoding is private to the running program.
 */
#ifndef LIB_SORT_EVENT_PACK_H
#define LIB_SORT_EVENT_PACK_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <iotrace/iotrace.h>

enum {
	/* capacity that an event without its text needs, including scratch space */
	EVENT_PACK_MAX = 96,
	EVENT_PACK_SLACK = 8 /* bytes after an event that event_unpack may read */
};

/*
 * Lengths: five of 4 bits (0 .. 8), four of 3 bits (0 .. 4); 15 in the first marks a full event.
 * The length of the object is in the byte of the flags, after EVENT_PACK_FLAGS bits.
 */
#define EVENT_PACK_IN_FULL 15U
#define EVENT_PACK_FLAGS   5

struct packed_event {
	struct iot_record rec;
	uint64_t text_size;
	uint32_t kind, has, tag, zero;
};

static inline unsigned char *event_pack_number(unsigned char *p, uint64_t v, unsigned shift,
					       uint32_t *lengths)
{
	unsigned n = (unsigned)(70 - __builtin_clzll(2 * v + 1)) >> 3;
	uint64_t bytes = htole64(v);
	memcpy(p, &bytes, sizeof(bytes));
	*lengths |= n << shift;
	return p + n;
}

static inline bool is_record_only(const struct iot_event *ev)
{
	return ev->kind == IOT_RECORD && ev->has == 0 && ev->text.size == 0;
}

/* The highest bit of 64-bit fields must be clear, because event_pack_number doubles them. */
static inline bool event_packs_short(const struct iot_record *rec, const struct iot_record *last)
{
	uint64_t high = ((uint64_t)rec->start_ns - (uint64_t)last->start_ns) | rec->duration_ns |
			(uint64_t)(rec->cpu_ns ^ last->cpu_ns) | (rec->offset ^ last->offset) |
			(rec->length ^ last->length);
	return (high >> 63 | rec->zero | rec->flags >> EVENT_PACK_FLAGS) == 0;
}

static inline size_t event_pack_full(unsigned char *to, const struct iot_event *ev, uint32_t tag)
{
	const uint32_t lengths = EVENT_PACK_IN_FULL;
	const struct packed_event full = {ev->rec, ev->text.size, ev->kind, ev->has, tag, 0};
	memcpy(to, &lengths, sizeof(lengths));
	memcpy(to + sizeof(lengths), &full, sizeof(full));
	return sizeof(lengths) + sizeof(full);
}

/*
 * Encodes a plain record relative to the previous one, zeros for the first. Returns the bytes
 * written.
 */
static inline size_t event_pack_record(unsigned char *to, const struct iot_record *rec,
				       uint32_t tag, const struct iot_record *last,
				       uint32_t last_tag)
{
	if (!event_packs_short(rec, last))
		return event_pack_full(to, &(struct iot_event){.rec = *rec, .kind = IOT_RECORD},
				       tag);
	uint32_t lengths = 0, flags = rec->flags;
	unsigned char *p = to + 6;
	to[4] = rec->type;
	p = event_pack_number(p, (uint64_t)rec->start_ns - (uint64_t)last->start_ns, 0, &lengths);
	p = event_pack_number(p, rec->duration_ns, 4, &lengths);
	p = event_pack_number(p, (uint64_t)(rec->cpu_ns ^ last->cpu_ns), 8, &lengths);
	p = event_pack_number(p, rec->offset ^ last->offset, 12, &lengths);
	p = event_pack_number(p, rec->length ^ last->length, 16, &lengths);
	if ((rec->file ^ last->file) | (rec->process ^ last->process) |
	    (rec->operation ^ last->operation) | (tag ^ last_tag)) {
		p = event_pack_number(p, rec->file ^ last->file, 20, &lengths);
		p = event_pack_number(p, rec->process ^ last->process, 23, &lengths);
		p = event_pack_number(p, rec->operation ^ last->operation, 26, &lengths);
		p = event_pack_number(p, tag ^ last_tag, 29, &lengths);
	}
	if (rec->object != last->object)
		p = event_pack_number(p, rec->object ^ last->object, EVENT_PACK_FLAGS, &flags);
	to[5] = (unsigned char)flags;
	memcpy(to, &lengths, sizeof(lengths));
	return (size_t)(p - to);
}

/*
 * Encodes any event without its text, and sets *last and *last_tag to the event and its tag.
 */
static inline size_t event_pack(unsigned char *to, const struct iot_event *ev, uint32_t tag,
				struct iot_record *last, uint32_t *last_tag)
{
	const size_t size = is_record_only(ev)
				? event_pack_record(to, &ev->rec, tag, last, *last_tag)
				: event_pack_full(to, ev, tag);
	*last = ev->rec;
	*last_tag = tag;
	return size;
}

static inline uint64_t event_unpack_number(const unsigned char **p, unsigned n)
{
	static const uint64_t mask[16] = {
	    0,          0xff,         0xffff,         0xffffff,
	    0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
	    UINT64_MAX};
	uint64_t v;
	memcpy(&v, *p, sizeof(v));
	*p += n;
	return le64toh(v) & mask[n];
}

static inline size_t event_unpack_full(const unsigned char *from, struct iot_event *ev,
				       uint32_t *tag)
{
	struct packed_event full;
	memcpy(&full, from + sizeof(uint32_t), sizeof(full));
	ev->rec = full.rec;
	ev->kind = full.kind;
	ev->has = full.has;
	ev->text.size = full.text_size;
	*tag = full.tag;
	return sizeof(uint32_t) + sizeof(full);
}

/*
 * Sets *start to the start of an event and returns true, unless the event is stored in full. last:
 * the start of the previous event in the run.
 */
static inline bool event_peek_start(const unsigned char *from, int64_t last, int64_t *start)
{
	uint32_t n;
	memcpy(&n, from, sizeof(n));
	const unsigned char *p = from + 6;
	if ((n & 15) == EVENT_PACK_IN_FULL)
		return false;
	*start = (int64_t)((uint64_t)last + event_unpack_number(&p, n & 15));
	return true;
}

/*
 * Decodes an event and returns the bytes read. *ev and *tag describe the previous event in the
 * run, zeros for the first, and then this one.
 */
static inline __attribute__((always_inline)) size_t
event_unpack(const unsigned char *from, struct iot_event *ev, uint32_t *tag)
{
	struct iot_record *rec = &ev->rec;
	uint32_t n;
	memcpy(&n, from, sizeof(n));
	if ((n & 15) == EVENT_PACK_IN_FULL)
		return event_unpack_full(from, ev, tag);
	const unsigned char *p = from + 6;
	rec->start_ns = (int64_t)((uint64_t)rec->start_ns + event_unpack_number(&p, n & 15));
	rec->duration_ns = event_unpack_number(&p, n >> 4 & 15);
	rec->cpu_ns ^= (int64_t)event_unpack_number(&p, n >> 8 & 15);
	rec->offset ^= event_unpack_number(&p, n >> 12 & 15);
	rec->length ^= event_unpack_number(&p, n >> 16 & 15);
	if (n >> 20 != 0) {
		rec->file ^= (uint32_t)event_unpack_number(&p, n >> 20 & 7);
		rec->process ^= (uint32_t)event_unpack_number(&p, n >> 23 & 7);
		rec->operation ^= (uint32_t)event_unpack_number(&p, n >> 26 & 7);
		*tag ^= (uint32_t)event_unpack_number(&p, n >> 29 & 7);
	}
	if (from[5] >> EVENT_PACK_FLAGS != 0)
		rec->object ^= (uint32_t)event_unpack_number(&p, from[5] >> EVENT_PACK_FLAGS);
	rec->type = from[4];
	rec->flags = from[5] & ((1 << EVENT_PACK_FLAGS) - 1);
	rec->zero = 0;
	ev->kind = IOT_RECORD;
	ev->has = 0;
	ev->text.size = 0;
	return (size_t)(p - from);
}

#endif
