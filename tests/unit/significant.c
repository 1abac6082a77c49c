/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include "lib/base/significant.h"

Test(significant, numbers_have_no_exponent)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} expected[] = {
	    {0, 3, "0"},
	    {7200, 3, "7200"},
	    {86400.4, 3, "86400"},
	    {999.4, 3, "999"},
	    {999.6, 3, "1000"},
	    {12.345, 3, "12.3"},
	    {0.00135, 3, "0.00135"},
	    {2.9e-6, 4, "0.0000029"},
	    {3.2149e-5, 3, "0.0000321"},
	    {9.9999e-5, 3, "0.0001"},
	    {9.208e9, 3, "9208000000"},
	    {1234.5, 4, "1234"},
	    {270.94, 4, "270.9"},
	};
	char text[SIGNIFICANT];
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		cr_assert_str_eq(significant(text, expected[i].value, expected[i].digits),
				 expected[i].text);
}
