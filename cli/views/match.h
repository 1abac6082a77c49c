/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace match` shows. */
#ifndef CLI_VIEWS_MATCH_H
#define CLI_VIEWS_MATCH_H

#include "cli/match/match.h"
#include "cli/ui/output.h"

/* The bytes that each strategy matches, and samples by the number of their jobs. */
void match_print_text(struct output *o, const struct match *m);
/* The bytes of each job that has samples. */
void match_print_tsv(struct output *o, const struct match *m, const size_t *jobs, size_t count);

#endif
