/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ANALYZE_ROW_VALUE_H
#define CLI_ANALYZE_ROW_VALUE_H

#include "iotrace/analyze.h"

/* The value of a row by its name, or NULL if the row has none. */
const struct iot_analyze_value *analyze_row_value(const struct iot_analyze_row *row,
						  const char *name);

#endif
