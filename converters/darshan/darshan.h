/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts Darshan logs to events. A log is a header with a map of regions, each compressed
 * separately:
 *
 * header | job | names: record id to path | modules: counters, DXT segments
 *
 *     darshan.c          the converter: logs and their regions in turn
 *     log.c              header, map of regions, job
 *     region.c           decompressed bytes of one region
 *     ids.c              names; numbers of processes, objects and files, and their directives
 *     dxt.c              DXT records, and their segments in order of start
 *     counters.c         counters of all modules
 *     counter_tables.c   names and types of the counters
 *     emit.c             values, %trace, damage
 *     crosscheck.c       compares totals of records and counters
 *     text.c             output of darshan-parser and darshan-dxt-parser
 *
 * Regions are read in file order, so that a pipe works as input. Damage ends a region, not the log:
 * the first damage is the final error of the conversion, the others are reported by %lost.
 */
#ifndef CONVERTERS_DARSHAN_DARSHAN_H
#define CONVERTERS_DARSHAN_DARSHAN_H

#include <assert.h>
#include <bzlib.h>
#include <string.h>
#include <zlib.h>

#include "converters/emit.h"
#include "lib/base/idmap.h"

enum {
	DARSHAN_MODULES = 64,
	DARSHAN_REGIONS = DARSHAN_MODULES + 1,
	DARSHAN_JOB_MAX = 4096,
	DARSHAN_NAME_MAX = 16384, /* of a path; the writer's own limit is 4096 */
	/* a line holds at most 65,536 bytes, including what a writer adds */
	DARSHAN_DIRECTIVE_CAPACITY = 65000,
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

static inline double darshan_f64(const unsigned char *p, bool swap)
{
	uint64_t bits = darshan_u64(p, swap);
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static inline bool darshan_all_zero(const void *bytes, size_t n)
{
	for (const unsigned char *p = bytes, *end = p + n; p < end; p++)
		if (*p != 0)
			return false;
	return true;
}

/* region.c: the decompressed bytes of a region, which is any number of streams in sequence */

enum darshan_compression { DARSHAN_ZLIB, DARSHAN_BZIP2, DARSHAN_UNCOMPRESSED };

/* How a region or its decompression ended. */
struct darshan_end {
	bool ended;
	int status;      /* the error that ended it early */
	const char *why; /* the last part of a sentence */
};

struct darshan_region {
	struct bufreader *in;
	uint64_t left;    /* stored bytes of the region not yet read from `in` */
	uint64_t *offset; /* in the log, advanced with `in` */
	enum darshan_compression compression;
	bool made, in_stream; /* a decompressor exists; it is inside a stream */
	z_stream zlib;
	bz_stream bzip2;
	/* a stream decompressed in one shot, of which [pos, size) has not been read */
	struct darshan_inflated {
		struct libdeflate_decompressor *decompressor;
		unsigned char *data;
		size_t pos, size;
		bool fails; /* for the streams of this region */
	} inflated;
	unsigned char *bytes; /* [pos, size) are readable; points to data or to inflated bytes */
	size_t pos, size;
	unsigned char *data; /* reused for the following regions */
	size_t capacity;
	struct darshan_end end;
};

/* size: of the stored bytes, which start at the bufreader's position, *offset of the log. */
void darshan_region_open(struct darshan_region *r, struct bufreader *in, uint64_t size,
			 uint64_t *offset, enum darshan_compression compression);
void darshan_region_close(struct darshan_region *r); /* keeps data */
/* As bufreader_peek(). want is at most 5 MiB; the caller may modify the bytes. */
unsigned char *darshan_region_peek(struct darshan_region *r, size_t want, size_t *have);

static inline void darshan_region_consume(struct darshan_region *r, size_t n)
{
	assert(n <= r->size - r->pos);
	r->pos += n;
}

/* log.c */

struct darshan_map_entry {
	uint64_t offset, size;
	unsigned id, module, version; /* id: as in the file; module: 0 for the names */
};

struct darshan_job {
	/* ns fields are -1 if unknown */
	int64_t uid, start_s, start_ns, end_s, end_ns, processes, id;
	char text[2 * DARSHAN_JOB_MAX];            /* storage of the texts below */
	struct iot_text command, metadata, mounts; /* mounts: lines of "type\tpath" */
	bool known;
	int status; /* IOT_OK, or why the job cannot be read */
	const char *why;
};

struct darshan_log {
	struct bufreader *bufreader;
	uint64_t offset; /* of the bufreader */
	unsigned major, minor;
	bool swap;
	enum darshan_compression compression;
	uint64_t partial; /* one bit per module id of the file */
	struct darshan_map_entry map[DARSHAN_REGIONS];
	size_t entries, next;
	uint64_t first; /* the lowest offset, at which the job ends; 0 if there is none */
	struct darshan_job job;
	int64_t start_ns, end_ns; /* of the job, since 1970 if known */
};

/* Returns true if a log starts like this; *swap: its byte order is not ours. */
bool darshan_log_is(const char *head, size_t size, bool *swap);
/* Returns IOT_OK with the bufreader after the job; otherwise *error describes why. */
int darshan_log_open(struct darshan_log *log, struct bufreader *in, const char *name,
		     struct darshan_region *r, struct error *error);
/* Parses digits, a dot, digits, and NUL or the end. */
bool darshan_log_version(struct darshan_log *log, const char *text, size_t size);
void darshan_log_times(struct darshan_log *log);
/* Skips bytes up to an offset of the log. Returns false if the file ends before it. */
bool darshan_log_skip(struct darshan_log *log, uint64_t offset);
const char *darshan_module_name(unsigned module); /* as Darshan's tools print it, or "unknown" */
unsigned darshan_layer(unsigned module);          /* the layer of a DXT module, otherwise 0 */
unsigned darshan_module_of(const struct darshan_log *log, unsigned id);
/* Finds the mount that a path is on: type and mount point. Returns false if none is known. */
bool darshan_mount(const struct darshan_job *job, struct iot_text path, struct iot_text *type,
		   struct iot_text *point);

/* ids.c */

struct darshan_totals {
	uint64_t reads, writes, bytes_read, bytes_written;
};

/* A Darshan record id: its path, if size > 0, and its number in the trace, 0 until assigned. */
struct darshan_record_id {
	uint32_t text, size; /* in the arena of names */
	uint32_t object;
};

/* The DXT records of one layer and one rank for a record id. */
struct darshan_file {
	uint64_t id;
	int64_t rank;
	uint32_t object, layer;
	struct darshan_totals seen;
};

struct darshan_process {
	int64_t rank;
	int64_t reported_ns;             /* INT64_MAX if not yet reported */
	char host[DARSHAN_HOST_MAX + 1]; /* "" if unknown */
};

/* The numbers of the trace, with the data that belongs to each. */
struct darshan_ids {
	struct idmap records, files, ranks; /* ranks: of the current job */
	struct darshan_record_id *record;
	struct darshan_file *file;
	struct darshan_process *process;
	size_t record_capacity, file_capacity, process_capacity;
	char *names;
	size_t names_size, names_capacity;
	uint32_t objects;
	uint64_t process_base; /* number of the process of rank 0, less 1 */
	struct idmap threads, thread_processes, thread_files;
};

struct darshan; /* of one conversion */

int darshan_ids_step(struct darshan *d); /* reads one name of the current region */
bool darshan_name_add(struct darshan *d, uint64_t id, const char *text, size_t size);
/* Returns the name of an id; data is NULL if it has none. */
struct iot_text darshan_name(const struct darshan *d, uint64_t id);
/* These return the number in the trace, 0 if out of memory; see d->status. */
uint32_t darshan_object(struct darshan *d, uint64_t id);
uint32_t darshan_file(struct darshan *d, unsigned layer, int64_t rank, uint64_t id);
uint32_t darshan_process(struct darshan *d, int64_t rank);
struct darshan_process *darshan_process_data(const struct darshan *d, uint32_t process);
/*
 * Returns the process of a thread: one of its own, which is reported with its file at first use, or
 * the process of its rank if there are too many.
 */
uint32_t darshan_thread(struct darshan *d, uint32_t process, uint32_t file, uint64_t thread);
/*
 * Returns the number of a key, as idmap_number(), with capacity for it in an array. Returns
 * SIZE_MAX if out of memory or there are too many numbers.
 */
size_t darshan_number(struct darshan *d, struct idmap *m, uint64_t key, void *array,
		      size_t *capacity, size_t size);
/* Returns a key for a file of one layer and one process, or rank + 1. */
static inline uint64_t darshan_file_key(uint32_t object, uint32_t process, unsigned layer)
{
	return (uint64_t)object << 34 | (uint64_t)process << 2 | layer;
}
void darshan_emit_process(struct darshan *d, uint32_t process, int64_t sort_ns);
void darshan_emit_file(struct darshan *d, uint32_t file, uint32_t process, int64_t sort_ns);
/* Reports ranks that have counters but no records. */
void darshan_emit_silent_processes(struct darshan *d);
/* Returns the number of ranks of the current job. */
uint64_t darshan_process_count(const struct darshan *d);
/* Starts a job, after one with this number of processes. */
void darshan_ids_next_job(struct darshan *d, uint64_t processes);
void darshan_ids_free(struct darshan_ids *ids);

/* dxt.c */

/* Segments of one DXT record, as many as fit: writes, then reads, `size` bytes each. */
struct darshan_batch {
	unsigned char *segment; /* in memory of the region or in `own` */
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
	uint32_t process, file;
	unsigned part; /* in text input: 0 for writes, 1 for reads */
	bool reported; /* its process and file have been reported */
	struct darshan_batch batch;
};

struct darshan_segment {
	int64_t offset, length, start_ns, end_ns; /* times since 1970 */
};

enum { DARSHAN_BATCH_MAX = 131072 }; /* segments */

int darshan_dxt_step(struct darshan *d);
/* Starts a record: file, process, host. Returns false if out of memory. */
bool darshan_dxt_begin(struct darshan *d, unsigned layer, uint64_t id, int64_t rank,
		       struct iot_text host);
/* Adds one segment of a text, whose values may be invalid; thread is NULL if unknown. */
void darshan_batch_add(struct darshan *d, struct darshan_segment s, const uint64_t *thread);
/* Call it when the batch is full or, with `last`, the record ends. */
void darshan_batch_close(struct darshan *d, bool last);
/* Returns the records of a closed batch. */
size_t darshan_batch_take(struct darshan *d, struct iot_event *out, size_t max);

/* Times of a log count from the start of its job. */
struct darshan_clock {
	int64_t base_ns, end_ns; /* end_ns: the sort key of counters */
	double seconds_max;      /* upper bound of valid times */
	bool noted;              /* an invalid time has been noted */
};

void darshan_clock_set(struct darshan_clock *clock, int64_t start_ns, int64_t end_ns);
/*
 * Returns the start of the job plus ns; the start alone, and counts it, if the sum exceeds 2^63-1.
 */
int64_t darshan_moment(struct darshan *d, int64_t ns);

/* counters.c, counter_tables.c */

enum darshan_kind {
	DARSHAN_SIGNED,
	DARSHAN_UNSIGNED,
	DARSHAN_ID,    /* unsigned; identifies a file, an object or a job */
	DARSHAN_PLACE, /* signed; identifies a job or a location in a machine */
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

/* A %counter directive, or several if one does not hold all counters of a record. */
struct darshan_group {
	struct iot_builder b;
	const char *source;
	uint64_t id, times; /* times: records of equal bytes */
	uint64_t zeros;     /* counters that are 0, which are not named */
	int64_t rank;       /* -1 for all ranks */
	unsigned part;
};

const struct darshan_counters *darshan_counters(unsigned module, unsigned version);
bool darshan_is_counter(struct iot_text name);
int darshan_counters_step(struct darshan *d);
int darshan_heatmap_step(struct darshan *d);
int darshan_lustre_step(struct darshan *d);
/* Starts a directive for g's source, id and rank. Returns false if out of memory. */
bool darshan_group_begin(struct darshan *d, struct darshan_group *g);
/* Continues with a new directive if the current one is full. */
bool darshan_group_split(struct darshan *d, struct darshan_group *g);
void darshan_group_end(struct darshan *d, struct darshan_group *g);

/* crosscheck.c */

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

struct darshan_crosscheck {
	struct idmap ids;
	struct darshan_declared *declared;
	size_t capacity;
	size_t first_file; /* files of earlier jobs precede it */
	unsigned layers;   /* layers that have counters */
};

void darshan_check_counter(struct darshan *d, unsigned module, const struct darshan_group *g,
			   const char *name, int64_t value);
/* Called at the end of a job; member is its last log. */
void darshan_check(struct darshan *d, size_t member);

/* text.c */

struct darshan_text;

bool darshan_text_is(const char *head, size_t size);
int darshan_text_open(struct darshan *d, struct bufreader *in, struct error *error);
int darshan_text_step(struct darshan *d);
void darshan_text_end(struct darshan *d); /* reports how its bufreader ended */
void darshan_text_close(struct darshan *d);

/* The converter */

typedef int darshan_step_fn(struct darshan *d);

struct darshan_members {
	size_t current, last_log;      /* last_log: the last complete one */
	size_t ignored, first_ignored; /* members that are not logs */
};

/* The region of a log that is being converted. */
struct darshan_current {
	/* returns 1 to continue, 0 at the end, negative if out of memory */
	darshan_step_fn *step;
	const struct darshan_map_entry *entry;
	struct darshan_region region;
	bool damaged; /* its damage has been reported */
	bool begun;   /* its first record has been emitted */
};

/* The contents of a job, across its logs. */
struct darshan_contents {
	unsigned layers;   /* layers that have DXT data */
	unsigned selected; /* layers that --layer selects */
	bool counters;
};

struct darshan {
	struct source_state *src;
	struct emit emit;
	unsigned layers;
	bool check, threads;
	struct darshan_members members;
	struct darshan_log log;
	struct darshan_clock clock;
	struct darshan_current current;
	struct darshan_text *text;
	struct darshan_ids ids;
	struct darshan_dxt dxt;
	struct darshan_contents contents;
	struct darshan_crosscheck crosscheck;
	bool ended;
	int status;          /* out of memory, or a limit: ends the conversion */
	struct error damage; /* the first damage */
};

/* emit.c */

void darshan_signed(struct iot_builder *b, const char *key, int64_t value);
void darshan_double(struct iot_builder *b, const char *key, double value);
void darshan_text_value(struct iot_builder *b, const char *key, struct iot_text text);
void darshan_emit_trace(struct darshan *d);
void darshan_emit_lost(struct darshan *d, const char *why);
void darshan_count(struct darshan *d, const char *name, uint64_t n);
/* Reports that the module of the current region is not understood. Returns 0. */
int darshan_skip_module(struct darshan *d);
/* Adds damage to the report. Returns false if it is the first. */
bool darshan_add_damage(struct darshan *d, const struct error *e);
/* Reports damage: the rest of a region or log cannot be read. Returns 0, which ends a step. */
int darshan_damage(struct darshan *d, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * Returns the next `size` bytes of the region. Returns NULL at its end, after reporting damage if
 * it ends inside `what`.
 */
unsigned char *darshan_bytes(struct darshan *d, size_t size, const char *what);
/* The same for the start of a record. The padding of an uncompressed region ends it, too. */
unsigned char *darshan_record_head(struct darshan *d, size_t size, const char *what);
/* Counts ranks beyond the ranks of the job. */
void darshan_count_rank(struct darshan *d, int64_t rank);
void darshan_no_memory(struct darshan *d);
/* Adds a note about a log. */
void darshan_note(struct darshan *d, size_t member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
