/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by verify.c (lines and their meaning) and verify_sync.c (intervals and their hashes). */
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
 * A position in a damaged interval after a line that may be a damaged %sync. If the text from there
 * has the hash that the next %sync declares, it was one.
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
	/* of the interval: definitions store the one in which they were last declared */
	uint32_t number;
	char *scratch; /* for texts with their times in nanoseconds */
	struct iot_record *records;

	const char *cur, *end, *block; /* whole lines */
	uint64_t block_at;             /* offset of the block in the text */
	const char *hashed;            /* end of the part of the block that has been hashed */
	uint64_t line;                 /* number of the line at cur, from 1 */
	struct blank_run blanks;

	XXH3_state_t *hash;
	struct interval interval; /* the current one */
	uint64_t opened_at;       /* offset of the line that begins it */
	/* end and counts of the part whose lines can be decoded */
	uint64_t clean_to, clean_records;
	int64_t clean_ticks;
	bool certain; /* whole_frame is the part of the interval that its frame proves */
	struct interval whole_frame;
	bool broken; /* its lines can no longer be decoded: they are only counted */
	bool any;    /* it contains text */
	bool opened; /* an intact %sync begins it */
	struct resync_candidate candidate[RESYNC_CANDIDATES];
	size_t next_candidate;

	uint64_t index;        /* records, including lost ones */
	uint64_t opened_index; /* at the beginning of the interval */
	bool begun, stop, gap_before;
	bool tail; /* after a %end */
};

static inline uint64_t verify_at(const struct verify *v, const char *p)
{
	return v->block_at + (uint64_t)(p - v->block);
}

/* Reports the first damage of an interval, but not its consequences. why: a static string. */
void verify_damaged(struct verify *v, enum finding_kind kind, unsigned column, const char *why,
		    const char *sentence);
int verify_fail(struct verify *v, int status, const char *why);

/* Hashes the text up to p. */
void verify_hash_to(struct verify *v, const char *p);
/* Processes %iotrace, %sync and %end, well-formed or not; advances past the line. */
void verify_framing(struct verify *v, const struct text_line *l, enum framing_kind framing);
/* Processes a first line that resembles %iotrace. */
void verify_damaged_header(struct verify *v, const struct text_line *l);
/*
 * Processes a line that may be a damaged %sync: returns true if it was one, and cur is after it.
 * wrong: the error to report; or NULL.
 */
bool verify_damaged_sync(struct verify *v, const struct text_line *l, const char *wrong);
/* Counts records for the interval and for the resync candidates. */
void verify_count(struct verify *v, size_t records, int64_t ticks);
void verify_zstd_frame(struct verify *v, const struct raw_item *piece);
/* The beginning of the input, and its end or a gap: begin or close the current interval. */
void verify_open_first(struct verify *v);
void verify_close_last(struct verify *v);

#endif
