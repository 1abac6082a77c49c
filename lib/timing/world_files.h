/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of a world: which one a record or an operation refers to, and when it is unlinked. */
#ifndef LIB_TIMING_WORLD_FILES_H
#define LIB_TIMING_WORLD_FILES_H

#include "world.h"

struct world_file {
	uint32_t open; /* its object + 1; 0: closed */
	bool direct;
};

#define OBJECT_NONE UINT32_MAX

/* These return OBJECT_NONE if out of memory. */
uint32_t world_object_of_record(struct world *w, const struct iot_record *rec);
/* The object of blocks that are never used again. */
uint32_t world_fresh_object(struct world *w);
/* The object that an operation names by file or path; OBJECT_NONE also if it is unknown. */
uint32_t world_object_of_operation(struct world *w, const struct iot_event *ev);

/* A %file. Returns false if out of memory. */
bool world_file_defined(struct world *w, const struct iot_event *ev);
/* Operations that succeeded. Return whether the blocks of the object leave the cache. */
bool world_unlinked(struct world *w, const struct iot_event *ev, uint32_t object);
bool world_file_closed(struct world *w, const struct iot_event *ev, uint32_t *object);
/* These return false if out of memory. */
bool world_renamed(struct world *w, const struct iot_event *ev);
bool world_exchanged(struct world *w, const struct iot_event *ev);
/* Returns whether this open file bypasses the cache. */
bool world_file_is_direct(const struct world *w, const struct iot_record *rec);
bool world_file_opened(struct world *w, const struct iot_event *ev);

#endif
