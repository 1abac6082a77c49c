/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches with the memory for their text. */
#ifndef LIB_STREAM_BATCH_H
#define LIB_STREAM_BATCH_H

#include <iotrace/stream.h>

/* Exchanges the events and texts of two batches of the library. */
void batch_swap(struct iot_batch *a, struct iot_batch *b);

#endif
