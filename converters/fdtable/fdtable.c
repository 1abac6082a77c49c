/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptor tables. A fork may copy a table of a million descriptors and the child may close all
 * of them. Therefore a copy shares pages until one of the two changes, and no operation scans all
 * slots: bits mark the used slots, and a ring links the slots of one description.
 */
#include "fdtable.h"

#include <assert.h>

#include <iotrace/iotrace.h>

static bool groups_grow(struct fdtable *t, struct fd_table *table, uint32_t need)
{
	uint32_t old = table->capacity / FD_GROUP, groups = old == 0 ? 1 : old;
	while (groups < need)
		groups *= 2;
	if (groups == old)
		return true;
	struct pages **pages =
	    fdtable_grow(t, table->pages, old * sizeof *pages, groups * sizeof *pages);
	if (pages == NULL)
		return false;
	table->pages = pages;
	table->capacity = groups * FD_GROUP;
	return true;
}

static void page_free(struct fdtable *t, struct fd_page *page)
{
	assert(page == NULL || page->refs > 0);
	if (page == NULL || --page->refs > 0)
		return;
	for (uint64_t left = page->used; left != 0; left &= left - 1)
		open_description_free(t, page->slot[__builtin_ctzll(left)].open);
	fdtable_drop(t, page, sizeof *page);
}

static void group_free(struct fdtable *t, struct pages *group)
{
	assert(group == NULL || group->refs > 0);
	if (group == NULL || --group->refs > 0)
		return;
	for (uint32_t i = 0; i < FD_PAGES; i++)
		page_free(t, group->page[i]);
	fdtable_drop(t, group, sizeof *group);
}

/* Returns the group of a descriptor for modification: allocated if missing, copied if shared. */
static struct pages *own_group(struct fdtable *t, struct fd_table *table, int64_t fd)
{
	const uint32_t at = (uint32_t)fd / FD_GROUP;
	if (!groups_grow(t, table, at + 1))
		return NULL;
	struct pages *there = table->pages[at];
	if (there != NULL && there->refs == 1)
		return there;
	struct pages *group = fdtable_grow(t, NULL, 0, sizeof *group);
	if (group == NULL)
		return NULL;
	if (there != NULL) {
		*group = *there;
		for (uint32_t i = 0; i < FD_PAGES; i++)
			if (group->page[i] != NULL)
				group->page[i]->refs++;
		there->refs--;
	}
	group->refs = 1;
	table->pages[at] = group;
	return group;
}

/* Returns the page of a descriptor, in the same way. */
static struct fd_page *own_page(struct fdtable *t, struct fd_table *table, int64_t fd)
{
	struct pages *group = own_group(t, table, fd);
	if (group == NULL)
		return NULL;
	struct fd_page **at = &group->page[fd / FD_PAGE % FD_PAGES], *there = *at;
	if (there != NULL && there->refs == 1)
		return there;
	struct fd_page *page = fdtable_grow(t, NULL, 0, sizeof *page);
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

int64_t fd_table_next(const struct fd_table *table, int64_t fd, struct fd_slot **slot)
{
	while (fd < (int64_t)table->capacity) {
		if (table->pages[fd / FD_GROUP] == NULL) {
			fd = (fd / FD_GROUP + 1) * FD_GROUP;
			continue;
		}
		struct fd_page *page = fd_table_page(table, fd);
		const uint64_t left = page == NULL ? 0 : page->used >> fd % FD_PAGE;
		if (left == 0) {
			fd = (fd / FD_PAGE + 1) * FD_PAGE;
			continue;
		}
		fd += __builtin_ctzll(left);
		*slot = &page->slot[fd % FD_PAGE];
		return fd;
	}
	return fd;
}

struct fd_table *fd_table_new(struct fdtable *t)
{
	struct fd_table *table = fdtable_grow(t, NULL, 0, sizeof *table);
	if (table == NULL)
		return NULL;
	if (!groups_grow(t, table, 1)) {
		fdtable_drop(t, table, sizeof *table);
		return NULL;
	}
	table->refs = 1;
	table->id = ++t->tables;
	table->full = 1;
	return table;
}

struct fd_table *fd_table_copy(struct fdtable *t, const struct fd_table *from)
{
	struct fd_table *table = fd_table_new(t);
	if (table == NULL)
		return NULL;
	if (!groups_grow(t, table, from->capacity / FD_GROUP)) {
		fd_table_free(t, table);
		return NULL;
	}
	for (uint32_t i = 0; i < from->capacity / FD_GROUP; i++) {
		table->pages[i] = from->pages[i];
		if (table->pages[i] != NULL)
			table->pages[i]->refs++;
	}
	table->full = from->full;
	return table;
}

struct fd_table *fd_table_share(struct fd_table *table)
{
	table->refs++;
	return table;
}

void fd_table_free(struct fdtable *t, struct fd_table *table)
{
	assert(table == NULL || table->refs > 0);
	if (table == NULL || --table->refs > 0)
		return;
	for (uint32_t i = 0; i < table->capacity / FD_GROUP; i++)
		group_free(t, table->pages[i]);
	fdtable_drop(t, table->pages, table->capacity / FD_GROUP * sizeof *table->pages);
	fdtable_drop(t, table, sizeof *table);
}

/* Slots */

/*
 * Links two neighbours of a ring. If out of memory the ring is wrong, but contains no foreign
 * slots.
 */
static void join(struct fdtable *t, struct fd_table *table, uint32_t prev, uint32_t next)
{
	struct fd_page *a = own_page(t, table, prev), *b = own_page(t, table, next);
	if (a == NULL || b == NULL)
		return;
	const uint64_t of_prev = UINT64_C(1) << prev % FD_PAGE;
	const uint64_t of_next = UINT64_C(1) << next % FD_PAGE;
	a->slot[prev % FD_PAGE].next = next;
	b->slot[next % FD_PAGE].prev = prev;
	a->ringed = prev == next ? a->ringed & ~of_prev : a->ringed | of_prev;
	b->ringed = prev == next ? b->ringed & ~of_next : b->ringed | of_next;
}

/* Records that a page has a free slot. */
static void lower_full(struct fd_table *table, uint32_t at)
{
	if (at >= 1 && at < table->full)
		table->full = at;
}

static void clear(struct fdtable *t, struct fd_table *table, struct fd_page *page, uint32_t fd)
{
	struct fd_slot *slot = &page->slot[fd % FD_PAGE];
	const uint64_t bit = UINT64_C(1) << fd % FD_PAGE;
	if ((page->used & bit) == 0)
		return;
	if (slot->next != fd)
		join(t, table, slot->prev, slot->next);
	open_description_free(t, slot->open);
	*slot = (struct fd_slot){0};
	page->used &= ~bit;
	page->cloexec &= ~bit;
	page->ringed &= ~bit;
	lower_full(table, fd / FD_PAGE);
}

struct fd_slot *fd_table_set(struct fdtable *t, struct fd_table *table, int64_t fd,
			     struct open_description *open, bool cloexec)
{
	struct fd_page *page =
	    open == NULL || fd < 0 || fd >= FD_MAX ? NULL : own_page(t, table, fd);
	if (page == NULL) {
		open_description_free(t, open);
		return NULL;
	}
	const uint64_t bit = UINT64_C(1) << fd % FD_PAGE;
	struct fd_slot *slot = &page->slot[fd % FD_PAGE];
	clear(t, table, page, (uint32_t)fd);
	*slot = (struct fd_slot){.open = open, .prev = (uint32_t)fd, .next = (uint32_t)fd};
	page->used |= bit;
	page->cloexec |= cloexec ? bit : 0;
	return slot;
}

struct fd_slot *fd_table_dup(struct fdtable *t, struct fd_table *table, int64_t from, int64_t to,
			     bool cloexec)
{
	const struct fd_slot *source = fd_table_get(table, from);
	if (source == NULL || from == to)
		return NULL;
	source->open->refs++;
	struct fd_slot *slot = fd_table_set(t, table, to, source->open, cloexec);
	source =
	    /* again: it may have been a neighbour in the ring that fd_table_set() changed */
	    fd_table_get(table, from);
	if (slot == NULL || source == NULL)
		return NULL;
	const uint32_t next = source->next;
	join(t, table, (uint32_t)to, next);
	join(t, table, (uint32_t)from, (uint32_t)to);
	return fd_table_get(table, to);
}

void fd_table_set_cloexec(struct fdtable *t, struct fd_table *table, int64_t fd, bool cloexec)
{
	if (fd_table_get(table, fd) == NULL || fd_table_cloexec(table, fd) == cloexec)
		return;
	struct fd_page *page = own_page(t, table, fd);
	if (page != NULL)
		page->cloexec ^= UINT64_C(1) << fd % FD_PAGE;
}

bool fd_table_cloexec(const struct fd_table *table, int64_t fd)
{
	return fd_table_get(table, fd) != NULL &&
	       (fd_table_page(table, fd)->cloexec >> fd % FD_PAGE & 1) != 0;
}

void fd_table_close(struct fdtable *t, struct fd_table *table, int64_t fd)
{
	if (fd_table_get(table, fd) == NULL)
		return;
	struct fd_page *page = own_page(t, table, fd);
	if (page != NULL)
		clear(t, table, page, (uint32_t)fd);
}

/* Returns whether an exec closes all slots of the page, none of which shares a ring. */
static bool ends_whole(const struct fd_page *page)
{
	return page->used == page->cloexec && page->ringed == 0;
}

static bool group_ends_whole(const struct pages *group)
{
	for (uint32_t i = 0; i < FD_PAGES; i++)
		if (group->page[i] != NULL && !ends_whole(group->page[i]))
			return false;
	return true;
}

static void page_exec(struct fdtable *t, struct fd_table *table, int64_t first)
{
	const struct fd_page *page = fd_table_page(table, first);
	if (page == NULL || page->cloexec == 0)
		return;
	if (!ends_whole(page)) {
		for (uint64_t left = page->cloexec; left != 0; left &= left - 1)
			fd_table_close(t, table, first + __builtin_ctzll(left));
		return;
	}
	struct pages *group = own_group(t, table, first);
	if (group == NULL)
		return;
	struct fd_page **at = &group->page[first / FD_PAGE % FD_PAGES];
	page_free(t, *at);
	*at = NULL;
	lower_full(table, (uint32_t)(first / FD_PAGE));
}

void fd_table_exec(struct fdtable *t, struct fd_table *table)
{
	for (int64_t first = 0; first < (int64_t)table->capacity; first += FD_GROUP) {
		struct pages **group = &table->pages[first / FD_GROUP];
		if (*group == NULL)
			continue;
		if (group_ends_whole(*group)) {
			group_free(t, *group);
			*group = NULL;
			lower_full(table, first > 0 ? (uint32_t)(first / FD_PAGE) : 1);
			continue;
		}
		for (int64_t fd = first; fd < first + FD_GROUP; fd += FD_PAGE)
			page_exec(t, table, fd);
	}
}

bool fd_table_last(const struct fd_table *table, int64_t fd)
{
	const struct fd_slot *slot = fd_table_get(table, fd);
	return slot == NULL || slot->next == fd;
}

/* Returns the used bits of page `at`, 0 if it is beyond the table. */
static uint64_t used(const struct fd_table *table, uint32_t at)
{
	const struct fd_page *page = fd_table_page(table, (int64_t)at * FD_PAGE);
	return page == NULL ? 0 : page->used;
}

uint32_t fd_table_lowest(struct fd_table *table, uint32_t from)
{
	uint32_t at = from / FD_PAGE;
	uint64_t in_use = used(table, at) | ((UINT64_C(1) << from % FD_PAGE) - 1);
	while (used(table, table->full) == UINT64_MAX)
		table->full++;
	if (in_use == UINT64_MAX) {
		at = at < table->full ? table->full : at + 1;
		while ((in_use = used(table, at)) == UINT64_MAX)
			at++;
	}
	return at * FD_PAGE + (uint32_t)__builtin_ctzll(~in_use);
}
