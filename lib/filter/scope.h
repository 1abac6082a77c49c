/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps events attached to their definitions across reordering. scope_attach() tags each event with
 * the %process and %file definitions that apply to it; scope_replay() emits a definition again
 * wherever the one current at the event's new position differs. Definitions are themselves events:
 * they are reordered with the others, and emitted unless they repeat the current definition at
 * their new position.
 */
#ifndef LIB_FILTER_SCOPE_H
#define LIB_FILTER_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct scope_definition; /* a %process or %file */
struct scope;            /* the definitions that apply to an event */
struct scope_entity;     /* a process or file, and its current definition on input and output */

enum { SCOPE_RECENT_MAX = 256 };

/* Cache entry: the scope of a recently looked up file. */
struct scope_recent {
	uint32_t process, file, kind, scope;
};

struct scope_tracker {
	struct error *error;
	struct scope_definition *definition; /* [0] means none, as does scope [0] */
	struct scope *scope;
	struct scope_entity *entity; /* a hash table */
	size_t tellings, definition_capacity, bearings, scope_capacity, subjects, slots;
	uint32_t free_definition, free_scope; /* free lists; 0: empty */
	size_t used;                          /* bytes */
	uint64_t seed;
	struct scope_recent in[SCOPE_RECENT_MAX], out[SCOPE_RECENT_MAX];
};

typedef int scope_replay_fn(void *context, const struct iot_event *ev, size_t n);

/* Returns IOT_OK or IOT_ENOMEM. */
int scope_tracker_init(struct scope_tracker *r, struct error *error);
void scope_tracker_free(struct scope_tracker *r);

/*
 * Tags n events, in input order. The tag replaces rec.object of records and rec.offset of
 * directives; the texts of %process and %file are moved to the tracker.
 */
int scope_attach(struct scope_tracker *r, struct iot_event *ev, size_t n);
/* Passes tagged events, in any order, to `put`, with the definitions they need. */
int scope_replay(struct scope_tracker *r, struct iot_event *ev, size_t n, scope_replay_fn *put,
		 void *context);

#endif
