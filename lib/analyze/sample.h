/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sample of the files, if there are more than fit into memory: those with a hash below a bound,
 * which is halved when too many are known. So it depends on the files alone, not on their order,
 * and the sample of a part is one of the trace. Files outside of it have a number in common, whose
 * statistics are dropped, while their sums are exact (file_sums.h); their streams go on. Files of
 * operations whose definition an earlier part has are in every sample until they are known.
 */
#ifndef LIB_ANALYZE_SAMPLE_H
#define LIB_ANALYZE_SAMPLE_H

#include "analyze_internal.h"

/* Returns whether there are too many rows. */
bool sample_is_due(const struct iot_analyze *a);
/* These return false if out of memory. */
/* Then drops files. */
bool sample_limit(struct iot_analyze *a);
/* The same after a part was joined, with files that the sample of the other one has not. */
bool sample_join(struct iot_analyze *a);
/* Drops the statistics of the common number; before states. */
bool sample_clear(struct iot_analyze *a);
/* Drops the number as well; before results and joins of traces, after all streams have ended. */
bool sample_end(struct iot_analyze *a);
/* Adds a note to the values of a sample. */
void sample_note(struct iot_analyze *a);

#endif
