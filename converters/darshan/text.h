/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of Darshan's tools: the interface between text.c and text_rows.c. */
#ifndef CONVERTERS_DARSHAN_TEXT_H
#define CONVERTERS_DARSHAN_TEXT_H

#include "darshan.h"

struct darshan_text {
	struct bufreader *bufreader;
	size_t line_size; /* of the current line, with its line end */
	/* the current DXT record */
	uint64_t id;
	bool has_id;
	uint64_t next[2]; /* index of the next write and read */
	uint64_t counts[2], rows[2];
};

/*
 * Returns 0 if the line is done, 1 if the batch must be emitted before the line can be processed,
 * negative if out of memory.
 */
int darshan_rows_head(struct darshan *d, struct iot_text line); /* the text after "# DXT, " */
int darshan_row(struct darshan *d, struct iot_text line);
/* Ends the input. Returns 1 if the batch must be emitted before the next call, otherwise 0. */
int darshan_rows_end(struct darshan *d);

bool darshan_integer(struct iot_text text, int64_t *value);
void darshan_unparsed(struct darshan *d, struct iot_text line);

#endif
