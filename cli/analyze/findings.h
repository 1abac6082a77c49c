/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings of `iotrace analyze` as text: a paragraph for each, with its remedy. */
#ifndef CLI_ANALYZE_FINDINGS_H
#define CLI_ANALYZE_FINDINGS_H

#include <iotrace/analyze.h>

#include "cli/ui/output.h"

/* Prints up to `lines` lines: findings, most important first, and the number that is left out. */
/* Returns the sentence of finding i, whose key is its code, or NULL after the last one. */
const struct iot_analyze_value *analyze_finding(const struct iot_analyze *a, size_t i);
void analyze_findings_print(struct output *out, const struct iot_analyze *a, size_t lines);

#endif
