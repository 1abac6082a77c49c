/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorted runs of packed events: put in, run after run, and taken out merged, equal ones in the order
 * they were put, also while more are put. They stay in memory up to a limit, and then go to a
 * temporary file, the small ones merged on the way. A run may have its first part in the file and
 * its last in memory. On file there are never more runs than there are buffers to read them: before
 * that neighbours are merged.
 *
 * runs.c: the list of runs, putting and spilling; run.c: reading one; runs_merge.c: reading all.
 */
#ifndef LIB_SORT_RUNS_H
#define LIB_SORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/slab.h"
#include "lib/base/error.h"
#include "lib/base/tempfile.h"

enum { RUN_ALIGN = 64 };

/* One run. What has been read of it is gone. What each event needs is in two lines of the cache. */
struct run {
	_Alignas(RUN_ALIGN) const unsigned char *pos;
	const unsigned char *limit, *stop; /* from limit on more has to be fetched */
	struct iot_event head;
	bool has_head;  /* the event to come is in head; its text is still at pos */
	bool in_memory; /* the part on file has been read, or there is none */
	unsigned level; /* on file: how often its events have been merged there */
	struct slab_block *first, *last; /* in memory, behind what is on file */
	uint64_t offset, end;            /* on file, not yet in buf */
	uint64_t forgotten;              /* of the file, before this */
	unsigned char *buf;              /* of the part on file */
};

struct runs {
	struct error *error;
	bool by_process, may_spill;
	bool beyond; /* where nothing may be spilled: go beyond the memory */
	struct slab_pool chunks;
	struct tempfile file;
	size_t buffer_size, ways; /* of the runs on file: bytes to read each, how many */
	uint64_t made;            /* runs written to the file */

	struct run **run;
	size_t count, capacity;
	bool open;              /* the last one may grow */
	struct iot_record last; /* of the last run */
	uint64_t length;        /* of the last run: events put */

	/* Merging runs [first, first + leaves): a tree of losers */
	bool fresh; /* the tree knows all there is */
	size_t first, leaves, tree_capacity;
	int64_t *loser, top; /* keys: see runs_merge.c */
	int64_t *next;       /* of each run, that of the event behind its head, if it is known */
	int64_t base, far;   /* starts count from base; keys from far on are too far away to tell */
	unsigned number_bits; /* of a key, for the run */
	char *text;           /* of the events handed out last */
	size_t text_used, text_capacity;
};

/* Not what iot_status has: the memory is full and nothing may be spilled. */
#define RUNS_FULL 1

void runs_init(struct runs *r, size_t memory, bool may_spill, struct error *error);
void runs_free(struct runs *r);

/* Whether an event would be in order behind the last one that was put. */
bool runs_continue(const struct runs *r, int64_t start, uint32_t process);
/* An event that would not be begins a new run. IOT_OK, RUNS_FULL, or a negative status. */
int runs_append(struct runs *r, const struct iot_event *ev, size_t n);
/* The same for events that are records and nothing else. */
int runs_append_records(struct runs *r, const struct iot_record *const *rec, size_t n);

/* Whether everything has been taken. */
bool runs_empty(struct runs *r);

/*
 * The next events, at most max; 0: no more. before: only what starts earlier; NULL: all. Text lives
 * until the next call.
 */
ssize_t runs_pop(struct runs *r, struct iot_event *out, size_t max, const int64_t *before);
/* The same for runs [first, first + n) alone, whose merging begins with runs_begin. */
int runs_begin(struct runs *r, size_t first, size_t n);
ssize_t runs_next(struct runs *r, struct iot_event *out, size_t max, const int64_t *before);

/* Whether there is something behind the head. */
bool run_more(const struct run *run);
/* Where pos has come to limit: 1 if there is more now; 0: there is none (yet); or a negative status. */
int run_fetch(struct runs *r, struct run *run);
/* The text of the head, before the next one is read. */
int run_text(struct runs *r, struct run *run, char *to);
struct run *run_new(void); /* NULL: no memory */
void run_free(struct runs *r, struct run *run);

#endif
