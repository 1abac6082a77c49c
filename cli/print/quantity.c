/* SPDX-License-Identifier: BSD-2-Clause */
#include "quantity.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/ui/printable.h"
#include "lib/base/number.h"

static void write_number(struct output *o, uint64_t value)
{
	char *to = output_reserve(o, NUMBER_DIGITS_MAX);
	output_took(o, to + number_dec(to, value));
}

void quantity_tsv(struct output *o, enum iot_quantity quantity, const struct iot_cell *cell)
{
	char real[REAL_CAPACITY];
	switch (cell->kind) {
	case IOT_UNKNOWN:
	case IOT_ABSENT:
	case IOT_TABLE: /* has more than one value */
		break;
	case IOT_INTEGER:
		write_number(o, cell->integer);
		break;
	case IOT_SIGNED:
		output_printf(o, "%" PRId64, cell->signed_integer);
		break;
	case IOT_REAL:
		output_text(o, printable_real(real, cell->real));
		break;
	case IOT_TEXT:
		if (quantity == IOT_NAME)
			output_encoded(o, cell->text.data, cell->text.size);
		else
			output_write(o, cell->text.data, cell->text.size);
		break;
	}
}

void quantity_json(struct json *j, const char *key, enum iot_quantity quantity,
		   const struct iot_cell *cell)
{
	switch (cell->kind) {
	case IOT_UNKNOWN:
		json_null(j, key);
		break;
	case IOT_ABSENT:
	case IOT_TABLE:
		break;
	case IOT_INTEGER:
		if (quantity == IOT_FLAG)
			json_bool(j, key, cell->integer != 0);
		else
			json_number(j, key, cell->integer);
		break;
	case IOT_SIGNED:
		json_signed(j, key, cell->signed_integer);
		break;
	case IOT_REAL:
		json_exact(j, key, cell->real);
		break;
	case IOT_TEXT:
		json_text(j, key, cell->text.data, cell->text.size);
		break;
	}
}

const char *quantity_key(char *key, size_t size, const struct iot_cell *cell)
{
	snprintf(key, size, "%" PRIu64, cell->integer);
	return key;
}
