/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open file descriptions and their positions. fdtable.c has the descriptor tables, path_index.c
 * names and files, path_tree.c the tree of names, fd_passing.c the descriptions in flight.
 */
#include "fdtable.h"

#include <stdlib.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "lib/base/hash.h"

enum {
	REPORTED_MAX = 64, /* processes stored; a dropped one gets a second report */
};

void fdtable_init(struct fdtable *t)
{
	*t = (struct fdtable){.memory_max = FDTABLE_MEMORY_MAX, .seed = hash_seed()};
}

void *fdtable_grow(struct fdtable *t, void *block, size_t size, size_t more)
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

void fdtable_drop(struct fdtable *t, void *block, size_t size)
{
	t->memory -= block == NULL ? 0 : size;
	free(block);
}

/* Descriptions */

struct open_description *open_description_new(struct fdtable *t, enum descriptor_kind kind,
					      struct tracked_file *file)
{
	struct open_description *d = fdtable_grow(t, NULL, 0, sizeof *d);
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

void open_description_free(struct fdtable *t, struct open_description *d)
{
	if (d == NULL || --d->refs > 0)
		return;
	fd_socketpair_leave(t, d);
	file_free(t, d->file);
	fdtable_drop(t, d->reported, d->reported_capacity * sizeof *d->reported);
	fdtable_drop(t, d, sizeof *d);
}

bool description_mark_known(struct fdtable *t, struct open_description *d, uint32_t process)
{
	d->reported_last = process;
	for (uint32_t i = 0; i < d->reported_count; i++)
		if (d->reported[i] == process)
			return true;
	if (d->reported_count == d->reported_capacity && d->reported_capacity < REPORTED_MAX) {
		uint32_t capacity = d->reported_capacity == 0 ? 2 : d->reported_capacity * 2;
		uint32_t *reported =
		    fdtable_grow(t, d->reported, d->reported_capacity * sizeof *reported,
				 capacity * sizeof *reported);
		if (reported == NULL)
			return false;
		d->reported = reported;
		d->reported_capacity = capacity;
	}
	if (d->reported_count < d->reported_capacity)
		d->reported[d->reported_count++] = process;
	else
		d->reported[d->reported_next++ % REPORTED_MAX] = process;
	return false;
}

/*
 * Accounts for a write that ends at `end`. If the offset is unknown, it may be anywhere, also
 * beyond the end of the file.
 */
static void wrote(struct tracked_file *f, uint64_t end, bool known, uint64_t length)
{
	if (f == NULL || length == 0)
		return;
	if (known)
		file_grow(f, end);
	else
		f->size_known = false;
}

struct place open_description_append(struct open_description *d, uint64_t length, bool keep)
{
	struct place place = {.offset = d->position, .known = false};
	if (d->file != NULL) {
		place = (struct place){.offset = d->file->size, .known = d->file->size_known};
		d->file->size += length;
	}
	if (!keep) {
		d->position = place.offset + length;
		d->position_known = place.known;
	}
	return place;
}

struct place open_description_move(struct open_description *d, bool write, uint64_t length)
{
	if (write && d->append && d->file != NULL)
		return open_description_append(d, length, length == 0);
	struct place place = {.offset = d->position, .known = d->position_known};
	d->position += length;
	if (write)
		wrote(d->file, d->position, place.known, length);
	return place;
}

struct place open_description_move_at(struct open_description *d, bool write, uint64_t offset,
				      uint64_t length)
{
	if (write && d->append && d->file != NULL)
		return open_description_append(d, length, true);
	if (write)
		wrote(d->file, offset + length, true, length);
	return (struct place){.offset = offset, .known = true};
}

void open_description_short_read(struct open_description *d, struct place place, uint64_t got,
				 uint64_t wanted)
{
	struct tracked_file *f = d->file;
	if (f == NULL || f->size_known || !place.known || got >= wanted)
		return;
	uint64_t end = place.offset + got;
	if (got > 0 || end == f->size) {
		f->size = end;
		f->size_known = true;
	}
}

void open_description_seek(struct open_description *d, uint64_t position)
{
	d->position = position;
	d->position_known = true;
}
