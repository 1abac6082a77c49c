/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the zstd frames of a file begin. Their headers do not tell how long they are, but every block in them does, so
 * a walk reads three bytes of each 128 KiB of text. What is damaged is stepped over by looking for the next magic.
 */
#include <stdlib.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_getFrameHeader */
#include <zstd.h>

#include "lib/base/fdio.h"
#include "seek_points.h"
#include "lib/base/array.h"

enum {
	BLOCK_HEADER = 3,
	BLOCK_RLE = 1,
	BLOCK_RESERVED = 3,
	CHECKSUM_SIZE = 4,
	SKIPPABLE_HEADER = 8,
	SCAN_SIZE = 1 << 16,
	MAGIC_SIZE = 4,
	WASTE_MAX =
	    1 << 18, /* blocks of frames that failed, before going back behind their magics ends */
};

struct frame_walk {
	const struct stored_input *in;
	uint64_t *at;
	size_t count, capacity, seen;
	size_t stride;       /* every so many frames are kept */
	uint64_t failed_at;  /* where blocks did not hold together */
	size_t wasted;       /* blocks of frames that failed */
	unsigned char *text; /* of the file, from text_at; NULL: nothing has been sought yet */
	uint64_t text_at;
	size_t text_size;
	int status;
};

static uint32_t little_endian(const unsigned char *p, unsigned bytes)
{
	uint32_t v = 0;
	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

/* False: at the end of the file, or it cannot be read. */
static bool get(struct frame_walk *w, uint64_t at, void *to, size_t n)
{
	if (w->text != NULL && at >= w->text_at && at + n <= w->text_at + w->text_size) {
		memcpy(to, w->text + (at - w->text_at), n);
		return true;
	}
	ssize_t got = stored_input_read(w->in, at, to, n);
	if (got < 0)
		w->status = IOT_EIO;
	return got == (ssize_t)n;
}

static void thin_out(struct frame_walk *w)
{
	for (size_t i = 0; i < w->count / 2; i++)
		w->at[i] = w->at[2 * i];
	w->count /= 2;
	w->stride *= 2;
}

static void keep(struct frame_walk *w, uint64_t at)
{
	if (w->seen++ % w->stride != 0)
		return;
	if (w->count == SEEK_POINTS_MAX) {
		thin_out(w);
		if ((w->seen - 1) % w->stride != 0)
			return;
	}
	if (array_reserve(&w->at, &w->capacity, w->count + 1, sizeof(*w->at)))
		w->at[w->count++] = at;
	else
		w->status = IOT_ENOMEM;
}

static uint64_t failed(struct frame_walk *w, uint64_t at, size_t blocks)
{
	w->failed_at = at;
	w->wasted += blocks;
	return 0;
}

/* The place behind the frame whose blocks begin at `at`; 0: they do not hold together. */
static uint64_t after_blocks(struct frame_walk *w, uint64_t at, bool checksum)
{
	unsigned char header[BLOCK_HEADER];
	for (size_t blocks = 1;; blocks++) {
		if (!get(w, at, header, sizeof(header)))
			return failed(w, at, blocks);
		const uint32_t block = little_endian(header, BLOCK_HEADER);
		const uint32_t type = block >> 1 & 3, size = block >> 3;
		if (type == BLOCK_RESERVED || size > ZSTD_BLOCKSIZE_MAX)
			return failed(w, at, blocks);
		at += BLOCK_HEADER + (type == BLOCK_RLE ? 1 : size);
		if (block & 1)
			return at + (checksum ? CHECKSUM_SIZE : 0);
	}
}

/* The same for the frame that begins at `at`, which is kept. */
static uint64_t after_frame(struct frame_walk *w, uint64_t at)
{
	unsigned char head[ZSTD_FRAMEHEADERSIZE_MAX];
	ZSTD_frameHeader header;
	ssize_t got = sizeof(head);
	if (!get(w, at, head, sizeof(head)))
		got = stored_input_read(w->in, at, head, sizeof(head));
	if (got < 0)
		w->status = IOT_EIO;
	if (got >= SKIPPABLE_HEADER &&
	    (little_endian(head, 4) & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START)
		return at + SKIPPABLE_HEADER + little_endian(head + 4, 4);
	if (got < MAGIC_SIZE || little_endian(head, 4) != ZSTD_MAGICNUMBER ||
	    ZSTD_getFrameHeader(&header, head, (size_t)got) != 0)
		return 0;
	keep(w, at);
	return after_blocks(w, at + header.headerSize, header.checksumFlag != 0);
}

/* More of the file, from `at`; false: there is too little. */
static bool look_at(struct frame_walk *w, uint64_t at)
{
	if (w->text == NULL)
		w->text = malloc(SCAN_SIZE);
	if (w->text == NULL)
		w->status = IOT_ENOMEM;
	const ssize_t got = w->text != NULL ? stored_input_read(w->in, at, w->text, SCAN_SIZE) : 0;
	if (got < 0)
		w->status = IOT_EIO;
	w->text_at = at;
	w->text_size = got > 0 ? (size_t)got : 0;
	return w->text_size >= MAGIC_SIZE;
}

/* The next magic at or behind `at`; the end if there is none. */
static uint64_t find_magic(struct frame_walk *w, uint64_t at)
{
	for (;;) {
		const uint64_t end = w->text_at + w->text_size;
		const bool here = at >= w->text_at && at + MAGIC_SIZE <= end;
		if (!here && !look_at(w, at))
			return w->in->size;
		const size_t from = (size_t)(at - w->text_at);
		const unsigned char *p =
		    memmem(w->text + from, w->text_size - from, "\x28\xb5\x2f\xfd", MAGIC_SIZE);
		if (p != NULL)
			return w->text_at + (uint64_t)(p - w->text);
		at = w->text_at + w->text_size - (MAGIC_SIZE - 1);
	}
}

/*
 * Behind a frame that failed: what looks like one may have covered others. Made to do so again and
 * again that would cost much: then the search goes on where the blocks end to hold together.
 */
static uint64_t search_from(const struct frame_walk *w, uint64_t place)
{
	return w->wasted > WASTE_MAX && w->failed_at > place ? w->failed_at : place + 1;
}

int zstd_frames_walk(const struct stored_input *s, uint64_t **at, size_t *count)
{
	struct frame_walk w = {.in = s, .stride = 1};
	uint64_t place = 0;
	while (place < s->size && w.status == IOT_OK) {
		const uint64_t next = after_frame(&w, place);
		if (next == 0 && w.status == IOT_OK)
			place = find_magic(&w, search_from(&w, place));
		else
			place = next;
	}
	free(w.text);
	*at = w.at;
	*count = w.count;
	return w.status;
}
