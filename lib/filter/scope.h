/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that change their order keep what %process and %file said of them. On the way in each event
 * is tagged with the directives in force for it; on the way out these are told again where others, or
 * none, are in force by then. A %process or %file itself goes its way like any event, and is told
 * unless it says nothing new where it comes to stand.
 */
#ifndef LIB_FILTER_SCOPE_H
#define LIB_FILTER_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct scope_definition; /* a %process or %file */
struct scope;            /* the tellings that an event is under */
struct scope_entity;     /* a process or a file, and what is told of it on both sides */

enum { SCOPE_RECENT_MAX = 256 };

/* The bearing of a file that was looked up lately. */
struct scope_recent {
	uint32_t process, file, kind, scope;
};

struct scope_tracker {
	struct error *error;
	struct scope_definition *definition; /* [0] stands for none, as bearing [0] does */
	struct scope *scope;
	struct scope_entity *entity; /* a hash table */
	size_t tellings, definition_capacity, bearings, scope_capacity, subjects, slots;
	uint32_t free_definition, free_scope; /* lists; 0: empty */
	size_t used;                          /* bytes */
	uint64_t seed;
	struct scope_recent in[SCOPE_RECENT_MAX], out[SCOPE_RECENT_MAX];
};

typedef int scope_replay_fn(void *context, const struct iot_event *ev, size_t n);

/* IOT_OK or IOT_ENOMEM. */
int scope_tracker_init(struct scope_tracker *r, struct error *error);
void scope_tracker_free(struct scope_tracker *r);

/*
 * Tags n events, in the order of the input: rec.object of records, rec.offset of directives are
 * taken for that, and what %process and %file say is kept here instead of in their text.
 */
int scope_attach(struct scope_tracker *r, struct iot_event *ev, size_t n);
/* Hands events that were tagged, in whatever order, to `put`, with the directives they need. */
int scope_replay(struct scope_tracker *r, struct iot_event *ev, size_t n, scope_replay_fn *put,
		 void *context);

#endif
