/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of --by in results of the timing model. */
#ifndef CLI_SIMULATE_TIMING_ROWS_H
#define CLI_SIMULATE_TIMING_ROWS_H

#include "timing.h"

/* A row of a result, and the input that it belongs to. */
struct timing_row_ref {
	const struct timing_row *row;
	size_t input, number;
};

/*
 * The rows of a result to print, those with the longest waits first; *count: their number, at most
 * the command's limit. Returns NULL if out of memory; free it.
 */
struct timing_row_ref *timing_rows(const struct timing_report *r,
				   const struct timing_result *result, size_t *count);
/* Its name; text: ROW_NAME_CAPACITY bytes. */
const char *timing_row_name(const struct timing_report *r, const struct timing_row_ref *row,
			    char *text);

#endif
