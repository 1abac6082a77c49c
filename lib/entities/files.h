/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers files in the order of their first use: objects, and fileIds whose object is unknown. If
 * there are too many, a sample of the files has numbers, and one number stands for all others.
 */
#ifndef LIB_ENTITIES_FILES_H
#define LIB_ENTITIES_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/idmap.h"

enum { UNDEFINED_MAX = 1 << 16 }; /* files of operations without a definition, in a part */

/* Identifies a file: an object, or without one a fileId of a process. */
struct file_key {
	uint32_t object, process, file;
	bool undefined; /* in a part: the file that an earlier part declares for this fileId */
	bool omitted;   /* all files outside of a sample */
};

/* The files of a fileId while its object is unknown; numbers + 1; 0: none. */
struct own_files {
	uint32_t file;
	uint32_t undefined; /* of operations in a part without a definition */
};

/* All zeros: empty. */
struct files {
	struct idmap object_map;
	uint32_t *object_file; /* of an object: number of its file + 1 */
	size_t object_capacity;
	struct file_key *keys; /* by file */
	uint32_t count;
	size_t key_capacity;
	uint32_t sample_bits; /* the sample has one in 2^sample_bits files */
	uint32_t other;       /* all files outside of it; number + 1; 0: none */
	size_t undefined_count;
	uint64_t undefined_left_out; /* beyond UNDEFINED_MAX */
	bool keeps_all;              /* while files are added that are sampled later */
};

/* These return the number + 1 of a file, or of all others; 0 if out of memory. */
uint32_t files_number_object(struct files *f, uint32_t object);
/* key: idmap_pair(process, file) of a fileId. */
uint32_t files_number_own(struct files *f, struct own_files *own, uint64_t key);
/* In a part, the file that an earlier part declares for a fileId. */
uint32_t files_number_undefined(struct files *f, struct own_files *own, uint64_t key);
/* All files outside of the sample. */
uint32_t files_number_other(struct files *f);

/* Returns whether an object is outside of the sample. */
bool files_omit_object(const struct files *f, uint32_t object);
/* How often the sample can be halved until it does not have the file. */
unsigned file_key_level(const struct file_key *key);
void files_free(struct files *f);

static inline struct file_key file_key_of_id(uint64_t key)
{
	return (struct file_key){.process = (uint32_t)(key >> 32), .file = (uint32_t)key};
}

#endif
