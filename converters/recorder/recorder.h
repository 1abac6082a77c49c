/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The converter of Recorder's traces, inside. From bytes to events:
 *
 *	recorder_layout.c     which members of the input are the trace, and what each of them is
 *	recorder_bytes.c      slices of them at any place, raw or as a zlib block
 *	recorder_meta.c       recorder.mt of each generation: ranks, clock, names of functions
 *	recorder_functions.c  what each function does and where its arguments stand
 *	recorder_cst.c        call signatures: each distinct call, taken apart once
 *	recorder_grammar.c    the order of the calls: checked, then expanded without recursion
 *	recorder_rank.c       generations 2.3 to 3.x: signatures, grammar, time stamps and patterns of
 *	                      a rank made calls; recorder_units.c shares them between ranks
 *	recorder_peephole.c   generations 2.1 and 2.2
 *	recorder_text.c       the text of recorder2text
 *	recorder_handles.c    who has which file open: by path, or by descriptor
 *	recorder_posix.c, recorder_mpiio.c  what calls do
 *	recorder_emit.c       the events
 *	recorder_ahead.c      calls of 2.3 to 3.x made by a thread of their own
 *	recorder_order.c      whose call comes next; recorder.c, the converter's face
 *
 * recorder_trace.h has the trace itself. Every generation gives calls of one kind (struct recorder_call), rank by rank, in the order in
 * which the rank recorded them.
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
	RECORDER_BATCH_MIN = 256, /* calls; batches are multiples of it */
};

struct recorder_stamps {
	uint32_t at, count;
	uint64_t left; /* pairs that the trace announces; UINT64_MAX: up to the end */
	struct recorder_stream stream;
	uint32_t pair[RECORDER_PAIRS][2];
};

/* A call, but for what its signature says. */
struct recorder_made {
	int64_t start_ns;
	uint64_t duration_ns;
	int64_t offset;
	uint32_t terminal;
	bool offset_known;
};

/* Ranks take turns, and their state goes cold between: so some calls are made at once. */
struct recorder_batch {
	uint32_t count;
	bool last;  /* there are no more behind it */
	int status; /* IOT_OK, or what is wrong behind it */
	struct recorder_made *call;
};

struct recorder_compressed {
	struct recorder_batch *batch; /* in hand: one of both */
	uint32_t taken;               /* of its calls */
	bool making;                  /* the other one, by recorder_ahead.c */
	const struct recorder_cst *cst;
	struct recorder_unit *unit;
	struct recorder_batch both[2];
	uint32_t batch_capacity; /* calls */

	/* Who makes them has this alone, and lines of the cache that nobody else needs. */
	struct recorder_expansion expansion;
	int64_t ticks; /* start of the call before */
	uint64_t done; /* calls made */
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
	struct recorder_handle *older[RECORDER_READS + RECORDER_WRITES]; /* see recorder_place */
	uint32_t refs;        /* descriptors that share it, in 2.1 and 2.2 */
	uint8_t access;       /* bits: 1 reads, 2 writes */
	bool reported, ended; /* ended: its close has been told */
	bool implied;         /* never seen to be opened */
	bool doubtful;        /* a read may have met the end of the file, and moved less */
	uint32_t ambiguity;   /* number in recorder.doubt, + 1; 0: none */
};

/* So many records of a file are not certain. */
struct recorder_ambiguity {
	uint32_t process, file;
	uint64_t records;
};

/* One path (or MPI file, or descriptor) of one rank. */
struct recorder_place {
	int64_t key;
	struct recorder_handle *newest, *remembered;
	struct recorder_handle
	    *fit[RECORDER_READS + RECORDER_WRITES]; /* newest of access 1, 2, 3 */
	/* MPI files */
	int64_t displacement, position; /* bytes; etypes */
	uint64_t etype;                 /* bytes; 0: not known */
	bool placed, plain;             /* position is known; the view has no holes */
	bool claimed;                   /* another call than open has used the key */
	struct recorder_place *fresh_prev, *fresh_next; /* those opened and not claimed */
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
	/* The call to come: 1, 0 at the end, negative: see error. */
	int (*next)(struct recorder_rank *k);
	void (*close)(struct recorder_rank *k);
	struct recorder_call coming, call; /* call: in work */
	uint64_t turn;                     /* calls so far */
	int64_t base_ns;
	bool announced;
	struct recorder_map paths, mpi_files, descriptors;
	struct recorder_handle *duplicate; /* whose descriptor has a copy of unknown number */
	struct error error;
	union {
		struct recorder_compressed *compressed;
		struct recorder_peephole *peephole;
		struct recorder_lines *lines;
	};
	size_t bytes; /* of memory, about */
};

/* Ranks side by side */
struct recorder_order {
	struct recorder_rank *rank[RECORDER_GROUP_RANKS]; /* NULL: has ended */
	uint64_t loser[RECORDER_GROUP_RANKS];             /* of each match, from 1 */
	int64_t base_ns;                                  /* of their times */
	uint32_t count, open, leaves, first;              /* first: whose call comes next */
};

/* One more, before the order begins. */
void recorder_order_add(struct recorder_order *o, struct recorder_rank *k);
void recorder_order_begin(struct recorder_order *o);
/* The first has another call. */
void recorder_order_moved(struct recorder_order *o);
/* The first has ended; a group of which all have can be filled anew. */
void recorder_order_ended(struct recorder_order *o);

static inline struct recorder_rank *recorder_first(const struct recorder_order *o)
{
	return o->rank[o->first];
}

/* 0 is no process's number. */
static inline uint32_t recorder_process(const struct recorder_rank *k)
{
	return k->rank + 1;
}

int recorder_compressed_open(struct recorder_rank *k);
/* The next calls. */
void recorder_decode(struct recorder_rank *k, struct recorder_batch *b);
/* recorder_ahead.c: calls of all ranks of the order are made ahead from now on, where that pays. */
void recorder_ahead_begin(struct recorder *r);
void recorder_ahead_end(struct recorder *r);
/* The batch in hand has been taken: the next one is in hand then. */
void recorder_ahead_take(struct recorder_rank *k);
void recorder_check(struct recorder *r, const char *where, uint32_t function, uint64_t declared,
		    uint64_t seen);
void recorder_check_shared(struct recorder *r); /* --check, of a CST of all ranks */
int recorder_peephole_open(struct recorder_rank *k);
int recorder_text_open(struct recorder_rank *k);
/* "12.345678" to nanoseconds. */
bool recorder_seconds(struct iot_text text, int64_t *ns);
/* Is it a line of recorder2text? */
bool recorder_text_line(const char *line, const char *end);

/* Handles */

struct recorder_place *recorder_index_new(struct recorder *r, struct recorder_map *map,
					  int64_t key);

/* NULL: no memory. */
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
/* The handle that a call uses, and whether others might be meant; NULL: none is known. */
struct recorder_handle *recorder_pick(struct recorder_place *p, unsigned access, bool *ambiguous);
/* Closes the newest; it is remembered. NULL: none was open. */
struct recorder_handle *recorder_pop(struct recorder *r, struct recorder_place *p);
/* Sizes of files: sure only while no other rank changes them. */
void recorder_resizes(struct recorder_rank *k, struct tracked_file *f);
bool recorder_is_owner(const struct recorder_rank *k, const struct tracked_file *f);
bool recorder_size_sure(const struct recorder_rank *k, const struct tracked_file *f);

/* What calls do */

void recorder_posix(struct recorder_rank *k);
void recorder_mpiio(struct recorder_rank *k);
uint64_t recorder_type_size(struct iot_text name); /* of an MPI type; 0: not known */

/* Events */

enum recorder_count {
	RECORDER_AMBIGUOUS_HANDLE, /* several handles of one path were open */
	RECORDER_AMBIGUOUS_LENGTH, /* readv's total has wrapped */
	RECORDER_AMBIGUOUS_END,    /* a read before it may have met the end of the file */
	RECORDER_IMPLIED,          /* records of files not seen to be opened */
	RECORDER_UNKNOWN_RECORDS,  /* of offset */
	RECORDER_UNKNOWN_BYTES,
	RECORDER_UNKNOWN_LENGTH, /* MPI-IO of types of unknown size */
	RECORDER_UNNAMED,        /* 2.1, 2.2: of descriptors not seen to be opened */
	RECORDER_UNNAMED_READ,   /* ... bytes */
	RECORDER_UNNAMED_WRITTEN,
	RECORDER_HIDDEN_MMAP,
	RECORDER_HIDDEN_PRINTF,
	RECORDER_BACKWARDS, /* calls that start before the one recorded before them */
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
	struct place place;
	uint64_t length;
	bool write, async;
};

void recorder_emit_trace(struct recorder *r);
void recorder_emit_process(struct recorder_rank *k);
void recorder_emit_record(struct recorder_rank *k, const struct recorder_io *io);
void recorder_emit_op(struct recorder_rank *k, const struct recorder_op *op);
/* A record of the file is not certain: counted, and told at the end. */
void recorder_ambiguity(struct recorder_rank *k, struct recorder_handle *h);
void recorder_emit_counters(struct recorder *r);
void recorder_unparsed(struct recorder_rank *k);

enum recorder_layers { RECORDER_LAYER_POSIX = 1, RECORDER_LAYER_MPIIO = 2 };

struct recorder {
	struct source_state *src;
	struct fdtable tracker;

	/* Layout */
	struct recorder_part *part;
	size_t parts;
	char *directory; /* of the trace, as members are named */
	struct recorder_store store[4];
	size_t stores;
	struct input_tempfile tempfile;
	char name[4][256];

	struct recorder_meta meta;
	int64_t base_ns; /* of the times of 2.3 and later */
	struct recorder_paths paths;

	/* Units */
	struct recorder_cst *cst; /* of all ranks; NULL: each has its own */
	struct recorder_unit *unit;
	uint32_t *unit_of;                     /* by rank */
	uint32_t *position[RECORDER_PATTERNS]; /* by rank; NULL: no pattern of this function */
	uint64_t *times_at;                    /* by rank: slices of recorder.ts; ranks + 1 */
	size_t kept_bytes;                     /* of grammars that are loaded */

	/* Ranks: numbers, and those that are open */
	uint32_t *rank;
	struct recorder_order order;
	struct recorder_ahead *ahead; /* or NULL */
	size_t group_bytes;
	uint64_t more_damage; /* ranks, but for the first */

	/* Events */
	struct emit emit;
	int64_t last_ns;
	struct error damage; /* the first */
	uint64_t count[RECORDER_COUNTS];
	uint64_t compared; /* totals, by --check; not of the trace, whose %counter goes without */
	struct recorder_ambiguity *ambiguity;
	size_t ambiguities, ambiguity_capacity;

	unsigned layers; /* bits of enum recorder_layers */
	unsigned name_turn;
	uint32_t units, ranks, rank_next;
	int status;
	bool check, text, began, ended;
};

#endif
