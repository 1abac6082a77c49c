/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ANALYZE_ORDER_STATE_H
#define LIB_ANALYZE_ORDER_STATE_H

#include "order.h"
#include "state.h"

/* After requests_state; saving: after order_add_heads. */
void order_state(struct state *s, struct order *o, const struct requests *r);

#endif
