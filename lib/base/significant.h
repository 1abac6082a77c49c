/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with a few significant digits and without an exponent, for sentences. */
#ifndef LIB_BASE_SIGNIFICANT_H
#define LIB_BASE_SIGNIFICANT_H

enum { SIGNIFICANT = 32 /* bytes of a text */ };

/* Returns a text such as 0.00135, 12.1 or 9210, with all digits before the point. */
const char *significant(char text[SIGNIFICANT], double value, int digits);

#endif
