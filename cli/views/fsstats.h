/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace fsstats` shows of a survey. */
#ifndef CLI_VIEWS_FSSTATS_H
#define CLI_VIEWS_FSSTATS_H

#include "cli/fsstats/survey.h"
#include "cli/ui/output.h"

void fsstats_print_text(struct output *o, struct fs_survey *s);
void fsstats_print_tsv(struct output *o, struct fs_survey *s);
void fsstats_print_json(struct output *o, struct fs_survey *s);

#endif
