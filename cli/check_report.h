/* SPDX-License-Identifier: BSD-2-Clause */
/* What check says of a trace: places as they are found, or kept for one JSON object. */
#ifndef IOT_CLI_CHECK_REPORT_H
#define IOT_CLI_CHECK_REPORT_H

#include "lib/verify/verify.h"

#include "cli/ui/output.h"

struct iot_check_place;

struct iot_check_report {
	struct iot_out *out;
	struct iot_progress *progress;
	const char *path;
	bool json, quiet, all;
	char shown[256]; /* the path, escaped */
	struct iot_check_place *place;
	size_t places, room;
	bool failed; /* out of memory: told */
};

void iot_check_report_begin(struct iot_check_report *r, const char *path);
/* Of struct iot_verify_options; the context is the report. */
void iot_check_report_found(void *report, const struct iot_finding *f);
void iot_check_report_end(struct iot_check_report *r, const struct iot_verdict *d);
void iot_check_report_free(struct iot_check_report *r);

uint64_t iot_check_errors(const struct iot_verdict *d);
uint64_t iot_check_warnings(const struct iot_verdict *d);

#endif
