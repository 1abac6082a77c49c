/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of what a conversion noticed, as tables. The source has to outlive them. */
#ifndef CLI_VIEWS_SOURCE_LISTS_H
#define CLI_VIEWS_SOURCE_LISTS_H

#include <iotrace/result.h>
#include <iotrace/source.h>

size_t source_counts(const struct iot_source *s);

struct iot_table source_notes_table(const struct iot_source *s);
/* Lines that were not understood. */
struct iot_table source_examples_table(const struct iot_source *s);
/* Sums that the log and the records state differently. */
struct iot_table source_differences_table(const struct iot_source *s);

#endif
