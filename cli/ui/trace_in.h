/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inputs as readers: a trace, or a log, whose events the reader shows as if it were a trace. They
 * are opened, read with progress and warnings; and the options of all commands that read one.
 */
#ifndef CLI_UI_TRACE_IN_H
#define CLI_UI_TRACE_IN_H

#include <sys/stat.h>

#include <iotrace/stream.h>

#include "layer.h"
#include "options.h"
#include "source_in.h"
#include "trace_out.h"

struct trace_in_options {
	struct source_in_options source;
	uint64_t base, tick_ns; /* for a trace without a declared tick; NOT_GIVEN */
	bool no_verify, recover, allow_empty, quiet;
	bool verified; /* for commands that write a trace: verified intervals, unless no_verify */
	int progress;
	bool side_by_side;       /* decode on as many threads as there are processors */
	bool counted;            /* ... for trace_in_fold only: two processors suffice */
	uint64_t threads;        /* ... on this number of threads; 0: not given */
	uint64_t read_size;      /* size of each read; 0: the reader's default */
	bool interruptible;      /* caught signals end the input early */
	bool names_input;        /* warnings name IN, because it is one of several */
	const char *out;         /* the destination of the data; NULL: none while IN is read */
	enum record_layer layer; /* of the records that the command uses */
	bool selects_layer; /* the command uses records of one layer, by default one that exists */
	bool shows_layer;   /* ... and its output names the layer */
	bool mixes_layers;  /* events of posix and mpiio are delivered, whatever the layer */
	bool no_names;      /* the command does not call iot_reader_name */
	bool probes;        /* no errors, no warnings: the input is read again */
	bool growing;       /* a trace that is being written ends with what has been flushed */
	const struct iot_range *range; /* read only this; or NULL */
	bool alone;                    /* IN has the bytes of the range only */
	const char *trace;             /* the input that is known to be a trace; or NULL */
};

#define TRACE_IN_OPTIONS_INIT                                                                      \
	{                                                                                          \
		.base = NOT_GIVEN, .tick_ns = NOT_GIVEN                                            \
	}

/* For commands that read a whole trace. */
#define TRACE_IN_WHOLE_INIT                                                                        \
	{                                                                                          \
		.base = NOT_GIVEN, .tick_ns = NOT_GIVEN, .side_by_side = true                      \
	}

/* For commands that count a whole trace. */
#define TRACE_IN_COUNTED_INIT                                                                      \
	{                                                                                          \
		.base = NOT_GIVEN, .tick_ns = NOT_GIVEN, .side_by_side = true, .counted = true     \
	}

/* Elements of an array of options, for a struct trace_in_options r, or one that has some of it. */
/* clang-format off */
#define OPTION_NUMBERS_OF_IN(r)                                                                   \
	CALL("in-base", "16|10", &(r).base, "base of IN's numbers (default: auto-detect)",       \
		 option_base),                                                                    \
	RANGE(NUMBER, 0, "in-tick", "NS", &(r).tick_ns,                                        \
		  "tick of IN in nanoseconds, if IN does not state it (default: 1000)",            \
		  1, INT64_MAX)
#define OPTION_READING(r)                                                                         \
	OPTION_SOURCE_IN((r).source),                                                             \
	OPTION_NUMBERS_OF_IN(r),                                                                  \
	OPTION(FLAG, 0, "no-verify", NULL, &(r).no_verify, "do not verify the hashes of IN"),    \
	OPTION(FLAG, 0, "recover", NULL, &(r).recover, "continue at the next %sync after damage"), \
	OPTION_ALLOW_EMPTY((r).allow_empty)
#define OPTION_ALLOW_EMPTY(target)                                                                \
	OPTION(FLAG, 0, "allow-empty", NULL, &(target),                                        \
		   "accept an empty IN, as a trace without records")
/* clang-format on */

enum { TRACE_IN_BATCH = 1024 };

struct trace_in {
	struct iot_source *source;
	struct iot_reader *reader;
	const char *log; /* the format of a log; NULL: a trace */
	struct progress progress;
	bool delivered; /* any event or record */
	bool quiet, reported_lost, suggested;
	bool ends_with_lost; /* the last event was a %lost */
	bool verified;       /* as in the options */
	const char *operand; /* as named; owned by the caller */
	char path[256];      /* the same, escaped */
	int status;          /* enum iot_status: why reading stopped */
	bool names_input;    /* warnings name IN, because it is one of several */
	bool interruptible;  /* as in the options */
	bool ended;          /* all of it was read */
	bool opened;
	bool copied;          /* trace_in_copy completed an output */
	bool probes;          /* as in the options */
	bool growing;         /* as in the options */
	bool grows;           /* the trace is being written */
	bool partial;         /* IN lacks bytes of a range that it has alone, or has others */
	uint64_t alone_bytes; /* that it has to have; 0: any number */
	bool filters;         /* only events of the filter's layer are delivered */
	struct layer_filter filter;
	bool layer_supposed;    /* the first records are physical; trace_in_refuses_layer */
	struct iot_event *held; /* events that were read to determine the layer */
	char *held_text;        /* of the first one */
	size_t held_at, held_count;
};

/*
 * For a command that writes `out`: signals end the input as in signals.h, and progress is shown
 * unless `out` is a terminal. Call before trace_in_open.
 */
void trace_in_catch_signals(const char *path, struct trace_in_options *o, const char *out);
/*
 * For a command that selects records: if --layer is not given, sets it to logical, or to physical
 * if the inputs have physical records and no others. Reads inputs up to a logical record. Leaves
 * a pipe or standard input to trace_in_open, which examines the first records; among several
 * inputs, it is logical. Returns EXIT_OK, or an exit status after a message.
 */
enum exit_status trace_in_choose_layer(struct trace_in_options *o, char **paths, size_t n,
				       const struct command_spec *cmd);
/*
 * The same for an open input whose range iot_reader_set_range will choose: reads some records from
 * where iot_reader_find_range has left it. Returns whether it has records.
 */
bool trace_in_find_layer(struct trace_in *in, const struct trace_in_options *o);
/* Returns whether the events have a logical record though those read were physical: prints it. */
bool trace_in_refuses_layer(const struct trace_in *in, const struct iot_event *ev, size_t n);
/* The layer of the records that the command uses; after trace_in_open. */
enum record_layer trace_in_layer(const struct trace_in *in);
bool trace_in_is_physical(const struct trace_in *in);
/* Returns EXIT_OK, or the exit status of a command that ends here, after a message. */
enum exit_status trace_in_open(struct trace_in *in, const char *path,
			       const struct trace_in_options *o, const struct command_spec *cmd);
/*
 * As iot_reader_events and _records, but returns 0 also on an error, which is reported and kept in
 * status.
 */
size_t trace_in_events(struct trace_in *in, struct iot_event *ev, size_t max);
size_t trace_in_records(struct trace_in *in, struct iot_record *rec, size_t max);
/* The same as a stream, which ends at an error. Returns NULL if out of memory. */
struct iot_stream *trace_in_stream(struct trace_in *in);
/* As iot_reader_fold, but an error is reported and kept in status; join may show the progress. */
void trace_in_fold(struct trace_in *in, const struct iot_fold *fold);
void trace_in_show_progress(struct trace_in *in);
/* As iot_reader_seek, but an error is reported and kept in status. Returns true on success. */
bool trace_in_seek(struct trace_in *in, enum iot_seek what, uint64_t value);
/* Returns whether IN can be seeked at any time; a log cannot. */
bool trace_in_seekable(const struct trace_in *in);
/*
 * Returns EXIT_OK, or if the trace was damaged, truncated or unreadable: EXIT_DAMAGED if an output
 * of the valid part has been made, EXIT_FAILED otherwise, and if out of memory.
 */
enum exit_status trace_in_exit(const struct trace_in *in, bool made);
/* Prints the warnings about what a log does not contain, too. */
void trace_in_close(struct trace_in *in);

/*
 * For a command that copies a trace: tick, base, sync and framing stay as in IN unless options
 * change them. They are known after the first events.
 */
void trace_in_keep_framing(const struct trace_in *in, struct trace_out_options *o);
/*
 * Returns whether an unreadable file is not a trace: prints its detected type instead of the
 * reader's error. Text may be a trace with an error: prints both, and leaves the reader's error to
 * the caller.
 */
bool trace_in_refused(const char *path, const struct iot_reader *r, int status);
/* Prints how many RECORDS of a damaged interval are LEFT_OUT or kept, as nothing proves them. */
void trace_in_report_unverified(const char *path, uint64_t records, bool left_out);
/* Prints how to repair a damaged trace, unless it is a pipe. */
void trace_in_suggest_repair(const char *path);
/* Returns whether a signal ended IN early, so that it counts as truncated. */
bool trace_in_cut(const struct trace_in *in);
/* If IN ended early, writes a %lost, so that the following %end does not hide it. */
int trace_in_mark_lost(const struct trace_in *in, struct iot_writer *w);
/*
 * Ends a trace made from IN; status is the result for its events. Reports errors; returns the exit
 * status.
 */
enum exit_status trace_in_finish(struct trace_in *in, struct iot_writer *w,
				 const struct trace_out_options *o, int status);

/*
 * Writes all events of a stream that begins with IN, in IN's framing, and frees the stream. NULL is
 * reported as out of memory. Reports errors; returns the exit status.
 */
enum exit_status trace_in_copy(struct trace_in *in, struct iot_stream *s,
			       const struct trace_out_options *o, const struct command_spec *cmd);

/*
 * For callers that read a descriptor themselves: opens a trace, "-" is standard input; returns -1
 * after a message.
 */
int trace_in_descriptor(const char *path, struct stat *st);

#endif
