/* SPDX-License-Identifier: BSD-2-Clause */
/* Open descriptions and their positions. Tables: tracker_tables.c. Names and files: tracker_names.c.
 * The tree of names: tracker_tree.c. What is passed on: tracker_passed.c. */
#include "fdtable.h"

#include <stdlib.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "lib/base/hash.h"

enum {
	TOLD_MAX = 64, /* processes remembered; who was forgotten is told again */
};

void iot_tracker_init(struct iot_tracker *t)
{
	*t = (struct iot_tracker){.memory_max = IOT_TRACKER_MEMORY_MAX, .seed = iot_seed()};
}

void *iot_tracker_grow(struct iot_tracker *t, void *block, size_t size, size_t more)
{
	if (more - size > t->memory_max - t->memory) {
		t->status = IOT_ELIMIT;
		return NULL;
	}
	char *grown = realloc(block, more > 0 ? more : 1);
	if (grown == NULL) {
		t->status = IOT_ENOMEM;
		return NULL;
	}
	memset(grown + size, 0, more - size);
	t->memory += more - size;
	return grown;
}

void iot_tracker_drop(struct iot_tracker *t, void *block, size_t size)
{
	t->memory -= block == NULL ? 0 : size;
	free(block);
}

/* Descriptions */

struct iot_description *iot_description_new(struct iot_tracker *t, enum iot_descriptor_kind kind,
					    struct iot_tracked_file *file)
{
	struct iot_description *d = iot_tracker_grow(t, NULL, 0, sizeof *d);
	if (d == NULL)
		return NULL;
	d->refs = 1;
	d->id = ++t->files;
	d->kind = (uint8_t)kind;
	d->file = file;
	if (file != NULL)
		file->refs++;
	return d;
}

void iot_description_free(struct iot_tracker *t, struct iot_description *d)
{
	if (d == NULL || --d->refs > 0)
		return;
	iot_pair_leave(t, d);
	iot_file_free(t, d->file);
	iot_tracker_drop(t, d->told, d->told_room * sizeof *d->told);
	iot_tracker_drop(t, d, sizeof *d);
}

bool iot_description_told(struct iot_tracker *t, struct iot_description *d, uint32_t process)
{
	d->told_last = process;
	for (uint32_t i = 0; i < d->told_count; i++)
		if (d->told[i] == process)
			return true;
	if (d->told_count == d->told_room && d->told_room < TOLD_MAX) {
		uint32_t room = d->told_room == 0 ? 2 : d->told_room * 2;
		uint32_t *told =
		    iot_tracker_grow(t, d->told, d->told_room * sizeof *told, room * sizeof *told);
		if (told == NULL)
			return false;
		d->told = told;
		d->told_room = room;
	}
	if (d->told_count < d->told_room)
		d->told[d->told_count++] = process;
	else
		d->told[d->told_next++ % TOLD_MAX] = process;
	return false;
}

/* Bytes written up to `end`. An unknown place may be anywhere, beyond the size too. */
static void wrote(struct iot_tracked_file *f, uint64_t end, bool known, uint64_t length)
{
	if (f == NULL || length == 0)
		return;
	if (known)
		iot_file_grow(f, end);
	else
		f->size_known = false;
}

struct iot_place iot_description_append(struct iot_description *d, uint64_t length, bool keep)
{
	struct iot_place place = {.offset = d->position, .known = false};
	if (d->file != NULL) {
		place = (struct iot_place){.offset = d->file->size, .known = d->file->size_known};
		d->file->size += length;
	}
	if (!keep) {
		d->position = place.offset + length;
		d->position_known = place.known;
	}
	return place;
}

struct iot_place iot_description_move(struct iot_description *d, bool write, uint64_t length)
{
	if (write && d->append && d->file != NULL)
		return iot_description_append(d, length, length == 0);
	struct iot_place place = {.offset = d->position, .known = d->position_known};
	d->position += length;
	if (write)
		wrote(d->file, d->position, place.known, length);
	return place;
}

struct iot_place iot_description_move_at(struct iot_description *d, bool write, uint64_t offset,
					 uint64_t length)
{
	if (write && d->append && d->file != NULL)
		return iot_description_append(d, length, true);
	if (write)
		wrote(d->file, offset + length, true, length);
	return (struct iot_place){.offset = offset, .known = true};
}

void iot_description_short_read(struct iot_description *d, struct iot_place place, uint64_t got,
				uint64_t wanted)
{
	struct iot_tracked_file *f = d->file;
	if (f == NULL || f->size_known || !place.known || got >= wanted)
		return;
	uint64_t end = place.offset + got;
	if (got > 0 || end == f->size) {
		f->size = end;
		f->size_known = true;
	}
}

void iot_description_seek(struct iot_description *d, uint64_t position)
{
	d->position = position;
	d->position_known = true;
}
