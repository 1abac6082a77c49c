/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decompressed bytes of one region. A region is a concatenation of compressed streams, one or
 * more per writing rank. The total decompressed size is not stored, so the region is read in
 * pieces.
 */
#include "darshan.h"

#include <stdlib.h>

enum { PIECE = 256 << 10, CAPACITY_MAX = 5 << 20 };

void darshan_region_open(struct darshan_region *r, struct bufreader *in, uint64_t size,
			 uint64_t *at, enum darshan_compression how)
{
	unsigned char *data = r->data;
	size_t capacity = r->capacity;
	*r = (struct darshan_region){.in = in,
				     .left = size,
				     .at = at,
				     .how = how,
				     .bytes = data,
				     .data = data,
				     .capacity = capacity};
}

void darshan_region_close(struct darshan_region *r)
{
	darshan_thread_end(r);
	if (r->made && r->how == DARSHAN_ZLIB)
		(void)inflateEnd(&r->zlib);
	if (r->made && r->how == DARSHAN_BZIP2)
		(void)BZ2_bzDecompressEnd(&r->bzip2);
	darshan_inflate_whole_free(&r->whole);
	r->made = false;
	r->ended = true;
}

static void fail(struct darshan_region *r, int status, const char *why)
{
	r->ended = true;
	r->status = status;
	r->why = why;
}

/* Peeks at the stored bytes of the region. Returns their number, 0 at the end. */
static size_t stored(struct darshan_region *r, const unsigned char **bytes)
{
	size_t have = 0;
	if (r->left == 0)
		return 0;
	*bytes = (const unsigned char *)bufreader_peek(r->in, 1, &have);
	if (have == 0 && bufreader_status(r->in) != IOT_OK)
		fail(r, bufreader_status(r->in), bufreader_error(r->in)->text);
	else if (have == 0)
		fail(r, IOT_ETRUNCATED, "the file ends inside of it");
	if (have > UINT32_MAX)
		have = UINT32_MAX;
	return have < r->left ? have : (size_t)r->left;
}

void darshan_consumed(struct darshan_region *r, size_t n)
{
	bufreader_consume(r->in, n);
	r->left -= n;
	*r->at += n;
}

static bool begin_zlib(struct darshan_region *r)
{
	int status = r->made ? inflateReset(&r->zlib) : inflateInit(&r->zlib);
	r->made = r->made || status == Z_OK;
	return status == Z_OK;
}

static size_t inflate_some(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	const unsigned char *bytes = NULL;
	size_t have = stored(r, &bytes);
	if (have == 0)
		return 0;
	if (!r->in_stream && !begin_zlib(r)) {
		fail(r, IOT_ENOMEM, "out of memory");
		return 0;
	}
	r->in_stream = true;
	r->zlib.next_in = (unsigned char *)(uintptr_t)bytes;
	r->zlib.avail_in = (uInt)have;
	r->zlib.next_out = out;
	r->zlib.avail_out = (uInt)capacity;
	int status = inflate(&r->zlib, Z_NO_FLUSH);
	darshan_consumed(r, have - r->zlib.avail_in);
	if (status == Z_STREAM_END)
		r->in_stream = false;
	else if (status != Z_OK && status != Z_BUF_ERROR)
		fail(r, status == Z_MEM_ERROR ? IOT_ENOMEM : IOT_EFORMAT,
		     r->zlib.msg != NULL ? r->zlib.msg : "damaged zlib data");
	return capacity - r->zlib.avail_out;
}

static bool begin_bzip2(struct darshan_region *r)
{
	if (r->made)
		(void)BZ2_bzDecompressEnd(&r->bzip2);
	r->bzip2 = (bz_stream){.next_in = NULL};
	r->made = BZ2_bzDecompressInit(&r->bzip2, 0, 0) == BZ_OK;
	return r->made;
}

static size_t bunzip2_some(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	const unsigned char *bytes = NULL;
	size_t have = stored(r, &bytes);
	if (have == 0)
		return 0;
	if (!r->in_stream && !begin_bzip2(r)) {
		fail(r, IOT_ENOMEM, "out of memory");
		return 0;
	}
	r->in_stream = true;
	r->bzip2.next_in = (char *)(uintptr_t)bytes;
	r->bzip2.avail_in = (unsigned)have;
	r->bzip2.next_out = (char *)out;
	r->bzip2.avail_out = (unsigned)capacity;
	int status = BZ2_bzDecompress(&r->bzip2);
	darshan_consumed(r, have - r->bzip2.avail_in);
	if (status == BZ_STREAM_END)
		r->in_stream = false;
	else if (status != BZ_OK)
		fail(r, status == BZ_MEM_ERROR ? IOT_ENOMEM : IOT_EFORMAT, "damaged bzip2 data");
	return capacity - r->bzip2.avail_out;
}

static size_t copy_some(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	const unsigned char *bytes = NULL;
	size_t have = stored(r, &bytes);
	if (have > capacity)
		have = capacity;
	if (have > 0)
		memcpy(out, bytes, have);
	darshan_consumed(r, have);
	return have;
}

/* zlib and bzip2 may still hold output after all input was consumed. */
static size_t last_of_zlib(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	r->zlib.avail_in = 0;
	r->zlib.next_out = out;
	r->zlib.avail_out = (uInt)capacity;
	int status = inflate(&r->zlib, Z_NO_FLUSH);
	if (status == Z_STREAM_END)
		r->in_stream = false;
	else if (status != Z_OK || r->zlib.avail_out == capacity)
		fail(r, IOT_EFORMAT, "its compressed data stops early");
	return capacity - r->zlib.avail_out;
}

static size_t last_of_bzip2(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	r->bzip2.avail_in = 0;
	r->bzip2.next_out = (char *)out;
	r->bzip2.avail_out = (unsigned)capacity;
	int status = BZ2_bzDecompress(&r->bzip2);
	if (status == BZ_STREAM_END)
		r->in_stream = false;
	else if (status != BZ_OK || r->bzip2.avail_out == capacity)
		fail(r, IOT_EFORMAT, "its compressed data stops early");
	return capacity - r->bzip2.avail_out;
}

size_t darshan_decompress(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	if (r->whole.pos < r->whole.end)
		return darshan_inflate_whole_take(&r->whole, out, capacity);
	if (r->left == 0 && !r->in_stream) {
		r->ended = true;
		return 0;
	}
	if (r->how == DARSHAN_UNPACKED)
		return copy_some(r, out, capacity);
	if (r->how == DARSHAN_BZIP2)
		return r->left > 0 ? bunzip2_some(r, out, capacity)
				   : last_of_bzip2(r, out, capacity);
	if (!r->in_stream && darshan_inflate_whole(r))
		return 0;
	return r->left > 0 ? inflate_some(r, out, capacity) : last_of_zlib(r, out, capacity);
}

/* Moves the unread bytes to the front of a buffer that can hold `want` bytes. */
static bool reserve_capacity(struct darshan_region *r, size_t want)
{
	const size_t left = r->end - r->pos,
		     capacity = want <= PIECE / 2 ? (size_t)PIECE : 2 * want;
	const bool own = r->bytes == r->data;
	if (capacity > r->capacity) {
		unsigned char *data =
		    capacity > CAPACITY_MAX * 2 ? NULL : realloc(r->data, capacity);
		if (data == NULL)
			return false;
		r->data = data;
		r->capacity = capacity;
	}
	if (left > 0 && (r->pos > 0 || !own))
		memmove(r->data, (own ? r->data : r->bytes) + r->pos, left);
	r->bytes = r->data;
	r->pos = 0;
	r->end = left;
	return true;
}

/* Exposes the rest of a one-shot stream in place, without copying. */
static bool lend(struct darshan_region *r)
{
	struct darshan_whole *w = &r->whole;
	if (w->pos == w->end || r->pos != r->end)
		return false;
	r->bytes = w->data;
	r->pos = w->pos;
	r->end = w->end;
	w->pos = w->end;
	return true;
}

unsigned char *darshan_ahead(struct darshan_region *r, size_t want, size_t *have)
{
	while (r->end - r->pos < want && !r->ended) {
		if (r->thread == NULL && lend(r))
			continue;
		if (!reserve_capacity(r, want))
			fail(r, IOT_ENOMEM, "out of memory");
		else if (r->thread != NULL)
			r->end += darshan_thread_take(r, r->data + r->end, r->capacity - r->end);
		else
			r->end += darshan_decompress(r, r->data + r->end, r->capacity - r->end);
	}
	*have = r->end - r->pos;
	return r->bytes + r->pos;
}
