/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream unpacked at once. libdeflate is twice as fast as zlib where all of a stream and all that
 * it holds fit into memory, and that is so where each rank wrote its own: DXT has 2 MiB in a process
 * by default. zlib has all others, and what is damaged, of which it shows the bytes before.
 */
#include "darshan.h"

#include <libdeflate.h>
#include <stdlib.h>

enum { PACKED_MOST = 2 << 20, UNPACKED_MOST = 4 << 20 };

static bool have_memory(struct darshan_whole *w)
{
	if (w->unpacker == NULL)
		w->unpacker = libdeflate_alloc_decompressor();
	if (w->data == NULL)
		w->data = malloc(UNPACKED_MOST);
	return w->unpacker != NULL && w->data != NULL;
}

bool iot_darshan_whole_stream(struct darshan_region *r)
{
	struct darshan_whole *w = &r->whole;
	size_t have = 0, packed = 0;
	if (w->fails || r->left == 0 || !have_memory(w))
		return false;
	const size_t want = r->left < PACKED_MOST ? (size_t)r->left : PACKED_MOST;
	const char *bytes = iot_window_ahead(r->in, want, &have);
	if (have > r->left)
		have = (size_t)r->left;
	/* One that does not fit is not the only one: nothing is gained by trying the next. */
	w->fails = libdeflate_zlib_decompress_ex(w->unpacker, bytes, have, w->data, UNPACKED_MOST,
						 &packed, &w->end) != LIBDEFLATE_SUCCESS;
	w->pos = 0;
	if (w->fails)
		w->end = 0;
	else
		iot_darshan_taken(r, packed);
	return !w->fails;
}

size_t iot_darshan_whole_take(struct darshan_whole *w, unsigned char *out, size_t room)
{
	size_t n = w->end - w->pos;
	if (n > room)
		n = room;
	if (n > 0)
		memcpy(out, w->data + w->pos, n);
	w->pos += n;
	return n;
}

void iot_darshan_whole_free(struct darshan_whole *w)
{
	libdeflate_free_decompressor(w->unpacker);
	free(w->data);
	*w = (struct darshan_whole){.end = 0};
}
