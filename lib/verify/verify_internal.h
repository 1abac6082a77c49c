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

enum { IOT_GUESSES = 4, IOT_VERIFY_BATCH = 1024 };

/*
 * In an interval that is damaged already: behind a line that may be what is left of a %sync. If the
 * text from there has the hash that the next %sync tells, it was one.
 */
struct iot_guess {
	XXH3_state_t *hash;
	bool active;
	struct iot_interval interval;
};

struct iot_verify {
	const struct iot_verify_options *options;
	struct iot_verdict *verdict;
	struct iot_error *error;
	const char *name;
	struct iot_findings findings;
	struct iot_rawtext *raw;
	struct iot_lint *lint;
	struct iot_codec *codec;
	size_t codec_size;
	struct iot_names names;
	uint32_t number; /* of the interval: names keep in which one they were told */
	char *scratch;   /* texts with their times in nanoseconds */
	struct iot_record *records;

	const char *cur, *end, *block; /* whole lines */
	uint64_t block_at;             /* of the block in the text */
	const char *hashed;            /* up to here */
	uint64_t line;                 /* the one at cur, from 1 */
	struct iot_blank_run blanks;

	XXH3_state_t *hash;
	struct iot_interval interval;     /* the one in work */
	uint64_t opened_at;               /* where the line that opens it begins */
	uint64_t clean_to, clean_records; /* as far as its lines can be decoded */
	int64_t clean_ticks;
	bool certain; /* whole_frame is the interval as far as its frame proves it */
	struct iot_interval whole_frame;
	bool broken; /* its lines cannot be decoded any more: they are only counted */
	bool any;    /* there is text in it */
	struct iot_guess guess[IOT_GUESSES];
	size_t next_guess;

	uint64_t index;        /* records, with those that were lost */
	uint64_t opened_index; /* at the beginning of the interval */
	bool begun, stop, gap_before;
	bool tail; /* behind a %end */
};

static inline uint64_t iot_verify_at(const struct iot_verify *v, const char *p)
{
	return v->block_at + (uint64_t)(p - v->block);
}

/* The first damage of an interval is told; what follows from it is not. why: static. */
void iot_verify_damaged(struct iot_verify *v, enum iot_finding_kind kind, unsigned column,
			const char *why, const char *sentence);
int iot_verify_fail(struct iot_verify *v, int status, const char *why);

/* Hashes the text up to p. */
void iot_verify_hash_to(struct iot_verify *v, const char *p);
/* %iotrace, %sync and %end, well-formed or not; moves behind the line. */
void iot_verify_framing(struct iot_verify *v, const struct iot_line *l, enum iot_framing framing);
/*
 * A line that may be what is left of a %sync: true if it was one, and cur is behind it. wrong: what
 * is to be said of it; or NULL.
 */
bool iot_verify_remains(struct iot_verify *v, const struct iot_line *l, const char *wrong);
/* Records, of whole intervals and of guesses. */
void iot_verify_count(struct iot_verify *v, size_t records, int64_t ticks);
void iot_verify_frame(struct iot_verify *v, const struct iot_raw *piece);
/* The end of the input, or a gap: what can be said of the interval in work. */
void iot_verify_open_first(struct iot_verify *v);
void iot_verify_close_last(struct iot_verify *v);

#endif
