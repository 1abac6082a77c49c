/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places where a stored trace can be entered: its %syncs, found by reading little. In .zst every frame's beginning
 * is a candidate, found by walking over block headers; in .gz what looks like the header of a member and unpacks to
 * a %sync; in plain text the lines themselves.
 */
#ifndef LIB_READER_SEEK_POINTS_H
#define LIB_READER_SEEK_POINTS_H

#include "lib/format/framing.h"

/* Bytes that can be read at any place. */
struct iot_stored {
	int fd;             /* where memory is NULL */
	const char *memory; /* or NULL */
	uint64_t first;     /* of a descriptor: where the trace begins in the file */
	uint64_t size;
};

/* Reads up to n bytes at `at`; fewer at the end. -1: errno tells. */
ssize_t iot_stored_read(const struct iot_stored *s, uint64_t at, void *to, size_t n);

struct iot_entry {
	uint64_t at; /* of the %sync's line, or of the frame or member that begins with it */
	struct iot_sync sync;
};

struct iot_frames;

/* base: 16 or 10. NULL: no memory. */
struct iot_frames *iot_frames_new(const struct iot_stored *s, enum iot_compression how,
				  unsigned base, uint64_t window_max);
void iot_frames_free(struct iot_frames *f);

/* The first entry in [from, limit). 1; 0: there is none; IOT_EIO with errno, IOT_ENOMEM. */
int iot_frames_next(struct iot_frames *f, uint64_t from, uint64_t limit, struct iot_entry *entry);

/*
 * The last entry for which before() holds, if that holds for all entries up to one and none behind it; else one for
 * which it holds, and not for the next. Answers as iot_frames_next.
 */
int iot_frames_find(struct iot_frames *f,
		    bool (*before)(const void *context, const struct iot_entry *entry),
		    const void *context, struct iot_entry *entry);

/*
 * Beginnings of the zstd frames of s, in order, skippable ones left out; at most IOT_FRAMES_MAX, else only every
 * 2nd, 4th, ... *at is malloced. IOT_OK, IOT_EIO with errno, IOT_ENOMEM.
 */
enum { IOT_FRAMES_MAX = 1 << 16 };
int iot_frames_walk(const struct iot_stored *s, uint64_t **at, size_t *count);

#endif
