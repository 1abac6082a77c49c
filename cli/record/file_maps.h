/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maps of the files of a recording: where their bytes are on disks, for %extent directives.
 *
 * A file is mapped when it is closed, as it may be removed then, and again at the end if it has
 * changed since, or had bytes without a place. Only the mapping at the end writes files back: the
 * programs must not be disturbed while they run. Thread safety: none.
 */
#ifndef CLI_RECORD_FILE_MAPS_H
#define CLI_RECORD_FILE_MAPS_H

#include "lib/base/idmap.h"

#include "file_extents.h"

/* A file that had I/O. */
struct mapped_file {
	char *path; /* NULL: not seen */
	struct file_identity identity;
	struct file_extents extents;
	bool used, changed, mapped; /* it had I/O; since the last mapping; it has been mapped */
};

struct file_maps {
	struct mapped_file *file; /* by object - 1 */
	size_t capacity;
	struct idmap paths; /* hash of a path -> its file, in `at_path` */
	uint32_t *at_path;  /* objects */
	size_t path_capacity;
};

void file_maps_free(struct file_maps *m);
/* Declares a regular file that has been opened. Returns false if out of memory. */
bool file_maps_see(struct file_maps *m, uint32_t object, const char *path,
		   const struct file_identity *identity);
/* Declares I/O of a file. */
void file_maps_use(struct file_maps *m, uint32_t object, bool writes);
/*
 * Declare that a file has another path, or two files each other's. Return false if out of memory.
 */
bool file_maps_rename(struct file_maps *m, const char *from, const char *to);
bool file_maps_exchange(struct file_maps *m, const char *one, const char *other);
/* Declares that a file has been closed. */
void file_maps_close(struct file_maps *m, uint32_t object);
/* Maps the files that have changed. Returns the number of files with I/O that have no map. */
size_t file_maps_end(struct file_maps *m);

#endif
