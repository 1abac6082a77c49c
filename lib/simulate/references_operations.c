/* SPDX-License-Identifier: BSD-2-Clause */
/* What definitions and operations do to the blocks of files: closes, names, sizes. */
#include "references_internal.h"

#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

static uint64_t path_key(struct iot_text path)
{
	return XXH3_64bits(path.data, path.size);
}

static int set_path(struct references *r, struct iot_text path, uint32_t object)
{
	const size_t i = idmap_number(&r->path_map, path_key(path));
	if (!array_reserve_index(&r->path_object, &r->path_capacity, i, sizeof *r->path_object))
		return references_no_memory(r);
	r->path_object[i] = object;
	return IOT_OK;
}

/* The object of the trace that a path names; 0 if unknown. */
static uint32_t path_object(const struct references *r, struct iot_text path)
{
	const size_t i = path.data != NULL ? idmap_find(&r->path_map, path_key(path)) : SIZE_MAX;
	return i != SIZE_MAX ? r->path_object[i] : 0;
}

static void add_action(struct references *r, struct reference_batch *b, size_t object,
		       uint64_t from, bool drop)
{
	struct reference_object *o = &r->objects[object];
	const bool all = drop && r->options.prefetching && from < REFERENCES_BLOCKS_MAX;
	if (o->end <= from && !all)
		return;
	b->action[b->actions++] = (struct reference_action){
	    .before = b->count,
	    .drop = drop,
	    .first = cache_key_of((uint32_t)object, from),
	    .last = cache_key_of((uint32_t)object, (all ? REFERENCES_BLOCKS_MAX : o->end) - 1)};
	if (drop)
		o->end = from;
}

/* An object whose last name and last open are gone loses its blocks. */
static void drop_if_gone(struct references *r, struct reference_batch *b, size_t object)
{
	if (r->objects[object].unlinked && r->objects[object].opens == 0)
		add_action(r, b, object, 0, true);
}

static int close_file(struct references *r, struct reference_batch *b, struct reference_file *id)
{
	if (!id->open)
		return IOT_OK;
	id->open = false;
	if (id->object == 0)
		return IOT_OK;
	const size_t object = references_object(r, id->object);
	if (object == SIZE_MAX)
		return r->error.status;
	r->objects[object].opens--;
	drop_if_gone(r, b, object);
	return IOT_OK;
}

int references_define_file(struct references *r, struct reference_batch *b,
			   const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path"),
			      layer = iot_directive_get(ev, "layer");
	struct reference_file *id = references_file(r, ev->rec.process, ev->rec.file);
	if (id == NULL)
		return r->error.status;
	const bool opens = !id->open || id->object != ev->rec.object;
	if (opens && close_file(r, b, id) != IOT_OK)
		return r->error.status;
	id->object = ev->rec.object;
	id->mpiio = text_equals(layer, "mpiio");
	r->declares_mpiio |= id->mpiio;
	id->open = true;
	if (id->object == 0)
		return IOT_OK;
	const size_t object = references_object(r, id->object);
	if (object == SIZE_MAX)
		return r->error.status;
	r->objects[object].opens += opens;
	return path.data != NULL ? set_path(r, path, ev->rec.object) : IOT_OK;
}

/* Returns the object of an operation's file, else of its path. SIZE_MAX if it is unknown. */
static size_t object_of_operation(struct references *r, const struct iot_event *ev)
{
	uint32_t object = 0;
	if (ev->has & IOT_HAS_FILE) {
		const size_t i =
		    idmap_find(&r->file_map, idmap_pair(ev->rec.process, ev->rec.file));
		if (i != SIZE_MAX && r->files[i].object == 0 && r->files[i].own_object != 0)
			return r->files[i].own_object - 1;
		object = i != SIZE_MAX ? r->files[i].object : 0;
	}
	if (object == 0)
		object = path_object(r, iot_directive_get(ev, "path"));
	const size_t i = object != 0 ? idmap_find(&r->object_map, object) : SIZE_MAX;
	return i != SIZE_MAX && r->object_number[i] != 0 ? r->object_number[i] - 1 : SIZE_MAX;
}

static void truncate_object(struct references *r, struct reference_batch *b,
			    const struct iot_event *ev, size_t object)
{
	const struct iot_text text = iot_directive_get(ev, "size");
	const uint64_t block = r->options.block;
	uint64_t size;
	if (text.data == NULL || !number_decimal(text.data, text.size, &size)) {
		r->counts.truncated_unknown++;
		return;
	}
	r->counts.truncated++;
	add_action(r, b, object, size / block + (size % block != 0), true);
}

static int rename_object(struct references *r, const struct iot_event *ev)
{
	const struct iot_text from = iot_directive_get(ev, "path"),
			      to = iot_directive_get(ev, "to");
	const uint32_t object = path_object(r, from);
	if (object == 0 || to.data == NULL)
		return IOT_OK;
	return set_path(r, from, 0) == IOT_OK ? set_path(r, to, object) : r->error.status;
}

static int exchange_objects(struct references *r, const struct iot_event *ev)
{
	const struct iot_text from = iot_directive_get(ev, "path"),
			      to = iot_directive_get(ev, "to");
	const uint32_t object = path_object(r, from), other = path_object(r, to);
	if (from.data == NULL || to.data == NULL)
		return IOT_OK;
	return set_path(r, from, other) == IOT_OK ? set_path(r, to, object) : r->error.status;
}

static void apply_operation(struct references *r, struct reference_batch *b,
			    const struct iot_event *ev, struct iot_text name)
{
	const size_t object = object_of_operation(r, ev);
	if (object == SIZE_MAX)
		r->counts.unnamed++;
	else if (text_equals(name, "unlink")) {
		r->counts.unlinked++;
		r->objects[object].unlinked = true;
		drop_if_gone(r, b, object);
	} else if (text_equals(name, "truncate"))
		truncate_object(r, b, ev, object);
	else {
		r->counts.synced++;
		add_action(r, b, object, 0, false);
	}
}

/* Drops the block of an id. */
static void delete_id(struct references *r, struct reference_batch *b, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "offset");
	uint64_t offset;
	if (text.data == NULL || !number_decimal(text.data, text.size, &offset))
		return;
	const size_t object = ev->has & IOT_HAS_FILE ? object_of_operation(r, ev)
						     : references_object_of_record(r, &ev->rec);
	const size_t block =
	    object != SIZE_MAX ? references_block_of_id(r, object, offset, false) : SIZE_MAX;
	if (block == SIZE_MAX)
		return;
	const uint64_t key = cache_key_of((uint32_t)object, block);
	b->action[b->actions++] = (struct reference_action){b->count, true, key, key};
}

int references_add_operation(struct references *r, struct reference_batch *b,
			     const struct iot_event *ev)
{
	const struct iot_text name = iot_directive_get(ev, "name"),
			      result = iot_directive_get(ev, "result");
	if (r->options.whole) {
		if (text_equals(name, "delete"))
			delete_id(r, b, ev);
		return r->error.status;
	}
	if (r->options.physical || (result.data != NULL && !text_equals(result, "0")))
		return IOT_OK;
	if (text_equals(name, "close") && (ev->has & IOT_HAS_FILE)) {
		struct reference_file *id = references_file(r, ev->rec.process, ev->rec.file);
		return id != NULL ? close_file(r, b, id) : r->error.status;
	}
	if (text_equals(name, "rename"))
		return rename_object(r, ev);
	if (text_equals(name, "exchange"))
		return exchange_objects(r, ev);
	if (text_equals(name, "unlink") || text_equals(name, "truncate") ||
	    text_equals(name, "fsync") || text_equals(name, "fdatasync"))
		apply_operation(r, b, ev, name);
	return IOT_OK;
}
