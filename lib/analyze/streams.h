/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends of streams, in the statistics of all layers. */
#ifndef LIB_ANALYZE_STREAMS_H
#define LIB_ANALYZE_STREAMS_H

#include "analyze_internal.h"

void streams_end(struct iot_analyze *a, size_t stream);
/* After a batch: ends the streams that have been replaced, or end early. */
void streams_end_replaced(struct iot_analyze *a);

#endif
