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
enum format_match { FORMAT_MATCH_NO, FORMAT_MATCH_MAYBE, FORMAT_MATCH_YES };

struct decompressor {
	struct error *error; /* the window's */
	const char *name;    /* for messages, escaped */
	struct byte_source *in;
	enum iot_compression how;
	uint64_t window_max; /* of a zstd frame; a power of two */

	/* raw[0] is byte raw_at of the source; what the decoder has not taken begins at raw_pos. */
	const unsigned char *raw;
	unsigned char *block; /* where raw points to, unless that is the caller's memory */
	size_t raw_pos, raw_end, raw_capacity;
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
enum format_match decompress_match(enum iot_compression how, const void *p, size_t n);

/*
 * error, name, in, window_max are set, all else is zero. The `size` bytes at `first` have been taken
 * from `in` already. They are copied; but of memory, `first` is the start, and `room` its size.
 */
int decompress_open(struct decompressor *u, enum iot_compression how, const void *first,
		    size_t size, size_t capacity);
void decompress_close(struct decompressor *u); /* frees what it owns; also without open */

/*
 * One step: takes bytes from the source only when all that were taken before are unpacked. Returns
 * how many bytes it wrote to out, which may be 0 before the end.
 */
size_t decompress_read(struct decompressor *u, char *out, size_t capacity);

/* Whether the next step has to take bytes from the source, which may have to wait for them. */
bool decompress_hungry(const struct decompressor *u);

/* As bufreader_resync, which see. */
bool decompress_resync(struct decompressor *u);

/* Goes on at byte `at` of the source, where a frame or member begins; the source is there already. */
void decompress_seek(struct decompressor *u, uint64_t at);

#endif
