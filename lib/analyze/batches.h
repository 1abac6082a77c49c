/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes batches of requests, and the operations between them, to the statistics: at once,
 * or with options.threads on several threads, each in the order of the trace. Every one has
 * a state of its own, so its values are the same.
 */
#ifndef LIB_ANALYZE_BATCHES_H
#define LIB_ANALYZE_BATCHES_H

#include "analyze_internal.h"

/* Returns false if out of memory. */
bool batches_new(struct iot_analyze *a);
/* The requests of up to REQUESTS_RUN records; they may wait for more. */
void batches_add(struct iot_analyze *a, const struct iot_event *ev, size_t n);
/* Passes the requests that wait. */
void batches_pass(struct iot_analyze *a);
/* Ends the streams that were replaced, or used least recently if too many are open. */
void batches_limit_streams(struct iot_analyze *a);
/* An operation of a process, for all layers. */
void batches_add_operation(struct iot_analyze *a, struct request_operation numbers,
			   const struct op *op);
/* A stream ends in all layers, after what was added before. */
void batches_end_stream(struct iot_analyze *a, size_t stream);
/* Waits until all statistics have what was added. */
void batches_drain(struct iot_analyze *a);
/* The same; what is added later is passed at once. */
void batches_end(struct iot_analyze *a);
void batches_free(struct iot_analyze *a);

#endif
