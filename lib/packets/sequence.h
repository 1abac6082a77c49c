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
	IOT_LEDGER_PATIENCE = 64,  /* packets of the stream */
	IOT_LEDGER_RANGES = 1024,  /* missing ranges remembered */
	IOT_LEDGER_TIDY = 1 << 16, /* processes from which those that have ended are forgotten */
	IOT_LEDGER_PROCESSES = 1 << 20, /* processes at a time */
};

struct iot_packet_process {
	uint32_t number; /* of the packets */
	uint32_t id;     /* in the trace: another one where the system has used a number again */
	uint32_t start_crc;
	uint32_t life; /* times that it has begun anew */
	bool started, ended;
	uint64_t next; /* sequence number */
	uint64_t wall; /* latest clock of a header, in ticks */
	/* For the caller */
	uint32_t parent;   /* an id; 0: not known */
	uint32_t kin;      /* where its ancestors are kept */
	int64_t before_ns; /* no I/O still to come starts before this */
	size_t place;      /* in a heap of those alive; 0: not in it */
};

struct iot_packet_range {
	uint32_t number, id; /* of the process */
	bool lost, told;
	uint64_t first, count; /* sequence numbers; count 0: free */
	uint64_t noticed;      /* packets of the stream before it */
	uint64_t wall;         /* ticks: where in time the packets are missing */
};

struct iot_ledger {
	struct iot_packet_process **process; /* open addressing, by number */
	size_t count, room, ended;
	uint64_t seed;
	uint32_t aliases; /* ids given to numbers that came again */
	struct iot_packet_range range[IOT_LEDGER_RANGES];
	size_t ranges, waiting, untold; /* waiting: not lost yet; untold: lost, not yet told */
	uint64_t packets;               /* good ones, duplicates too */
	uint64_t duplicates, lost, found, processes;
	uint64_t wall; /* latest clock of a header */
};

void iot_ledger_init(struct iot_ledger *l);
void iot_ledger_free(struct iot_ledger *l);

enum iot_ledger_verdict {
	IOT_LEDGER_NEW,       /* go on with it */
	IOT_LEDGER_BEGINS,    /* the same; its process begins, or begins anew (by exec, or reuse) */
	IOT_LEDGER_DUPLICATE, /* skip it */
	IOT_LEDGER_NO_MEMORY,
	IOT_LEDGER_FULL, /* too many processes */
};

/* Enters a good packet; *who is its process until the next call. */
enum iot_ledger_verdict iot_ledger_enter(struct iot_ledger *l, const struct iot_packet *p,
					 struct iot_packet_process **who);
/* The process has sent its exit packet. */
void iot_ledger_end_process(struct iot_ledger *l, struct iot_packet_process *who);
/* The stream has ended: all that is missing is lost. */
void iot_ledger_end(struct iot_ledger *l);

/*
 * A range that is lost and has not been told yet; false: none. To be asked until false after each
 * packet: of too many, the oldest are forgotten.
 */
bool iot_ledger_lost(struct iot_ledger *l, struct iot_packet_range *range);
/* The earliest place in time where something is missing that is not told; UINT64_MAX: nowhere. */
uint64_t iot_ledger_hole(const struct iot_ledger *l);

/* The lowest number of this process that is missing and may still come; UINT64_MAX: none. */
uint64_t iot_ledger_missing(const struct iot_ledger *l, const struct iot_packet_process *who);

/* NULL: not known. */
struct iot_packet_process *iot_ledger_find(const struct iot_ledger *l, uint32_t number);

#endif
