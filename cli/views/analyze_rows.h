/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of `iotrace analyze`, by process, rank, host, file, directory or operation. */
#ifndef CLI_VIEWS_ANALYZE_ROWS_H
#define CLI_VIEWS_ANALYZE_ROWS_H

#include "cli/analyze/results.h"
#include "cli/print/form.h"

/* Prints up to `top` rows. Returns an enum iot_status. */
int analyze_rows_print(struct output *out, struct iot_analyze *a, enum iot_analyze_by by,
		       const struct print_form *form, uint64_t top);

#endif
