/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the rows of --by. */
#ifndef CLI_SIMULATE_ROW_NAME_H
#define CLI_SIMULATE_ROW_NAME_H

#include "lib/simulate/breakdown.h"

enum { ROW_NAME_CAPACITY = 4200 };

/* The value of --by. */
const char *row_by_name(enum breakdown_by by);
/*
 * The name of a row, such as a path or "process 7". The reader knows the names of objects; text:
 * ROW_NAME_CAPACITY bytes, which the result may be.
 */
const char *row_name(char *text, struct iot_reader *reader, struct breakdown_name name,
		     enum breakdown_by by, bool physical);

#endif
