/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intervals of a trace between its %syncs, as they were found in a text that may be damaged, and
 * which of them can be kept.
 *
 * What is between two %syncs is proven by the xxh3= of the second, or by the checksum of the frame
 * that holds it and the %sync before it. Where it belongs (the record= and time= before it) is told
 * three times: by what was before it, by the %sync that opens it, and by the one that closes it,
 * counted back. No hash covers the %sync lines themselves, and text may have been taken away just
 * behind one: so the one that closes it has to agree with one of the others, or the interval behind
 * it decides. Only a frame whose checksum holds ties a %sync to the text behind it.
 */
#ifndef LIB_VERIFY_INTERVALS_H
#define LIB_VERIFY_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iot_proof { IOT_PROOF_NONE, IOT_PROOF_HASH, IOT_PROOF_FRAME };

enum iot_fate {
	IOT_FATE_LOST,
	IOT_FATE_KEPT,
	IOT_FATE_REPEATED,   /* was there before */
	IOT_FATE_UNVERIFIED, /* could be kept, but nothing proves it */
};

/* What a %sync tells; known: it could be read. */
struct iot_mark {
	bool known;
	uint64_t record, time;
};

struct iot_interval {
	uint64_t from,
	    to; /* of the text that can be kept, if any can: behind one %sync, before another */
	uint64_t line; /* the first */
	struct iot_mark open, close;
	bool at_start;    /* nothing is before it: record 0, time 0 */
	bool from_header; /* a %iotrace is in it, which was not the first line of the input */
	bool follows;     /* the %sync that opens it is the one that closes the interval before */
	bool open_proven; /* the %sync that opens it is in a frame whose checksum holds */
	bool is_last;     /* closed by %end: close has no time */
	enum iot_proof proof;
	uint64_t records;  /* of that text */
	int64_t ticks;     /* from the record before it to its last one */
	uint64_t hash;     /* of all of its text */
	uint64_t why_line; /* of the first damage; 0: none */
	const char *why;   /* static */

	bool again; /* by iot_intervals_add: perfect ones up to this record have been before */

	/* by iot_intervals_settle */
	enum iot_fate fate;
	uint64_t record, time; /* where it begins */
};

enum { IOT_INTERVALS_MAX = 1 << 18 }; /* entries */

struct iot_intervals {
	struct iot_interval *entry;
	size_t count, room;
	uint64_t high; /* record behind all that are perfect */
};

/* Perfect neighbours become one entry. IOT_OK, IOT_ENOMEM, IOT_ELIMIT. */
int iot_intervals_add(struct iot_intervals *t, const struct iot_interval *e);
void iot_intervals_free(struct iot_intervals *t);

/* Sets fate and place of all. keep_unverified: also what only decodes and fits in between. */
void iot_intervals_settle(struct iot_intervals *t, bool keep_unverified);

#endif
