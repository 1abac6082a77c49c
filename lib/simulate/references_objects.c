/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of objects, and of the fileIds that stand for objects that a trace does not declare. */
#include "references_internal.h"

#include <inttypes.h>

#include "lib/base/array.h"

/* Returns the number of a new object, or SIZE_MAX with the error set. */
static size_t new_object(struct references *r, struct breakdown_name name)
{
	if (r->object_count == REFERENCES_FRESH_OBJECT) {
		error_set(&r->error, IOT_ELIMIT,
			  "object %" PRIu32 " of process %" PRIu32 ": more than %d objects",
			  name.object, name.process, REFERENCES_FRESH_OBJECT);
		return SIZE_MAX;
	}
	if (!array_reserve(&r->objects, &r->object_capacity, r->object_count + 1,
			   sizeof *r->objects)) {
		references_no_memory(r);
		return SIZE_MAX;
	}
	r->objects[r->object_count] = (struct reference_object){.name = name};
	r->counts.objects++;
	return r->object_count++;
}

size_t references_object(struct references *r, uint32_t object)
{
	const size_t i = idmap_number(&r->object_map, object);
	if (!array_reserve_index(&r->object_number, &r->object_number_capacity, i,
				 sizeof *r->object_number)) {
		references_no_memory(r);
		return SIZE_MAX;
	}
	if (r->object_number[i] == 0) {
		const size_t number = new_object(r, (struct breakdown_name){.object = object});
		if (number == SIZE_MAX)
			return SIZE_MAX;
		r->object_number[i] = (uint32_t)number + 1;
	}
	return r->object_number[i] - 1;
}

struct reference_file *references_file(struct references *r, uint32_t process, uint32_t file)
{
	const size_t i = idmap_number(&r->file_map, idmap_pair(process, file));
	if (!array_reserve_index(&r->files, &r->file_capacity, i, sizeof *r->files)) {
		references_no_memory(r);
		return NULL;
	}
	return &r->files[i];
}

/* The object that stands for a file of which the trace declares none; SIZE_MAX on failure. */
static size_t own_object(struct references *r, uint32_t process, uint32_t file)
{
	struct reference_file *id = references_file(r, process, file);
	if (id == NULL)
		return SIZE_MAX;
	if (id->own_object == 0) {
		const size_t number =
		    new_object(r, (struct breakdown_name){.process = process, .file = file});
		if (number == SIZE_MAX)
			return SIZE_MAX;
		id->own_object = (uint32_t)number + 1;
	}
	return id->own_object - 1;
}

size_t references_find_object(struct references *r, const struct iot_record *rec)
{
	if (r->options.physical)
		return own_object(r, 0, rec->file);
	return rec->object != 0 ? references_object(r, rec->object)
				: own_object(r, rec->process, rec->file);
}
