/* SPDX-License-Identifier: BSD-2-Clause */
#include "quantity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

static void copy_text(char *to, size_t size, struct iot_text text)
{
	const size_t n = text.size < size ? text.size : size - 1;
	memcpy(to, text.data, n);
	to[n] = '\0';
}

const char *quantity_key(char *key, size_t size, const struct iot_cell *cell)
{
	if (cell->kind == IOT_TEXT)
		copy_text(key, size, cell->text);
	else
		snprintf(key, size, "%" PRIu64, cell->integer);
	return key;
}

static double value_of(const struct iot_cell *cell)
{
	return cell->kind == IOT_INTEGER  ? (double)cell->integer
	       : cell->kind == IOT_SIGNED ? (double)cell->signed_integer
					  : cell->real;
}

/* A value in the unit of the text. */
static double in_unit(double value, enum iot_quantity quantity, enum text_unit unit)
{
	if (unit == TEXT_MIB)
		return value / (1 << 20);
	switch (quantity) {
	case IOT_NS:
		return value / (unit == TEXT_MS ? 1e6 : 1e9);
	case IOT_SHARE:
		return unit == TEXT_FRACTION ? value : 100 * value;
	case IOT_BYTES_PER_S:
		return value / 1e6;
	default:
		return value;
	}
}

/* Returns whether the values of a quantity are whole numbers, shown as they are. */
static bool is_whole(enum iot_quantity quantity, const struct iot_cell *cell)
{
	return cell->kind == IOT_INTEGER && (quantity == IOT_COUNT || quantity == IOT_ID);
}

const char *quantity_text(char text[QUANTITY_TEXT], enum iot_quantity quantity,
			  struct text_form form, const struct iot_cell *cell)
{
	const bool known = cell->kind != IOT_UNKNOWN && cell->kind != IOT_ABSENT;
	char *to = text;
	if (known && cell->why != NULL)
		*to++ = '>';
	const size_t size = QUANTITY_TEXT - (size_t)(to - text);
	if (!known || cell->kind == IOT_TABLE)
		snprintf(to, size, "-");
	else if (cell->kind == IOT_TEXT && quantity == IOT_NAME)
		printable(to, size, cell->text.data, cell->text.size);
	else if (cell->kind == IOT_TEXT)
		copy_text(to, size, cell->text);
	else if (form.digits < 0)
		snprintf(to, size, "%.*g", -form.digits,
			 in_unit(value_of(cell), quantity, form.unit));
	else if (quantity == IOT_BYTES && cell->kind == IOT_INTEGER)
		printable_bytes(to, size, cell->integer);
	else if (is_whole(quantity, cell))
		to[number_dec(to, cell->integer)] = '\0';
	else
		snprintf(to, size, "%.*f%s", form.digits,
			 in_unit(value_of(cell), quantity, form.unit),
			 form.unit == TEXT_SIGN ? "%" : "");
	return text;
}
