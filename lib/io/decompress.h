/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gzip and Zstandard, unpacked: member after member and frame after frame, with the place of
 * damage, and the way to the next beginning behind it.
 */
#ifndef LIB_IO_DECOMPRESS_H
#define LIB_IO_DECOMPRESS_H

#include <zlib.h>
#include <zstd.h>

#include "byte_source.h"

/* Whether bytes begin something; MAYBE: more of them are needed to tell. */
enum iot_match { IOT_MATCH_NO, IOT_MATCH_MAYBE, IOT_MATCH_YES };

struct iot_unpacker {
	struct iot_error *error; /* the window's */
	const char *name;        /* for messages, escaped */
	struct iot_intake *in;
	enum iot_compression how;
	uint64_t window_max; /* of a zstd frame; a power of two */

	/* raw[0] is byte raw_at of the source; what the decoder has not taken begins at raw_pos. */
	const unsigned char *raw;
	unsigned char *block; /* where raw points to, unless that is the caller's memory */
	size_t raw_pos, raw_end, raw_room;
	uint64_t raw_at;

	uint64_t frame_at; /* where the frame or member in work began */
	uint64_t made;     /* bytes unpacked of it */
	uint64_t wasted;   /* bytes read and unpacked of those that failed */
	bool in_frame;
	bool output_full; /* the decoder may hold more output */
	bool ended;       /* properly, or the error tells */
	bool damaged;     /* the error is one that resync may step over */
	size_t zstd_hint; /* bytes that the decoder would like next */
	z_stream zlib;
	bool zlib_made;
	ZSTD_DCtx *zstd;
};

/* Whether the n bytes at p begin a gzip member, or a zstd frame (also a skippable one). */
enum iot_match iot_unpacker_match(enum iot_compression how, const void *p, size_t n);

/*
 * error, name, in, window_max are set, all else is zero. The `size` bytes at `first` have been taken
 * from `in` already. They are copied; but of memory, `first` is the start, and `room` its size.
 */
int iot_unpacker_open(struct iot_unpacker *u, enum iot_compression how, const void *first,
		      size_t size, size_t room);
void iot_unpacker_close(struct iot_unpacker *u); /* frees what it owns; also without open */

/*
 * One step: takes bytes from the source only when all that were taken before are unpacked. Returns
 * how many bytes it wrote to out, which may be 0 before the end.
 */
size_t iot_unpacker_read(struct iot_unpacker *u, char *out, size_t room);

/* Whether the next step has to take bytes from the source, which may have to wait for them. */
bool iot_unpacker_hungry(const struct iot_unpacker *u);

/* As iot_window_resync, which see. */
bool iot_unpacker_resync(struct iot_unpacker *u);

/* Goes on at byte `at` of the source, where a frame or member begins; the source is there already. */
void iot_unpacker_seek(struct iot_unpacker *u, uint64_t at);

#endif
