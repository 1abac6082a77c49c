/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the reader: the handle, and the steps of a pull.
 *
 * reader.c creates, configures, opens and queries a handle; decode_batch.c fills batches;
 * line_block.c splits the input into blocks of whole lines; sync.c verifies the framing and
 * recovers from damage.
 */
#ifndef LIB_READER_READER_INTERNAL_H
#define LIB_READER_READER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "lib/base/error.h"
#include "lib/format/framing.h"
#include "lib/format/definitions.h"
#include "lib/io/bufreader.h"

/* Events to be delivered before the next ones read, after a seek. */
struct deferred_events {
	struct iot_event *events;
	size_t count, capacity, next;
	size_t borrowed; /* number of leading events whose texts are in the definition table */
};

struct iot_reader {
	struct error error;
	bool verify, recover, read_ahead, verified, tick_given;
	uint64_t window_max, read_size, tick_ns, base, memory_max, held_max;
	void (*warn)(void *context, const char *sentence);
	void *warn_context;

	const char *name; /* owned by the bufreader */
	struct bufreader *bufreader;
	struct lookahead *lookahead; /* NULL: intervals are verified as they are delivered */
	struct iot_codec *codec;
	size_t codec_size;
	struct definitions names;
	XXH3_state_t *hash;
	char *arena; /* texts of events that differ from the text of the line */
	size_t arena_size, arena_used;

	const char *cur, *end; /* the rest of the block; LF is at end[-1] */
	const char *block;
	const char *hashed; /* end of the part of the block that has been hashed */
	size_t shown;       /* bytes to consume from the bufreader after the block */
	char *tail;         /* the last line, with LF added */

	bool allow_empty;
	bool begun;    /* a line that is not blank has been read */
	bool framed;   /* %iotrace has been read */
	bool ended;    /* %end has been read */
	bool cut;      /* the last line is truncated */
	bool done;     /* a valid end has been reported */
	bool skipping; /* skips lines until the next %sync */
	bool in_long;  /* while skipping, inside an overlong line */
	bool muted;    /* decodes an unverified interval without delivering it */
	uint64_t sync;
	uint64_t lines, records, comments, text_bytes;
	uint64_t index; /* records so far, including lost ones */
	uint64_t lost, lost_records, warnings, unverified;
	uint64_t intervals;   /* number of %syncs accepted */
	uint64_t interval_at; /* number of the record after the last %sync */
	struct blank_run blanks;
	uint64_t reported_comments;      /* the value of comments= in %end */
	uint64_t threads;                /* maximum decoding threads; see parallel.h */
	struct parallel_cursor *ordered; /* the output of the threads; NULL: this reader decodes */
	bool parallel_tried;
	uint64_t extra_stored;       /* to be added to the bytes that the bufreader has read */
	struct decoded_block *chunk; /* reader of a segment: receives its events; or NULL */
	bool lacks_late;             /* a %trace lacks= follows a record */
	bool entered;                /* lines are counted from the %sync of a seek */
	uint64_t entered_at;         /* number of the record after that %sync */
	struct frames *frames;
	struct deferred_events held;
	char damage[512]; /* reason for skipping: for why=, and for the error if recovery fails */
};

/* The destination of a call's results: events, or records only. */
struct event_batch {
	struct iot_event *events; /* NULL: records only */
	struct iot_record *records;
	size_t stride, max, n;
};

/* Rejects an invalid call; an open reader remains unchanged. Returns IOT_EUSAGE. */
int reader_refuse(struct iot_reader *r, const char *why);

/* Functions below that return bool return true while the batch can continue. */
bool reader_fail(struct iot_reader *r, int status, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool reader_fail_memory(struct iot_reader *r, int status);
/* Reports damage at the current line: sets an error, or starts recovery if enabled. */
bool reader_damaged(struct iot_reader *r, unsigned column, const char *sentence);
/* Counts the records since the last %sync as unverified. */
void reader_count_unverified(struct iot_reader *r);
/* The same for damage in a line other than framing: the interval will not be verified. */
bool reader_broken(struct iot_reader *r, unsigned column, const char *sentence);
void reader_warn(struct iot_reader *r, const char *sentence);

/* Processes one run of records, or one other line. */
bool reader_step(struct iot_reader *r, struct event_batch *b);

/* The members that a step with progress changes: loops over steps stop at one without progress. */
struct reader_place {
	const char *cur;
	size_t codec_size;
	bool skipping, ended, muted;
};

static inline struct reader_place reader_place(const struct iot_reader *r)
{
	return (struct reader_place){r->cur, r->codec_size, r->skipping, r->ended, r->muted};
}

static inline bool reader_moved(const struct iot_reader *r, struct reader_place before)
{
	return r->cur != before.cur || r->codec_size != before.codec_size ||
	       r->skipping != before.skipping || r->ended != before.ended ||
	       r->muted != before.muted || r->error.status != IOT_OK;
}

/* Fails at a line that a step has not passed, with no event in the batch. */
bool reader_stuck(struct iot_reader *r);
/* Creates the codec state when the first lines are examined. */
int reader_make_codec(struct iot_reader *r);
/* Ensures a block that is not empty. Returns false at the end or on error. */
bool reader_more(struct iot_reader *r, struct event_batch *b);

/*
 * Continues at a byte of the file, at a %sync or the beginning; the caller sets definitions, clocks
 * and counts.
 */
int reader_begin_at(struct iot_reader *r, uint64_t at);
/* Decodes and drops `records` records, then other lines up to line number `lines`. */
void reader_read_over(struct iot_reader *r, uint64_t records, uint64_t lines);
/* Applies the lines up to the first record, at most lines_max; without `all`, only %iotrace. */
void reader_read_head(struct iot_reader *r, bool all, uint64_t lines_max);
int reader_forget_definitions(struct iot_reader *r, bool texts);
bool reader_grow_codec(struct iot_reader *r);

/* Returns up to max events that a seek has deferred; 0 if none. */
size_t reader_take_deferred(struct iot_reader *r, struct iot_event *out, size_t max);
void reader_drop_deferred(struct iot_reader *r);

/* Returns 1 if cur .. end is the next block; 0 at the end of the input; or a negative status. */
int reader_next_block(struct iot_reader *r);
void reader_hash_up_to(struct iot_reader *r, const char *p);

static inline void reader_step_over(struct iot_reader *r, const struct text_line *l)
{
	r->cur = l->next;
	r->lines++;
}

/*
 * Reserves capacity for a text; deliver keeps it. Returns 1 with *out set; 0 if the batch must end
 * first; or a negative status.
 */
int reader_arena_reserve(struct iot_reader *r, size_t need, char **out);
/* Returns the start of the previous record. */
int64_t reader_last_start_ns(const struct iot_reader *r);
/* Adds a comment or directive to the batch, if it accepts events. */
void reader_deliver(struct iot_reader *r, struct event_batch *b, const struct iot_event *ev);

/* Sets the start of untimed events to that of the event that follows. */
void reader_place_untimed(struct event_batch *b);

/* Process a blank line; %iotrace, %sync and %end; any line after %end. */
bool reader_blank_line(struct iot_reader *r, const struct text_line *l);
bool reader_header_line(struct iot_reader *r, const struct text_line *l);
bool reader_sync_line(struct iot_reader *r, struct event_batch *b, const struct text_line *l);
bool reader_end_line(struct iot_reader *r, struct event_batch *b, const struct text_line *l);
bool reader_after_end(struct iot_reader *r);
/* Returns whether this %sync would be valid at the reader's position. */
bool reader_sync_holds(struct iot_reader *r, const struct sync_directive *s);

/* Recovery: drops the current line, unless reading can resume at it. */
bool reader_skip_line(struct iot_reader *r, struct event_batch *b);
/* Recovers from damaged compressed data; returns true if more input follows. */
bool reader_resync(struct iot_reader *r);
/* Handles the end of the input: sets a sticky error, or done. */
void reader_at_end(struct iot_reader *r, struct event_batch *b);

#endif
