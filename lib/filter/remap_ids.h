/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces ids: in the fields of a record, and in the text of directives, including unknown ones,
 * as iotrace(5) requires. Keys with ids are process=, parent=, thread-of= (processes), file=
 * (files), object= (objects), and id= in %process and %file.
 */
#ifndef LIB_FILTER_REMAP_IDS_H
#define LIB_FILTER_REMAP_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/filter.h>

enum remapped_id { ID_PROCESS = IOT_ID_PROCESS, ID_FILE, ID_OBJECT, ID_KINDS };

/*
 * Stores the new id in *to. ev: the event that contains it, with its old ids (for the process of a
 * file, or the path of an object). Not called for object 0. Returns false if out of memory.
 */
typedef bool remap_id_fn(void *context, enum remapped_id kind, uint32_t id,
			 const struct iot_event *ev, uint32_t *to);

struct remap_ids {
	remap_id_fn *map;
	void *context;
	char *text; /* of the event that was rewritten last */
	size_t capacity;
};

/*
 * Works in place; a text that changes is valid until the next call, an unchanged one stays where it
 * is. All keys of an id are rewritten if a directive repeats them; malformed values are not
 * changed. Returns false if out of memory, or if map does.
 */
bool remap_ids_event(struct remap_ids *r, struct iot_event *ev);
void remap_ids_free(struct remap_ids *r);

#endif
