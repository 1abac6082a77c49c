/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the text of a stored trace together with its structure: blocks of whole lines, and between
 * them events for a frame or member that ended properly, and for missing text. After damage,
 * continues at the next frame or member. Offsets in the text count decompressed bytes.
 */
#ifndef LIB_VERIFY_RAW_LINES_H
#define LIB_VERIFY_RAW_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

enum raw_kind {
	RAW_END,
	RAW_LINES, /* whole lines: the last ends in LF */
	RAW_CUT,   /* the end of the input, without LF */
	RAW_FRAME, /* the text from frame_at to here is one frame; checked: its checksum matches */
	RAW_GAP,   /* text is missing: the reason is in why */
};

struct raw_item {
	enum raw_kind kind;
	const char *text; /* valid until the next call */
	size_t size;
	uint64_t at; /* offset of text, or of the event */
	uint64_t frame_at;
	bool checked;
	bool truncated; /* for a gap: the input ends in it */
	const char *why;
};

struct raw_lines;

/* Reads a descriptor, which remains the caller's. Returns NULL if out of memory. */
struct raw_lines *raw_lines_new(int fd, const char *name);
void raw_lines_free(struct raw_lines *r);

/* Returns IOT_OK, or IOT_EIO or IOT_ENOMEM with raw_lines_error set. */
int raw_lines_next(struct raw_lines *r, struct raw_item *item);
const struct error *raw_lines_error(const struct raw_lines *r);

uint64_t raw_lines_stored(const struct raw_lines *r); /* bytes read so far */

#endif
