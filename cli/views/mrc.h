/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace mrc` shows of its results. */
#ifndef CLI_VIEWS_MRC_H
#define CLI_VIEWS_MRC_H

#include "cli/print/form.h"
#include "cli/simulate/mrc_results.h"

void mrc_print_text(struct mrc_results *m);
void mrc_print(struct mrc_results *m, const struct print_form *form);

#endif
