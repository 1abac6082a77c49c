/* SPDX-License-Identifier: BSD-2-Clause */
/* The %file that states which fields of its records are unknown. */
#ifndef LIB_FORMAT_FILE_FLAGS_H
#define LIB_FORMAT_FILE_FLAGS_H

#include "definitions.h"

enum { FILE_FLAGS_CAPACITY = IOT_COMMENT_MAX + 72 }; /* a %file with all keys that are unknown */

/*
 * Builds the current %file of a record, or a new one, with =unknown or =known for each flag in
 * `changed`. text has FILE_FLAGS_CAPACITY bytes; ev points to it. The definitions keep texts.
 * Returns IOT_OK, or IOT_ELIMIT if the text is too long.
 */
int file_flags_build(const struct definitions *all, const struct iot_record *rec, unsigned changed,
		     char *text, struct iot_event *ev);

#endif
