/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verified reading (IOT_SET_VERIFIED): before any line of an interval is decoded, the reader looks
 * ahead to the %sync or %end that ends it and verifies the hash of the text. The text is kept in
 * the bufreader, or in a temporary file if it exceeds the limit; or it is read twice, if the source
 * allows that and it costs less.
 *
 * The hash proves an interval whose start is known: at the beginning of the trace, and after a
 * proven interval. After damage and after a seek, record= and time= of the %sync that begins an
 * interval are not proven, because no hash covers that line: the interval is first decoded without
 * being delivered, and must arrive at the values of the %sync that ends it. An interval that is not
 * proven is decoded, too, for the error message, but muted.
 */
#ifndef LIB_READER_LOOKAHEAD_H
#define LIB_READER_LOOKAHEAD_H

#include <xxhash.h>

#include "reader_internal.h"
#include "lib/base/tempfile.h"

enum { HELD_DEFAULT = 1 << 26 }; /* bytes of an interval kept in memory */

/* How a range of text ends. */
enum close {
	CLOSE_SYNC,
	CLOSE_END,
	CLOSE_BROKEN, /* a %sync or %end that cannot be parsed, or an overlong line */
	CLOSE_INPUT,  /* the end of the input, or damaged compressed data */
};

struct lookahead {
	XXH3_state_t *hash;
	uint64_t left;    /* bytes of the current range that the reader has not consumed */
	bool decided;     /* whether the trace is framed has been determined */
	bool passing;     /* nothing is verified: an unframed trace, or the text after %end */
	bool at_end;      /* the current range is the last one */
	bool hash_ok;     /* the hash of the current range matches */
	bool known_start; /* the start of the next interval is known; see the header comment */
	/* the %sync at which reading may resume agrees with the preceding text */
	bool corroborated;
	bool resuming;      /* the reader skips, and `resume` begins the next interval */
	bool resumes;       /* the interval after `resume` is proven */
	bool tick_unproven; /* %iotrace with the tick is not proven */
	struct sync_directive resume;
	const struct sync_directive *part_end; /* ends the input of a segment's reader; or NULL */

	/* While muted: the state to restore if an interval turns out not to be proven. */
	struct iot_codec *saved_codec;
	size_t saved_size;
	uint64_t saved_index;

	uint64_t limit; /* maximum bytes in memory */
	struct error error;
	struct tempfile spill;
	uint64_t spill_at;
	struct bufreader *replay; /* reads the spilled text; NULL if none */
	uint64_t origin;          /* source offset at which the text below begins ... */
	uint64_t text;            /* ... and its size before the current range */
	bool resynced;            /* the position of the text in the source is no longer known */
	uint64_t dropped;         /* bytes of the current range to be read again from the source */
};

/* Returns NULL if out of memory. */
struct lookahead *lookahead_new(uint64_t limit);
void lookahead_free(struct lookahead *a);
/* Restarts the input at a byte of the source. */
void lookahead_reset(struct lookahead *a, uint64_t at);

/*
 * As bufreader_peek and bufreader_consume on the reader's bufreader, limited to the current range.
 */
const char *reader_look(struct iot_reader *r, size_t want, size_t *have);
void reader_consume(struct iot_reader *r, size_t n);

/* Returns whether intervals are verified before they are decoded. */
static inline bool reader_looks_ahead(const struct iot_reader *r)
{
	return r->lookahead != NULL && !r->lookahead->passing;
}

/* Ends a muted interval: restores the state and counts from before it. */
void reader_unmute(struct iot_reader *r);
/*
 * Applies the tick of a %iotrace in a muted interval. canonical: the line is as a writer produces
 * it.
 */
void reader_ambiguity_tick(struct iot_reader *r, uint64_t tick_ns, bool canonical);
/* Returns whether the tick is proven or given; otherwise sets an error. */
bool reader_trusts_tick(struct iot_reader *r);
/*
 * Resumes after damaged intervals: the text after the %sync `resume` is proven. Returns false if it
 * must wait for the next call.
 */
bool reader_resume(struct iot_reader *r, struct event_batch *b);

#endif
