/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the readers of all forms of a list of jobs share. */
#ifndef CLI_JOBS_LIST_READER_H
#define CLI_JOBS_LIST_READER_H

#include "job_list.h"
#include "lib/base/text.h"

enum { LIST_COLUMNS_MAX = 256 };

struct list_reader {
	struct job_list *list;
	const struct job_list_options *options;
	char separator;                         /* of fields; 0: the log is one of PBS */
	unsigned char column[LIST_COLUMNS_MAX]; /* enum list_column */
	size_t columns;
	bool is_sacct, knows_raw_ids;
	const char *last_id; /* of the job to which steps belong; NULL: it was dropped */
	bool no_memory;
};

/* Counts a line that is not a job. */
void list_drop(struct list_reader *r, enum job_list_drop why);
/* Appends a job whose texts are copied; checks its times. */
void list_add(struct list_reader *r, struct listed_job *job, struct iot_text text[LISTED_TEXTS]);

/* Selects the columns by the names in a line. Returns NULL, or what is missing. */
const char *list_table_header(struct list_reader *r, struct iot_text line);
void list_table_line(struct list_reader *r, struct iot_text line);
/* Returns whether a line is one of an accounting log of PBS. */
bool list_is_pbs(struct iot_text line);
void list_pbs_line(struct list_reader *r, struct iot_text line);

enum list_time { LIST_TIME_KNOWN, LIST_TIME_NONE, LIST_TIME_WRONG };
/*
 * Parses seconds since 1970, 2026-11-21T10:00:00 and 11/21/2026 10:00:00, with an optional zone.
 * LIST_TIME_NONE: "Unknown", "None", or nothing.
 */
enum list_time list_time_parse(struct list_reader *r, struct iot_text text, int64_t *ns);
/* Returns whether the system has a time zone of this name. */
bool list_zone_exists(const char *zone);

#endif
