/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process used the bytes of a file last, and how: ranges of bytes in a treap. Neighbours
 * differ in process or use.
 */
#ifndef LIB_ANALYZE_CONTAINERS_OWNER_MAP_H
#define LIB_ANALYZE_CONTAINERS_OWNER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OWNER_RANGES_MAX = 1 << 21,  /* of all files */
	OWNER_VISITS_MAX = 1 << 28,  /* of ranges by changes, and */
	OWNER_VISITS_PER_CHANGE = 16 /* on average of further ones */
};

enum owner_use {
	OWNER_READ,    /* never written: read last by the process */
	OWNER_WRITTEN, /* by the process, and not read since then */
	OWNER_WRITTEN_READ,
	OWNER_USES
};

struct owner_range {
	uint64_t begin, end;
	uint32_t process;
	enum owner_use use;
};

/* The ranges of all files. All zeros: none. */
struct owner_maps {
	struct owner_node *nodes; /* from 1 on */
	size_t count, capacity;
	uint32_t free; /* the first of a list */
	size_t ranges;
	uint64_t seed, visits, changes;
	struct owner_range *before, *after; /* of the range that changes */
	size_t before_capacity, after_capacity;
	bool limited; /* too many ranges or visits: nothing changes anymore */
};

/* Those of a file: a number of a node; 0: none. */
struct owner_map {
	uint32_t root;
};

/*
 * A transfer of the bytes of `to`, which then are as a write leaves them, or as a first read does.
 */
struct owner_change {
	struct owner_range to;
	bool write;
	/* May be NULL. counts: bytes with a range before; gap: bytes without one. False: failed. */
	bool (*counts)(void *context, const struct owner_range *before, uint64_t bytes);
	bool (*gap)(void *context, uint64_t begin, uint64_t end);
	void *context;
	bool keeps_gaps; /* a read leaves bytes without a range as they are */
};

/* Returns false if out of memory, or if a function of the change does. */
bool owner_map_change(struct owner_maps *all, struct owner_map *m, const struct owner_change *c);
/* Stores the ranges of a file, in their order, in an array that grows. */
bool owner_map_list(const struct owner_maps *all, const struct owner_map *m,
		    struct owner_range **list, size_t *capacity, size_t *count);
void owner_maps_free(struct owner_maps *all);

#endif
