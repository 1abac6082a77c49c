/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as columns separated by tabs. */
#ifndef CLI_PRINT_TSV_H
#define CLI_PRINT_TSV_H

#include <iotrace/result.h>

#include "cli/ui/output.h"

/*
 * Writes a line with the names of the columns, and a line for each row. In the field of a nested
 * table, ',' separates rows, and ':' the cells of a row.
 */
void print_tsv(struct output *o, const struct iot_table *table);

#endif
