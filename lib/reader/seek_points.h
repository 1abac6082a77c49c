/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places where a stored trace can be entered: its %syncs, found by reading little. In .zst every frame's beginning
 * is a candidate, found by walking over block headers; in .gz what looks like the header of a member and unpacks to
 * a %sync; in plain text the lines themselves.
 */
#ifndef LIB_READER_SEEK_POINTS_H
#define LIB_READER_SEEK_POINTS_H

#include "lib/format/framing.h"
#include "lib/io/bufreader.h"

struct seek_point {
	uint64_t at; /* of the %sync's line, or of the frame or member that begins with it */
	struct sync_directive sync;
};

struct frames;

/* base: 16 or 10. NULL: no memory. */
struct frames *seek_points_new(const struct stored_input *s, enum iot_compression how,
			       unsigned base, uint64_t window_max);
void seek_points_free(struct frames *f);

/* The first entry in [from, limit). 1; 0: there is none; IOT_EIO with errno, IOT_ENOMEM. */
int seek_points_next(struct frames *f, uint64_t from, uint64_t limit, struct seek_point *entry);

/*
 * The last entry for which before() holds, if that holds for all entries up to one and none behind it; else one for
 * which it holds, and not for the next. Answers as seek_points_next.
 */
int seek_points_find(struct frames *f,
		     bool (*before)(const void *context, const struct seek_point *entry),
		     const void *context, struct seek_point *entry);

/*
 * Beginnings of the zstd frames of s, in order, skippable ones left out; at most SEEK_POINTS_MAX, else only every
 * 2nd, 4th, ... *at is malloced. IOT_OK, IOT_EIO with errno, IOT_ENOMEM.
 */
enum { SEEK_POINTS_MAX = 1 << 16 };
int zstd_frames_walk(const struct stored_input *s, uint64_t **at, size_t *count);

#endif
