/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a run that differ noticeably from those of another one. */
#ifndef CLI_ANALYZE_AGAINST_H
#define CLI_ANALYZE_AGAINST_H

#include "table.h"

/*
 * Values differ noticeably if one is at least 1.1 times the other, and shares also by 0.01; or if
 * only one is known, or texts differ.
 */
#define AGAINST_RATIO 1.1
#define AGAINST_SHARE 0.01

/* Both are finished; `before` is that of the run to compare with, path its input. */
void analyze_against_print(struct output *out, const struct iot_analyze *now,
			   const struct iot_analyze *before, const char *path,
			   enum analyze_form form);

#endif
