/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sample of the files, if there are more than fit into memory: those with a hash below a bound,
 * which is halved when too many are known. So it depends on the files alone, not on their order.
 * Files outside of it have a number in common, whose statistics are dropped in the end. Parts keep
 * all files.
 */
#ifndef LIB_ANALYZE_SAMPLE_H
#define LIB_ANALYZE_SAMPLE_H

#include "analyze_internal.h"

/* Whether there are too many rows. */
bool sample_is_due(const struct iot_analyze *a);
/* Then drops files. Returns false if out of memory. */
bool sample_limit(struct iot_analyze *a);
/*
 * Drops the common number, and ends the streams of its files; before results, states and joins of
 * traces. Returns false if out of memory.
 */
bool sample_end(struct iot_analyze *a);
/* Adds a note to the values that are those of a sample. */
void sample_note(struct iot_analyze *a);

#endif
