/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decompressed bytes of one region. A region is a concatenation of compressed streams, one or
 * more per writing rank. The total decompressed size is not stored, so the region is read in
 * pieces.
 */
#include "darshan.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "lib/base/prefetch.h"
#include "lib/base/thread.h"

enum {
	BUFFER_SIZE = 256 << 10,
	PEEK_MAX = 5 << 20,
	BUFFERS = 4,            /* decompressed ahead */
	PREFETCH_MIN = 1 << 20, /* stored bytes that are worth a thread */
	ONE_SHOT_MAX = 2 << 20, /* stored bytes of a stream decompressed in one shot */
	ONE_SHOT_CAPACITY = 4 << 20,
};

static void end_early(struct darshan_end *end, int status, const char *why)
{
	*end = (struct darshan_end){.ended = true, .status = status, .why = why};
}

/* Stored bytes */

/* Peeks at the stored bytes of the region. Returns their number, 0 at the end. */
static size_t stored(struct darshan_streams *s, const unsigned char **bytes)
{
	size_t have = 0;
	if (s->left == 0)
		return 0;
	*bytes = (const unsigned char *)bufreader_peek(s->in, 1, &have);
	if (have == 0 && bufreader_status(s->in) != IOT_OK)
		end_early(&s->end, bufreader_status(s->in), bufreader_error(s->in)->text);
	else if (have == 0)
		end_early(&s->end, IOT_ETRUNCATED, "the file ends inside of it");
	if (have > UINT32_MAX)
		have = UINT32_MAX;
	return have < s->left ? have : (size_t)s->left;
}

static void consume_stored(struct darshan_streams *s, size_t n)
{
	assert(n <= s->left);
	bufreader_consume(s->in, n);
	s->left -= n;
	*s->offset += n;
}

/* Decompression */

enum decompression { GOING_ON, STREAM_END, OUT_OF_MEMORY, DAMAGED };

static bool begin_stream(struct darshan_streams *s)
{
	const bool again = s->made;
	if (s->compression == DARSHAN_ZLIB) {
		s->in_stream = (again ? inflateReset(&s->zlib) : inflateInit(&s->zlib)) == Z_OK;
		s->made = again || s->in_stream;
		return s->in_stream;
	}
	if (again)
		(void)BZ2_bzDecompressEnd(&s->bzip2);
	s->bzip2 = (bz_stream){.next_in = NULL};
	s->made = s->in_stream = BZ2_bzDecompressInit(&s->bzip2, 0, 0) == BZ_OK;
	return s->made;
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
static size_t decompress_some(struct darshan_streams *s, unsigned char *out, size_t capacity)
{
	const bool zlib = s->compression == DARSHAN_ZLIB, input = s->left > 0;
	const unsigned char *bytes = NULL;
	const size_t have = stored(s, &bytes);
	if (input && have == 0)
		return 0;
	if (!s->in_stream && !begin_stream(s)) {
		end_early(&s->end, IOT_ENOMEM, "out of memory");
		return 0;
	}
	size_t unread = have, unused = capacity;
	const enum decompression outcome = zlib
					       ? run_zlib(&s->zlib, bytes, &unread, out, &unused)
					       : run_bzip2(&s->bzip2, bytes, &unread, out, &unused);
	consume_stored(s, have - unread);
	s->in_stream = outcome != STREAM_END;
	if (!input && (outcome > STREAM_END || (outcome == GOING_ON && unused == capacity)))
		end_early(&s->end, IOT_EFORMAT, "its compressed data stops early");
	else if (outcome > STREAM_END)
		end_early(&s->end, outcome == OUT_OF_MEMORY ? IOT_ENOMEM : IOT_EFORMAT,
			  !zlib                 ? "damaged bzip2 data"
			  : s->zlib.msg != NULL ? s->zlib.msg
						: "damaged zlib data");
	return capacity - unused;
}

static size_t copy_some(struct darshan_streams *s, unsigned char *out, size_t capacity)
{
	const unsigned char *bytes = NULL;
	size_t have = stored(s, &bytes);
	if (have > capacity)
		have = capacity;
	if (have > 0)
		memcpy(out, bytes, have);
	consume_stored(s, have);
	return have;
}

/*
 * Decompresses the next stream in one shot if it is zlib, small enough and undamaged. libdeflate is
 * twice as fast as zlib if a stream and its decompressed bytes fit in memory, as do the streams
 * that each rank writes: DXT buffers 2 MiB per process by default. zlib handles all other streams,
 * and damaged ones, of which it delivers the bytes before the damage.
 */
static bool inflate_one_shot(struct darshan_streams *s)
{
	struct darshan_inflated *i = &s->inflated;
	size_t have = 0, used = 0;
	if (s->compression != DARSHAN_ZLIB || s->in_stream || i->fails || s->left == 0)
		return false;
	if (i->decompressor == NULL)
		i->decompressor = libdeflate_alloc_decompressor();
	if (i->data == NULL)
		i->data = malloc(ONE_SHOT_CAPACITY);
	if (i->decompressor == NULL || i->data == NULL)
		return false;
	const char *bytes =
	    bufreader_peek(s->in, s->left < ONE_SHOT_MAX ? (size_t)s->left : ONE_SHOT_MAX, &have);
	if (have > s->left)
		have = (size_t)s->left;
	i->pos = i->size = 0;
	/* If one stream is too large, others probably are, too: do not try the next one. */
	i->fails =
	    libdeflate_zlib_decompress_ex(i->decompressor, bytes, have, i->data, ONE_SHOT_CAPACITY,
					  &used, &i->size) != LIBDEFLATE_SUCCESS;
	if (i->fails)
		i->size = 0;
	else
		consume_stored(s, used);
	return !i->fails;
}

/* Decompresses the next bytes to out. Returning 0 does not mean the end. */
static size_t decompress(struct darshan_streams *s, unsigned char *out, size_t capacity)
{
	struct darshan_inflated *i = &s->inflated;
	if (i->pos < i->size) {
		const size_t left = i->size - i->pos, n = left < capacity ? left : capacity;
		memcpy(out, i->data + i->pos, n);
		i->pos += n;
		return n;
	}
	if (s->left == 0 && !s->in_stream) {
		s->end.ended = true;
		return 0;
	}
	if (s->compression == DARSHAN_UNCOMPRESSED)
		return copy_some(s, out, capacity);
	return inflate_one_shot(s) ? 0 : decompress_some(s, out, capacity);
}

static void streams_close(struct darshan_streams *s)
{
	if (s->made && s->compression == DARSHAN_ZLIB)
		(void)inflateEnd(&s->zlib);
	if (s->made && s->compression == DARSHAN_BZIP2)
		(void)BZ2_bzDecompressEnd(&s->bzip2);
	libdeflate_free_decompressor(s->inflated.decompressor);
	free(s->inflated.data);
	s->made = false;
	s->inflated = (struct darshan_inflated){.size = 0};
}

/* Prefetch: a thread decompresses into buffers while the caller makes records of them. */

struct darshan_prefetch {
	struct darshan_streams *streams; /* owned by the thread until the ring is freed or ends */
	struct prefetch *ring;
	size_t slot, pos, size; /* of the buffer being read */
	unsigned char data[BUFFERS][BUFFER_SIZE];
};

static ssize_t fill_buffer(void *context, size_t slot)
{
	struct darshan_prefetch *p = context;
	size_t n = 0;
	while (n < BUFFER_SIZE && !p->streams->end.ended)
		n += decompress(p->streams, p->data[slot] + n, BUFFER_SIZE - n);
	return (ssize_t)n;
}

/* Without memory for it, the caller decompresses itself. */
static void prefetch_start(struct darshan_region *r)
{
	struct darshan_prefetch *p = malloc(sizeof *p);
	if (p == NULL)
		return;
	p->streams = &r->streams;
	p->pos = p->size = 0;
	p->ring = prefetch_new(fill_buffer, p, BUFFERS, true);
	if (p->ring != NULL)
		r->prefetch = p;
	else
		free(p);
}

static void prefetch_stop(struct darshan_region *r)
{
	if (r->prefetch != NULL)
		prefetch_free(r->prefetch->ring);
	free(r->prefetch);
	r->prefetch = NULL;
}

/* Reads bytes that the thread has decompressed. Returns 0 at the end. */
static size_t prefetch_read(struct darshan_prefetch *p, unsigned char *out, size_t capacity)
{
	if (p->pos == p->size) {
		p->pos = 0;
		p->size = (size_t)prefetch_next(p->ring, &p->slot);
	}
	const size_t left = p->size - p->pos, n = left < capacity ? left : capacity;
	memcpy(out, p->data[p->slot] + p->pos, n);
	p->pos += n;
	return n;
}

/* The region */

void darshan_region_open(struct darshan_region *r, struct bufreader *in, uint64_t size,
			 uint64_t *offset, enum darshan_compression compression, bool prefetch)
{
	unsigned char *data = r->data;
	*r = (struct darshan_region){
	    .streams = {.in = in, .left = size, .offset = offset, .compression = compression},
	    .bytes = data,
	    .data = data,
	    .capacity = r->capacity};
	if (prefetch && compression != DARSHAN_UNCOMPRESSED && size >= PREFETCH_MIN &&
	    cpu_count() > 1)
		prefetch_start(r);
}

void darshan_region_close(struct darshan_region *r)
{
	prefetch_stop(r);
	streams_close(&r->streams);
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
	struct darshan_inflated *i = &r->streams.inflated;
	if (r->prefetch != NULL || i->pos == i->size || r->pos != r->size)
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
			end_early(&r->end, IOT_ENOMEM, "out of memory");
			break;
		}
		const size_t capacity = r->capacity - r->size;
		const size_t n = r->prefetch == NULL
				     ? decompress(&r->streams, r->data + r->size, capacity)
				     : prefetch_read(r->prefetch, r->data + r->size, capacity);
		r->size += n;
		if (r->prefetch == NULL || n == 0)
			r->end = r->streams.end;
	}
	*have = r->size - r->pos;
	return r->bytes + r->pos;
}
