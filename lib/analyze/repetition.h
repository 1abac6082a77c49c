/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repetition of requests: the lag from a request to the previous one of its process with the same
 * token, which is a hash of file, offset, length and direction, or without the file.
 *
 * Tokens whose hash begins with fewer zero bits than `level` are left out. The level rises by one
 * when a table is full, so it depends on the requests alone, not on their order: what remains is a
 * uniform sample of the tokens, with all requests of each.
 */
#ifndef LIB_ANALYZE_REPETITION_H
#define LIB_ANALYZE_REPETITION_H

#include "requests.h"
#include "values.h"

enum {
	REPETITION_TOKENS = 1 << 14,
	REPETITION_LAGS = 1 << 16,
	REPETITION_LEVELS = 64,
	REPETITION_RECENT_BITS = 6
};

struct state;

struct repetition_token {
	uint64_t first, last; /* number of its first and last request, of all of its process */
	uint32_t process;
};

struct repetition_table {
	unsigned level;
	uint64_t requests[REPETITION_LEVELS]; /* with a token, by zero bits of it */
	struct idmap token_map;               /* of hashes */
	struct repetition_token *tokens;
	size_t token_capacity;
	struct idmap lag_map; /* of lags, with the zero bits of the token: REPETITION_KEY */
	uint64_t *lags;
	size_t lag_capacity;
	size_t next_token; /* expected: the one after that found last */
	uint32_t
	    recent_lag[1 << REPETITION_RECENT_BITS]; /* numbers of lags counted last, by hash */
};

struct repetition {
	struct repetition_table of[2]; /* in the same file, in any file */
	uint64_t *requests;            /* by process */
	size_t capacity;
	bool inexact; /* a join found two processes of a part to be one */
	/* hashes; 0: not computed */
	uint64_t *process_hash, *file_hash;
	size_t process_capacity, file_capacity;
};

/* These return false if out of memory. */
/*
 * spans: in the order of the trace; other_file: not 0 if files are a sample, whose requests of[0]
 * leaves out.
 */
bool repetition_add(struct repetition *r, const struct io_batch *batch, uint32_t other_file,
		    const struct io_spans *spans);
/* Adds a part, whose processes have these numbers in r. */
bool repetition_join(struct repetition *r, const struct repetition *part, const uint32_t *process);
/*
 * Adds another trace, number `trace` of those joined. Ids, which tokens contain, may have changed:
 * ids of different processes remain distinct. A process in both makes the values unknown.
 */
bool repetition_add_trace(struct repetition *r, struct repetition *more, const uint32_t *process,
			  uint64_t trace);
/* Adds requests of a lag and of a token of this level to a table, as loading does. */
bool repetition_add_lag(struct repetition_table *t, uint64_t lag, unsigned level, uint64_t n);
/* Adds a token; the first one of a part that the table has follows with a lag. */
bool repetition_add_token(struct repetition_table *t, uint64_t hash,
			  const struct repetition_token *token);
static inline uint64_t repetition_lag_key(uint64_t lag, unsigned level)
{
	return lag * REPETITION_LEVELS + level;
}
/* part: an earlier part may be joined. */
void repetition_state(struct state *s, struct repetition *r, bool part);
/* sampled: files are missing in `of[0]` */
bool repetition_values(const struct repetition *r, bool sampled, struct values *v);
void repetition_free(void *of);

#endif
