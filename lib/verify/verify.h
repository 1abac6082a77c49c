/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole trace looked through: every demand of iotrace(5), hashes included, and what is merely odd.
 * Goes on behind damage, and finds out which intervals can be trusted (intervals.h).
 */
#ifndef LIB_VERIFY_VERIFY_H
#define LIB_VERIFY_VERIFY_H

#include "lib/base/error.h"
#include "intervals.h"

enum finding_kind {
	/* errors */
	BAD_RECORD,
	BAD_COMMENT, /* a comment or directive */
	BAD_FRAMING, /* %iotrace, %sync or %end itself */
	BAD_HASH,
	BAD_PLACE, /* counts or times that do not agree: something is missing, or there twice */
	BAD_COMPRESSION, /* gzip or Zstandard */
	BAD_CUT,         /* the input ends inside of something */
	BAD_TAIL,        /* something behind %end, or a second %iotrace */
	VERIFY_ERRORS,
	/* warnings */
	WARN_SPELLING = VERIFY_ERRORS, /* not canonical */
	WARN_TIME,
	WARN_BITS,
	WARN_PERCENT,
	WARN_LATE, /* a %file behind the first record of its file */
	WARN_REPEAT,
	WARN_SYNC,   /* %syncs that do not come as %iotrace announces */
	WARN_HEADER, /* no %iotrace */
	WARN_END,    /* no %end */
	WARN_BASE,
	VERIFY_WARNINGS,
	/* notes, of what is neither forbidden nor odd */
	NOTE_OVERLAP = VERIFY_WARNINGS,
	FINDINGS
};

/* "bad-record" and the like. */
const char *finding_name(enum finding_kind kind);

struct finding {
	enum finding_kind kind;
	uint64_t line;
	unsigned column;
	const char *text; /* until the call returns */
};

struct verify_options {
	void (*found)(void *context, const struct finding *f); /* may be NULL */
	void *context;
	uint64_t places;  /* so many of each kind are told; all are counted */
	bool lint;        /* look for what is odd, too */
	uint64_t base;    /* 0: find out */
	uint64_t tick_ns; /* of a trace that does not tell */
	uint64_t memory_max;
	bool allow_empty; /* a file without a line but blank ones is no error */
	void (*progress)(void *context, uint64_t stored, uint64_t records);
	void *progress_context;
	struct intervals *intervals; /* filled, not settled; or NULL */
};

struct verdict {
	uint64_t count[FINDINGS];
	uint64_t records, comments, lines; /* that could be read */
	uint64_t tick_ns, base, sync;
	enum iot_compression compression;
	bool framed;          /* there are %syncs, a %iotrace or a %end */
	bool any_header;      /* a %iotrace */
	bool has_header;      /* ... at the beginning, that can be read */
	bool header_odd;      /* ... that no writer of ours spells so */
	bool ended;           /* a %end whose hash is right */
	bool any_end;         /* a %end */
	uint64_t end_records; /* records= of it */
	bool truncated;
	uint64_t second_line; /* where a second trace begins; 0: none */
};

/* Reads fd from where it stands. IOT_OK, also if the trace is not; IOT_EIO, IOT_ENOMEM, IOT_ELIMIT: *error. */
int verify_trace(int fd, const char *name, const struct verify_options *options,
		 struct verdict *verdict, struct error *error);

#endif
