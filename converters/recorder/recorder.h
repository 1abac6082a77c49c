/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the Recorder converter. From bytes to events:
 *
 *     trace_files.c      the members that belong to the trace, and the role of each
 *     file_slices.c      random access to their slices, raw or as a zlib block
 *     metadata.c         recorder.mt of each generation: ranks, clock, function names
 *     function_table.c   effect and argument positions of each function
 *     call_signatures.c  distinct calls, each parsed once
 *     grammar.c          order of the calls: validation and iterative expansion
 *     shared_grammars.c  grammars and signatures that ranks share
 *     rank_v23.c         calls of a rank of generations 2.3 to 3.x
 *     rank_v21.c         calls of a rank of generations 2.1 and 2.2
 *     rank_text.c        calls of a rank in the output of recorder2text
 *     rank_ahead.c       a thread that decodes calls of 2.3 to 3.x ahead
 *     rank_merge.c       the order of the calls of different ranks
 *     handles.c          open files, by path or by descriptor
 *     posix.c, mpiio.c   effects of the calls
 *     emit.c             events
 *     recorder.c         the converter
 *
 * trace_files.h declares the trace itself. Every generation produces calls of one type (struct
 * recorder_call), rank by rank, in the order in which the rank recorded them.
 */
#ifndef CONVERTERS_RECORDER_RECORDER_H
#define CONVERTERS_RECORDER_RECORDER_H

#include "converters/emit.h"
#include "converters/input/directory.h"
#include "trace_files.h"
#include "converters/fdtable/fdtable.h"

struct recorder_rank;

/* Ranks */

enum {
	RECORDER_PAIRS = 2048,
	RECORDER_BATCH_MIN = 256, /* calls; batch sizes are multiples of it */
};

struct recorder_stamps {
	uint32_t at, count;
	uint64_t left; /* remaining pairs as declared by the trace; UINT64_MAX: up to the end */
	struct recorder_stream stream;
	uint32_t pair[RECORDER_PAIRS][2];
};

/* A decoded call, without the fields of its signature. */
struct recorder_made {
	int64_t start_ns;
	uint64_t duration_ns;
	int64_t offset;
	uint32_t terminal;
	bool offset_known;
};

/*
 * Decoding switches ranks on almost every call, which evicts their state from the cache; each rank
 * therefore decodes a batch of calls at once.
 */
struct recorder_batch {
	uint32_t count;
	bool last;  /* no batch follows */
	int status; /* IOT_OK, or the error that follows the last call */
	struct recorder_made *call;
};

struct recorder_compressed {
	struct recorder_batch *batch; /* the current one of both */
	uint32_t taken;               /* number of its calls already returned */
	bool making;                  /* the thread of rank_ahead.c is decoding the other one */
	const struct recorder_cst *cst;
	struct recorder_unit *unit;
	struct recorder_batch both[2];
	uint32_t batch_capacity; /* calls */

	/* Owned by the decoding thread, in cache lines of its own. */
	struct recorder_expansion expansion;
	int64_t ticks; /* start of the previous call */
	uint64_t done; /* calls decoded */
	uint64_t backwards;
	int64_t sum[RECORDER_PATTERNS];
	uint32_t position[RECORDER_PATTERNS];
	struct recorder_stamps stamps;
};

struct recorder_peephole;
struct recorder_lines;

enum { RECORDER_READS = 1, RECORDER_WRITES = 2 };

struct recorder_handle {
	struct open_description *open;
	struct recorder_handle *next;
	/* the next older handle in each list recorder_place.fit */
	struct recorder_handle *older[RECORDER_READS + RECORDER_WRITES];
	uint32_t refs;        /* descriptors that share it, in 2.1 and 2.2 */
	uint8_t access;       /* bit 1 reads, bit 2 writes */
	bool reported, ended; /* ended: its close was emitted */
	bool implied;         /* its open was not traced */
	bool doubtful;        /* a read may have reached the end of the file and returned less */
	uint32_t ambiguity;   /* index in recorder.ambiguity + 1; 0 if none */
};

/* The number of records of a file that are uncertain. */
struct recorder_ambiguity {
	uint32_t process, file;
	uint64_t records;
};

/* State of one path, MPI file or descriptor of one rank. */
struct recorder_place {
	int64_t key;
	struct recorder_handle *newest, *remembered;
	struct recorder_handle
	    *fit[RECORDER_READS + RECORDER_WRITES]; /* newest handle that permits access 1, 2, 3 */
	/* for MPI files */
	int64_t displacement, position; /* in bytes; in etypes */
	uint64_t etype;                 /* in bytes; 0 if unknown */
	bool placed, plain; /* placed: position is known; plain: the view has no holes */
	bool claimed;       /* a call other than open has used the key */
	struct recorder_place *fresh_prev, *fresh_next; /* list of those opened and not claimed */
};

struct recorder_map {
	struct recorder_place **place; /* open addressing */
	uint32_t count, capacity;
	uint64_t seed;
	struct recorder_place *last, *fresh;
};

struct recorder_rank {
	uint32_t rank;
	struct recorder *r;
	/*
	 * Reads the next call into `coming`. Returns 1; 0 at the end; negative on error, see error.
	 */
	int (*next)(struct recorder_rank *k);
	void (*close)(struct recorder_rank *k);
	struct recorder_call coming, call; /* call: the current one */
	uint64_t turn;                     /* number of calls so far */
	int64_t base_ns;
	bool announced;
	struct recorder_map paths, mpi_files, descriptors;
	/* a handle whose descriptor was duplicated to an unknown number */
	struct recorder_handle *duplicate;
	struct error error;
	union {
		struct recorder_compressed *compressed;
		struct recorder_peephole *peephole;
		struct recorder_lines *lines;
	};
	size_t bytes; /* approximate memory use */
};

/* The order of the calls of all open ranks */
struct recorder_order {
	struct recorder_rank *rank[RECORDER_GROUP_RANKS]; /* NULL if ended */
	uint64_t loser[RECORDER_GROUP_RANKS];             /* of each match, index 1 is the root */
	int64_t base_ns;                                  /* base of their times */
	uint32_t count, open, leaves, first; /* first: the rank with the earliest next call */
};

/* Adds a rank, before recorder_order_begin(). */
void recorder_order_add(struct recorder_order *o, struct recorder_rank *k);
void recorder_order_begin(struct recorder_order *o);
/* Reorders after the first rank has read its next call. */
void recorder_order_moved(struct recorder_order *o);
/* Removes the first rank, which has ended. When all have ended, the group can be refilled. */
void recorder_order_ended(struct recorder_order *o);

static inline struct recorder_rank *recorder_first(const struct recorder_order *o)
{
	return o->rank[o->first];
}

/* Process ids start at 1; 0 means none. */
static inline uint32_t recorder_process(const struct recorder_rank *k)
{
	return k->rank + 1;
}

int recorder_compressed_open(struct recorder_rank *k);
/* Decodes the next calls into a batch. */
void recorder_decode(struct recorder_rank *k, struct recorder_batch *b);
/*
 * rank_ahead.c: starts a thread that decodes the calls of all ranks ahead, if that is worthwhile.
 */
void recorder_ahead_begin(struct recorder *r);
void recorder_ahead_end(struct recorder *r);
/* Replaces the current batch, which was consumed, by the next one. */
void recorder_ahead_take(struct recorder_rank *k);
void recorder_check(struct recorder *r, const char *where, uint32_t function, uint64_t declared,
		    uint64_t seen);
void recorder_check_shared(struct recorder *r); /* --check of a CST that all ranks share */
int recorder_peephole_open(struct recorder_rank *k);
int recorder_text_open(struct recorder_rank *k);
/* Converts "12.345678" to nanoseconds. */
bool recorder_seconds(struct iot_text text, int64_t *ns);
/* Returns true if it is a line of recorder2text. */
bool recorder_text_line(const char *line, const char *end);

/* Handles */

struct recorder_place *recorder_index_new(struct recorder *r, struct recorder_map *map,
					  int64_t key);

/* Returns NULL if out of memory. */
static inline struct recorder_place *recorder_place(struct recorder *r, struct recorder_map *map,
						    int64_t key)
{
	if (map->last != NULL && map->last->key == key)
		return map->last;
	return recorder_index_new(r, map, key);
}

struct recorder_place *recorder_place_find(const struct recorder_map *map, int64_t key);
void recorder_map_free(struct recorder *r, struct recorder_map *map);
struct recorder_handle *recorder_handle_new(struct recorder *r, struct tracked_file *file);
void recorder_handle_free(struct recorder *r, struct recorder_handle *h);
void recorder_push(struct recorder_place *p, struct recorder_handle *h);
/*
 * Returns the handle that a call uses, NULL if unknown. Sets *ambiguous if another handle could be
 * meant.
 */
struct recorder_handle *recorder_pick(struct recorder_place *p, unsigned access, bool *ambiguous);
/* Closes the newest handle and stores it as last closed. Returns NULL if none was open. */
struct recorder_handle *recorder_pop(struct recorder *r, struct recorder_place *p);
/* Records a change of a file's size. The size is known only as long as no other rank changes it. */
void recorder_resizes(struct recorder_rank *k, struct tracked_file *f);
bool recorder_is_owner(const struct recorder_rank *k, const struct tracked_file *f);
bool recorder_size_sure(const struct recorder_rank *k, const struct tracked_file *f);

/* Effects of calls */

void recorder_posix(struct recorder_rank *k);
void recorder_mpiio(struct recorder_rank *k);
uint64_t recorder_type_size(struct iot_text name); /* size of an MPI type; 0 if unknown */

/* Events */

enum recorder_count {
	RECORDER_AMBIGUOUS_HANDLE, /* several handles of one path were open */
	RECORDER_AMBIGUOUS_LENGTH, /* the total of readv has wrapped */
	RECORDER_AMBIGUOUS_END,    /* an earlier read may have reached the end of the file */
	RECORDER_IMPLIED,          /* records of files whose open was not traced */
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

struct recorder_op {
	const char *name;
	struct recorder_handle *handle; /* or NULL */
	struct iot_text path, to;
	bool failed, result_known;
};

struct recorder_io {
	struct recorder_handle *handle;
	struct file_offset place;
	uint64_t length;
	bool write, async;
};

void recorder_emit_trace(struct recorder *r);
void recorder_emit_process(struct recorder_rank *k);
void recorder_emit_record(struct recorder_rank *k, const struct recorder_io *io);
void recorder_emit_op(struct recorder_rank *k, const struct recorder_op *op);
/* Counts an uncertain record of the file; the sums are reported at the end. */
void recorder_ambiguity(struct recorder_rank *k, struct recorder_handle *h);
void recorder_emit_counters(struct recorder *r);
void recorder_unparsed(struct recorder_rank *k);

enum recorder_layers { RECORDER_LAYER_POSIX = 1, RECORDER_LAYER_MPIIO = 2 };

struct recorder {
	struct source_state *src;
	struct fdtable tracker;

	/* The files of the trace */
	struct recorder_part *part;
	size_t parts;
	char *directory; /* of the trace, as in the names of members */
	struct recorder_store store[4];
	size_t stores;
	struct input_tempfile tempfile;
	char name[4][256];

	struct recorder_meta meta;
	int64_t base_ns; /* base of the times of 2.3 and later */
	struct recorder_paths paths;

	/* Grammars and signatures */
	struct recorder_cst *cst; /* shared by all ranks; NULL if each has its own */
	struct recorder_unit *unit;
	uint32_t *unit_of; /* index: rank */
	/* index: rank; NULL if this function has no patterns */
	uint32_t *position[RECORDER_PATTERNS];
	uint64_t *times_at; /* index: rank; slices of recorder.ts, ranks + 1 entries */
	size_t kept_bytes;  /* bytes of loaded grammars */

	/* Ranks: their numbers, and the open ones */
	uint32_t *rank;
	struct recorder_order order;
	struct recorder_ahead *ahead; /* or NULL */
	size_t group_bytes;
	uint64_t more_damage; /* number of damaged ranks after the first */

	/* Events */
	struct emit emit;
	int64_t last_ns;
	struct error damage; /* the first error */
	uint64_t count[RECORDER_COUNTS];
	/* totals compared by --check; not in %counter, because it is not part of the trace */
	uint64_t compared;
	struct recorder_ambiguity *ambiguity;
	size_t ambiguities, ambiguity_capacity;

	unsigned layers; /* bits of enum recorder_layers */
	unsigned name_turn;
	uint32_t units, ranks, rank_next;
	int status;
	bool check, text, began, ended;
};

#endif
