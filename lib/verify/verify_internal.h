/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verification:
 *     verify.c          the handle; lines and their meaning
 *     verify_framing.c  %iotrace, %sync and %end: intervals, their hashes, and damage
 *     lint.c            warnings about valid lines
 *     index.c           compares a seek table with the frames
 *     findings.c        kinds of findings; counts and reports them
 *     raw_lines.c       reads damaged text
 *     intervals.c       decides which intervals are kept
 *     repair.c          delivers them as a stream
 */
#ifndef LIB_VERIFY_VERIFY_INTERNAL_H
#define LIB_VERIFY_VERIFY_INTERNAL_H

#include <sys/types.h>

#include <xxhash.h>

#include <iotrace/verify.h>

#include "intervals.h"
#include "lib/base/error.h"
#include "lib/format/definitions.h"
#include "lib/format/directive_codec.h"
#include "lib/format/framing.h"
#include "raw_lines.h"

enum { FINDING_KINDS = IOT_WARN_SAMPLE + 1, RESYNC_CANDIDATES = 4, VERIFY_BATCH = 1024 };

/* Properties of the trace. */
struct verdict {
	uint64_t count[FINDING_KINDS];
	uint64_t records, comments, lines; /* number of those that could be read */
	uint64_t version;                  /* of %iotrace, or the newest */
	uint64_t tick_ns, base, sync;
	bool framed;          /* the trace has a %sync, %iotrace or %end */
	bool any_header;      /* the trace has a %iotrace */
	bool has_header;      /* ... at the beginning, and valid */
	bool irregular;       /* ... but not in the writer's spelling */
	bool ended;           /* the trace has a %end with a matching hash */
	bool any_end;         /* the trace has a %end */
	uint64_t end_records; /* its records= */
	bool truncated;
	uint64_t second_line; /* line at which a second trace begins; 0: none */
};

enum verifier_state { VERIFIER_NEW, VERIFIER_RUN, VERIFIER_SELECTED };

struct repair_counts {
	uint64_t unverified, readable, repeated, kept, lost, gaps;
	bool lost_end; /* the number lost at the end is unknown */
};

struct iot_verifier {
	enum verifier_state state;
	struct error error;
	iot_finding_fn *found; /* or NULL */
	void *found_context;
	iot_verify_progress_fn *progress; /* or NULL */
	void *progress_context;
	iot_verify_directive_fn *directive; /* or NULL */
	void *directive_context;
	bool warnings, allow_empty, repairs, tick_given;
	uint64_t reports, base, tick_ns, memory_max;
	struct verdict verdict;
	struct intervals intervals; /* of repairs; settled by select */
	struct repair_counts repaired;
	int fd;
	off_t begin; /* position of the trace in fd; -1: not seekable */
	char *name;
};

/* Findings */

/* Counts a finding; returns whether it is to be reported. */
bool finding_select(struct iot_verifier *handle, enum iot_finding_kind kind);
/* Counts and reports a finding. */
void finding_report(struct iot_verifier *handle, enum iot_finding_kind kind, uint64_t line,
		    unsigned column, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Reports a finding that finding_select has counted. */
void finding_print(struct iot_verifier *handle, enum iot_finding_kind kind, uint64_t line,
		   unsigned column, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Reports a seek table that does not match the frames; a file without one is valid. */
void verify_index(struct iot_verifier *handle);

/* State of a run */

/*
 * A position in a damaged interval after a line that may be a damaged %sync. If the text from there
 * has the hash that the next %sync declares, it was one.
 */
struct resync_candidate {
	XXH3_state_t *hash;
	bool active;
	struct interval interval;
};

struct current_interval {
	struct interval entry;
	uint32_t number; /* definitions store the one in which they were last declared */
	XXH3_state_t *hash;
	uint64_t opened_at;    /* offset of the line that begins it */
	uint64_t opened_index; /* of records */
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
};

struct verify {
	struct iot_verifier *handle;
	struct verdict *verdict; /* of the handle */
	struct raw_lines *raw;
	struct lint *lint;
	struct iot_codec *codec;
	size_t codec_size;
	struct directive_codec *directives; /* NULL in version 1 */
	struct definitions names;
	char *scratch; /* for texts with their times in nanoseconds */
	struct iot_record *records;

	const char *cur, *end, *block; /* whole lines */
	uint64_t block_at;             /* offset of the block in the text */
	const char *hashed;            /* end of the part of the block that has been hashed */
	uint64_t line;                 /* number of the line at cur, from 1 */
	struct blank_run blanks;

	struct current_interval current;
	uint64_t index; /* records, including lost ones */
	bool begun, stop, gap_before;
	bool tail; /* after a %end */
};

static inline uint64_t verify_at(const struct verify *v, const char *p)
{
	return v->block_at + (uint64_t)(p - v->block);
}

/* Ends the run with an error. */
int verify_fail(struct verify *v, int status, const char *why);
/* Reports the first damage of an interval, but not its consequences. why: a static string. */
void verify_damaged(struct verify *v, enum iot_finding_kind kind, unsigned column, const char *why,
		    const char *sentence);
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
void verify_zstd_frame(struct verify *v, const struct raw_item *item);
/* The beginning of the input, and its end or a gap: begin or close the current interval. */
void verify_open_first(struct verify *v);
void verify_close_last(struct verify *v);

#endif
