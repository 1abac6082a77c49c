/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers files in the order of their first use. Two records have the same file if they have the
 * same object, or without one the same path, or without one the same process and fileId.
 */
#ifndef CLI_EXPORT_FILE_NUMBERS_H
#define CLI_EXPORT_FILE_NUMBERS_H

#include "lib/base/idmap.h"
#include "lib/event_table/names.h"

struct file_numbers {
	struct idmap map; /* of objects, and of hashes of the others */
	bool by_path;     /* ignore objects */
};

/* Returns the number of the file, from 0; SIZE_MAX if out of memory. Start with {0}. */
size_t file_number(struct file_numbers *f, struct names *names, const struct iot_record *rec);
void file_numbers_free(struct file_numbers *f);

#endif
