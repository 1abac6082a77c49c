/* SPDX-License-Identifier: BSD-2-Clause */
#include "size.h"

#include <stdbool.h>
#include <string.h>

#include "number.h"

/* The unit text[0..n) is base to the power of `power`; "" is 1. */
struct size_unit {
	unsigned base, power;
};

static bool parse_unit(const char *text, size_t n, struct size_unit *unit)
{
	static const char letters[] = "KMGTPE";
	const char *letter = n > 0 ? memchr(letters, text[0] & ~0x20, sizeof letters - 1) : NULL;
	*unit = (struct size_unit){1024, letter != NULL ? (unsigned)(letter - letters) + 1 : 0};
	if (n == 2 && text[1] == 'B')
		unit->base = 1000;
	return n == 0 || (letter != NULL && (n == 1 || unit->base == 1000 ||
					     (n == 3 && memcmp(text + 1, "iB", 2) == 0)));
}

enum size_status size_parse(const char *text, size_t n, uint64_t *bytes)
{
	size_t digits = 0;
	uint64_t value;
	struct size_unit unit;
	while (digits < n && number_digit(text[digits]) < 10)
		digits++;
	if (digits == 0 || !parse_unit(text + digits, n - digits, &unit))
		return SIZE_INVALID;
	bool fits = number_decimal(text, digits, &value);
	for (; fits && unit.power > 0; unit.power--)
		fits = !__builtin_mul_overflow(value, (uint64_t)unit.base, &value);
	if (!fits)
		return SIZE_TOO_LARGE;
	*bytes = value;
	return SIZE_VALID;
}
