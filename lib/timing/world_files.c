/* SPDX-License-Identifier: BSD-2-Clause */
#include "world_files.h"

#include <string.h>
#include <xxhash.h>

/* Returns the object of a number of a map, a new one for a new number. */
static uint32_t object_at(struct world *w, uint32_t **objects, size_t *capacity, size_t number)
{
	if (!array_reserve_index(objects, capacity, number, sizeof **objects))
		return OBJECT_NONE;
	if ((*objects)[number] != 0)
		return (*objects)[number] - 1;
	if (!array_reserve_index(&w->objects, &w->object_capacity, w->object_count,
				 sizeof *w->objects))
		return OBJECT_NONE;
	w->objects[w->object_count] = (struct world_object){0};
	(*objects)[number] = (uint32_t)++w->object_count;
	return (*objects)[number] - 1;
}

static uint32_t object_of_ids(struct world *w, uint32_t object, uint32_t process, uint32_t file)
{
	if (object != 0)
		return object_at(w, &w->object_of_id, &w->id_capacity,
				 idmap_number(&w->object_ids, object));
	return object_at(w, &w->object_of_file, &w->file_capacity,
			 idmap_number(&w->file_ids, idmap_pair(process, file)));
}

uint32_t world_object_of_record(struct world *w, const struct iot_record *rec)
{
	if ((rec->type & IOT_LOGICAL) == 0)
		return object_at(w, &w->object_of_disk, &w->disk_capacity,
				 idmap_number(&w->disk_ids, rec->file));
	return object_of_ids(w, rec->object, rec->process, rec->file);
}

uint32_t world_fresh_object(struct world *w)
{
	size_t none = 1;
	uint32_t *object = &w->fresh_object;
	return object_at(w, &object, &none, 0);
}

static uint64_t path_key(struct iot_text path)
{
	return XXH3_64bits(path.data, path.size);
}

/* Returns the number of an open file, or SIZE_MAX. */
static size_t file_number(struct world *w, const struct iot_event *ev)
{
	const size_t number = idmap_number(&w->file_ids, idmap_pair(ev->rec.process, ev->rec.file));
	return array_reserve_index(&w->files, &w->files_capacity, number, sizeof *w->files)
		   ? number
		   : SIZE_MAX;
}

static uint32_t object_of_path(const struct world *w, struct iot_text path)
{
	const size_t number =
	    path.data != NULL ? idmap_find(&w->path_ids, path_key(path)) : SIZE_MAX;
	return number < w->path_capacity ? w->object_of_path[number] - 1 : OBJECT_NONE;
}

uint32_t world_object_of_operation(struct world *w, const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path");
	if ((ev->has & IOT_HAS_FILE) != 0 && (ev->has & IOT_HAS_PROCESS) != 0) {
		const size_t file = file_number(w, ev);
		if (file != SIZE_MAX && w->files[file].open != 0)
			return w->files[file].open - 1;
	}
	return object_of_path(w, path);
}

static bool name_object(struct world *w, struct iot_text path, uint32_t object)
{
	const size_t number = idmap_number(&w->path_ids, path_key(path));
	if (!array_reserve_index(&w->object_of_path, &w->path_capacity, number,
				 sizeof *w->object_of_path))
		return false;
	w->object_of_path[number] = object + 1;
	return true;
}

bool world_file_defined(struct world *w, const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path");
	const size_t file = file_number(w, ev);
	if ((ev->has & IOT_HAS_DISK) != 0)
		return true;
	const uint32_t object = object_of_ids(w, (ev->has & IOT_HAS_OBJECT) ? ev->rec.object : 0,
					      ev->rec.process, ev->rec.file);
	if (file == SIZE_MAX || object == OBJECT_NONE)
		return false;
	if (w->files[file].open != 0)
		w->objects[w->files[file].open - 1].opens--;
	w->files[file].open = object + 1;
	w->objects[object].opens++;
	if (path.data == NULL)
		return true;
	if (w->options.is_direct != NULL &&
	    w->options.is_direct(w->options.context, path.data, path.size))
		w->objects[object].direct = true;
	return name_object(w, path, object);
}

/* The name now belongs to no object. */
static void forget_name(struct world *w, const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path");
	const size_t number =
	    path.data != NULL ? idmap_find(&w->path_ids, path_key(path)) : SIZE_MAX;
	if (number < w->path_capacity)
		w->object_of_path[number] = 0;
}

bool world_unlinked(struct world *w, const struct iot_event *ev, uint32_t object)
{
	forget_name(w, ev);
	w->objects[object].unlinked = w->objects[object].opens > 0;
	return w->objects[object].opens == 0;
}

bool world_file_closed(struct world *w, const struct iot_event *ev, uint32_t *object)
{
	const size_t file = file_number(w, ev);
	if (file == SIZE_MAX || w->files[file].open == 0)
		return false;
	*object = w->files[file].open - 1;
	w->files[file] = (struct world_file){0};
	struct world_object *o = &w->objects[*object];
	o->opens--;
	if (!o->unlinked || o->opens > 0)
		return false;
	o->unlinked = false;
	return true;
}

bool world_renamed(struct world *w, const struct iot_event *ev)
{
	const struct iot_text to = iot_directive_get(ev, "to");
	const uint32_t object = world_object_of_operation(w, ev);
	forget_name(w, ev);
	return to.data == NULL || object == OBJECT_NONE || name_object(w, to, object);
}

bool world_exchanged(struct world *w, const struct iot_event *ev)
{
	const struct iot_text from = iot_directive_get(ev, "path"),
			      to = iot_directive_get(ev, "to");
	const uint32_t object = object_of_path(w, from), other = object_of_path(w, to);
	return from.data == NULL || to.data == NULL ||
	       (name_object(w, from, other) && name_object(w, to, object));
}

bool world_file_is_direct(const struct world *w, const struct iot_record *rec)
{
	if (!w->has_direct_files)
		return false;
	const size_t file = idmap_find(&w->file_ids, idmap_pair(rec->process, rec->file));
	return file < w->files_capacity && w->files[file].direct;
}

/* A list of flags, such as O_RDWR|O_DIRECT. */
bool world_file_opened(struct world *w, const struct iot_event *ev)
{
	static const char direct[] = "O_DIRECT";
	const struct iot_text flags = iot_directive_get(ev, "flags");
	if (flags.data == NULL || (ev->has & IOT_HAS_FILE) == 0 ||
	    memmem(flags.data, flags.size, direct, strlen(direct)) == NULL)
		return true;
	const size_t file = file_number(w, ev);
	if (file == SIZE_MAX)
		return false;
	w->files[file].direct = true;
	w->has_direct_files = true;
	return true;
}
