/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams as tables of Apache Arrow: the events of a stream in columns, for pandas, Polars, DuckDB
 * and other programs that implement the Arrow C stream interface. No library of Arrow is needed.
 *
 *	struct ArrowArrayStream table;
 *	int status = iot_stream_arrow(iot_stream_of_reader(reader), NULL, &table);
 *	if (status == IOT_OK)
 *		consume(&table);                  (which calls table.release in the end)
 */
#ifndef IOTRACE_ARROW_H
#define IOTRACE_ARROW_H

#include <iotrace/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The structs of Arrow's C data and stream interfaces, which other headers may declare, too. */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif

/* Members that are 0 select the default. */
struct iot_arrow_options {
	size_t size; /* of this struct */
	/* names of columns as in iotrace-cat(1), separated by commas; NULL: the first ten */
	const char *columns;
	uint32_t rows;       /* of a batch, at most; 0: 65536 */
	uint32_t all_events; /* 1: rows for operations, too */
	uint32_t timestamps; /* 1: start_ns as timestamp[ns, UTC], if the trace has an epoch */
	uint32_t incomplete; /* 1: a lost interval is not an error */
};

/*
 * Exports the events of a stream as record batches, in the order of the stream. o NULL: defaults.
 * Takes over upstream in every case, NULL included, which is IOT_ENOMEM. Returns IOT_OK, with *out
 * the caller's, whose release frees it and upstream; otherwise IOT_EUSAGE or IOT_ENOMEM, with
 * out->release NULL.
 *
 * Columns are as in `iotrace cat --format=csv`. Times are int64, in nanoseconds; offsets, lengths,
 * sizes and durations uint64, in bytes and nanoseconds; numbers of processes, files, objects and
 * operations uint32; texts dictionaries of utf8 with int32 indices, percent-encoded as in csv. What
 * is empty in csv is null, and a column without nulls has no bitmap.
 *
 * Dictionaries only grow: an index means the same text in all batches, and the dictionary of the
 * last batch has the texts of all.
 *
 * Batches own their memory, which is aligned to 64 bytes: they, and columns moved out of them, may
 * be released in any order, on any thread, after the stream. A column that is held may keep 8 MiB,
 * which the first large columns of its stream share.
 *
 * Errors: get_next returns EBADMSG for IOT_EFORMAT, ENODATA for IOT_ETRUNCATED, EIO, ENOMEM, EINVAL
 * for IOT_EUSAGE or EOVERFLOW for IOT_ELIMIT, again in every later call, after all rows before the
 * error; get_last_error has the sentence. A %lost in the stream is ENODATA at its end, unless
 * `incomplete` is 1.
 *
 * Threads: as a stream's.
 */
IOT_API IOT_USE_RESULT int iot_stream_arrow(struct iot_stream *upstream,
					    const struct iot_arrow_options *o,
					    struct ArrowArrayStream *out);

#ifdef __cplusplus
}
#endif

#endif
