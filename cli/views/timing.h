/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace simulate --time` shows of its results. */
#ifndef CLI_VIEWS_TIMING_H
#define CLI_VIEWS_TIMING_H

#include "cli/print/form.h"
#include "cli/simulate/timing.h"

void timing_print_text(struct output *out, const struct timing_report *r);
void timing_print(struct output *out, const struct timing_report *r, const struct print_form *form);

#endif
