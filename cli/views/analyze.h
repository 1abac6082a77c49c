/* SPDX-License-Identifier: BSD-2-Clause */
/* All values of an analysis: {SECTION: {NAME: VALUE, NAME: {KEY: VALUE, ...}, ...}, ...} */
#ifndef CLI_VIEWS_ANALYZE_H
#define CLI_VIEWS_ANALYZE_H

#include "cli/analyze/results.h"
#include "cli/print/form.h"

/* In a form without nested tables, a row for each value. */
void analyze_print(struct analyze_results *a, const struct print_form *form);

#endif
