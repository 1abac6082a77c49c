/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes. A key is a pid with the number of its host above it; a thread that shares all of its
 * process has a key of its own that leads to the process.
 */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum { FIRST_FREE_ID = 1 << 22 }; /* beyond all pids of Linux */

/* Returns an id that no process has had: the pid if possible. */
static uint32_t new_id(struct calls *c, uint64_t key)
{
	uint32_t id = (uint32_t)key;
	while (id == 0 || idmap_find(&c->ids, id) != SIZE_MAX)
		id = ++c->last_id + FIRST_FREE_ID;
	if (idmap_number(&c->ids, id) == SIZE_MAX)
		c->fds.status = IOT_ENOMEM;
	return id;
}

static void release(struct calls *c, struct caller *p)
{
	if (p == NULL || --p->refs > 0)
		return;
	if (p->table != NULL)
		fd_table_free(&c->fds, p->table);
	if (p->streams != NULL)
		fd_table_free(&c->fds, p->streams);
	directory_free(&c->fds, p->cwd);
	fdtable_drop(&c->fds, p, sizeof *p);
}

/* Makes `key` lead to a process, whose reference it takes over. */
static void store(struct calls *c, uint64_t key, struct caller *p)
{
	const size_t at = idmap_number(&c->keys, key);
	if (!array_reserve_index(&c->caller, &c->caller_capacity, at, sizeof *c->caller)) {
		c->fds.status = IOT_ENOMEM;
		release(c, p);
		return;
	}
	release(c, c->caller[at]);
	c->caller[at] = p;
}

/* Returns a process with one reference, without table and directory. */
static struct caller *new_caller(struct calls *c, uint64_t key)
{
	struct caller *p = fdtable_grow(&c->fds, NULL, 0, sizeof *p);
	if (p == NULL)
		return NULL;
	p->refs = 1;
	p->key = key;
	p->floor = 3;
	p->id = new_id(c, key);
	return p;
}

struct caller *caller_known(const struct calls *c, uint64_t key)
{
	const size_t at = idmap_find(&c->keys, key);
	return at == SIZE_MAX ? NULL : c->caller[at];
}

struct caller *caller_find(struct calls *c, uint64_t key)
{
	struct caller *p = caller_known(c, key);
	if (p != NULL)
		return p;
	p = new_caller(c, key);
	if (p == NULL)
		return NULL;
	p->table = fd_table_new(&c->fds);
	p->cwd = directory_new(&c->fds, NULL, 0);
	if (p->table == NULL || p->cwd == NULL) {
		release(c, p);
		return NULL;
	}
	store(c, key, p);
	return c->fds.status == IOT_OK ? p : NULL;
}

static void new_child(struct calls *c, struct caller *parent, uint64_t key, bool shared)
{
	struct caller *p = new_caller(c, key);
	if (p == NULL)
		return;
	p->parent = parent->id;
	p->host = parent->host;
	p->floor = parent->floor;
	memcpy(p->name, parent->name, sizeof p->name);
	p->table = shared ? fd_table_share(parent->table) : fd_table_copy(&c->fds, parent->table);
	if (parent->streams != NULL)
		p->streams = fd_table_copy(&c->fds, parent->streams);
	p->cwd = directory_new(&c->fds, parent->cwd->path, parent->cwd->size);
	if (p->table == NULL || p->cwd == NULL)
		release(c, p);
	else
		store(c, key, p);
}

void caller_fork(struct calls *c, struct caller *parent, uint64_t key, int64_t flags)
{
	struct caller *there = caller_known(c, key);
	if (there == parent)
		return; /* a thread that has already appeared */
	if (there != NULL && there->adopted && there->parent == parent->id) {
		there->adopted = false;
		return;
	}
	if ((flags & CALL_CLONE_THREAD) != 0) {
		parent->refs++;
		store(c, key, parent);
	} else {
		new_child(c, parent, key, (flags & CALL_CLONE_FILES) != 0);
	}
}

void caller_adopt(struct calls *c, struct caller *parent, uint64_t key, int64_t flags)
{
	caller_fork(c, parent, key, flags);
	struct caller *p = caller_known(c, key);
	if (p != NULL && p != parent)
		p->adopted = true;
}

void caller_exit(struct calls *c, struct caller *p)
{
	const size_t at = idmap_find(&c->keys, p->key);
	if (at == SIZE_MAX || c->caller[at] != p)
		return;
	(void)idmap_remove(&c->keys, p->key);
	c->caller[at] = NULL;
	release(c, p);
}

void caller_set_name(struct caller *p, struct iot_text name)
{
	const size_t n = name.size < sizeof p->name - 1 ? name.size : sizeof p->name - 1;
	memcpy(p->name, name.data, n);
	p->name[n] = '\0';
}

void callers_free(struct calls *c)
{
	for (size_t i = 0; i < c->keys.count; i++)
		if (i < c->caller_capacity)
			release(c, c->caller[i]);
	free(c->caller);
	idmap_free(&c->keys);
	idmap_free(&c->ids);
}
