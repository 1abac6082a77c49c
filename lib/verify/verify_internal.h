/* SPDX-License-Identifier: BSD-2-Clause */
/* What verify.c (lines and what they mean) and verify_framing.c (intervals and their hashes) share. */
#ifndef LIB_VERIFY_VERIFY_INTERNAL_H
#define LIB_VERIFY_VERIFY_INTERNAL_H

#include <xxhash.h>

#include "lib/format/framing.h"
#include "lint.h"
#include "lib/format/definitions.h"
#include "raw_lines.h"
#include "verify.h"

enum { RESYNC_CANDIDATES = 4, VERIFY_BATCH = 1024 };

/*
 * In an interval that is damaged already: behind a line that may be what is left of a %sync. If the
 * text from there has the hash that the next %sync tells, it was one.
 */
struct resync_candidate {
	XXH3_state_t *hash;
	bool active;
	struct interval interval;
};

struct verify {
	const struct verify_options *options;
	struct verdict *verdict;
	struct error *error;
	const char *name;
	struct findings findings;
	struct raw_lines *raw;
	struct lint *lint;
	struct iot_codec *codec;
	size_t codec_size;
	struct definitions names;
	uint32_t number; /* of the interval: names keep in which one they were told */
	char *scratch;   /* texts with their times in nanoseconds */
	struct iot_record *records;

	const char *cur, *end, *block; /* whole lines */
	uint64_t block_at;             /* of the block in the text */
	const char *hashed;            /* up to here */
	uint64_t line;                 /* the one at cur, from 1 */
	struct blank_run blanks;

	XXH3_state_t *hash;
	struct interval interval;         /* the one in work */
	uint64_t opened_at;               /* where the line that opens it begins */
	uint64_t clean_to, clean_records; /* as far as its lines can be decoded */
	int64_t clean_ticks;
	bool certain; /* whole_frame is the interval as far as its frame proves it */
	struct interval whole_frame;
	bool broken; /* its lines cannot be decoded any more: they are only counted */
	bool any;    /* there is text in it */
	struct resync_candidate candidate[RESYNC_CANDIDATES];
	size_t next_candidate;

	uint64_t index;        /* records, with those that were lost */
	uint64_t opened_index; /* at the beginning of the interval */
	bool begun, stop, gap_before;
	bool tail; /* behind a %end */
};

static inline uint64_t verify_at(const struct verify *v, const char *p)
{
	return v->block_at + (uint64_t)(p - v->block);
}

/* The first damage of an interval is told; what follows from it is not. why: static. */
void verify_damaged(struct verify *v, enum finding_kind kind, unsigned column, const char *why,
		    const char *sentence);
int verify_fail(struct verify *v, int status, const char *why);

/* Hashes the text up to p. */
void verify_hash_to(struct verify *v, const char *p);
/* %iotrace, %sync and %end, well-formed or not; moves behind the line. */
void verify_framing(struct verify *v, const struct text_line *l, enum framing_kind framing);
/*
 * A line that may be what is left of a %sync: true if it was one, and cur is behind it. wrong: what
 * is to be said of it; or NULL.
 */
bool verify_damaged_sync(struct verify *v, const struct text_line *l, const char *wrong);
/* Records, of whole intervals and of guesses. */
void verify_count(struct verify *v, size_t records, int64_t ticks);
void verify_zstd_frame(struct verify *v, const struct raw_item *piece);
/* The end of the input, or a gap: what can be said of the interval in work. */
void verify_open_first(struct verify *v);
void verify_close_last(struct verify *v);

#endif
