/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decompresses gzip and Zstandard, member by member and frame by frame; reports the position of
 * damage and finds the next member or frame after it.
 */
#ifndef LIB_IO_DECOMPRESS_H
#define LIB_IO_DECOMPRESS_H

#include <zlib.h>
#include <zstd.h>

#include "byte_source.h"

/* Whether bytes begin a member or frame; MAYBE: more bytes are needed to decide. */
enum format_match { FORMAT_MATCH_NO, FORMAT_MATCH_MAYBE, FORMAT_MATCH_YES };

struct decompressor {
	struct error *error; /* owned by the bufreader */
	const char *name;    /* for messages, escaped */
	struct byte_source *in;
	enum iot_compression how;
	uint64_t window_max; /* maximum window of a zstd frame; a power of two */

	/*
	 * raw[0] is byte raw_at of the source; the bytes that the decoder has not consumed begin at
	 * raw_pos.
	 */
	const unsigned char *raw;
	unsigned char *block; /* the target of raw, unless that is the caller's memory */
	size_t raw_pos, raw_end, raw_capacity;
	uint64_t raw_at;

	uint64_t frame_at; /* source offset of the current frame or member */
	uint64_t made;     /* bytes decompressed from it */
	uint64_t wasted;   /* bytes read and decompressed from failed frames or members */
	bool in_frame;
	bool output_full;  /* the decoder may have more output pending */
	bool ended;        /* at a valid end, or with `error` set */
	bool damaged;      /* resync may skip the damage that caused the error */
	size_t zstd_hint;  /* input size that the decoder suggests for the next call */
	uint64_t block_at; /* source offset of the current zstd block, for messages */
	size_t block_left; /* its bytes that the decoder has not consumed */
	z_stream zlib;
	bool zlib_made;
	ZSTD_DCtx *zstd;
};

/*
 * Returns whether the n bytes at p begin a gzip member, or a zstd frame (possibly a skippable one).
 */
enum format_match decompress_match(enum iot_compression how, const void *p, size_t n);

/*
 * error, name, in, window_max must be set, all else zero. The `size` bytes at `first` have already
 * been read from `in`. They are copied; but if the source is memory, `first` is its start and
 * `capacity` its size.
 */
int decompress_open(struct decompressor *d, enum iot_compression how, const void *first,
		    size_t size, size_t capacity);
void decompress_close(struct decompressor *d); /* Frees what it owns; allowed without open. */

/*
 * Runs one step: reads from the source only when all bytes read before are decompressed. Returns
 * the number of bytes written to out, which may be 0 before the end.
 */
size_t decompress_read(struct decompressor *d, char *out, size_t capacity);

/* Returns whether the next step must read from the source, which may block. */
bool decompress_hungry(const struct decompressor *d);

/* See bufreader_resync. */
bool decompress_resync(struct decompressor *d);

/*
 * Continues at byte `at` of the source, where a frame or member begins; the source is already
 * positioned there.
 */
void decompress_seek(struct decompressor *d, uint64_t at);

#endif
