/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of Recorder as they lie on disk: the parts of a trace and their bytes, metadata, functions
 * and their arguments, signatures, grammars, and the units that ranks share. What becomes of it:
 * recorder.h.
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
	RECORDER_NAME_MAX = 255,          /* of a function */
	RECORDER_PAYLOAD_MAX = 256 << 20, /* a table of signatures, a grammar, unpacked */
	RECORDER_META_MAX = 16 << 20,     /* recorder.mt and its like */
	RECORDER_GROUP_RANKS = 128,       /* ranks side by side */
	RECORDER_GROUP_BYTES = 64 << 20,  /* but fewer once they need so much */
	RECORDER_USER_FUNCTION = 255,
	RECORDER_DEFAULT_TICK_NS = 100,
};

/* Layout */

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
	uint32_t rank; /* 0 for those that have none */
	size_t member;
	uint64_t offset, size; /* in a container; size RECORDER_WHOLE: all of the member */
};

enum recorder_kind { RECORDER_COMPRESSED, RECORDER_PEEPHOLE, RECORDER_TEXT };

/* Finds the trace among the members, by setting "trace" if there are several. */
int recorder_layout(struct recorder *r);
int recorder_sniff(struct input *in);
/* NULL: there is none. */
const struct recorder_part *recorder_part(const struct recorder *r, enum recorder_role role,
					  uint32_t rank);
/* Parts of one role are beside each other, by rank. */
size_t recorder_parts(const struct recorder *r, enum recorder_role role,
		      const struct recorder_part **first);
/* Name of a part for messages, escaped, in one of a few buffers of r. */
const char *recorder_name(struct recorder *r, const struct recorder_part *part);

/* Bytes */

/* A member that is read at any place: in memory, or in a temporary file if it is large. */
struct recorder_store {
	size_t member;
	uint64_t size, tempfile_at;
	char *data; /* NULL: in the spool */
	size_t capacity;
	bool broken; /* stops early */
};

struct recorder_slice {
	const struct recorder_store *store;
	int fd;
	uint64_t at, end;
};

/* Bytes of a part in order. */
struct recorder_stream {
	struct bufreader *bufreader;
	struct recorder_slice slice;
	uint64_t left; /* of the window's bytes; RECORDER_WHOLE: up to its end */
	bool packed, inflating, ended;
	z_stream z;
	uint64_t expect, got; /* bytes unpacked */
	const char *name;     /* for messages; lives with the stream */
	char name_text[256];
};

/* Makes a part readable at any place; parts of a container are. */
int recorder_store(struct recorder *r, const struct recorder_part *part, uint64_t *size);
/*
 * size RECORDER_WHOLE: up to the part's end. packed: one zlib block, which fills the slice. The
 * stream must stay where it is.
 */
int recorder_stream_open(struct recorder *r, struct recorder_stream *s,
			 const struct recorder_part *part, uint64_t offset, uint64_t size,
			 bool packed, struct error *error);
/* As many of n bytes as there are; fewer only at the end, negative if it is no proper one. */
ssize_t recorder_stream_read(struct recorder_stream *s, void *out, size_t n, struct error *error);
void recorder_stream_close(struct recorder_stream *s);
/* All bytes, at most `most`, for the caller to free; not NULL even if there are none. */
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
	RECORDER_MOVE,    /* bytes at the position */
	RECORDER_MOVE_AT, /* bytes at an offset */
	RECORDER_SEEK,
	RECORDER_TRUNCATE,
	RECORDER_FTRUNCATE,
	RECORDER_DUP,
	RECORDER_FCNTL,
	RECORDER_RENAME,
	RECORDER_LINK,
	RECORDER_UNLINK,
	RECORDER_PATH_OP, /* operations that change nothing here */
	RECORDER_TWO_PATHS_OP,
	RECORDER_HANDLE_OP,
	RECORDER_BARE_OP,
	RECORDER_HIDDEN, /* moves bytes out of sight */
	/* MPI-IO */
	RECORDER_MPI_OPEN,
	RECORDER_MPI_CLOSE,
	RECORDER_MPI_MOVE,   /* at the rank's own position */
	RECORDER_MPI_SHARED, /* at one that the ranks share */
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
	int8_t place, length, offset; /* which argument; -1: none */
	uint8_t pattern;              /* 1 .. RECORDER_PATTERNS; 0: none */
	bool running;                 /* its offsets may be stored as differences */
	const char *op;               /* name of its %op; for hidden bytes, of the count */
};

/* Never NULL: a function that is not known does nothing. */
const struct recorder_function *recorder_function(const char *name, size_t size);

static inline bool recorder_is_mpi(const struct recorder_function *f)
{
	return f->action >= RECORDER_MPI_OPEN;
}
/* A distinct call, taken apart. */
struct recorder_signature {
	const struct recorder_function *function;
	const char *args; /* each with a space behind it */
	uint64_t thread;
	uint64_t length;
	int64_t offset; /* or open's flags, a file's size */
	int64_t slope;  /* offset = slope * R + offset */
	int64_t place;  /* number of a path or MPI file, or a descriptor; -1: none */
	uint32_t args_size, id;
	uint8_t count, depth, whence;
	bool sloped, broken; /* broken: arguments are not what they should be */
};

/* A call of a rank. */
struct recorder_call {
	const struct recorder_signature *signature;
	int64_t start_ns;
	uint64_t duration_ns;
	int64_t offset;
	int64_t result; /* 2.1, 2.2: of open and its like */
	bool result_known;
	bool offset_known; /* false: a pattern that cannot be had */
};

/*
 * Fills what follows from function, args and count. descriptors: places are numbers, as in 2.1 and
 * 2.2. False: no memory.
 */
bool recorder_prepare(struct recorder *r, struct recorder_signature *s, bool descriptors);
/* Argument i; data NULL: there is none. */
struct iot_text recorder_arg(const struct recorder_signature *s, unsigned i);
bool recorder_number(struct iot_text text, int64_t *value); /* decimal, perhaps negative */

/* Paths, and names of MPI files, by number from 1 */

struct recorder_paths {
	struct iot_text *text;
	uint32_t count, capacity;
	uint32_t *hash; /* open addressing; 0: free */
	uint32_t hash_capacity;
	uint64_t seed;
	struct recorder_block {
		struct recorder_block *next;
		size_t used, capacity;
		char text[];
	} * blocks;
};

int64_t recorder_path(struct recorder *r, struct iot_text text); /* -1: no memory */
void recorder_paths_free(struct fdtable *t, struct recorder_paths *p);

/* Metadata */

struct recorder_meta {
	enum recorder_kind kind;
	unsigned major, minor;
	char version[16];
	uint32_t ranks;
	double start_s, tick_s;
	uint64_t tick_ns; /* of a tick; 0: it is no whole number */
	bool layers_known, posix, mpiio;
	bool threads, times_packed, shared, inter, intra; /* shared: one CST for all ranks */
	bool blocks;                                      /* payloads are zlib blocks */
	bool one_times;                                   /* recorder.ts, not <r>.ts */
	bool cst_counts;                                  /* entries of a CST have rank and count */
	unsigned key_header;
	int mode; /* of the peephole format */
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
	    *seen;    /* calls of each by the trace's own count, and expanded; or NULL */
	size_t bytes; /* of memory */
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
	uint64_t total; /* terminals */
	int32_t id;
};

struct recorder_grammar {
	struct recorder_rule *rule;
	struct recorder_symbol *symbol;
	uint32_t rules, symbols, start;
	size_t bytes;
};

/* Payload to checked grammar; terminals are below `terminals`. NULL with *error set. */
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
/* The next terminals, max of them if there are so many. */
size_t recorder_expand(struct recorder_expansion *e, int32_t *out, size_t max);
void recorder_expand_end(struct recorder_expansion *e);

/* Units: what ranks share, a grammar and the signatures it stands on */

struct recorder_unit {
	struct recorder_cst *cst;
	struct recorder_grammar *grammar;
	uint32_t refs;
	bool own;     /* of one rank, and so is the CST */
	bool threads; /* its calls may come from several threads: starts may go back */
	bool scanned;
	uint64_t at, size;                    /* in ug.cfg */
	uint32_t distinct[RECORDER_PATTERNS]; /* signatures used, of each function with patterns */
};

int recorder_units_open(struct recorder *r);
void recorder_units_close(struct recorder *r);
struct recorder_unit *recorder_unit_get(struct recorder *r, uint32_t rank, struct error *error);
void recorder_unit_put(struct recorder *r, struct recorder_unit *u);
/* The rank's place among those that have as many signatures of a pattern's function. */
uint32_t recorder_position(const struct recorder *r, uint32_t rank, unsigned pattern);

#endif
