/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace check --json` shows of a trace, or of a log of another tool. */
#ifndef CLI_VIEWS_CHECK_H
#define CLI_VIEWS_CHECK_H

#include <iotrace/source.h>

#include "cli/check/finding_list.h"
#include "cli/ui/output.h"
#include "lib/format/unseen.h"

enum { CHECK_SEVERITIES = 3 };

struct checked_trace {
	const char *path, *state;
	const struct iot_verifier *verifier;
	const struct unseen *unseen;
	uintmax_t gaps;                   /* %lost in it */
	const struct finding_list *found; /* CHECK_SEVERITIES lists, by iot_severity */
};

struct checked_log {
	const char *path, *state;
	const struct iot_source *source;
	uint64_t records, comments;
	bool complete;
	const char *error; /* "": none */
};

/* Each prints an object on one line. */
void check_print_trace(struct output *o, const struct checked_trace *t);
void check_print_log(struct output *o, const struct checked_log *l);

#endif
