/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the bytes of files are on disks, as %extent directives state it:
 *
 *	%extent object=3 offset=0 length=65536 device=8,0 sector=2048
 *
 * Blocks of all extents are numbered one after the other, so that the bytes of a file and the
 * sectors of a disk that hold them have the same numbers.
 */
#ifndef LIB_TIES_EXTENTS_H
#define LIB_TIES_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum {
	EXTENT_BLOCK = 4096,    /* bytes; the page cache writes and reads whole pages */
	EXTENT_DEVICE_MAX = 32, /* bytes of the name of a device */
	EXTENTS_MAX = 1 << 26,  /* of all files */
	EXTENT_DEVICES_MAX = 1 << 12
};

struct extent {
	uint64_t offset, length; /* bytes of the file */
	uint64_t sector;         /* of 512 bytes, on the disk */
	uint64_t first_block;    /* number of its first block */
	uint64_t reach;          /* the largest end of this and the preceding ones of the group */
	uint32_t object;
	uint32_t device; /* number, see extents_device */
};

struct extents {
	struct extent *by_file; /* in order of object and offset */
	struct extent *by_disk; /* the same, in order of device and sector */
	size_t count, capacity;
	char (*device)[EXTENT_DEVICE_MAX];
	size_t devices, device_capacity;
};

/* The part of a range that an extent has: bytes [begin, end) of the extent. */
struct extent_part {
	const struct extent *extent;
	uint64_t begin, end;
	uint64_t first_block, end_block;
};

void extents_free(struct extents *x);
/* Returns the number of a device by its name "MAJOR,MINOR"; SIZE_MAX if out of memory. */
size_t extents_device(struct extents *x, struct iot_text name);
/*
 * Adds an event if it is an %extent. Returns 1 if it is, 0 if not, IOT_EFORMAT if a key is missing
 * or not a number, IOT_ELIMIT if there are too many, or IOT_ENOMEM.
 */
int extents_add(struct extents *x, const struct iot_event *ev);
/* Sorts the extents; call after the last extents_add. Returns IOT_OK or IOT_ENOMEM. */
int extents_sort(struct extents *x);
/* Returns whether the file has extents. */
bool extents_have(const struct extents *x, uint32_t object);

/*
 * Finds the parts of a range one by one: start with *at = 0. Returns false after the last one.
 * Offsets in files are in bytes, positions on disks in sectors.
 */
bool extents_next_of_file(const struct extents *x, uint32_t object, uint64_t offset,
			  uint64_t length, size_t *at, struct extent_part *to);
bool extents_next_of_disk(const struct extents *x, uint32_t device, uint64_t sector,
			  uint64_t sectors, size_t *at, struct extent_part *to);

#endif
