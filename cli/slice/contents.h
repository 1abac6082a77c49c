/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the content of a trace whose slice is empty, so that the next slice is not a guess. */
#ifndef CLI_SLICE_CONTENTS_H
#define CLI_SLICE_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

enum { CONTENTS_SHOWN = 5 /* names of each kind */ };

struct contents_names {
	struct idmap ids;
	char *name[CONTENTS_SHOWN]; /* printable */
	size_t named;
};

struct contents {
	uint64_t records, events;
	int64_t first_ns, last_ns; /* starts */
	bool any_start;
	bool failed; /* out of memory */
	struct contents_names processes, files;
	struct idmap ranks;
	uint64_t first_rank, last_rank;
};

/* Returns whether names of further events would be collected. */
bool contents_wants_more(const struct contents *s);

void contents_events(struct contents *s, const struct iot_event *ev, size_t n);

/*
 * Prints messages: the span, also as wall-clock times if epoch_ns is not NULL; with names, also the
 * processes, files and ranks. shown: the trace's name.
 */
void contents_report(const struct contents *s, const char *shown, const uint64_t *epoch_ns,
		     bool names);

void contents_free(struct contents *s);

#endif
