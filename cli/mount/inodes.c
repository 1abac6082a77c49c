/* SPDX-License-Identifier: BSD-2-Clause */
#include "inodes.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

bool inodes_init(struct inodes *t)
{
	*t = (struct inodes){.capacity = 0};
	errno = pthread_mutex_init(&t->mutex, NULL);
	return errno == 0;
}

static void release(struct inode *i)
{
	(void)close(i->fd);
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
	idmap_free(&t->hashes);
	(void)pthread_mutex_destroy(&t->mutex);
}

static uint64_t hash_of(uint64_t device, uint64_t number)
{
	const uint64_t identity[] = {device, number};
	return XXH3_64bits(identity, sizeof(identity));
}

static struct inode *add(struct inode **list, int fd, const struct stat *st)
{
	struct inode *i = malloc(sizeof(*i));
	if (i == NULL)
		return NULL;
	*i = (struct inode){.fd = fd,
			    .type = st->st_mode & S_IFMT,
			    .device = st->st_dev,
			    .number = st->st_ino,
			    .equal = *list};
	*list = i;
	return i;
}

/* Called with the mutex. */
static struct inode *find_or_add(struct inodes *t, int fd, const struct stat *st)
{
	const size_t n = idmap_number(&t->hashes, hash_of(st->st_dev, st->st_ino));
	if (!array_reserve_index(&t->inode, &t->capacity, n, sizeof(struct inode *)))
		return NULL;
	for (struct inode *i = t->inode[n]; i != NULL; i = i->equal)
		if (i->device == st->st_dev && i->number == st->st_ino)
			return i;
	return add(&t->inode[n], fd, st);
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
	if (is_last)
		detach(t, i);
	(void)pthread_mutex_unlock(&t->mutex);
	if (is_last)
		release(i);
}
