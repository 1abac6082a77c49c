/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libiotrace: reads and writes I/O traces in the compressed ASCII format of iotrace(5).
 *
 * Reading, in outline:
 *
 *	struct iot_record rec[1024];
 *	struct iot_reader *r = iot_reader_new();
 *	ssize_t n = r ? iot_reader_open(r, "app.iot.zst") : IOT_ENOMEM;
 *	while (n >= 0 && (n = iot_reader_records(r, rec, 1024)) > 0)
 *		use(rec, n);
 *	if (n < 0)
 *		fprintf(stderr, "%s\n", iot_reader_error(r));
 *	iot_reader_free(r);
 *
 * Three layers, each usable alone: the codec (converts one record to or from one line; no
 * allocation, no I/O), streams (reader and writer over files, pipes, memory, callbacks; gzip,
 * Zstandard) and directives (comments with a defined meaning). Above the codec everything is
 * explicit: no field is omitted, every time is absolute and in nanoseconds, whatever the tick of
 * the trace.
 *
 * Threads: a handle may be used by one thread at a time; different handles are independent. The
 * library has no global state, never prints, never exits, and installs no signal handlers.
 *
 * Errors: functions that can fail return IOT_OK (or a count) or a negative enum iot_status. A
 * handle keeps its first error: later calls return it again, and iot_..._error() returns a sentence
 * with the position, what was found and what was expected. IOT_EUSAGE for a setting or a second
 * open of an open handle leaves the handle unchanged.
 */
#ifndef IOTRACE_IOTRACE_H
#define IOTRACE_IOTRACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IOT_API        __attribute__((visibility("default")))
#define IOT_USE_RESULT __attribute__((warn_unused_result))

#define IOT_VERSION_MAJOR 0
#define IOT_VERSION_MINOR 1
#define IOT_VERSION_PATCH 0
#define IOT_VERSION       "0.1.0"

/* Returns the version of the library at run time; IOT_VERSION is the version at compile time. */
IOT_API const char *iot_version(void);

enum iot_status {
	IOT_OK = 0,
	IOT_EFORMAT = -1,    /* the input is not a valid trace */
	IOT_EIO = -2,        /* a system call failed; the message contains the text of errno */
	IOT_ENOMEM = -3,     /* out of memory */
	IOT_EUSAGE = -4,     /* invalid argument or call sequence */
	IOT_ELIMIT = -5,     /* a limit of this handle was reached; see enum iot_option */
	IOT_ETRUNCATED = -6, /* the input ends before its end mark */
};

/* Returns a short name such as "format error"; never NULL. */
IOT_API const char *iot_status_name(int status);

/* Records */

/* Bits of iot_record.type, from [M] (iotrace.h in the appendix of Miller's report); see iotrace(5).
 */
enum iot_type {
	IOT_DATA_KIND = 0x03, /* mask; the four kinds follow */
	IOT_FILE_DATA = 0x00,
	IOT_METADATA = 0x01,
	IOT_READ_AHEAD = 0x02,
	IOT_VIRTUAL_MEMORY = 0x03,
	IOT_ASYNC = 0x08,
	IOT_READ_AHEAD_HIT = 0x10,
	IOT_CACHE_MISS = 0x20,
	IOT_WRITE = 0x40, /* otherwise a read */
	/*
	 * requested by a program, in bytes; otherwise physical: done by a disk, in blocks of
	 * IOT_BLOCK_SIZE bytes
	 */
	IOT_LOGICAL = 0x80,
};

/* Bits of iot_record.flags: properties that the source of the trace does not know. */
enum iot_flag {
	IOT_OFFSET_UNKNOWN = 0x01, /* offset counts from an unknown base */
	IOT_DURATION_UNKNOWN = 0x02,
	IOT_CPU_UNKNOWN = 0x04,
	IOT_START_UNKNOWN = 0x08,
};

/*
 * A record of a program's read or write has IOT_LOGICAL in its type, and offset and length in
 * bytes. Without that bit it is an I/O of a disk: offset and length count blocks of IOT_BLOCK_SIZE
 * bytes, and `file` is the number of the disk. A writer rejects it unless the disk has been
 * declared.
 */
struct iot_record {
	int64_t start_ns;     /* since time zero of the trace, 0 .. 2^63-1 */
	uint64_t duration_ns; /* start + duration <= 2^63-1 */
	/* the process's CPU clock at the start; only differences are meaningful */
	int64_t cpu_ns;
	/* in bytes with IOT_LOGICAL; otherwise in blocks of IOT_BLOCK_SIZE bytes */
	uint64_t offset;
	uint64_t length;    /* in the unit of offset */
	uint32_t operation; /* links a logical record to its physical ones; 0 if none */
	uint32_t file; /* one open of a file, within its process; in physical records, the disk */
	uint32_t process;
	/*
	 * equal numbers are the same file in the whole trace; 0 if unknown. Not part of the line:
	 * readers take it from %file, writers ignore it
	 */
	uint32_t object;
	uint8_t type;   /* enum iot_type; 0xff is not allowed (it marks a comment) */
	uint8_t flags;  /* enum iot_flag */
	uint16_t zero;  /* must be 0 */
	uint32_t spare; /* must be 0 */
};

/*
 * The blocks of block_size bytes that a record refers to: *count of them from *first on, in
 * ascending order; none for a record of length 0. Returns IOT_OK; IOT_EUSAGE for block_size 0 or an
 * unknown offset, which is none; IOT_ELIMIT if the record ends after 2^64 bytes.
 */
IOT_API IOT_USE_RESULT int iot_blocks_of(const struct iot_record *rec, uint32_t block_size,
					 uint64_t *first, uint64_t *count);

/* Codec: converts one record to one line and back */

/*
 * The state of the codec ("previous" values) for one trace in one direction. It lives in a block of
 * memory that the caller supplies and that must be aligned as malloc's; it contains no pointers, so
 * it may be copied or moved. The codec never allocates, does no I/O, takes no locks and calls
 * nothing that depends on the locale.
 */
struct iot_codec;

enum {
	IOT_LINE_MAX = 4096,     /* bytes of an input record line, without its line end */
	IOT_COMMENT_MAX = 65536, /* bytes of a comment line, without its line end */
	IOT_ENCODED_MAX = 192,   /* bytes that an encoded record may need, with its line end */
	IOT_FILES_MAX = 32,      /* capacity of a process's file table */
	IOT_BLOCK_SIZE = 512,    /* [M] TRACE_BLOCK_SIZE */
};

#define IOT_TICK_DEFAULT_NS 1000 /* tick of a trace without %iotrace */

/* Returns the maximum size in bytes of a state for `processes` processes. */
IOT_API size_t iot_codec_size(size_t processes);

/*
 * Initializes a state in `block`. tick_ns: 1 .. 2^63-1; base: 16 or 10. Returns NULL if the block
 * is smaller than iot_codec_size(1) or an argument is out of range. Nothing needs to be freed.
 */
IOT_API struct iot_codec *iot_codec_init(void *block, size_t size, uint64_t tick_ns, unsigned base);

/* Informs a state that its block has grown to `size` bytes (and may have moved, as by realloc). */
IOT_API struct iot_codec *iot_codec_grow(void *block, size_t size);

/* Resets everything except the start of the previous record and the CPU clocks, as a %sync does. */
IOT_API void iot_codec_forget(struct iot_codec *codec);

/*
 * Writes rec as one line with its LF to `line`, which has a capacity of at least IOT_ENCODED_MAX
 * bytes. Times are quantized to ticks as iotrace(5) defines. Returns the number of bytes written;
 * IOT_EUSAGE if the record cannot be expressed (a type of 0xff, a time out of range); IOT_ELIMIT if
 * the block is full: grow it and call again. The state changes only on success.
 */
IOT_API IOT_USE_RESULT ssize_t iot_encode(struct iot_codec *codec, const struct iot_record *rec,
					  char *line);

/*
 * Decodes one record line of `size` bytes, with or without its LF; CRs at its end are ignored. Does
 * not accept comments or blank lines. Sets object and flags of *rec to 0. Returns IOT_OK;
 * IOT_EFORMAT if the line is invalid; IOT_ELIMIT if the block is full: grow it and call again. The
 * state changes only on success.
 */
IOT_API IOT_USE_RESULT int iot_decode(struct iot_codec *codec, const char *line, size_t size,
				      struct iot_record *rec);

/*
 * Returns the message of the last failure of this state ("fileId left out, but process 7 has no
 * earlier record") and its column, counted from 1, or 0 if the failure has no column.
 */
IOT_API const char *iot_codec_error(const struct iot_codec *codec, unsigned *column);

/* Events */

struct iot_text {
	const char *data; /* not NUL-terminated; any bytes except LF */
	size_t size;
};

enum iot_kind {
	IOT_RECORD = 1,
	IOT_COMMENT,   /* free text */
	IOT_TRACE,     /* %trace */
	IOT_PROCESS,   /* %process */
	IOT_FILE,      /* %file */
	IOT_OP,        /* %op */
	IOT_COUNTER,   /* %counter */
	IOT_LOST,      /* %lost */
	IOT_DIRECTIVE, /* a directive unknown to this version */
};

/* Bits of iot_event.has: keys that a directive contains, parsed into rec. */
enum iot_has {
	IOT_HAS_TIME = 0x01,    /* time= in rec.start_ns */
	IOT_HAS_TOOK = 0x02,    /* took= in rec.duration_ns */
	IOT_HAS_PROCESS = 0x04, /* process= (id= of %process) in rec.process */
	IOT_HAS_FILE = 0x08,    /* file= (id= of %file) in rec.file */
	IOT_HAS_OBJECT = 0x10,  /* object= in rec.object */
	IOT_HAS_DISK = 0x20,    /* kind=disk */
	/* an %op that ends a fileId: name=close with process= and file=, without an error */
	IOT_CLOSES = 0x80,
	/* a %process or %file from before the seek target that still applies there */
	IOT_IN_FORCE = 0x40,
};

/*
 * A record (rec), or a comment or directive (text: the line after "ff "). In a directive's text the
 * values of time= and took= are nanoseconds. For an event without its own time, rec.start_ns is the
 * time of a neighbouring record, as far as the reader knows it, and serves only as a sort key.
 */
struct iot_event {
	struct iot_record rec;
	struct iot_text text;
	uint32_t kind; /* enum iot_kind */
	uint32_t has;  /* enum iot_has */
};

/* Directives: %NAME key=value ... */

/*
 * Sets kind, has and rec of an event from its text (times in it are nanoseconds). Text that is not
 * a directive yields a comment. Returns IOT_EUSAGE for framing (%iotrace, %sync, %end); IOT_EFORMAT
 * if a known directive lacks a required key, a number is invalid, or a time of any directive
 * exceeds 2^63-1 ns; then *why (why may be NULL) is a static sentence.
 */
IOT_API IOT_USE_RESULT int iot_directive_parse(struct iot_event *ev, const char **why);

/*
 * Returns the value of the last `key=`, still percent-encoded; its data is NULL if the key is
 * absent.
 */
IOT_API struct iot_text iot_directive_get(const struct iot_event *ev, const char *key);

/*
 * Stores in *flags the bits of enum iot_flag that lacks= of a %trace names. Returns 1, or 0 if it
 * has no lacks=, which leaves *flags unchanged.
 */
IOT_API int iot_directive_lacks(const struct iot_event *ev, unsigned *flags);

/*
 * Percent-decodes `value` into out (at most value.size bytes) and returns the length. A malformed
 * %XX is copied unchanged and counted in *malformed, unless malformed is NULL.
 */
IOT_API size_t iot_percent_decode(struct iot_text value, char *out, unsigned *malformed);

/*
 * A directive under construction in the caller's memory. Errors are sticky; iot_directive_end
 * returns them.
 */
struct iot_builder {
	char *data;
	size_t size, capacity;
	int status;
};

IOT_API void iot_directive_begin(struct iot_builder *b, void *memory, size_t capacity,
				 const char *name);
IOT_API void iot_directive_number(struct iot_builder *b, const char *key, uint64_t value);
/* Percent-encodes control characters, blanks, '%', and bytes that are not UTF-8. */
IOT_API void iot_directive_text(struct iot_builder *b, const char *key, const void *value,
				size_t n);
/*
 * Stores the finished directive in *ev. Returns as iot_directive_parse, or IOT_ELIMIT if the
 * capacity was too small.
 */
IOT_API IOT_USE_RESULT int iot_directive_end(struct iot_builder *b, struct iot_event *ev);

/* Settings of readers and writers, allowed before open only */

enum iot_option {
	/* Readers */
	IOT_SET_VERIFY = 1, /* 1: verify %sync and %end; 0: do not hash (default 1) */
	/* 1: after damage, resume at the next %sync and deliver an IOT_LOST event (default 0) */
	IOT_SET_RECOVER,
	IOT_SET_LIMIT_WINDOW, /* maximum zstd window in bytes (default 128 MiB) */
	/* bytes per read from the system (default 1 MiB); tests use 1 and 17 */
	IOT_SET_READ_SIZE,
	/* Both */
	/* reader: tick of a trace without %iotrace; writer: tick (default 1000) */
	IOT_SET_TICK_NS,
	IOT_SET_BASE,         /* 16 or 10; reader: 0, the default, detects it; writer: default 16 */
	IOT_SET_LIMIT_MEMORY, /* bytes of codec state and names (default 1 GiB) */
	/* Writers */
	/* 1: write %iotrace, %sync, %end; 0: only records and comments (default 1) */
	IOT_SET_FRAMING,
	IOT_SET_SYNC,        /* records between %syncs, 0 for none (default IOT_SYNC_DEFAULT) */
	IOT_SET_COMPRESSION, /* enum iot_compression (default: from the path's suffix) */
	/* of gzip (1 .. 9) or zstd (1 .. 19); 0, the default, selects 6 or 1 */
	IOT_SET_LEVEL,
	/* writer: zstd's worker threads (default 0); reader: decoding threads (default 1) */
	IOT_SET_THREADS,
	/* Readers */
	IOT_SET_READ_AHEAD, /* 1: decompress in a thread, if the input is compressed (default 0) */
	/* Writers */
	/* 1: close waits until the file is on disk before it renames it (default 1) */
	IOT_SET_FSYNC,
	/*
	 * 1: accept physical records without a preceding %file kind=disk, for programs that copy
	 * traces; 0: reject them (default 0)
	 */
	IOT_SET_UNDECLARED_DISKS,
	IOT_SET_IN_PLACE, /* 1: for programs that may crash, see iot_writer_open (default 0) */
	/* events between flushes, 0 for no limit (default 0; in place IOT_FLUSH_DEFAULT) */
	IOT_SET_FLUSH,
	/* nanoseconds between flushes, 0 for no limit (default 0; in place IOT_FLUSH_NS_DEFAULT) */
	IOT_SET_FLUSH_NS,
	/* Readers */
	/*
	 * 1: an input of blank lines only is a trace without records; 0: it is IOT_ETRUNCATED
	 * (default 1)
	 */
	IOT_SET_ALLOW_EMPTY,
	IOT_SET_VERIFIED,   /* 1: deliver only verified intervals of a framed trace (default 0) */
	IOT_SET_LIMIT_HELD, /* maximum bytes held in memory for IOT_SET_VERIFIED (default 64 MiB) */
	IOT_SET_DECOMPRESSED, /* 1: the callback decompresses, see IOT_SET_VERIFIED (default 0) */
	/* Writers */
	IOT_SET_VERSION, /* of the format: 1, or 2 with encoded directives (default 2) */
	/* 1: with IOT_SET_IN_PLACE, refuse a path that exists, even as a link (default 0) */
	IOT_SET_NEW,
	/*
	 * 1: end a Zstandard trace of several frames with a seek table in the Zstandard seekable
	 * format, so that readers find any part with few reads; 0: without (default 1)
	 */
	IOT_SET_INDEX,
	/* Readers */
	IOT_SET_NAMES, /* 0: keep no paths for iot_reader_name, and save their memory (default 1) */
};

enum iot_compression { IOT_PLAIN = 0, IOT_GZIP = 1, IOT_ZSTD = 2 };

#define IOT_SYNC_DEFAULT     524288
#define IOT_FLUSH_DEFAULT    4096
#define IOT_FLUSH_NS_DEFAULT 100000000

/* Properties of a reader or writer; numbers not yet known are 0. */
enum iot_fact {
	IOT_FACT_TICK_NS = 1,
	IOT_FACT_BASE,
	IOT_FACT_COMPRESSION, /* enum iot_compression */
	IOT_FACT_FRAMED,      /* 1 if the trace has %iotrace */
	IOT_FACT_SYNC,        /* the value of sync= in %iotrace */
	/* 1 if a valid end was reached in an input that is not just blank lines */
	IOT_FACT_COMPLETE,
	IOT_FACT_RECORDS,      /* records read or written so far */
	IOT_FACT_COMMENTS,     /* comments so far, as %end counts them */
	IOT_FACT_BYTES_TEXT,   /* uncompressed bytes of text */
	IOT_FACT_BYTES_STORED, /* bytes read from, or written to, the file */
	IOT_FACT_LINE,         /* readers: lines read so far */
	IOT_FACT_LOST,         /* readers with IOT_SET_RECOVER: number of losses */
	/* readers with IOT_SET_RECOVER: lost records, as far as %sync declares them */
	IOT_FACT_LOST_RECORDS,
	IOT_FACT_WARNINGS,   /* readers: warnings passed to iot_reader_on_warning */
	IOT_FACT_INDEX,      /* readers: number of the next record, from 0 */
	IOT_FACT_LAST_NS,    /* start of the last record read or written */
	IOT_FACT_UNVERIFIED, /* readers: records of damaged intervals, delivered or dropped */
	IOT_FACT_VERSION,    /* of the format; 0 without %iotrace */
};

/*
 * Callbacks that supply or accept bytes like read(2) and write(2): short counts are allowed, -1
 * sets errno. Of bytes that were compressed, EBADMSG means damage (IOT_EFORMAT), ENODATA an early
 * end (IOT_ETRUNCATED); other numbers are IOT_EIO.
 */
typedef ssize_t iot_read_fn(void *context, void *buffer, size_t size);
typedef ssize_t iot_write_fn(void *context, const void *buffer, size_t size);

/* Reader */

struct iot_reader;

/* Returns NULL if out of memory. */
IOT_API struct iot_reader *iot_reader_new(void);
/* Closes what open opened. NULL is ignored. */
IOT_API void iot_reader_free(struct iot_reader *r);
/*
 * Returns IOT_EUSAGE if the option is not for readers or the value is out of range (open then
 * fails, too), or if the reader is already open, which leaves it unchanged.
 */
IOT_API int iot_reader_set(struct iot_reader *r, enum iot_option option, uint64_t value);

/*
 * Reports irregularities that do not stop a reader to fn (may be NULL), one sentence each, without
 * LF, during the calls below.
 */
IOT_API void iot_reader_on_warning(struct iot_reader *r,
				   void (*fn)(void *context, const char *sentence), void *context);

/*
 * Input that can be read at any byte, as an object in an object store: seeks, parts and parallel
 * decoding work as on a regular file.
 */
struct iot_storage {
	/*
	 * Reads up to `size` bytes (>= 1) at `offset` into `to`. Returns their number, at least 1
	 * before the end; 0 at the end; or -1 with errno set, which becomes part of the message.
	 */
	ssize_t (*read_at)(void *context, void *to, size_t size, uint64_t offset);
	void *context; /* remains the caller's, and must outlive the reader */
	uint64_t size; /* bytes of the input */
	/* may read_at be called by several threads at once? Otherwise by one after the other */
	int concurrent;
};

/*
 * Opens an input, once per reader; uncompressed, gzip or zstd, detected by content. `path` "-" is
 * standard input. A descriptor and memory remain the caller's and must outlive the reader;
 * `storage` is copied. `name` is used in messages.
 */
IOT_API IOT_USE_RESULT int iot_reader_open(struct iot_reader *r, const char *path);
IOT_API IOT_USE_RESULT int iot_reader_open_fd(struct iot_reader *r, int fd, const char *name);
IOT_API IOT_USE_RESULT int iot_reader_open_memory(struct iot_reader *r, const void *data,
						  size_t size, const char *name);
IOT_API IOT_USE_RESULT int iot_reader_open_callback(struct iot_reader *r, iot_read_fn *read,
						    void *context, const char *name);
IOT_API IOT_USE_RESULT int
iot_reader_open_storage(struct iot_reader *r, const struct iot_storage *storage, const char *name);

/*
 * Stores the next events, up to max (>= 1). Returns the number stored (at least 1), 0 at a valid
 * end, or a negative status. Good events before an error are delivered first. Text is valid until
 * the next call on this reader.
 */
IOT_API IOT_USE_RESULT ssize_t iot_reader_events(struct iot_reader *r, struct iot_event *out,
						 size_t max);
/* The same for records only; comments are skipped (and %file is applied). */
IOT_API IOT_USE_RESULT ssize_t iot_reader_records(struct iot_reader *r, struct iot_record *out,
						  size_t max);

enum iot_seek { IOT_SEEK_RECORD, IOT_SEEK_TIME_NS };

/*
 * Seeks: the next record delivered is number `value` of the trace, from 0, or the first one that
 * starts at or after `value`; beyond the end there is none. On a regular file or memory a seek is
 * possible at any time and in either direction: the preceding %sync is located by reading little.
 * Other inputs are read forward to the target. For the result of IOT_SEEK_TIME_NS in a trace that
 * is not in order of start, the events delivered before the record, and the CPU clocks afterwards,
 * see iot_reader(3).
 */
IOT_API IOT_USE_RESULT int iot_reader_seek(struct iot_reader *r, enum iot_seek what,
					   uint64_t value);
/*
 * Limits an open reader, of which nothing has been read, to the K-th of N parts of its trace,
 * with 1 <= K <= N <= 1000000. A part has the intervals between %syncs that begin in the K-th of
 * N equal ranges of the stored bytes, so each interval is in one part; part 1 begins with the
 * trace. A part ends validly where the next %sync states what precedes it. CPU clocks count from
 * the beginning of the part. Stores which part it is. Returns IOT_OK; IOT_EUSAGE if N > 1 and the
 * input is not a regular file or memory; or the status of an error.
 */
struct iot_part {
	uint64_t trace_id; /* a hash of the first 64 KiB of text; not 0 */
	uint64_t from, to; /* stored bytes [from, to): a trace of several parts has each in one */
	uint64_t stored;   /* size of the trace; 0: unknown, and so are `from` and `to` */
};

IOT_API IOT_USE_RESULT int iot_reader_part(struct iot_reader *r, uint64_t k, uint64_t n,
					   struct iot_part *part);
/*
 * A part that can be read where only a plan and its bytes are. Texts that the library stores belong
 * to the reader.
 */
struct iot_range {
	struct iot_part part;
	uint64_t record; /* number of the first record of the part, from 0 */
	uint64_t tick_ns, base;
	uint64_t epoch_ns;      /* of the %trace at the head of the trace; 0: unknown */
	struct iot_text header; /* lines of %iotrace and %trace at the head of the trace */
	struct iot_text next;   /* the %sync at part.to; size 0: the range ends with the trace */
};

/*
 * Stores what a plan states of part K of N, as iot_reader_part chooses it, until the next call. May
 * be called repeatedly. The reader then reads nothing except a range that is set.
 */
IOT_API IOT_USE_RESULT int iot_reader_find_range(struct iot_reader *r, uint64_t k, uint64_t n,
						 struct iot_range *range);
/*
 * Limits an open reader, of which nothing has been read but ranges found, to the range. If alone,
 * the input consists of the bytes of the range only, and may be a pipe; otherwise of the whole
 * trace. The texts of `range` may be freed afterwards. Returns IOT_OK; IOT_EUSAGE if the range is
 * inconsistent; IOT_EFORMAT if the input is not the one for which the range was found; or another
 * status.
 */
IOT_API IOT_USE_RESULT int iot_reader_set_range(struct iot_reader *r, const struct iot_range *range,
						int alone);
/* Reports the stored bytes consumed and their total (0 if unknown), wherever reading began. */
IOT_API int iot_reader_progress(const struct iot_reader *r, uint64_t *done, uint64_t *total);

/*
 * Reduces the rest of the trace in parallel: each worker decodes and accumulates whole parts of the
 * trace, on up to IOT_SET_THREADS threads if the trace can be read from its %syncs. Events are not
 * handed between threads, so throughput scales with the number of threads.
 *
 * begin	returns a new accumulator for a part, or NULL if out of memory
 * events	adds the next events of a part; returns IOT_OK, or a status that ends the fold.
 *		Texts are valid until it returns
 * join		adds a part to the result of the preceding parts, in trace order, on the
 *		caller's thread; the part is consumed
 * drop		discards a part; its events are delivered again in another part
 *
 * All callbacks except join are called on any thread. A part may repeat %process and %file
 * directives that already apply, and its CPU clocks count from its beginning. Returns IOT_OK at a
 * valid end, or a negative status; good parts before an error are joined.
 */
struct iot_fold {
	void *context;
	void *(*begin)(void *context);
	int (*events)(void *part, const struct iot_event *ev, size_t n);
	int (*join)(void *context, void *part);
	void (*drop)(void *context, void *part);
};

IOT_API IOT_USE_RESULT int iot_reader_fold(struct iot_reader *r, const struct iot_fold *fold);

/*
 * Returns the path of an object, percent-decoded: the first one that a delivered %file has, after
 * the renames that were delivered since; NULL if none is known. The path is not NUL-terminated:
 * *size is its length (size may be NULL). Valid until the next call on this reader.
 */
IOT_API const char *iot_reader_name(struct iot_reader *r, uint32_t object, size_t *size);
/* The same before the renames. */
IOT_API const char *iot_reader_first_name(const struct iot_reader *r, uint32_t object,
					  size_t *size);

IOT_API uint64_t iot_reader_fact(const struct iot_reader *r, enum iot_fact fact);
/* Returns "FILE:LINE:COLUMN: found, expected"; "" if no error occurred. */
IOT_API const char *iot_reader_error(const struct iot_reader *r);

/* Writer */

struct iot_writer;

/* Returns NULL if out of memory. */
IOT_API struct iot_writer *iot_writer_new(void);
/* Without a preceding close, discards everything and leaves a file at the final path unchanged. */
IOT_API void iot_writer_free(struct iot_writer *w);
IOT_API int iot_writer_set(struct iot_writer *w, enum iot_option option, uint64_t value);

/*
 * Opens an output, once per writer. If the path is absent or a regular file, the trace is written
 * to a temporary name in the same directory, which iot_writer_close syncs and renames; anything
 * else (a FIFO, a device) is written directly. "-" is standard output. A descriptor remains the
 * caller's.
 *
 * With IOT_SET_IN_PLACE the trace is written under its final name from the start (an existing file
 * is truncated) and flushed regularly. Flushed data stays readable if the program is killed: the
 * trace is then truncated, and `iotrace check --repair` completes it. Until it is closed, the file
 * has a lock (F_OFD_SETLK), which shows readers that it grows.
 */
IOT_API IOT_USE_RESULT int iot_writer_open(struct iot_writer *w, const char *path);
IOT_API IOT_USE_RESULT int iot_writer_open_fd(struct iot_writer *w, int fd, const char *name);
IOT_API IOT_USE_RESULT int iot_writer_open_callback(struct iot_writer *w, iot_write_fn *write,
						    void *context, const char *name);
/* Writes to memory that the writer owns; iot_writer_memory returns it after close, until free. */
IOT_API IOT_USE_RESULT int iot_writer_open_memory(struct iot_writer *w);
IOT_API const void *iot_writer_memory(const struct iot_writer *w, size_t *size);

/*
 * Writes n events in order. Records need no preceding %file or %process. A %process or %file that
 * repeats the current definition is not written again; where a record has other flags than
 * its file, a %file with offset=, completion=, cpu= or start=unknown is added so that no
 * flag is lost. Returns IOT_EUSAGE if an event cannot be expressed (the message states why).
 */
IOT_API IOT_USE_RESULT int iot_writer_events(struct iot_writer *w, const struct iot_event *ev,
					     size_t n);
IOT_API IOT_USE_RESULT int iot_writer_records(struct iot_writer *w, const struct iot_record *rec,
					      size_t n);
/*
 * Declare a process, a file or a disk before its first record. An unknown parent or object is 0, an
 * unknown name or path NULL. Names may contain any bytes; the writer encodes them. Returns
 * IOT_EUSAGE for a name of more than about 20000 bytes; the writer remains usable.
 */
IOT_API int iot_writer_process(struct iot_writer *w, uint32_t process, uint32_t parent,
			       const char *name);
IOT_API int iot_writer_file(struct iot_writer *w, uint32_t process, uint32_t file, uint32_t object,
			    const char *path);
IOT_API int iot_writer_disk(struct iot_writer *w, uint32_t process, uint32_t disk,
			    const char *path);
/* An operation that moves no data: one %op. */
struct iot_operation {
	const char *name;     /* open, stat, ... */
	int64_t start_ns;     /* absolute */
	uint64_t duration_ns; /* from start to completion */
	uint32_t process;
	uint32_t file;            /* 0: none */
	struct iot_text path, to; /* any bytes; data NULL: none */
	const char *result;       /* "0", or the name of the error */
	uint64_t size;            /* of the file after an open or truncate, if has_size is 1 */
	int has_size;
	uint64_t count; /* calls that the operation stands for; 0: one */
};
/*
 * Writes n operations as %op, faster than iot_writer_events() with their texts. Returns IOT_EUSAGE
 * if one starts before time zero or ends beyond 2^63-1 ns, or if its line would be too long.
 */
IOT_API IOT_USE_RESULT int iot_writer_operations(struct iot_writer *w,
						 const struct iot_operation *op, size_t n);
/*
 * Passes all data written so far to the file or pipe, at some cost in compression. With
 * IOT_SET_IN_PLACE, IOT_SET_FLUSH or IOT_SET_FLUSH_NS, it first writes a %sync, so that a reader
 * can verify the data.
 */
IOT_API IOT_USE_RESULT int iot_writer_flush(struct iot_writer *w);
/*
 * Ends the trace: writes %end and the last bytes, calls fsync(2), and renames the file to its final
 * name. The trace is complete only after that. The fsync of a descriptor is the caller's task.
 */
IOT_API IOT_USE_RESULT int iot_writer_close(struct iot_writer *w);

IOT_API uint64_t iot_writer_fact(const struct iot_writer *w, enum iot_fact fact);
IOT_API const char *iot_writer_error(const struct iot_writer *w);

#ifdef __cplusplus
}
#endif

#endif
