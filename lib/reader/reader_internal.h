/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the reader share: the handle, and the steps of a pull.
 *
 * reader.c makes, sets, opens and asks a handle; reader_pull.c fills batches; reader_lines.c shows
 * it blocks of whole lines; reader_framing.c verifies the framing and finds the way round damage.
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

/* Events to be delivered before what is read next, after a seek. */
struct deferred_events {
	struct iot_event *events;
	size_t count, capacity, next;
	size_t borrowed; /* so many at the front have their texts in the names */
};

struct iot_reader {
	struct error error;
	bool verify, recover, read_ahead, verified, tick_given;
	uint64_t window_max, read_size, tick_ns, base, memory_max, held_max;
	void (*warn)(void *context, const char *sentence);
	void *warn_context;

	const char *name; /* the window's */
	struct bufreader *bufreader;
	struct lookahead *lookahead; /* NULL: intervals are verified as they are delivered */
	struct iot_codec *codec;
	size_t codec_size;
	struct definitions names;
	XXH3_state_t *hash;
	char *arena; /* texts of events that differ from those on the line */
	size_t arena_size, arena_used;

	const char *cur, *end; /* of the block; LF at end[-1] */
	const char *block;
	const char *hashed; /* up to here the block is in the hash */
	size_t shown;       /* to be consumed of the window when the block is done */
	char *tail;         /* the last line, with LF */

	bool allow_empty;
	bool begun;    /* a line that is not blank has been seen */
	bool framed;   /* %iotrace was there */
	bool ended;    /* %end was there */
	bool cut;      /* the last line is a part of one */
	bool done;     /* the proper end was told */
	bool skipping; /* until the next %sync */
	bool in_long;  /* in a line that is too long, skipping */
	bool muted;    /* decodes an interval that is not verified: nothing of it is delivered */
	uint64_t sync;
	uint64_t lines, records, comments, text_bytes;
	uint64_t index; /* records so far with those that were lost */
	uint64_t lost, lost_records, warnings, unverified;
	uint64_t intervals;   /* %syncs taken */
	uint64_t interval_at; /* the record behind the last one */
	struct blank_run blanks;
	uint64_t reported_comments;      /* by %end */
	uint64_t threads;                /* that may decode; see parallel.h */
	struct parallel_cursor *ordered; /* what they have decoded; NULL: this reader decodes */
	bool parallel_tried;
	uint64_t extra_stored;       /* to be added to what the window has taken */
	struct decoded_block *chunk; /* of a part's reader: where its events go; or NULL */
	bool lacks_late;             /* a %trace lacks= behind a record */
	bool entered;                /* lines count from a %sync that was sought */
	uint64_t entered_at;         /* the record behind it */
	struct frames *frames;
	struct deferred_events held;
	char damage[512]; /* why it skips: for why= and for the error if there is no way out */
};

/* Where a call puts what it finds: events, or records alone. */
struct event_batch {
	struct iot_event *events; /* NULL: records alone */
	struct iot_record *records;
	size_t stride, max, n;
};

/* For what the caller did; an open reader stays as it was. Returns IOT_EUSAGE. */
int reader_refuse(struct iot_reader *r, const char *why);

/* What returns bool here and below: whether the batch goes on. */
bool reader_fail(struct iot_reader *r, int status, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool reader_fail_memory(struct iot_reader *r, int status);
/* Damage at the current line: the end, unless there is a way round it. */
bool reader_damaged(struct iot_reader *r, unsigned column, const char *sentence);
/* Counts the records since the last %sync, which no hash verifies. */
void reader_count_unverified(struct iot_reader *r);
/* The same where the damage is in a line that is no framing: the interval will not be verified. */
bool reader_broken(struct iot_reader *r, unsigned column, const char *sentence);
void reader_warn(struct iot_reader *r, const char *sentence);

/* One stretch of records, or one other line. */
bool reader_step(struct iot_reader *r, struct event_batch *b);

/* What a step changes if it makes progress: loops around steps end at one that makes none. */
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

/* Fails at a line that a step has not got past, with no event in the batch. */
bool reader_stuck(struct iot_reader *r);
/* The state of the trace, made when its first lines are looked at. */
int reader_make_codec(struct iot_reader *r);
/* Moves on to a block that is not empty, if need be. False: the end, or an error. */
bool reader_more(struct iot_reader *r, struct event_batch *b);

/* Goes on at a byte of the file, at a %sync or the beginning; names, clocks and counts are the caller's. */
int reader_begin_at(struct iot_reader *r, uint64_t at);
/* Decodes and drops so many records, and then lines that are none, up to a number of lines read. */
void reader_read_over(struct iot_reader *r, uint64_t records, uint64_t lines);
/* Obeys the lines up to the first record, at most so many; not all: only %iotrace. */
void reader_read_head(struct iot_reader *r, bool all, uint64_t lines_max);
int reader_forget_definitions(struct iot_reader *r, bool texts);
bool reader_grow_codec(struct iot_reader *r);

/* What a seek has left for the next call, at most max; 0: nothing. */
size_t reader_take_deferred(struct iot_reader *r, struct iot_event *out, size_t max);
void reader_drop_deferred(struct iot_reader *r);

/* 1: cur .. end is the next block; 0: the input is at its end; or a negative status. */
int reader_next_block(struct iot_reader *r);
void reader_hash_up_to(struct iot_reader *r, const char *p);

static inline void reader_step_over(struct iot_reader *r, const struct text_line *l)
{
	r->cur = l->next;
	r->lines++;
}

/*
 * Room for a text; deliver keeps it. 1: *out; 0: the batch has to end first; or a negative status.
 */
int reader_arena_reserve(struct iot_reader *r, size_t need, char **out);
/* Of the record before. */
int64_t reader_last_start_ns(const struct iot_reader *r);
/* Puts a comment or directive into the batch, where it wants events. */
void reader_deliver(struct iot_reader *r, struct event_batch *b, const struct iot_event *ev);

/* Undated events take the place of what follows them. */
void reader_place_untimed(struct event_batch *b);

/* A blank line; %iotrace, %sync and %end; any line behind %end. */
bool reader_blank_line(struct iot_reader *r, const struct text_line *l);
bool reader_header_line(struct iot_reader *r, const struct text_line *l);
bool reader_sync_line(struct iot_reader *r, struct event_batch *b, const struct text_line *l);
bool reader_end_line(struct iot_reader *r, struct event_batch *b, const struct text_line *l);
bool reader_after_end(struct iot_reader *r);
/* Whether a %sync that stood where the reader is would hold. */
bool reader_sync_holds(struct iot_reader *r, const struct sync_directive *s);

/* Recovery: drops the current line, unless it is one to go on at. */
bool reader_skip_line(struct iot_reader *r, struct event_batch *b);
/* Damaged compression: true if there is more behind it. */
bool reader_resync(struct iot_reader *r);
/* Says how the input ended: a sticky error, or done. */
void reader_at_end(struct iot_reader *r, struct event_batch *b);

#endif
