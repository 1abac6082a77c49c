/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packets converter:
 *     packets.c         reads packets from the input and dispatches them
 *     emit.c            their events
 *     tick.c            determines the tick of the stream and its epoch
 *     held_packets.c    packets that wait for earlier ones of their process
 *     process_order.c   the time before which no I/O can still arrive
 *     file_ids.c        the file that a number refers to
 */
#ifndef CONVERTERS_PACKETS_PACKETS_H
#define CONVERTERS_PACKETS_PACKETS_H

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
	size_t kins, ancestors_capacity;
	struct idmap ids; /* (process, file) */
	struct procstat_file *file;
	size_t capacity;
};

/* A heap of the live processes with the smallest before_ns first. */
struct procstat_order {
	struct packet_process **heap; /* index 1 is the root */
	size_t count, capacity;
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
	bool in_hand;

	uint32_t tick_ps; /* tick of the stream; 0 if not yet known */
	/* packets with this tick, including those of the head; those that have arrived */
	uint64_t votes, taken;
	uint64_t others; /* packets with another tick */
	/* the first of these, as long as their tick can still win; or NULL */
	struct procstat_other *other;
	size_t other_count, other_at;
	bool again; /* other[other_at..) must be processed */

	struct sequence sequence;
	struct procstat_order order;
	struct procstat_held *held; /* NULL until first needed */
	size_t held_count;
	uint32_t packet_life; /* generation of the process of the current packet */
	struct procstat_files files;
	int64_t epoch_ns;
	/* damaged bytes, number of damaged regions, offset of the first */
	uint64_t damaged, damages, first_damage;
	const char *first_why;
	uint64_t unknown;
	bool cut, counted;
	int64_t latest_ns; /* start of the latest event emitted */

	struct emit emit;
};

/* Events */

static inline int64_t procstat_ns(const struct procstat *s, uint64_t ticks)
{
	return packet_ticks_to_ns(ticks, s->tick_ps);
}

void procstat_emit_trace(struct procstat *s);
void procstat_emit_process(struct procstat *s, const struct packet_process *who,
			   const struct packet *p);
void procstat_emit_open(struct procstat *s, const struct packet_process *who,
			const struct packet *p, const struct tracked_file *f);
void procstat_emit_inherited(struct procstat *s, const struct packet_process *who, uint32_t number,
			     const struct tracked_file *f, int64_t place_ns);
void procstat_emit_close(struct procstat *s, const struct packet_process *who,
			 const struct packet *p);
void procstat_emit_exit(struct procstat *s, const struct packet_process *who,
			const struct packet *p);
void procstat_emit_records(struct procstat *s, const struct packet_process *who,
			   const struct packet *p, uint32_t object);
void procstat_emit_lost(struct procstat *s, const struct packet_range *lost);
void procstat_emit_damage(struct procstat *s);
void procstat_emit_others(struct procstat *s);

/* Order */

/*
 * Adds a process, or moves it to the position of its current before_ns. Returns false if out of
 * memory.
 */
bool procstat_order_set(struct procstat_order *o, struct packet_process *who);
void procstat_order_remove(struct procstat_order *o, struct packet_process *who);
/* Returns the smallest before_ns, INT64_MAX if no process is alive. */
int64_t procstat_order_min(const struct procstat_order *o);

/* Held packets: they arrived before packets of the same process that may still arrive */

enum { PROCSTAT_HELD_MAX = 2 * SEQUENCE_WINDOW };

struct procstat_held {
	struct packet_process *who;
	uint32_t life;
	struct packet packet;
	unsigned char bytes[PACKET_MAX];
};

bool procstat_holds(const struct procstat *s, const struct packet_process *who);
/* Returns true if the current packet has to wait. */
bool procstat_must_wait(const struct procstat *s, const struct packet_process *who);
/* Returns false if out of memory. */
bool procstat_hold(struct procstat *s, struct packet_process *who);
/*
 * Moves a packet that has waited long enough to s->packet. Returns its process, NULL if there is no
 * such packet.
 */
struct packet_process *procstat_ready(struct procstat *s);

/* Ticks */

enum { PROCSTAT_OTHER_MAX = 64 };

struct procstat_other {
	struct packet packet;
	unsigned char bytes[PACKET_MAX];
};

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
