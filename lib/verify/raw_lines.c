/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Produces blocks of lines from byte source and decompressor. Unlike a bufreader it knows the
 * frames: it checks the decompressor's state after every step.
 */
#include "raw_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/io/byte_source.h"
#include "lib/io/decompress.h"

enum {
	READ_SIZE = 1 << 18,
	LINE_SIZE_MAX = IOT_COMMENT_MAX + 64, /* longer text without LF is not a line */
	CAPACITY = READ_SIZE + 2 * LINE_SIZE_MAX,
	/* offset in a zstd frame of its descriptor, which contains the checksum bit */
	DESCRIPTOR_AT = 4,
	CHECKSUM_BIT = 4,
	LOOK = 4096,
};

static const uint64_t window_max = (uint64_t)1 << 27;

struct raw_lines {
	struct error error; /* ends reading */
	struct error fault; /* of the decompressor: recoverable damage is not kept */
	struct byte_source in;
	struct decompressor unpacker;
	enum iot_compression how;
	char *name, *block;
	size_t start, end; /* bytes of the block not yet returned */
	uint64_t at;       /* offset of block[start] in the text */
	uint64_t frame_at;
	bool checked;
	bool begun, no_more;
	bool frame_ended, gap, gap_truncated; /* to be reported after the preceding lines */
	bool in_long;
	char why[512];
};

struct raw_lines *raw_lines_new(int fd, const char *name)
{
	const size_t size = strlen(name);
	struct raw_lines *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->name = malloc(4 * size + 4);
	t->block = malloc(CAPACITY);
	if (t->name == NULL || t->block == NULL) {
		raw_lines_free(t);
		return NULL;
	}
	escape_text(t->name, 4 * size + 4, name, size);
	t->in = (struct byte_source){.kind = BYTE_SOURCE_FD,
				     .error = &t->error,
				     .name = t->name,
				     .read_size = READ_SIZE,
				     .fd = fd};
	t->unpacker = (struct decompressor){
	    .error = &t->fault, .name = t->name, .in = &t->in, .window_max = window_max};
	return t;
}

void raw_lines_free(struct raw_lines *t)
{
	if (t == NULL)
		return;
	decompress_close(&t->unpacker);
	free(t->name);
	free(t->block);
	free(t);
}

const struct error *raw_lines_error(const struct raw_lines *t)
{
	return &t->error;
}

enum iot_compression raw_lines_compression(const struct raw_lines *t)
{
	return t->how;
}

uint64_t raw_lines_stored(const struct raw_lines *t)
{
	return t->in.stored;
}

/* Filling the block */

static const char gzip_magic[] = "\x1f\x8b\x08", zstd_magic[] = "\x28\xb5\x2f\xfd";

/*
 * Returns whether half of the magic number is intact at the start, or all of it exists further on.
 */
static bool was(const struct raw_lines *t, const char *magic)
{
	const size_t n = strlen(magic);
	size_t same = 0;
	for (size_t i = 0; i < n && i < t->end; i++)
		same += t->block[i] == magic[i];
	return same >= 2 || memmem(t->block, t->end, magic, n) != NULL;
}

static bool is_text(const struct raw_lines *t)
{
	const size_t n = t->end < LOOK ? t->end : LOOK;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)t->block[i] < '\t')
			return false;
	return true;
}

static enum iot_compression compression_of(const struct raw_lines *t)
{
	if (decompress_match(IOT_GZIP, t->block, t->end) == FORMAT_MATCH_YES)
		return IOT_GZIP;
	if (decompress_match(IOT_ZSTD, t->block, t->end) == FORMAT_MATCH_YES)
		return IOT_ZSTD;
	if (is_text(t))
		return IOT_PLAIN;
	/* the damage may be at the beginning */
	if (was(t, zstd_magic))
		return IOT_ZSTD;
	return was(t, gzip_magic) ? IOT_GZIP : IOT_PLAIN;
}

static void begin(struct raw_lines *t)
{
	while (t->end < LOOK && !t->in.ended)
		t->end += byte_source_read(&t->in, t->block + t->end, CAPACITY - t->end);
	t->begun = true;
	t->how = compression_of(t);
	if (t->how == IOT_PLAIN || t->error.status != IOT_OK)
		return;
	if (decompress_open(&t->unpacker, t->how, t->block, t->end, t->end) != IOT_OK)
		t->error = t->fault;
	t->end = 0;
}

/* Returns whether the current frame, whose first bytes are still in the buffer, has a checksum. */
static bool has_checksum(const struct decompressor *u)
{
	const size_t at = (size_t)(u->frame_at - u->raw_at);
	if (u->how == IOT_GZIP)
		return true;
	return u->frame_at >= u->raw_at && u->raw_end - at > DESCRIPTOR_AT &&
	       (u->raw[at + DESCRIPTOR_AT] & CHECKSUM_BIT) != 0;
}

/* Handles damage, or the end of the input in the middle of a frame. */
static void unpacker_failed(struct raw_lines *t)
{
	const int status = t->fault.status;
	if (t->error.status != IOT_OK)
		return;
	if (status == IOT_EIO || status == IOT_ENOMEM) {
		t->error = t->fault;
		return;
	}
	const size_t named = strlen(t->name) + 2; /* "NAME: " */
	snprintf(t->why, sizeof(t->why), "%.*s", (int)sizeof(t->why) - 1,
		 t->fault.text + (strlen(t->fault.text) > named ? named : 0));
	t->gap = true;
	t->no_more = !decompress_resync(&t->unpacker);
	t->gap_truncated = t->no_more && status == IOT_ETRUNCATED;
}

static void unpack(struct raw_lines *t)
{
	struct decompressor *u = &t->unpacker;
	const bool fresh = !u->in_frame;
	const uint64_t text_at = t->at + (t->end - t->start);
	if (fresh)
		t->frame_at = text_at;
	const size_t n = decompress_read(u, t->block + t->end, CAPACITY - t->end);
	t->end += n;
	if (fresh)
		t->checked = has_checksum(u);
	if (t->fault.status != IOT_OK || t->error.status != IOT_OK) {
		unpacker_failed(t);
		return;
	}
	if (u->ended) {
		t->no_more = true;
		return;
	}
	t->frame_ended = !u->in_frame;
}

static void fill(struct raw_lines *t)
{
	memmove(t->block, t->block + t->start, t->end - t->start);
	t->end -= t->start;
	t->start = 0;
	if (!t->begun) {
		begin(t);
	} else if (t->how == IOT_PLAIN) {
		const size_t n = byte_source_read(&t->in, t->block + t->end, CAPACITY - t->end);
		t->end += n;
		t->no_more = n == 0;
	} else {
		unpack(t);
	}
}

/* Items */

static void show(struct raw_lines *t, struct raw_item *piece, enum raw_kind kind, size_t size)
{
	piece->kind = kind;
	piece->text = t->block + t->start;
	piece->size = size;
	piece->at = t->at;
	t->start += size;
	t->at += size;
}

static bool show_lines(struct raw_lines *t, struct raw_item *piece)
{
	const char *p = t->block + t->start;
	const size_t have = t->end - t->start;
	const char *first_lf = t->in_long ? memchr(p, '\n', have) : NULL;
	if (t->in_long && first_lf == NULL) {
		t->at += have;
		t->start = t->end;
		return false;
	}
	if (t->in_long) {
		t->at += (uint64_t)(first_lf + 1 - p);
		t->start += (size_t)(first_lf + 1 - p);
		t->in_long = false;
		return show_lines(t, piece);
	}
	const char *lf = have > 0 ? memrchr(p, '\n', have) : NULL;
	if (lf == NULL)
		return false;
	show(t, piece, RAW_LINES, (size_t)(lf + 1 - p));
	return true;
}

/* Drops text without LF, and reports the reason. */
static void show_gap(struct raw_lines *t, struct raw_item *piece, const char *why, bool truncated)
{
	show(t, piece, RAW_GAP, t->end - t->start);
	piece->why = why;
	piece->truncated = truncated;
}

/* Returns the item that follows the lines; false if none. */
static bool show_first_use(struct raw_lines *t, struct raw_item *piece)
{
	if (t->gap) {
		t->gap = t->in_long = false;
		show_gap(t, piece, t->why, t->gap_truncated);
		return true;
	}
	if (t->frame_ended) {
		t->frame_ended = false;
		show(t, piece, RAW_FRAME, 0);
		piece->frame_at = t->frame_at;
		piece->checked = t->checked;
		return true;
	}
	if (t->end - t->start > LINE_SIZE_MAX) {
		t->in_long = true;
		show_gap(t, piece, "a line longer than 65536 bytes", false);
		return true;
	}
	if (!t->no_more)
		return false;
	show(t, piece, t->end > t->start ? RAW_CUT : RAW_END, t->end - t->start);
	return true;
}

int raw_lines_next(struct raw_lines *t, struct raw_item *piece)
{
	*piece = (struct raw_item){.kind = RAW_END};
	while (t->error.status == IOT_OK) {
		if (show_lines(t, piece) || show_first_use(t, piece))
			return IOT_OK;
		fill(t);
	}
	return t->error.status;
}
