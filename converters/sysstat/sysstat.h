/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The converters iostat and sadf, of the tools of sysstat: what their reports say of disks.
 *
 *     sysstat.c   the interface of both
 *     json.c      reports as JSON
 *     table.c     reports as text: columns with names
 *     disk.c      from the numbers of one disk to a sample
 *
 * Reports state rates, of which two decimals are printed, and iostat without -x the kilobytes of an
 * interval. The time of a report is the end of its interval.
 */
#ifndef CONVERTERS_SYSSTAT_SYSSTAT_H
#define CONVERTERS_SYSSTAT_SYSSTAT_H

#include "converters/samples/samples.h"

enum {
	SYSSTAT_NAME_MAX = 255,
	SYSSTAT_COLUMNS_MAX = 64,
	SYSSTAT_DEPTH_MAX = 64,
	SYSSTAT_KEY_SIZE = 64,
};

/* Numbers of a disk in a report. */
enum sysstat_field {
	SYSSTAT_REQUESTS, /* per second */
	SYSSTAT_READS,
	SYSSTAT_WRITES,
	SYSSTAT_READ_RATE, /* bytes per second */
	SYSSTAT_WRITE_RATE,
	SYSSTAT_READ_BYTES, /* of the interval */
	SYSSTAT_WRITTEN_BYTES,
	SYSSTAT_READ_AWAIT, /* ms of a request */
	SYSSTAT_WRITE_AWAIT,
	SYSSTAT_QUEUE, /* requests, as a mean over time */
	SYSSTAT_BUSY,  /* percent of the time */
	SYSSTAT_FIELDS,
	SYSSTAT_DEVICE = SYSSTAT_FIELDS,
	SYSSTAT_OTHER,
};

struct sysstat_disk {
	char name[SYSSTAT_NAME_MAX];
	size_t name_size; /* 0: none */
	uint32_t known;
	struct decimal number[SYSSTAT_FIELDS];
	uint64_t factor[SYSSTAT_FIELDS];
};

struct sysstat {
	bool is_sadf;
	int64_t time_ns, previous_ns; /* of reports; SAMPLES_TIME_UNKNOWN: none */
	uint64_t took_ns; /* of the report, if it states that; 0: since the previous one */
	int64_t east_s;   /* zone of times that have none */
	bool assumes_zone;
	uint64_t untimed;
	struct sysstat_disk disk;
	/* json.c */
	char key[SYSSTAT_KEY_SIZE];
	unsigned depth;
	bool in_timestamp, is_json, is_utc;
	char date[SYSSTAT_KEY_SIZE], clock[SYSSTAT_KEY_SIZE];
	/* table.c */
	uint8_t column[SYSSTAT_COLUMNS_MAX]; /* enum sysstat_field */
	uint64_t unit[SYSSTAT_COLUMNS_MAX];
	size_t columns; /* 0: not in a table */
};

/* disk.c */

/* Returns what a name of a key or a column denotes, and its unit in *factor. */
enum sysstat_field sysstat_field(struct iot_text name, uint64_t *factor);
/* Sets the number of a field. Returns false if it is not a number. */
bool sysstat_set(struct sysstat *y, enum sysstat_field field, uint64_t factor,
		 struct iot_text number);
bool sysstat_begin_disk(struct sysstat *y, struct iot_text name);
/* Emits the sample of the disk, if its interval is known. */
bool sysstat_end_disk(struct sampling *s);
/* Begins a report with this time. Returns false if the text is not a time. */
bool sysstat_report(struct sampling *s, struct iot_text time);
/* Reports of another run, or host, follow. */
void sysstat_begin_run(struct sysstat *y);

/* json.c, table.c: both take one line. */
bool sysstat_json_line(struct sampling *s, struct iot_text line);
bool sysstat_table_line(struct sampling *s, struct iot_text line);

#endif
