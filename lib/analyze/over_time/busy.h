/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time that processes spend in I/O, in all files or in each: the length of the union of their
 * synchronous intervals, which arrive in order of start.
 */
#ifndef LIB_ANALYZE_OVER_TIME_BUSY_H
#define LIB_ANALYZE_OVER_TIME_BUSY_H

#include "lib/analyze/requests.h"

struct state;
struct state_numbers;

enum busy_kind {
	BUSY_READ,
	BUSY_WRITE,
	BUSY_METADATA,
	BUSY_HEADS,
	BUSY_IO = BUSY_HEADS,
	BUSY_ALL,
	BUSY_KINDS
};

enum { BUSY_HEAD_MIN = 64, BUSY_INTERVALS_MAX = 1 << 16 };

/*
 * The first intervals of a union, which one of an earlier part may overlap: BUSY_HEAD_MIN of each
 * head, and BUSY_INTERVALS_MAX further ones of all heads below BUSY_HEADS, of BUSY_IO and of
 * BUSY_ALL.
 */
struct busy_head {
	struct busy_interval {
		int64_t from_ns, to_ns;
	} * interval;
	uint32_t count, capacity;
	bool more;    /* more intervals exist than are kept */
	bool derived; /* saving: the heads below BUSY_HEADS have the same */
};

struct busy {
	bool part;         /* keeps heads */
	bool by_pair;      /* of a process and a file, without BUSY_ALL; else by process */
	size_t kinds;      /* the rows are this many kinds of operations; 0: processes or pairs */
	bool out_of_order; /* set to join: rows of one process may not be in order of start */
	bool inexact[BUSY_KINDS]; /* a join missed intervals, or threads of a process */
	struct busy_process {     /* or pair */
		struct {
			uint64_t ns;
			int64_t end_ns; /* of the union so far */
		} of[BUSY_KINDS];
	} * processes;
	size_t capacity;
	struct busy_head (*heads)[BUSY_KINDS]; /* by process */
	size_t head_capacity;
	size_t intervals[BUSY_KINDS - BUSY_HEADS + 1]; /* beyond BUSY_HEAD_MIN of a head */
	uint64_t operations, timed_operations;         /* of all processes; not by pair */
};

/* These return false if out of memory. */
bool busy_add(struct busy *b, const struct io_spans *spans);
/* An operation of the trace; timed: its start and duration are known. */
void busy_count_op(struct busy *b, bool timed);
/* The time of one of a process or pair. */
bool busy_add_op(struct busy *b, size_t process, int64_t start_ns, uint64_t duration_ns);
/* Returns whether there are operations, none of which is timed. */
bool busy_operations_untimed(const struct busy *b);
/* Adds a part, whose processes or pairs have these numbers in b. */
bool busy_join(struct busy *b, struct busy *part, const uint32_t *number);
/*
 * Adds another trace, of which nothing follows what b has: rows that both have become unknown.
 * Before, of both: busy_forget frees what a part that follows would need.
 */
bool busy_add_trace(struct busy *b, struct busy *more, const uint32_t *number);
void busy_forget(struct busy *b);
/*
 * Adds an interval that does not begin before the end of the last one to the head of a row; if it
 * does not fit, the head has more.
 */
bool busy_add_head(struct busy *b, size_t row, enum busy_kind kind, struct busy_interval interval);
/* Sets the heads of BUSY_IO and BUSY_ALL from the others, of rows in order of start. */
bool busy_derive_heads(struct busy *b);
/*
 * Moves the time of row `from` of a part to row `to`, whose intervals it may overlap. That is exact
 * if the part is in order of start, and one of the heads ends before the other one has more.
 */
bool busy_unite_rows(struct busy *part, size_t to, size_t from);
/* The time up to which the head has all intervals. */
int64_t busy_known_ns(const struct busy_head *h);
/* The length of the intervals of a head up to a time. */
uint64_t busy_head_ns(const struct busy_head *h, int64_t end_ns);
/* Saving: finds the heads that busy_derive_heads would set. */
void busy_find_derived(struct busy *b);
/* Frees the head of a row that is dropped. */
void busy_free_head(struct busy *b, size_t row);
void busy_state(struct state *s, struct busy *b);
/* The sum over all processes, and the maximum of one. */
uint64_t busy_sum(const struct busy *b, enum busy_kind kind);
uint64_t busy_max(const struct busy *b, enum busy_kind kind);
void busy_free(struct busy *b);

#endif
