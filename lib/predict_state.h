/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state behind predict.h, for decode.c and encode.c. One block: this header, then processes,
 * their file tables and the hash of processes, in the order they were needed. Places in the block
 * are 32-bit counts of 16-byte units from its start, 0 being none; nothing is freed but file tables
 * that were outgrown.
 *
 * A process's table has its files in order of last use: key[i] is the fileId of the i-th latest,
 * slot[i] tells which entry is its own. So the latest file costs one comparison, a miss a scan of
 * 128 bytes, and the least recently used is simply the last.
 */
#ifndef IOT_LIB_PREDICT_STATE_H
#define IOT_LIB_PREDICT_STATE_H

#include <string.h>

#include "predict.h"

enum { IOT_UNIT = 16, IOT_ROOMS = 3, IOT_PHYSICAL_SLOT = 0x80 };

struct iot_predict_file {
	uint64_t
	    next; /* offset + length of its last record; less than length: they do not fit 64 bits */
	uint64_t length;
	uint32_t operation, object;
	uint8_t flags; /* IOT_OFFSET_UNKNOWN */
};

struct iot_predict_process {
	int64_t cpu; /* ticks */
	uint32_t id;
	uint32_t table;
	uint32_t epoch; /* of the last use: files of an earlier one are forgotten */
	uint8_t count, room;
	uint8_t size_class;
	uint8_t latest_physical; /* of the latest file, as its slot has it */
	uint32_t latest;         /* entry of the latest file; 0 while there is none */
	uint32_t latest_file;
};

struct iot_codec {
	size_t size, used;
	uint64_t tick_ns, tick_reciprocal;
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

/* The parts of a file table with so many rooms. */
static inline struct iot_predict_file *iot_predict_files(struct iot_codec *c,
							 const struct iot_predict_process *p)
{
	return iot_predict_at(c, p->table);
}

static inline uint32_t *iot_predict_keys(struct iot_codec *c, const struct iot_predict_process *p)
{
	return (uint32_t *)(iot_predict_files(c, p) + p->room);
}

static inline uint8_t *iot_predict_slots(struct iot_codec *c, const struct iot_predict_process *p)
{
	return (uint8_t *)(iot_predict_keys(c, p) + p->room);
}

/* The process with this id, or NULL; its files are forgotten if that is due. */
static inline struct iot_predict_process *iot_predict_process(struct iot_codec *c, uint32_t id)
{
	const uint32_t *hash = iot_predict_at(c, c->hash);
	const size_t mask = ((size_t)1 << c->hash_bits) - 1;
	size_t i = (size_t)((id * c->hash_factor) >> (64 - c->hash_bits));
	for (;; i = (i + 1) & mask) {
		if (hash[i] == 0)
			return NULL;
		struct iot_predict_process *p = iot_predict_at(c, hash[i]);
		if (p->id != id)
			continue;
		if (p->epoch != c->epoch) {
			p->epoch = c->epoch;
			p->count = 0;
			p->latest = 0;
		}
		return p;
	}
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
iot_predict_entry(struct iot_codec *c, const struct iot_predict_process *p, int position)
{
	return &iot_predict_files(c,
				  p)[iot_predict_slots(c, p)[position] & (IOT_PHYSICAL_SLOT - 1)];
}

/* Makes a process; NULL when the block is full. */
struct iot_predict_process *iot_predict_add_process(struct iot_codec *c, uint32_t id);

/* Makes room for one more file, if need be by forgetting the least recently used; false: block
 * full. */
bool iot_predict_make_room(struct iot_codec *c, struct iot_predict_process *p);

/* Moves the file at `position` to the front, or puts a new one there (-1; there must be room). */
static inline void iot_predict_latest(struct iot_codec *c, struct iot_predict_process *p)
{
	const uint8_t slot = iot_predict_slots(c, p)[0];
	p->latest = p->table + 2U * (slot & (IOT_PHYSICAL_SLOT - 1U));
	p->latest_file = iot_predict_keys(c, p)[0];
	p->latest_physical = slot & IOT_PHYSICAL_SLOT;
}

static inline struct iot_predict_file *iot_predict_touch(struct iot_codec *c,
							 struct iot_predict_process *p,
							 int position, uint32_t file,
							 unsigned physical)
{
	if (position == 0)
		return iot_predict_at(c, p->latest);
	uint32_t *key = iot_predict_keys(c, p);
	uint8_t *slot = iot_predict_slots(c, p);
	uint8_t own;
	if (position > 0) {
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
	iot_predict_latest(c, p);
	return iot_predict_at(c, p->latest);
}

/* The record's process, file and times become the previous ones. */
static inline struct iot_predict_file *
iot_predict_commit(struct iot_codec *c, struct iot_predict_process *p, int position, uint32_t file,
		   unsigned physical, int64_t start, int64_t cpu)
{
	struct iot_predict_file *f = iot_predict_touch(c, p, position, file, physical);
	c->start = start;
	p->cpu = cpu;
	c->last = (uint32_t)(((char *)p - (char *)c) / IOT_UNIT);
	return f;
}

static inline void iot_predict_extent(struct iot_predict_file *f, uint64_t offset, uint64_t length,
				      uint32_t operation)
{
	f->next = offset + length;
	f->length = length;
	f->operation = operation;
}

#endif
