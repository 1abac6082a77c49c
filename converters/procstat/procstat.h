/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The procstat converter, which reads the packets of traced programs:
 *     procstat.c   reads packets, brings the packets of a process in order, and dispatches them
 *     emit.c       their events
 *     tick.c       determines the tick of the stream and its epoch
 *     file_ids.c   the file that a number refers to
 */
#ifndef CONVERTERS_PROCSTAT_PROCSTAT_H
#define CONVERTERS_PROCSTAT_PROCSTAT_H

#include "converters/emit.h"
#include "converters/fdtable/fdtable.h"

#include "lib/base/idmap.h"
#include "lib/packets/packet.h"
#include "lib/packets/sequence.h"

enum {
	/* the longest directive: a path of 4 KiB, all of it encoded */
	PROCSTAT_DIRECTIVE = 14 << 10,
	PROCSTAT_FILES_MAX = 1 << 18,
	PROCSTAT_NAMES_MAX = 1 << 18,
	PROCSTAT_ANCESTORS_MAX = 1 << 18,
};

struct procstat_file {
	struct tracked_file *after;
	int64_t opened_ns;
};

/* The ancestry of a process, also of one whose number was reused. */
struct procstat_ancestors {
	uint32_t process, parent; /* ids; parent is 0 if unknown */
	/* index of the parent's entry, valid if that entry still has the parent's id */
	uint32_t parent_ancestors;
	int64_t began_ns;
};

struct procstat_files {
	struct fdtable tracker;
	struct procstat_ancestors *ancestors;
	size_t ancestor_count, ancestors_capacity;
	struct idmap ids; /* (process, file) */
	struct procstat_file *file;
	size_t capacity;
};

/* A heap of the live processes with the smallest before_ns first. */
struct procstat_order {
	struct packet_process **heap; /* index 1 is the root */
	size_t count, capacity;
};

/* A copy of a packet that has to wait. */
struct procstat_stored {
	struct packet_process *who;
	uint32_t generation; /* of the process */
	struct packet packet;
	unsigned char bytes[PACKET_MAX];
};

struct procstat_tick {
	uint32_t ps; /* tick of the stream; 0 if not yet known */
	/* packets with this tick, including the packets of the head; packets that have arrived */
	uint64_t votes, arrived;
	uint64_t others; /* packets with another tick */
	/* the first of these, as long as their tick can still win; or NULL */
	struct procstat_stored *other;
	size_t count, next;
	bool again; /* other[next .. count) must be processed */
};

struct procstat_damage {
	uint64_t bytes, regions;
	uint64_t first_at; /* offset */
	const char *first_why;
};

struct procstat {
	struct source_state *src;
	struct bufreader *bufreader;
	size_t member;
	bool ended, began, waited; /* waited: the pause of the input has been reported */
	size_t used;               /* bytes of the bufreader that the current packet uses */
	uint64_t at;               /* offset of the bufreader's position in this member */
	struct packet_scan scan;
	struct packet packet;
	bool has_packet; /* the next packet has been read */

	struct procstat_tick tick;
	struct sequence sequence;
	struct procstat_order order;
	struct procstat_stored *held; /* NULL until first needed */
	size_t held_count;
	uint32_t packet_generation; /* generation of the process of the current packet */
	struct procstat_files files;
	int64_t epoch_ns;
	struct procstat_damage damage;
	uint64_t unknown;
	bool cut, counted;
	int64_t latest_ns; /* start of the latest event emitted */

	struct emit emit;
};

/* Copies a packet with its payload; back, the packet is valid until `from` changes. */
static inline void procstat_store(struct procstat_stored *to, const struct packet *p)
{
	to->packet = *p;
	memcpy(to->bytes, p->payload, PACKET_WORD_SIZE * (size_t)p->words);
}

static inline struct packet procstat_restore(const struct procstat_stored *from)
{
	struct packet p = from->packet;
	p.payload = from->bytes;
	return p;
}

/* Events */

static inline int64_t procstat_ns(const struct procstat *s, uint64_t ticks)
{
	return packet_ticks_to_ns(ticks, s->tick.ps);
}

void procstat_emit_trace(struct procstat *s);
void procstat_emit_process(struct procstat *s, const struct packet_process *who,
			   const struct packet *p);
void procstat_emit_open(struct procstat *s, const struct packet_process *who,
			const struct packet *p, const struct tracked_file *f);
void procstat_emit_inherited(struct procstat *s, const struct packet_process *who, uint32_t number,
			     const struct tracked_file *f, int64_t key_ns);
void procstat_emit_close(struct procstat *s, const struct packet_process *who,
			 const struct packet *p);
void procstat_emit_exit(struct procstat *s, const struct packet_process *who,
			const struct packet *p);
void procstat_emit_records(struct procstat *s, const struct packet_process *who,
			   const struct packet *p, uint32_t object);
void procstat_emit_lost(struct procstat *s, const struct packet_range *range);
void procstat_emit_damage(struct procstat *s);
void procstat_emit_others(struct procstat *s);

/* Ticks */

/* Determines, from the head of the input, the epoch and the tick that most packets have. */
void procstat_tick_find(struct procstat *s);
/*
 * Returns true if s->packet has the tick of the stream; counts it otherwise. Sets *failed if out of
 * memory.
 */
bool procstat_tick_fits(struct procstat *s, bool *failed);
/*
 * Moves a stored packet whose tick turned out to be the stream's to s->packet. Returns false if
 * there is none.
 */
bool procstat_tick_again(struct procstat *s);

/* Files */

/*
 * Opens the file of an open packet; PACKET_OPEN_CREATED in it means that its name refers to a new
 * file. Returns NULL if out of memory.
 */
struct tracked_file *procstat_files_open(struct procstat_files *f, uint32_t process,
					 const struct packet *p, int64_t start_ns);
const struct procstat_file *procstat_files_find(const struct procstat_files *f, uint32_t process,
						uint32_t file);
/* Adds a file that a process has inherited. Returns false if out of memory. */
bool procstat_files_add(struct procstat_files *f, uint32_t process, uint32_t file,
			struct tracked_file *after, int64_t opened_ns);
/*
 * Records the parent of a process that starts; parent is NULL if unknown. Returns false if out of
 * memory.
 */
bool procstat_ancestor_add(struct procstat_files *f, struct packet_process *who,
			   const struct packet_process *parent, int64_t began_ns);
/* Returns NULL if unknown or forgotten. */
const struct procstat_ancestors *procstat_ancestor(const struct procstat_files *f,
						   uint32_t ancestors, uint32_t process);
void procstat_files_free(struct procstat_files *f);

#endif
