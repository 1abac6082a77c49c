/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs of Darshan as events. A log is a header with a map of regions, each compressed by itself:
 *
 *	header | job | names: record id to path | modules: counters, DXT segments
 *
 *	darshan_log.c       header, map, job          darshan_region.c   unpacked bytes of one region
 *	darshan_thread.c    ... on a thread of its own  darshan_whole.c  ... a stream at once
 *	darshan_dxt.c       segments to records       darshan_batch.c    ... in order of start
 *	darshan_counters.c  counters, all of them     darshan_tables.c   what they are called
 *	darshan_names.c     who and what has which number
 *	darshan_emit.c      events on their way out   darshan_check.c    totals of the two compared
 *	darshan_text.c      what darshan-parser and darshan-dxt-parser print
 *
 * Regions are taken in the order of the file, so that a pipe will do. Damage ends a region, not the
 * log: what comes first is what the conversion ends with, all else is told by %lost.
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
	DARSHAN_NAME_MAX = 16384,           /* of a path; the writer's own limit is 4096 */
	DARSHAN_DIRECTIVE_CAPACITY = 65000, /* a line may have 65,536 with what a writer adds */
	DARSHAN_DIRECTIVE_SPLIT = 56000,    /* counters beyond go to a directive of their own */
	DARSHAN_HOST_MAX = 64,
};

/* Modules by the ids of format 3.41; the others' ids are mapped to them. */
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

const char *darshan_module_name(unsigned module); /* as the tools print it; "unknown" */

/* Bytes of the file's order */

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

/* Seconds to nanoseconds: what is more than this is no time. */
#define DARSHAN_SECONDS_MAX 1e9

static inline double darshan_f64(const unsigned char *p, bool swap)
{
	uint64_t bits = darshan_u64(p, swap);
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* A region being unpacked: any number of streams one behind the other, shown as one. */

enum darshan_compression { DARSHAN_ZLIB, DARSHAN_BZIP2, DARSHAN_UNPACKED };

struct libdeflate_decompressor;

/* darshan_whole.c: a stream that has been unpacked at once, as far as it has not been taken. */
struct darshan_whole {
	struct libdeflate_decompressor *unpacker;
	unsigned char *data;
	size_t pos, end;
	bool fails; /* streams of this region are not for it */
};

struct darshan_region {
	struct bufreader *in;
	uint64_t left; /* bytes of it not yet taken from `in` */
	uint64_t *at;  /* position in the log, moved with `in` */
	enum darshan_compression how;
	bool made, in_stream, ended;
	z_stream zlib;
	bz_stream bzip2;
	struct darshan_whole whole;
	unsigned char *bytes; /* [pos, end) of them are shown: of data, or of whole */
	size_t pos, end;
	unsigned char *data; /* kept from one region to the next */
	size_t capacity;
	int status; /* why it ended early; `why` is a sentence's end */
	const char *why;
	struct darshan_thread *thread; /* that unpacks; or NULL */
};

void darshan_region_open(struct darshan_region *r, struct bufreader *in, uint64_t size,
			 uint64_t *at, enum darshan_compression how);
void darshan_region_close(struct darshan_region *r); /* keeps data */
/* As bufreader_peek; want is at most 5 MiB, and the bytes may be changed. */
unsigned char *darshan_ahead(struct darshan_region *r, size_t want, size_t *have);

/* The next bytes, to out; 0 is no end. */
size_t darshan_decompress(struct darshan_region *r, unsigned char *out, size_t capacity);
/* That many bytes of `in` are done with. */
void darshan_consumed(struct darshan_region *r, size_t n);
/* The next stream, if it is of zlib, small enough, and sound: what it holds can be taken then. */
bool darshan_inflate_whole(struct darshan_region *r);
size_t darshan_inflate_whole_take(struct darshan_whole *w, unsigned char *out, size_t capacity);
void darshan_inflate_whole_free(struct darshan_whole *w);
/* darshan_thread.c: unpacks ahead where that pays, from now until the region is closed. */
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
	unsigned id, module, version; /* id: the file's own; module: 0 for the names */
};

struct darshan_job {
	int64_t uid, start_s, start_ns, end_s, end_ns, processes, id; /* ns -1: not told */
	char text[2 * DARSHAN_JOB_MAX];                               /* holds what follows */
	struct iot_text command, metadata, mounts; /* mounts: lines of "type\tpath" */
	bool known;
};

struct darshan_log {
	struct bufreader *bufreader;
	uint64_t at;
	unsigned major, minor;
	bool swap;
	enum darshan_compression how;
	uint64_t partial; /* bits of the file's own ids */
	struct darshan_place place[DARSHAN_REGIONS];
	size_t places, next;
	uint64_t first; /* the lowest offset: where the job ends; 0: none */
	struct darshan_job job;
	int job_status; /* what is wrong with it */
	const char *job_why;
	int64_t start_ns, end_ns; /* of the job, since 1970 if it is known */
};

/* Numbers. A table maps two words to an index. */

struct darshan_table {
	/* open addressing; a power of two of them, or none */
	struct darshan_slot {
		uint64_t a, b;
		uint32_t value; /* 0: free; else index + 1 */
	} * slot;
	size_t slots, count;
	uint64_t seed;
};

/* The value of (a, b); 0 if it is new, for the caller to set. NULL: no memory, or too many. */
uint32_t *darshan_slot(struct darshan_table *t, uint64_t a, uint64_t b);
uint32_t darshan_find(const struct darshan_table *t, uint64_t a, uint64_t b); /* 0: not there */
void darshan_table_free(struct darshan_table *t);

struct darshan_name {
	uint64_t id;
	size_t text, size; /* in the arena of names */
};

struct darshan_totals {
	uint64_t reads, writes, bytes_read, bytes_written;
};

/* A record of one layer and rank, or of all ranks. */
struct darshan_file {
	uint64_t id;
	int64_t rank;
	uint32_t process, object, layer;
	bool traced;
	struct darshan_totals seen;
};

/* What the counters of a job say of a file and rank, or of all ranks (-1), and what was seen. */
struct darshan_declared {
	uint64_t id;
	int64_t rank;
	uint32_t layer;
	struct darshan_totals reported, seen;
};

struct darshan_process {
	int64_t rank;
	int64_t reported_ns;             /* INT64_MAX: not told yet */
	char host[DARSHAN_HOST_MAX + 1]; /* "": not known */
};

/* Segments of one record, or of the part of it that fits. */

enum { DARSHAN_BATCH = 131072 };

#define DARSHAN_UNKNOWN INT64_MIN

struct darshan_batch {
	/* Writes, then reads, of `size` bytes each: in memory of the region, or own. */
	unsigned char *segment;
	size_t size, writes, count;
	unsigned char *own;
	const unsigned char *next[2], *end[2]; /* read, write: to be taken, if ready */
	bool sorted[2], ready;
	uint64_t process; /* of all, where they have no thread */
	uint32_t file, object;
};

struct darshan_dxt {
	bool active;
	int64_t rank;
	uint64_t id, left[2];
	uint32_t process, file; /* index of the file + 1 */
	unsigned part;          /* of a text: 0: the writes, 1: the reads */
	bool reported;          /* its process and file */
};

/* All of it */

enum { DARSHAN_LAYER_POSIX = 1, DARSHAN_LAYER_MPIIO = 2 };

struct darshan_text; /* darshan_text.c */

struct darshan_declared_all {
	struct darshan_table ids;
	struct darshan_declared *declared;
	size_t count, capacity;
	unsigned layers; /* that have counters */
};

struct darshan {
	struct source_state *src;
	unsigned layers;
	bool check, threads;

	size_t ignored, first_ignored;         /* members that are no logs */
	size_t member, job_member, understood; /* job_member: the last log that is done */
	uint64_t process_base;
	int64_t base_ns, end_ns; /* of the log in work: time 0, and where counters go */
	double seconds_max;      /* times of the log are less */
	bool noted_time;         /* the log has times that are none */
	struct darshan_log log;
	struct darshan_region region;
	int (*step)(struct darshan *d); /* of the region: 1: go on, 0: end, negative: no memory */
	struct darshan_place *place;    /* the region in work */
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
	size_t files, file_capacity, job_files; /* job_files: of the jobs before */
	struct darshan_declared_all declared;
	struct darshan_process *process;
	size_t processes, process_capacity;
	uint32_t object_count, thread_count;

	struct emit emit;
	bool damaged; /* the region in work has been told to be */
	bool begun;   /* its first record has been told */
	bool ended;
	bool counted;       /* the job has counters */
	int status;         /* no memory, or a limit: the end */
	struct error fault; /* the first damage */
};

/* darshan_log.c: IOT_OK with the window behind the job; or an error that tells why not */
int darshan_log_open(struct darshan_log *log, struct bufreader *w, const char *name,
		     struct darshan_region *r, struct error *error);
/* Digits, a dot, digits, NUL or the end. */
bool darshan_take_version(struct darshan_log *log, const char *text, size_t size);
unsigned darshan_module_of(const struct darshan_log *log, unsigned id);
void darshan_log_times(struct darshan_log *log);
/* Steps over bytes up to an offset of the log; false: the file ends before. */
bool darshan_log_skip(struct darshan_log *log, uint64_t offset);
/* Command and mounts are parts of job->text. */
void darshan_job_split(struct darshan_job *job, size_t at, size_t size);
/* The mount that a path is on: type and mount point; false: none is known. */
bool darshan_mount(const struct darshan_job *job, struct iot_text path, struct iot_text *type,
		   struct iot_text *point);

/* darshan_names.c: steps, and numbers. 0: no memory, d->status tells. */
int darshan_ids_step(struct darshan *d);
bool darshan_name_add(struct darshan *d, uint64_t id, const char *text, size_t size);
struct iot_text darshan_name(const struct darshan *d, uint64_t id); /* data NULL: none */
uint32_t darshan_object(struct darshan *d, uint64_t id);
/* Index + 1, which is its number in the trace. Rank -1: all ranks. */
uint32_t darshan_file(struct darshan *d, unsigned layer, int64_t rank, uint64_t id);
uint32_t darshan_process(struct darshan *d, int64_t rank);
uint32_t darshan_thread(struct darshan *d, uint32_t process, uint64_t thread);
void darshan_ids_free(struct darshan *d);

/* darshan_emit.c */
void darshan_signed(struct iot_builder *b, const char *key, int64_t value);
void darshan_double(struct iot_builder *b, const char *key, double value);
void darshan_emit_trace(struct darshan *d, const char *form);
void darshan_emit_process(struct darshan *d, uint32_t process, int64_t place_ns);
void darshan_emit_file(struct darshan *d, uint32_t file, uint32_t process, int64_t place_ns);
void darshan_emit_lost(struct darshan *d, const char *why);
void darshan_count(struct darshan *d, const char *name, uint64_t n);
/* The rest of something cannot be had. */
void darshan_damage(struct darshan *d, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void darshan_no_memory(struct darshan *d);
/* A note about a log. */
void darshan_note(struct darshan *d, size_t member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* darshan.c: says of the region in work that it is not understood. */
void darshan_skip_module(struct darshan *d);

/* darshan_counters.c, darshan_tables.c */

enum darshan_kind {
	DARSHAN_SIGNED,
	DARSHAN_UNSIGNED,
	DARSHAN_DOUBLE,
	DARSHAN_WORD, /* 32 bits, and as many that say nothing */
	DARSHAN_UUID, /* 16 bytes, in the same order everywhere */
	DARSHAN_TEXT, /* 128 */
};

struct darshan_counter {
	const char *name;
	unsigned char since, until; /* versions of the module */
	unsigned char kind;
};

struct darshan_fields {
	const struct darshan_counter *counter;
	size_t count;
};

struct darshan_counters {
	struct darshan_fields record, head; /* head: of the first record, if that is another */
	unsigned versions;                  /* 1 .. this are known */
	uint64_t magic;                     /* the first word of the head */
	const char *rest;                   /* what words behind the record are called, or NULL: */
	size_t rest_counter;                /* ... as many as this says, and at least one */
};

const struct darshan_counters *darshan_counters(unsigned module, unsigned version);
bool darshan_is_counter(struct iot_text name);
int darshan_counters_step(struct darshan *d);
int darshan_heatmap_step(struct darshan *d);
int darshan_lustre_step(struct darshan *d);
/* %counter for a record: what comes before its counters. rank -1: of all ranks. */
bool darshan_counter_begin(struct darshan *d, struct iot_builder *b, const char *source,
			   uint64_t id, int64_t rank, unsigned part);

/* darshan_dxt.c, darshan_batch.c */
int darshan_dxt_step(struct darshan *d);
/* A record begins: its file, process, host; false: no memory. */
bool darshan_record_begin(struct darshan *d, unsigned layer, uint64_t id, int64_t rank,
			  const char *host, size_t host_size);
/* Segments of the log, writes and then reads; size: of one, 32 or 40. They stay until all are taken. */
void darshan_batch_segments(struct darshan *d, unsigned char *p, size_t writes, size_t n,
			    size_t size);
/* The log in work: what its times count from. */
void darshan_set_base(struct darshan *d, int64_t start_ns, int64_t end_ns);
/* The start of the job plus ns; the start alone, counted, if that is beyond 2^63-1. */
int64_t darshan_moment(struct darshan *d, int64_t ns);
/* One of them, with times since 1970. end before start is made start. */
void darshan_batch_add(struct darshan *d, int64_t offset, int64_t length, int64_t start_ns,
		       int64_t end_ns, uint64_t thread, bool has_thread);
/* The batch is full, or the record at its end: takes give its records. */
void darshan_batch_close(struct darshan *d, bool last);
size_t darshan_batch_take(struct darshan *d, struct iot_event *out, size_t max);

/* darshan_check.c */
void darshan_check_counters(struct darshan *d, unsigned module, uint64_t id, int64_t rank,
			    const char *name, int64_t value);
/* At the end of a job; member: its last log. */
void darshan_check(struct darshan *d, size_t member);

/* darshan_text.c */
bool darshan_text_is(const char *head, size_t size);
int darshan_text_open(struct darshan *d, struct bufreader *w, struct error *error);
int darshan_text_step(struct darshan *d);
void darshan_text_end(struct darshan *d); /* what comes of how its window ended */
void darshan_text_close(struct darshan *d);

#endif
