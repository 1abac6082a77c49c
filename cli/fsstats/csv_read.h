/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads csv in the form of published surveys (fsstats 1.2 to 1.4). Totals have two digits there, so
 * they are computed from the sums of the histograms, which are exact.
 */
#ifndef CLI_FSSTATS_CSV_READ_H
#define CLI_FSSTATS_CSV_READ_H

#include "lib/base/error.h"

#include "survey.h"

/* Lines that are ignored. A single csv is printed as it was read, with these lines. */
struct csv_kept {
	uint64_t lines, histograms;
	uint64_t first; /* number of the first ignored line; 0: none */
};

/* Returns whether a text begins like a survey in this form. */
bool csv_begins(const char *text, size_t size);
/*
 * Reads a text into an empty survey, and marks what the text lacks as unknown. Returns an enum
 * iot_status; after a failure, *e has the line and what was expected there.
 */
int csv_read(struct fs_survey *s, const char *text, size_t size, struct csv_kept *kept,
	     struct error *e);

#endif
