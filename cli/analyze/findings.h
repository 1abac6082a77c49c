/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings of `iotrace analyze` as text: a paragraph for each, with its remedy. */
#ifndef CLI_ANALYZE_FINDINGS_H
#define CLI_ANALYZE_FINDINGS_H

#include <iotrace/analyze.h>

#include "cli/ui/output.h"

/* Prints up to `lines` lines: findings, most important first, and the number of those left out. */
struct json;

/* Writes the findings as a list of objects. */
void analyze_findings_json(struct json *j, const struct iot_analyze *a);
void analyze_findings_print(struct output *out, const struct iot_analyze *a, size_t lines);

#endif
