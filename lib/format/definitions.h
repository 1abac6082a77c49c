/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which %process and %file are in force, and what the objects are called. One model for reader and
 * writer: both must agree on what is "said already". A hash table in memory that grows with what it
 * holds, up to a limit; ids that come from input cannot make it slow.
 */
#ifndef LIB_FORMAT_DEFINITIONS_H
#define LIB_FORMAT_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum iot_name_kind {
	IOT_NAME_PROCESS = 1,
	IOT_NAME_FILE, /* of logical records */
	IOT_NAME_DISK, /* of physical ones */
	IOT_NAME_OBJECT,
};

struct iot_name {
	uint32_t kind;          /* enum iot_name_kind; 0: an empty slot */
	uint32_t process, file; /* objects: their number in `process`, and 0 */
	uint32_t object;        /* of a file */
	uint32_t flags;         /* IOT_..._UNKNOWN */
	uint32_t told; /* for the writer: the interval in which the text was written last */
	uint64_t hash; /* of the directive's text */
	char *text;    /* that text, where texts are kept; an object's path */
	size_t size;   /* of the directive's text; of an object's path */
};

struct iot_names {
	struct iot_name *slot; /* open addressing; a power of two of them, or none */
	size_t slots, count;
	uint64_t seed;
	size_t used, limit; /* bytes; `used` may include what the owner reserves */
	bool texts, paths;  /* keep the texts of directives, the paths of objects */
};

void iot_names_init(struct iot_names *n, size_t limit, bool texts, bool paths);
void iot_names_free(struct iot_names *n);

/* Counts memory of the owner's own against the limit; false if it would be passed. */
bool iot_names_reserve(struct iot_names *n, size_t bytes);
/* Doubles the block of a codec, which counts against it, too. IOT_OK, IOT_ELIMIT, IOT_ENOMEM. */
int iot_names_grow_codec(struct iot_names *n, struct iot_codec **codec, size_t *size);

/*
 * Takes a parsed event: %process and %file come in force, a close ends a file, all else is
 * ignored. 1: this was in force already, word for word; 0: it is news; IOT_ELIMIT; IOT_ENOMEM.
 * *which: the entry that is in force now, or NULL; valid until the next tell.
 */
int iot_names_tell(struct iot_names *n, const struct iot_event *ev, struct iot_name **which);

/* NULL if there is none. Valid until the next tell. */
struct iot_name *iot_names_find(const struct iot_names *n, enum iot_name_kind kind,
				uint32_t process, uint32_t file);

static inline struct iot_name *iot_names_of(const struct iot_names *n, const struct iot_record *rec)
{
	return iot_names_find(n, rec->type & IOT_LOGICAL ? IOT_NAME_FILE : IOT_NAME_DISK,
			      rec->process, rec->file);
}

#endif
