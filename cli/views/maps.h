/* SPDX-License-Identifier: BSD-2-Clause */
/* The criteria of section `map` of several runs side by side. */
#ifndef CLI_VIEWS_MAPS_H
#define CLI_VIEWS_MAPS_H

#include "cli/analyze/map.h"
#include "cli/print/form.h"

/* Sorts the runs, and prints a column for each. */
void maps_print(struct analyze_maps *m, struct output *out, const struct print_form *form);

#endif
