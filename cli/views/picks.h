/* SPDX-License-Identifier: BSD-2-Clause */
/* The jobs that `iotrace analyze --pick` chooses. */
#ifndef CLI_VIEWS_PICKS_H
#define CLI_VIEWS_PICKS_H

#include "cli/analyze/picks.h"
#include "cli/print/form.h"

void picks_print(struct output *out, struct picks *p, const struct print_form *form);

#endif
