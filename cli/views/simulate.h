/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace simulate` shows of its results. */
#ifndef CLI_VIEWS_SIMULATE_H
#define CLI_VIEWS_SIMULATE_H

#include "cli/print/form.h"
#include "cli/simulate/results.h"

void simulate_print_text(struct simulate_results *r);
void simulate_print(struct simulate_results *r, const struct print_form *form);

#endif
