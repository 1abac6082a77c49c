/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace stat` shows of its results. */
#ifndef CLI_VIEWS_STAT_H
#define CLI_VIEWS_STAT_H

#include "cli/print/form.h"
#include "cli/stat/results.h"

void stat_print_text(struct stat_results *s);
void stat_print(struct stat_results *s, const struct print_form *form);

/* Returns the word of --by. */
const char *stat_by_name(int by);

#endif
