/* SPDX-License-Identifier: BSD-2-Clause */
/* The directives %process and %file that are current at an event, and the paths of objects. */
#ifndef LIB_EVENT_TABLE_CURRENT_H
#define LIB_EVENT_TABLE_CURRENT_H

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

enum current_kind { CURRENT_PROCESS, CURRENT_FILE, CURRENT_DISK, CURRENT_OBJECT, CURRENT_KINDS };

struct current_text {
	char *text; /* of the directive; of objects: their path, decoded. NULL: none */
	size_t size, capacity;
	uint32_t object; /* of a file */
};

/* Start with {0}. */
struct current {
	struct current_table {
		struct idmap ids;
		struct current_text *entry; /* by number in ids */
		size_t capacity;
	} of[CURRENT_KINDS];
	size_t used; /* bytes, limited */
};

/* Applies a directive. Returns false if out of memory. */
bool current_add(struct current *c, const struct iot_event *ev);
void current_free(struct current *c);

/* Return NULL if there is none. Valid until the next call of current_add. */
const struct current_text *current_process(const struct current *c, uint32_t process);
const struct current_text *current_file(const struct current *c, const struct iot_record *rec);
const struct current_text *current_object(const struct current *c, uint32_t object);

/* The value of a key; NULL data if `d` is NULL or lacks it. */
struct iot_text current_key(const struct current_text *d, const char *key);

/* Returns whether ev is an %op that ends a fileId: a successful close of a known file. */
bool current_closes(const struct iot_event *ev);

#endif
