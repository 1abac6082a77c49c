/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole trace looked through: every demand of iotrace(5), hashes included, and what is merely odd.
 * Goes on behind damage, and finds out which intervals can be trusted (intervals.h).
 */
#ifndef LIB_VERIFY_VERIFY_H
#define LIB_VERIFY_VERIFY_H

#include "lib/base/error.h"
#include "intervals.h"

enum iot_finding_kind {
	/* errors */
	IOT_BAD_RECORD,
	IOT_BAD_COMMENT, /* a comment or directive */
	IOT_BAD_FRAMING, /* %iotrace, %sync or %end itself */
	IOT_BAD_HASH,
	IOT_BAD_PLACE, /* counts or times that do not agree: something is missing, or there twice */
	IOT_BAD_PACKING, /* gzip or Zstandard */
	IOT_BAD_CUT,     /* the input ends inside of something */
	IOT_BAD_TAIL,    /* something behind %end, or a second %iotrace */
	IOT_ERRORS,
	/* warnings */
	IOT_ODD_SPELLING = IOT_ERRORS, /* not canonical */
	IOT_ODD_TIME,
	IOT_ODD_BITS,
	IOT_ODD_PERCENT,
	IOT_ODD_LATE, /* a %file behind the first record of its file */
	IOT_ODD_REPEAT,
	IOT_ODD_SYNC,   /* %syncs that do not come as %iotrace announces */
	IOT_ODD_HEADER, /* no %iotrace */
	IOT_ODD_END,    /* no %end */
	IOT_ODD_BASE,
	IOT_ODDITIES,
	/* notes, of what is neither forbidden nor odd */
	IOT_NOTE_OVERLAP = IOT_ODDITIES,
	IOT_FINDINGS
};

/* "bad-record" and the like. */
const char *iot_finding_name(enum iot_finding_kind kind);

struct iot_finding {
	enum iot_finding_kind kind;
	uint64_t line;
	unsigned column;
	const char *text; /* until the call returns */
};

struct iot_verify_options {
	void (*found)(void *context, const struct iot_finding *f); /* may be NULL */
	void *context;
	uint64_t places;  /* so many of each kind are told; all are counted */
	bool lint;        /* look for what is odd, too */
	uint64_t base;    /* 0: find out */
	uint64_t tick_ns; /* of a trace that does not tell */
	uint64_t memory_max;
	bool allow_empty; /* a file without a line but blank ones is no error */
	void (*progress)(void *context, uint64_t stored, uint64_t records);
	void *progress_context;
	struct iot_intervals *intervals; /* filled, not settled; or NULL */
};

struct iot_verdict {
	uint64_t count[IOT_FINDINGS];
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
int iot_verify(int fd, const char *name, const struct iot_verify_options *options,
	       struct iot_verdict *verdict, struct iot_error *error);

#endif
