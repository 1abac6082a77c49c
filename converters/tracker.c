/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables, open descriptions and their positions. Names and files: tracker_names.c. */
#include "tracker.h"

#include <stdlib.h>
#include <string.h>

#include <iotrace/iotrace.h>

enum {
	TOLD_MAX = 64, /* processes remembered; who was forgotten is told again */
};

void iot_tracker_init(struct iot_tracker *t)
{
	memset(t, 0, sizeof *t);
}

void iot_tracker_clear(struct iot_tracker *t)
{
	for (size_t i = 0; i < t->name_room; i++) {
		if (t->name[i].path == NULL)
			continue;
		free(t->name[i].path);
		iot_file_free(t->name[i].file);
	}
	free(t->name);
	iot_tracker_init(t);
}

/* Tables */

static bool pages_grow(struct iot_tracker *t, struct iot_table *table, uint32_t need)
{
	uint32_t old = table->room / IOT_FD_PAGE, pages = old == 0 ? 1 : old;
	while (pages < need)
		pages *= 2;
	if (pages == old)
		return true;
	if (t->slots + pages > IOT_SLOTS_MAX) {
		t->status = IOT_ELIMIT;
		return false;
	}
	struct iot_slot **page = realloc(table->page, pages * sizeof *page);
	if (page == NULL) {
		t->status = IOT_ENOMEM;
		return false;
	}
	memset(page + old, 0, (pages - old) * sizeof *page);
	t->slots += pages - old; /* they count as slots, though they are half as large */
	table->page = page;
	table->room = pages * IOT_FD_PAGE;
	return true;
}

/* The slot of a descriptor, its page made if need be. */
static struct iot_slot *table_slot(struct iot_tracker *t, struct iot_table *table, uint32_t fd)
{
	uint32_t at = fd / IOT_FD_PAGE;
	if (!pages_grow(t, table, at + 1))
		return NULL;
	if (table->page[at] == NULL) {
		if (t->slots >= IOT_SLOTS_MAX) {
			t->status = IOT_ELIMIT;
			return NULL;
		}
		table->page[at] = calloc(IOT_FD_PAGE, sizeof **table->page);
		if (table->page[at] == NULL) {
			t->status = IOT_ENOMEM;
			return NULL;
		}
		t->slots += IOT_FD_PAGE;
	}
	return &table->page[at][fd % IOT_FD_PAGE];
}

int64_t iot_table_next(const struct iot_table *table, int64_t fd, struct iot_slot **slot)
{
	while (fd < (int64_t)table->room) {
		if (table->page[fd / IOT_FD_PAGE] == NULL) {
			fd = (fd / IOT_FD_PAGE + 1) * IOT_FD_PAGE;
			continue;
		}
		*slot = &table->page[fd / IOT_FD_PAGE][fd % IOT_FD_PAGE];
		if ((*slot)->open != NULL)
			return fd;
		fd++;
	}
	return fd;
}

struct iot_table *iot_table_new(struct iot_tracker *t)
{
	struct iot_table *table = calloc(1, sizeof *table);
	if (table == NULL)
		t->status = IOT_ENOMEM;
	if (table == NULL || !pages_grow(t, table, 1)) {
		free(table);
		return NULL;
	}
	table->refs = 1;
	return table;
}

struct iot_table *iot_table_copy(struct iot_tracker *t, const struct iot_table *from)
{
	struct iot_slot *there;
	struct iot_table *table = iot_table_new(t);
	if (table == NULL)
		return NULL;
	for (int64_t fd = iot_table_next(from, 0, &there); fd < (int64_t)from->room;
	     fd = iot_table_next(from, fd + 1, &there)) {
		struct iot_slot *slot = table_slot(t, table, (uint32_t)fd);
		if (slot == NULL) {
			iot_table_free(t, table);
			return NULL;
		}
		*slot = (struct iot_slot){.open = there->open, .cloexec = there->cloexec};
		slot->open->refs++;
	}
	table->low = from->low;
	return table;
}

struct iot_table *iot_table_share(struct iot_table *table)
{
	table->refs++;
	return table;
}

void iot_table_free(struct iot_tracker *t, struct iot_table *table)
{
	struct iot_slot *slot;
	if (table == NULL || --table->refs > 0)
		return;
	for (int64_t fd = iot_table_next(table, 0, &slot); fd < (int64_t)table->room;
	     fd = iot_table_next(table, fd + 1, &slot))
		iot_description_free(t, slot->open);
	for (uint32_t i = 0; i < table->room / IOT_FD_PAGE; i++) {
		t->slots -= table->page[i] == NULL ? 0 : IOT_FD_PAGE;
		free(table->page[i]);
	}
	t->slots -= table->room / IOT_FD_PAGE;
	free(table->page);
	free(table);
}

struct iot_slot *iot_table_set(struct iot_tracker *t, struct iot_table *table, int64_t fd,
			       struct iot_description *open, bool cloexec)
{
	struct iot_slot *slot =
	    open == NULL || fd < 0 || fd >= IOT_FD_MAX ? NULL : table_slot(t, table, (uint32_t)fd);
	if (slot == NULL) {
		iot_description_free(t, open);
		return NULL;
	}
	iot_description_free(t, slot->open);
	*slot = (struct iot_slot){.open = open, .cloexec = cloexec};
	return slot;
}

void iot_table_close(struct iot_tracker *t, struct iot_table *table, int64_t fd)
{
	struct iot_slot *slot = iot_table_get(table, fd);
	if (slot == NULL)
		return;
	iot_description_free(t, slot->open);
	*slot = (struct iot_slot){0};
	if ((uint32_t)fd < table->low)
		table->low = (uint32_t)fd;
}

void iot_table_exec(struct iot_tracker *t, struct iot_table *table)
{
	struct iot_slot *slot;
	for (int64_t fd = iot_table_next(table, 0, &slot); fd < (int64_t)table->room;
	     fd = iot_table_next(table, fd + 1, &slot))
		if (slot->cloexec)
			iot_table_close(t, table, fd);
}

bool iot_table_last(const struct iot_table *table, const struct iot_slot *slot)
{
	struct iot_slot *other;
	if (slot->open->refs == 1)
		return true;
	for (int64_t fd = iot_table_next(table, 0, &other); fd < (int64_t)table->room;
	     fd = iot_table_next(table, fd + 1, &other))
		if (other->open == slot->open && other != slot)
			return false;
	return true;
}

uint32_t iot_table_lowest(struct iot_table *table, uint32_t from)
{
	uint32_t fd = from > table->low ? from : table->low;
	while (iot_table_get(table, fd) != NULL)
		fd++;
	if (from <= table->low)
		table->low = fd;
	return fd;
}

/* Descriptions */

struct iot_description *iot_description_new(struct iot_tracker *t, enum iot_descriptor_kind kind,
					    struct iot_tracked_file *file)
{
	struct iot_description *d = calloc(1, sizeof *d);
	if (d == NULL) {
		t->status = IOT_ENOMEM;
		return NULL;
	}
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
	(void)t;
	if (d == NULL || --d->refs > 0)
		return;
	iot_file_free(d->file);
	free(d->told);
	free(d);
}

bool iot_description_told(struct iot_tracker *t, struct iot_description *d, uint32_t process)
{
	for (uint32_t i = 0; i < d->told_count; i++)
		if (d->told[i] == process)
			return true;
	if (d->told_count == d->told_room && d->told_room < TOLD_MAX) {
		uint32_t room = d->told_room == 0 ? 2 : d->told_room * 2;
		uint32_t *told = realloc(d->told, room * sizeof *told);
		if (told == NULL) {
			t->status = IOT_ENOMEM;
			return false;
		}
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
