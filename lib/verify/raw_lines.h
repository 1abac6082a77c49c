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

enum iot_raw_kind {
	IOT_RAW_END,
	IOT_RAW_LINES, /* whole lines: the last ends in LF */
	IOT_RAW_CUT,   /* what stands at the end of the input, without LF */
	IOT_RAW_FRAME, /* all text from frame_at to here is one frame; checked: its checksum holds */
	IOT_RAW_GAP,   /* something is missing: why tells */
};

struct iot_raw {
	enum iot_raw_kind kind;
	const char *text; /* until the next call */
	size_t size;
	uint64_t at; /* of text, or of what is told */
	uint64_t frame_at;
	bool checked;
	bool truncated; /* of a gap: the input ends in it */
	const char *why;
};

struct iot_rawtext;

/* Reads a descriptor, which stays the caller's. NULL: no memory. */
struct iot_rawtext *iot_rawtext_new(int fd, const char *name);
void iot_rawtext_free(struct iot_rawtext *t);

/* IOT_OK, or IOT_EIO, IOT_ENOMEM: iot_rawtext_error. */
int iot_rawtext_next(struct iot_rawtext *t, struct iot_raw *piece);
const struct iot_error *iot_rawtext_error(const struct iot_rawtext *t);

enum iot_compression iot_rawtext_compression(const struct iot_rawtext *t);
uint64_t iot_rawtext_stored(const struct iot_rawtext *t); /* bytes read so far */

#endif
