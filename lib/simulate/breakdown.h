/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a breakdown: to which one a record belongs, and what a row is. */
#ifndef LIB_SIMULATE_BREAKDOWN_H
#define LIB_SIMULATE_BREAKDOWN_H

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

/* The kinds of rows. */
enum breakdown_by {
	BREAKDOWN_NONE, /* one row */
	BREAKDOWN_OBJECT,
	BREAKDOWN_FILE, /* a fileId of a process */
	BREAKDOWN_PROCESS,
	BREAKDOWN_RANK,
	BREAKDOWN_KIND,
	BREAKDOWN_OPERATION,
};

/* The identity of a row: the numbers that apply to its kind. */
struct breakdown_name {
	uint32_t object;        /* 0 if unknown: then process and file */
	uint32_t process, file; /* file: of a fileId, or a disk */
	uint64_t rank;          /* + 1; 0 if unknown */
	uint32_t kind;          /* enum iot_type: kind, or direction */
};

/* Initialize `by` and `physical`, and the rest with zeros. */
struct breakdown {
	enum breakdown_by by;
	bool physical; /* records of disks */
	struct idmap rows;
	struct breakdown_name *names;
	size_t name_capacity;
	struct idmap rank_map; /* process */
	uint64_t *ranks;       /* + 1 */
	size_t rank_capacity;
};

/* A %process, which may declare a rank. Returns false if out of memory. */
bool breakdown_process(struct breakdown *b, const struct iot_event *ev);
/*
 * The row of a record, a new one if it is the first. object: its number in the simulation, which
 * `name` describes. Returns SIZE_MAX if out of memory.
 */
size_t breakdown_row(struct breakdown *b, const struct iot_record *rec, size_t object,
		     struct breakdown_name name);
/* The row of an operation on an object; SIZE_MAX if no record has it. */
size_t breakdown_find(const struct breakdown *b, const struct iot_record *rec, size_t object);
/* Returns the memory in bytes. */
uint64_t breakdown_bytes(const struct breakdown *b);
void breakdown_free(struct breakdown *b);

#endif
