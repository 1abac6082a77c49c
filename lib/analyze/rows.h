/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of each process, and of each pair of a process and a file: the rows of tables. */
#ifndef LIB_ANALYZE_ROWS_H
#define LIB_ANALYZE_ROWS_H

#include "lib/analyze/over_time/busy.h"

#include "requests.h"
#include "row_sums.h"

struct row_pair {
	struct row_sums sums;
	uint64_t small[2];  /* requests of up to `small` bytes, by direction */
	uint64_t low, high; /* lowest offset, highest end; only if `located` */
	uint32_t syncs;     /* up to 2^32 - 1 */
	bool located;
	uint64_t existed;   /* bytes in the file, as opens before the first write found it */
	bool synchronous;   /* writes wait for the disk: O_SYNC or O_DSYNC */
	uint64_t unaligned; /* writes whose offset is not a multiple of the alignment */
	/* sums of durations: opens and closes; syncs; locks and readdir */
	uint64_t open_ns, sync_ns, wait_ns;
	/* bytes that had been written when the file was last truncated to nothing; if `cut` */
	uint64_t written_at_cut;
	bool cut, rewritten; /* rewritten: the last cut was an open, for writing the file again */
};

/* All zeros: empty. */
struct rows {
	uint64_t small;     /* bytes of the largest small request */
	uint64_t alignment; /* bytes of a block; 0: unknown */
	struct row_pair *pairs;
	struct row_sums *processes;
	size_t pair_capacity, process_capacity;
	struct busy busy; /* by pair */
};

/* These return false if out of memory. */
/* Requests, grouped. */
bool rows_add(struct rows *r, const struct io_spans *spans);
bool rows_add_operation(struct rows *r, struct request_operation numbers,
			const struct row_operation *op);
/* Adds a part, whose processes and pairs have these numbers in r. */
bool rows_join(struct rows *r, struct rows *part, const uint32_t *process, const uint32_t *pair);
/* Adds another trace; see busy_add_trace. */
bool rows_add_trace(struct rows *r, struct rows *more, const uint32_t *process,
		    const uint32_t *pair);
void rows_state(struct state *s, void *of, const struct requests *requests);

#endif
