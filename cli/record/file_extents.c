/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_extents.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

enum {
	SECTOR = 512,
	AT_A_TIME = 256 /* extents */
};

/* The disk that holds a file system, and the sector at which the file system begins. */
struct disk_place {
	char disk[DISK_NAME_MAX];
	uint64_t first_sector;
};

void file_extents_free(struct file_extents *x)
{
	free(x->extent);
	*x = (struct file_extents){.extent = NULL};
}

/* Reads one number, or two with a colon between them. Returns their number. */
static int read_numbers(const char *path, uint64_t number[2])
{
	char text[64] = "";
	FILE *f = fopen(path, "re");
	const char *at = f != NULL ? fgets(text, sizeof text, f) : NULL;
	const char *end = text + strlen(text);
	int count = 0;
	if (f != NULL)
		(void)fclose(f);
	while (at != NULL && count < 2 && number_scan(&at, end, 10, &number[count])) {
		count++;
		if (*at++ != ':')
			break;
	}
	return count;
}

/* Returns an errno. */
static int find_place(dev_t device, struct disk_place *to)
{
	char path[128];
	uint64_t number[2] = {major(device), minor(device)}, start[2] = {0, 0};
	int n = snprintf(path, sizeof path, "/sys/dev/block/%" PRIu64 ":%" PRIu64, number[0],
			 number[1]);
	const size_t end = (size_t)n;
	if (number[0] == 0 || access(path, F_OK) != 0)
		return ENODEV;
	(void)snprintf(path + end, sizeof path - end, "/partition");
	if (access(path, F_OK) == 0) {
		(void)snprintf(path + end, sizeof path - end, "/start");
		if (read_numbers(path, start) != 1)
			return ENODEV;
		(void)snprintf(path + end, sizeof path - end, "/../dev");
		if (read_numbers(path, number) != 2)
			return ENODEV;
	}
	to->first_sector = start[0];
	(void)snprintf(to->disk, sizeof to->disk, "%" PRIu64 ",%" PRIu64, number[0], number[1]);
	return 0;
}

static bool is_file(int fd, const struct file_identity *of)
{
	struct statx s;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &s) != 0)
		return false;
	const int64_t birth =
	    s.stx_mask & STATX_BTIME ? s.stx_btime.tv_sec * 1000000000 + s.stx_btime.tv_nsec : 0;
	return S_ISREG(s.stx_mode) && makedev(s.stx_dev_major, s.stx_dev_minor) == of->device &&
	       s.stx_ino == of->inode && (of->birth == 0 || birth == of->birth);
}

/* Opens the file if the path still leads to it; returns -errno if not. */
static int open_file(const char *path, const struct file_identity *of)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (is_file(fd, of))
		return fd;
	(void)close(fd);
	return -ESTALE;
}

/* Returns whether whole sectors of the disk hold the bytes as they are. */
static bool is_plain(const struct fiemap_extent *e)
{
	return (e->fe_flags &
		(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_NOT_ALIGNED |
		 FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)) == 0 &&
	       e->fe_physical % SECTOR == 0;
}

static int add_extent(struct file_extents *x, const struct fiemap_extent *e,
		      const struct disk_place *place)
{
	x->delayed |= (e->fe_flags & FIEMAP_EXTENT_DELALLOC) != 0;
	if (!is_plain(e))
		return 0;
	if (x->count == FILE_EXTENTS_MAX)
		return EOVERFLOW;
	if (!array_reserve(&x->extent, &x->capacity, x->count + 1, sizeof *x->extent))
		return ENOMEM;
	x->extent[x->count++] =
	    (struct file_extent){.offset = e->fe_logical,
				 .length = e->fe_length,
				 .sector = place->first_sector + e->fe_physical / SECTOR};
	return 0;
}

/* Asks for extents from an offset on. Returns an errno; *last is set at the end of the file. */
static int read_some(int fd, struct fiemap *map, struct file_extents *x,
		     const struct disk_place *place, bool *last)
{
	int errnum = 0;
	map->fm_length = FIEMAP_MAX_OFFSET - map->fm_start;
	map->fm_extent_count = AT_A_TIME;
	if (ioctl(fd, FS_IOC_FIEMAP, map) != 0)
		return errno;
	*last = map->fm_mapped_extents == 0;
	for (uint32_t i = 0; i < map->fm_mapped_extents && errnum == 0; i++) {
		const struct fiemap_extent *e = &map->fm_extents[i];
		errnum = add_extent(x, e, place);
		*last |= (e->fe_flags & FIEMAP_EXTENT_LAST) != 0 || e->fe_length == 0;
		map->fm_start = e->fe_logical + e->fe_length;
	}
	return errnum;
}

static int read_all(int fd, struct file_extents *x, const struct disk_place *place, bool sync)
{
	struct fiemap *map = calloc(1, sizeof *map + AT_A_TIME * sizeof map->fm_extents[0]);
	bool last = false;
	int errnum = map != NULL ? 0 : ENOMEM;
	if (map != NULL)
		map->fm_flags = sync ? FIEMAP_FLAG_SYNC : 0;
	while (errnum == 0 && !last)
		errnum = read_some(fd, map, x, place, &last);
	free(map);
	return errnum;
}

int file_extents_read(struct file_extents *to, const char *path, const struct file_identity *of,
		      bool sync)
{
	struct file_extents x = {.extent = NULL};
	struct disk_place place = {.first_sector = 0};
	int errnum = find_place((dev_t)of->device, &place);
	const int fd = errnum == 0 ? open_file(path, of) : -errnum;
	if (fd < 0)
		return -fd;
	errnum = read_all(fd, &x, &place, sync);
	(void)close(fd);
	if (errnum != 0) {
		file_extents_free(&x);
		return errnum;
	}
	memcpy(x.disk, place.disk, sizeof x.disk);
	file_extents_free(to);
	*to = x;
	return 0;
}
