/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of Darshan's tools, between darshan_text.c and the rows of darshan_rows.c. */
#ifndef CONVERTERS_DARSHAN_TEXT_H
#define CONVERTERS_DARSHAN_TEXT_H

#include "darshan.h"

struct darshan_text {
	struct bufreader *bufreader;
	size_t line_size; /* of the line shown, with its end */
	/* the record of DXT in work */
	uint64_t id;
	bool has_id;
	uint64_t next[2]; /* index of the next write, read */
	uint64_t counts[2], rows[2];
};

/* 0: the line is done with; 1: not yet, take what there is first; negative: no memory. */
int darshan_rows_head(struct darshan *d, struct iot_text line); /* behind "# DXT, " */
int darshan_row(struct darshan *d, struct iot_text line);
/* The input ends: 1: take what there is and come again; 0. */
int darshan_rows_end(struct darshan *d);

bool darshan_integer(struct iot_text text, int64_t *value);
void darshan_unparsed(struct darshan *d, struct iot_text line);

#endif
