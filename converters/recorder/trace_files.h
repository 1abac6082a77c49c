/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recorder traces on disk: the files of a trace and their bytes, metadata, functions and their
 * arguments, signatures, grammars, and the units that ranks share. recorder.h declares their
 * conversion.
 */
#ifndef CONVERTERS_RECORDER_TRACE_FILES_H
#define CONVERTERS_RECORDER_TRACE_FILES_H

#include <zlib.h>

#include "converters/converter.h"
#include "converters/fdtable/fdtable.h"

struct recorder;

enum {
	RECORDER_RANKS_MAX = 1 << 24,
	RECORDER_FUNCTIONS_MAX = 65536,
	RECORDER_NAME_MAX = 255,          /* of the name of a function */
	RECORDER_PAYLOAD_MAX = 256 << 20, /* a decompressed table of signatures or grammar */
	RECORDER_META_MAX = 16 << 20,     /* recorder.mt and similar files */
	RECORDER_GROUP_RANKS = 128,       /* maximum number of ranks open at once */
	RECORDER_GROUP_BYTES = 64 << 20,  /* open no further ranks beyond this memory use */
	RECORDER_USER_FUNCTION = 255,
	RECORDER_DEFAULT_TICK_NS = 100,
};

/* The files of a trace */

enum recorder_role {
	RECORDER_META,
	RECORDER_TIMES, /* recorder.ts */
	RECORDER_CST,
	RECORDER_CFG,      /* ug.cfg */
	RECORDER_CFG_META, /* ug.mt */
	RECORDER_VERSION,
	RECORDER_CONTAINER, /* recorder.dat */
	RECORDER_RANK_CST,
	RECORDER_RANK_CFG,
	RECORDER_RANK_TIMES,
	RECORDER_RANK_CALLS, /* <r>.itf */
	RECORDER_RANK_META,  /* <r>.mt */
	RECORDER_RANK_TEXT,  /* <r>.txt */
};

#define RECORDER_WHOLE UINT64_MAX

struct recorder_part {
	enum recorder_role role;
	uint32_t rank; /* 0 if the part belongs to no rank */
	size_t member;
	uint64_t offset, size; /* in a container; size RECORDER_WHOLE means the whole member */
};

enum recorder_kind { RECORDER_COMPRESSED, RECORDER_PEEPHOLE, RECORDER_TEXT };

/* Finds the trace among the members; the setting "trace" selects one of several. */
int recorder_layout(struct recorder *r);
int recorder_sniff(struct input *in);
/* Returns NULL if absent. */
const struct recorder_part *recorder_part(const struct recorder *r, enum recorder_role role,
					  uint32_t rank);
/* Finds the parts of one role; they are contiguous, sorted by rank. */
size_t recorder_parts(const struct recorder *r, enum recorder_role role,
		      const struct recorder_part **first);
/* Returns the escaped name of a part for messages, in one of a few rotating buffers of r. */
const char *recorder_name(struct recorder *r, const struct recorder_part *part);

/* Bytes */

/* A member with random access: in memory, or in a temporary file if it is large. */
struct recorder_store {
	size_t member;
	uint64_t size, tempfile_at;
	char *data; /* NULL if it is in the temporary file */
	size_t capacity;
	bool broken; /* truncated or unreadable at the end */
};

struct recorder_slice {
	const struct recorder_store *store;
	int fd;
	uint64_t at, end;
};

/* Sequential reading of the bytes of a part. */
struct recorder_stream {
	struct bufreader *bufreader;
	struct recorder_slice slice;
	uint64_t left; /* unread bytes of the bufreader; RECORDER_WHOLE: up to its end */
	bool packed, inflating, ended;
	z_stream z;
	uint64_t expect, got; /* decompressed bytes */
	const char *name;     /* for messages; lives as long as the stream */
	char name_text[256];
};

/* Prepares a part for random access, which parts of a container already have. */
int recorder_store(struct recorder *r, const struct recorder_part *part, uint64_t *size);
/*
 * Opens a slice. size RECORDER_WHOLE means up to the end of the part. packed: the slice is one zlib
 * block. The stream must not be moved in memory.
 */
int recorder_stream_open(struct recorder *r, struct recorder_stream *s,
			 const struct recorder_part *part, uint64_t offset, uint64_t size,
			 bool packed, struct error *error);
/* Reads up to n bytes. Returns fewer only at the end, negative on error. */
ssize_t recorder_stream_read(struct recorder_stream *s, void *out, size_t n, struct error *error);
void recorder_stream_close(struct recorder_stream *s);
/*
 * Reads all bytes, up to a maximum, into memory that the caller frees. Returns NULL only on error,
 * never for an empty slice.
 */
char *recorder_load(struct recorder *r, const struct recorder_part *part, uint64_t offset,
		    uint64_t size, bool packed, size_t max, size_t *got, struct error *error);
void recorder_stores_free(struct recorder *r);

static inline uint32_t recorder_u32(const void *p)
{
	const unsigned char *b = p;
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline int32_t recorder_i32(const void *p)
{
	return (int32_t)recorder_u32(p);
}

static inline uint64_t recorder_u64(const void *p)
{
	const unsigned char *b = p;
	return recorder_u32(b) | (uint64_t)recorder_u32(b + 4) << 32;
}

double recorder_double(const void *p);

/* Functions */

enum recorder_action {
	RECORDER_NOTHING,
	/* POSIX */
	RECORDER_OPEN,
	RECORDER_CREAT,
	RECORDER_FOPEN,
	RECORDER_CLOSE,
	RECORDER_MOVE,    /* transfers bytes at the position */
	RECORDER_MOVE_AT, /* transfers bytes at an offset */
	RECORDER_SEEK,
	RECORDER_TRUNCATE,
	RECORDER_FTRUNCATE,
	RECORDER_DUP,
	RECORDER_FCNTL,
	RECORDER_RENAME,
	RECORDER_LINK,
	RECORDER_UNLINK,
	RECORDER_PATH_OP, /* operations without effect on the tracked state */
	RECORDER_TWO_PATHS_OP,
	RECORDER_HANDLE_OP,
	RECORDER_BARE_OP,
	RECORDER_HIDDEN, /* transfers bytes that the trace does not show */
	/* MPI-IO */
	RECORDER_MPI_OPEN,
	RECORDER_MPI_CLOSE,
	RECORDER_MPI_MOVE,   /* at the rank's own position */
	RECORDER_MPI_SHARED, /* at the position that the ranks share */
	RECORDER_MPI_MOVE_AT,
	RECORDER_MPI_SEEK,
	RECORDER_MPI_SET_VIEW,
	RECORDER_MPI_SET_SIZE,
	RECORDER_MPI_SYNC,
};

enum { RECORDER_PATTERNS = 12 }; /* functions whose offsets may be stored as patterns */

struct recorder_function {
	const char *name;
	uint8_t action; /* enum recorder_action */
	bool write, async;
	bool wide;                    /* the length is the product of two arguments */
	bool handle;                  /* the place is a descriptor, not a path */
	int8_t place, length, offset; /* index of the argument; -1 if none */
	uint8_t pattern;              /* 1 to RECORDER_PATTERNS; 0 if none */
	bool running;                 /* its offsets may be stored as differences */
	const char *op;               /* name of its %op; for RECORDER_HIDDEN, name of the count */
};

/* Never returns NULL: an unknown function has no effect. */
const struct recorder_function *recorder_function(const char *name, size_t size);

static inline bool recorder_is_mpi(const struct recorder_function *f)
{
	return f->action >= RECORDER_MPI_OPEN;
}
/* A distinct call, parsed. */
struct recorder_signature {
	const struct recorder_function *function;
	const char *args; /* each followed by a space */
	uint64_t thread;
	uint64_t length;
	int64_t offset; /* or the flags of an open, the size of a file */
	int64_t slope;  /* offset = slope * R + offset */
	int64_t place;  /* number of a path or MPI file, or a descriptor; -1 if none */
	uint32_t args_size, id;
	uint8_t count, depth, whence;
	bool sloped, broken; /* broken: the arguments are malformed */
};

/* One call of a rank. */
struct recorder_call {
	const struct recorder_signature *signature;
	int64_t start_ns;
	uint64_t duration_ns;
	int64_t offset;
	int64_t result; /* 2.1, 2.2: result of functions that open */
	bool result_known;
	bool offset_known; /* false if it is a pattern that cannot be resolved */
};

/*
 * Sets the fields that follow from function, args and count. descriptors: places are numbers, as in
 * 2.1 and 2.2. Returns false if out of memory.
 */
bool recorder_prepare(struct recorder *r, struct recorder_signature *s, bool descriptors);
/* Returns argument i; data is NULL if it does not exist. */
struct iot_text recorder_arg(const struct recorder_signature *s, unsigned i);
bool recorder_number(struct iot_text text, int64_t *value); /* decimal, optionally negative */

/* Paths and names of MPI files, numbered from 1 */

struct recorder_paths {
	struct iot_text *text;
	uint32_t count, capacity;
	uint32_t *hash; /* open addressing; 0 marks a free slot */
	uint32_t hash_capacity;
	uint64_t seed;
	struct recorder_block {
		struct recorder_block *next;
		size_t used, capacity;
		char text[];
	} * blocks;
};

int64_t recorder_path(struct recorder *r, struct iot_text text); /* returns -1 if out of memory */
void recorder_paths_free(struct fdtable *t, struct recorder_paths *p);

/* Metadata */

struct recorder_meta {
	enum recorder_kind kind;
	unsigned major, minor;
	char version[16];
	uint32_t ranks;
	double start_s, tick_s;
	uint64_t tick_ns; /* length of a tick; 0 if it is not a whole number */
	bool layers_known, posix, mpiio;
	bool threads, times_packed, shared, inter, intra; /* shared: one CST for all ranks */
	bool blocks;                                      /* payloads are zlib blocks */
	bool one_times;  /* times are in recorder.ts, not in <r>.ts */
	bool cst_counts; /* entries of a CST contain rank and count */
	unsigned key_header;
	int mode; /* of the 2.1 and 2.2 format */
	char *names;
	struct recorder_named {
		const struct recorder_function *function;
		struct iot_text name;
	} * function;
	size_t functions;
};

int recorder_meta(struct recorder *r);
int recorder_meta_names(struct recorder_meta *m, const char *text, size_t size, size_t stride,
			struct error *error);

/* Signatures */

struct recorder_cst {
	char *payload;
	struct recorder_signature *signature;
	uint32_t count;
	uint64_t *declared,
	    *seen;    /* calls of each signature: declared by the trace, and expanded; or NULL */
	size_t bytes; /* memory use */
};

struct recorder_cst *recorder_cst_load(struct recorder *r, const struct recorder_part *part,
				       struct error *error);
void recorder_cst_free(struct recorder_cst *c);

/* Grammar */

struct recorder_symbol {
	int32_t value; /* a terminal, or ~index of a rule */
	uint32_t times;
};

struct recorder_rule {
	uint32_t first, count; /* symbols */
	uint32_t depth;
	uint64_t total; /* number of terminals */
	int32_t id;
};

struct recorder_grammar {
	struct recorder_rule *rule;
	struct recorder_symbol *symbol;
	uint32_t rules, symbols, start;
	size_t bytes;
};

/*
 * Parses and validates a grammar; terminals must be less than `terminals`. Returns NULL with *error
 * set.
 */
struct recorder_grammar *recorder_grammar_new(const char *payload, size_t size, uint32_t terminals,
					      const char *name, struct error *error);
void recorder_grammar_free(struct recorder_grammar *g);

struct recorder_frame {
	uint32_t at, end, left;
};

struct recorder_expansion {
	const struct recorder_grammar *grammar;
	struct recorder_frame *frame;
	uint32_t depth;
};

bool recorder_expand_begin(struct recorder_expansion *e, const struct recorder_grammar *g);
/* Writes up to max of the next terminals to out. Returns their number. */
size_t recorder_expand(struct recorder_expansion *e, int32_t *out, size_t max);
void recorder_expand_end(struct recorder_expansion *e);

/* Units: a grammar and its signatures, shared by ranks */

struct recorder_unit {
	struct recorder_cst *cst;
	struct recorder_grammar *grammar;
	uint32_t refs;
	bool own;     /* belongs to one rank, and so does the CST */
	bool threads; /* its calls may come from several threads: starts may decrease */
	bool scanned;
	uint64_t at, size; /* in ug.cfg */
	/* number of distinct signatures, for each function with patterns */
	uint32_t distinct[RECORDER_PATTERNS];
};

int recorder_units_open(struct recorder *r);
void recorder_units_close(struct recorder *r);
struct recorder_unit *recorder_unit_get(struct recorder *r, uint32_t rank, struct error *error);
void recorder_unit_put(struct recorder *r, struct recorder_unit *u);
/*
 * Returns the rank's position among the ranks with the same number of signatures of a pattern's
 * function.
 */
uint32_t recorder_position(const struct recorder *r, uint32_t rank, unsigned pattern);

#endif
