/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libiotrace-sources: the traces and logs of any tool as streams of events (stream.h), in order of
 * start.
 *
 *	struct iot_source *s = iot_source_new();
 *	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
 *	int status = s && b ? iot_source_open(s, (const char *[]){"app.darshan"}, 1) : IOT_ENOMEM;
 *	struct iot_stream *events = status == IOT_OK ? iot_source_stream(s) : NULL;
 *	while (events && (status = iot_stream_next(events, b)) > 0)
 *		use(b->events, b->count);
 *	if (status < 0)
 *		fprintf(stderr, "%s\n", iot_source_error(s));
 *	iot_stream_free(events);
 *	iot_source_free(s);
 *	iot_batch_free(b);
 *
 * Formats are detected by content: logs of strace, Darshan, Recorder and the other tools that
 * iot_source_format lists, and traces of iotrace itself, whose format is "iotrace".
 *
 * Errors: calls return a status (enum iot_status); the source keeps the first failure with a
 * sentence that names the position, what was found and what was expected. Input that ends early or
 * is damaged yields all events before the damage and a %lost, then the failure.
 *
 * Threads: a source and its stream may be used by one thread at a time, except iot_source_cancel.
 */
#ifndef IOTRACE_SOURCE_H
#define IOTRACE_SOURCE_H

#include <signal.h>

#include <iotrace/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Formats */

/* An option of a format: --name[=ARGUMENT] of the commands. */
struct iot_format_option {
	const char *name, *argument, *help; /* argument is NULL if it takes none */
};

struct iot_format {
	const char *name, *summary;
	const struct iot_format_option *options; /* ends with a NULL name; NULL: none */
};

/*
 * Stores the i-th foreign format, from 0, in *format. Returns 1, or 0 if there are no more. The
 * strings are static.
 */
IOT_API int iot_source_format(size_t i, struct iot_format *format);

/* Sources */

struct iot_source;

/* Returns NULL if out of memory. */
IOT_API struct iot_source *iot_source_new(void);
/* Free its stream, and readers that it has opened, first. NULL is ignored. */
IOT_API void iot_source_free(struct iot_source *s);

/*
 * Sets an option before open. `key` is the name of an option of any format, which other formats
 * ignore, or one of these:
 *
 * format	the name of a format; default: detected by content
 * fallback	"iotrace": read input of unknown format as a trace; "" (default): reject it
 * memory	bytes for sorting, beyond which temporary files are used: "64M"; default 256M
 * order	"start" (default): by start, whatever the order in the input; "input": as they
 *		come; "stream": by start, without temporary files, and delivered early. If an
 *		input turns out to be in too little order for that, the stream fails with
 *		IOT_ELIMIT, and IOT_SOURCE_RESTART is 1
 * option-prefix	precedes the names of options in messages: "--" of a command with an option
 *		for each; default ""
 *
 * The value of an option without an argument is "". "order" may be set after open, while there is
 * no stream. Returns IOT_OK; IOT_EUSAGE if the key or the value is invalid or the source is open;
 * IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_source_set(struct iot_source *s, const char *key, const char *value);

/*
 * Opens all paths as parts of ONE source: files, directories (their files at any depth), tars, "-"
 * for standard input; each may be compressed with gzip, bzip2, xz, zstd or lz4. A trace must be the
 * only one. The paths may be freed afterwards. Reads the first bytes of pipes, and waits for them.
 * Returns IOT_OK; IOT_EFORMAT if no format recognizes the input; IOT_EUSAGE if more than one does,
 * or if an option does not fit; IOT_EIO; IOT_ELIMIT; IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_source_open(struct iot_source *s, const char *const *paths,
					   size_t count);

/*
 * Returns the events: times in nanoseconds from the trace's zero, %trace first, as
 * iotrace-convert(1) writes them. The stream belongs to the caller. When it has been freed, another
 * one may be made, unless the input is a pipe. Returns NULL if the source is not open or its input
 * cannot be read again, or if out of memory; see iot_source_error.
 */
IOT_API struct iot_stream *iot_source_stream(struct iot_source *s);

/*
 * As iot_source_stream, and gives the source to the stream, which frees it: for streams that are
 * passed on, as to iot_stream_arrow. Until then iot_source_cancel is the only function that may be
 * called for the source. If this returns NULL, the source remains the caller's.
 */
IOT_API struct iot_stream *iot_source_into_stream(struct iot_source *s);

/*
 * Opens a reader on the events instead of making a stream. A trace is read as by iot_reader_open,
 * with its framing, seeks and threads, also if it comes from a pipe; other formats as by
 * iot_reader_open_stream, with the tick of the source. The reader must be new; settings may have
 * been made. The source must outlive it. Returns the status of the reader, which has the sentence.
 */
IOT_API IOT_USE_RESULT int iot_source_open_reader(struct iot_source *s, struct iot_reader *r);

/* Returns the detected or given format, "iotrace" for a trace; NULL before open. */
IOT_API const char *iot_source_name(const struct iot_source *s);
/* Returns the path of the i-th file of the input, from 0; NULL if there are no more. */
IOT_API const char *iot_source_file(const struct iot_source *s, size_t i);
/* Returns a sentence, "" if no call has failed. */
IOT_API const char *iot_source_error(const struct iot_source *s);

/* Progress and cancellation */

/* Reports stored bytes read and their total, 0 if unknown. */
IOT_API void iot_source_progress(const struct iot_source *s, uint64_t *done, uint64_t *total);
/*
 * Calls fn several times a second while iot_stream_next reads the input, which is all of it before
 * the first events of an order=start; `records` of the input have been read.
 */
typedef void iot_source_progress_fn(void *context, uint64_t done, uint64_t total, uint64_t records);
IOT_API void iot_source_on_progress(struct iot_source *s, iot_source_progress_fn *fn,
				    void *context);
/*
 * Ends the input as if it were truncated here, a pipe after the bytes that it contains; a second
 * call ends a pipe at once. The stream delivers what was read and a %lost, then fails with
 * IOT_ETRUNCATED. May be called by any thread; also before a reader is freed that may be waiting
 * for a pipe.
 */
IOT_API void iot_source_cancel(struct iot_source *s);
/*
 * For signal handlers, and for several sources: *count takes the place of the number of calls of
 * iot_source_cancel. Call it before open. It must outlive the source.
 */
IOT_API void iot_source_cancel_by(struct iot_source *s, const volatile sig_atomic_t *count);

/*
 * Report: what was counted. Query it, and the facts from IOT_SOURCE_LINES on, when the stream has
 * been freed: until then a thread of the source may be counting. It includes what a cancelled
 * stream read ahead but did not deliver; of traces, nothing is counted.
 * Strings contain foreign text in escaped form, and are valid until the source is freed or makes
 * another stream.
 */

enum iot_source_fact {
	IOT_SOURCE_TICK_NS = 1, /* time resolution of the input, after open; 0: unknown */
	IOT_SOURCE_FILES,       /* files of the input, after open */
	IOT_SOURCE_SKIPPED,     /* links, devices and the like in directories and tars */
	IOT_SOURCE_REPEATABLE,  /* 1: another stream can be made, after open */
	IOT_SOURCE_LIVE,        /* 1: traced programs produce the input now */
	/* 1: no more events for now: time to flush what depends on those delivered */
	IOT_SOURCE_WAITING,
	IOT_SOURCE_READ,         /* 1: all of the input has been read */
	IOT_SOURCE_LOST,         /* 1: the input is damaged or ends early; a %lost states it */
	IOT_SOURCE_CANCELLED,    /* 1: iot_source_cancel was the reason */
	IOT_SOURCE_LINES,        /* lines of the input */
	IOT_SOURCE_CALLS,        /* calls or operations in it */
	IOT_SOURCE_RECORDS,      /* records made of them */
	IOT_SOURCE_RECORD_BYTES, /* sum of their lengths, if the source counts bytes left out */
	IOT_SOURCE_UNPARSED,     /* lines that could not be parsed */
	IOT_SOURCE_NOTES,        /* total; only the first ones are kept */
	IOT_SOURCE_DIFFERENCES,  /* total; only the first ones are kept */
	IOT_SOURCE_RESTART,      /* 1: the input needs order=start */
	IOT_SOURCE_RUNS,         /* sorted runs in temporary files */
	IOT_SOURCE_SPILLED,      /* bytes in temporary files */
	/* 1: open failed because none of the formats, or more than one, recognizes the input */
	IOT_SOURCE_UNKNOWN_FORMAT,
};

IOT_API uint64_t iot_source_fact(const struct iot_source *s, enum iot_source_fact fact);

/* Only the library makes these structs; later versions may append members. */
struct iot_source_count {
	const char *name; /* "hidden.io_uring"; see iotrace-convert(1) */
	uint64_t value;
	int noted; /* 1: a note explains it */
};

/* A line or another position that could not be parsed. */
struct iot_source_example {
	uint64_t line; /* 0 if the file is not text */
	char file[256], text[160];
};

/* A total of the records that differs from the one that the source states. */
struct iot_source_difference {
	char where[256], what[64]; /* "bytes read" */
	uint64_t source_says, converted;
};

/* These return the i-th one, from 0; NULL if there are no more. */
IOT_API const struct iot_source_count *iot_source_count(const struct iot_source *s, size_t i);
IOT_API const struct iot_source_example *iot_source_example(const struct iot_source *s, size_t i);
IOT_API const struct iot_source_difference *iot_source_difference(const struct iot_source *s,
								  size_t i);
/* Sentences about what the trace does not contain. */
IOT_API const char *iot_source_note(const struct iot_source *s, size_t i);

#ifdef __cplusplus
}
#endif

#endif
