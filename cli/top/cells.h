/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of few characters, for the cells of a table. */
#ifndef CLI_TOP_CELLS_H
#define CLI_TOP_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { CELL = 16 };

/* Rates of the interval; after the end, averages of the whole trace. */
struct period {
	double seconds; /* 0: unknown */
	bool all;
};

/* All return the text, "-" if the value is not known. */

/* "999", "1.5K", "12M", in powers of `unit`. */
const char *cell_scaled(char text[CELL], bool known, double value, double unit);
/* "0.25", "12.00", "150", in seconds. */
const char *cell_seconds(char text[CELL], bool known, double s);
/* "12ns", "3.4us", "120ms", "2.5s" */
const char *cell_duration(char text[CELL], bool known, double ns);
/* A count per second. */
const char *cell_rate(char text[CELL], bool known, const struct period *p, uint64_t count,
		      double unit);

#endif
