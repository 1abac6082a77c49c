/* SPDX-License-Identifier: BSD-2-Clause */
#include "significant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number from 1e-12 to 1e-4, for which %g has an exponent. */
static void small(char text[SIGNIFICANT], double value, int digits)
{
	snprintf(text, SIGNIFICANT, "%.*f", digits - 1 - (int)floor(log10(value)), value);
	for (size_t n = strlen(text); text[n - 1] == '0'; n--)
		text[n - 1] = '\0';
}

const char *significant(char text[SIGNIFICANT], double value, int digits)
{
	if (value > 1e-12 && value < 1e-4)
		small(text, value, digits);
	else if (value >= pow(10, digits) - 0.5 && value < 1e18)
		snprintf(text, SIGNIFICANT, "%.0f", value);
	else
		snprintf(text, SIGNIFICANT, "%.*g", digits, value);
	return text;
}
