/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by order.c, which adds requests, and order_join.c, which adds parts. */
#ifndef LIB_ANALYZE_ORDER_INTERNAL_H
#define LIB_ANALYZE_ORDER_INTERNAL_H

#include "order.h"

/* Of known offset. */
struct order_request {
	uint64_t offset, length;
};

void order_end_run(struct order *o, struct order_stream *s);
/* What a request of known offset is to the previous one, or a head; before it is added. */
void order_follow(struct order *o, struct order_stream *s, const struct order_request *q,
		  bool write);
bool order_follow_direction(struct order *o, struct order_stream *s, const struct order_request *q,
			    bool write);
/* The next request has no predecessor. */
void order_interrupt_mixed(struct order *o, struct order_stream *s);
void order_interrupt_direction(struct order *o, struct order_stream *s, bool write);
/* Adds the files of a part. */
bool order_join_files(struct order *o, const struct order *part, const uint32_t *file);

#endif
