/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of other walkers, with a line for each entry, as surveys. */
#ifndef CLI_FSSTATS_LIST_IN_H
#define CLI_FSSTATS_LIST_IN_H

#include "lib/io/bufreader.h"

#include "survey_links.h"
#include "survey.h"

enum list_field {
	LIST_IGNORED, /* "-" */
	LIST_TYPE,    /* f, d, l or another letter, or a mode such as drwxr-xr-x */
	LIST_SIZE,
	LIST_BLOCKS, /* of 512 bytes */
	LIST_KIB,    /* the capacity, in units of 1,024 bytes */
	LIST_LINKS,
	LIST_MTIME,
	LIST_CTIME,
	LIST_ATIME,
	LIST_UID,
	LIST_GID,
	LIST_PROJECT,
	LIST_DEVICE,
	LIST_INODE,
	LIST_NAME,
	LIST_PATH, /* to the end of the line */
	LIST_FIELDS
};

enum { LIST_COLUMNS = 32, LIST_LINE_MAX = 1 << 16 };

struct list_columns {
	unsigned char field[LIST_COLUMNS]; /* enum list_field */
	size_t count;
};

/* The columns of find -printf LIST_FIND_FORMAT. */
extern const char list_find_columns[];

/* Parses names of columns, separated by commas. Returns NULL, or what is expected. */
const char *list_columns_parse(struct list_columns *c, const char *text);
/* Marks the values that a list with these columns lacks as unknown. */
void list_set_unknown(struct fs_survey *s, const struct list_columns *c);

struct list_report {
	uint64_t lines, wrong;
	uint64_t first_wrong; /* the number of a line; 0: none */
};

/*
 * Adds the entries of a list. Returns an enum iot_status; after errors of the input,
 * bufreader_error() has the reason.
 */
int list_read(struct fs_survey *s, struct bufreader *in, const struct list_columns *c,
	      struct list_report *report);

#endif
