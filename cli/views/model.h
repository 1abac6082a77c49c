/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace model` shows. */
#ifndef CLI_VIEWS_MODEL_H
#define CLI_VIEWS_MODEL_H

#include "cli/model/results.h"
#include "cli/print/form.h"

void model_print_text(struct output *o, const struct model_results *r);
/*
 * Prints a row per job (per I/O node if there are no jobs); without a variant, the validation; with
 * --fit, the residuals.
 */
void model_print(struct output *o, const struct model_results *r, const struct print_form *form);

#endif
