/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "die.h"

const char *const evict_words[] = {"fadvise", "direct", "drop-caches", "none", NULL};

static int open_file(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die_errno(path, "open");
	return fd;
}

static void drop_all(void)
{
	static const char path[] = "/proc/sys/vm/drop_caches";
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1 || close(fd) != 0)
		die_errno(path, "write");
}

/*
 * Direct reads do not need it, but pages that stay in memory could hide that they fell back to the
 * cache.
 */
void cache_evict(const char *path, enum evict how)
{
	if (how == EVICT_NONE)
		return;
	if (how == EVICT_ALL)
		drop_all();
	const int fd = open_file(path);
	const int status = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (status != 0) {
		errno = status;
		die_errno(path, "fadvise");
	}
	close(fd);
}

static size_t count_resident(const char *path, void *map, size_t size, size_t pages)
{
	unsigned char *resident = calloc(pages, 1);
	size_t count = 0;
	if (resident == NULL)
		die("out of memory");
	if (mincore(map, size, resident) != 0)
		die_errno(path, "mincore");
	for (size_t i = 0; i < pages; i++)
		count += resident[i] & 1;
	free(resident);
	return count;
}

size_t cache_resident_pages(const char *path)
{
	const int fd = open_file(path);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct stat of;
	if (fstat(fd, &of) != 0)
		die_errno(path, "stat");
	const size_t size = (size_t)of.st_size;
	void *map = size > 0 ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (map == MAP_FAILED)
		die_errno(path, "mmap");
	const size_t count = count_resident(path, map, size, (size + page - 1) / page);
	munmap(map, size);
	close(fd);
	return count;
}
