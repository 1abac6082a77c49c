/* SPDX-License-Identifier: BSD-2-Clause */
#include "inodes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

bool inodes_init(struct inodes *t)
{
	*t = (struct inodes){.source = -1};
	errno = pthread_mutex_init(&t->mutex, NULL);
	return errno == 0;
}

static void release(struct inode *i)
{
	if (i->fd >= 0)
		(void)close(i->fd);
	free(i->handle);
	free(i);
}

void inodes_free(struct inodes *t)
{
	for (size_t n = 0; n < t->capacity; n++)
		while (t->inode[n] != NULL) {
			struct inode *i = t->inode[n];
			t->inode[n] = i->equal;
			release(i);
		}
	free(t->inode);
	if (t->source >= 0)
		(void)close(t->source);
	idmap_free(&t->hashes);
	(void)pthread_mutex_destroy(&t->mutex);
}

/* Descriptors. All of these are called with the mutex. */

/* Returns NULL if the file has no handle. */
static struct file_handle *handle_of(int fd)
{
	struct file_handle *h = malloc(sizeof(*h) + MAX_HANDLE_SZ);
	int mount;
	if (h == NULL)
		return NULL;
	h->handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(fd, "", h, &mount, AT_EMPTY_PATH) == 0)
		return h;
	free(h);
	return NULL;
}

static bool has_handle(int fd, const struct file_handle *wanted)
{
	struct file_handle *h = handle_of(fd);
	const bool has = h != NULL && h->handle_type == wanted->handle_type &&
			 h->handle_bytes == wanted->handle_bytes &&
			 memcmp(h->f_handle, wanted->f_handle, h->handle_bytes) == 0;
	free(h);
	return has;
}

static int open_handle(int source, struct file_handle *h)
{
	return open_by_handle_at(source, h, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static void unlist(struct inodes *t, struct inode *i)
{
	if (!i->may_close)
		return;
	*(i->older != NULL ? &i->older->newer : &t->oldest) = i->newer;
	*(i->newer != NULL ? &i->newer->older : &t->newest) = i->older;
	i->may_close = false;
	t->closable--;
}

static void list_newest(struct inodes *t, struct inode *i)
{
	i->older = t->newest;
	i->newer = NULL;
	*(t->newest != NULL ? &t->newest->newer : &t->oldest) = i;
	t->newest = i;
	i->may_close = true;
	t->closable++;
}

/* A file without a handle keeps its descriptor. */
static void close_descriptor(struct inodes *t, struct inode *i)
{
	unlist(t, i);
	i->handle = handle_of(i->fd);
	if (i->handle == NULL)
		return;
	(void)close(i->fd);
	i->fd = -1;
}

static void close_oldest(struct inodes *t)
{
	struct inode *i = t->oldest;
	while (t->closable > t->closable_max && i != t->newest) {
		struct inode *newer = i->newer;
		if (i->users == 0)
			close_descriptor(t, i);
		i = newer;
	}
}

static void set_descriptor(struct inodes *t, struct inode *i, int fd)
{
	i->fd = fd;
	free(i->handle);
	i->handle = NULL;
	if (t->source < 0 || i->device != t->device)
		return;
	list_newest(t, i);
	close_oldest(t);
}

void inodes_limit(struct inodes *t, int source, size_t max)
{
	struct stat st;
	struct file_handle *h = handle_of(source);
	const int again = h != NULL ? open_handle(source, h) : -1;
	free(h);
	if (again < 0 || fstat(source, &st) != 0) {
		(void)close(source);
		return;
	}
	(void)close(again);
	t->source = source;
	t->device = st.st_dev;
	t->closable_max = max;
}

void inodes_use(struct inodes *t, struct inode *i)
{
	(void)pthread_mutex_lock(&t->mutex);
	i->users++;
	if (i->may_close) {
		unlist(t, i);
		list_newest(t, i);
	}
	if (i->fd < 0) {
		const int fd = open_handle(t->source, i->handle);
		if (fd >= 0)
			set_descriptor(t, i, fd);
	}
	(void)pthread_mutex_unlock(&t->mutex);
}

void inodes_leave(struct inodes *t, struct inode *i)
{
	(void)pthread_mutex_lock(&t->mutex);
	i->users--;
	(void)pthread_mutex_unlock(&t->mutex);
}

/* Lookups */

static uint64_t hash_of(uint64_t device, uint64_t number)
{
	const uint64_t identity[] = {device, number};
	return XXH3_64bits(identity, sizeof(identity));
}

/* Called with the mutex. */
static struct inode *add(struct inodes *t, struct inode **list, int fd, const struct stat *st)
{
	struct inode *i = malloc(sizeof(*i));
	if (i == NULL)
		return NULL;
	*i = (struct inode){.type = st->st_mode & S_IFMT,
			    .device = st->st_dev,
			    .number = st->st_ino,
			    .equal = *list};
	*list = i;
	set_descriptor(t, i, fd);
	return i;
}

/*
 * Called with the mutex. Returns whether the inode is the file of a descriptor with its number. The
 * number of an inode without a descriptor may have been used again.
 */
static bool is_file(struct inodes *t, struct inode *i, int fd)
{
	if (i->fd >= 0)
		return true;
	if (!has_handle(fd, i->handle))
		return false;
	set_descriptor(t, i, fd);
	return true;
}

/* Called with the mutex. */
static struct inode *find_or_add(struct inodes *t, int fd, const struct stat *st)
{
	const size_t n = idmap_number(&t->hashes, hash_of(st->st_dev, st->st_ino));
	if (!array_reserve_index(&t->inode, &t->capacity, n, sizeof(struct inode *)))
		return NULL;
	for (struct inode *i = t->inode[n]; i != NULL; i = i->equal)
		if (i->device == st->st_dev && i->number == st->st_ino && is_file(t, i, fd))
			return i;
	return add(t, &t->inode[n], fd, st);
}

struct inode *inodes_find(struct inodes *t, int fd, const struct stat *st)
{
	(void)pthread_mutex_lock(&t->mutex);
	struct inode *i = find_or_add(t, fd, st);
	if (i != NULL)
		i->lookups++;
	const bool is_known = i == NULL || i->fd != fd;
	(void)pthread_mutex_unlock(&t->mutex);
	if (is_known)
		(void)close(fd);
	return i;
}

void inodes_look_up(struct inodes *t, struct inode *i)
{
	(void)pthread_mutex_lock(&t->mutex);
	i->lookups++;
	(void)pthread_mutex_unlock(&t->mutex);
}

/* Called with the mutex. */
static void detach(struct inodes *t, const struct inode *i)
{
	const uint64_t hash = hash_of(i->device, i->number);
	const size_t n = idmap_find(&t->hashes, hash);
	struct inode **at = &t->inode[n];
	while (*at != i)
		at = &(*at)->equal;
	*at = i->equal;
	if (t->inode[n] == NULL)
		(void)idmap_remove(&t->hashes, hash);
}

void inodes_forget(struct inodes *t, struct inode *i, uint64_t lookups)
{
	(void)pthread_mutex_lock(&t->mutex);
	i->lookups -= lookups < i->lookups ? lookups : i->lookups;
	const bool is_last = i->lookups == 0;
	if (is_last) {
		unlist(t, i);
		detach(t, i);
	}
	(void)pthread_mutex_unlock(&t->mutex);
	if (is_last)
		release(i);
}
