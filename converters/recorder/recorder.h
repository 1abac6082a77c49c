/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the Recorder converter. From bytes to events, each file uses only those above it:
 *
 *     file_slices.c      the files of a trace and their bytes: slices, raw or as a zlib block
 *     signatures.c       distinct calls, each parsed once; numbers of paths
 *     grammar.c          order of the calls: validation and iterative expansion
 *     shared_grammars.c  grammars and signatures that ranks share
 *     emit.c             events and counts
 *     handles.c          open files, by path or by descriptor
 *     posix.c, mpiio.c   the functions that Recorder traces, and the effects of their calls
 *     metadata.c         recorder.mt of each generation: ranks, clock, functions
 *     rank_v23.c         calls of a rank of generations 2.3 to 3.x
 *     rank_v21.c         calls of a rank of generations 2.1 and 2.2
 *     rank_text.c        calls of a rank in the output of recorder2text
 *     trace_files.c      which members form the trace, and the role of each
 *     rank_merge.c       the calls of all ranks, in order of their start
 *     recorder.c         the converter
 *
 * Every generation produces calls of one type (struct recorder_call), rank by rank, in the order in
 * which the rank recorded them.
 */
#ifndef CONVERTERS_RECORDER_RECORDER_H
#define CONVERTERS_RECORDER_RECORDER_H

#include <sys/queue.h>
#include <zlib.h>

#include "converters/emit.h"
#include "converters/fdtable/fdtable.h"
#include "lib/base/loser_tree.h"
#include "lib/base/tempfile.h"

struct recorder;
struct recorder_rank;

enum {
	RECORDER_RANKS_MAX = 1 << 24,
	RECORDER_FUNCTIONS_MAX = 65536,
	RECORDER_NAME_MAX = 255,          /* of the name of a function */
	RECORDER_PAYLOAD_MAX = 256 << 20, /* a decompressed table of signatures or grammar */
	RECORDER_META_MAX = 16 << 20,     /* recorder.mt and similar files */
	RECORDER_GROUP_RANKS = 128,       /* maximum number of ranks open at once */
	RECORDER_GROUP_BYTES = 64 << 20,  /* open no further ranks beyond this memory use */
	RECORDER_RANK_BYTES = 64 << 10,   /* memory use of the buffers of one rank */
	RECORDER_USER_FUNCTION = 255,
	RECORDER_LINE_MAX = 1 << 20, /* of text, or a call of 2.1 and 2.2 */
	RECORDER_BLOCK_HEAD = 16,    /* bytes in front of a zlib block: both of its sizes */
	RECORDER_STORES = 4,         /* members with random access */
	RECORDER_MESSAGE_NAMES = 4,  /* names that one message may contain */
	RECORDER_MESSAGE_NAME = 256,
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

/* A member with random access: in memory, or in a temporary file if it is large. */
struct recorder_store {
	size_t member, capacity;
	uint64_t size;
	char *data; /* NULL if it is in the temporary file */
	struct tempfile file;
};

struct recorder_files {
	struct recorder_part *part; /* sorted by role and rank */
	size_t parts, capacity;
	char *directory; /* of the trace, as in the names of members; NULL if it has none */
	bool text;       /* output of recorder2text */
	struct recorder_store store[RECORDER_STORES];
	size_t stores;
	char name[RECORDER_MESSAGE_NAMES][RECORDER_MESSAGE_NAME];
	unsigned name_turn;
};

/* Finds the trace among the members; the setting "trace" selects one of several. */
int recorder_layout(struct recorder *r);
int recorder_sniff(struct input *in);

void recorder_sort_parts(struct recorder_files *f);
/* Returns NULL if absent. */
const struct recorder_part *recorder_part(const struct recorder *r, enum recorder_role role,
					  uint32_t rank);
/* Finds the parts of one role; they are contiguous, sorted by rank. */
size_t recorder_parts(const struct recorder *r, enum recorder_role role,
		      const struct recorder_part **first);
/* Returns the escaped name of a part for messages, in one of a few rotating buffers of r. */
const char *recorder_name(struct recorder *r, const struct recorder_part *part);

/* Sequential reading of the bytes of a part. */
struct recorder_stream {
	struct bufreader *bufreader;
	const struct recorder_store *store; /* NULL if the part is read from its member */
	uint64_t at, end;                   /* unread bytes of the store */
	uint64_t left; /* unread bytes of the bufreader; RECORDER_WHOLE: up to its end */
	bool packed, inflating, ended;
	z_stream z;
	uint64_t expect, got; /* decompressed bytes */
	char name[RECORDER_MESSAGE_NAME];
};

/* Prepares a part for random access, which parts of a container already have. */
int recorder_store(struct recorder *r, const struct recorder_part *part, uint64_t *size);
void recorder_files_free(struct recorder_files *f);
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
/*
 * Peeks a line without its LF, which is not searched for in the first `skip` bytes. Sets *cut if
 * no LF was found. Returns NULL at the end of the input (*size is 0) and if the line has more than
 * RECORDER_LINE_MAX bytes (*size is larger).
 */
const char *recorder_peek_line(struct bufreader *in, size_t skip, size_t *size, bool *cut);

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

enum { RECORDER_PATTERNS = 12 }; /* functions whose offsets may be stored as patterns */

/*
 * A function that transfers data or changes names. Numbers of functions differ between releases;
 * names do not.
 */
struct recorder_function {
	const char *name;
	void (*run)(struct recorder_rank *rk); /* NULL if its calls have no effect */
	uint8_t layer;                         /* enum emit_layer */
	bool write, async;
	bool wide;                     /* the length is the product of two arguments */
	bool handle;                   /* the target is a descriptor, not a path */
	bool whence;                   /* argument 2 of lseek */
	int8_t target, length, offset; /* index of the argument; -1 if none */
	uint8_t pattern;               /* 1 to RECORDER_PATTERNS; 0 if none */
	bool running;                  /* its offsets may be stored as differences */
	const char *op;                /* name of its %op, or of the count of a hidden transfer */
};

extern const struct recorder_function recorder_posix[], recorder_mpiio[]; /* end with no name */
extern const struct recorder_function recorder_no_effect;

/* Returns recorder_no_effect if the function is unknown. */
const struct recorder_function *recorder_function(struct iot_text name);

/* A distinct call, parsed. */
struct recorder_signature {
	const struct recorder_function *function;
	const char *args; /* each followed by a space */
	uint64_t thread;
	uint64_t length;
	int64_t offset; /* or the flags of an open, the size of a file */
	int64_t slope;  /* offset = slope * R + offset */
	int64_t target; /* number of a path or MPI file, or a descriptor; -1 if none */
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
	bool offset_known; /* false if it is a pattern that cannot be resolved */
};

/*
 * Sets the fields that follow from function, args and count. descriptors: handles are numbers, as
 * in 2.1 and 2.2. Returns false if out of memory.
 */
bool recorder_prepare(struct recorder *r, struct recorder_signature *s, bool descriptors);
/* Returns argument i; data is NULL if it does not exist. */
struct iot_text recorder_arg(const struct recorder_signature *s, unsigned i);
bool recorder_number(struct iot_text text, int64_t *value); /* decimal, optionally negative */
/* Converts "12.345678" to nanoseconds. */
bool recorder_seconds(struct iot_text text, int64_t *ns);
/* Removes the first word from a text whose words are separated by single spaces. */
struct iot_text recorder_word(struct iot_text *text);

/* Paths and names of MPI files, numbered from 1 */
struct recorder_paths {
	struct iot_text *text;
	uint32_t count, capacity;
	uint32_t *hash; /* open addressing; 0 marks a free slot */
	uint32_t hash_capacity;
	uint64_t seed;
};

void recorder_paths_free(struct fdtable *t, struct recorder_paths *p);

/* Metadata */

enum recorder_kind { RECORDER_COMPRESSED, RECORDER_PEEPHOLE, RECORDER_TEXT };

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
	size_t functions, function_capacity;
};

int recorder_meta(struct recorder *r);

/* Signatures */

struct recorder_cst {
	char *payload;
	struct recorder_signature *signature;
	uint32_t count;
	/* calls of each signature, or NULL: declared by the trace, and decoded */
	uint64_t *declared, *seen;
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

/* What the ranks of generations 2.3 to 3.x share. */
struct recorder_shared {
	struct recorder_cst *cst; /* of all ranks; NULL if each has its own */
	struct recorder_unit *unit;
	uint32_t units;
	uint32_t *unit_of; /* index: rank */
	/* index: rank; NULL if this function has no patterns */
	uint32_t *position[RECORDER_PATTERNS];
	uint64_t *times_at; /* index: rank; slices of recorder.ts, ranks + 1 entries */
	size_t kept_bytes;  /* bytes of loaded grammars */
};

int recorder_units_open(struct recorder *r);
void recorder_units_close(struct recorder_shared *s);
struct recorder_unit *recorder_unit_get(struct recorder *r, uint32_t rank, struct error *error);
void recorder_unit_put(struct recorder *r, struct recorder_unit *u);
/*
 * Returns the rank's position among the ranks with the same number of signatures of a pattern's
 * function.
 */
uint32_t recorder_position(const struct recorder *r, uint32_t rank, unsigned pattern);

/* Handles */

enum { RECORDER_READS = 1, RECORDER_WRITES = 2 };

struct recorder_handle {
	struct open_description *open;
	struct recorder_handle *next;
	/* the next older handle in each list recorder_target.fit */
	struct recorder_handle *older[RECORDER_READS + RECORDER_WRITES];
	uint32_t refs;        /* descriptors that share it, in 2.1 and 2.2 */
	uint8_t access;       /* bit 1 reads, bit 2 writes */
	bool reported, ended; /* ended: its close was emitted */
	bool inferred;        /* its open was not traced */
	bool end_ambiguous;   /* a read may have reached the end of the file and returned less */
	uint32_t ambiguity;   /* index in recorder_counts.ambiguity + 1; 0 if none */
};

/* What a call refers to: one path, MPI file or descriptor of one rank. */
struct recorder_target {
	int64_t key;
	struct recorder_handle *newest, *last_closed;
	/* newest handle that permits access 1, 2, 3 */
	struct recorder_handle *fit[RECORDER_READS + RECORDER_WRITES];
	/* for MPI files */
	int64_t displacement, position; /* in bytes; in etypes */
	uint64_t etype;                 /* in bytes; 0 if unknown */
	bool position_known;
	bool contiguous; /* the view has no holes */
	/* of those whose key only their open has used; unset if it is not one of them */
	LIST_ENTRY(recorder_target) fresh;
};

struct recorder_map {
	struct recorder_target **target; /* by the hash of the key */
	struct recorder_target *last;    /* usually looked up again */
	uint32_t count, capacity;
	uint64_t seed;
	LIST_HEAD(recorder_target_list, recorder_target) fresh;
};

struct recorder_target *recorder_target_of_next(struct recorder *r, struct recorder_map *map,
						int64_t key);

/* Returns NULL if out of memory. */
static inline struct recorder_target *recorder_target(struct recorder *r, struct recorder_map *map,
						      int64_t key)
{
	return map->last != NULL && map->last->key == key ? map->last
							  : recorder_target_of_next(r, map, key);
}

/* Returns NULL if the key is new. */
struct recorder_target *recorder_target_find(const struct recorder_map *map, int64_t key);
void recorder_map_free(struct recorder *r, struct recorder_map *map);
struct recorder_handle *recorder_handle_new(struct recorder *r, struct tracked_file *file);
void recorder_handle_free(struct recorder *r, struct recorder_handle *h);
void recorder_push(struct recorder_target *t, struct recorder_handle *h);
/*
 * Returns the handle that a call uses, NULL if unknown. Sets *ambiguous if another handle could be
 * meant.
 */
struct recorder_handle *recorder_pick(struct recorder_target *t, unsigned access, bool *ambiguous);
/* Closes the newest handle and stores it as last closed. Returns NULL if none was open. */
struct recorder_handle *recorder_pop(struct recorder *r, struct recorder_target *t);
/* Records a change of a file's size. The size is known only as long as no other rank changes it. */
void recorder_resizes(struct recorder_rank *rk, struct tracked_file *f);
bool recorder_is_owner(const struct recorder_rank *rk, const struct tracked_file *f);
bool recorder_size_sure(const struct recorder_rank *rk, const struct tracked_file *f);

/* Ranks */

/* How the calls of a rank are stored. */
struct recorder_rank_ops {
	int (*open)(struct recorder_rank *rk);
	/* Reads calls, [rk->coming, rk->end). Returns 1; 0 at the end; negative, see rk->error. */
	int (*next)(struct recorder_rank *rk);
	void (*close)(struct recorder_rank *rk); /* also after a failed open */
};

extern const struct recorder_rank_ops recorder_rank_v23, recorder_rank_v21, recorder_rank_text;

struct recorder_rank {
	uint32_t rank;
	struct recorder *r;
	const struct recorder_rank_ops *ops;
	void *state;                              /* of ops */
	const struct recorder_call *coming, *end; /* calls that were read, of which one at least */
	const struct recorder_call *call;         /* the call being processed */
	int64_t result; /* of `coming`: 2.1, 2.2, result of functions that open */
	bool result_known;
	int64_t base_ns;
	bool announced;
	struct recorder_map paths, mpi_files, descriptors;
	/* a handle whose descriptor was duplicated to an unknown number */
	struct recorder_handle *duplicate;
	struct error error;
	size_t bytes; /* approximate memory use */
};

/* Process ids start at 1; 0 means none. */
static inline uint32_t recorder_process(const struct recorder_rank *rk)
{
	return rk->rank + 1;
}

/* Finds the part that a rank needs. Returns NULL with rk->error set: "3.ts does not exist". */
const struct recorder_part *recorder_rank_part(struct recorder_rank *rk, enum recorder_role role,
					       const char *ending);
/* Returns true if it is a line of recorder2text. */
bool recorder_text_line(const char *line, const char *end);

/* The order of the calls of all open ranks */

struct recorder_order {
	struct recorder_rank *rank[RECORDER_GROUP_RANKS]; /* NULL if ended */
	struct loser_tree tree;                           /* of their next calls */
	struct loser_entry node[2 * RECORDER_GROUP_RANKS];
	uint32_t count, open;
};

/* Adds a rank, before recorder_order_begin(). */
void recorder_order_add(struct recorder_order *o, struct recorder_rank *rk);
void recorder_order_begin(struct recorder_order *o);
/* Reorders after the first rank has read its next call. */
void recorder_order_moved(struct recorder_order *o);
/* Removes the first rank, which has ended. When all have ended, the group can be refilled. */
void recorder_order_ended(struct recorder_order *o);

static inline struct recorder_rank *recorder_first(const struct recorder_order *o)
{
	return o->rank[loser_tree_winner(&o->tree)];
}

/* The ranks of a trace, of which a group is open at a time. */
struct recorder_merge {
	uint32_t *rank; /* their numbers */
	uint32_t ranks, opened;
	size_t group_bytes; /* memory use of the open ones */
	struct recorder_order order;
};

/* Lists the ranks and opens the first group of them. */
int recorder_merge_open(struct recorder *r);
void recorder_merge_close(struct recorder *r);
/* Opens the next group, after all ranks have ended. */
void recorder_merge_group(struct recorder *r);
/* Goes to the next call of the first rank, which ends if there is none. */
void recorder_merge_advance(struct recorder *r);

/* Events */

enum recorder_count {
	RECORDER_AMBIGUOUS_HANDLE, /* several handles of one path were open */
	RECORDER_AMBIGUOUS_LENGTH, /* the total of readv has wrapped */
	RECORDER_AMBIGUOUS_END,    /* an earlier read may have reached the end of the file */
	RECORDER_INFERRED,         /* records of files whose open was not traced */
	RECORDER_UNKNOWN_RECORDS,  /* records with unknown offset */
	RECORDER_UNKNOWN_BYTES,
	RECORDER_UNKNOWN_LENGTH, /* MPI-IO with types of unknown size */
	RECORDER_UNNAMED,        /* 2.1, 2.2: records of descriptors whose open was not traced */
	RECORDER_UNNAMED_READ,   /* bytes of these */
	RECORDER_UNNAMED_WRITTEN,
	RECORDER_HIDDEN_MMAP,
	RECORDER_HIDDEN_PRINTF,
	RECORDER_BACKWARDS, /* calls that start before the previously recorded one */
	RECORDER_REFUSED,   /* negative offsets: the call failed */
	RECORDER_COUNTS
};

/* The number of records of a file that are uncertain. */
struct recorder_ambiguity {
	uint32_t process, file;
	uint64_t records;
};

struct recorder_counts {
	uint64_t count[RECORDER_COUNTS];
	struct recorder_ambiguity *ambiguity;
	size_t ambiguities, ambiguity_capacity;
	/* totals compared by --check; not in %counter, because it is not part of the trace */
	uint64_t compared;
	int64_t last_ns; /* start of the last call that had an effect */
};

struct recorder_op {
	const char *name;
	struct recorder_handle *handle; /* or NULL */
	struct iot_text path, to;
	bool failed, result_known;
};

struct recorder_io {
	struct recorder_handle *handle;
	struct file_offset offset;
	uint64_t length;
	bool write, async;
};

void recorder_emit_trace(struct recorder *r);
void recorder_emit_process(struct recorder_rank *rk);
void recorder_emit_record(struct recorder_rank *rk, const struct recorder_io *io);
void recorder_emit_op(struct recorder_rank *rk, const struct recorder_op *op);
/* Counts an uncertain record of the file; the sums are reported at the end. */
void recorder_ambiguity(struct recorder_rank *rk, struct recorder_handle *h);
void recorder_emit_counters(struct recorder *r);
void recorder_unparsed(struct recorder_rank *rk);
/* --check: compares the calls of a function that the trace declares with those decoded. */
void recorder_check(struct recorder *r, const char *where, uint32_t function, uint64_t declared,
		    uint64_t seen);
/* The same for all functions of a CST; `where` says whose it is. */
void recorder_check_cst(struct recorder *r, const struct recorder_cst *c, const char *where);

struct recorder {
	struct source_state *src;
	unsigned layers; /* bits of enum emit_layer */
	bool check;      /* compare totals with the totals of the trace */

	struct recorder_files files;
	struct recorder_meta meta;
	int64_t base_ns; /* base of the times of 2.3 and later */
	struct recorder_paths paths;
	struct recorder_shared shared;
	struct recorder_merge merge;

	struct fdtable tracker;
	struct emit emit;
	struct recorder_counts counts;

	int status;           /* IOT_OK, or the error that ends the conversion */
	struct error damage;  /* the first error that ends a rank only */
	uint64_t more_damage; /* number of damaged ranks after the first */
	bool began, ended;
};

#endif
