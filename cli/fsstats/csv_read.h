/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads csv in the form of published surveys (fsstats 1.2 to 1.4). Totals have two digits there, so
 * they are computed from the sums of the histograms, which are exact.
 */
#ifndef CLI_FSSTATS_CSV_READ_H
#define CLI_FSSTATS_CSV_READ_H

#include "lib/base/error.h"

#include "survey.h"

/* Lines that are not used. They are part of the text, which is printed again as it is. */
struct csv_kept {
	uint64_t lines, histograms;
	uint64_t first; /* the number of the first of these lines; 0: none */
};

/* Returns whether a text begins like such a survey. */
bool csv_begins(const char *text, size_t size);
/*
 * Reads a survey into an empty one, in which everything that the text lacks is unknown. Returns an
 * enum iot_status; *e: the line, and what was expected there.
 */
int csv_read(struct fs_survey *s, const char *text, size_t size, struct csv_kept *kept,
	     struct error *e);

#endif
