/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verified reading (IOT_SET_VERIFIED): before any line of an interval is decoded, the reader looks ahead to the %sync
 * or %end that closes it and verifies the hash of the text. The text is held in the window, or in a temporary file
 * where it exceeds the limit; or it is read twice, where the source can be and that costs less.
 *
 * The hash proves an interval whose start is known: at the beginning of the trace, and where the interval before was
 * proven. After damage and after a seek, the record= and time= of the %sync that opens an interval are not proven, as
 * no hash covers that line: the interval is decoded once without being delivered, and has to arrive at what the %sync
 * that closes it states. An interval that is not proven is decoded, too, for the sake of the message, but muted.
 */
#ifndef LIB_READER_LOOKAHEAD_H
#define LIB_READER_LOOKAHEAD_H

#include <xxhash.h>

#include "reader_internal.h"
#include "lib/base/tempfile.h"

enum { HELD_DEFAULT = 1 << 26 }; /* bytes of an interval in memory */

/* How a stretch of text ends. */
enum close {
	CLOSE_SYNC,
	CLOSE_END,
	CLOSE_BROKEN, /* a %sync or %end that cannot be parsed, or a line that is too long */
	CLOSE_INPUT,  /* the end of the input, or damaged compressed data */
};

struct lookahead {
	XXH3_state_t *hash;
	uint64_t left;      /* bytes of the stretch that the reader has not consumed */
	bool decided;       /* it is known whether the trace is framed */
	bool passing;       /* nothing is verified: a bare trace, or what follows %end */
	bool at_end;        /* the stretch is the last one */
	bool hash_ok;       /* of the stretch */
	bool known_start;   /* of the next interval, as the header comment says */
	bool corroborated;  /* the %sync at which reading may resume follows from what is before */
	bool resuming;      /* the reader skips, and `resume` opens the next interval */
	bool resumes;       /* that is proven */
	bool tick_unproven; /* of %iotrace */
	struct sync_directive resume;
	const struct sync_directive *part_end; /* closes the input of a part's reader; or NULL */

	/* While muted: what is in force again when an interval turns out not to be proven. */
	void *saved_codec;
	size_t saved_size;
	uint64_t saved_index;

	uint64_t limit; /* bytes in memory */
	struct error error;
	struct tempfile spill;
	uint64_t spill_at;
	struct bufreader *replay; /* of the spilled text, while it is shown */
	uint64_t origin;          /* the byte of the source at which the text below begins ... */
	uint64_t text;            /* ... and how much of it was shown before this stretch */
	bool resynced;            /* it is not known any more where the text is in the source */
	uint64_t dropped;         /* of this stretch, to be read again from the source */
};

/* NULL: no memory. */
struct lookahead *lookahead_new(uint64_t limit);
void lookahead_free(struct lookahead *a);
/* The input begins again at a byte of the source. */
void lookahead_reset(struct lookahead *a, uint64_t at);

/* As bufreader_peek and _consume on the reader's window, but of the current stretch alone. */
const char *reader_look(struct iot_reader *r, size_t want, size_t *have);
void reader_consume(struct iot_reader *r, size_t n);

/* Whether intervals are verified before they are decoded. */
static inline bool reader_looks_ahead(const struct iot_reader *r)
{
	return r->lookahead != NULL && !r->lookahead->passing;
}

/* Ends a muted interval: state and counts are what they were before it. */
void reader_unmute(struct iot_reader *r);
/* Takes the tick of a %iotrace in a muted interval. canonical: its line is as a writer makes it. */
bool reader_ambiguity_tick(struct iot_reader *r, uint64_t tick_ns, bool canonical);
/* Whether the tick is proven or given. False: an error. */
bool reader_trusts_tick(struct iot_reader *r);
/* The damaged intervals end here: what follows the %sync `resume` is proven. False: next call. */
bool reader_resume(struct iot_reader *r, struct event_batch *b);

#endif
