/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verified reading (IOT_SET_VERIFIED): before any line of an interval is decoded, the decoder looks
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

#include "decoder.h"
#include "lib/base/tempfile.h"

enum { HELD_DEFAULT = 1 << 26 }; /* bytes of an interval kept in memory */

/* How a range of text ends. */
enum close {
	CLOSE_SYNC,
	CLOSE_END,
	CLOSE_BROKEN, /* a %sync or %end that cannot be parsed, or an overlong line */
	CLOSE_INPUT,  /* the end of the input, or damaged compressed data */
};

enum lookahead_mode {
	LOOKAHEAD_UNDECIDED, /* whether the trace is framed is not known yet */
	LOOKAHEAD_VERIFYING,
	LOOKAHEAD_PASSING, /* nothing is verified: an unframed trace, or the text after %end */
};

/* While the decoder skips. */
enum resumption {
	RESUME_NOWHERE,
	RESUME_MAYBE,  /* `resume` begins the next interval */
	RESUME_PROVEN, /* the interval after `resume` is proven */
};

struct lookahead {
	XXH3_state_t *hash;
	uint64_t left; /* bytes of the current range that the decoder has not consumed */
	enum lookahead_mode mode;
	bool at_end;      /* the current range is the last one */
	bool hash_ok;     /* the hash of the current range matches */
	bool known_start; /* the start of the next interval is known; see the header comment */
	/* the %sync at which reading may resume agrees with the preceding text */
	bool corroborated;
	bool tick_unproven; /* %iotrace with the tick is not proven */
	enum resumption resumption;
	struct sync_directive resume;
	const struct sync_directive *segment_end; /* ends the input of a segment; or NULL */

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
void lookahead_free(struct lookahead *look);
/* Restarts the input at a byte of the source. */
void lookahead_reset(struct lookahead *look, uint64_t at);

/*
 * As bufreader_peek and bufreader_consume on the decoder's bufreader, limited to the current range.
 */
const char *decoder_look(struct decoder *d, size_t want, size_t *have);
void decoder_consume(struct decoder *d, size_t n);

/* Returns whether intervals are verified before they are decoded. */
static inline bool decoder_looks_ahead(const struct decoder *d)
{
	return d->lookahead != NULL && d->lookahead->mode != LOOKAHEAD_PASSING;
}

#endif
