/* SPDX-License-Identifier: BSD-2-Clause */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

/* Rings that are created later need space, too. */
static uint64_t half_of_space(int fd)
{
	struct statvfs fs;
	return fstatvfs(fd, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize / 2 : 0;
}

bool spool_create(struct spool *s, int directory, uint64_t limit)
{
	*s = (struct spool){.fd = openat(directory, "spool",
					 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
	if (s->fd < 0)
		return false;
	const uint64_t space = half_of_space(s->fd);
	s->limit = limit < space ? limit : space;
	return true;
}

bool spool_open(struct spool *s, int directory)
{
	struct stat st;
	*s = (struct spool){
	    .fd = openat(directory, "spool", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
	if (s->fd < 0)
		return false;
	errno = EINVAL;
	if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode)) {
		s->size = (uint64_t)st.st_size;
		s->limit = s->size + half_of_space(s->fd);
		return true;
	}
	spool_close(s);
	return false;
}

static void unmap(struct spool *s)
{
	if (s->map != NULL)
		(void)munmap(s->map, s->mapped);
	s->map = NULL;
	s->mapped = 0;
}

void spool_close(struct spool *s)
{
	unmap(s);
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = -1;
}

/* A part of an entry that was written is overwritten, or follows the last complete entry. */
bool spool_append(struct spool *s, const struct spool_entry *e, const void *data)
{
	const struct iovec part[] = {{(void *)e, sizeof(*e)}, {(void *)data, e->size}};
	const uint64_t size = sizeof(*e) + e->size;
	if (s->fd < 0 || size > s->limit || s->size > s->limit - size)
		return false;
	unmap(s);
	if (pwritev(s->fd, part, 2, (off_t)s->size) != (ssize_t)size)
		return false;
	s->size += size;
	return true;
}

static bool map(struct spool *s)
{
	if (s->map != NULL)
		return true;
	void *const at = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd, 0);
	if (at == MAP_FAILED)
		return false;
	(void)madvise(at, s->size, MADV_SEQUENTIAL);
	s->map = at;
	s->mapped = s->size;
	return true;
}

int spool_next(struct spool *s, struct spool_entry *e, const void **data)
{
	if (s->size - s->read < sizeof(*e))
		return 0;
	if (!map(s))
		return -1;
	memcpy(e, s->map + s->read, sizeof(*e));
	if (e->kind < SPOOL_BEGIN || e->kind > SPOOL_STEP || e->size % 8 != 0 ||
	    e->size > SPOOL_DATA_MAX)
		return -1;
	if (e->size > s->size - s->read - sizeof(*e))
		return 0;
	*data = s->map + s->read + sizeof(*e);
	s->read += sizeof(*e) + e->size;
	if (e->kind == SPOOL_STEP || e->kind == SPOOL_BEGIN)
		s->step = s->read;
	return 1;
}

bool spool_begin(struct spool *s, const struct spool_begin *begin, const char *texts)
{
	static const char padding[8];
	const uint64_t size = spool_size(sizeof(*begin) + begin->text_size);
	const struct spool_entry e = {.kind = SPOOL_BEGIN, .size = size};
	const struct iovec part[] = {{(void *)&e, sizeof(e)},
				     {(void *)begin, sizeof(*begin)},
				     {(void *)texts, begin->text_size},
				     {(void *)padding, size - sizeof(*begin) - begin->text_size}};
	errno = ENOSPC;
	if (size > s->limit || pwritev(s->fd, part, 4, 0) != (ssize_t)(sizeof(e) + size))
		return false;
	s->size = sizeof(e) + size;
	return true;
}

/* Returns whether n bytes are at least this many texts, of which the last one ends in NUL, too. */
static bool has_texts(const char *text, size_t n, uint64_t count)
{
	uint64_t found = 0;
	for (size_t i = 0; i < n; i++)
		found += text[i] == '\0';
	return n > 0 && text[n - 1] == '\0' && found >= count;
}

bool spool_read_begin(struct spool *s, struct spool_begin *begin, const char **texts)
{
	struct spool_entry e;
	const void *data;
	if (spool_next(s, &e, &data) != 1 || e.kind != SPOOL_BEGIN || e.size < sizeof(*begin))
		return false;
	memcpy(begin, data, sizeof(*begin));
	*texts = (const char *)data + sizeof(*begin);
	return begin->magic == SPOOL_MAGIC && begin->version == RECORD_VERSION &&
	       begin->samples >= 1 && begin->samples <= 2 &&
	       begin->text_size <= e.size - sizeof(*begin) &&
	       has_texts(*texts, begin->text_size, (uint64_t)begin->arguments + 2);
}

bool spool_cut(struct spool *s)
{
	unmap(s);
	s->size = s->step;
	s->read = s->step = 0;
	return ftruncate(s->fd, (off_t)s->size) == 0;
}
