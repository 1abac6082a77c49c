/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups the names of %op by what the operations cost, and by what helps against it. */
#ifndef LIB_FORMAT_OPERATION_KIND_H
#define LIB_FORMAT_OPERATION_KIND_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

enum operation_kind {
	OPERATION_OPEN,       /* open, create, close */
	OPERATION_LOOKUP,     /* stat, access, ..., and opens that fail */
	OPERATION_NAMES,      /* unlink, rename, mkdir, ... */
	OPERATION_ATTRIBUTES, /* chmod, utime, ... */
	OPERATION_DIRECTORY,  /* readdir */
	OPERATION_SYNC,       /* fsync, sync, msync */
	OPERATION_LOCK,
	OPERATION_SEEK,
	OPERATION_SPACE, /* truncate, allocate */
	OPERATION_OTHER,
	OPERATION_KINDS
};

/* Names of the kinds, in plural: "opens", "lookups". */
extern const char *const operation_kinds[OPERATION_KINDS];

/* Returns the name of the kind of a successful call: "reads" and "writes" for requests. */
const char *operation_kind_name(struct iot_text name);
/* Returns the kind of an operation by its name; failed: its result is an error. */
enum operation_kind operation_kind_of(struct iot_text name, bool failed);

#endif
