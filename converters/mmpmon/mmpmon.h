/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts what mmpmon of GPFS prints for the requests fs_io_s and io_s:
 *
 *     mmpmon.c     the interface, lines
 *     response.c   the keys of a response, and the sample that it makes
 */
#ifndef CONVERTERS_MMPMON_MMPMON_H
#define CONVERTERS_MMPMON_MMPMON_H

#include "converters/samples/samples.h"

enum { MMPMON_NAME_MAX = 1024 };

enum mmpmon_kind {
	MMPMON_NONE,
	MMPMON_FILE_SYSTEM, /* fs_io_s */
	MMPMON_NODE,        /* io_s */
	MMPMON_RESET,
	MMPMON_OTHER
};

enum mmpmon_key {
	/* texts */
	MMPMON_HOST,
	MMPMON_CLUSTER,
	MMPMON_TARGET,
	MMPMON_TEXTS,
	/* numbers */
	MMPMON_STATUS = MMPMON_TEXTS,
	MMPMON_SECONDS,
	MMPMON_MICROSECONDS,
	MMPMON_VALUES, /* and enum sample_value */
	MMPMON_UNKNOWN = MMPMON_VALUES + SAMPLE_VALUES,
};

struct mmpmon_response {
	enum mmpmon_kind kind;
	uint64_t known; /* bit for each key */
	uint64_t number[MMPMON_UNKNOWN];
	struct iot_text text[MMPMON_TEXTS]; /* in texts */
	char texts[MMPMON_TEXTS][MMPMON_NAME_MAX];
	bool wrong; /* a value is not understood */
};

struct mmpmon_host {
	int64_t reset_ns; /* the last reset, 0 if there was none */
	bool has_file_systems;
};

struct mmpmon {
	struct mmpmon_response response; /* of the lines so far */
	char key[MMPMON_NAME_MAX];       /* at the end of the last line, without its value */
	size_t candidate;                /* index of the key that usually comes next */
	struct idmap hosts;
	struct mmpmon_host *host;
	size_t host_capacity;
	uint64_t skipped, failed, skipped_nodes;
	bool is_long; /* the form without -p */
};

/* response.c */

/*
 * Returns which key has a name of the form with -p, such as _br_, or without, such as bytes read.
 */
enum mmpmon_key mmpmon_find_key(struct mmpmon *m, struct iot_text name);
enum mmpmon_key mmpmon_find_label(struct iot_text label);
void mmpmon_set(struct mmpmon *m, enum mmpmon_key key, struct iot_text value);
void mmpmon_begin(struct mmpmon *m, enum mmpmon_kind kind);
/* Makes a sample of the response. Returns false on failure. */
bool mmpmon_end(struct sampling *s);

#endif
