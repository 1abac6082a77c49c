/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seek points of a stored trace, located by reading little: its %syncs. In .zst, every frame start
 * is a candidate, located by the seek table or by walking over block headers; in .gz, bytes that
 * look like a member's header and decompress to a %sync; in uncompressed text, the lines
 * themselves.
 */
#ifndef LIB_READER_SEEK_POINTS_H
#define LIB_READER_SEEK_POINTS_H

#include "lib/format/framing.h"
#include "lib/io/bufreader.h"

struct seek_point {
	uint64_t at; /* offset of the %sync's line, or of the frame or member that begins with it */
	struct sync_directive sync;
};

struct seek_points;

/* base: 16 or 10; window_max 0: the default. Returns NULL if out of memory. */
struct seek_points *seek_points_new(const struct stored_input *s, enum iot_compression how,
				    unsigned base, uint64_t window_max);
void seek_points_free(struct seek_points *points);

/*
 * Finds the first seek point in [from, limit). Returns 1; 0 if none exists; IOT_EIO with errno set;
 * IOT_ENOMEM.
 */
int seek_points_next(struct seek_points *points, uint64_t from, uint64_t limit,
		     struct seek_point *entry);

/*
 * Finds the last seek point for which before() is true, if before() is monotonic; otherwise one for
 * which it is true and for whose successor it is false. Returns as seek_points_next.
 */
int seek_points_find(struct seek_points *points,
		     bool (*before)(const void *context, const struct seek_point *entry),
		     const void *context, struct seek_point *entry);

#endif
