/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers processes and threads in the order of their first use, and knows which process a thread
 * belongs to.
 */
#ifndef LIB_ENTITIES_PROCESS_IDS_H
#define LIB_ENTITIES_PROCESS_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

/* All zeros: empty. */
struct process_ids {
	struct idmap map; /* of the ids of a trace */
	uint32_t *owner;  /* of a thread: number of its process + 1; 0: itself */
	uint32_t owner_changes;
	bool *active; /* processes with a request or an operation */
	size_t owner_capacity, active_capacity, active_count;
};

/* The number of a process or thread; SIZE_MAX if out of memory. */
size_t process_ids_number(struct process_ids *p, uint32_t id);
/* The process of a thread, which is not followed further. */
size_t process_ids_owner(const struct process_ids *p, size_t thread);
/*
 * Applies the key thread-of of a %process, unless per_thread: each thread is then a process of its
 * own. Returns false if out of memory.
 */
bool process_ids_define(struct process_ids *p, const struct iot_event *ev, bool per_thread);
/* Returns false if out of memory. */
bool process_ids_mark_active(struct process_ids *p, size_t number);
void process_ids_free(struct process_ids *p);

#endif
