/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events without what tells whose they are. An allow-list: of each directive the keys named here
 * are made anew, all else is left out and counted.
 */
#ifndef CLI_FILTER_ANONYMIZE_H
#define CLI_FILTER_ANONYMIZE_H

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"
#include "cli/ui/output.h"
#include "pseudonym.h"

enum epoch_how { EPOCH_DROP, EPOCH_SHIFT };

struct anonymize_options {
	struct pseudonyms names;
	int epoch;                          /* enum epoch_how */
	bool keep_comments, keep_unknown;   /* free comments; unknown directives and counters */
	uint64_t time_grain_ns, size_grain; /* 0 or 1: exact */
};

enum { ANONYMIZE_CAPACITY = IOT_COMMENT_MAX, EXTENSIONS_SHOWN = 64 };

struct anonymizer {
	const struct anonymize_options *options;
	struct idmap processes, files, disks, objects; /* old ids; the new one is number + 1 */
	struct idmap reported;                         /* pseudonyms that the private mapping has */
	struct output *map;                            /* the private mapping; NULL: none */
	uint64_t comments, directives, keys;           /* left out */
	uint64_t counts;                               /* in the current %counter */
	bool timed;                                    /* a time has been seen */
	int64_t moved_ns; /* added to times that count from 1970; 0: they do not */
	char extensions[EXTENSIONS_SHOWN][EXTENSION_MAX + 1]; /* that stayed */
	size_t extension_count;
	bool more_extensions;
	int status; /* enum iot_status */
	char name[ANONYMIZE_CAPACITY], text[ANONYMIZE_CAPACITY], value[ANONYMIZE_CAPACITY];
};

/* Numbers and counts start anew; told names stay. */
void anonymizer_begin(struct anonymizer *a);
void anonymizer_free(struct anonymizer *a);

/*
 * Makes an event anonymous in place; its text lives until the next call. False: it is left out, or
 * a->status says what went wrong.
 */
bool anonymize_events(struct anonymizer *a, struct iot_event *ev);

/* Writes which trace the lines that follow belong to. */
void anonymizer_report_trace(struct anonymizer *a, const char *path);

/* Writes which number became which to the mapping. */
void anonymizer_print_ids(struct anonymizer *a);

#endif
