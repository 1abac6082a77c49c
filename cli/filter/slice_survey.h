/* SPDX-License-Identifier: BSD-2-Clause */
/* Surveys a trace to explain an empty slice, so that the user need not guess the next one. */
#ifndef CLI_FILTER_SLICE_SURVEY_H
#define CLI_FILTER_SLICE_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

enum {
	SURVEY_SHOWN = 5,           /* names of each kind */
	SURVEY_EVENTS_MAX = 1 << 20 /* events examined for names */
};

struct survey_names {
	struct idmap ids;
	char *name[SURVEY_SHOWN]; /* printable */
	size_t named;
};

struct survey {
	uint64_t records, events;
	int64_t first_ns, last_ns; /* starts */
	bool any_start;
	bool failed; /* out of memory */
	struct survey_names processes, files;
	struct idmap ranks;
	uint64_t first_rank, last_rank;
};

void survey_events(struct survey *s, const struct iot_event *ev, size_t n);
/* Whether following events would still be examined for names. */
bool survey_wants_more(const struct survey *s);
/*
 * Prints messages: the span, also as wall-clock times if epoch_ns is not NULL; with names, also the
 * processes, files and ranks. shown: the trace's name.
 */
void survey_report(const struct survey *s, const char *shown, const uint64_t *epoch_ns, bool names);
void survey_free(struct survey *s);

#endif
