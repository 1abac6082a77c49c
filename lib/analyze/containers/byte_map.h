/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The states of the bytes of a file, as segments: each begins where the previous one ends, and the
 * last one has no end. Neighbours differ, so equal states of all bytes give equal segments.
 *
 * Leaves hold up to 64 segments; beyond one leaf, an index of two levels leads to them.
 */
#ifndef LIB_ANALYZE_CONTAINERS_BYTE_MAP_H
#define LIB_ANALYZE_CONTAINERS_BYTE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BYTE_STATES = 7,  /* 0: the state of all bytes of a new map */
	BYTE_CURSORS = 2, /* of alternating sequences of ranges */
	BYTE_ROUND_MIN = 12,
	BYTE_ROUND_MAX = 63
};
/* Segments of all maps: 2^22 ranges and the gaps between them. */
#define BYTE_SEGMENTS_MAX ((size_t)1 << 23)

struct byte_leaf;
struct byte_index;

/* All zeros: all bytes in state 0. */
struct byte_map {
	/* The segment after the last range. Its slot may be another one, or beyond the last. */
	struct byte_cursor {
		struct byte_leaf *leaf; /* NULL: none */
		uint64_t end;           /* of the leaf's last segment */
		size_t slot;
	} cursor[BYTE_CURSORS];
	struct byte_leaf *leaf;   /* the only one */
	struct byte_index *index; /* or of several leaves */
};

/* The limits and counts that the maps of all files share. */
struct byte_maps {
	size_t segments;
	uint64_t visited; /* segments, since they were rounded */
};

/* The range [begin, end), and what it does. */
struct byte_change {
	uint64_t begin, end;
	const uint8_t *next; /* new states, by state */
	unsigned cursor;
};

static inline bool byte_map_is_empty(const struct byte_map *m)
{
	return m->leaf == NULL && m->index == NULL;
}

struct byte_segment {
	uint64_t begin, end; /* end: UINT64_MAX of the last one */
	unsigned state;
};

/* Where a loop over segments is. */
struct byte_position {
	struct byte_leaf *leaf;
	size_t branch, child, slot;
};

/*
 * Changes a range, and adds its bytes to touched[], by their states before. These return false if
 * out of memory.
 */
bool byte_map_change(struct byte_maps *all, struct byte_map *m, const struct byte_change *change,
		     uint64_t touched[BYTE_STATES]);
/* Loads what a change at this position of a large map will use some steps later. */
void byte_map_ahead(const struct byte_map *m, uint64_t begin);
/* Appends a segment that begins after all others, and has another state than the last one. */
bool byte_map_append(struct byte_maps *all, struct byte_map *m, uint64_t begin, unsigned state);
/*
 * Rounds the ranges outward to multiples of 2^bits; of two in one multiple, the first one gets it.
 */
bool byte_map_round(struct byte_maps *all, struct byte_map *m, unsigned bits);
/* Start with {0}; false after the last segment. */
bool byte_map_next(const struct byte_map *m, struct byte_position *at, struct byte_segment *to);
/* Moves a map to an empty one. */
void byte_map_move(struct byte_maps *all, struct byte_map *m, struct byte_maps *from_all,
		   struct byte_map *from);
void byte_map_free(struct byte_maps *all, struct byte_map *m);

#endif
