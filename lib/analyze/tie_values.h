/* SPDX-License-Identifier: BSD-2-Clause */
/* Values and state of the sums of ties, which %counter directives declare. */
#ifndef LIB_ANALYZE_TIE_VALUES_H
#define LIB_ANALYZE_TIE_VALUES_H

#include "lib/analyze/tables/row_names.h"
#include "lib/ties/sums.h"

#include "values.h"

struct state;

/*
 * Adds section `ties`, unless the trace has none: values of kinds of ties, of all files (key
 * "total"), and of the `top` files with most bytes of disks. Sorts the sums.
 */
void tie_values(struct tie_sums *s, const struct row_names *names, size_t top, struct values *v);
void tie_state(struct state *s, struct tie_sums *sums);

#endif
