/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks sequence numbers per process of a packet stream: detects missing and duplicate packets. A
 * missing number may still arrive: it counts as lost after SEQUENCE_WINDOW further packets of the
 * stream. Memory is bounded, whatever the stream contains.
 */
#ifndef LIB_PACKETS_SEQUENCE_H
#define LIB_PACKETS_SEQUENCE_H

#include "lib/base/idmap.h"
#include "packet.h"

enum {
	SEQUENCE_WINDOW = 64,          /* reorder window: packets of the stream */
	SEQUENCE_RANGES = 1024,        /* missing ranges tracked */
	SEQUENCE_COMPACT_AT = 1 << 16, /* number of processes above which ended ones are removed */
	SEQUENCE_PROCESSES = 1 << 20,  /* maximum number of tracked processes */
};

struct packet_process {
	uint32_t number; /* as in the packets */
	uint32_t id;     /* id in the trace; differs from the number if the system reused it */
	uint32_t start_crc;
	uint32_t generation; /* number of restarts */
	bool started, ended;
	uint64_t next; /* next expected sequence number */
	uint64_t wall; /* latest clock in a header, in ticks */
	/* For the caller */
	uint32_t parent;    /* an id; 0 if unknown */
	uint32_t ancestors; /* index of its ancestors */
	int64_t before_ns;  /* no later I/O starts before this time */
	size_t heap_index;  /* in a heap of live processes; 0 if not in it */
};

struct packet_range {
	uint32_t number, id; /* of the process */
	bool lost, reported;
	uint64_t first, count; /* sequence numbers; count 0: unused */
	uint64_t noticed;      /* packets of the stream before the gap was noticed */
	uint64_t wall;         /* ticks: time at which the packets are missing */
};

struct sequence {
	struct idmap numbers;
	struct packet_process **process; /* by index in numbers; NULL: unused */
	size_t capacity, count, ended;
	uint32_t aliases; /* ids assigned to reused numbers */
	struct packet_range range[SEQUENCE_RANGES];
	size_t ranges, waiting; /* waiting: not yet lost */
	size_t unreported;      /* lost, not yet reported */
	uint64_t packets;       /* good packets, including duplicates */
	uint64_t duplicates, lost, found, processes;
	uint64_t wall; /* latest clock in a header */
};

void sequence_init(struct sequence *s);
void sequence_free(struct sequence *s);

enum sequence_verdict {
	SEQUENCE_NEW, /* process the packet */
	/*
	 * process the packet; its process starts, or restarts (by exec, or by reuse of its number)
	 */
	SEQUENCE_BEGINS,
	SEQUENCE_DUPLICATE, /* skip the packet */
	SEQUENCE_NO_MEMORY,
	SEQUENCE_FULL, /* too many processes */
};

/* Accepts a good packet; *who is its process, valid until the next call. */
enum sequence_verdict sequence_accept(struct sequence *s, const struct packet *p,
				      struct packet_process **who);
/* Records that the process has sent its exit packet. */
void sequence_end_process(struct sequence *s, struct packet_process *who);
/* Ends the stream: all missing packets are lost. */
void sequence_end(struct sequence *s);

/*
 * Returns true with the next lost range that has not been reported; false if none is left. Call it
 * after each packet until it returns false: if ranges become too many, the oldest are dropped.
 */
bool sequence_pop_lost(struct sequence *s, struct packet_range *range);
/* Returns the earliest time of an unreported gap; UINT64_MAX if none. */
uint64_t sequence_earliest_gap(const struct sequence *s);

/* Returns the lowest missing number of this process that may still arrive; UINT64_MAX if none. */
uint64_t sequence_missing(const struct sequence *s, const struct packet_process *who);

/* Returns NULL if the process is unknown. */
struct packet_process *sequence_find(const struct sequence *s, uint32_t number);

#endif
