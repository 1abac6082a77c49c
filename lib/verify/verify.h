/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifies a whole trace: all requirements of iotrace(5), including hashes, and reports warnings.
 * Continues after damage, and determines which intervals can be trusted (intervals.h).
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
	BAD_PLACE,       /* counts or times that disagree: text is missing or repeated */
	BAD_COMPRESSION, /* gzip or Zstandard */
	BAD_CUT,         /* the input ends in the middle of an element */
	BAD_TAIL,        /* text after %end, or a second %iotrace */
	VERIFY_ERRORS,
	/* warnings */
	WARN_SPELLING = VERIFY_ERRORS, /* not canonical */
	WARN_TIME,
	WARN_BITS,
	WARN_PERCENT,
	WARN_LATE, /* a %file after the first record of its file */
	WARN_REPEAT,
	WARN_SYNC,   /* the intervals between %syncs differ from what %iotrace declares */
	WARN_HEADER, /* no %iotrace */
	WARN_END,    /* no %end */
	WARN_BASE,
	VERIFY_WARNINGS,
	/* notes, about what is neither forbidden nor suspect */
	NOTE_OVERLAP = VERIFY_WARNINGS,
	FINDINGS
};

/* Returns a name such as "bad-record". */
const char *finding_name(enum finding_kind kind);

struct finding {
	enum finding_kind kind;
	uint64_t line;
	unsigned column;
	const char *text; /* valid until the call returns */
};

struct verify_options {
	void (*found)(void *context, const struct finding *f); /* may be NULL */
	void *context;
	uint64_t places;  /* maximum number of reports per kind; all are counted */
	bool lint;        /* report warnings, too */
	uint64_t base;    /* 0: auto-detect */
	uint64_t tick_ns; /* of a trace without %iotrace */
	uint64_t memory_max;
	bool allow_empty; /* a file without lines other than blank ones is not an error */
	void (*progress)(void *context, uint64_t stored, uint64_t records);
	void *progress_context;
	struct intervals *intervals; /* filled by verify_trace, not settled; or NULL */
};

struct verdict {
	uint64_t count[FINDINGS];
	uint64_t records, comments, lines; /* number of those that could be read */
	uint64_t tick_ns, base, sync;
	enum iot_compression compression;
	bool framed;          /* the trace has a %sync, %iotrace or %end */
	bool any_header;      /* the trace has a %iotrace */
	bool has_header;      /* ... at the beginning, and valid */
	bool header_odd;      /* ... not in the writer's spelling */
	bool ended;           /* the trace has a %end with a matching hash */
	bool any_end;         /* the trace has a %end */
	uint64_t end_records; /* its records= */
	bool truncated;
	uint64_t second_line; /* line at which a second trace begins; 0: none */
};

/*
 * Reads fd from its current position. Returns IOT_OK, even if the trace is damaged; IOT_EIO,
 * IOT_ENOMEM or IOT_ELIMIT with *error set.
 */
int verify_trace(int fd, const char *name, const struct verify_options *options,
		 struct verdict *verdict, struct error *error);

#endif
