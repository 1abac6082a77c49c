/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace model` shows. */
#ifndef CLI_VIEWS_MODEL_H
#define CLI_VIEWS_MODEL_H

#include "cli/model/results.h"
#include "cli/ui/output.h"

void model_print_text(struct output *o, const struct model_results *r);
/* Jobs, or I/O nodes without jobs; without a variant the validation; of --fit, the residuals. */
void model_print_tsv(struct output *o, const struct model_results *r);
void model_print_json(struct output *o, const struct model_results *r);

#endif
