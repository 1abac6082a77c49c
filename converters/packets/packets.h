/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the procstat converter:
 *
 *	procstat.c         packets out of the input, and what becomes of each
 *	procstat_emit.c    their events
 *	procstat_tick.c    which tick is that of the stream, and its epoch
 *	procstat_held.c    packets that wait for others of their process
 *	procstat_order.c   how far no earlier I/O can come
 *	procstat_files.c   the file behind a number
 */
#ifndef CONVERTERS_PACKETS_PACKETS_H
#define CONVERTERS_PACKETS_PACKETS_H

#include "converters/emit.h"
#include "converters/fdtable/fdtable.h"

#include "lib/base/idmap.h"
#include "lib/packets/packet.h"
#include "lib/packets/sequence.h"

enum {
	PROCSTAT_DIRECTIVE = 14 << 10, /* the longest: a path of 4 KiB, all of it encoded */
	PROCSTAT_FILES_MAX = 1 << 18,
	PROCSTAT_NAMES_MAX = 1 << 18,
	PROCSTAT_ANCESTORS_MAX = 1 << 18,
};

struct procstat_file {
	struct tracked_file *after;
	int64_t opened_ns;
};

/* Where a process comes from; of one whose number is used again, too. */
struct procstat_ancestors {
	uint32_t process, parent;  /* ids; parent 0: not known */
	uint32_t parent_ancestors; /* of the parent, if that still has its id */
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

/* Those alive, the one with the least before_ns first. */
struct procstat_order {
	struct packet_process **heap; /* from 1 */
	size_t count, capacity;
};

struct procstat {
	struct source_state *src;
	struct bufreader *bufreader;
	size_t member;
	bool ended, began, waited; /* waited: it was told that the input pauses */
	size_t used;               /* of the window, by the packet in hand */
	uint64_t at;               /* bytes before the window, of this member */
	struct packet_scan scan;
	struct packet packet;
	bool in_hand;

	uint32_t tick_ps;             /* of the stream; 0: not known yet */
	uint64_t votes, taken;        /* packets that have it; those of them that arrived */
	uint64_t others;              /* packets with another tick */
	struct procstat_other *other; /* the first of these, as long as they can prevail; or NULL */
	size_t other_count, other_at;
	bool again; /* other[other_at ..) is to be taken */

	struct sequence sequence;
	struct procstat_order order;
	struct procstat_held *held; /* NULL: none was needed yet */
	size_t held_count;
	uint32_t packet_life; /* of its process, of the packet that is taken */
	struct procstat_files files;
	int64_t epoch_ns;
	uint64_t damaged, damages, first_damage; /* bytes, times, and where the first is */
	const char *first_why;
	uint64_t unknown;
	bool cut, counted;
	int64_t latest_ns; /* start of the latest event made */

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

/* Enters a process, or moves it to where before_ns belongs now. False: no memory. */
bool procstat_order_set(struct procstat_order *o, struct packet_process *who);
void procstat_order_remove(struct procstat_order *o, struct packet_process *who);
/* The least before_ns; INT64_MAX: nobody is alive. */
int64_t procstat_order_min(const struct procstat_order *o);

/* Packets that came before others of their process that may still come */

enum { PROCSTAT_HELD_MAX = 2 * SEQUENCE_WINDOW };

struct procstat_held {
	struct packet_process *who;
	uint32_t life;
	struct packet packet;
	unsigned char bytes[PACKET_MAX];
};

bool procstat_holds(const struct procstat *s, const struct packet_process *who);
/* Whether the packet that was read has to wait. */
bool procstat_must_wait(const struct procstat *s, const struct packet_process *who);
bool procstat_hold(struct procstat *s, struct packet_process *who); /* false: no memory */
/* One that has waited long enough becomes s->packet; its process, or NULL: none. */
struct packet_process *procstat_ready(struct procstat *s);

/* Ticks */

enum { PROCSTAT_OTHER_MAX = 64 };

struct procstat_other {
	struct packet packet;
	unsigned char bytes[PACKET_MAX];
};

/* From the head of the input: the tick of the most packets there, and the epoch. */
void procstat_tick_find(struct procstat *s);
/* Whether s->packet has the tick of the stream; if not, it is counted. *failed: no memory. */
bool procstat_tick_fits(struct procstat *s, bool *failed);
/* Puts a packet that was kept, and has the tick after all, into s->packet. False: there is none. */
bool procstat_tick_again(struct procstat *s);

/* Files */

/* NULL: no memory. created: under this name it is a new one. */
struct tracked_file *procstat_files_open(struct procstat_files *f, uint32_t process,
					 const struct packet *p, int64_t start_ns);
const struct procstat_file *procstat_files_find(const struct procstat_files *f, uint32_t process,
						uint32_t file);
/* Gives a process a file that it has inherited. False: no memory. */
bool procstat_files_add(struct procstat_files *f, uint32_t process, uint32_t file,
			struct tracked_file *after, int64_t opened_ns);
/* Remembers where a process that begins comes from; parent NULL: not known. False: no memory. */
bool procstat_ancestor_add(struct procstat_files *f, struct packet_process *who,
			   const struct packet_process *parent, int64_t began_ns);
/* NULL: not known, or forgotten. */
const struct procstat_ancestors *procstat_ancestor(const struct procstat_files *f,
						   uint32_t ancestors, uint32_t process);
void procstat_files_free(struct procstat_files *f);

#endif
