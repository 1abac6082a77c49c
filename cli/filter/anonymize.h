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

enum iot_epoch_how { IOT_EPOCH_DROP, IOT_EPOCH_SHIFT };

struct iot_anonymize_options {
	struct iot_pseudonyms names;
	int epoch;                          /* enum iot_epoch_how */
	bool keep_comments, keep_unknown;   /* free comments; unknown directives and counters */
	uint64_t time_grain_ns, size_grain; /* 0 or 1: exact */
};

enum { IOT_ANONYMIZE_ROOM = IOT_COMMENT_MAX };

struct iot_anonymizer {
	const struct iot_anonymize_options *options;
	struct iot_map processes, files, disks, objects; /* old ids; the new one is number + 1 */
	struct iot_map told;                 /* pseudonyms that the private mapping has */
	struct iot_out *map;                 /* the private mapping; NULL: none */
	uint64_t comments, directives, keys; /* left out */
	int status;                          /* enum iot_status */
	char name[IOT_ANONYMIZE_ROOM], text[IOT_ANONYMIZE_ROOM], value[IOT_ANONYMIZE_ROOM];
};

/* Numbers and counts start anew; told names stay. */
void iot_anonymizer_begin(struct iot_anonymizer *a);
void iot_anonymizer_free(struct iot_anonymizer *a);

/*
 * Makes an event anonymous in place; its text lives until the next call. False: it is left out, or
 * a->status says what went wrong.
 */
bool iot_anonymize(struct iot_anonymizer *a, struct iot_event *ev);

/* Writes which number became which to the mapping. */
void iot_anonymizer_tell_numbers(struct iot_anonymizer *a);

#endif
