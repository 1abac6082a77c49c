/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a process transfers bytes that it used last itself, or another process: for reads after
 * writes, overwrites, and writes after reads; and which process read how many bytes that which
 * other one wrote.
 *
 * A part that follows another one does not know who used a byte before its first write. It keeps
 * the reads and the first write of such bytes, in their order, for the join, which makes these
 * changes in the map of the earlier part.
 */
#ifndef LIB_ANALYZE_DEPENDENCIES_H
#define LIB_ANALYZE_DEPENDENCIES_H

#include "lib/analyze/containers/owner_map.h"
#include "lib/analyze/tables/tables.h"
#include "lib/base/idmap.h"

#include "requests.h"
#include "values.h"

enum { DEPENDENCY_PAIRS_MAX = 1 << 20, DEPENDENCY_HEADS_MAX = 1 << 21 };

/* Bytes that a process read and another one wrote. */
struct dependency_pair {
	uint64_t bytes; /* of all reads */
	uint64_t first; /* of reads that are the first ones since the bytes were written */
};

/* A transfer of bytes whose use before is not known in the part. */
struct dependency_head {
	uint64_t begin, end;
	uint32_t file, process;
	bool write;
};

/* All zeros: no request. */
struct dependencies {
	struct owner_maps maps;
	struct owner_map *files;
	size_t capacity;
	/* bytes of reads and of writes by use before, by another process and by the same one */
	uint64_t bytes[2][OWNER_USES][2];
	struct idmap pair_map; /* idmap_pair(writer, reader) */
	struct dependency_pair *pairs;
	size_t pair_capacity;
	uint64_t other; /* bytes of pairs beyond the limit */
	struct dependency_head *heads;
	size_t head_count, head_capacity;
	uint32_t *last_head; /* by file: index + 1; 0: none */
	size_t last_capacity;
	bool part;      /* it follows another one */
	bool unordered; /* traces without a common order of requests were added */
};

struct state;

/* These return false if out of memory. */
/* The requests in the order of the trace. */
bool dependencies_add(struct dependencies *d, const struct io_spans *spans);
/* Adds a part; process[i], file[i]: the numbers in d of its process and its file i. */
bool dependencies_join(struct dependencies *d, const struct dependencies *part,
		       const uint32_t *process, const uint32_t *file);
/* Adds a trace of the job: nothing is known of both. */
void dependencies_add_trace(struct dependencies *d);
void dependencies_state(struct state *s, struct dependencies *d);
/* Values of section `reuse`, with up to `top` pairs. */
bool dependencies_values(const struct dependencies *d, const struct requests *r, size_t top,
			 struct values *v);
void dependencies_free(struct dependencies *d);

/* Appends a head, or extends the last one of its file. */
bool dependencies_add_head(struct dependencies *d, const struct dependency_head *head);

#endif
