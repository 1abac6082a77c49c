/* SPDX-License-Identifier: BSD-2-Clause */
#include "subtree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/base/error.h"

void subtree_use(struct subtree *d)
{
	atomic_fetch_add_explicit(&d->users, 1, memory_order_relaxed);
}

struct subtree *subtree_new(struct subtree *parent, const char *name, size_t size)
{
	struct subtree *d = malloc(sizeof *d + size + 1);
	if (d == NULL)
		return NULL;
	*d = (struct subtree){.parent = parent, .users = 1, .size = (uint32_t)size};
	memcpy(d->name, name, size);
	d->name[size] = '\0';
	if (parent == NULL)
		return d;
	d->root_fd = parent->root_fd;
	d->by_inode = parent->by_inode;
	d->depth = parent->depth + 1;
	d->path_hash = XXH3_64bits_withSeed(name, size, parent->path_hash);
	subtree_use(parent);
	return d;
}

void subtree_release(struct subtree *d)
{
	while (d != NULL && atomic_fetch_sub_explicit(&d->users, 1, memory_order_acq_rel) == 1) {
		struct subtree *parent = d->parent;
		free(d);
		d = parent;
	}
}

size_t subtree_bytes(const struct subtree *d)
{
	return sizeof *d + d->size + 1;
}

bool subtree_is_inside(const struct subtree *d, uint64_t device, uint64_t inode)
{
	while (d != NULL && (d->device != device || d->inode != inode))
		d = d->parent;
	return d != NULL;
}

static int open_step(int at, const char *name, bool *touched)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	const int fd = openat(at, name, flags | O_NOATIME);
	*touched = fd < 0 && errno == EPERM;
	return *touched ? openat(at, name, flags) : fd;
}

/* Ancestors are only searched, which does not change their access times. */
static int search_step(int at, const char *name)
{
	return openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Lists the names from the root, which has none, to d. Returns NULL if out of memory. */
static const struct subtree **list_steps(const struct subtree *d, size_t *count)
{
	const struct subtree **steps;
	size_t n = 0;
	for (const struct subtree *p = d; p->parent != NULL; p = p->parent)
		n++;
	*count = n;
	steps = malloc((n + 1) * sizeof *steps);
	for (; steps != NULL && n > 0; d = d->parent)
		steps[--n] = d;
	return steps;
}

static int open_path(const struct subtree *d, bool *touched)
{
	size_t count;
	const struct subtree **steps = list_steps(d, &count);
	int at = d->root_fd;
	if (steps == NULL)
		return -1;
	for (size_t i = 0; i + 1 < count && at >= 0; i++) {
		const int next = search_step(at, steps[i]->name);
		const int error = errno;
		if (at != d->root_fd)
			close(at);
		errno = error;
		at = next;
	}
	const int fd = at < 0 ? -1 : open_step(at, count == 0 ? "." : d->name, touched);
	const int error = errno;
	if (at >= 0 && at != d->root_fd)
		close(at);
	free(steps);
	errno = error;
	return fd;
}

int subtree_open(const struct subtree *d, int parent_fd, bool *touched)
{
	struct stat st;
	const int fd =
	    parent_fd >= 0 ? open_step(parent_fd, d->name, touched) : open_path(d, touched);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_dev == d->device && st.st_ino == d->inode)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

void subtree_path(const struct subtree *d, const char *name, char *text, size_t capacity)
{
	char path[4096];
	size_t start = sizeof path;
	const char *part = name != NULL ? name : d->name;
	size_t size = name != NULL ? strlen(name) : d->size;
	if (name == NULL)
		d = d->parent;
	for (;;) {
		if (size > start)
			size = start;
		start -= size;
		memcpy(path + start, part, size);
		if (d == NULL || start == 0)
			break;
		path[--start] = '/';
		part = d->name;
		size = d->size;
		d = d->parent;
	}
	escape_text(text, capacity, path + start, sizeof path - start);
}
