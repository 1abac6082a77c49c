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
	struct raw_lines *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->name = malloc(4 * size + 4);
	r->block = malloc(CAPACITY);
	if (r->name == NULL || r->block == NULL) {
		raw_lines_free(r);
		return NULL;
	}
	escape_text(r->name, 4 * size + 4, name, size);
	r->in = (struct byte_source){.kind = BYTE_SOURCE_FD,
				     .error = &r->error,
				     .name = r->name,
				     .read_size = READ_SIZE,
				     .fd = fd};
	r->decompressor = (struct decompressor){
	    .error = &r->damage, .name = r->name, .in = &r->in, .window_max = window_max};
	return r;
}

void raw_lines_free(struct raw_lines *r)
{
	if (r == NULL)
		return;
	decompress_close(&r->decompressor);
	free(r->name);
	free(r->block);
	free(r);
}

const struct error *raw_lines_error(const struct raw_lines *r)
{
	return &r->error;
}

uint64_t raw_lines_stored(const struct raw_lines *r)
{
	return r->in.stored;
}

/* Filling the block */

static const char gzip_magic[] = "\x1f\x8b\x08", zstd_magic[] = "\x28\xb5\x2f\xfd";

/*
 * Returns whether half of the magic number is intact at the start, or all of it exists further on.
 */
static bool was(const struct raw_lines *r, const char *magic)
{
	const size_t n = strlen(magic);
	size_t same = 0;
	for (size_t i = 0; i < n && i < r->end; i++)
		same += r->block[i] == magic[i];
	return same >= 2 || memmem(r->block, r->end, magic, n) != NULL;
}

static bool is_text(const struct raw_lines *r)
{
	const size_t n = r->end < LOOK ? r->end : LOOK;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)r->block[i] < '\t')
			return false;
	return true;
}

static enum iot_compression compression_of(const struct raw_lines *r)
{
	if (decompress_match(IOT_GZIP, r->block, r->end) == FORMAT_MATCH_YES)
		return IOT_GZIP;
	if (decompress_match(IOT_ZSTD, r->block, r->end) == FORMAT_MATCH_YES)
		return IOT_ZSTD;
	if (is_text(r))
		return IOT_PLAIN;
	/* the damage may be at the beginning */
	if (was(r, zstd_magic))
		return IOT_ZSTD;
	return was(r, gzip_magic) ? IOT_GZIP : IOT_PLAIN;
}

static void begin(struct raw_lines *r)
{
	while (r->end < LOOK && !r->in.ended)
		r->end += byte_source_read(&r->in, r->block + r->end, CAPACITY - r->end);
	r->begun = true;
	r->how = compression_of(r);
	if (r->how == IOT_PLAIN || r->error.status != IOT_OK)
		return;
	if (decompress_open(&r->decompressor, r->how, r->block, r->end, r->end) != IOT_OK)
		r->error = r->damage;
	r->end = 0;
}

/* Returns whether the current frame, whose first bytes are still in the buffer, has a checksum. */
static bool has_checksum(const struct decompressor *d)
{
	const size_t at = (size_t)(d->frame_at - d->raw_at);
	if (d->how == IOT_GZIP)
		return true;
	return d->frame_at >= d->raw_at && d->raw_end - at > DESCRIPTOR_AT &&
	       (d->raw[at + DESCRIPTOR_AT] & CHECKSUM_BIT) != 0;
}

/* Handles damage, or the end of the input in the middle of a frame. */
static void decompression_failed(struct raw_lines *r)
{
	const int status = r->damage.status;
	if (r->error.status != IOT_OK)
		return;
	if (status == IOT_EIO || status == IOT_ENOMEM) {
		r->error = r->damage;
		return;
	}
	const size_t named = strlen(r->name) + 2; /* "NAME: " */
	snprintf(r->why, sizeof(r->why), "%.*s", (int)sizeof(r->why) - 1,
		 r->damage.text + (strlen(r->damage.text) > named ? named : 0));
	r->gap = true;
	r->no_more = !decompress_resync(&r->decompressor);
	r->gap_truncated = r->no_more && status == IOT_ETRUNCATED;
}

static void decompress(struct raw_lines *r)
{
	struct decompressor *d = &r->decompressor;
	const bool fresh = !d->in_frame;
	const uint64_t text_at = r->at + (r->end - r->start);
	if (fresh)
		r->frame_at = text_at;
	const size_t n = decompress_read(d, r->block + r->end, CAPACITY - r->end);
	r->end += n;
	if (fresh)
		r->checked = has_checksum(d);
	if (r->damage.status != IOT_OK || r->error.status != IOT_OK) {
		decompression_failed(r);
		return;
	}
	if (d->ended) {
		r->no_more = true;
		return;
	}
	r->frame_ended = !d->in_frame;
}

static void fill(struct raw_lines *r)
{
	assert(r->start <= r->end && r->end <= CAPACITY);
	memmove(r->block, r->block + r->start, r->end - r->start);
	r->end -= r->start;
	r->start = 0;
	if (!r->begun) {
		begin(r);
	} else if (r->how == IOT_PLAIN) {
		const size_t n = byte_source_read(&r->in, r->block + r->end, CAPACITY - r->end);
		r->end += n;
		r->no_more = n == 0;
	} else {
		decompress(r);
	}
}

/* Items */

static void set_item(struct raw_lines *r, struct raw_item *item, enum raw_kind kind, size_t size)
{
	item->kind = kind;
	item->text = r->block + r->start;
	item->size = size;
	item->at = r->at;
	r->start += size;
	r->at += size;
}

static bool next_lines(struct raw_lines *r, struct raw_item *item)
{
	const char *p = r->block + r->start;
	const size_t have = r->end - r->start;
	const char *first_lf = r->in_long ? memchr(p, '\n', have) : NULL;
	if (r->in_long && first_lf == NULL) {
		r->at += have;
		r->start = r->end;
		return false;
	}
	if (r->in_long) {
		r->at += (uint64_t)(first_lf + 1 - p);
		r->start += (size_t)(first_lf + 1 - p);
		r->in_long = false;
		return next_lines(r, item);
	}
	const char *lf = have > 0 ? memrchr(p, '\n', have) : NULL;
	if (lf == NULL)
		return false;
	set_item(r, item, RAW_LINES, (size_t)(lf + 1 - p));
	return true;
}

/* Drops text without LF, and reports the reason. */
static void set_gap(struct raw_lines *r, struct raw_item *item, const char *why, bool truncated)
{
	set_item(r, item, RAW_GAP, r->end - r->start);
	item->why = why;
	item->truncated = truncated;
}

/* Returns the item that follows the lines; false if none. */
static bool next_other(struct raw_lines *r, struct raw_item *item)
{
	if (r->gap) {
		r->gap = r->in_long = false;
		set_gap(r, item, r->why, r->gap_truncated);
		return true;
	}
	if (r->frame_ended) {
		r->frame_ended = false;
		set_item(r, item, RAW_FRAME, 0);
		item->frame_at = r->frame_at;
		item->checked = r->checked;
		return true;
	}
	if (r->end - r->start > LINE_SIZE_MAX) {
		r->in_long = true;
		set_gap(r, item, "a line longer than 65536 bytes", false);
		return true;
	}
	if (!r->no_more)
		return false;
	set_item(r, item, r->end > r->start ? RAW_CUT : RAW_END, r->end - r->start);
	return true;
}

int raw_lines_next(struct raw_lines *r, struct raw_item *item)
{
	*item = (struct raw_item){.kind = RAW_END};
	while (r->error.status == IOT_OK) {
		if (next_lines(r, item) || next_other(r, item))
			return IOT_OK;
		fill(r);
	}
	return r->error.status;
}
