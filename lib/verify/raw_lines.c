/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Produces blocks of lines from byte source and decompressor. Unlike a bufreader it knows the
 * frames: it checks the decompressor's state after every step.
 */
#include "raw_lines.h"

#include <assert.h>
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
	struct error error;  /* ends reading */
	struct error damage; /* of the decompressor: recoverable damage is not kept */
	struct byte_source in;
	struct decompressor decompressor;
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
	t->decompressor = (struct decompressor){
	    .error = &t->damage, .name = t->name, .in = &t->in, .window_max = window_max};
	return t;
}

void raw_lines_free(struct raw_lines *t)
{
	if (t == NULL)
		return;
	decompress_close(&t->decompressor);
	free(t->name);
	free(t->block);
	free(t);
}

const struct error *raw_lines_error(const struct raw_lines *t)
{
	return &t->error;
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
	if (decompress_open(&t->decompressor, t->how, t->block, t->end, t->end) != IOT_OK)
		t->error = t->damage;
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
static void decompression_failed(struct raw_lines *t)
{
	const int status = t->damage.status;
	if (t->error.status != IOT_OK)
		return;
	if (status == IOT_EIO || status == IOT_ENOMEM) {
		t->error = t->damage;
		return;
	}
	const size_t named = strlen(t->name) + 2; /* "NAME: " */
	snprintf(t->why, sizeof(t->why), "%.*s", (int)sizeof(t->why) - 1,
		 t->damage.text + (strlen(t->damage.text) > named ? named : 0));
	t->gap = true;
	t->no_more = !decompress_resync(&t->decompressor);
	t->gap_truncated = t->no_more && status == IOT_ETRUNCATED;
}

static void decompress(struct raw_lines *t)
{
	struct decompressor *u = &t->decompressor;
	const bool fresh = !u->in_frame;
	const uint64_t text_at = t->at + (t->end - t->start);
	if (fresh)
		t->frame_at = text_at;
	const size_t n = decompress_read(u, t->block + t->end, CAPACITY - t->end);
	t->end += n;
	if (fresh)
		t->checked = has_checksum(u);
	if (t->damage.status != IOT_OK || t->error.status != IOT_OK) {
		decompression_failed(t);
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
	assert(t->start <= t->end && t->end <= CAPACITY);
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
		decompress(t);
	}
}

/* Items */

static void set_item(struct raw_lines *t, struct raw_item *item, enum raw_kind kind, size_t size)
{
	item->kind = kind;
	item->text = t->block + t->start;
	item->size = size;
	item->at = t->at;
	t->start += size;
	t->at += size;
}

static bool next_lines(struct raw_lines *t, struct raw_item *item)
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
		return next_lines(t, item);
	}
	const char *lf = have > 0 ? memrchr(p, '\n', have) : NULL;
	if (lf == NULL)
		return false;
	set_item(t, item, RAW_LINES, (size_t)(lf + 1 - p));
	return true;
}

/* Drops text without LF, and reports the reason. */
static void set_gap(struct raw_lines *t, struct raw_item *item, const char *why, bool truncated)
{
	set_item(t, item, RAW_GAP, t->end - t->start);
	item->why = why;
	item->truncated = truncated;
}

/* Returns the item that follows the lines; false if none. */
static bool next_other(struct raw_lines *t, struct raw_item *item)
{
	if (t->gap) {
		t->gap = t->in_long = false;
		set_gap(t, item, t->why, t->gap_truncated);
		return true;
	}
	if (t->frame_ended) {
		t->frame_ended = false;
		set_item(t, item, RAW_FRAME, 0);
		item->frame_at = t->frame_at;
		item->checked = t->checked;
		return true;
	}
	if (t->end - t->start > LINE_SIZE_MAX) {
		t->in_long = true;
		set_gap(t, item, "a line longer than 65536 bytes", false);
		return true;
	}
	if (!t->no_more)
		return false;
	set_item(t, item, t->end > t->start ? RAW_CUT : RAW_END, t->end - t->start);
	return true;
}

int raw_lines_next(struct raw_lines *t, struct raw_item *item)
{
	*item = (struct raw_item){.kind = RAW_END};
	while (t->error.status == IOT_OK) {
		if (next_lines(t, item) || next_other(t, item))
			return IOT_OK;
		fill(t);
	}
	return t->error.status;
}
