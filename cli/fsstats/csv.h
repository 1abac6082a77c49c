/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes surveys as csv, in the form that fsstats 1.4 publishes. */
#ifndef CLI_FSSTATS_CSV_H
#define CLI_FSSTATS_CSV_H

#include "cli/ui/output.h"
#include "survey.h"

void csv_write(struct output *o, const struct fs_survey *s);

#endif
