/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptor tables. A fork may copy a table of a million descriptors and the child close all of
 * them, so a copy shares pages until one of both changes, and nothing looks at all slots: bits tell
 * which are used, and a ring which of them are of one description.
 */
#include "tracker.h"

#include <iotrace/iotrace.h>

static bool pages_grow(struct iot_tracker *t, struct iot_table *table, uint32_t need)
{
	uint32_t old = table->room / IOT_FD_PAGE, pages = old == 0 ? 1 : old;
	while (pages < need)
		pages *= 2;
	if (pages == old)
		return true;
	struct iot_page **page =
	    iot_tracker_grow(t, table->page, old * sizeof *page, pages * sizeof *page);
	if (page == NULL)
		return false;
	table->page = page;
	table->room = pages * IOT_FD_PAGE;
	return true;
}

static void page_free(struct iot_tracker *t, struct iot_page *page)
{
	if (page == NULL || --page->refs > 0)
		return;
	for (uint64_t left = page->used; left != 0; left &= left - 1)
		iot_description_free(t, page->slot[__builtin_ctzll(left)].open);
	iot_tracker_drop(t, page, sizeof *page);
}

/* The page of a descriptor for a change: made if need be, and no other table's. */
static struct iot_page *own_page(struct iot_tracker *t, struct iot_table *table, int64_t fd)
{
	const uint32_t at = (uint32_t)fd / IOT_FD_PAGE;
	if (!pages_grow(t, table, at + 1))
		return NULL;
	struct iot_page *there = table->page[at];
	if (there != NULL && there->refs == 1)
		return there;
	struct iot_page *page = iot_tracker_grow(t, NULL, 0, sizeof *page);
	if (page == NULL)
		return NULL;
	if (there != NULL) {
		*page = *there;
		for (uint64_t left = page->used; left != 0; left &= left - 1)
			page->slot[__builtin_ctzll(left)].open->refs++;
		there->refs--;
	}
	page->refs = 1;
	table->page[at] = page;
	return page;
}

int64_t iot_table_next(const struct iot_table *table, int64_t fd, struct iot_slot **slot)
{
	while (fd < (int64_t)table->room) {
		struct iot_page *page = table->page[fd / IOT_FD_PAGE];
		const uint64_t left = page == NULL ? 0 : page->used >> fd % IOT_FD_PAGE;
		if (left == 0) {
			fd = (fd / IOT_FD_PAGE + 1) * IOT_FD_PAGE;
			continue;
		}
		fd += __builtin_ctzll(left);
		*slot = &page->slot[fd % IOT_FD_PAGE];
		return fd;
	}
	return fd;
}

struct iot_table *iot_table_new(struct iot_tracker *t)
{
	struct iot_table *table = iot_tracker_grow(t, NULL, 0, sizeof *table);
	if (table == NULL)
		return NULL;
	if (!pages_grow(t, table, 1)) {
		iot_tracker_drop(t, table, sizeof *table);
		return NULL;
	}
	table->refs = 1;
	table->full = 1;
	return table;
}

struct iot_table *iot_table_copy(struct iot_tracker *t, const struct iot_table *from)
{
	struct iot_table *table = iot_table_new(t);
	if (table == NULL)
		return NULL;
	if (!pages_grow(t, table, from->room / IOT_FD_PAGE)) {
		iot_table_free(t, table);
		return NULL;
	}
	for (uint32_t i = 0; i < from->room / IOT_FD_PAGE; i++) {
		table->page[i] = from->page[i];
		if (table->page[i] != NULL)
			table->page[i]->refs++;
	}
	table->full = from->full;
	return table;
}

struct iot_table *iot_table_share(struct iot_table *table)
{
	table->refs++;
	return table;
}

void iot_table_free(struct iot_tracker *t, struct iot_table *table)
{
	if (table == NULL || --table->refs > 0)
		return;
	for (uint32_t i = 0; i < table->room / IOT_FD_PAGE; i++)
		page_free(t, table->page[i]);
	iot_tracker_drop(t, table->page, table->room / IOT_FD_PAGE * sizeof *table->page);
	iot_tracker_drop(t, table, sizeof *table);
}

/* Slots */

/* Joins two neighbours of a ring. Without memory the ring is wrong, but leads to nowhere else. */
static void join(struct iot_tracker *t, struct iot_table *table, uint32_t prev, uint32_t next)
{
	struct iot_page *a = own_page(t, table, prev), *b = own_page(t, table, next);
	if (a == NULL || b == NULL)
		return;
	a->slot[prev % IOT_FD_PAGE].next = next;
	b->slot[next % IOT_FD_PAGE].prev = prev;
}

static void clear(struct iot_tracker *t, struct iot_table *table, struct iot_page *page,
		  uint32_t fd)
{
	struct iot_slot *slot = &page->slot[fd % IOT_FD_PAGE];
	const uint64_t bit = UINT64_C(1) << fd % IOT_FD_PAGE;
	if ((page->used & bit) == 0)
		return;
	if (slot->next != fd)
		join(t, table, slot->prev, slot->next);
	iot_description_free(t, slot->open);
	*slot = (struct iot_slot){0};
	page->used &= ~bit;
	page->cloexec &= ~bit;
	if (fd >= IOT_FD_PAGE && fd / IOT_FD_PAGE < table->full)
		table->full = fd / IOT_FD_PAGE;
}

struct iot_slot *iot_table_set(struct iot_tracker *t, struct iot_table *table, int64_t fd,
			       struct iot_description *open, bool cloexec)
{
	struct iot_page *page =
	    open == NULL || fd < 0 || fd >= IOT_FD_MAX ? NULL : own_page(t, table, fd);
	if (page == NULL) {
		iot_description_free(t, open);
		return NULL;
	}
	const uint64_t bit = UINT64_C(1) << fd % IOT_FD_PAGE;
	struct iot_slot *slot = &page->slot[fd % IOT_FD_PAGE];
	clear(t, table, page, (uint32_t)fd);
	*slot = (struct iot_slot){.open = open, .prev = (uint32_t)fd, .next = (uint32_t)fd};
	page->used |= bit;
	page->cloexec |= cloexec ? bit : 0;
	return slot;
}

struct iot_slot *iot_table_dup(struct iot_tracker *t, struct iot_table *table, int64_t from,
			       int64_t to, bool cloexec)
{
	const struct iot_slot *source = iot_table_get(table, from);
	if (source == NULL || from == to)
		return NULL;
	source->open->refs++;
	struct iot_slot *slot = iot_table_set(t, table, to, source->open, cloexec);
	source =
	    iot_table_get(table, from); /* which has perhaps been the next one of the old ring */
	if (slot == NULL || source == NULL)
		return NULL;
	const uint32_t next = source->next;
	join(t, table, (uint32_t)to, next);
	join(t, table, (uint32_t)from, (uint32_t)to);
	return iot_table_get(table, to);
}

void iot_table_set_cloexec(struct iot_tracker *t, struct iot_table *table, int64_t fd, bool cloexec)
{
	if (iot_table_get(table, fd) == NULL || iot_table_cloexec(table, fd) == cloexec)
		return;
	struct iot_page *page = own_page(t, table, fd);
	if (page != NULL)
		page->cloexec ^= UINT64_C(1) << fd % IOT_FD_PAGE;
}

bool iot_table_cloexec(const struct iot_table *table, int64_t fd)
{
	return iot_table_get(table, fd) != NULL &&
	       (table->page[fd / IOT_FD_PAGE]->cloexec >> fd % IOT_FD_PAGE & 1) != 0;
}

void iot_table_close(struct iot_tracker *t, struct iot_table *table, int64_t fd)
{
	if (iot_table_get(table, fd) == NULL)
		return;
	struct iot_page *page = own_page(t, table, fd);
	if (page != NULL)
		clear(t, table, page, (uint32_t)fd);
}

void iot_table_exec(struct iot_tracker *t, struct iot_table *table)
{
	for (uint32_t i = 0; i < table->room / IOT_FD_PAGE; i++) {
		const struct iot_page *page = table->page[i];
		for (uint64_t left = page == NULL ? 0 : page->cloexec; left != 0; left &= left - 1)
			iot_table_close(t, table, (int64_t)i * IOT_FD_PAGE + __builtin_ctzll(left));
	}
}

bool iot_table_last(const struct iot_table *table, int64_t fd)
{
	const struct iot_slot *slot = iot_table_get(table, fd);
	return slot == NULL || slot->next == fd;
}

/* Bits of the slots in use of a page that may be beyond the table. */
static uint64_t used(const struct iot_table *table, uint32_t at)
{
	return at >= table->room / IOT_FD_PAGE || table->page[at] == NULL ? 0
									  : table->page[at]->used;
}

uint32_t iot_table_lowest(struct iot_table *table, uint32_t from)
{
	uint32_t at = from / IOT_FD_PAGE;
	uint64_t taken = used(table, at) | ((UINT64_C(1) << from % IOT_FD_PAGE) - 1);
	while (used(table, table->full) == UINT64_MAX)
		table->full++;
	if (taken == UINT64_MAX) {
		at = at < table->full ? table->full : at + 1;
		while ((taken = used(table, at)) == UINT64_MAX)
			at++;
	}
	return at * IOT_FD_PAGE + (uint32_t)__builtin_ctzll(~taken);
}
