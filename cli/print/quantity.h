/* SPDX-License-Identifier: BSD-2-Clause */
/* A cell in each form. */
#ifndef CLI_PRINT_QUANTITY_H
#define CLI_PRINT_QUANTITY_H

#include <iotrace/result.h>

#include "cli/ui/json.h"
#include "cli/ui/output.h"

/* Writes a cell as a field of TSV. A value that is unknown or absent is empty. */
void quantity_tsv(struct output *o, enum iot_quantity quantity, const struct iot_cell *cell);

#endif
