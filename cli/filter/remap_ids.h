/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New ids for old ones: in a record's fields, and in the text of directives, also of those that this
 * version does not know, as iotrace(5) asks of whoever renumbers. Keys with ids are process=,
 * parent=, thread-of= (processes), file= (files), object= (objects), and id= in %process and %file.
 */
#ifndef CLI_FILTER_REMAP_IDS_H
#define CLI_FILTER_REMAP_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum remapped_id { ID_PROCESS, ID_FILE, ID_OBJECT, ID_KINDS };

/*
 * Says what an id becomes, in *to. ev: the event that it stands in, with its old ids (whose process
 * a file is of, or which path an object has). Not asked about object 0, which is none. False: out
 * of memory.
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
 * In place; a text that changes lives until the next call, one that does not stays where it is. All
 * keys of an id are rewritten if a directive repeats them; values that are no id are left alone.
 * False: out of memory, or map said so.
 */
bool remap_ids_event(struct remap_ids *r, struct iot_event *ev);
void remap_ids_free(struct remap_ids *r);

#endif
