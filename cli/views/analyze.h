/* SPDX-License-Identifier: BSD-2-Clause */
/* All values of an analysis: {SECTION: {NAME: VALUE, NAME: {KEY: VALUE, ...}, ...}, ...} */
#ifndef CLI_VIEWS_ANALYZE_H
#define CLI_VIEWS_ANALYZE_H

#include "cli/analyze/results.h"

void analyze_print_json(struct analyze_results *a);
/* A row for each value. */
void analyze_print_tsv(struct analyze_results *a);

#endif
