/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state behind predict.h, for decode.c and encode.c. One block: this header, then processes,
 * their file tables and the hash of processes, in the order they were needed. Places in the block
 * are 32-bit counts of 16-byte units from its start, 0 being none; nothing is freed but file tables
 * that were outgrown.
 *
 * A process's table has its files in order of last use: key[i] is the fileId of the i-th latest,
 * slot[i] tells which entry is its own. The entry of the latest is in the process itself: most
 * records touch one cache line of 64 bytes. The least recently used is simply the last.
 */
#ifndef LIB_CODEC_STATE_H
#define LIB_CODEC_STATE_H

#include <string.h>

#include "codec.h"

__extension__ typedef unsigned __int128 iot_uint128;

enum { IOT_UNIT = 64, IOT_ROOMS = 3, IOT_PHYSICAL_SLOT = 0x80, IOT_NO_SLOT = 1 };

struct iot_predict_file {
	uint64_t
	    next; /* offset + length of its last record; less than length: they do not fit 64 bits */
	uint64_t length;
	uint32_t operation, object;
	uint32_t file;
	uint8_t flags;    /* IOT_..._UNKNOWN of its %file */
	uint8_t physical; /* IOT_PHYSICAL_SLOT, 0, or IOT_NO_SLOT */
	uint8_t place;    /* of its entry in the table */
};

/* What most records need comes first, so that it is in one line wherever malloc put the block. */
struct iot_predict_process {
	struct iot_predict_file latest;
	int64_t cpu; /* ticks */
	uint32_t id;
	uint32_t epoch; /* of the last use: files of an earlier one are forgotten */
	uint32_t table;
	uint8_t count, room;
	uint8_t size_class;
};

/* In the hash: an id and where its process is; place 0: free. */
struct iot_predict_home {
	uint32_t id, place;
};

struct iot_codec {
	size_t size, used;
	uint64_t tick_ns;
	uint64_t tick_reciprocal; /* 2^(64 + tick_shift) / tick_ns, rounded up */
	unsigned tick_shift;
	int64_t tick_max; /* the last tick that fits 2^63-1 nanoseconds */
	uint64_t hash_factor;
	int64_t start; /* of the previous record, ticks */
	uint32_t base;
	uint32_t epoch;
	uint32_t last; /* process of the previous record */
	uint32_t hash, hash_bits, process_count;
	uint32_t free_table[IOT_ROOMS];
	bool operation_written; /* a nonzero operationId has been written in this trace */
	bool wide;              /* iot_decode_wide_works */
	uint8_t news, lacks;
	unsigned column;
	char error[200];
};

static inline void *iot_predict_at(struct iot_codec *c, uint32_t place)
{
	return (char *)c + (size_t)place * IOT_UNIT;
}

static inline uint32_t iot_predict_place(const struct iot_codec *c, const void *at)
{
	return (uint32_t)((size_t)((const char *)at - (const char *)c) / IOT_UNIT);
}

/* The parts of a file table with so many rooms: keys, slots, entries. */
static inline uint32_t *iot_predict_keys(struct iot_codec *c, const struct iot_predict_process *p)
{
	return iot_predict_at(c, p->table);
}

static inline uint8_t *iot_predict_slots(struct iot_codec *c, const struct iot_predict_process *p)
{
	return (uint8_t *)(iot_predict_keys(c, p) + p->room);
}

/* Bytes before the entries, none of which lies in two cache lines. */
static inline size_t iot_predict_head(size_t room)
{
	const size_t entry = sizeof(struct iot_predict_file);
	return (room * (sizeof(uint32_t) + sizeof(uint8_t)) + entry - 1) / entry * entry;
}

static inline struct iot_predict_file *iot_predict_files(struct iot_codec *c,
							 const struct iot_predict_process *p)
{
	return (struct iot_predict_file *)((char *)iot_predict_at(c, p->table) +
					   iot_predict_head(p->room));
}

/* The upper bits are those that count. Two steps, as ids in regular steps can be bad for one. */
static inline uint64_t iot_predict_hash(uint64_t factor, uint64_t id)
{
	const uint64_t h = id * factor;
	return (h ^ h >> 32) * factor;
}

/* The process with this id, or NULL; its files are forgotten if that is due. */
static inline struct iot_predict_process *iot_predict_process(struct iot_codec *c, uint32_t id)
{
	const struct iot_predict_home *hash = iot_predict_at(c, c->hash);
	const size_t mask = ((size_t)1 << c->hash_bits) - 1;
	size_t i = (size_t)(iot_predict_hash(c->hash_factor, id) >> (64 - c->hash_bits));
	while (hash[i].id != id && hash[i].place != 0)
		i = (i + 1) & mask;
	if (hash[i].place == 0)
		return NULL;
	struct iot_predict_process *p = iot_predict_at(c, hash[i].place);
	if (p->epoch != c->epoch) {
		p->epoch = c->epoch;
		p->count = 0;
		p->latest.physical = IOT_NO_SLOT;
	}
	return p;
}

/* Position of a file in the order of last use; -1 if it is not in the table. */
static inline int iot_predict_find(struct iot_codec *c, const struct iot_predict_process *p,
				   uint32_t file, unsigned physical)
{
	if (p->count == 0)
		return -1;
	const uint32_t *key = iot_predict_keys(c, p);
	const uint8_t *slot = iot_predict_slots(c, p);
	for (int i = 0; i < p->count; i++)
		if (key[i] == file && (slot[i] & IOT_PHYSICAL_SLOT) == physical)
			return i;
	return -1;
}

/* The entry of the file at a position in the order of last use. */
static inline struct iot_predict_file *
iot_predict_entry(struct iot_codec *c, struct iot_predict_process *p, int position)
{
	if (position == 0)
		return &p->latest;
	return &iot_predict_files(c,
				  p)[iot_predict_slots(c, p)[position] & (IOT_PHYSICAL_SLOT - 1)];
}

/* Makes a process; NULL when the block is full. */
struct iot_predict_process *iot_predict_add_process(struct iot_codec *c, uint32_t id);

/* Makes room for one more file, if need be by forgetting the least recently used; false: block
 * full. */
bool iot_predict_make_room(struct iot_codec *c, struct iot_predict_process *p);

/* The latest file's entry gives way to that of another: own is its slot. */
static inline void iot_predict_swap(struct iot_codec *c, struct iot_predict_process *p, uint8_t own,
				    bool is_new, uint32_t file)
{
	struct iot_predict_file *entry = iot_predict_files(c, p);
	const uint8_t place = own & (IOT_PHYSICAL_SLOT - 1);
	if (p->latest.physical != IOT_NO_SLOT)
		entry[p->latest.place] = p->latest;
	if (is_new) {
		const struct iot_predict_file fresh = {
		    .file = file, .physical = own & IOT_PHYSICAL_SLOT, .place = place};
		p->latest = fresh;
	} else {
		p->latest = entry[place];
	}
}

/* Moves the file at `position` to the front, or puts a new one there (-1; there must be room). */
static inline void iot_predict_touch(struct iot_codec *c, struct iot_predict_process *p,
				     int position, uint32_t file, unsigned physical)
{
	if (position == 0)
		return;
	uint32_t *key = iot_predict_keys(c, p);
	uint8_t *slot = iot_predict_slots(c, p);
	const bool is_new = position < 0;
	uint8_t own;
	if (!is_new) {
		own = slot[position];
	} else {
		own = (uint8_t)(p->count | physical);
		if (p->count == p->room) /* evicted: its entry is free */
			own = (uint8_t)((slot[p->count - 1] & (IOT_PHYSICAL_SLOT - 1)) | physical);
		else
			p->count++;
		position = p->count - 1;
	}
	if (position > 8) {
		memmove(key + 1, key, (size_t)position * sizeof *key);
		memmove(slot + 1, slot, (size_t)position);
	} else {
		for (int i = position; i > 0; i--) {
			key[i] = key[i - 1];
			slot[i] = slot[i - 1];
		}
	}
	key[0] = file;
	slot[0] = own;
	iot_predict_swap(c, p, own, is_new, file);
}

/* The record's process, file and times become the previous ones. */
static inline void iot_predict_commit(struct iot_codec *c, struct iot_predict_process *p,
				      int position, uint32_t file, unsigned physical, int64_t start,
				      int64_t cpu)
{
	iot_predict_touch(c, p, position, file, physical);
	c->start = start;
	p->cpu = cpu;
	c->last = iot_predict_place(c, p);
}

static inline void iot_predict_extent(struct iot_predict_file *f, uint64_t offset, uint64_t length,
				      uint32_t operation)
{
	f->next = offset + length;
	f->length = length;
	f->operation = operation;
}

#endif
