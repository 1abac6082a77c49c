/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a run. Since the completion of an I/O is known when it is issued, a block has times
 * instead of a list of I/Os: it is valid from valid_ns on, and no victim before busy_ns.
 */
#ifndef LIB_TIMING_SIM_INTERNAL_H
#define LIB_TIMING_SIM_INTERNAL_H

#include "event_queue.h"
#include "lib/simulate/clock.h"
#include "lib/simulate/read_window.h"
#include "timing.h"

#define PROCESS_NONE UINT32_MAX

/* A resident block, by its entry in the cache. */
struct block {
	int64_t valid_ns, busy_ns;
	int64_t async_ns; /* completion of the newest asynchronous I/O, and its process */
	int64_t dirtied_ns;
	uint32_t async_process, owner;
	uint32_t older, newer;               /* dirty blocks in order of time; 0: none */
	uint32_t object_older, object_newer; /* the same, of one object */
	bool dirty, prefetched;
};

struct sim_object {
	uint64_t size;      /* highest byte of the trace + 1 */
	uint64_t size_now;  /* ... of the I/Os so far */
	int64_t written_ns; /* completion of its last write */
	uint32_t oldest_dirty, newest_dirty;
};

struct sim_stream {
	uint64_t io_end, read_end; /* of the previous I/O, of the previous read; bytes */
	struct read_window window;
	bool used, has_read;
};

/* A call in progress. */
struct task {
	const struct step *step;
	uint32_t process, object, stream;
	uint32_t row;        /* of the result; or ROW_NONE */
	uint64_t block, end; /* the next block, and the one after the last */
	int64_t wait_ns;     /* it sleeps until then */
	bool begun, resumed;
};

enum call_result {
	CALL_DONE,
	CALL_SLEEPS,    /* until task->wait_ns; then it is done */
	CALL_STALLS,    /* until any I/O completes; then it continues */
	CALL_THROTTLED, /* until there are fewer dirty blocks; then it continues */
};

struct stalled {
	uint64_t number;
	uint32_t id;
	bool throttled;
};

struct sim {
	const struct timing_options *o;
	struct timing_result *result;
	struct error *error;
	int64_t now_ns;
	struct cache *cache;
	struct block *blocks;
	uint32_t *entries; /* of a run of blocks, or of a write; capacity: cache_blocks */
	struct device device;
	struct event_queue completions, wakes;
	uint64_t issued, slept; /* I/Os and sleeps: the order of events at one time */
	struct stalled *stalled;
	size_t stalled_count, stalled_capacity;
	bool full; /* no block can be replaced until an I/O completes */
	struct sim_object *objects;
	struct sim_stream *streams;
	size_t object_count, stream_count, process_count;
	uint64_t in_flight;
	int64_t flight_ns; /* since when in_flight has this value */
	double depth_ns;   /* sum of in_flight * time */
	/* WRITE_DELAYED */
	uint32_t oldest_dirty, newest_dirty;
	uint64_t dirty_blocks, writing_blocks, background_blocks, limit_blocks;
	/* process_limit: lists of the blocks of each process, from the oldest to the newest */
	struct own_block {
		uint32_t older, newer;
	} * own;
	struct own_list {
		uint32_t oldest, newest;
		uint64_t count;
	} * own_lists;
};

/* sim.c */
/* The numbers of objects, streams and processes of all worlds and copies. */
struct sim_size {
	uint64_t objects, streams, processes, rows;
};
struct sim_size sim_size_of(const struct timing_options *o, struct world *const *worlds, size_t n);
bool sim_init(struct sim *s, const struct timing_options *o, struct world *const *worlds, size_t n);
void sim_free(struct sim *s);
int sim_no_memory(struct sim *s);

/* io.c */
/* Issues an I/O; returns its completion. An error is kept in s->error. */
int64_t sim_issue(struct sim *s, uint32_t object, uint64_t offset, uint64_t length, bool write,
		  bool cleans);
/* Handles the first completion: wakes stalled calls. */
void sim_complete(struct sim *s);
/* At the end of the run: statistics of I/Os; then the writes that are still in flight. */
void sim_end(struct sim *s);
void sim_pending(struct sim *s);
/* Adds a sleeper to s->wakes, at a time or when an I/O completes. */
void sim_sleep(struct sim *s, uint32_t id, enum call_result how, int64_t until_ns);

/* blocks.c */
/* Returns the key of a block, one of many in ascending order. */
static inline uint64_t blocks_key(const struct sim *s, uint32_t object, uint64_t block)
{
	enum { AHEAD = 8 };
	const uint64_t key = cache_key_of(object, block);
	cache_preload(s->cache, key + AHEAD);
	return key;
}
/* Returns the entry of a new block; CACHE_NONE if no block can be replaced. */
uint32_t blocks_allocate(struct sim *s, uint32_t process, uint64_t key);
/* A reference to a present block. */
void blocks_touch(struct sim *s, uint32_t entry);
/* Removes blocks of an object from the cache; a dirty one is cancelled, or written before. */
void blocks_drop(struct sim *s, uint32_t object, uint64_t first, uint64_t last);
int64_t blocks_clean_and_drop(struct sim *s, uint32_t object, uint64_t first, uint64_t last);
/* Reads the run of blocks that ends before `end`, whose entries are s->entries[0..n). */
int64_t blocks_read_run(struct sim *s, uint32_t object, uint64_t end, size_t n);

/* read_ahead.c */
void read_ahead(struct sim *s, const struct task *t, bool missed);

/* write_back.c */
void write_back_dirty(struct sim *s, uint32_t entry);  /* The block becomes dirty. */
void write_back_forget(struct sim *s, uint32_t entry); /* It is no longer dirty. */
/* Writes a dirty block and its dirty neighbours; returns the completion. */
int64_t write_back_block(struct sim *s, uint32_t entry);
void write_back_background(struct sim *s);
static inline bool write_back_is_throttled(const struct sim *s)
{
	return s->dirty_blocks + s->writing_blocks >= s->limit_blocks;
}
/* Writes the dirty blocks of an object. */
void write_back_object(struct sim *s, uint32_t object);
/* The time at which the oldest block expires; INT64_MAX if none is dirty. */
int64_t write_back_timer(const struct sim *s);
void write_back_expired(struct sim *s);

/* call.c */
void call_begin(struct task *t, const struct step *step, uint32_t object_base, uint32_t stream_base,
		const struct world *w, uint64_t block);
enum call_result call_run(struct sim *s, struct task *t);
/* The CPU time to copy the blocks of a call. */
uint64_t call_copy_ns(const struct timing_options *o, const struct step *step);
/* The CPU time of a process up to a call, in which it also copies the blocks. */
uint64_t call_burst_ns(const struct timing_options *o, const struct step *step);

/* rows.c; they ignore a task without a row */
/* A step begins, after a time of computation. */
void rows_begin(struct sim *s, const struct task *t, uint64_t think_ns);
/* Adds the changes since `before`, made by a part of a call. */
void rows_count(struct sim *s, const struct task *t, const struct timing_row *before);
void rows_wait(struct sim *s, const struct task *t, uint64_t ns);
/* The sums of the result that rows have, too. */
struct timing_row rows_snapshot(const struct sim *s);

/* rates.c; they ignore rate_ns 0 */
enum rate_kind { RATE_DEVICE_READ, RATE_DEVICE_WRITTEN, RATE_CACHE_READ, RATE_CACHE_WRITTEN };
void rates_add(struct sim *s, int64_t time_ns, enum rate_kind kind, uint64_t bytes);
void rates_idle(struct sim *s, int64_t from_ns, int64_t to_ns);
/* Ends the last row at end_ns. */
void rates_end(struct sim *s, int64_t end_ns);

/* processes.c and arrivals.c */
int processes_run(struct sim *s, struct world *const *worlds, size_t n);
int arrivals_run(struct sim *s, struct world *const *worlds, size_t n);

#endif
