/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder turns one input, a trace or a segment of one, into events. A reader has one, and so
 * does each thread of a parallel reader.
 *
 * decoder.c opens the input, splits it into lines and fills batches; decoder_framing.c verifies
 * the framing and recovers from damage; lookahead.c verifies intervals before they are decoded;
 * decoder_state.c has what all of these use: errors, the codec, and the events delivered.
 */
#ifndef LIB_READER_DECODER_H
#define LIB_READER_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "lib/base/error.h"
#include "lib/format/definitions.h"
#include "lib/format/directive_codec.h"
#include "lib/format/framing.h"
#include "lib/io/bufreader.h"

/* Fixed when the input is opened. */
struct reader_settings {
	bool verify, recover, read_ahead, verified, tick_given, allow_empty, decompressed, names;
	uint64_t window_max, read_size, tick_ns, base, memory_max, held_max, threads;
	void (*warn)(void *context, const char *sentence);
	void *warn_context;
};

/*
 * What has been read of the input. START -> BODY -> ENDED -> COMPLETE is a framed trace, START ->
 * BODY -> COMPLETE an unframed one; a seek goes back to START.
 */
enum trace_progress {
	TRACE_START, /* blank lines at most */
	TRACE_BODY,
	TRACE_CUT,      /* its last line is truncated */
	TRACE_ENDED,    /* %end has been read: blank lines may follow */
	TRACE_EMPTY,    /* the end of an input without lines, which is allowed */
	TRACE_COMPLETE, /* a valid end */
};

/* Damage begins recovery; a %sync from which reading can resume ends it. */
enum recovery {
	RECOVERY_NONE,
	RECOVERY_SKIPPING,  /* lines are dropped */
	RECOVERY_LONG_LINE, /* so is the rest of an overlong line, which follows */
};

/* Verifies framing: hashes, numbers of records, and the loss if they do not match. */
struct sync_checker {
	XXH3_state_t *hash;
	const char *hashed; /* end of the part of the block that has been hashed */
	enum recovery recovery;
	uint64_t interval_records; /* sync= of %iotrace */
	uint64_t intervals;        /* number of %syncs accepted */
	uint64_t interval_at;      /* number of the record after the last %sync */
	uint64_t lost, lost_records, unverified;
	uint64_t reported_comments; /* comments= of %end */
	char damage[512];           /* starts the recovery: for why=, and for an error */
};

/* Whole lines of the input; those up to `cur` are decoded. */
struct text_block {
	const char *begin, *cur, *end; /* LF is at end[-1] */
	size_t shown;                  /* bytes to consume from the bufreader after the block */
	char *tail;                    /* the last line, with LF added */
};

/* Texts of events that differ from the text of the line. */
struct text_arena {
	char *text;
	size_t size, used;
};

/*
 * The state before an unverified interval, which is decoded without being delivered; restored if
 * the interval turns out not to be proven.
 */
struct muted_from {
	struct iot_codec *codec; /* NULL: not muted */
	size_t codec_size;
	uint64_t index;
};

/* Receives, besides the batch, each directive and comment, and records of undefined files. */
struct decoder_output {
	void (*directive)(void *context, const struct iot_event *ev, size_t place);
	void (*undefined)(void *context, const struct iot_record *rec);
	void *context;
};

struct decoder {
	struct error error;
	const struct reader_settings *settings;
	const char *name; /* NULL until the input is opened; owned by the bufreader */
	struct bufreader *bufreader;
	struct lookahead *lookahead; /* NULL: intervals are verified as they are delivered */
	struct iot_codec *codec;
	size_t codec_size;
	uint64_t version;                   /* of %iotrace; 0: not known */
	struct directive_codec *directives; /* NULL in version 1 and without framing */
	struct muted_from muted;
	struct definitions names;
	struct text_arena arena;
	struct text_block block;
	struct blank_run blanks;
	struct sync_checker sync;
	enum trace_progress progress;
	bool framed;         /* %iotrace, or a %sync as first line, has been read */
	bool lacks_late;     /* a %trace lacks= follows a record */
	bool midway;         /* the first line that was read is a %sync */
	bool entered;        /* lines are counted from the %sync of a seek, ... */
	uint64_t entered_at; /* ... which precedes this record */
	bool limited;        /* the input ends where the next line is `limit` */
	struct sync_directive limit;
	uint64_t lines, records, comments, text_bytes, warnings;
	uint64_t index;               /* records so far, including lost ones */
	struct decoder_output output; /* its functions are NULL if there is none */
};

/* The destination of a call's results: events, or records only. */
struct event_batch {
	struct iot_event *events; /* NULL: records only */
	struct iot_record *records;
	size_t stride, max, n;
	size_t untimed; /* all events from here on are records */
};

static inline void batch_add(struct event_batch *b, const struct iot_event *ev)
{
	b->events[b->n++] = *ev;
	b->untimed = b->n;
}

static inline bool decoder_is_muted(const struct decoder *d)
{
	return d->muted.codec != NULL;
}

static inline bool decoder_is_skipping(const struct decoder *d)
{
	return d->sync.recovery != RECOVERY_NONE;
}

/* Returns whether a valid end has been reported. */
static inline bool decoder_is_done(const struct decoder *d)
{
	return d->progress == TRACE_EMPTY || d->progress == TRACE_COMPLETE;
}

/* Returns the bytes of text decoded. */
static inline uint64_t decoder_text_bytes(const struct decoder *d)
{
	return d->text_bytes +
	       (d->block.begin != NULL ? (uint64_t)(d->block.cur - d->block.begin) : 0);
}

/* decoder.c */

/* Returns false if out of memory. The settings are borrowed. */
bool decoder_init(struct decoder *d, const struct reader_settings *settings);
void decoder_free(struct decoder *d);
/* Creates the bufreader, to be opened next. */
int decoder_prepare(struct decoder *d, const char *name);
/* Creates the codec state from the first lines. */
int decoder_make_codec(struct decoder *d);

/* Functions below that return bool return true while the batch can continue. */

/* Ensures a block that is not empty. Returns false at the end or on error. */
bool decoder_more(struct decoder *d, struct event_batch *b);
/* Advances to the next block. Returns 1; 0 at the end of the input; or a negative status. */
int decoder_next_block(struct decoder *d);
/* Processes one run of records, or one other line. */
bool decoder_step(struct decoder *d, struct event_batch *b);
/* Fills a batch. Returns the number of events; 0 at the end; or a negative status. */
ssize_t decoder_pull(struct decoder *d, struct event_batch *b);
/* Gives untimed events the start of the event that follows. */
void batch_place_untimed(struct event_batch *b);

/* The members that a step with progress changes: loops over steps stop at one without progress. */
struct decoder_snapshot {
	const char *cur;
	size_t codec_size;
	bool skipping, ended, muted;
};

static inline struct decoder_snapshot decoder_snapshot(const struct decoder *d)
{
	return (struct decoder_snapshot){d->block.cur, d->codec_size, decoder_is_skipping(d),
					 d->progress == TRACE_ENDED, decoder_is_muted(d)};
}

static inline bool decoder_moved(const struct decoder *d, struct decoder_snapshot before)
{
	return d->block.cur != before.cur || d->codec_size != before.codec_size ||
	       decoder_is_skipping(d) != before.skipping ||
	       (d->progress == TRACE_ENDED) != before.ended ||
	       decoder_is_muted(d) != before.muted || d->error.status != IOT_OK;
}

/* decoder_state.c */

/* Rejects an invalid call; an open input remains unchanged. Returns IOT_EUSAGE. */
int decoder_refuse(struct decoder *d, const char *why);
bool decoder_fail(struct decoder *d, int status, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool decoder_fail_memory(struct decoder *d, int status);
/* Fails at a line that a step has not passed, with no event in the batch. */
bool decoder_stuck(struct decoder *d);
/* Reports damage at the current line: sets an error, or starts recovery if enabled. */
bool decoder_damaged(struct decoder *d, unsigned column, const char *sentence);
/* The same for damage in a line other than framing: the interval will not be verified. */
bool decoder_broken(struct decoder *d, unsigned column, const char *sentence);
/* Counts the records since the last %sync as unverified. */
void decoder_count_unverified(struct decoder *d);

/* Prepares for encoded directives, unless the version is known to have none. */
bool decoder_prepare_directives(struct decoder *d);
/* Resets the state of records and directives, as at a %sync. */
void decoder_forget_state(struct decoder *d);

bool decoder_mute(struct decoder *d);
/* Ends a muted interval: restores the state and counts from before it. */
void decoder_unmute(struct decoder *d);
bool decoder_grow_codec(struct decoder *d);
/* Returns the start of the previous record. */
int64_t decoder_last_start_ns(const struct decoder *d);

/*
 * Reserves capacity for a text after arena.used; decoder_deliver keeps it. Returns 1; 0 if the
 * batch must end first; or a negative status.
 */
int decoder_arena_reserve(struct decoder *d, size_t need);
/*
 * Adds a comment or directive to the batch, if it accepts events. Without a time of its own it gets
 * the time of the last record.
 */
void decoder_deliver(struct decoder *d, struct event_batch *b, struct iot_event *ev);

static inline void decoder_step_over(struct decoder *d, const struct text_line *l)
{
	d->block.cur = l->next;
	d->lines++;
}

/* decoder_framing.c */

void decoder_hash_up_to(struct decoder *d, const char *p);
/* Process a blank line; %iotrace, %sync and %end; any line after %end. */
bool decoder_blank_line(struct decoder *d, const struct text_line *l);
bool decoder_header_line(struct decoder *d, const struct text_line *l);
bool decoder_sync_line(struct decoder *d, struct event_batch *b, const struct text_line *l);
bool decoder_end_line(struct decoder *d, struct event_batch *b, const struct text_line *l);
bool decoder_after_end(struct decoder *d);
/* Returns whether this %sync would be valid at the decoder's position. */
bool decoder_sync_holds(struct decoder *d, const struct sync_directive *s);
/* Returns whether the tick is proven or given; otherwise sets an error. */
bool decoder_trusts_tick(struct decoder *d);

/* Recovery: drops the current line, unless reading can resume at it. */
bool decoder_skip_line(struct decoder *d, struct event_batch *b);
/*
 * Resumes after damaged intervals: the text after the %sync from which to resume is proven. Returns
 * false if it must wait for the next call.
 */
bool decoder_resume(struct decoder *d, struct event_batch *b);
/* Recovers from damaged compressed data; returns true if more input follows. */
bool decoder_resync(struct decoder *d);
/* Handles the end of the input: sets a sticky error, or the final progress. */
void decoder_at_end(struct decoder *d, struct event_batch *b);

/* seek.c */

/*
 * Continues at a byte of the file, at a %sync or the beginning; the caller sets definitions, clocks
 * and counts.
 */
int decoder_begin_at(struct decoder *d, uint64_t at);
/* Decodes and drops `records` records, then other lines up to line number `lines`. */
void decoder_read_over(struct decoder *d, uint64_t records, uint64_t lines);
/* Applies the lines up to the first record, at most lines_max; without `all`, only %iotrace. */
void decoder_read_head(struct decoder *d, bool all, uint64_t lines_max);
int decoder_forget_definitions(struct decoder *d, bool texts);

#endif
