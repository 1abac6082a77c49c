/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gzip and Zstandard.
 *
 * Besides the input not yet decompressed, the raw buffer keeps as much as possible of the current
 * frame or member: when a decoder detects damage it may have run past the beginning of the next
 * one, and resync searches for that from the start of the damaged one.
 */
#include "decompress.h"

#include <stdlib.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_getFrameHeader */
#include <zstd.h>
#include <zstd_errors.h>

enum {
	HISTORY_SIZE = 1 << 18, /* raw bytes kept before the decoder's position: two zstd blocks */
	ZSTD_FIRST_HINT = 5,    /* minimum size of a frame header */
	ZSTD_BLOCK_HEADER = 3,
	MAGIC_MAX = 4,
	WINDOW_DESCRIPTOR = 5, /* its offset in the frame header */
	/*
	 * Bytes that may be spent on failed frames before the search no longer goes back to their
	 * beginnings:
	 */
	WASTE_FREE = 1 << 28,
	WASTE_FACTOR = 32, /* plus this many for each byte of the source */
};

/* Raw bytes */

static size_t raw_left(const struct decompressor *u)
{
	return u->raw_end - u->raw_pos;
}

static uint64_t raw_offset(const struct decompressor *u)
{
	return u->raw_at + u->raw_pos;
}

/*
 * Frees capacity for one read, and for more than the bytes that are moved, so that moving is cheap.
 */
static void drop_old_raw(struct decompressor *u)
{
	const uint64_t after_frame = u->raw_at + u->raw_end - u->frame_at;
	size_t keep = HISTORY_SIZE;

	if (u->raw_capacity - u->raw_end >= u->in->read_size)
		return;
	if (after_frame < keep)
		keep = (size_t)after_frame;
	if (keep < raw_left(u))
		keep = raw_left(u);
	memmove(u->block, u->block + u->raw_end - keep, keep);
	u->raw_at += u->raw_end - keep;
	u->raw_pos -= u->raw_end - keep;
	u->raw_end = keep;
}

/* Returns false at the end or on error. */
static bool refill(struct decompressor *u)
{
	size_t n;

	if (u->in->kind == BYTE_SOURCE_MEMORY) {
		n = byte_source_step(u->in, u->raw_capacity - u->raw_end);
	} else {
		drop_old_raw(u);
		n = byte_source_read(u->in, u->block + u->raw_end, u->raw_capacity - u->raw_end);
	}
	u->raw_end += n;
	return n > 0;
}

/* Beginnings of members and frames */

static enum format_match match_bytes(const unsigned char *p, size_t n, const char *magic,
				     size_t size)
{
	if (memcmp(p, magic, n < size ? n : size) != 0)
		return FORMAT_MATCH_NO;
	return n < size ? FORMAT_MATCH_MAYBE : FORMAT_MATCH_YES;
}

static enum format_match match_skippable(const unsigned char *p, size_t n)
{
	if (n == 0)
		return FORMAT_MATCH_MAYBE;
	if ((p[0] & 0xf0) != 0x50)
		return FORMAT_MATCH_NO;
	return match_bytes(p + 1, n - 1, "\x2a\x4d\x18", 3);
}

enum format_match decompress_match(enum iot_compression how, const void *p, size_t n)
{
	enum format_match frame;

	if (how == IOT_GZIP)
		return match_bytes(p, n, "\x1f\x8b", 2);
	frame = match_bytes(p, n, "\x28\xb5\x2f\xfd", MAGIC_MAX);
	return frame != FORMAT_MATCH_NO ? frame : match_skippable(p, n);
}

/* Stricter than decompress_match, to find a beginning among arbitrary bytes. */
static enum format_match match_header(const struct decompressor *u, const unsigned char *p,
				      size_t n)
{
	ZSTD_frameHeader header;
	enum format_match magic;
	size_t rc;

	if (u->how == IOT_GZIP) {
		magic = match_bytes(p, n, "\x1f\x8b\x08", 3);
		if (magic != FORMAT_MATCH_YES)
			return magic;
		if (n < 4)
			return FORMAT_MATCH_MAYBE;
		return (p[3] & 0xe0) == 0 ? FORMAT_MATCH_YES : FORMAT_MATCH_NO; /* reserved flags */
	}
	magic = match_bytes(p, n, "\x28\xb5\x2f\xfd", MAGIC_MAX);
	if (magic != FORMAT_MATCH_YES)
		return magic;
	rc = ZSTD_getFrameHeader(&header, p, n);
	if (ZSTD_isError(rc))
		return FORMAT_MATCH_NO;
	if (rc > 0)
		return FORMAT_MATCH_MAYBE;
	return header.windowSize <= u->window_max ? FORMAT_MATCH_YES : FORMAT_MATCH_NO;
}

/* Damage */

static int fail_memory(struct decompressor *u)
{
	return error_set(u->error, IOT_ENOMEM, "%s: out of memory", u->name);
}

static const char *unit_name(const struct decompressor *u)
{
	return u->how == IOT_GZIP ? "gzip member" : "zstd frame";
}

static void fail_damaged(struct decompressor *u, const char *reason)
{
	u->damaged = true;
	error_set(u->error, IOT_EFORMAT, "%s: at byte %llu: damaged %s: %s", u->name,
		  (unsigned long long)raw_offset(u), unit_name(u), reason);
}

static void fail_truncated(struct decompressor *u)
{
	u->damaged = true;
	error_set(u->error, IOT_ETRUNCATED,
		  "%s: at byte %llu: the input ends inside the %s that begins at byte %llu",
		  u->name, (unsigned long long)raw_offset(u), unit_name(u),
		  (unsigned long long)u->frame_at);
}

static enum format_match next_magic(struct decompressor *u)
{
	enum format_match match;

	do
		match = decompress_match(u->how, u->raw + u->raw_pos, raw_left(u));
	while (match == FORMAT_MATCH_MAYBE && refill(u));
	return match;
}

/* Zeros after the last member, as left by tapes and some copying tools, are not damage. */
static void skip_zeros(struct decompressor *u)
{
	do {
		while (raw_left(u) > 0 && u->raw[u->raw_pos] == 0)
			u->raw_pos++;
		u->frame_at = raw_offset(u);
	} while (raw_left(u) == 0 && refill(u));
}

static bool reset_decoder(struct decompressor *u)
{
	if (u->how == IOT_GZIP)
		return inflateReset(&u->zlib) == Z_OK;
	return !ZSTD_isError(ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only));
}

/*
 * Returns false if no frame or member follows. Only here, between two frames or members, the end is
 * valid.
 */
static bool begin_frame(struct decompressor *u)
{
	enum format_match match;

	u->frame_at = raw_offset(u);
	u->made = 0;
	match = next_magic(u);
	if (match == FORMAT_MATCH_NO && u->how == IOT_GZIP && u->raw[u->raw_pos] == 0) {
		skip_zeros(u);
		match = next_magic(u);
	}
	if (match == FORMAT_MATCH_YES && reset_decoder(u)) {
		u->in_frame = true;
		u->output_full = false;
		u->zstd_hint = ZSTD_FIRST_HINT;
		return true;
	}
	if (match != FORMAT_MATCH_MAYBE)
		fail_damaged(u, "other bytes where one should begin");
	else if (raw_left(u) > 0 && u->error->status == IOT_OK)
		fail_truncated(u);
	u->ended = true;
	return false;
}

/* Decoders */

static size_t unpack_gzip(struct decompressor *u, char *out, size_t capacity)
{
	z_stream *z = &u->zlib;
	const size_t in_size = raw_left(u) < UINT32_MAX ? raw_left(u) : UINT32_MAX;
	const size_t out_size = capacity < UINT32_MAX ? capacity : UINT32_MAX;
	int rc;

	z->next_in = (z_const Bytef *)(u->raw + u->raw_pos);
	z->avail_in = (uInt)in_size;
	z->next_out = (Bytef *)out;
	z->avail_out = (uInt)out_size;
	rc = inflate(z, Z_NO_FLUSH);
	u->raw_pos += in_size - z->avail_in;
	u->output_full = z->avail_out == 0 && rc != Z_STREAM_END;
	u->in_frame = rc != Z_STREAM_END;
	if (rc == Z_MEM_ERROR)
		fail_memory(u);
	else if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		fail_damaged(u, z->msg ? z->msg : "unknown reason");
	else if (rc == Z_BUF_ERROR && in_size > 0)
		fail_damaged(u, "the decoder does not get on");
	return out_size - z->avail_out;
}

/*
 * Reads the window size from a frame header (RFC 8878, 3.1.1.1); the library does not report sizes
 * beyond its own limit.
 */
static unsigned long long window_of(const unsigned char *p, size_t n)
{
	ZSTD_frameHeader header;
	if (ZSTD_getFrameHeader(&header, p, n) == 0)
		return header.windowSize;
	if (n <= WINDOW_DESCRIPTOR)
		return 0;
	const unsigned long long base = 1ULL << (10 + (p[WINDOW_DESCRIPTOR] >> 3));
	return base + base / 8 * (p[WINDOW_DESCRIPTOR] & 7);
}

static void fail_zstd(struct decompressor *u, size_t rc)
{
	unsigned long long bufreader = 0;

	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
		fail_memory(u);
		return;
	case ZSTD_error_frameParameter_windowTooLarge:
		/*
		 * The error occurs at the last byte of the header, so the whole header is still in
		 * the buffer.
		 */
		if (u->frame_at >= u->raw_at)
			bufreader = window_of(u->raw + (u->frame_at - u->raw_at),
					      u->raw_end - (size_t)(u->frame_at - u->raw_at));
		u->damaged = true;
		error_set(u->error, IOT_ELIMIT,
			  "%s: at byte %llu: zstd frame asks for a window of %llu bytes, "
			  "the limit is %llu",
			  u->name, (unsigned long long)u->frame_at, bufreader,
			  (unsigned long long)u->window_max);
		return;
	default:
		fail_damaged(u, ZSTD_getErrorName(rc));
	}
}

/*
 * A failing call does not report how much it wrote before, so each call gets one block, without the
 * header of the next block: good blocks before a bad one are not lost.
 */
static size_t zstd_slice(const struct decompressor *u)
{
	const size_t hint = u->zstd_hint;
	const size_t size = hint > ZSTD_BLOCK_HEADER ? hint - ZSTD_BLOCK_HEADER : hint;

	return size < raw_left(u) ? size : raw_left(u);
}

static size_t unpack_zstd(struct decompressor *u, char *to, size_t capacity)
{
	ZSTD_inBuffer in = {u->raw + u->raw_pos, zstd_slice(u), 0};
	ZSTD_outBuffer out = {to, capacity, 0};
	const size_t rc = ZSTD_decompressStream(u->zstd, &out, &in);

	if (ZSTD_isError(rc)) {
		fail_zstd(u, rc);
		return 0;
	}
	u->raw_pos += in.pos;
	u->output_full = out.pos == out.size && rc != 0;
	u->in_frame = rc != 0;
	u->zstd_hint = rc;
	if (rc != 0 && in.size > 0 && in.pos == 0 && out.pos == 0)
		fail_damaged(u, "the decoder does not get on");
	return out.pos;
}

size_t decompress_read(struct decompressor *u, char *out, size_t capacity)
{
	if (!u->in_frame && !begin_frame(u))
		return 0;
	if (raw_left(u) == 0 && !u->output_full && !refill(u)) {
		if (u->error->status == IOT_OK)
			fail_truncated(u);
		u->ended = true;
		return 0;
	}
	const size_t n =
	    u->how == IOT_GZIP ? unpack_gzip(u, out, capacity) : unpack_zstd(u, out, capacity);
	u->made += n;
	return n;
}

bool decompress_hungry(const struct decompressor *u)
{
	return raw_left(u) == 0 && !(u->in_frame && u->output_full);
}

/* Opening and closing */

static int make_decoder(struct decompressor *u)
{
	int log = 0;

	if (u->how == IOT_GZIP) {
		if (inflateInit2(&u->zlib, 15 + 16) != Z_OK)
			return fail_memory(u);
		u->zlib_made = true;
		return IOT_OK;
	}
	while ((UINT64_C(1) << log) < u->window_max)
		log++;
	u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		return fail_memory(u);
	if (ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, log)))
		return error_set(u->error, IOT_EUSAGE, "%s: zstd refuses a window of %llu bytes",
				 u->name, (unsigned long long)u->window_max);
	return IOT_OK;
}

int decompress_open(struct decompressor *u, enum iot_compression how, const void *first,
		    size_t size, size_t capacity)
{
	u->how = how;
	u->raw = first;
	u->raw_end = size;
	u->raw_capacity = capacity;
	if (u->in->kind != BYTE_SOURCE_MEMORY) {
		u->raw_capacity = size + 2 * (u->in->read_size + HISTORY_SIZE);
		u->block = malloc(u->raw_capacity);
		if (!u->block)
			return fail_memory(u);
		memcpy(u->block, first, size);
		u->raw = u->block;
	}
	return make_decoder(u);
}

void decompress_close(struct decompressor *u)
{
	if (u->zlib_made)
		inflateEnd(&u->zlib);
	ZSTD_freeDCtx(u->zstd);
	free(u->block);
}

/* Resuming after damage */

/* Advances to the apparent beginning of a frame or member; returns false if none is left. */
static bool find_beginning(struct decompressor *u)
{
	const int first = u->how == IOT_GZIP ? 0x1f : 0x28;

	for (;;) {
		const unsigned char *p = u->raw + u->raw_pos;
		enum format_match match = FORMAT_MATCH_MAYBE;

		p = memchr(p, first, raw_left(u));
		u->raw_pos = p ? (size_t)(p - u->raw) : u->raw_end;
		u->frame_at = raw_offset(u);
		if (p)
			match = match_header(u, p, raw_left(u));
		if (match == FORMAT_MATCH_YES)
			return true;
		if (match == FORMAT_MATCH_MAYBE && refill(u))
			continue;
		if (!p)
			return false;
		u->raw_pos++;
	}
}

/*
 * The search starts after the beginning of the failed frame, because the decoder may have run past
 * the next one, up to the end of the input. Bytes that only look like beginnings could make that
 * expensive: once the limit is exceeded, the search starts at the decoder's position. Either way
 * each search starts after the point at which the previous one resumed, so the process terminates.
 */
static uint64_t search_from(struct decompressor *u)
{
	const uint64_t here = raw_offset(u);
	uint64_t from = u->frame_at + 1;

	u->wasted += here - u->frame_at + u->made;
	if (u->wasted > WASTE_FREE + WASTE_FACTOR * u->in->stored && here > from)
		from = here;
	return from > u->raw_at ? from : u->raw_at;
}

bool decompress_resync(struct decompressor *u)
{
	if (!u->damaged)
		return false;
	const uint64_t from = search_from(u);
	u->damaged = false;
	u->raw_pos = (size_t)(from - u->raw_at);
	u->ended = !find_beginning(u);
	if (u->ended)
		return false;
	u->in_frame = false;
	error_clear(u->error);
	return true;
}

void decompress_seek(struct decompressor *u, uint64_t at)
{
	const bool memory = u->in->kind == BYTE_SOURCE_MEMORY;
	u->raw_pos = u->raw_end = memory ? (size_t)at : 0;
	u->raw_at = memory ? 0 : at;
	u->frame_at = at;
	u->in_frame = u->output_full = u->ended = u->damaged = false;
}
