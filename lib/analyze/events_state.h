/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a state, instead of its statistics. See kept_events.h. */
#ifndef LIB_ANALYZE_EVENTS_STATE_H
#define LIB_ANALYZE_EVENTS_STATE_H

#include "kept_events.h"
#include "state.h"

/* Saves the events, or passes the events of a state to `add`, in batches. */
void events_state(struct state *s, const struct kept_events *k,
		  int (*add)(void *context, const struct iot_event *ev, size_t n), void *context);
/* The same for equal events, on any machine. */
uint64_t events_hash(const struct kept_events *k);

#endif
