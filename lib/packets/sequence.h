/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has been seen of each process of a packet stream: which sequence numbers are missing, which
 * come twice. A number that is left out may still come: it counts as lost when so many packets of
 * the stream have gone by without it. In bounded memory, whatever the stream has in it.
 */
#ifndef LIB_PACKETS_SEQUENCE_H
#define LIB_PACKETS_SEQUENCE_H

#include "packet.h"

enum {
	SEQUENCE_WINDOW = 64,   /* packets of the stream */
	SEQUENCE_RANGES = 1024, /* missing ranges remembered */
	SEQUENCE_COMPACT_AT =
	    1 << 16,                  /* processes from which those that have ended are forgotten */
	SEQUENCE_PROCESSES = 1 << 20, /* processes at a time */
};

struct packet_process {
	uint32_t number; /* of the packets */
	uint32_t id;     /* in the trace: another one where the system has used a number again */
	uint32_t start_crc;
	uint32_t life; /* times that it has begun anew */
	bool started, ended;
	uint64_t next; /* sequence number */
	uint64_t wall; /* latest clock of a header, in ticks */
	/* For the caller */
	uint32_t parent;    /* an id; 0: not known */
	uint32_t ancestors; /* where its ancestors are kept */
	int64_t before_ns;  /* no I/O still to come starts before this */
	size_t place;       /* in a heap of those alive; 0: not in it */
};

struct packet_range {
	uint32_t number, id; /* of the process */
	bool lost, reported;
	uint64_t first, count; /* sequence numbers; count 0: free */
	uint64_t noticed;      /* packets of the stream before it */
	uint64_t wall;         /* ticks: where in time the packets are missing */
};

struct sequence {
	struct packet_process **process; /* open addressing, by number */
	size_t count, capacity, ended;
	uint64_t seed;
	uint32_t aliases; /* ids given to numbers that came again */
	struct packet_range range[SEQUENCE_RANGES];
	size_t ranges, waiting, untold; /* waiting: not lost yet; untold: lost, not yet told */
	uint64_t packets;               /* good ones, duplicates too */
	uint64_t duplicates, lost, found, processes;
	uint64_t wall; /* latest clock of a header */
};

void sequence_init(struct sequence *l);
void sequence_free(struct sequence *l);

enum sequence_verdict {
	SEQUENCE_NEW,       /* go on with it */
	SEQUENCE_BEGINS,    /* the same; its process begins, or begins anew (by exec, or reuse) */
	SEQUENCE_DUPLICATE, /* skip it */
	SEQUENCE_NO_MEMORY,
	SEQUENCE_FULL, /* too many processes */
};

/* Enters a good packet; *who is its process until the next call. */
enum sequence_verdict sequence_accept(struct sequence *l, const struct packet *p,
				      struct packet_process **who);
/* The process has sent its exit packet. */
void sequence_end_process(struct sequence *l, struct packet_process *who);
/* The stream has ended: all that is missing is lost. */
void sequence_end(struct sequence *l);

/*
 * A range that is lost and has not been told yet; false: none. To be asked until false after each
 * packet: of too many, the oldest are forgotten.
 */
bool sequence_lost(struct sequence *l, struct packet_range *range);
/* The earliest place in time where something is missing that is not told; UINT64_MAX: nowhere. */
uint64_t sequence_hole(const struct sequence *l);

/* The lowest number of this process that is missing and may still come; UINT64_MAX: none. */
uint64_t sequence_missing(const struct sequence *l, const struct packet_process *who);

/* NULL: not known. */
struct packet_process *sequence_find(const struct sequence *l, uint32_t number);

#endif
