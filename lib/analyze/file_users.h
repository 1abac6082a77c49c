/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Same-file concurrency: how many processes start requests for one file in one bin, of the interval
 * over time. When a limit of bins is reached, they become twice as wide, so the width depends on
 * the requests alone, not on their order.
 */
#ifndef LIB_ANALYZE_FILE_USERS_H
#define LIB_ANALYZE_FILE_USERS_H

#include "requests.h"
#include "values.h"

enum {
	FILE_USERS_MAX = 1 << 20 /* bins of all pairs, besides one of each */,
	FILE_USERS_COARSER_MAX = 63
};

struct state;

/* The bins in which requests of a process for a file start. */
struct file_users_pair {
	uint64_t from_ns, to_ns; /* of the last bin; 0, 0: not known */
	uint64_t *bins;          /* settled: in order, each once */
	uint32_t count, capacity;
	bool used; /* there is a request, of any start */
};

struct file_users {
	uint64_t interval_ns; /* 0: a second */
	uint32_t coarser;     /* a bin has 2^coarser intervals */
	struct file_users_pair *pairs;
	size_t capacity, used, bins; /* used: pairs with bins; bins: of all of them */
};

/* These return false if out of memory. */
bool file_users_add(struct file_users *s, const struct io_spans *grouped, uint64_t epoch_ns);
/* Adds a part, whose pairs have these numbers in s. */
bool file_users_join(struct file_users *s, struct file_users *part, const uint32_t *pair);
/* Sorts the bins of all pairs, and limits their number. */
void file_users_settle(struct file_users *s);
/* After file_users_settle. processes: of the job. */
bool file_users_values(const struct file_users *s, const struct requests *r, uint64_t processes,
		       struct values *v);

#endif
