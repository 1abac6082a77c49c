/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libiotrace: validation of whole traces, and repair of damaged ones; see iot_verify(3).
 *
 *	static void print(void *context, const struct iot_finding *f)
 *	{
 *		printf("%ju:%u: %s\n", (uintmax_t)f->line, f->column, f->text);
 *	}
 *
 *	struct iot_verifier *v = iot_verifier_new();
 *	iot_verifier_on_finding(v, print, NULL);
 *	int status = iot_verifier_run(v, fd, "app.iot.zst");
 *	if (status == IOT_OK && iot_verifier_total(v, IOT_SEVERITY_ERROR) == 0)
 *		puts("valid");
 *	iot_verifier_free(v);
 *
 * A verifier checks everything that iotrace(5) requires, including hashes, and looks for what is
 * legal but suspect. It continues after damage and determines which intervals between two %syncs
 * can be trusted. Repair delivers those as a stream of events:
 *
 *	iot_verifier_set(v, IOT_VERIFY_REPAIR, 1);
 *	...
 *	if (iot_verifier_run(v, fd, name) == IOT_OK && iot_verifier_select(v, 0) == IOT_OK) {
 *		struct iot_stream *s = iot_stream_of_repair(v);
 *		status = s != NULL ? iot_stream_write(s, writer) : IOT_ENOMEM;
 *		iot_stream_free(s);
 *	}
 *
 * Threads, errors and ownership are as for a reader: a verifier may be used by one thread at a
 * time, keeps its first error, and never closes a descriptor of the caller.
 */
#ifndef IOTRACE_VERIFY_H
#define IOTRACE_VERIFY_H

#include <iotrace/iotrace.h>
#include <iotrace/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Findings */

enum iot_severity {
	IOT_SEVERITY_ERROR = 1, /* violates the format */
	IOT_SEVERITY_WARNING,   /* legal but suspect */
	IOT_SEVERITY_NOTE,      /* neither */
};

/* Later versions may add kinds: iterate from 0 until iot_finding_name returns NULL. */
enum iot_finding_kind {
	IOT_BAD_RECORD = 0,
	IOT_BAD_COMMENT, /* a comment or directive */
	IOT_BAD_FRAMING, /* %iotrace, %sync or %end itself */
	IOT_BAD_HASH,
	IOT_BAD_POSITION,    /* counts or times that disagree: text is missing or repeated */
	IOT_BAD_COMPRESSION, /* gzip or Zstandard */
	IOT_BAD_CUT,         /* the input ends in the middle of an element */
	IOT_BAD_TAIL,        /* text after %end, or a second %iotrace */
	IOT_WARN_SPELLING,   /* not canonical */
	IOT_WARN_TIME,       /* a record starts before the one that precedes it */
	IOT_WARN_BITS,       /* undefined bits of the type */
	IOT_WARN_PERCENT,    /* a malformed %XX */
	IOT_WARN_LATE_FILE,  /* a %file after the first record of its file */
	IOT_WARN_REPEAT,     /* a repeated definition */
	IOT_WARN_SYNC,       /* the distances of %syncs differ from what %iotrace declares */
	IOT_WARN_HEADER,     /* no %iotrace */
	IOT_WARN_END,        /* no %end */
	IOT_WARN_BASE,       /* the numbers could be hexadecimal or decimal */
	IOT_NOTE_OVERLAP,    /* synchronous I/Os of a process that overlap */
	IOT_WARN_INDEX,      /* the seek table of a .zst does not match its frames */
	IOT_WARN_SAMPLE, /* a sample whose interval overlaps an earlier one of the same counters */
};

/* Returns a name such as "bad-record"; NULL if the kind is unknown. */
IOT_API const char *iot_finding_name(unsigned kind);
/* Returns an enum iot_severity; 0 if the kind is unknown. */
IOT_API unsigned iot_finding_severity(unsigned kind);

/* Later versions may append members. */
struct iot_finding {
	unsigned kind;     /* enum iot_finding_kind */
	unsigned severity; /* enum iot_severity */
	uint64_t line;
	unsigned column;  /* from 1, in bytes */
	const char *text; /* a sentence without its position; valid until the call returns */
};

typedef void iot_finding_fn(void *context, const struct iot_finding *finding);
/* bytes: stored bytes read so far; records: those that could be read */
typedef void iot_verify_progress_fn(void *context, uint64_t bytes, uint64_t records);
/* The event and its text are valid until the call returns. */
typedef void iot_verify_directive_fn(void *context, const struct iot_event *directive);

/* Verifier */

struct iot_verifier;

/* Settings, allowed before run only */
enum iot_verify_option {
	IOT_VERIFY_WARNINGS = 1, /* 1: look for warnings and notes, too (default 1) */
	/* findings of each kind that are reported, 0 for all (default 0); all are counted */
	IOT_VERIFY_REPORTS,
	IOT_VERIFY_BASE,         /* 16 or 10; 0, the default, detects it */
	IOT_VERIFY_TICK_NS,      /* tick of a trace without %iotrace (default 1000) */
	IOT_VERIFY_LIMIT_MEMORY, /* bytes of codec state and names (default 1 GiB) */
	/* 1: an input of blank lines only is not an error; 0: it is IOT_BAD_CUT (default 0) */
	IOT_VERIFY_ALLOW_EMPTY,
	IOT_VERIFY_REPAIR, /* 1: keep what iot_verifier_select needs (default 0) */
};

/* Properties of a trace, after run */
enum iot_verify_fact {
	IOT_VERIFIED_RECORDS = 1, /* records, comments and lines that could be read */
	IOT_VERIFIED_COMMENTS,
	IOT_VERIFIED_LINES,
	IOT_VERIFIED_COMPLETE, /* 1 if the trace has a %end with a matching hash */
	IOT_VERIFIED_FRAMED,   /* 1 if the trace begins with a valid %iotrace */
	IOT_VERIFIED_TICK_NS,
	IOT_VERIFIED_BASE,
	IOT_VERIFIED_SYNC,         /* the value of sync= in %iotrace */
	IOT_VERIFIED_SECOND_TRACE, /* line of a second %iotrace; 0: none */
	/* For a repair: the first two after select, the others at the end of the stream */
	IOT_REPAIR_UNVERIFIED, /* records that are kept without verification */
	IOT_REPAIR_REPEATED,   /* intervals that occur twice; one is dropped */
	IOT_REPAIR_KEPT,       /* records delivered */
	IOT_REPAIR_LOST,       /* records known to be lost */
	IOT_REPAIR_LOST_END,   /* 1 if an unknown number of records is lost at the end */
	IOT_REPAIR_GAPS,       /* places where records are lost */
	IOT_VERIFIED_VERSION,  /* of the format, as %iotrace declares it; 0: unknown */
	/* after select: records that only keep_unverified would keep; 0 if it was set */
	IOT_REPAIR_READABLE,
};

/* Returns NULL if out of memory. */
IOT_API struct iot_verifier *iot_verifier_new(void);
/* NULL is ignored. */
IOT_API void iot_verifier_free(struct iot_verifier *v);
/* Returns IOT_EUSAGE if the option is unknown, the value out of range, or run was called. */
IOT_API int iot_verifier_set(struct iot_verifier *v, enum iot_verify_option option, uint64_t value);
/* Reports findings in the order in which they are found, roughly in order of lines. */
IOT_API void iot_verifier_on_finding(struct iot_verifier *v, iot_finding_fn *fn, void *context);
IOT_API void iot_verifier_on_progress(struct iot_verifier *v, iot_verify_progress_fn *fn,
				      void *context);
/* Passes each valid directive, except framing and definitions that are repeated after a %sync. */
IOT_API void iot_verifier_on_directive(struct iot_verifier *v, iot_verify_directive_fn *fn,
				       void *context);

/*
 * Verifies the trace that begins at the current position of fd, once per verifier. `name` occurs in
 * the error message. Returns IOT_OK, even if the trace is damaged; otherwise IOT_EIO, IOT_ENOMEM or
 * IOT_ELIMIT.
 */
IOT_API IOT_USE_RESULT int iot_verifier_run(struct iot_verifier *v, int fd, const char *name);
/* Returns the number of findings of a kind (0 if unknown), or of a severity. */
IOT_API uint64_t iot_verifier_count(const struct iot_verifier *v, unsigned kind);
IOT_API uint64_t iot_verifier_total(const struct iot_verifier *v, enum iot_severity severity);
IOT_API uint64_t iot_verifier_fact(const struct iot_verifier *v, enum iot_verify_fact fact);
/* Returns the first error as a sentence; "" if no error occurred. */
IOT_API const char *iot_verifier_error(const struct iot_verifier *v);

/* Repair */

/*
 * After run with IOT_VERIFY_REPAIR: selects the intervals to keep. These are the ones that a hash
 * or the checksum of a frame verifies; keep_unverified: 1 also keeps readable ones that fit between
 * them. Returns IOT_EFORMAT if there are none; IOT_EUSAGE if the line that declares the tick is
 * damaged and IOT_VERIFY_TICK_NS was not set. Call it once.
 */
IOT_API IOT_USE_RESULT int iot_verifier_select(struct iot_verifier *v, int keep_unverified);
/*
 * Returns the events of the selected intervals, with a %lost in each gap and at a damaged end, and
 * a comment before each interval that is not verified. The verifier must outlive the stream; its
 * descriptor, which must be seekable, is read again. Returns NULL if out of memory, or if nothing
 * has been selected.
 */
IOT_API struct iot_stream *iot_stream_of_repair(struct iot_verifier *v);

#ifdef __cplusplus
}
#endif

#endif
