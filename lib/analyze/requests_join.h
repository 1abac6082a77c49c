/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers that processes, files and streams of a part get in what precedes it. */
#ifndef LIB_ANALYZE_REQUESTS_JOIN_H
#define LIB_ANALYZE_REQUESTS_JOIN_H

#include "requests.h"

/* A head of the part is added to a stream, which it may end; or a stream of the part moves. */
struct stream_link {
	uint32_t stream;
	uint32_t from; /* the head; or if `moves`, the stream of the part */
	uint32_t head; /* of r, that begins here; number + 1; 0: none */
	bool moves, ends;
};

struct requests_map {
	uint32_t *thread, *process, *file, *pair; /* indexed by the numbers of the part */
	struct stream_link *links;
	size_t link_count, link_capacity;
	bool out_of_order; /* the part has starts before those that precede them */
};

/* Adds a part to r. Returns false if out of memory; the caller frees the map. */
bool requests_join(struct requests *r, const struct requests *part, struct requests_map *map);
/* Then sets the CPU clocks, which the totals need as they were. */
bool requests_join_clocks(struct requests *r, const struct requests *part,
			  const struct requests_map *map);
/* Forgets streams and clocks, of a trace that nothing follows. */
void requests_forget(struct requests *r);
void requests_map_free(struct requests_map *map);

#endif
