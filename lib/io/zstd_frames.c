/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame headers do not contain the compressed size, but every block header does, so a walk reads
 * three bytes per 128 KiB of text. Damage is skipped by searching for the next magic.
 */
#include "zstd_frames.h"

#include <stdlib.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_getFrameHeader */
#include <zstd.h>

#include "lib/base/array.h"
#include "lib/base/seek_table.h"

enum {
	SCAN_SIZE = 1 << 16,
	BLOCK_HEADER = 3,
	BLOCK_RLE = 1,
	BLOCK_RESERVED = 3,
	CHECKSUM_SIZE = 4,
	SKIPPABLE_HEADER = 8,
	MAGIC_SIZE = 4,
	/* blocks of failed frames, after which the search no longer goes back to their magics */
	WASTE_MAX = 1 << 18,
};

/* The offsets that are kept */

struct frame_walk {
	const struct stored_input *in;
	struct zstd_frames *to;
	size_t capacity, seen;
	size_t stride;       /* every stride-th frame is kept */
	uint64_t failed_at;  /* position of the last inconsistent block */
	size_t wasted;       /* blocks in failed frames */
	unsigned char *text; /* bytes of the file from text_at; NULL until the first search */
	uint64_t text_at;
	size_t text_size;
	int status;
};

static void thin_out(struct frame_walk *w)
{
	for (size_t i = 0; i < w->to->count / 2; i++)
		w->to->at[i] = w->to->at[2 * i];
	w->to->count /= 2;
	w->stride *= 2;
}

static void keep(struct frame_walk *w, uint64_t at)
{
	struct zstd_frames *to = w->to;
	if (w->seen++ % w->stride != 0)
		return;
	if (to->count == SEEK_POINTS_MAX) {
		thin_out(w);
		if ((w->seen - 1) % w->stride != 0)
			return;
	}
	if (array_reserve(&to->at, &w->capacity, to->count + 1, sizeof(*to->at)))
		to->at[to->count++] = at;
	else
		w->status = IOT_ENOMEM;
}

/* The walk */

static uint32_t little_endian(const unsigned char *p, unsigned bytes)
{
	uint32_t v = 0;
	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

/* Returns false at the end of the file or on a read error. */
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

static uint64_t failed(struct frame_walk *w, uint64_t at, size_t blocks)
{
	w->failed_at = at;
	w->wasted += blocks;
	return 0;
}

/* Returns the end of the frame whose blocks begin at `at`; 0 if they are inconsistent. */
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

/* Reads more of the file, from `at`; returns false if fewer bytes than a magic are left. */
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

/* Returns the position of the next magic at or after `at`; the end if none exists. */
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
 * Returns the start of the search after a failed frame, which may only look like one and contain
 * others. Many such frames would make the search expensive: then it starts where the blocks become
 * inconsistent.
 */
static uint64_t search_from(const struct frame_walk *w, uint64_t place)
{
	return w->wasted > WASTE_MAX && w->failed_at > place ? w->failed_at : place + 1;
}

int zstd_frames_walk(const struct stored_input *s, struct zstd_frames *frames)
{
	struct frame_walk w = {.in = s, .to = frames, .stride = 1};
	uint64_t place = 0;
	*frames = (struct zstd_frames){.at = NULL};
	while (place < s->size && w.status == IOT_OK) {
		const uint64_t next = after_frame(&w, place);
		if (next == 0 && w.status == IOT_OK)
			place = find_magic(&w, search_from(&w, place));
		else
			place = next;
	}
	free(w.text);
	return w.status;
}

/* The seek table */

static int read_all(const struct stored_input *s, uint64_t at, void *to, size_t n)
{
	const ssize_t got = stored_input_read(s, at, to, n);
	return got < 0 ? IOT_EIO : got == (ssize_t)n;
}

/* Returns 1 if s ends with a seek table; 0 if it does not; or a negative status. */
static int find_table(const struct stored_input *s, struct seek_table_layout *layout)
{
	unsigned char footer[SEEK_TABLE_FOOTER], header[SEEK_TABLE_HEADER];
	if (s->size < sizeof(footer))
		return 0;
	int status = read_all(s, s->size - sizeof(footer), footer, sizeof(footer));
	if (status != 1)
		return status;
	if (!seek_table_parse_footer(footer, layout))
		return 0;
	if (layout->size > s->size)
		return IOT_EFORMAT;
	status = read_all(s, s->size - layout->size, header, sizeof(header));
	return status != 1 || seek_table_is_header(header, layout) ? status : IOT_EFORMAT;
}

/* Keeps the frames of n entries; returns the end of the last one. */
static uint64_t keep_entries(struct frame_walk *w, const unsigned char *entries, size_t n,
			     size_t size, uint64_t place)
{
	for (size_t i = 0; i < n; i++) {
		keep(w, place);
		place += seek_table_packed_size(entries + i * size);
	}
	return place;
}

/* Returns 1, or IOT_EFORMAT if the sizes in the table do not add up to the bytes before it. */
static int read_entries(struct frame_walk *w, const struct seek_table_layout *layout)
{
	const struct stored_input *s = w->in;
	const uint64_t table = s->size - layout->size;
	const size_t batch = SCAN_SIZE / layout->entry;
	uint64_t place = 0, at = table + SEEK_TABLE_HEADER;
	size_t left = layout->frames, n;
	unsigned char *bytes = malloc(SCAN_SIZE);
	int status = bytes != NULL ? 1 : IOT_ENOMEM;
	for (; left > 0 && status == 1 && place <= table; left -= n) {
		n = left < batch ? left : batch;
		status = read_all(s, at, bytes, n * layout->entry);
		if (status == 1)
			place = keep_entries(w, bytes, n, layout->entry, place);
		at += n * layout->entry;
	}
	free(bytes);
	if (status != 1)
		return status == 0 ? IOT_EFORMAT : status;
	return w->status != IOT_OK ? w->status : place == table ? 1 : IOT_EFORMAT;
}

int zstd_frames_of_table(const struct stored_input *s, struct zstd_frames *frames)
{
	struct seek_table_layout layout;
	struct frame_walk w = {.in = s, .to = frames, .stride = 1};
	*frames = (struct zstd_frames){.at = NULL};
	int status = find_table(s, &layout);
	if (status == 1)
		status = read_entries(&w, &layout);
	if (status != 1)
		zstd_frames_free(frames);
	return status;
}

void zstd_frames_free(struct zstd_frames *frames)
{
	free(frames->at);
	*frames = (struct zstd_frames){.at = NULL};
}
