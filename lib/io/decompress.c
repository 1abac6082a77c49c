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

static size_t raw_left(const struct decompressor *d)
{
	return d->raw_end - d->raw_pos;
}

static uint64_t raw_offset(const struct decompressor *d)
{
	return d->raw_at + d->raw_pos;
}

/*
 * Frees capacity for one read, and for more than the bytes that are moved, so that moving is cheap.
 */
static void drop_old_raw(struct decompressor *d)
{
	const uint64_t after_frame = d->raw_at + d->raw_end - d->frame_at;
	size_t keep = HISTORY_SIZE;

	if (d->raw_capacity - d->raw_end >= d->in->read_size)
		return;
	if (after_frame < keep)
		keep = (size_t)after_frame;
	if (keep < raw_left(d))
		keep = raw_left(d);
	memmove(d->block, d->block + d->raw_end - keep, keep);
	d->raw_at += d->raw_end - keep;
	d->raw_pos -= d->raw_end - keep;
	d->raw_end = keep;
}

/* Returns false at the end or on error. */
static bool refill(struct decompressor *d)
{
	size_t n;

	if (d->in->kind == BYTE_SOURCE_MEMORY) {
		n = byte_source_step(d->in, d->raw_capacity - d->raw_end);
	} else {
		drop_old_raw(d);
		n = byte_source_read(d->in, d->block + d->raw_end, d->raw_capacity - d->raw_end);
	}
	d->raw_end += n;
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
static enum format_match match_header(const struct decompressor *d, const unsigned char *p,
				      size_t n)
{
	ZSTD_frameHeader header;
	enum format_match magic;
	size_t rc;

	if (d->how == IOT_GZIP) {
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
	return header.windowSize <= d->window_max ? FORMAT_MATCH_YES : FORMAT_MATCH_NO;
}

/* Damage */

static int fail_memory(struct decompressor *d)
{
	return error_set(d->error, IOT_ENOMEM, "%s: out of memory", d->name);
}

static const char *unit_name(const struct decompressor *d)
{
	return d->how == IOT_GZIP ? "gzip member" : "zstd frame";
}

/* Reports a position that does not depend on read sizes; the zstd decoder's position does. */
static void fail_damaged(struct decompressor *d, const char *reason)
{
	const uint64_t at = d->how == IOT_ZSTD && d->in_frame ? d->block_at : raw_offset(d);
	d->damaged = true;
	error_set(d->error, IOT_EFORMAT, "%s: at byte %llu: damaged %s: %s", d->name,
		  (unsigned long long)at, unit_name(d), reason);
}

static void fail_truncated(struct decompressor *d)
{
	d->damaged = true;
	error_set(d->error, IOT_ETRUNCATED,
		  "%s: at byte %llu: the input ends inside the %s that begins at byte %llu",
		  d->name, (unsigned long long)raw_offset(d), unit_name(d),
		  (unsigned long long)d->frame_at);
}

static enum format_match next_magic(struct decompressor *d)
{
	enum format_match match;

	do
		match = decompress_match(d->how, d->raw + d->raw_pos, raw_left(d));
	while (match == FORMAT_MATCH_MAYBE && refill(d));
	return match;
}

/* Zeros after the last member, as left by tapes and some copying tools, are not damage. */
static void skip_zeros(struct decompressor *d)
{
	do {
		while (raw_left(d) > 0 && d->raw[d->raw_pos] == 0)
			d->raw_pos++;
		d->frame_at = raw_offset(d);
	} while (raw_left(d) == 0 && refill(d));
}

static bool reset_decoder(struct decompressor *d)
{
	if (d->how == IOT_GZIP)
		return inflateReset(&d->zlib) == Z_OK;
	return !ZSTD_isError(ZSTD_DCtx_reset(d->zstd, ZSTD_reset_session_only));
}

/*
 * Returns false if no frame or member follows. Only here, between two frames or members, the end is
 * valid.
 */
static bool begin_frame(struct decompressor *d)
{
	enum format_match match;

	d->frame_at = raw_offset(d);
	d->made = 0;
	match = next_magic(d);
	if (match == FORMAT_MATCH_NO && d->how == IOT_GZIP && d->raw[d->raw_pos] == 0) {
		skip_zeros(d);
		match = next_magic(d);
	}
	if (match == FORMAT_MATCH_YES && reset_decoder(d)) {
		d->in_frame = true;
		d->output_full = false;
		d->zstd_hint = ZSTD_FIRST_HINT;
		d->block_left = 0;
		return true;
	}
	if (match != FORMAT_MATCH_MAYBE)
		fail_damaged(d, "other bytes where one should begin");
	else if (raw_left(d) > 0 && d->error->status == IOT_OK)
		fail_truncated(d);
	d->ended = true;
	return false;
}

/* Decoders */

static size_t unpack_gzip(struct decompressor *d, char *out, size_t capacity)
{
	z_stream *z = &d->zlib;
	const size_t in_size = raw_left(d) < UINT32_MAX ? raw_left(d) : UINT32_MAX;
	const size_t out_size = capacity < UINT32_MAX ? capacity : UINT32_MAX;
	int rc;

	z->next_in = (z_const Bytef *)(d->raw + d->raw_pos);
	z->avail_in = (uInt)in_size;
	z->next_out = (Bytef *)out;
	z->avail_out = (uInt)out_size;
	rc = inflate(z, Z_NO_FLUSH);
	d->raw_pos += in_size - z->avail_in;
	d->output_full = z->avail_out == 0 && rc != Z_STREAM_END;
	d->in_frame = rc != Z_STREAM_END;
	if (rc == Z_MEM_ERROR)
		fail_memory(d);
	else if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		fail_damaged(d, z->msg ? z->msg : "unknown reason");
	else if (rc == Z_BUF_ERROR && in_size > 0)
		fail_damaged(d, "the decoder does not get on");
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

static void fail_zstd(struct decompressor *d, size_t rc)
{
	unsigned long long bufreader = 0;

	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
		fail_memory(d);
		return;
	case ZSTD_error_frameParameter_windowTooLarge:
		/*
		 * The error occurs at the last byte of the header, so the whole header is still in
		 * the buffer.
		 */
		if (d->frame_at >= d->raw_at)
			bufreader = window_of(d->raw + (d->frame_at - d->raw_at),
					      d->raw_end - (size_t)(d->frame_at - d->raw_at));
		d->damaged = true;
		error_set(d->error, IOT_ELIMIT,
			  "%s: at byte %llu: zstd frame asks for a window of %llu bytes, "
			  "the limit is %llu",
			  d->name, (unsigned long long)d->frame_at, bufreader,
			  (unsigned long long)d->window_max);
		return;
	default:
		fail_damaged(d, ZSTD_getErrorName(rc));
	}
}

/*
 * A failing call does not report how much it wrote before, so each call gets one block, without the
 * header of the next block: good blocks before a bad one are not lost.
 */
static size_t zstd_slice(struct decompressor *d)
{
	const size_t hint = d->zstd_hint;
	const size_t size = hint > ZSTD_BLOCK_HEADER ? hint - ZSTD_BLOCK_HEADER : hint;

	if (d->block_left == 0) {
		d->block_at = raw_offset(d);
		d->block_left = size;
	}
	return size < raw_left(d) ? size : raw_left(d);
}

static size_t unpack_zstd(struct decompressor *d, char *to, size_t capacity)
{
	ZSTD_inBuffer in = {d->raw + d->raw_pos, zstd_slice(d), 0};
	ZSTD_outBuffer out = {to, capacity, 0};
	const size_t rc = ZSTD_decompressStream(d->zstd, &out, &in);

	if (ZSTD_isError(rc)) {
		fail_zstd(d, rc);
		return 0;
	}
	d->raw_pos += in.pos;
	d->block_left -= in.pos < d->block_left ? in.pos : d->block_left;
	d->output_full = out.pos == out.size && rc != 0;
	d->in_frame = rc != 0;
	d->zstd_hint = rc;
	if (rc != 0 && in.size > 0 && in.pos == 0 && out.pos == 0)
		fail_damaged(d, "the decoder does not get on");
	return out.pos;
}

size_t decompress_read(struct decompressor *d, char *out, size_t capacity)
{
	if (!d->in_frame && !begin_frame(d))
		return 0;
	if (raw_left(d) == 0 && !d->output_full && !refill(d)) {
		if (d->error->status == IOT_OK)
			fail_truncated(d);
		d->ended = true;
		return 0;
	}
	const size_t n =
	    d->how == IOT_GZIP ? unpack_gzip(d, out, capacity) : unpack_zstd(d, out, capacity);
	d->made += n;
	return n;
}

bool decompress_hungry(const struct decompressor *d)
{
	return raw_left(d) == 0 && !(d->in_frame && d->output_full);
}

/* Opening and closing */

static int make_decoder(struct decompressor *d)
{
	int log = 0;

	if (d->how == IOT_GZIP) {
		if (inflateInit2(&d->zlib, 15 + 16) != Z_OK)
			return fail_memory(d);
		d->zlib_made = true;
		return IOT_OK;
	}
	while ((UINT64_C(1) << log) < d->window_max)
		log++;
	d->zstd = ZSTD_createDCtx();
	if (!d->zstd)
		return fail_memory(d);
	if (ZSTD_isError(ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, log)))
		return error_set(d->error, IOT_EUSAGE, "%s: zstd refuses a window of %llu bytes",
				 d->name, (unsigned long long)d->window_max);
	return IOT_OK;
}

int decompress_open(struct decompressor *d, enum iot_compression how, const void *first,
		    size_t size, size_t capacity)
{
	d->how = how;
	d->raw = first;
	d->raw_end = size;
	d->raw_capacity = capacity;
	if (d->in->kind != BYTE_SOURCE_MEMORY) {
		d->raw_capacity = size + 2 * (d->in->read_size + HISTORY_SIZE);
		d->block = malloc(d->raw_capacity);
		if (!d->block)
			return fail_memory(d);
		memcpy(d->block, first, size);
		d->raw = d->block;
	}
	return make_decoder(d);
}

void decompress_close(struct decompressor *d)
{
	if (d->zlib_made)
		inflateEnd(&d->zlib);
	ZSTD_freeDCtx(d->zstd);
	free(d->block);
}

/* Resuming after damage */

/* Advances to the apparent beginning of a frame or member; returns false if none is left. */
static bool find_beginning(struct decompressor *d)
{
	const int first = d->how == IOT_GZIP ? 0x1f : 0x28;

	for (;;) {
		const unsigned char *p = d->raw + d->raw_pos;
		enum format_match match = FORMAT_MATCH_MAYBE;

		p = memchr(p, first, raw_left(d));
		d->raw_pos = p ? (size_t)(p - d->raw) : d->raw_end;
		d->frame_at = raw_offset(d);
		if (p)
			match = match_header(d, p, raw_left(d));
		if (match == FORMAT_MATCH_YES)
			return true;
		if (match == FORMAT_MATCH_MAYBE && refill(d))
			continue;
		if (!p)
			return false;
		d->raw_pos++;
	}
}

/*
 * The search starts after the beginning of the failed frame, because the decoder may have run past
 * the next one, up to the end of the input. Bytes that only look like beginnings could make that
 * expensive: once the limit is exceeded, the search starts at the decoder's position. Either way
 * each search starts after the point at which the previous one resumed, so the process terminates.
 */
static uint64_t search_from(struct decompressor *d)
{
	const uint64_t here = raw_offset(d);
	uint64_t from = d->frame_at + 1;

	d->wasted += here - d->frame_at + d->made;
	if (d->wasted > WASTE_FREE + WASTE_FACTOR * d->in->stored && here > from)
		from = here;
	return from > d->raw_at ? from : d->raw_at;
}

bool decompress_resync(struct decompressor *d)
{
	if (!d->damaged)
		return false;
	const uint64_t from = search_from(d);
	d->damaged = false;
	d->raw_pos = (size_t)(from - d->raw_at);
	d->ended = !find_beginning(d);
	if (d->ended)
		return false;
	d->in_frame = false;
	error_clear(d->error);
	return true;
}

void decompress_seek(struct decompressor *d, uint64_t at)
{
	const bool memory = d->in->kind == BYTE_SOURCE_MEMORY;
	d->raw_pos = d->raw_end = memory ? (size_t)at : 0;
	d->raw_at = memory ? 0 : at;
	d->frame_at = at;
	d->in_frame = d->output_full = d->ended = d->damaged = false;
}
