/* SPDX-License-Identifier: BSD-2-Clause */
/* The offsets of a file's zstd frames: from its seek table, or found by a walk over all blocks. */
#ifndef LIB_IO_ZSTD_FRAMES_H
#define LIB_IO_ZSTD_FRAMES_H

#include "bufreader.h"

enum { SEEK_POINTS_MAX = 1 << 16 };

/*
 * Offsets in order, without skippable frames; at most SEEK_POINTS_MAX, otherwise only every 2nd,
 * 4th, ...
 */
struct zstd_frames {
	uint64_t *at;
	size_t count;
};

/* Returns IOT_OK, IOT_EIO with errno set, or IOT_ENOMEM. */
int zstd_frames_walk(const struct stored_input *s, struct zstd_frames *frames);

/*
 * Reads the seek table at the end of s. Returns 1; 0 if there is none; IOT_EFORMAT if its sizes do
 * not add up to the file's, as in concatenated files; IOT_EIO with errno set; or IOT_ENOMEM. That a
 * frame begins at each offset is not verified.
 */
int zstd_frames_of_table(const struct stored_input *s, struct zstd_frames *frames);

void zstd_frames_free(struct zstd_frames *frames);

#endif
