/* SPDX-License-Identifier: BSD-2-Clause */
/* A cell in each form. */
#ifndef CLI_PRINT_QUANTITY_H
#define CLI_PRINT_QUANTITY_H

#include <iotrace/result.h>

#include "cli/ui/json.h"
#include "cli/ui/output.h"

enum { PRINT_COLUMNS_MAX = 64 }; /* of a table that is printed */

/* Writes a cell as a field of TSV. A value that is unknown or absent is empty. */
void quantity_tsv(struct output *o, enum iot_quantity quantity, const struct iot_cell *cell);
/* Writes a cell as a member; nothing if it is absent. */
void quantity_json(struct json *j, const char *key, enum iot_quantity quantity,
		   const struct iot_cell *cell);
/* Writes an integer as the key of a member, and returns it. */
const char *quantity_key(char *key, size_t size, const struct iot_cell *cell);

#endif
