/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of a link. Messages with data are sent in the order of their arrival. A message
 * without data waits only for the message that is being sent.
 */
#ifndef LIB_MODEL_LINK_H
#define LIB_MODEL_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_link {
	int64_t *end; /* a ring: the ends of messages that have not been sent */
	size_t first, count, capacity;
	int64_t free_ps; /* the end of the last message */
};

/* Sends a message that arrives now. Returns the time of its end; -1 if out of memory. */
int64_t model_link_send(struct model_link *l, int64_t now_ps, int64_t duration_ps);
/* Returns when a message without data that arrives now has passed. */
int64_t model_link_pass(struct model_link *l, int64_t now_ps);
void model_link_free(struct model_link *l);

#endif
