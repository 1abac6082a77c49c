/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of `iotrace analyze` as text for people. */
#ifndef CLI_ANALYZE_SHOWN_H
#define CLI_ANALYZE_SHOWN_H

#include <stdbool.h>

#include <iotrace/analyze.h>

#include "lib/format/unseen.h"

enum {
	SHOWN_FIELD = 32,
	ANALYZE_TEXT_MAX = 1 << 16, /* bytes of a text, which is part of a line */
};

enum shown { SHOWN_COUNT, SHOWN_BYTES, SHOWN_REAL, SHOWN_PERCENT, SHOWN_WORD, SHOWN_YES };

/* Decodes a text; returns its size. */
size_t analyze_decode(char text[ANALYZE_TEXT_MAX], struct iot_text value);
/* The number of a value of kind IOT_VALUE_NUMBER or IOT_VALUE_REAL. */
double shown_real(const struct iot_analyze_value *v);
/* The same of any value; NAN if it is NULL or unknown. */
double shown_known(const struct iot_analyze_value *v);
/* "-" if the value is NULL or unknown; SHOWN_COUNT is for numbers, SHOWN_WORD for short texts. */
const char *shown_value(char text[SHOWN_FIELD], enum shown as, const struct iot_analyze_value *v);
/* Nanoseconds, in the largest unit of which there is at least one. */
const char *shown_time(char text[SHOWN_FIELD], const struct iot_analyze_value *v);
/*
 * Names a file without a path by its key, in the form that stat uses. Returns false for other keys.
 */
bool analyze_file_label(char *label, size_t size, const char *key);
/* What the tracer could not see, as the values state it. */
void shown_unseen(const struct iot_analyze *a, struct unseen *u);

#endif
