/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a column of a line of a state. */
#ifndef LIB_ANALYZE_STATE_COLUMN_H
#define LIB_ANALYZE_STATE_COLUMN_H

#include "state.h"

enum { STATE_DIFFERENCES = '+', STATE_SCALED = '*', STATE_LINE_MAX = IOT_COMMENT_MAX - 8 };

size_t state_digits(uint128 v);
/* Appends to the line; false: it is full. */
bool state_put(struct state *s, size_t *size, const char *text, size_t n);
bool state_put_numbers(struct state *s, size_t *size, const struct state_column *c);
void state_make_values(unsigned char values[256]);
/* Loading: before the first number. */
void state_begin_numbers(const struct state *s, struct state_column *c);
bool state_read_number(const struct state *s, struct state_column *c, uint128 *v);

#endif
