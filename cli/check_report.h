/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of check: findings are printed as they occur, or kept for one JSON object. */
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "lib/verify/verify.h"

#include "cli/ui/output.h"

struct check_place;

struct check_report {
	struct output *out;
	struct progress *progress;
	const char *path;
	bool json, quiet, all;
	char shown[256]; /* the path, escaped */
	struct check_place *place;
	size_t places, capacity;
	bool failed; /* out of memory, already reported */
};

void check_report_begin(struct check_report *r, const char *path);
/* Callbacks of struct verify_options; the context is the report. */
void check_report_found(void *report, const struct finding *f);
void check_report_end(struct check_report *r, const struct verdict *d);
void check_report_free(struct check_report *r);

uint64_t check_errors(const struct verdict *d);
uint64_t check_warnings(const struct verdict *d);

#endif
