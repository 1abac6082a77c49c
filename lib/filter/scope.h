/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps events attached to their definitions across reordering. scope_attach() sets a tag for each
 * event: the %process and %file definitions that apply to it, or the definition that it is;
 * scope_replay() emits a definition again wherever the one current at the event's new position
 * differs. Definitions are themselves events: they are reordered with the others, and emitted
 * unless they repeat the current definition at their new position.
 */
#ifndef LIB_FILTER_SCOPE_H
#define LIB_FILTER_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/idmap.h"

struct scope_definition; /* a %process or %file */
struct scope;            /* the definitions that apply to an event */
struct scope_entity;     /* a process or file, and its current definition on input and output */

enum { SCOPE_RECENT_MAX = 256, SCOPE_KINDS = 4 };

/* Cache entry: the scope of a recently looked up file. */
struct scope_recent {
	uint32_t process, file, kind, scope;
};

struct scope_tracker {
	struct error *error;
	struct scope_definition *definition; /* [0] means none, as does scope [0] */
	struct scope *scope;
	struct scope_entities {
		struct idmap ids; /* process and file */
		struct scope_entity *entity;
		size_t capacity;
	} of[SCOPE_KINDS]; /* [0] is unused */
	size_t definitions, definition_capacity, scopes, scope_capacity, entities;
	uint32_t free_definition, free_scope; /* free lists; 0: empty */
	uint32_t dropped;                     /* definitions without references, with their texts */
	size_t used;                          /* bytes */
	struct scope_recent in[SCOPE_RECENT_MAX], out[SCOPE_RECENT_MAX];
};

/* Returns IOT_OK or IOT_ENOMEM. */
int scope_tracker_init(struct scope_tracker *t, struct error *error);
void scope_tracker_free(struct scope_tracker *t);

/*
 * Sets the tags of n events, in input order. The texts of %process and %file move to the tracker,
 * and rec.object of records becomes the difference from the definition's, until they are
 * replayed. Returns IOT_OK or a negative status.
 */
int scope_attach(struct scope_tracker *t, struct iot_event *ev, uint32_t *tag, size_t n);

enum scope_step { SCOPE_EVENT, SCOPE_DEFINITION, SCOPE_NOTHING };

/*
 * Replays the first events, of n, that are records with current definitions; returns their number.
 */
size_t scope_pass(struct scope_tracker *t, struct iot_event *ev, const uint32_t *tag, size_t n);
/*
 * Replays the next event of the output. Returns SCOPE_EVENT if *ev is next, whose text may have
 * been set; SCOPE_DEFINITION if *definition precedes it: call again for the same event;
 * SCOPE_NOTHING if it repeats the current definition; or a negative status.
 */
int scope_replay(struct scope_tracker *t, struct iot_event *ev, uint32_t tag,
		 struct iot_event *definition);
/* Frees texts that the events replayed so far may have. */
void scope_release(struct scope_tracker *t);

#endif
