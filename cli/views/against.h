/* SPDX-License-Identifier: BSD-2-Clause */
/* The values that differ noticeably between two runs, as tables. */
#ifndef CLI_VIEWS_AGAINST_H
#define CLI_VIEWS_AGAINST_H

#include <iotrace/analyze.h>

#include "cli/print/form.h"
#include "cli/ui/output.h"

/*
 * Both are finished; `before` is the run to compare with, path its input. Returns IOT_OK or
 * IOT_ENOMEM.
 */
int analyze_against_print(struct output *out, const struct iot_analyze *now,
			  const struct iot_analyze *before, const char *path,
			  const struct print_form *form);

#endif
