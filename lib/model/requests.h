/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests of a log: all its reads, then all its writes, long ones in pieces. */
#ifndef LIB_MODEL_REQUESTS_H
#define LIB_MODEL_REQUESTS_H

#include "model.h"

struct model_request {
	uint64_t size;
	bool is_write;
};

/* Returns request i, which is less than the sum of both counts. */
struct model_request model_request_at(const struct model_system *s, const struct model_log *l,
				      uint64_t i);

#endif
