/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decompressed bytes of one region. A region is a concatenation of compressed streams, one or
 * more per writing rank. The total decompressed size is not stored, so the region is read in
 * pieces.
 */
#include "darshan.h"

#include <libdeflate.h>
#include <stdlib.h>

enum {
	BUFFER_SIZE = 256 << 10,
	PEEK_MAX = 5 << 20,
	ONE_SHOT_MAX = 2 << 20, /* stored bytes of a stream decompressed in one shot */
	ONE_SHOT_CAPACITY = 4 << 20,
};

static void end_early(struct darshan_region *r, int status, const char *why)
{
	r->end = (struct darshan_end){.ended = true, .status = status, .why = why};
}

/* Stored bytes */

/* Peeks at the stored bytes of the region. Returns their number, 0 at the end. */
static size_t stored(struct darshan_region *r, const unsigned char **bytes)
{
	size_t have = 0;
	if (r->left == 0)
		return 0;
	*bytes = (const unsigned char *)bufreader_peek(r->in, 1, &have);
	if (have == 0 && bufreader_status(r->in) != IOT_OK)
		end_early(r, bufreader_status(r->in), bufreader_error(r->in)->text);
	else if (have == 0)
		end_early(r, IOT_ETRUNCATED, "the file ends inside it");
	if (have > UINT32_MAX)
		have = UINT32_MAX;
	return have < r->left ? have : (size_t)r->left;
}

static void consume_stored(struct darshan_region *r, size_t n)
{
	assert(n <= r->left);
	bufreader_consume(r->in, n);
	r->left -= n;
	*r->offset += n;
}

/* Decompression */

enum decompression { GOING_ON, STREAM_END, OUT_OF_MEMORY, DAMAGED };

static bool begin_stream(struct darshan_region *r)
{
	const bool again = r->made;
	if (r->compression == DARSHAN_ZLIB) {
		r->in_stream = (again ? inflateReset(&r->zlib) : inflateInit(&r->zlib)) == Z_OK;
		r->made = again || r->in_stream;
		return r->in_stream;
	}
	if (again)
		(void)BZ2_bzDecompressEnd(&r->bzip2);
	r->bzip2 = (bz_stream){.next_in = NULL};
	r->made = r->in_stream = BZ2_bzDecompressInit(&r->bzip2, 0, 0) == BZ_OK;
	return r->made;
}

/* Decompresses bytes[0..*have) to out[0..*capacity); subtracts what it consumed and produced. */
static enum decompression run_zlib(z_stream *z, const unsigned char *bytes, size_t *have,
				   unsigned char *out, size_t *capacity)
{
	z->next_in = (unsigned char *)(uintptr_t)bytes;
	z->avail_in = (uInt)*have;
	z->next_out = out;
	z->avail_out = (uInt)*capacity;
	const int status = inflate(z, Z_NO_FLUSH);
	*have = z->avail_in;
	*capacity = z->avail_out;
	if (status == Z_OK || status == Z_BUF_ERROR)
		return GOING_ON;
	return status == Z_STREAM_END  ? STREAM_END
	       : status == Z_MEM_ERROR ? OUT_OF_MEMORY
				       : DAMAGED;
}

static enum decompression run_bzip2(bz_stream *z, const unsigned char *bytes, size_t *have,
				    unsigned char *out, size_t *capacity)
{
	z->next_in = (char *)(uintptr_t)bytes;
	z->avail_in = (unsigned)*have;
	z->next_out = (char *)out;
	z->avail_out = (unsigned)*capacity;
	const int status = BZ2_bzDecompress(z);
	*have = z->avail_in;
	*capacity = z->avail_out;
	if (status == BZ_OK)
		return GOING_ON;
	return status == BZ_STREAM_END  ? STREAM_END
	       : status == BZ_MEM_ERROR ? OUT_OF_MEMORY
					: DAMAGED;
}

/* Decompressors may still hold output after all input was consumed. */
static size_t decompress_some(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	const bool zlib = r->compression == DARSHAN_ZLIB, input = r->left > 0;
	const unsigned char *bytes = NULL;
	const size_t have = stored(r, &bytes);
	if (input && have == 0)
		return 0;
	if (!r->in_stream && !begin_stream(r)) {
		end_early(r, IOT_ENOMEM, "out of memory");
		return 0;
	}
	size_t unread = have, unused = capacity;
	const enum decompression outcome = zlib
					       ? run_zlib(&r->zlib, bytes, &unread, out, &unused)
					       : run_bzip2(&r->bzip2, bytes, &unread, out, &unused);
	consume_stored(r, have - unread);
	r->in_stream = outcome != STREAM_END;
	if (!input && (outcome > STREAM_END || (outcome == GOING_ON && unused == capacity)))
		end_early(r, IOT_EFORMAT, "its compressed data stops early");
	else if (outcome > STREAM_END)
		end_early(r, outcome == OUT_OF_MEMORY ? IOT_ENOMEM : IOT_EFORMAT,
			  !zlib                 ? "damaged bzip2 data"
			  : r->zlib.msg != NULL ? r->zlib.msg
						: "damaged zlib data");
	return capacity - unused;
}

static size_t copy_some(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	const unsigned char *bytes = NULL;
	size_t have = stored(r, &bytes);
	if (have > capacity)
		have = capacity;
	if (have > 0)
		memcpy(out, bytes, have);
	consume_stored(r, have);
	return have;
}

/*
 * Decompresses the next stream in one shot if it is zlib, small enough and undamaged. libdeflate is
 * twice as fast as zlib if a stream and its decompressed bytes fit in memory, as do the streams
 * that each rank writes: DXT buffers 2 MiB per process by default. zlib handles all other streams,
 * and damaged ones, of which it delivers the bytes before the damage.
 */
static bool inflate_one_shot(struct darshan_region *r)
{
	struct darshan_inflated *i = &r->inflated;
	size_t have = 0, used = 0;
	if (r->compression != DARSHAN_ZLIB || r->in_stream || i->fails || r->left == 0)
		return false;
	if (i->decompressor == NULL)
		i->decompressor = libdeflate_alloc_decompressor();
	if (i->data == NULL)
		i->data = malloc(ONE_SHOT_CAPACITY);
	if (i->decompressor == NULL || i->data == NULL)
		return false;
	const char *bytes =
	    bufreader_peek(r->in, r->left < ONE_SHOT_MAX ? (size_t)r->left : ONE_SHOT_MAX, &have);
	if (have > r->left)
		have = (size_t)r->left;
	i->pos = i->size = 0;
	/* If one stream is too large, others probably are, too: do not try the next one. */
	i->fails =
	    libdeflate_zlib_decompress_ex(i->decompressor, bytes, have, i->data, ONE_SHOT_CAPACITY,
					  &used, &i->size) != LIBDEFLATE_SUCCESS;
	if (i->fails)
		i->size = 0;
	else
		consume_stored(r, used);
	return !i->fails;
}

/* Decompresses the next bytes to out. Returning 0 does not mean the end. */
static size_t decompress(struct darshan_region *r, unsigned char *out, size_t capacity)
{
	struct darshan_inflated *i = &r->inflated;
	if (i->pos < i->size) {
		const size_t left = i->size - i->pos, n = left < capacity ? left : capacity;
		memcpy(out, i->data + i->pos, n);
		i->pos += n;
		return n;
	}
	if (r->left == 0 && !r->in_stream) {
		r->end.ended = true;
		return 0;
	}
	if (r->compression == DARSHAN_UNCOMPRESSED)
		return copy_some(r, out, capacity);
	return inflate_one_shot(r) ? 0 : decompress_some(r, out, capacity);
}

/* The region */

void darshan_region_open(struct darshan_region *r, struct bufreader *in, uint64_t size,
			 uint64_t *offset, enum darshan_compression compression)
{
	*r = (struct darshan_region){.in = in,
				     .left = size,
				     .offset = offset,
				     .compression = compression,
				     .bytes = r->data,
				     .data = r->data,
				     .capacity = r->capacity};
}

void darshan_region_close(struct darshan_region *r)
{
	if (r->made && r->compression == DARSHAN_ZLIB)
		(void)inflateEnd(&r->zlib);
	if (r->made && r->compression == DARSHAN_BZIP2)
		(void)BZ2_bzDecompressEnd(&r->bzip2);
	libdeflate_free_decompressor(r->inflated.decompressor);
	free(r->inflated.data);
	r->made = false;
	r->inflated = (struct darshan_inflated){.size = 0};
	r->end.ended = true;
}

/* Moves the unread bytes to the front of a buffer that can hold `want` bytes. */
static bool reserve(struct darshan_region *r, size_t want)
{
	const size_t left = r->size - r->pos;
	const size_t capacity = want <= BUFFER_SIZE / 2 ? (size_t)BUFFER_SIZE : 2 * want;
	const bool own = r->bytes == r->data;
	if (capacity > r->capacity) {
		unsigned char *data =
		    capacity > 2 * (size_t)PEEK_MAX ? NULL : realloc(r->data, capacity);
		if (data == NULL)
			return false;
		r->data = data;
		r->capacity = capacity;
	}
	if (left > 0 && (r->pos > 0 || !own))
		memmove(r->data, (own ? r->data : r->bytes) + r->pos, left);
	r->bytes = r->data;
	r->pos = 0;
	r->size = left;
	return true;
}

/* Exposes the rest of a stream that was decompressed in one shot in place, without copying. */
static bool expose(struct darshan_region *r)
{
	struct darshan_inflated *i = &r->inflated;
	if (i->pos == i->size || r->pos != r->size)
		return false;
	r->bytes = i->data;
	r->pos = i->pos;
	r->size = i->pos = i->size;
	return true;
}

unsigned char *darshan_region_peek(struct darshan_region *r, size_t want, size_t *have)
{
	while (r->size - r->pos < want && !r->end.ended) {
		if (expose(r))
			continue;
		if (!reserve(r, want)) {
			end_early(r, IOT_ENOMEM, "out of memory");
			break;
		}
		r->size += decompress(r, r->data + r->size, r->capacity - r->size);
	}
	*have = r->size - r->pos;
	return r->bytes + r->pos;
}
