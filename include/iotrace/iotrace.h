/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libiotrace: traces of I/Os in the compressed ASCII format of iotrace(5).
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
 * Three layers, each usable alone: the codec (one record, one line; no allocation, no I/O), streams
 * (reader and writer over files, pipes, memory, callbacks; gzip, Zstandard) and directives
 * (comments with a meaning). Above the codec everything is explicit: no field is left out, every
 * time is absolute and in nanoseconds, whatever the tick of the trace.
 *
 * Threads: a handle may be used by one thread at a time; different handles are independent. The
 * library has no global state, never prints, never exits, and installs no signal handlers.
 *
 * Errors: functions that can fail return IOT_OK (or a count) or a negative enum iot_status. A
 * handle keeps its first error: later calls return it again, and iot_..._error() says in a sentence
 * where it was, what was found and what was expected. An open handle that refuses a setting or
 * another opening (IOT_EUSAGE) stays as it was.
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

/* The version of the library that is running; IOT_VERSION is what was compiled against. */
IOT_API const char *iot_version(void);

enum iot_status {
	IOT_OK = 0,
	IOT_EFORMAT = -1,    /* the input is not a valid trace */
	IOT_EIO = -2,        /* the system refused: errno's text is in the message */
	IOT_ENOMEM = -3,     /* out of memory */
	IOT_EUSAGE = -4,     /* the caller asked for something that cannot be */
	IOT_ELIMIT = -5,     /* a limit of this handle was reached; see enum iot_option */
	IOT_ETRUNCATED = -6, /* the input stops before its end mark */
};

/* A short name, "format error" and the like; never NULL. */
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
	IOT_WRITE = 0x40,   /* else a read */
	IOT_LOGICAL = 0x80, /* what a program asked for, in bytes; else physical: what a disk did,
			       in blocks of IOT_BLOCK_SIZE bytes */
};

/* Bits of iot_record.flags: what the source of the trace could not tell. */
enum iot_flag {
	IOT_OFFSET_UNKNOWN = 0x01, /* offset counts from an unknown base */
	IOT_DURATION_UNKNOWN = 0x02,
	IOT_CPU_UNKNOWN = 0x04,
	IOT_START_UNKNOWN = 0x08,
};

/*
 * A record of a program's read or write has IOT_LOGICAL in its type, and offset and length in bytes.
 * Without that bit it is an I/O of a disk: offset and length count blocks of IOT_BLOCK_SIZE bytes,
 * and `file` is the number of the disk. A writer refuses it unless the disk has been declared.
 */
struct iot_record {
	int64_t start_ns;     /* since the trace's zero, 0 .. 2^63-1 */
	uint64_t duration_ns; /* start + duration <= 2^63-1 */
	int64_t cpu_ns;       /* the process's CPU clock at the start; only differences count */
	uint64_t offset;      /* bytes, with IOT_LOGICAL; else blocks of IOT_BLOCK_SIZE bytes */
	uint64_t length;      /* in the unit of offset */
	uint32_t operation;   /* ties a logical record to its physical ones; 0: none */
	uint32_t file; /* one open of a file, within its process; physical records: the disk */
	uint32_t process;
	uint32_t object; /* same number = same file, in the whole trace; 0: not told. Not on the
			    line: readers take it from %file, writers ignore it */
	uint8_t type;    /* enum iot_type; 0xff is not allowed (it marks a comment) */
	uint8_t flags;   /* enum iot_flag */
	uint16_t zero;   /* 0 */
	uint32_t spare;  /* 0 */
};

/* Codec: one record to a line, a line to one record */

/*
 * What "previous" means, for one trace in one direction. It lives in a block of memory that the
 * caller gives and that must be aligned as malloc's; it holds no pointers, so it may be copied or
 * moved. Never allocates, does no I/O, takes no locks and calls nothing that depends on the locale.
 */
struct iot_codec;

enum {
	IOT_LINE_MAX = 4096,     /* of a record line read, without its end */
	IOT_COMMENT_MAX = 65536, /* of a comment line, without its end */
	IOT_ENCODED_MAX = 192,   /* room that a record written may need, with its end */
	IOT_FILES_MAX = 32,      /* files that a process's table holds */
	IOT_BLOCK_SIZE = 512,    /* [M] TRACE_BLOCK_SIZE */
};

#define IOT_TICK_DEFAULT_NS 1000 /* of a trace without %iotrace */

/* Bytes that a state for so many processes needs at the most. */
IOT_API size_t iot_codec_size(size_t processes);

/*
 * Makes a state in `block`. tick_ns: 1 .. 2^63-1; base: 16 or 10. NULL if the block is smaller than
 * iot_codec_size(1) or an argument is out of range. Nothing needs to be freed.
 */
IOT_API struct iot_codec *iot_codec_init(void *block, size_t size, uint64_t tick_ns, unsigned base);

/* Tells a state that its block has grown to `size` bytes (and may have moved, as by realloc). */
IOT_API struct iot_codec *iot_codec_grow(void *block, size_t size);

/* Forgets everything but the start of the previous record and the CPU clocks, as a %sync does. */
IOT_API void iot_codec_forget(struct iot_codec *codec);

/*
 * Writes rec as one line with its LF to `line`, which has room for IOT_ENCODED_MAX bytes. Times are
 * quantised to ticks as iotrace(5) says. Returns the bytes written; IOT_EUSAGE if the record cannot
 * be expressed (a type of 0xff, a time out of range), IOT_ELIMIT if the block is full: grow it and
 * call again. The state changes only on success.
 */
IOT_API IOT_USE_RESULT ssize_t iot_encode(struct iot_codec *codec, const struct iot_record *rec,
					  char *line);

/*
 * Reads one record line of `size` bytes, with its LF or without; CRs at its end are dropped. Not for
 * comments or blank lines. object and flags of *rec are 0. IOT_OK; IOT_EFORMAT: not a valid line;
 * IOT_ELIMIT: the block is full, grow it and call again. The state changes only on success.
 */
IOT_API IOT_USE_RESULT int iot_decode(struct iot_codec *codec, const char *line, size_t size,
				      struct iot_record *rec);

/*
 * The sentence of the last failure of this state ("fileId left out, but process 7 has no earlier
 * record"), and its column, from 1; 0 where there is none.
 */
IOT_API const char *iot_codec_error(const struct iot_codec *codec, unsigned *column);

/* Events */

struct iot_text {
	const char *data; /* not terminated by NUL; any bytes but LF */
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
	IOT_DIRECTIVE, /* a directive that this version does not know */
};

/* Bits of iot_event.has: keys that a directive carries, parsed into rec. */
enum iot_has {
	IOT_HAS_TIME = 0x01,    /* time= in rec.start_ns */
	IOT_HAS_TOOK = 0x02,    /* took= in rec.duration_ns */
	IOT_HAS_PROCESS = 0x04, /* process= (id= of %process) in rec.process */
	IOT_HAS_FILE = 0x08,    /* file= (id= of %file) in rec.file */
	IOT_HAS_OBJECT = 0x10,  /* object= in rec.object */
	IOT_HAS_DISK = 0x20,    /* kind=disk */
	IOT_IN_FORCE = 0x40,    /* a %process or %file told before the place sought */
};

/*
 * A record (rec), or a comment or directive (text: what stands behind "ff "). In a directive's text
 * the values of time= and took= are nanoseconds. An event without a time of its own has in
 * rec.start_ns its place in the order: that of its neighbours as far as the reader knows them.
 */
struct iot_event {
	struct iot_record rec;
	struct iot_text text;
	uint32_t kind; /* enum iot_kind */
	uint32_t has;  /* enum iot_has */
};

/* Directives: %NAME key=value ... */

/*
 * Fills kind, has and rec of an event from its text (times in it are nanoseconds). A text that is
 * no directive makes a comment. Framing (%iotrace, %sync, %end) is IOT_EUSAGE. IOT_EFORMAT: a known
 * directive lacks a key it needs, or a number is none, or a time of any directive leads beyond
 * 2^63-1 nanoseconds; *why (may be NULL) then is a static sentence.
 */
IOT_API IOT_USE_RESULT int iot_directive_parse(struct iot_event *ev, const char **why);

/* The value of the last `key=`, still percent-encoded; data NULL if there is none. */
IOT_API struct iot_text iot_directive_get(const struct iot_event *ev, const char *key);

/*
 * Percent-decodes `value` into out (never more than value.size bytes); returns the length. A
 * malformed %XX is kept as it is and counted in *malformed, where that is not NULL.
 */
IOT_API size_t iot_percent_decode(struct iot_text value, char *out, unsigned *malformed);

/* A directive being built in the caller's memory. Errors stick; iot_directive_end tells. */
struct iot_builder {
	char *data;
	size_t size, capacity;
	int status;
};

IOT_API void iot_directive_begin(struct iot_builder *b, void *memory, size_t capacity,
				 const char *name);
IOT_API void iot_directive_number(struct iot_builder *b, const char *key, uint64_t value);
/* Percent-encodes what has to be: control characters, blanks, '%', bytes that are not UTF-8. */
IOT_API void iot_directive_text(struct iot_builder *b, const char *key, const void *value,
				size_t n);
/* Makes *ev of what was built: iot_directive_parse and its answers, or IOT_ELIMIT: no room. */
IOT_API IOT_USE_RESULT int iot_directive_end(struct iot_builder *b, struct iot_event *ev);

/* Settings of readers and writers, to be made before open */

enum iot_option {
	/* Readers */
	IOT_SET_VERIFY = 1, /* 1 (default): check %sync and %end; 0: do not hash */
	IOT_SET_RECOVER, /* 1: after damage go on at the next %sync, an IOT_LOST event tells; 0 */
	IOT_SET_LIMIT_WINDOW, /* largest zstd window, bytes: 128 MiB */
	IOT_SET_READ_SIZE,    /* bytes asked of the system at once: 1 MiB. For tests: 1, 17 */
	/* Both */
	IOT_SET_TICK_NS,      /* reader: of a trace without %iotrace (1000); writer: 1000 */
	IOT_SET_BASE,         /* 16 or 10; reader: 0, find out; writer: 16 */
	IOT_SET_LIMIT_MEMORY, /* bytes of state and names: 1 GiB */
	/* Writers */
	IOT_SET_FRAMING,     /* 1: %iotrace, %sync, %end; 0: bare records and comments */
	IOT_SET_SYNC,        /* records between %syncs: IOT_SYNC_DEFAULT; 0: none */
	IOT_SET_COMPRESSION, /* enum iot_compression; default: by the path's suffix */
	IOT_SET_LEVEL,       /* of gzip (1 .. 9) or zstd (1 .. 19); 0: 6 and 1 */
	IOT_SET_THREADS,     /* zstd's worker threads: 0; reader: that decode side by side: 1 */
	/* Readers */
	IOT_SET_READ_AHEAD, /* 1: a thread unpacks ahead, if the input is compressed; 0 */
	/* Writers */
	IOT_SET_FSYNC, /* 1: closing waits until a file is on the disk, before its name is; 0 */
	IOT_SET_UNDECLARED_DISKS, /* 1: physical records need no %file kind=disk before them, for
				     programs that copy traces; 0: they are refused */
	IOT_SET_IN_PLACE,         /* 1: for programs that may crash, see iot_writer_open; 0 */
	IOT_SET_FLUSH,            /* events between flushes; 0: none; in place: IOT_FLUSH_DEFAULT */
	IOT_SET_FLUSH_NS,         /* nanoseconds between them; 0; in place: IOT_FLUSH_NS_DEFAULT */
	/* Readers */
	IOT_SET_ALLOW_EMPTY, /* 1: an input of no lines but blank ones is a trace without
				     records; 0: it is IOT_ETRUNCATED */
	IOT_SET_VERIFIED,    /* 1: of a framed trace deliver verified intervals only; 0 */
	IOT_SET_LIMIT_HELD,  /* ... bytes held in memory meanwhile: 64 MiB */
};

enum iot_compression { IOT_PLAIN = 0, IOT_GZIP = 1, IOT_ZSTD = 2 };

#define IOT_SYNC_DEFAULT     524288
#define IOT_FLUSH_DEFAULT    4096
#define IOT_FLUSH_NS_DEFAULT 100000000

/* What a reader or writer knows; numbers not known yet are 0. */
enum iot_fact {
	IOT_FACT_TICK_NS = 1,
	IOT_FACT_BASE,
	IOT_FACT_COMPRESSION,  /* enum iot_compression */
	IOT_FACT_FRAMED,       /* 1: the trace has %iotrace */
	IOT_FACT_SYNC,         /* its sync= */
	IOT_FACT_COMPLETE,     /* 1: the end was reached, a proper one, of more than blank lines */
	IOT_FACT_RECORDS,      /* read or written so far */
	IOT_FACT_COMMENTS,     /* as %end counts them */
	IOT_FACT_BYTES_TEXT,   /* of text, uncompressed */
	IOT_FACT_BYTES_STORED, /* read from, or written to, the file */
	IOT_FACT_LINE,         /* readers: lines so far */
	IOT_FACT_LOST,         /* readers told to recover: times that something was lost */
	IOT_FACT_LOST_RECORDS, /* ... and records, as far as %sync tells */
	IOT_FACT_WARNINGS,     /* readers: oddities passed to iot_reader_on_warning */
	IOT_FACT_INDEX,        /* readers: number of the record to come, from 0 */
	IOT_FACT_LAST_NS,      /* start of the last record read or written */
	IOT_FACT_UNVERIFIED,   /* readers: records of damaged intervals, delivered or left out */
};

/* Bytes from, or to, the caller: as read(2) and write(2), a short count is fine, -1 sets errno. */
typedef ssize_t iot_read_fn(void *context, void *buffer, size_t size);
typedef ssize_t iot_write_fn(void *context, const void *buffer, size_t size);

/* Reader */

struct iot_reader;

/* NULL only when out of memory. */
IOT_API struct iot_reader *iot_reader_new(void);
/* Closes what open opened. NULL is fine. */
IOT_API void iot_reader_free(struct iot_reader *r);
/*
 * IOT_EUSAGE: not a setting of readers, a value out of range (open then fails, too), or open already,
 * and the reader stays as it was.
 */
IOT_API int iot_reader_set(struct iot_reader *r, enum iot_option option, uint64_t value);

/*
 * Oddities that do not stop a reader are told to fn (may be NULL), one sentence each, without LF,
 * during the calls below.
 */
IOT_API void iot_reader_on_warning(struct iot_reader *r,
				   void (*fn)(void *context, const char *sentence), void *context);

/*
 * Open, once per reader; plain, gzip or zstd, told apart by content. `path` "-" is standard input.
 * A descriptor and memory stay the caller's and must outlive the reader. `name` is used in
 * messages.
 */
IOT_API IOT_USE_RESULT int iot_reader_open(struct iot_reader *r, const char *path);
IOT_API IOT_USE_RESULT int iot_reader_open_fd(struct iot_reader *r, int fd, const char *name);
IOT_API IOT_USE_RESULT int iot_reader_open_memory(struct iot_reader *r, const void *data,
						  size_t size, const char *name);
IOT_API IOT_USE_RESULT int iot_reader_open_callback(struct iot_reader *r, iot_read_fn *read,
						    void *context, const char *name);

/*
 * The next events, at most max (>= 1): how many were stored (at least 1), 0 at the proper end, or a
 * negative status. Good events before an error are delivered first. Text lives until the next call
 * on this reader.
 */
IOT_API IOT_USE_RESULT ssize_t iot_reader_events(struct iot_reader *r, struct iot_event *out,
						 size_t max);
/* The same for records alone; comments are read over (and %file obeyed). */
IOT_API IOT_USE_RESULT ssize_t iot_reader_records(struct iot_reader *r, struct iot_record *out,
						  size_t max);

enum iot_seek { IOT_SEEK_RECORD, IOT_SEEK_TIME_NS };

/*
 * Goes to a place: the next record delivered is number `value` of the trace, from 0, or the first
 * one that starts at or after `value`; behind the end there is none. On a regular file or memory at
 * any time and in any direction: the %sync before the place is found by reading little. On what can
 * only be read on, that is done. What IOT_SEEK_TIME_NS finds in a trace that is not in order of
 * start, what is delivered before the record, and the CPU clocks afterwards: iot_reader(3).
 */
IOT_API IOT_USE_RESULT int iot_reader_seek(struct iot_reader *r, enum iot_seek what,
					   uint64_t value);
/* Stored bytes done, of so many (0: not known), wherever reading began. */
IOT_API int iot_reader_progress(const struct iot_reader *r, uint64_t *done, uint64_t *total);

/*
 * All that is to come, counted where it is decoded: in parts, on as many threads as IOT_SET_THREADS
 * allows where the trace can be entered at its %syncs. Nothing is handed over, so many threads are
 * really many times as fast.
 *
 * begin	makes what a part is counted in; NULL: out of memory
 * events	counts the next events of a part; IOT_OK, or a status with which all ends. Texts live until
 *		it returns
 * join		adds a part to what was counted before it, in their order, on the caller's thread; the
 *		part is gone
 * drop		throws a part away; its events come again, in another one
 *
 * All but join are called on any thread. In a part %process and %file may be told that are in force
 * already, and CPU clocks count from its beginning. IOT_OK at the proper end, or a negative status;
 * what is good before an error is joined.
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
 * The path of an object, percent-decoded, as the last %file delivered with a path= told; NULL: none.
 * Valid until the next call on this reader.
 */
IOT_API const char *iot_reader_name(struct iot_reader *r, uint32_t object, size_t *size);

IOT_API uint64_t iot_reader_fact(const struct iot_reader *r, enum iot_fact fact);
/* "FILE:LINE:COLUMN: what was found, what was expected"; "" if nothing is wrong. */
IOT_API const char *iot_reader_error(const struct iot_reader *r);

/* Writer */

struct iot_writer;

/* NULL only when out of memory. */
IOT_API struct iot_writer *iot_writer_new(void);
/* Without a close before, everything is thrown away and a file at the final path left as it was. */
IOT_API void iot_writer_free(struct iot_writer *w);
IOT_API int iot_writer_set(struct iot_writer *w, enum iot_option option, uint64_t value);

/*
 * Open, once per writer. A path that is absent or a regular file is written beside itself under a
 * temporary name, which iot_writer_close syncs and renames; anything else (a FIFO, a device) is
 * written directly. "-" is standard output. A descriptor stays the caller's.
 *
 * With IOT_SET_IN_PLACE a path is written under its own name from the start (what the file held is
 * gone), and the trace is flushed regularly. What has been flushed stays readable if the program is
 * killed: the trace then is cut, and `iotrace check --repair` makes it whole.
 */
IOT_API IOT_USE_RESULT int iot_writer_open(struct iot_writer *w, const char *path);
IOT_API IOT_USE_RESULT int iot_writer_open_fd(struct iot_writer *w, int fd, const char *name);
IOT_API IOT_USE_RESULT int iot_writer_open_callback(struct iot_writer *w, iot_write_fn *write,
						    void *context, const char *name);
/* Into memory of the writer's own; iot_writer_memory shows it after close, until free. */
IOT_API IOT_USE_RESULT int iot_writer_open_memory(struct iot_writer *w);
IOT_API const void *iot_writer_memory(const struct iot_writer *w, size_t *size);

/*
 * Writes n events in their order. Records need no %file or %process before them. A %process or
 * %file that says nothing new is not written again; a %file with offset=, completion=, cpu= or
 * start=unknown is made where the flags of a record differ from those of its file, so that no flag is
 * lost. IOT_EUSAGE: an event cannot be expressed (the message says why).
 */
IOT_API IOT_USE_RESULT int iot_writer_events(struct iot_writer *w, const struct iot_event *ev,
					     size_t n);
IOT_API IOT_USE_RESULT int iot_writer_records(struct iot_writer *w, const struct iot_record *rec,
					      size_t n);
/*
 * Declarations, before the first record of a process, a file or a disk. parent, object: 0, and name,
 * path: NULL, where not known. Names are any bytes; the writer encodes them. IOT_EUSAGE: a name of
 * more than some 20000 bytes; the writer then works on.
 */
IOT_API int iot_writer_process(struct iot_writer *w, uint32_t process, uint32_t parent,
			       const char *name);
IOT_API int iot_writer_file(struct iot_writer *w, uint32_t process, uint32_t file, uint32_t object,
			    const char *path);
IOT_API int iot_writer_disk(struct iot_writer *w, uint32_t process, uint32_t disk,
			    const char *path);
/*
 * Sends what has been written so far to the file or pipe; costs compression. In place, or with
 * IOT_SET_FLUSH or IOT_SET_FLUSH_NS, it ends with a %sync, so that a reader can verify it.
 */
IOT_API IOT_USE_RESULT int iot_writer_flush(struct iot_writer *w);
/*
 * Ends the trace: %end, last bytes out, fsync(2), the file under its final name. Only then is it
 * written. The fsync of a descriptor is the caller's.
 */
IOT_API IOT_USE_RESULT int iot_writer_close(struct iot_writer *w);

IOT_API uint64_t iot_writer_fact(const struct iot_writer *w, enum iot_fact fact);
IOT_API const char *iot_writer_error(const struct iot_writer *w);

#ifdef __cplusplus
}
#endif

#endif
