/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One-shot decompression. libdeflate is twice as fast as zlib if a stream and its decompressed
 * bytes fit in memory, as do the streams that each rank writes: DXT buffers 2 MiB per process by
 * default. zlib handles all other streams, and damaged ones, of which it delivers the bytes before
 * the damage.
 */
#include "darshan.h"

#include <libdeflate.h>
#include <stdlib.h>

enum { PACKED_MAX = 2 << 20, UNPACKED_MAX = 4 << 20 };

static bool have_memory(struct darshan_whole *w)
{
	if (w->unpacker == NULL)
		w->unpacker = libdeflate_alloc_decompressor();
	if (w->data == NULL)
		w->data = malloc(UNPACKED_MAX);
	return w->unpacker != NULL && w->data != NULL;
}

bool darshan_inflate_whole(struct darshan_region *r)
{
	struct darshan_whole *w = &r->whole;
	size_t have = 0, packed = 0;
	if (w->fails || r->left == 0 || !have_memory(w))
		return false;
	const size_t want = r->left < PACKED_MAX ? (size_t)r->left : PACKED_MAX;
	const char *bytes = bufreader_peek(r->in, want, &have);
	if (have > r->left)
		have = (size_t)r->left;
	/* If one stream is too large, others probably are, too: do not try the next one. */
	w->fails = libdeflate_zlib_decompress_ex(w->unpacker, bytes, have, w->data, UNPACKED_MAX,
						 &packed, &w->end) != LIBDEFLATE_SUCCESS;
	w->pos = 0;
	if (w->fails)
		w->end = 0;
	else
		darshan_consumed(r, packed);
	return !w->fails;
}

size_t darshan_inflate_whole_take(struct darshan_whole *w, unsigned char *out, size_t capacity)
{
	size_t n = w->end - w->pos;
	if (n > capacity)
		n = capacity;
	if (n > 0)
		memcpy(out, w->data + w->pos, n);
	w->pos += n;
	return n;
}

void darshan_inflate_whole_free(struct darshan_whole *w)
{
	libdeflate_free_decompressor(w->unpacker);
	free(w->data);
	*w = (struct darshan_whole){.end = 0};
}
