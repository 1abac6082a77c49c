/* SPDX-License-Identifier: BSD-2-Clause */
/* A cell in each form. */
#ifndef CLI_PRINT_QUANTITY_H
#define CLI_PRINT_QUANTITY_H

#include <iotrace/result.h>

#include "cli/ui/json.h"
#include "cli/ui/output.h"

enum {
	PRINT_COLUMNS_MAX = 256, /* of a table that is printed */
	QUANTITY_TEXT = 8448,    /* bytes: the text of a cell */
};

enum text_unit {
	TEXT_DEFAULT,  /* seconds, MB/s, percent, and bytes with a prefix such as MiB */
	TEXT_MS,       /* a time in milliseconds */
	TEXT_FRACTION, /* a share from 0 to 1 */
	TEXT_SIGN,     /* a share in percent, with the sign */
	TEXT_MIB,      /* bytes, or bytes per second, in MiB */
};

struct text_form {
	int digits; /* of a value that is not whole: after the point; negative: significant ones */
	enum text_unit unit;
};

/* Writes a cell as a field of TSV. A value that is unknown or absent is empty. */
void quantity_tsv(struct output *o, enum iot_quantity quantity, const struct iot_cell *cell);
/* Writes a cell as a member; nothing if it is absent. */
void quantity_json(struct json *j, const char *key, enum iot_quantity quantity,
		   const struct iot_cell *cell);
/* Writes an integer or a word as the key of a member, and returns it. */
const char *quantity_key(char *key, size_t size, const struct iot_cell *cell);

/*
 * Writes a cell as text, and returns it: "-" if it is unknown or absent; after ">" if the value is
 * a lower bound.
 */
const char *quantity_text(char text[QUANTITY_TEXT], enum iot_quantity quantity,
			  struct text_form form, const struct iot_cell *cell);

#endif
