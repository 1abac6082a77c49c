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

enum definition_kind {
	DEFINITION_PROCESS = 1,
	DEFINITION_FILE, /* of logical records */
	DEFINITION_DISK, /* of physical ones */
	DEFINITION_OBJECT,
};

struct definition {
	uint32_t kind;          /* enum definition_kind; 0: an empty slot */
	uint32_t process, file; /* objects: their number in `process`, and 0 */
	uint32_t object;        /* of a file */
	uint32_t flags;         /* IOT_..._UNKNOWN */
	uint32_t reported; /* for the writer: the interval in which the text was written last */
	uint64_t hash;     /* of the directive's text */
	char *text;        /* that text, where texts are kept; an object's path */
	size_t size;       /* of the directive's text; of an object's path */
};

struct definitions {
	struct definition *slot; /* open addressing; a power of two of them, or none */
	size_t slots, count;
	uint64_t seed;
	size_t used, limit; /* bytes; `used` may include what the owner reserves */
	bool texts, paths;  /* keep the texts of directives, the paths of objects */
};

void definitions_init(struct definitions *n, size_t limit, bool texts, bool paths);
void definitions_free(struct definitions *n);

/* Counts memory of the owner's own against the limit; false if it would be passed. */
bool definitions_reserve(struct definitions *n, size_t bytes);
/* Doubles the block of a codec, which counts against it, too. IOT_OK, IOT_ELIMIT, IOT_ENOMEM. */
int definitions_grow_codec(struct definitions *n, struct iot_codec **codec, size_t *size);

/*
 * Takes a parsed event: %process and %file come in force, a close ends a file, all else is
 * ignored. 1: this was in force already, word for word; 0: it is news; IOT_ELIMIT; IOT_ENOMEM.
 * *which: the entry that is in force now, or NULL; valid until the next tell.
 */
int definitions_add(struct definitions *n, const struct iot_event *ev, struct definition **which);

/* NULL if there is none. Valid until the next tell. */
struct definition *definitions_find(const struct definitions *n, enum definition_kind kind,
				    uint32_t process, uint32_t file);

static inline struct definition *definitions_path(const struct definitions *n,
						  const struct iot_record *rec)
{
	return definitions_find(n, rec->type & IOT_LOGICAL ? DEFINITION_FILE : DEFINITION_DISK,
				rec->process, rec->file);
}

#endif
