/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a stored trace for who wants to know what holds it together: blocks of whole lines,
 * and between them where a frame or member ended as it should, and where text is missing. Goes on
 * behind damage, at the next frame or member. Places in the text count the bytes that were unpacked.
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
	RAW_CUT,   /* what stands at the end of the input, without LF */
	RAW_FRAME, /* all text from frame_at to here is one frame; checked: its checksum holds */
	RAW_GAP,   /* something is missing: why tells */
};

struct raw_item {
	enum raw_kind kind;
	const char *text; /* until the next call */
	size_t size;
	uint64_t at; /* of text, or of what is told */
	uint64_t frame_at;
	bool checked;
	bool truncated; /* of a gap: the input ends in it */
	const char *why;
};

struct raw_lines;

/* Reads a descriptor, which stays the caller's. NULL: no memory. */
struct raw_lines *raw_lines_new(int fd, const char *name);
void raw_lines_free(struct raw_lines *t);

/* IOT_OK, or IOT_EIO, IOT_ENOMEM: raw_lines_error. */
int raw_lines_next(struct raw_lines *t, struct raw_item *piece);
const struct error *raw_lines_error(const struct raw_lines *t);

enum iot_compression raw_lines_compression(const struct raw_lines *t);
uint64_t raw_lines_stored(const struct raw_lines *t); /* bytes read so far */

#endif
