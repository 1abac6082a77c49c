/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves or loads the numbering of requests, before all statistics that refer to it; see state.h. */
#ifndef LIB_ANALYZE_REQUESTS_STATE_H
#define LIB_ANALYZE_REQUESTS_STATE_H

#include "requests.h"
#include "state.h"

void requests_state(struct state *s, struct requests *r);

#endif
