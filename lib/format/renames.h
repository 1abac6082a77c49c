/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One rule for the names of objects: the last name of an object is its first one, followed by the
 * renames of the trace. All paths have one form: percent-encoded or decoded.
 */
#ifndef LIB_FORMAT_RENAMES_H
#define LIB_FORMAT_RENAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/text_blocks.h"

#include "name_tree.h"

enum { RENAMES_MAX = 1 << 28 /* bytes of all paths */ };

/* All zeros: empty. */
struct renames {
	struct rename {
		struct iot_text from, to;
		bool exchange; /* each file gets the name of the other one */
		size_t named;  /* the number of objects that had a name before it */
	} * list;
	size_t count, capacity, size;
	struct text_blocks texts;
};

/* Returns whether an event is a successful rename or exchange; its paths are percent-encoded. */
bool renames_event(const struct iot_event *ev, struct rename *one);
/* These return false if out of memory, and count in *omitted what is beyond the limit. */
bool renames_add(struct renames *r, struct rename one, uint64_t *omitted);
/* Adds the renames of a later part; named[n]: objects with a name once n of the part have one. */
bool renames_join(struct renames *r, const struct renames *part, const size_t *named,
		  uint64_t *omitted);
void renames_free(struct renames *r);

/* Last names. All zeros: none is known. */
struct last_names {
	struct name_tree tree;
	size_t followed; /* renames */
	struct last_name {
		struct iot_text path;
		size_t followed; /* renames when it was made; 0: it was not */
	} * name;                /* by object */
	size_t capacity;
	struct text_blocks texts;
};

typedef struct iot_text first_name(const void *context, size_t object);

/*
 * Follows the renames that were added since the last call; `first` returns the first names of
 * `objects` objects, in order, whose texts must stay valid. Returns false if out of memory.
 */
bool last_names_follow(struct last_names *l, const struct renames *r, size_t objects,
		       first_name *first, const void *context);
/*
 * Returns the last name of an object, with data NULL if it is the first one, or out of memory.
 * Valid until further renames are followed.
 */
struct iot_text last_names_path(struct last_names *l, size_t object, struct iot_text first);
/* Returns what last_names_path returned last of this object. */
struct iot_text last_names_known(const struct last_names *l, size_t object);
void last_names_free(struct last_names *l);

#endif
