/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec state for decode.c and encode.c; codec.h is its interface. One block contains this
 * header, then processes, their file tables and the hash of processes, in order of allocation.
 * Positions in the block are 32-bit counts of CODEC_UNIT bytes from its start, 0 meaning none; only
 * outgrown file tables are freed.
 *
 * A process's table lists its files in order of last use: key[i] is the fileId of the i-th most
 * recent file, slot[i] the index of its entry. The entry of the most recent file is in the process
 * itself, so most records touch one cache line of 64 bytes. The least recently used file is the
 * last one.
 */
#ifndef LIB_CODEC_STATE_H
#define LIB_CODEC_STATE_H

#include <string.h>

#include "codec.h"

__extension__ typedef unsigned __int128 uint128;

enum { CODEC_UNIT = 64, CODEC_SIZE_CLASSES = 3, CODEC_PHYSICAL_SLOT = 0x80, CODEC_NO_SLOT = 1 };

struct codec_file {
	uint64_t
	    /* offset + length of its last record; less than length if the sum exceeds 64 bits */
	    next;
	uint64_t length;
	uint32_t operation, object;
	uint32_t file;
	uint8_t flags;    /* IOT_..._UNKNOWN of its %file */
	uint8_t physical; /* CODEC_PHYSICAL_SLOT, 0, or CODEC_NO_SLOT */
	uint8_t place;    /* index of its entry in the table */
};

/*
 * The members that most records need come first, so that they share a cache line wherever the block
 * is.
 */
struct codec_process {
	struct codec_file latest;
	int64_t cpu; /* ticks */
	uint32_t id;
	uint32_t epoch; /* of the last use: file tables of an earlier epoch are empty */
	uint32_t table;
	uint8_t count, capacity;
	uint8_t size_class;
};

/* A hash bucket: an id and the position of its process; position 0: free. */
struct codec_bucket {
	uint32_t id, place;
};

struct iot_codec {
	size_t size, used;
	uint64_t tick_ns;
	uint64_t tick_reciprocal; /* 2^(64 + tick_shift) / tick_ns, rounded up */
	unsigned tick_shift;
	int64_t tick_max; /* the last tick within 2^63-1 nanoseconds */
	uint64_t hash_factor;
	int64_t start; /* of the previous record, ticks */
	uint32_t base;
	uint32_t epoch;
	uint32_t last; /* process of the previous record */
	uint32_t hash, hash_bits, process_count;
	uint32_t free_table[CODEC_SIZE_CLASSES];
	bool operation_written; /* the result of decode_avx2_works */
	bool avx2;              /* decode_avx2_works */
	uint8_t first_use, lacks;
	unsigned column;
	char error[200];
};

static inline void *codec_at(struct iot_codec *c, uint32_t place)
{
	return (char *)c + (size_t)place * CODEC_UNIT;
}

static inline uint32_t codec_index(const struct iot_codec *c, const void *at)
{
	return (uint32_t)((size_t)((const char *)at - (const char *)c) / CODEC_UNIT);
}

/* The parts of a file table for `capacity` files: keys, slots, entries. */
static inline uint32_t *codec_keys(struct iot_codec *c, const struct codec_process *p)
{
	return codec_at(c, p->table);
}

static inline uint8_t *codec_slots(struct iot_codec *c, const struct codec_process *p)
{
	return (uint8_t *)(codec_keys(c, p) + p->capacity);
}

/* Returns the size of the part before the entries; no entry crosses a cache line. */
static inline size_t codec_table_head(size_t capacity)
{
	const size_t entry = sizeof(struct codec_file);
	return (capacity * (sizeof(uint32_t) + sizeof(uint8_t)) + entry - 1) / entry * entry;
}

static inline struct codec_file *codec_files(struct iot_codec *c, const struct codec_process *p)
{
	return (struct codec_file *)((char *)codec_at(c, p->table) + codec_table_head(p->capacity));
}

/*
 * The upper bits are used. Two multiplications, because one maps some arithmetic progressions
 * badly.
 */
static inline uint64_t codec_hash(uint64_t factor, uint64_t id)
{
	const uint64_t h = id * factor;
	return (h ^ h >> 32) * factor;
}

/* Returns the process with this id, or NULL; empties its file table if the epoch has changed. */
static inline struct codec_process *codec_process(struct iot_codec *c, uint32_t id)
{
	const struct codec_bucket *hash = codec_at(c, c->hash);
	const size_t mask = ((size_t)1 << c->hash_bits) - 1;
	size_t i = (size_t)(codec_hash(c->hash_factor, id) >> (64 - c->hash_bits));
	while (hash[i].id != id && hash[i].place != 0)
		i = (i + 1) & mask;
	if (hash[i].place == 0)
		return NULL;
	struct codec_process *p = codec_at(c, hash[i].place);
	if (p->epoch != c->epoch) {
		p->epoch = c->epoch;
		p->count = 0;
		p->latest.physical = CODEC_NO_SLOT;
	}
	return p;
}

/* Returns the position of a file in the order of last use; -1 if it is not in the table. */
static inline int codec_find(struct iot_codec *c, const struct codec_process *p, uint32_t file,
			     unsigned physical)
{
	if (p->count == 0)
		return -1;
	const uint32_t *key = codec_keys(c, p);
	const uint8_t *slot = codec_slots(c, p);
	for (int i = 0; i < p->count; i++)
		if (key[i] == file && (slot[i] & CODEC_PHYSICAL_SLOT) == physical)
			return i;
	return -1;
}

/* Returns the entry of the file at a position in the order of last use. */
static inline struct codec_file *codec_entry(struct iot_codec *c, struct codec_process *p,
					     int position)
{
	if (position == 0)
		return &p->latest;
	return &codec_files(c, p)[codec_slots(c, p)[position] & (CODEC_PHYSICAL_SLOT - 1)];
}

/* Adds a process; returns NULL if the block is full. */
struct codec_process *codec_add_process(struct iot_codec *c, uint32_t id);

/*
 * Reserves capacity for one more file, by a larger table or later by eviction of the least recently
 * used file. Returns false if the block is full.
 */
bool codec_reserve_file(struct iot_codec *c, struct codec_process *p);

/* Replaces the entry of the most recent file by another one, whose slot is `own`. */
static inline void codec_swap(struct iot_codec *c, struct codec_process *p, uint8_t own,
			      bool is_new, uint32_t file)
{
	struct codec_file *entry = codec_files(c, p);
	const uint8_t place = own & (CODEC_PHYSICAL_SLOT - 1);
	if (p->latest.physical != CODEC_NO_SLOT)
		entry[p->latest.place] = p->latest;
	if (is_new) {
		const struct codec_file fresh = {
		    .file = file, .physical = own & CODEC_PHYSICAL_SLOT, .place = place};
		p->latest = fresh;
	} else {
		p->latest = entry[place];
	}
}

/*
 * Moves the file at `position` to the front, or inserts a new one there (position -1; requires a
 * preceding codec_reserve_file).
 */
static inline void codec_touch(struct iot_codec *c, struct codec_process *p, int position,
			       uint32_t file, unsigned physical)
{
	if (position == 0)
		return;
	uint32_t *key = codec_keys(c, p);
	uint8_t *slot = codec_slots(c, p);
	const bool is_new = position < 0;
	uint8_t own;
	if (!is_new) {
		own = slot[position];
	} else {
		own = (uint8_t)(p->count | physical);
		if (p->count == p->capacity) /* reuse the entry of the evicted file */
			own =
			    (uint8_t)((slot[p->count - 1] & (CODEC_PHYSICAL_SLOT - 1)) | physical);
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
	codec_swap(c, p, own, is_new, file);
}

/* Makes the record's process, file and times the previous ones. */
static inline void codec_commit(struct iot_codec *c, struct codec_process *p, int position,
				uint32_t file, unsigned physical, int64_t start, int64_t cpu)
{
	codec_touch(c, p, position, file, physical);
	c->start = start;
	p->cpu = cpu;
	c->last = codec_index(c, p);
}

/* Computes ns / tick by multiplication; exact because ns < 2^63 (set_reciprocal). */
static inline __attribute__((always_inline)) uint64_t codec_to_ticks(const struct iot_codec *c,
								     uint64_t ns)
{
	if (c->tick_ns == 1)
		return ns;
	return (uint64_t)(((uint128)ns * c->tick_reciprocal) >> 64) >> c->tick_shift;
}

static inline void codec_extent(struct codec_file *f, uint64_t offset, uint64_t length,
				uint32_t operation)
{
	f->next = offset + length;
	f->length = length;
	f->operation = operation;
}

#endif
