/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptor tables. A fork may copy a table of a million descriptors and the child close all of
 * them, so a copy shares pages until one of both changes, and nothing looks at all slots: bits tell
 * which are used, and a ring which of them are of one description.
 */
#include "fdtable.h"

#include <iotrace/iotrace.h>

static bool groups_grow(struct iot_tracker *t, struct iot_table *table, uint32_t need)
{
	uint32_t old = table->room / IOT_FD_GROUP, groups = old == 0 ? 1 : old;
	while (groups < need)
		groups *= 2;
	if (groups == old)
		return true;
	struct iot_pages **pages =
	    iot_tracker_grow(t, table->pages, old * sizeof *pages, groups * sizeof *pages);
	if (pages == NULL)
		return false;
	table->pages = pages;
	table->room = groups * IOT_FD_GROUP;
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

static void group_free(struct iot_tracker *t, struct iot_pages *group)
{
	if (group == NULL || --group->refs > 0)
		return;
	for (uint32_t i = 0; i < IOT_FD_PAGES; i++)
		page_free(t, group->page[i]);
	iot_tracker_drop(t, group, sizeof *group);
}

/* The group of a descriptor for a change: made if need be, and no other table's. */
static struct iot_pages *own_group(struct iot_tracker *t, struct iot_table *table, int64_t fd)
{
	const uint32_t at = (uint32_t)fd / IOT_FD_GROUP;
	if (!groups_grow(t, table, at + 1))
		return NULL;
	struct iot_pages *there = table->pages[at];
	if (there != NULL && there->refs == 1)
		return there;
	struct iot_pages *group = iot_tracker_grow(t, NULL, 0, sizeof *group);
	if (group == NULL)
		return NULL;
	if (there != NULL) {
		*group = *there;
		for (uint32_t i = 0; i < IOT_FD_PAGES; i++)
			if (group->page[i] != NULL)
				group->page[i]->refs++;
		there->refs--;
	}
	group->refs = 1;
	table->pages[at] = group;
	return group;
}

/* The page of a descriptor, likewise. */
static struct iot_page *own_page(struct iot_tracker *t, struct iot_table *table, int64_t fd)
{
	struct iot_pages *group = own_group(t, table, fd);
	if (group == NULL)
		return NULL;
	struct iot_page **at = &group->page[fd / IOT_FD_PAGE % IOT_FD_PAGES], *there = *at;
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
	*at = page;
	return page;
}

int64_t iot_table_next(const struct iot_table *table, int64_t fd, struct iot_slot **slot)
{
	while (fd < (int64_t)table->room) {
		if (table->pages[fd / IOT_FD_GROUP] == NULL) {
			fd = (fd / IOT_FD_GROUP + 1) * IOT_FD_GROUP;
			continue;
		}
		struct iot_page *page = iot_table_page(table, fd);
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
	if (!groups_grow(t, table, 1)) {
		iot_tracker_drop(t, table, sizeof *table);
		return NULL;
	}
	table->refs = 1;
	table->id = ++t->tables;
	table->full = 1;
	return table;
}

struct iot_table *iot_table_copy(struct iot_tracker *t, const struct iot_table *from)
{
	struct iot_table *table = iot_table_new(t);
	if (table == NULL)
		return NULL;
	if (!groups_grow(t, table, from->room / IOT_FD_GROUP)) {
		iot_table_free(t, table);
		return NULL;
	}
	for (uint32_t i = 0; i < from->room / IOT_FD_GROUP; i++) {
		table->pages[i] = from->pages[i];
		if (table->pages[i] != NULL)
			table->pages[i]->refs++;
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
	for (uint32_t i = 0; i < table->room / IOT_FD_GROUP; i++)
		group_free(t, table->pages[i]);
	iot_tracker_drop(t, table->pages, table->room / IOT_FD_GROUP * sizeof *table->pages);
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
	       (iot_table_page(table, fd)->cloexec >> fd % IOT_FD_PAGE & 1) != 0;
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
	for (int64_t fd = 0; fd < (int64_t)table->room; fd += IOT_FD_PAGE) {
		if (table->pages[fd / IOT_FD_GROUP] == NULL) {
			fd += IOT_FD_GROUP - IOT_FD_PAGE;
			continue;
		}
		const struct iot_page *page = iot_table_page(table, fd);
		for (uint64_t left = page == NULL ? 0 : page->cloexec; left != 0; left &= left - 1)
			iot_table_close(t, table, fd + __builtin_ctzll(left));
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
	const struct iot_page *page = iot_table_page(table, (int64_t)at * IOT_FD_PAGE);
	return page == NULL ? 0 : page->used;
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
