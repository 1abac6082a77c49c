/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All statistics of a layer: the type of the state and the name, in the order of saved states. A
 * row X(struct busy, busy) declares the member `busy` of struct layer, and busy_statistic. The
 * type is void * if only the file of the statistic knows the state, and states its size.
 */
#ifndef LIB_ANALYZE_REGISTRY_H
#define LIB_ANALYZE_REGISTRY_H

#include "lib/analyze/hosts/host_samples.h"
#include "lib/analyze/over_time/arrival.h"
#include "lib/analyze/over_time/busy.h"
#include "lib/analyze/over_time/cells.h"
#include "lib/analyze/over_time/concurrency.h"
#include "lib/analyze/over_time/series.h"

#include "file_users.h"
#include "latency.h"
#include "offsets.h"
#include "op_times.h"
#include "order.h"
#include "repetition.h"
#include "reuse.h"
#include "rows.h"
#include "sizes.h"
#include "slow_calls.h"
#include "statistic.h"
#include "totals.h"

/* clang-format off */
#define STATISTICS(X)                        \
	X(struct totals, totals)             \
	X(struct request_sizes, sizes)       \
	X(struct order, order)               \
	X(struct repetition, repetition)     \
	X(struct cells, cells)               \
	X(struct series, series)             \
	X(struct busy, busy)                 \
	X(struct op_times, op_times)         \
	X(struct latency, latency)           \
	X(struct arrival, arrival)           \
	X(struct concurrency, concurrency)   \
	X(struct rows, rows)                 \
	X(struct file_users, file_users)     \
	X(struct reuse, reuse)               \
	X(void *, working_set)               \
	X(void *, dependencies)              \
	X(struct offsets, offsets)           \
	X(struct slow_calls, slow_calls)     \
	X(struct host_samples, host_samples)
/* clang-format on */

#define MEMBER(TYPE, NAME) TYPE NAME;
struct layer {
	STATISTICS(MEMBER)
};
#undef MEMBER

#define NUMBER(TYPE, NAME) NUMBER_##NAME,
enum { STATISTICS(NUMBER) REGISTERED };
#undef NUMBER

#define DECLARE(TYPE, NAME) extern const struct statistic NAME##_statistic;
STATISTICS(DECLARE)
#undef DECLARE

#endif
