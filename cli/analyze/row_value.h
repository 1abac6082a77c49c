/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ANALYZE_ROW_VALUE_H
#define CLI_ANALYZE_ROW_VALUE_H

#include "iotrace/analyze.h"

enum { ROW_PATH = 32768 };

/* The value of a row by its name, or NULL if the row has none. */
const struct iot_analyze_value *analyze_row_value(const struct iot_analyze_row *row,
						  const char *name);
/*
 * The path of a file's row for people, percent-encoded: the last one, and the first one in brackets
 * if the file was renamed. Its data is NULL if the row has none.
 */
struct iot_text analyze_row_path(const struct iot_analyze_row *row, char text[ROW_PATH]);

#endif
