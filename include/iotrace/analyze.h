/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Analysis of traces: totals and rates, request sizes, the order of requests, the I/O over time,
 * and operations, in one pass.
 *
 *	struct iot_analyze *a = iot_analyze_new(&(struct iot_analyze_options){
 *	    .size = sizeof(struct iot_analyze_options)});
 *	while ((status = iot_stream_next(stream, b)) > 0)
 *		status = iot_analyze_events(a, b->events, b->count);
 *	iot_analyze_finish(a);
 *	for (size_t i = 0; (value = iot_analyze_value(a, i)) != NULL; i++)
 *		use(value);
 *	iot_analyze_free(a);
 *
 * A request is a record of a program's read or write of file data. iotrace-analyze(1) defines the
 * values.
 *
 * Options are a struct that begins with its size; see filter.h. A handle may be used by one thread
 * at a time.
 */
#ifndef IOTRACE_ANALYZE_H
#define IOTRACE_ANALYZE_H

#include <iotrace/iotrace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iot_analyze;

enum iot_analyze_section {
	IOT_ANALYZE_TOTALS = 0x01, /* always computed: the other sections refer to it */
	IOT_ANALYZE_SIZES = 0x02,
	IOT_ANALYZE_ORDER = 0x04,
	IOT_ANALYZE_TIME = 0x08,
	IOT_ANALYZE_METADATA = 0x10,
	IOT_ANALYZE_FILES = 0x20,
	IOT_ANALYZE_PROCESSES = 0x40,
	IOT_ANALYZE_CYCLES = 0x80,
	IOT_ANALYZE_REUSE = 0x100,
	IOT_ANALYZE_CLASSES = 0x200,
	IOT_ANALYZE_COUNTERS = 0x400, /* of Darshan */
	IOT_ANALYZE_FINDINGS = 0x800, /* computes all sections, and keeps those selected */
	IOT_ANALYZE_MAP = 0x1000, /* computes those that it refers to, and keeps those selected */
};

/* Tables, each with the section that has to be selected. */
enum iot_analyze_by {
	IOT_ANALYZE_BY_PROCESS = 1, /* IOT_ANALYZE_PROCESSES */
	IOT_ANALYZE_BY_RANK,        /* IOT_ANALYZE_PROCESSES */
	IOT_ANALYZE_BY_HOST,        /* IOT_ANALYZE_PROCESSES */
	IOT_ANALYZE_BY_FILE,        /* IOT_ANALYZE_FILES */
	IOT_ANALYZE_BY_DIRECTORY,   /* IOT_ANALYZE_FILES */
	IOT_ANALYZE_BY_OPERATION,   /* IOT_ANALYZE_METADATA */
};

enum iot_analyze_layer {
	IOT_LAYER_LOWEST = 0, /* the lowest layer that has requests */
	IOT_LAYER_POSIX,
	IOT_LAYER_MPIIO,
};

struct iot_analyze_options {
	size_t size;         /* of this struct */
	uint32_t sections;   /* bits of enum iot_analyze_section; 0: all */
	uint32_t physical;   /* 1: physical records instead of logical ones */
	uint32_t layer;      /* enum iot_analyze_layer */
	uint32_t per_thread; /* 1: threads are processes of their own */
	uint64_t small;      /* bytes of the largest small request; 0: 1 MiB */
	uint64_t large;      /* bytes of the smallest large file; 0: 4 MiB */
	uint64_t alignment;  /* a power of two; 0: 4096 bytes */
	uint64_t runtime_ns; /* of the job; 0: from the trace */
	/*
	 * part: 1: of the trace, beginning at a %sync, to be appended to what precedes it; CPU
	 * clocks count from its beginning. epoch_ns: of a part, the epoch= that the trace declares
	 * before its first record, or 0
	 */
	uint64_t part, epoch_ns;
	uint64_t interval_ns; /* of the bins over time; 0: a second, or less for short runs */
	/*
	 * Identifies the part that this analysis covers: the trace's id, the byte range [from, to)
	 * of the stored file, and the file's size, 0 if unknown. Saved in states. With an id, the
	 * state of all bytes is final: no events or parts can be added to it.
	 */
	uint64_t trace_id, from, to, stored;
	uint64_t top;          /* files and processes in lists of those with most; 0: 10 */
	uint64_t nodes;        /* on which the job ran; 0: the hosts of its processes */
	uint32_t working_set;  /* 1: also the values of the working set, which take more time */
	uint32_t dependencies; /* 1: also those between processes */
	uint64_t offsets;      /* 1: gather what iot_analyze_offsets returns */
	/*
	 * Maximum number of threads, including the caller's. 0: only the caller's. Parts always use
	 * one. The values do not depend on it.
	 */
	uint64_t threads;
	/*
	 * The stored bytes are parts `first` to `last`, from 1, of `parts` equal ones; 0: unknown.
	 * Saved in states, whose neighbours name the parts that are missing between them.
	 */
	uint64_t first, last, parts;
	/*
	 * 1: keep the events of a short trace, for iot_analyze_save: their state is smaller if many
	 * files have few requests. A state that has events keeps them in any case.
	 */
	uint64_t keep_events;
};

enum iot_value_kind {
	IOT_VALUE_UNKNOWN = 0, /* `note` states why */
	IOT_VALUE_NUMBER,
	IOT_VALUE_REAL,
	IOT_VALUE_TEXT, /* percent-encoded, as in directives */
};

/* Later versions may append members; only the library makes values. */
struct iot_analyze_value {
	const char *section, *name;
	const char *unit; /* "" for a count */
	const char *note; /* NULL: none */
	char key[32];     /* distinguishes the values of one name, such as a size; "" if alone */
	uint32_t kind;    /* enum iot_value_kind */
	uint64_t number;  /* the value, according to kind */
	double real;
	struct iot_text text;
};

/* A row of a table. */
struct iot_analyze_row {
	/* "object/5", "stream/PROCESS/FILE", the id of a process, a host, or an operation */
	struct iot_text key; /* percent-encoded */
	const struct iot_analyze_value *values;
	size_t count; /* of values */
};

/* I/O over time: sums of bins of equal width. Indexed by direction: reads, writes. */
struct iot_analyze_bin {
	uint64_t bytes[2], requests[2]; /* bytes are divided in proportion to the time */
	uint64_t operations, in_flight_ns;
};

/* Requests of a process in a bin; samples alone have hosts, numbered in order of their names. */
struct iot_analyze_cell {
	uint32_t process, bin;
	uint64_t bytes[2], requests[2];
};

/* Later versions may append members; only the library makes these. */
struct iot_analyze_timeline {
	double width_s;
	double begin_s; /* of the first bin, counted from the beginning of the trace; <= 0 */
	double end_s;   /* of the trace */
	uint64_t
	    begin_ns; /* of the trace, since 1970 if it declares an epoch, else since time zero */
	uint32_t has_epoch;
	size_t count, cell_count; /* count 0: no request or operation has a known start */
	const struct iot_analyze_bin *bins;
	const struct iot_analyze_cell *cells; /* by process, then by bin */
	uint64_t epoch_ns; /* of the trace, from which times of rows count; 0: it declares none */
	const double *burst_s; /* the starts of the bursts of section time, as begin_s */
	size_t burst_count;
};

/* The bytes of a file in a bin of time and a block of offsets; both count from 0. */
struct iot_analyze_offset_cell {
	uint32_t bin, block;
	uint64_t bytes[2]; /* reads, writes */
};

/* Later versions may append members; only the library makes these. */
struct iot_analyze_offsets {
	struct iot_text key, path; /* as in the table by file; path: percent-encoded, or empty */
	double width_s, begin_s;   /* of the bins; begin_s counts from the beginning of the trace */
	uint64_t bins;
	uint64_t block_bytes; /* the size of a block, a power of two */
	size_t count;
	const struct iot_analyze_offset_cell *cells; /* with bytes; by bin, then by block */
	uint32_t sampled; /* 1: the files are a sample; the largest ones may be others */
};

/* Returns NULL if out of memory, or if an option is invalid. */
IOT_API struct iot_analyze *iot_analyze_new(const struct iot_analyze_options *options);
IOT_API void iot_analyze_free(struct iot_analyze *a); /* NULL is ignored */
/*
 * Adds n events, in the order of the trace. Returns IOT_OK; IOT_ENOMEM; IOT_EUSAGE after
 * iot_analyze_finish.
 */
IOT_API IOT_USE_RESULT int iot_analyze_events(struct iot_analyze *a, const struct iot_event *ev,
					      size_t n);
/*
 * Appends a part, which begins where a ends; it is consumed, except by IOT_EUSAGE. Values are those
 * of both in one pass, except where iotrace-analyze(1) states limits. Returns IOT_OK; IOT_ENOMEM;
 * IOT_EUSAGE if either is finished, the options differ, or `part` is not a part.
 */
IOT_API IOT_USE_RESULT int iot_analyze_join(struct iot_analyze *a, struct iot_analyze *part);
/*
 * Passes over the bytes of the stored trace up to `to`, which no part covers, so that a later
 * part can be joined: counts a %lost, as a damaged trace has. Returns IOT_OK; IOT_ENOMEM;
 * IOT_EUSAGE if a is not of a stored trace, is finished, or ends at or after `to`.
 */
IOT_API IOT_USE_RESULT int iot_analyze_skip(struct iot_analyze *a, uint64_t to);
/*
 * Adds another trace of the same job, of other processes: it is consumed, except by IOT_EUSAGE.
 * Files with one path are one, and so are processes of one host and rank. Nothing can be added as
 * events, or appended as a part, then. Values that need one order of all requests become unknown.
 * Returns IOT_OK; IOT_ENOMEM; IOT_ELIMIT if no ids are left; IOT_EUSAGE if either is finished, the
 * options differ, or times or files cannot be compared.
 */
IOT_API IOT_USE_RESULT int iot_analyze_join_trace(struct iot_analyze *a, struct iot_analyze *more);
/*
 * Writes the state, from which iot_analyze_load continues, as %state directives; w is open. Equal
 * events give equal bytes, in one pass or in joined parts. Returns IOT_OK; IOT_ENOMEM; IOT_EUSAGE
 * after iot_analyze_finish; or the status of w.
 */
IOT_API IOT_USE_RESULT int iot_analyze_save(struct iot_analyze *a, struct iot_writer *w);
/*
 * Reads a state into a new analysis, which takes over the options of the state; its results have
 * the sections that the analysis was made with, if the state has them. `first` is the first
 * event of r, a %state. If it has kind=member, the state follows it, and the next event of that
 * kind, if any, has then been read, too. Returns IOT_OK; IOT_EFORMAT if it is not a state of this
 * version; IOT_ENOMEM; IOT_EUSAGE if the analysis has events; or the status of r.
 */
IOT_API IOT_USE_RESULT int iot_analyze_load(struct iot_analyze *a, struct iot_reader *r,
					    const struct iot_event *first);
/* Returns why a call failed; "" if none did, or if out of memory. */
IOT_API const char *iot_analyze_error(const struct iot_analyze *a);
/* Computes the values; call once, after all events. Returns IOT_OK or IOT_ENOMEM. */
IOT_API int iot_analyze_finish(struct iot_analyze *a);

/*
 * Returns the bit of a section, such as IOT_ANALYZE_SIZES of "sizes", or 0 if no option selects one
 * of this name. `size`: bytes of the name.
 */
IOT_API uint32_t iot_analyze_section_bit(const char *name, size_t size);
/*
 * Returns value i, in a fixed order: by section, then name. NULL if i is not less than their
 * number, or before iot_analyze_finish. Valid until iot_analyze_free.
 */
IOT_API const struct iot_analyze_value *iot_analyze_value(const struct iot_analyze *a, size_t i);
/* Returns the value of this section, name and key ("" or NULL: none), or NULL if none exists. */
IOT_API const struct iot_analyze_value *iot_analyze_find(const struct iot_analyze *a,
							 const char *section, const char *name,
							 const char *key);

/*
 * After iot_analyze_finish: sorts a table by bytes, then requests, largest first; operations by
 * their time. Returns the number of its rows, 0 if its section is not selected, or IOT_ENOMEM.
 */
IOT_API ssize_t iot_analyze_rows(struct iot_analyze *a, enum iot_analyze_by by);
/*
 * Stores row i of the table that was sorted last, whose values have the same names in every row;
 * they are valid until the next call of this function. Returns IOT_OK; IOT_EUSAGE if there is no
 * such row; IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_analyze_row(struct iot_analyze *a, size_t i,
					   struct iot_analyze_row *row);

/*
 * After iot_analyze_finish with IOT_ANALYZE_TIME: stores the bins of the values of that section
 * (max 0), or the finest bins of a power of two of seconds of which there are up to `max`. They are
 * valid until the next call of this function. Returns IOT_OK; IOT_EUSAGE if the section is not
 * computed; IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_analyze_timeline(struct iot_analyze *a, size_t max,
						struct iot_analyze_timeline *timeline);

/*
 * After iot_analyze_finish with option `offsets`: stores the bytes over time and offset of the file
 * that is i-th by bytes, in up to 128 bins by 64 blocks. If files have more than 32768 requests, of
 * which up to 128 of each file count, only a sample of the files has them. They are valid until the
 * next call of this function. Returns IOT_OK; IOT_EUSAGE if the file does not exist; IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_analyze_offsets(struct iot_analyze *a, size_t i,
					       struct iot_analyze_offsets *offsets);

#ifdef __cplusplus
}
#endif

#endif
