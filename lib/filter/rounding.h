/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the times that a tick coarser than the input rounds down. */
#ifndef LIB_FILTER_ROUNDING_H
#define LIB_FILTER_ROUNDING_H

#include <iotrace/filter.h>

/* Examines n events or records before they are written. */
void rounding_events(struct iot_rounding *r, const struct iot_event *ev, size_t n);
void rounding_records(struct iot_rounding *r, const struct iot_record *rec, size_t n);

#endif
