/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tracer could not see, as values of section `trace` and as a table of a state. */
#ifndef LIB_ANALYZE_UNSEEN_VALUES_H
#define LIB_ANALYZE_UNSEEN_VALUES_H

#include "lib/format/unseen.h"

struct state;
struct values;

void unseen_values(const struct unseen *u, struct values *v);
void unseen_state(struct state *s, struct unseen *u);

#endif
