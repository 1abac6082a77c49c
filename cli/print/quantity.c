/* SPDX-License-Identifier: BSD-2-Clause */
#include "quantity.h"

#include <inttypes.h>

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
