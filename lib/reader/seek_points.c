/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds seek points by examining the first bytes of candidates, and searches for the requested one.
 *
 * Candidates in .zst are the frames. Their headers do not contain the compressed size, but every
 * block header does, so a walk reads three bytes per 128 KiB of text. Damage is skipped by
 * searching for the next magic.
 */
#include "seek_points.h"

#include <stdlib.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_getFrameHeader */
#include <zlib.h>
#include <zstd.h>

#include "lib/base/array.h"

enum {
	SCAN_SIZE = 1 << 16,
	LINE_CAPACITY = 256, /* a %sync as writers produce it is shorter */
	PACKED_CAPACITY = ZSTD_BLOCKSIZE_MAX + (1 << 10), /* a frame's header and first block */

	BLOCK_HEADER = 3,
	BLOCK_RLE = 1,
	BLOCK_RESERVED = 3,
	CHECKSUM_SIZE = 4,
	SKIPPABLE_HEADER = 8,
	MAGIC_SIZE = 4,
	/* blocks of failed frames, after which the search no longer goes back to their magics */
	WASTE_MAX = 1 << 18,
};

/* The frames of a file */

static const uint64_t WINDOW_DEFAULT = (uint64_t)1 << 27;

struct frame_walk {
	const struct stored_input *in;
	uint64_t *at;
	size_t count, capacity, seen;
	size_t stride;       /* every stride-th frame is kept */
	uint64_t failed_at;  /* position of the last inconsistent block */
	size_t wasted;       /* blocks in failed frames */
	unsigned char *text; /* bytes of the file from text_at; NULL until the first search */
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

/* Seek points */

struct seek_points {
	struct stored_input in;
	enum iot_compression how;
	unsigned base;
	uint64_t *at; /* zstd: offsets of frames */
	size_t count;
	bool walked;
	ZSTD_DCtx *zstd;
	char *scan, *packed;
};

struct seek_points *seek_points_new(const struct stored_input *s, enum iot_compression how,
				    unsigned base, uint64_t window_max)
{
	struct seek_points *points = calloc(1, sizeof(*points));
	int log = ZSTD_WINDOWLOG_MIN;
	if (points == NULL)
		return NULL;
	points->in = *s;
	points->how = how;
	points->base = base;
	points->scan = malloc(SCAN_SIZE);
	points->packed = malloc(PACKED_CAPACITY);
	if (window_max == 0)
		window_max = WINDOW_DEFAULT;
	while (log < ZSTD_WINDOWLOG_MAX && (UINT64_C(2) << log) <= window_max)
		log++;
	if (how == IOT_ZSTD)
		points->zstd = ZSTD_createDCtx();
	if (points->scan == NULL || points->packed == NULL ||
	    (how == IOT_ZSTD && points->zstd == NULL)) {
		seek_points_free(points);
		return NULL;
	}
	if (points->zstd != NULL)
		(void)ZSTD_DCtx_setParameter(points->zstd, ZSTD_d_windowLogMax, log);
	return points;
}

void seek_points_free(struct seek_points *points)
{
	if (points == NULL)
		return;
	ZSTD_freeDCtx(points->zstd);
	free(points->at);
	free(points->scan);
	free(points->packed);
	free(points);
}

/* First bytes */

/* Returns whether text begins with the line of a %sync. */
static bool is_sync(const struct seek_points *points, const char *text, size_t size,
		    struct sync_directive *sync)
{
	if (size == 0 || memchr(text, '\n', size) == NULL)
		return false;
	const struct text_line l = text_line_classify(text, text + size);
	return l.kind == TEXT_LINE_COMMENT && l.base == points->base &&
	       directive_framing(l.text) == FRAMING_SYNC &&
	       framing_parse_sync(l.text, sync) == NULL;
}

static size_t unpack_zstd(struct seek_points *points, size_t size, char *line)
{
	ZSTD_inBuffer in = {points->packed, size, 0};
	ZSTD_outBuffer out = {line, LINE_CAPACITY, 0};
	ZSTD_DCtx_reset(points->zstd, ZSTD_reset_session_only);
	while (out.pos < out.size) {
		const size_t in_before = in.pos, out_before = out.pos;
		const size_t rc = ZSTD_decompressStream(points->zstd, &out, &in);
		if (ZSTD_isError(rc) || rc == 0 || (in.pos == in_before && out.pos == out_before))
			break;
	}
	return out.pos;
}

static size_t unpack_gzip(struct seek_points *points, size_t size, char *line)
{
	z_stream z = {.next_in = (Bytef *)points->packed,
		      .avail_in = (uInt)size,
		      .next_out = (Bytef *)line,
		      .avail_out = LINE_CAPACITY};
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return 0;
	(void)inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return LINE_CAPACITY - z.avail_out;
}

/* Returns the size of a zstd frame's header and first block. */
static size_t first_block(const struct seek_points *points, uint64_t at)
{
	unsigned char head[ZSTD_FRAMEHEADERSIZE_MAX + 3];
	ZSTD_frameHeader header;
	const ssize_t got = stored_input_read(&points->in, at, head, sizeof(head));
	if (got <= 0 || ZSTD_getFrameHeader(&header, head, (size_t)got) != 0 ||
	    header.headerSize + 3 > (size_t)got)
		return 0;
	const unsigned char *b = head + header.headerSize;
	const size_t size = (b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16) >> 3;
	return header.headerSize + 3 + (size <= ZSTD_BLOCKSIZE_MAX ? size : 0);
}

/* Returns 1 for a seek point; 0 if it is none; or a negative status. */
static int look_packed(struct seek_points *points, uint64_t at, struct seek_point *entry)
{
	char line[LINE_CAPACITY];
	const size_t wanted =
	    points->how == IOT_ZSTD ? first_block(points, at) : PACKED_CAPACITY / 8;
	const ssize_t got = stored_input_read(&points->in, at, points->packed, wanted);
	if (got < 0)
		return IOT_EIO;
	const size_t size = points->how == IOT_ZSTD ? unpack_zstd(points, (size_t)got, line)
						    : unpack_gzip(points, (size_t)got, line);
	entry->at = at;
	return is_sync(points, line, size, &entry->sync);
}

static int look_plain(struct seek_points *points, uint64_t at, struct seek_point *entry)
{
	char line[LINE_CAPACITY];
	const ssize_t got = stored_input_read(&points->in, at, line, sizeof(line));
	entry->at = at;
	return got < 0 ? IOT_EIO : is_sync(points, line, (size_t)got, &entry->sync);
}

/* Candidates */

static int next_frame(struct seek_points *points, uint64_t from, uint64_t limit,
		      struct seek_point *entry)
{
	if (!points->walked) {
		const int status = zstd_frames_walk(&points->in, &points->at, &points->count);
		if (status != IOT_OK)
			return status;
		points->walked = true;
	}
	size_t low = 0, high = points->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (points->at[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < points->count && points->at[low] < limit; low++) {
		const int found = look_packed(points, points->at[low], entry);
		if (found != 0)
			return found;
	}
	return 0;
}

/* Returns the position of a candidate in text[from .. size), or `size`. */
static size_t candidate(const struct seek_points *points, size_t from, size_t size, size_t *keep)
{
	static const char member[] = "\x1f\x8b\x08", sync[] = "\nff %sync ",
			  decimal_sync[] = "\n255 %sync ";
	const char *wanted = points->how == IOT_GZIP ? member
			     : points->base == 16    ? sync
						     : decimal_sync;
	const size_t n = strlen(wanted);
	const char *p = memmem(points->scan + from, size - from, wanted, n);
	*keep = n - 1;
	if (p == NULL)
		return size;
	return (size_t)(p - points->scan);
}

static int next_scanned(struct seek_points *points, uint64_t from, uint64_t limit,
			struct seek_point *entry)
{
	const bool plain = points->how == IOT_PLAIN;
	uint64_t at = plain && from > 0 ? from - 1 : from; /* includes the preceding LF */
	while (at < limit) {
		size_t keep = 0;
		const ssize_t got = stored_input_read(&points->in, at, points->scan, SCAN_SIZE);
		if (got < 0)
			return IOT_EIO;
		const size_t size = (size_t)got;
		for (size_t i = 0; (i = candidate(points, i, size, &keep)) < size; i++) {
			const uint64_t place = at + i + plain;
			if (place >= limit)
				return 0;
			const int found = plain ? look_plain(points, place, entry)
						: look_packed(points, place, entry);
			if (found != 0)
				return found;
		}
		if (size < SCAN_SIZE)
			return 0;
		at += size - keep;
	}
	return 0;
}

int seek_points_next(struct seek_points *points, uint64_t from, uint64_t limit,
		     struct seek_point *entry)
{
	return points->how == IOT_ZSTD ? next_frame(points, from, limit, entry)
				       : next_scanned(points, from, limit, entry);
}

int seek_points_find(struct seek_points *points,
		     bool (*before)(const void *context, const struct seek_point *entry),
		     const void *context, struct seek_point *entry)
{
	uint64_t low = 0, high = points->in.size;
	int any = 0;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		struct seek_point here;
		const int found = seek_points_next(points, middle, high, &here);
		if (found < 0)
			return found;
		if (found == 1 && before(context, &here)) {
			*entry = here;
			any = 1;
			low = here.at + 1;
		} else {
			high = middle; /* [middle, high) contains no seek point before the target */
		}
	}
	return any;
}
