/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intervals of a possibly damaged trace between its %syncs, and which of them can be kept.
 *
 * The text between two %syncs is proven by the xxh3= of the second, or by the checksum of the frame
 * that contains it and the preceding %sync. Its position (record= and time= before it) is declared
 * three times: by the preceding interval, by the %sync that begins it, and by the one that ends it,
 * counted back. No hash covers the %sync lines themselves, and text may be missing directly after
 * one: so the one that ends the interval must agree with one of the others, or the following
 * interval decides. Only a frame with a valid checksum binds a %sync to the text after it.
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
	DISPOSITION_REPEATED,   /* a repetition of an earlier interval */
	DISPOSITION_READABLE,   /* not proven, and not kept */
	DISPOSITION_UNVERIFIED, /* not proven, and kept on request */
};

/* The values of a %sync; known: it could be parsed. */
struct position {
	bool known;
	uint64_t record, time;
};

struct interval {
	uint64_t from, to; /* the text that can be kept, if any: after one %sync, before another */
	uint64_t line;     /* number of the first line */
	struct position open, close;
	bool at_start;    /* nothing precedes it: record 0, time 0 */
	bool from_header; /* contains a %iotrace that was not the first line of the input */
	bool follows;     /* the %sync that begins it ends the preceding interval */
	bool open_proven; /* the %sync that begins it is in a frame with a valid checksum */
	bool is_last;     /* ended by %end: close has no time */
	enum proof proof;
	uint64_t records;  /* in that text */
	int64_t ticks;     /* from the record before it to its last record */
	uint64_t hash;     /* of all its text */
	uint64_t why_line; /* line of the first damage; 0: none */
	const char *why;   /* a static string */

	/* set by intervals_add: intact intervals up to this record have occurred before */
	bool again;

	/* set by intervals_settle */
	enum disposition disposition;
	uint64_t record, time; /* position of its beginning */
};

enum { INTERVALS_MAX = 1 << 18 }; /* entries */

struct intervals {
	struct interval *entry;
	size_t count, capacity;
	uint64_t high; /* number of the record after all intact intervals */
};

/*
 * Adds an interval; intact neighbours are merged into one entry. Returns IOT_OK, IOT_ENOMEM,
 * IOT_ELIMIT.
 */
int intervals_add(struct intervals *all, const struct interval *interval);
void intervals_free(struct intervals *all);

/*
 * Sets disposition and position of all. keep_unverified: also keeps intervals that only decode and
 * fit between the others.
 */
void intervals_settle(struct intervals *all, bool keep_unverified);

#endif
