/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes identifying information from events with an allow-list: the keys of directives listed
 * here are rewritten; all others are dropped and counted.
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
	struct idmap reported;                         /* pseudonyms in the private mapping */
	struct output *map;                            /* the private mapping, or NULL */
	uint64_t comments, directives, keys;           /* dropped */
	uint64_t counts;                               /* in the current %counter */
	bool timed;                                    /* a time was seen */
	int64_t moved_ns; /* added to times that count from 1970; 0: the trace has none */
	char extensions[EXTENSIONS_SHOWN][EXTENSION_MAX + 1]; /* extensions that were kept */
	size_t extension_count;
	bool more_extensions;
	int status; /* enum iot_status */
	char name[ANONYMIZE_CAPACITY], text[ANONYMIZE_CAPACITY], value[ANONYMIZE_CAPACITY];
};

/* Restarts numbers and counts; names in the mapping are not repeated. */
void anonymizer_begin(struct anonymizer *a);
void anonymizer_free(struct anonymizer *a);

/*
 * Anonymizes an event in place; its text is valid until the next call. Returns false if the event
 * is dropped, or if a->status is an error.
 */
bool anonymize_events(struct anonymizer *a, struct iot_event *ev);

/* Writes the name of the trace that the following lines belong to. */
void anonymizer_report_trace(struct anonymizer *a, const char *path);

/* Writes the old and new numbers to the mapping. */
void anonymizer_print_ids(struct anonymizer *a);

#endif
