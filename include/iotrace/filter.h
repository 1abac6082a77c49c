/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters: stages that sort and change the events of streams (stream.h), and statistics.
 *
 *	struct iot_sort_options sort = {.size = sizeof(sort), .memory = 64 << 20};
 *	struct iot_stream *s = iot_stream_sort(iot_stream_of_reader(r), &sort);
 *
 * A stage takes over its upstream in every case, as iot_stream_new; a NULL upstream yields NULL.
 *
 * Options are structs that begin with their size: set `size` to sizeof of the struct, and members
 * that are not needed to 0. A library that is newer than the program then knows which members
 * exist. The library copies the struct, but not the strings and arrays that it refers to.
 */
#ifndef IOTRACE_FILTER_H
#define IOTRACE_FILTER_H

#include <iotrace/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sorting by start */

enum iot_sort_mode {
	IOT_SORT_ALL = 0,   /* the first event follows the last of the upstream; any order */
	IOT_SORT_WINDOW,    /* an event follows once one that starts window_ns later has arrived */
	IOT_SORT_WATERMARK, /* an event follows once the watermark of the upstream has passed it */
	/*
	 * the same without temporary files; fails with IOT_ELIMIT and report->restart if memory
	 * does not suffice or the watermark was wrong
	 */
	IOT_SORT_STRICT,
};

/* Complete when the stage has been freed. */
struct iot_sort_report {
	uint64_t late;       /* records that arrived after later ones had been delivered */
	uint64_t late_by_ns; /* the maximum */
	uint64_t runs;       /* sorted runs in temporary files */
	uint64_t spilled;    /* bytes in temporary files */
	int restart;         /* sort the events with IOT_SORT_ALL */
};

struct iot_sort_options {
	size_t size;        /* of this struct */
	uint32_t mode;      /* enum iot_sort_mode */
	uint32_t prefetch;  /* 1: with IOT_SORT_ALL a thread merges sorted runs */
	uint64_t memory;    /* bytes for events, beyond which files are used; 0: 256 MiB */
	uint64_t window_ns; /* of IOT_SORT_WINDOW */
	/*
	 * 0: as in a trace, untimed events stay with the following record, and definitions
	 * (%process, %file) with the events that they apply to; they are repeated where needed. 1:
	 * the start alone determines the order
	 */
	uint32_t by_start;
	uint32_t by_process;            /* 1: equal starts are in order of process; 0: of arrival */
	struct iot_sort_report *report; /* or NULL */
};

/*
 * Puts events in order of start; events of equal start stay in order. A %trace that precedes all
 * records remains first.
 */
IOT_API struct iot_stream *iot_stream_sort(struct iot_stream *upstream,
					   const struct iot_sort_options *options);

/* Times */

struct iot_shift_options {
	size_t size;       /* of this struct */
	int64_t zero_ns;   /* the time that becomes 0 */
	uint32_t or_first; /* 1: or the start of the first event except %trace, if it is earlier */
	uint64_t *early;   /* set by iot_stream_free: number of events before 0; or NULL */
};

/*
 * Subtracts a time from all times of events and adds it to epoch= of %trace. Times before 0 become
 * 0.
 */
IOT_API struct iot_stream *iot_stream_shift(struct iot_stream *upstream,
					    const struct iot_shift_options *options);

/* Times that are not a multiple of a tick, which writers round down. */
struct iot_rounding {
	uint64_t tick_ns; /* 0: not counted */
	uint64_t times;
	uint64_t max_ns; /* the maximum rest */
};

/* Counts the times of all events that pass. *r must outlive the stream. */
IOT_API struct iot_stream *iot_stream_count_rounding(struct iot_stream *upstream,
						     struct iot_rounding *r);

/* Slices */

/* Processes and files to select; of processes those that any list contains. */
struct iot_selection;

enum iot_select {
	/* a list of ids, ranges of ids and globs for names: "7,9-12,mpi*" */
	IOT_SELECT_PROCESSES = 1,
	IOT_SELECT_RANKS, /* a list of MPI ranks and ranges of them: "0,4-7" */
	IOT_SELECT_PATHS, /* a glob for paths, or for their last component if it has no '/' */
};

/* Returns NULL if out of memory. */
IOT_API struct iot_selection *iot_selection_new(void);
IOT_API void iot_selection_free(struct iot_selection *s); /* NULL is ignored */
/*
 * Adds a list. Returns IOT_OK; IOT_EFORMAT if it is not such a list; IOT_ELIMIT if there are more
 * than 1024 ranges or globs of a kind; IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_selection_add(struct iot_selection *s, enum iot_select what,
					     const char *list);

enum iot_slice_flag {
	IOT_SLICE_UNSORTED = 0x01, /* records are not in order of start: no record marks the end */
	IOT_SLICE_READS = 0x02,    /* only reads */
	IOT_SLICE_WRITES = 0x04,   /* only writes */
	/* no %trace before the first record: the output has them already */
	IOT_SLICE_NO_TRACE = 0x08,
};

/* Conditions are combined with AND. Comments and directives without a time follow their record. */
struct iot_slice_options {
	size_t size;            /* of this struct */
	uint64_t flags;         /* enum iot_slice_flag */
	int64_t from_ns, to_ns; /* starts in [from, to); to_ns 0: no end */
	uint64_t first, end;    /* records [first, end), from 0; end 0: no end */
	uint64_t every;         /* of the selected records, the first and every Nth; 0 or 1: all */
	uint64_t index;         /* number of the upstream's first record in the trace */
	const struct iot_selection *selection; /* outlives the stream; NULL: all */
	/*
	 * gives the paths of objects to %file without path=, see iot_reader_name; may be NULL. No
	 * iot_stream_prefetch may separate it from this stage
	 */
	struct iot_reader *names;
};

/*
 * Adds a stage that passes a part of a trace, with the definitions of its processes and files, and
 * with the CPU time between the records of a process as in the trace. It ends when all following
 * records are outside the slice. Invalid options are treated as out of memory.
 */
IOT_API struct iot_stream *iot_stream_slice(struct iot_stream *upstream,
					    const struct iot_slice_options *options);

/* New ids */

enum iot_id { IOT_ID_PROCESS = 0, IOT_ID_FILE, IOT_ID_OBJECT };

/*
 * Stores the new id in *to. ev: the event that contains it, with its old ids, for the process of a
 * file or the path of an object. Not called for object 0. Returns IOT_OK, or the status with which
 * the stream fails.
 */
typedef int iot_remap_fn(void *context, enum iot_id kind, uint32_t id, const struct iot_event *ev,
			 uint32_t *to);

/*
 * Adds a stage that replaces ids: in the fields of records, and in the text of directives,
 * including unknown ones, as iotrace(5) requires. Malformed ids are not changed.
 */
IOT_API struct iot_stream *iot_stream_remap(struct iot_stream *upstream, iot_remap_fn *map,
					    void *context);

/* Anonymization */

/*
 * Replaces names by pseudonyms and ids by new ones, and drops all that may be a name and is not
 * known to be harmless; see iotrace-anonymize(1). The same secret gives the same pseudonyms in
 * every trace.
 */
struct iot_anonymizer;

enum { IOT_DIGEST_SIZE = 32 };

/*
 * Computes a keyed hash, such as BLAKE2b with a secret key of 32 bytes, of the parts one after the
 * other. The library does not contain one, so that programs that only write traces do not need a
 * library of cryptography.
 */
typedef void iot_hash_fn(void *context, const struct iot_text *parts, size_t n,
			 unsigned char digest[IOT_DIGEST_SIZE]);

/* What was replaced, for a private mapping; valid during the call. */
struct iot_replacement {
	/*
	 * of ids: "process", "file" (was: PROCESS/FILE), "disk", "object"; of names: "f" for a
	 * path, "h" a host, "u" a user, "c" a command, "p" the name of a process, "t" a target
	 * and "j" a job of samples
	 */
	const char *kind;
	struct iot_text was, becomes; /* decoded; equal if the name was kept */
	struct iot_text extension;    /* kept of a path, without the dot; size 0 if none */
};

enum iot_anonymize_flag {
	IOT_KEEP_EXTENSIONS = 0x01, /* of the last component of paths */
	IOT_KEEP_COMMENTS = 0x02,   /* free comments */
	IOT_KEEP_UNKNOWN = 0x04,    /* unknown directives, keys and counters */
	IOT_SHIFT_EPOCH = 0x08,     /* by a secret time; otherwise the epoch is dropped */
};

struct iot_anonymize_options {
	size_t size;                        /* of this struct */
	uint64_t flags;                     /* enum iot_anonymize_flag */
	uint64_t time_grain_ns, size_grain; /* times and offsets are rounded; 0: exact */
	const char *keep; /* path prefixes that stay, separated by commas; may be NULL */
	void *context;    /* of the functions */
	iot_hash_fn *hash;
	/*
	 * Returns nonzero if a counter with this name is harmless; without `exact`, only if it is a
	 * count, but not a time or a number of bytes. NULL: none is.
	 */
	int (*counter)(void *context, struct iot_text name, int exact);
	/*
	 * Reports each name once, when it is replaced, and the ids of a trace when its stream is
	 * freed. May be NULL
	 */
	void (*replaced)(void *context, const struct iot_replacement *replacement);
};

enum iot_anonymizer_fact { /* of the current trace, or the last one */
			   IOT_ANONYMIZER_PROCESSES = 1,
			   IOT_ANONYMIZER_FILES, /* including disks */
			   IOT_ANONYMIZER_OBJECTS,
			   IOT_ANONYMIZER_COMMENTS,   /* dropped */
			   IOT_ANONYMIZER_DIRECTIVES, /* dropped */
			   IOT_ANONYMIZER_KEYS,       /* dropped */
};

/* Returns NULL if out of memory, or if an option is invalid. */
IOT_API struct iot_anonymizer *iot_anonymizer_new(const struct iot_anonymize_options *options);
IOT_API void iot_anonymizer_free(struct iot_anonymizer *a); /* NULL is ignored */
/*
 * Adds a stage that anonymizes one trace; ids restart. The anonymizer remains the caller's, must
 * outlive the stream, and serves one stream at a time.
 */
IOT_API struct iot_stream *iot_stream_anonymize(struct iot_stream *upstream,
						struct iot_anonymizer *a);
IOT_API uint64_t iot_anonymizer_fact(const struct iot_anonymizer *a, enum iot_anonymizer_fact fact);

/* Statistics */

/*
 * Counts I/Os, bytes and opens, of a stream or of parts of a trace that are counted on several
 * threads (iot_reader_fold):
 *
 *	struct iot_stats *s = iot_stats_new(&(struct iot_stats_options){.size = sizeof(
 *						struct iot_stats_options)});
 *	while ((status = iot_stream_next(stream, b)) > 0)
 *		status = iot_stats_events(s, b->events, b->count);
 *	iot_stats_finish(s);
 *	for (size_t i = 0; (row = iot_stats_row(s, i)) != NULL; i++)
 *		use(row);
 *	iot_stats_free(s);
 */
struct iot_stats;

enum iot_stats_by {
	IOT_STATS_BY_FILE,    /* a row for each fileId of a process, which is one open */
	IOT_STATS_BY_PROCESS, /* a row for each process */
	IOT_STATS_BY_OBJECT,  /* a row for each object, and for each fileId without one */
	/* These combine rows with the same name; those without one are one row without a name. */
	IOT_STATS_BY_RANK,      /* of processes */
	IOT_STATS_BY_HOST,      /* of processes, or of %sample if there are no I/Os */
	IOT_STATS_BY_DIRECTORY, /* of objects: their path up to the last '/' */
	IOT_STATS_BY_TRACE,     /* a row for each trace */
	IOT_STATS_BY_TARGET,    /* of %sample */
	IOT_STATS_BY_JOB,       /* of %sample */
};

/* Largest first; of equal rows that with more bytes, then that with more I/Os. */
enum iot_stats_sort {
	IOT_STATS_SORT_BYTES = 0,
	IOT_STATS_SORT_IOS,
	IOT_STATS_SORT_TIME,
	IOT_STATS_SORT_OPENS,
	IOT_STATS_SORT_READS,
	IOT_STATS_SORT_WRITES,
	IOT_STATS_SORT_READ_BYTES,
	IOT_STATS_SORT_WRITTEN_BYTES,
};

struct iot_stats_options {
	size_t size;        /* of this struct */
	uint32_t by;        /* enum iot_stats_by */
	uint32_t physical;  /* 1: counts physical records; 0: logical ones */
	uint64_t names_max; /* maximum bytes of all names of rows; 0: 256 MiB */
	uint32_t sort;      /* enum iot_stats_sort */
	/*
	 * Returns the path of an object and its size, valid until the next call, or NULL; called by
	 * iot_stats_finish, for IOT_STATS_BY_DIRECTORY. NULL: rows of objects keep the last path
	 */
	const char *(*object_name)(void *context, uint32_t object, size_t *size);
	void *context;
};

/* Class 0: I/Os of size 0; class k: 2^(k-1) bytes and more; the last one has no upper bound. */
enum { IOT_SIZE_CLASSES = 42 };

enum iot_stats_has {
	IOT_STATS_HAS_RANK = 0x01,
	IOT_STATS_HAS_TIMES = 0x02,    /* first_ns and last_ns */
	IOT_STATS_NAME_DEFINED = 0x04, /* by a %process or %file; otherwise by an %op */
	/* of several traces: the I/Os are unknown, since those that have it have only %counter */
	IOT_STATS_ONLY_COUNTERS = 0x08,
	IOT_STATS_HAS_OPENS = 0x10, /* its trace shows opens; otherwise `opens` is unknown, and 0 */
	/* sums of `samples`; a sum that no sample has is unknown, and 0 */
	IOT_STATS_SAMPLED = 0x20,
	IOT_STATS_HAS_READ_BYTES = 0x40, /* the same for rows of samples alone */
	IOT_STATS_HAS_WRITTEN_BYTES = 0x80,
	IOT_STATS_HAS_READS = 0x100,
	IOT_STATS_HAS_WRITES = 0x200,
};

/* Later versions may append members; only the library makes rows. */
struct iot_stats_row {
	uint64_t opens; /* %op that opened or created a file */
	uint64_t files; /* fileIds */
	uint64_t reads, writes, read_bytes, written_bytes;
	uint64_t io_ns;                 /* sum of the known durations */
	uint64_t timed;                 /* I/Os whose duration is known */
	uint64_t followers;             /* I/Os with a previous one in their fileId */
	uint64_t located;               /* ... whose distance from it is known */
	uint64_t sequential;            /* ... of these, those that begin where that one ended */
	uint64_t same_size;             /* followers of the same size */
	uint32_t process, file, object; /* 0 if the row combines several or none */
	uint32_t has;                   /* enum iot_stats_has */
	uint64_t rank;                  /* of its process */
	int64_t first_ns, last_ns;      /* starts of its first and its last I/O */
	const char *name; /* of the process, or the path of the open or object; NULL if unknown */
	size_t name_size;
	/* the first of several traces that has it, from 1, and whose ids it has; 0: one trace */
	uint32_t trace;
	uint64_t samples; /* %sample */
};

enum { IOT_OPERATION_NAME = 24 };

/* Calls of an operation: "read" and "write" of the records, others as %op names them. */
struct iot_stats_operation {
	char name[IOT_OPERATION_NAME];
	uint64_t calls, failed;
	uint64_t timed, ns; /* calls whose duration is known, and the sum of these durations */
};

/* Durations of reads or of writes. Quantiles come from bins up to 3.2 % wide. */
struct iot_stats_latency {
	uint64_t count; /* I/Os with a known duration; if 0, the other members are undefined */
	uint64_t min_ns, max_ns;
	double mean_ns, median_ns, p99_ns;
};

enum iot_stats_fact {
	IOT_STATS_ROWS = 1,
	IOT_STATS_LEFT_OUT,       /* physical records, or with `physical` logical ones */
	IOT_STATS_OPS,            /* %op */
	IOT_STATS_OTHER_OPS,      /* ... with long names, or beyond 64 different names */
	IOT_STATS_COUNTERS,       /* %counter */
	IOT_STATS_FILE_COUNTERS,  /* ... about one file */
	IOT_STATS_UNNAMED,        /* names dropped because of names_max */
	IOT_STATS_LAYERS,         /* 1 if a %trace declares several layers: each has the same I/O */
	IOT_STATS_SPAN_NS,        /* from the first start to the last end of I/Os; 0: unknown */
	IOT_STATS_COUNTER_TRACES, /* of several traces, those with counters of files, but no I/Os */
	IOT_STATS_UNALIGNED,      /* 1 if only some traces, or none of several, declare an epoch */
	IOT_STATS_SAMPLES,        /* %sample */
	IOT_STATS_NO_RESULTS,     /* 1 if a source does not show whether operations failed */
};

/* Returns NULL if out of memory, or if an option is invalid. */
IOT_API struct iot_stats *iot_stats_new(const struct iot_stats_options *options);
IOT_API void iot_stats_free(struct iot_stats *s); /* NULL is ignored */
/* Counts n events, in the order of the trace. Returns IOT_OK or IOT_ENOMEM. */
IOT_API IOT_USE_RESULT int iot_stats_events(struct iot_stats *s, const struct iot_event *ev,
					    size_t n);
/*
 * Adds `more`, which has counted the events that follow, with the same options. It is empty
 * afterwards and remains the caller's. Returns IOT_OK or IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_stats_join(struct iot_stats *s, struct iot_stats *more);
/*
 * Adds `more`, which has counted all of another trace with the same options, to s, which has the
 * traces of earlier calls, and no events of its own. Rows with the same rank, host or directory,
 * and objects with the same path, are one; processes and fileIds of two traces are different. Times
 * count from the earliest epoch, or, unless all traces declare one, from the beginning of each.
 * `more` is empty afterwards and remains the caller's. Returns IOT_OK or IOT_ENOMEM.
 */
IOT_API IOT_USE_RESULT int iot_stats_join_trace(struct iot_stats *s, struct iot_stats *more);
/* Sorts rows and operations; call once, after all events. Returns IOT_OK or IOT_ENOMEM. */
IOT_API int iot_stats_finish(struct iot_stats *s);
/*
 * Returns the results for the events so far, which the caller frees; s counts on. Takes time and
 * memory in proportion to the rows. Returns NULL if out of memory.
 */
IOT_API struct iot_stats *iot_stats_snapshot(struct iot_stats *s);

/*
 * The results, valid until iot_stats_free. Rows are sorted as the options say, operations by time,
 * largest first; NULL if i is not less than their number.
 */
IOT_API const struct iot_stats_row *iot_stats_row(const struct iot_stats *s, size_t i);
IOT_API const struct iot_stats_row *iot_stats_total(const struct iot_stats *s);
IOT_API const struct iot_stats_operation *iot_stats_operation(const struct iot_stats *s, size_t i);
IOT_API void iot_stats_latency(const struct iot_stats *s, int write, struct iot_stats_latency *l);
/* Returns the number of I/Os of a row whose size is of a class. */
IOT_API uint64_t iot_stats_size(const struct iot_stats_row *row, unsigned size_class);
IOT_API uint64_t iot_stats_fact(const struct iot_stats *s, enum iot_stats_fact fact);

/* Merging */

/*
 * Which files of different inputs become one object if they have the same path. The host of a file
 * is declared by its %process, otherwise by the %trace of its input; inputs without a host share
 * one. Node-local paths (in /dev, /proc, /run, /sys, /tmp, /var/tmp) need the same host.
 */
enum iot_join_paths {
	IOT_JOIN_NONE,
	IOT_JOIN_HOSTS, /* files of one host, and of all hosts if all inputs are of one job */
	IOT_JOIN_JOBS,  /* files of inputs whose %trace declares the same job */
};

/*
 * name		names of the inputs: for errors, and to order inputs that begin alike. NULL: numbers
 * shift	sets *shift_ns, which is 0, to the time to be added to the times of an input. Called
 *		once for each, in order, after the first events of all were read; host is from
 *		its %trace, or NULL. Returns IOT_OK, or the status with which the merge fails. NULL:
 *		no input is shifted
 * ended	called when all events of an input were merged. status: IOT_OK, or the error that
 *		ended it early, with a sentence. May be NULL
 */
struct iot_merge_options {
	size_t size;         /* of this struct */
	uint32_t keep_ids;   /* 1: ids mean the same in all inputs: they are parts of one trace */
	uint32_t join_paths; /* enum iot_join_paths */
	uint64_t open_max;   /* inputs, 2 or more, that are read at a time; 0: all */
	const char *const *name;
	int (*shift)(void *context, size_t input, const char *host, int has_epoch,
		     int64_t *shift_ns);
	void (*ended)(void *context, size_t input, int status, const char *sentence);
	void *context;
	uint32_t
	    keep_processes; /* 1: process ids mean the same in all inputs, which are of one host */
};

/*
 * Merges n >= 1 streams, each in order of start, to one. They are aligned by epoch= of their %trace
 * where all have one, else by their time zero. I/Os that start together are ordered by process,
 * then file; the order of the inputs does not matter. If two inputs use the same id,
 * one keeps it; the other is renumbered, in records and directives. If the inputs are of several
 * hosts, a %process without a host gets the host of its input.
 *
 * An input that fails with IOT_EFORMAT, IOT_EIO or IOT_ETRUNCATED ends there with a %lost; its
 * other errors are errors of the merge. The first batch is empty: with it, the first events of all
 * inputs have been read. Beyond open_max, inputs are merged in groups, to a temporary file; after
 * its first batch, an input is not read until its group is.
 *
 * The inputs belong to the merge. Returns NULL, after freeing them, if out of memory, if an option
 * is invalid, or if an input is NULL.
 */
IOT_API struct iot_stream *iot_stream_merge(struct iot_stream **inputs, size_t n,
					    const struct iot_merge_options *options);

#ifdef __cplusplus
}
#endif

#endif
