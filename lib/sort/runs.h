/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorted runs of packed events: appended run by run, and read merged, equal events in the order of
 * appending, also while more are appended. They stay in memory up to a limit and then go to a
 * temporary file, short ones merged on the way. A run may have its first part in the file and its
 * last in memory. The file never contains more runs than buffers exist to read them: neighbouring
 * runs are merged before that.
 *
 * runs.c: the list of runs, appending and spilling; runs_merge.c: reading them.
 */
#ifndef LIB_SORT_RUNS_H
#define LIB_SORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/loser_tree.h"
#include "lib/base/slab.h"
#include "lib/base/error.h"
#include "lib/base/tempfile.h"

enum { RUN_ALIGN = 64 };

/*
 * One run. Events that have been read are gone. The members needed for each event are in two cache
 * lines.
 */
struct run {
	_Alignas(RUN_ALIGN) const unsigned char *pos;
	const unsigned char *limit, *stop; /* at limit, more data must be fetched */
	struct iot_event head;
	bool has_head;  /* head is the next event; its text is still at pos */
	bool in_memory; /* the part in the file has been read or never existed */
	uint32_t head_tag;
	uint64_t next_key;               /* key of the event after the head, if known */
	struct slab_block *first, *last; /* in memory, following the part in the file */
	uint64_t offset, end;            /* in the file, not yet in buf */
	unsigned level; /* in the file: how often its events have been merged there */
	/* file offset before which the run's bytes have been discarded */
	uint64_t forgotten;
	unsigned char *buf; /* buffer for the part in the file */
};

struct runs {
	struct error *error;
	bool by_process, may_spill;
	bool beyond; /* exceed the memory limit if spilling is not allowed */
	struct slab_pool chunks;
	struct tempfile file;
	/* for runs in the file: buffer size in bytes, maximum number of runs */
	size_t buffer_size, ways;
	uint64_t made; /* runs written to the file */

	struct run **run;
	size_t count, capacity;
	bool open;              /* the last run may grow */
	struct iot_record last; /* last record of the last run */
	uint32_t last_tag;
	uint64_t length; /* events appended to the last run */

	/* Merging runs [first, first + tree.leaves) */
	bool fresh; /* the tree includes all runs and events */
	size_t first, tree_capacity;
	struct loser_tree tree;
	char *text; /* texts of the events returned last */
	size_t text_used, text_capacity;
};

/* RUNS_FULL: the memory is full and spilling is not allowed. RUNS_FAILED: see *error. */
enum runs_result { RUNS_OK, RUNS_FULL, RUNS_FAILED };

void runs_init(struct runs *r, size_t memory, bool may_spill, struct error *error);
void runs_free(struct runs *r);

/* Returns whether an event would be in order after the last one appended. */
bool runs_continue(const struct runs *r, int64_t start, uint32_t process);
/*
 * Appends events; an event out of order starts a new run. tag: their tags; NULL: all are 0.
 */
enum runs_result runs_append(struct runs *r, const struct iot_event *ev, const uint32_t *tag,
			     size_t n);

/* Returns whether all events have been read. */
bool runs_empty(struct runs *r);

/*
 * Returns up to max next events, and their tags unless `tag` is NULL; 0 if none is left. before:
 * only events that start earlier; NULL: all. Text is valid until the next call.
 */
ssize_t runs_pop(struct runs *r, struct iot_event *out, uint32_t *tag, size_t max,
		 const int64_t *before);
/* The same for runs [first, first + n) only; call runs_begin first. */
int runs_begin(struct runs *r, size_t first, size_t n);
ssize_t runs_next(struct runs *r, struct iot_event *out, uint32_t *tag, size_t max,
		  const int64_t *before);

struct run *run_new(void); /* Returns NULL if out of memory. */
void run_free(struct runs *r, struct run *run);

#endif
