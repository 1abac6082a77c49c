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

enum proof { PROOF_NONE, PROOF_HASH, PROOF_FRAME };

enum disposition {
	DISPOSITION_LOST,
	DISPOSITION_KEPT,
	DISPOSITION_REPEATED,   /* was there before */
	DISPOSITION_UNVERIFIED, /* could be kept, but nothing proves it */
};

/* What a %sync tells; known: it could be read. */
struct mark {
	bool known;
	uint64_t record, time;
};

struct interval {
	uint64_t from,
	    to; /* of the text that can be kept, if any can: behind one %sync, before another */
	uint64_t line; /* the first */
	struct mark open, close;
	bool at_start;    /* nothing is before it: record 0, time 0 */
	bool from_header; /* a %iotrace is in it, which was not the first line of the input */
	bool follows;     /* the %sync that opens it is the one that closes the interval before */
	bool open_proven; /* the %sync that opens it is in a frame whose checksum holds */
	bool is_last;     /* closed by %end: close has no time */
	enum proof proof;
	uint64_t records;  /* of that text */
	int64_t ticks;     /* from the record before it to its last one */
	uint64_t hash;     /* of all of its text */
	uint64_t why_line; /* of the first damage; 0: none */
	const char *why;   /* static */

	bool again; /* by intervals_add: perfect ones up to this record have been before */

	/* by intervals_settle */
	enum disposition disposition;
	uint64_t record, time; /* where it begins */
};

enum { INTERVALS_MAX = 1 << 18 }; /* entries */

struct intervals {
	struct interval *entry;
	size_t count, capacity;
	uint64_t high; /* record behind all that are perfect */
};

/* Perfect neighbours become one entry. IOT_OK, IOT_ENOMEM, IOT_ELIMIT. */
int intervals_add(struct intervals *t, const struct interval *e);
void intervals_free(struct intervals *t);

/* Sets fate and place of all. keep_unverified: also what only decodes and fits in between. */
void intervals_settle(struct intervals *t, bool keep_unverified);

#endif
