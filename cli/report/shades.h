/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of a range of values, darker for more; logarithmic if the range is wide. */
#ifndef CLI_REPORT_SHADES_H
#define CLI_REPORT_SHADES_H

#include <stdbool.h>

#include "cli/ui/output.h"

enum { SHADES = 32 };

struct shades {
	double min, max; /* of the values > 0 */
};

bool shades_are_log(const struct shades *s);
/* The shade of a value > 0, and the lowest value of a shade. */
unsigned shades_of(const struct shades *s, double value);
double shades_value(const struct shades *s, unsigned shade);
void shades_write(struct output *o, unsigned shade);
/* Begins a path of a shade; its data follow. */
void shades_begin_path(struct output *o, unsigned shade);
/* The shades as a column, lowest at the bottom, with the ends of the range as texts. */
void shades_write_key(struct output *o, const struct shades *s, int x, int top, int height,
		      const char *low, const char *high);

#endif
