/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts Darshan logs to events. A log is a header with a map of regions, each compressed
 * separately:
 *
 * header | job | names: record id to path | modules: counters, DXT segments
 *
 *     darshan.c          the converter: logs and their regions in turn
 *     log.c              header, region map, job
 *     region.c           decompressed bytes of one region
 *     inflate_ahead.c    decompression on a thread of its own
 *     inflate_whole.c    one-shot decompression of a stream
 *     ids.c              numbers of processes, objects and files
 *     dxt.c              DXT records
 *     dxt_batch.c        their segments as records in order of start
 *     counters.c         counters of all modules
 *     counter_tables.c   names and types of the counters
 *     emit.c             directives
 *     crosscheck.c       compares totals of records and counters
 *     text.c             output of darshan-parser and darshan-dxt-parser
 *     text_rows.c        rows of darshan-dxt-parser
 *
 * Regions are read in file order, so that a pipe works as input. Damage ends a region, not the log:
 * the first damage is the final error of the conversion, the others are reported by %lost.
 */
#ifndef CONVERTERS_DARSHAN_DARSHAN_H
#define CONVERTERS_DARSHAN_DARSHAN_H

#include <bzlib.h>
#include <string.h>
#include <zlib.h>

#include "converters/emit.h"

enum {
	DARSHAN_MODULES = 64,
	DARSHAN_REGIONS = DARSHAN_MODULES + 1,
	DARSHAN_JOB_MAX = 4096,
	DARSHAN_NAME_MAX = 16384, /* of a path; the writer's own limit is 4096 */
	/* a line holds at most 65,536 bytes, including what a writer adds */
	DARSHAN_DIRECTIVE_CAPACITY = 65000,
	DARSHAN_DIRECTIVE_SPLIT = 56000, /* further counters go to another directive */
	DARSHAN_HOST_MAX = 64,
};

/* Module ids of format 3.41; ids of other formats are mapped to them. */
enum darshan_module {
	DARSHAN_NULL,
	DARSHAN_POSIX,
	DARSHAN_MPIIO,
	DARSHAN_H5F,
	DARSHAN_H5D,
	DARSHAN_PNETCDF_FILE,
	DARSHAN_PNETCDF_VAR,
	DARSHAN_BGQ,
	DARSHAN_LUSTRE,
	DARSHAN_STDIO,
	DARSHAN_DXT_POSIX,
	DARSHAN_DXT_MPIIO,
	DARSHAN_MDHIM,
	DARSHAN_APXC,
	DARSHAN_APMPI,
	DARSHAN_HEATMAP,
	DARSHAN_DFS,
	DARSHAN_DAOS,
};

const char *darshan_module_name(unsigned module); /* as Darshan's tools print it, or "unknown" */

/* Integers in the byte order of the file */

static inline uint64_t darshan_u64(const unsigned char *p, bool swap)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap64(v) : v;
}

static inline uint32_t darshan_u32(const unsigned char *p, bool swap)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return swap ? __builtin_bswap32(v) : v;
}

static inline int64_t darshan_i64(const unsigned char *p, bool swap)
{
	return (int64_t)darshan_u64(p, swap);
}

/* Limit of the conversion from seconds to nanoseconds: larger values are invalid times. */
#define DARSHAN_SECONDS_MAX 1e9

static inline double darshan_f64(const unsigned char *p, bool swap)
{
	uint64_t bits = darshan_u64(p, swap);
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* A region during decompression: the concatenation of any number of streams */

enum darshan_compression { DARSHAN_ZLIB, DARSHAN_BZIP2, DARSHAN_UNPACKED };

struct libdeflate_decompressor;

/* inflate_whole.c: a stream decompressed in one shot; [pos, end) has not been read. */
struct darshan_whole {
	struct libdeflate_decompressor *unpacker;
	unsigned char *data;
	size_t pos, end;
	bool fails; /* one-shot decompression does not work for the streams of this region */
};

struct darshan_region {
	struct bufreader *in;
	uint64_t left; /* stored bytes of the region not yet read from `in` */
	uint64_t *at;  /* offset in the log, advanced with `in` */
	enum darshan_compression how;
	bool made, in_stream, ended;
	z_stream zlib;
	bz_stream bzip2;
	struct darshan_whole whole;
	unsigned char *bytes; /* [pos, end) are readable; points to data or into whole */
	size_t pos, end;
	unsigned char *data; /* reused for the following regions */
	size_t capacity;
	int status; /* the error that ended it early; `why` is the last part of a sentence */
	const char *why;
	struct darshan_thread *thread; /* decompresses ahead; or NULL */
};

void darshan_region_open(struct darshan_region *r, struct bufreader *in, uint64_t size,
			 uint64_t *at, enum darshan_compression how);
void darshan_region_close(struct darshan_region *r); /* keeps data */
/* As bufreader_peek(). want is at most 5 MiB; the caller may modify the bytes. */
unsigned char *darshan_ahead(struct darshan_region *r, size_t want, size_t *have);

/* Decompresses the next bytes to out. Returning 0 does not mean the end. */
size_t darshan_decompress(struct darshan_region *r, unsigned char *out, size_t capacity);
/* Consumes n bytes of `in`. */
void darshan_consumed(struct darshan_region *r, size_t n);
/*
 * Decompresses the next stream in one shot if it is zlib, small enough and undamaged. Returns true
 * if darshan_inflate_whole_take() can read it.
 */
bool darshan_inflate_whole(struct darshan_region *r);
size_t darshan_inflate_whole_take(struct darshan_whole *w, unsigned char *out, size_t capacity);
void darshan_inflate_whole_free(struct darshan_whole *w);
/*
 * inflate_ahead.c: starts a thread that decompresses ahead until the region is closed, if that is
 * worthwhile.
 */
void darshan_thread_begin(struct darshan_region *r);
size_t darshan_thread_take(struct darshan_region *r, unsigned char *out, size_t capacity);
void darshan_thread_end(struct darshan_region *r);

static inline void darshan_consume(struct darshan_region *r, size_t n)
{
	r->pos += n;
}

/* A log */

struct darshan_place {
	uint64_t offset, size;
	unsigned id, module, version; /* id: as in the file; module: 0 for the names */
};

struct darshan_job {
	/* ns fields are -1 if unknown */
	int64_t uid, start_s, start_ns, end_s, end_ns, processes, id;
	char text[2 * DARSHAN_JOB_MAX];            /* storage of the texts below */
	struct iot_text command, metadata, mounts; /* mounts: lines of "type\tpath" */
	bool known;
};

struct darshan_log {
	struct bufreader *bufreader;
	uint64_t at;
	unsigned major, minor;
	bool swap;
	enum darshan_compression how;
	uint64_t partial; /* one bit per module id of the file */
	struct darshan_place place[DARSHAN_REGIONS];
	size_t places, next;
	uint64_t first; /* the lowest offset, at which the job ends; 0 if there is none */
	struct darshan_job job;
	int job_status; /* IOT_OK, or why the job cannot be read */
	const char *job_why;
	int64_t start_ns, end_ns; /* of the job, since 1970 if known */
};

/* Numbers: a table maps pairs of words to indices. */

struct darshan_table {
	/* open addressing; the number of slots is 0 or a power of two */
	struct darshan_slot {
		uint64_t a, b;
		uint32_t value; /* 0 if free, else index + 1 */
	} * slot;
	size_t slots, count;
	uint64_t seed;
};

/*
 * Returns the value of (a, b), which is 0 if the pair is new; the caller sets it. Returns NULL if
 * out of memory or too many.
 */
uint32_t *darshan_slot(struct darshan_table *t, uint64_t a, uint64_t b);
/* Returns 0 if absent. */
uint32_t darshan_find(const struct darshan_table *t, uint64_t a, uint64_t b);
void darshan_table_free(struct darshan_table *t);

struct darshan_name {
	uint64_t id;
	size_t text, size; /* in the arena of names */
};

struct darshan_totals {
	uint64_t reads, writes, bytes_read, bytes_written;
};

/* A record of one layer and one rank, or of all ranks. */
struct darshan_file {
	uint64_t id;
	int64_t rank;
	uint32_t process, object, layer;
	bool traced;
	struct darshan_totals seen;
};

/*
 * Totals that the counters of a job declare for a file and a rank, or all ranks (-1), and the
 * totals of the records.
 */
struct darshan_declared {
	uint64_t id;
	int64_t rank;
	uint32_t layer;
	struct darshan_totals reported, seen;
};

struct darshan_process {
	int64_t rank;
	int64_t reported_ns;             /* INT64_MAX if not yet reported */
	char host[DARSHAN_HOST_MAX + 1]; /* "" if unknown */
};

/* The segments of one DXT record, or the part of it that fits. */

enum { DARSHAN_BATCH = 131072 };

#define DARSHAN_UNKNOWN INT64_MIN

struct darshan_batch {
	/* Writes, then reads, `size` bytes each; in memory of the region or of the batch. */
	unsigned char *segment;
	size_t size, writes, count;
	unsigned char *own;
	/* of reads and writes: segments not yet emitted, if ready */
	const unsigned char *next[2], *end[2];
	bool sorted[2], ready;
	uint64_t process; /* of all segments, if they have no thread */
	uint32_t file, object;
};

struct darshan_dxt {
	bool active;
	int64_t rank;
	uint64_t id, left[2];
	uint32_t process, file; /* index of the file + 1 */
	unsigned part;          /* in text input: 0 for writes, 1 for reads */
	bool reported;          /* its process and file have been reported */
};

/* The converter */

enum { DARSHAN_LAYER_POSIX = 1, DARSHAN_LAYER_MPIIO = 2 };

struct darshan_text; /* text.h */

struct darshan_declared_all {
	struct darshan_table ids;
	struct darshan_declared *declared;
	size_t count, capacity;
	unsigned layers; /* layers that have counters */
};

struct darshan {
	struct source_state *src;
	unsigned layers;
	bool check, threads;

	size_t ignored, first_ignored;         /* members that are not logs */
	size_t member, job_member, understood; /* job_member: the last complete log */
	uint64_t process_base;
	int64_t base_ns, end_ns; /* of the current log: its time 0, and the sort key of counters */
	double seconds_max;      /* upper bound of the log's times */
	bool noted_time;         /* an invalid time has been noted */
	struct darshan_log log;
	struct darshan_region region;
	/* of the region: returns 1 to continue, 0 at the end, negative if out of memory */
	int (*step)(struct darshan *d);
	struct darshan_place *place; /* the current region */
	unsigned seen_layers, dxt_layers;
	struct darshan_dxt dxt;
	struct darshan_batch batch;
	struct darshan_text *text;

	struct darshan_table name_ids, file_ids, process_ids, thread_ids, thread_files, objects;
	struct darshan_name *name;
	size_t names, name_capacity;
	char *name_text;
	size_t name_used, name_text_capacity;
	struct darshan_file *file;
	size_t files, file_capacity, job_files; /* job_files: files of earlier jobs */
	struct darshan_declared_all declared;
	struct darshan_process *process;
	size_t processes, process_capacity;
	uint32_t object_count, thread_count;

	struct emit emit;
	bool damaged; /* damage of the current region has been reported */
	bool begun;   /* its first record has been emitted */
	bool ended;
	bool counted;       /* the job has counters */
	int status;         /* out of memory, or a limit: ends the conversion */
	struct error fault; /* the first damage */
};

/* log.c: returns IOT_OK with the bufreader after the job; otherwise *error describes why. */
int darshan_log_open(struct darshan_log *log, struct bufreader *w, const char *name,
		     struct darshan_region *r, struct error *error);
/* Parses digits, a dot, digits, and NUL or the end. */
bool darshan_take_version(struct darshan_log *log, const char *text, size_t size);
unsigned darshan_module_of(const struct darshan_log *log, unsigned id);
void darshan_log_times(struct darshan_log *log);
/* Skips bytes up to an offset of the log. Returns false if the file ends before it. */
bool darshan_log_skip(struct darshan_log *log, uint64_t offset);
/* Command and mounts point into job->text. */
void darshan_job_split(struct darshan_job *job, size_t at, size_t size);
/* Finds the mount that a path is on: type and mount point. Returns false if none is known. */
bool darshan_mount(const struct darshan_job *job, struct iot_text path, struct iot_text *type,
		   struct iot_text *point);

/* ids.c: reads the names; assigns numbers. They return 0 if out of memory; see d->status. */
int darshan_ids_step(struct darshan *d);
bool darshan_name_add(struct darshan *d, uint64_t id, const char *text, size_t size);
/* Returns the name of an id; data is NULL if it has none. */
struct iot_text darshan_name(const struct darshan *d, uint64_t id);
uint32_t darshan_object(struct darshan *d, uint64_t id);
/* Returns index + 1, which is the number in the trace. Rank -1 means all ranks. */
uint32_t darshan_file(struct darshan *d, unsigned layer, int64_t rank, uint64_t id);
uint32_t darshan_process(struct darshan *d, int64_t rank);
uint32_t darshan_thread(struct darshan *d, uint32_t process, uint64_t thread);
void darshan_ids_free(struct darshan *d);

/* emit.c */
void darshan_signed(struct iot_builder *b, const char *key, int64_t value);
void darshan_double(struct iot_builder *b, const char *key, double value);
void darshan_emit_trace(struct darshan *d, const char *form);
void darshan_emit_process(struct darshan *d, uint32_t process, int64_t place_ns);
void darshan_emit_file(struct darshan *d, uint32_t file, uint32_t process, int64_t place_ns);
void darshan_emit_lost(struct darshan *d, const char *why);
void darshan_count(struct darshan *d, const char *name, uint64_t n);
/* Reports damage: the rest of a region or log cannot be read. */
void darshan_damage(struct darshan *d, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void darshan_no_memory(struct darshan *d);
/* Adds a note about a log. */
void darshan_note(struct darshan *d, size_t member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* darshan.c: reports that the module of the current region is not understood. */
void darshan_skip_module(struct darshan *d);

/* counters.c, counter_tables.c */

enum darshan_kind {
	DARSHAN_SIGNED,
	DARSHAN_UNSIGNED,
	DARSHAN_DOUBLE,
	DARSHAN_WORD, /* 32 bits, followed by 32 unused ones */
	DARSHAN_UUID, /* 16 bytes, in the same order everywhere */
	DARSHAN_TEXT, /* 128 bytes */
};

struct darshan_counter {
	const char *name;
	unsigned char since, until; /* versions of the module that have it */
	unsigned char kind;
};

struct darshan_fields {
	const struct darshan_counter *counter;
	size_t count;
};

struct darshan_counters {
	struct darshan_fields record, head; /* head: layout of the first record, if it differs */
	unsigned versions;                  /* versions 1 to this are known */
	uint64_t magic;                     /* first word of the head */
	const char *rest;                   /* name of the words that follow the record, or NULL */
	size_t rest_counter; /* index of the counter with their number; at least one follows */
};

const struct darshan_counters *darshan_counters(unsigned module, unsigned version);
bool darshan_is_counter(struct iot_text name);
int darshan_counters_step(struct darshan *d);
int darshan_heatmap_step(struct darshan *d);
int darshan_lustre_step(struct darshan *d);
/* Starts a %counter for a record, up to its counters. Rank -1 means all ranks. */
bool darshan_counter_begin(struct darshan *d, struct iot_builder *b, const char *source,
			   uint64_t id, int64_t rank, unsigned part);

/* dxt.c, dxt_batch.c */
int darshan_dxt_step(struct darshan *d);
/* Starts a record: file, process, host. Returns false if out of memory. */
bool darshan_record_begin(struct darshan *d, unsigned layer, uint64_t id, int64_t rank,
			  const char *host, size_t host_size);
/*
 * Passes segments of the log, writes and then reads, of `size` bytes each (32 or 40). They must
 * remain valid until all have been emitted.
 */
void darshan_batch_segments(struct darshan *d, unsigned char *p, size_t writes, size_t n,
			    size_t size);
/* Sets the time from which the times of the current log count. */
void darshan_set_base(struct darshan *d, int64_t start_ns, int64_t end_ns);
/*
 * Returns the start of the job plus ns; the start alone, and counts it, if the sum exceeds 2^63-1.
 */
int64_t darshan_moment(struct darshan *d, int64_t ns);
/* Adds one segment with times since 1970. An end before the start is set to the start. */
void darshan_batch_add(struct darshan *d, int64_t offset, int64_t length, int64_t start_ns,
		       int64_t end_ns, uint64_t thread, bool has_thread);
/*
 * Call it when the batch is full or the record ends; darshan_batch_take() then returns its records.
 */
void darshan_batch_close(struct darshan *d, bool last);
size_t darshan_batch_take(struct darshan *d, struct iot_event *out, size_t max);

/* crosscheck.c */
void darshan_check_counters(struct darshan *d, unsigned module, uint64_t id, int64_t rank,
			    const char *name, int64_t value);
/* Called at the end of a job; member is its last log. */
void darshan_check(struct darshan *d, size_t member);

/* text.c */
bool darshan_text_is(const char *head, size_t size);
int darshan_text_open(struct darshan *d, struct bufreader *w, struct error *error);
int darshan_text_step(struct darshan *d);
void darshan_text_end(struct darshan *d); /* reports how its bufreader ended */
void darshan_text_close(struct darshan *d);

#endif
