/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ANALYZE_HOSTS_HOST_SAMPLES_STATE_H
#define LIB_ANALYZE_HOSTS_HOST_SAMPLES_STATE_H

#include "host_samples.h"

struct state;

/* Saving: the samples are settled; loading settles them. */
void host_samples_state(struct state *s, void *of, const struct requests *requests);

#endif
