/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

enum { DIGITS_MAX = 18 };

bool decimal_parse(struct iot_text text, struct decimal *d)
{
	unsigned digits = 0;
	bool point = false;
	*d = (struct decimal){0, 1};
	for (size_t i = 0; i < text.size; i++) {
		const unsigned digit = number_digit(text.data[i]);
		if ((text.data[i] == '.' || text.data[i] == ',') && !point) {
			point = true;
			continue;
		}
		if (digit > 9 || ++digits > DIGITS_MAX)
			return false;
		d->digits = d->digits * 10 + digit;
		d->scale *= point ? 10 : 1;
	}
	return digits > 0;
}

static bool divide(samples_wide n, samples_wide by, uint64_t *value)
{
	n = (n + by / 2) / by;
	*value = (uint64_t)n;
	return n <= UINT64_MAX;
}

bool decimal_times(struct decimal d, uint64_t factor, uint64_t *value)
{
	return divide((samples_wide)d.digits * factor, d.scale, value);
}

bool decimal_over(struct decimal d, uint64_t factor, uint64_t took_ns, uint64_t *value)
{
	samples_wide n;
	return !__builtin_mul_overflow((samples_wide)d.digits * factor, (samples_wide)took_ns,
				       &n) &&
	       n <= ~(samples_wide)0 / 2 &&
	       divide(n, (samples_wide)d.scale * SAMPLES_NS_PER_S, value);
}
