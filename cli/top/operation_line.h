/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations as lines of a table. */
#ifndef CLI_TOP_OPERATION_LINE_H
#define CLI_TOP_OPERATION_LINE_H

#include <stddef.h>

#include "cells.h"
#include "operation_rates.h"

/* Returns whether `ns` is known: false if there are calls, but none has a duration. */
bool operation_has_times(const struct iot_stats_operation *o);

/* Both write a line of at most `capacity` bytes, with its NUL. */
void operation_head(char *line, size_t capacity);
void operation_line(const struct period *p, const struct operation_rate *row, char *line,
		    size_t capacity);

#endif
