/* SPDX-License-Identifier: BSD-2-Clause */
/* What stages of the library share. */
#ifndef LIB_STREAM_BATCH_H
#define LIB_STREAM_BATCH_H

#include <iotrace/stream.h>

/* Exchanges the events and texts of two batches of the library. */
void batch_swap(struct iot_batch *a, struct iot_batch *b);
/* As iot_stream_prefetch, but the first batch is pulled in the caller's thread. */
struct iot_stream *stream_prefetch_rest(struct iot_stream *upstream);

#endif
