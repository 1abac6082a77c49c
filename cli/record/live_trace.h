/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up traces that are written while programs run. */
#ifndef CLI_RECORD_LIVE_TRACE_H
#define CLI_RECORD_LIVE_TRACE_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

/*
 * Sets up a writer whose output can be read while it grows. is_new: the file must not exist.
 * Returns the status.
 */
int live_trace_set(struct iot_writer *w, bool is_new, enum iot_compression compression);
/* Adds host, user and job to a %trace. */
void live_trace_names(struct iot_builder *b);

#endif
