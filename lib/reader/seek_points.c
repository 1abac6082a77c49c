/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds seek points by examining the first bytes of candidates, and searches for the requested one.
 *
 * Candidates in .zst are the frames. A search uses the seek table if a frame begins at each offset
 * of it that the search examines; otherwise a walk finds the frames. What is found therefore
 * depends on the file alone, and not on earlier searches: neighbouring parts agree on where one of
 * them ends.
 */
#include "seek_points.h"

#include <stdlib.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_getFrameHeader */
#include <zlib.h>
#include <zstd.h>

#include "lib/io/zstd_frames.h"

enum {
	SCAN_SIZE = 1 << 16,
	LINE_CAPACITY = 256, /* a %sync as writers produce it is shorter */
	PACKED_CAPACITY = ZSTD_BLOCKSIZE_MAX + (1 << 10), /* a frame's header and first block */
	NOT_A_FRAME = 2,                                  /* result of look_packed */
};

static const uint64_t WINDOW_DEFAULT = (uint64_t)1 << 27;

struct seek_points {
	struct stored_input in;
	enum iot_compression how;
	unsigned base;
	struct known_frames {
		struct zstd_frames frames;
		bool tried, usable;
	} of_table, walked;
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
	zstd_frames_free(&points->of_table.frames);
	zstd_frames_free(&points->walked.frames);
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

/* Returns the size of a zstd frame's header and first block; 0 if no frame begins there. */
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

/* Returns 1 for a seek point; 0 if it is not one; NOT_A_FRAME; or a negative status. */
static int look_packed(struct seek_points *points, uint64_t at, struct seek_point *entry)
{
	char line[LINE_CAPACITY];
	const size_t wanted =
	    points->how == IOT_ZSTD ? first_block(points, at) : PACKED_CAPACITY / 8;
	const ssize_t got = stored_input_read(&points->in, at, points->packed, wanted);
	if (got < 0)
		return IOT_EIO;
	if (wanted == 0)
		return NOT_A_FRAME;
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

/* Returns 1, 0 if no table can be used, or a negative status. */
static int find_frames(struct seek_points *points, bool from_table)
{
	struct known_frames *known = from_table ? &points->of_table : &points->walked;
	if (known->tried)
		return known->usable;
	int status;
	if (from_table) {
		status = zstd_frames_of_table(&points->in, &known->frames);
		status = status == IOT_EFORMAT ? 0 : status;
	} else {
		status = zstd_frames_walk(&points->in, &known->frames);
		status = status == IOT_OK ? 1 : status;
	}
	known->tried = status >= 0;
	known->usable = status == 1;
	return status;
}

/* Returns the index of the first frame at or after byte `from`. */
static size_t first_frame(const struct zstd_frames *frames, uint64_t from)
{
	size_t low = 0, high = frames->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (frames->at[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns as look_packed; what does not begin a frame is passed if `lenient`. */
static int next_known(struct seek_points *points, const struct zstd_frames *frames, bool lenient,
		      uint64_t from, uint64_t limit, struct seek_point *entry)
{
	for (size_t i = first_frame(frames, from); i < frames->count && frames->at[i] < limit;
	     i++) {
		const int found = look_packed(points, frames->at[i], entry);
		if (found != 0 && !(found == NOT_A_FRAME && lenient))
			return found;
	}
	return 0;
}

static int next_frame(struct seek_points *points, uint64_t from, uint64_t limit,
		      struct seek_point *entry)
{
	int status = find_frames(points, true);
	if (status == 1)
		status = next_known(points, &points->of_table.frames, false, from, limit, entry);
	else if (status == 0)
		status = NOT_A_FRAME;
	if (status != NOT_A_FRAME)
		return status;
	status = find_frames(points, false);
	return status == 1 ? next_known(points, &points->walked.frames, true, from, limit, entry)
			   : status;
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
