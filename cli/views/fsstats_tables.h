/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a survey, which all forms print. */
#ifndef CLI_VIEWS_FSSTATS_TABLES_H
#define CLI_VIEWS_FSSTATS_TABLES_H

#include <iotrace/result.h>

#include "fsstats.h"
#include "lib/result/columns.h"

enum { SURVEY_KEY_TEXT = 32 };

struct survey_document {
	struct fs_survey *survey;
	struct survey_key_row *keys;
	struct joint_ranges *joint[SURVEY_TIMES]; /* NULL: unknown */
	char key[SURVEY_KEY_TEXT];
	struct survey_key_row *unused; /* keys in ascending order of the last access */
	struct iot_table record;       /* all values, with all tables */
	struct iot_table totals;       /* the same without columns, for print_text() */
	struct iot_table limits, ages, bins, key_rows, joint_rows, unused_rows, top[SURVEY_TOPS];
};

/* Returns false, and has nothing to free, if out of memory. The document belongs at its address. */
bool survey_document_make(struct survey_document *d, const struct fsstats_shown *shown);
void survey_document_free(struct survey_document *d);
/* Returns the bin with the most files, if there are any. */
unsigned survey_frequent_bin(const struct fs_survey *s);

#endif
