/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The definition table: current %process and %file directives, and names of objects. One model for
 * reader and writer, which must agree on what is already defined. It grows with its contents, up to
 * a limit.
 */
#ifndef LIB_FORMAT_DEFINITIONS_H
#define LIB_FORMAT_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"
#include "lib/base/text_pool.h"

#include "renames.h"

enum definition_kind {
	DEFINITION_PROCESS = 1,
	DEFINITION_FILE, /* of logical records */
	DEFINITION_DISK, /* of physical ones */
	DEFINITION_KINDS,
};

/* A trace may have millions, so the members are small. */
struct definition {
	uint32_t object;    /* of a file */
	uint32_t reported;  /* writer: the interval in which the text was last written */
	unsigned size : 24; /* of the directive's text; 0: removed */
	unsigned flags : 8; /* IOT_..._UNKNOWN */
	union {
		char *text;    /* that text, if texts are kept; NULL if removed */
		uint64_t hash; /* of it, otherwise */
	};
};

struct definitions {
	struct definition_table {
		struct idmap ids; /* process and file */
		struct definition *entry;
		size_t capacity;
	} of[DEFINITION_KINDS];
	struct definition_paths {
		struct idmap ids; /* objects */
		struct definition_name {
			char *data;
			uint32_t size;
		} * entry;
		size_t capacity;
	} paths_of; /* the first paths */
	struct renames renames;
	struct last_names last;
	struct text_pool pool; /* of texts and paths */
	uint64_t seed;
	size_t used, limit; /* bytes; `used` may include reservations of the owner */
	bool texts, paths;  /* keep the texts of directives, the paths of objects */
};

void definitions_init(struct definitions *all, size_t limit, bool texts, bool paths);
void definitions_free(struct definitions *all);

/* Counts memory of the owner against the limit; returns false if that would exceed it. */
bool definitions_reserve(struct definitions *all, size_t bytes);
/*
 * Doubles the block of a codec, which also counts against the limit. Returns IOT_OK, IOT_ELIMIT or
 * IOT_ENOMEM.
 */
int definitions_grow_codec(struct definitions *all, struct iot_codec **codec, size_t *size);

/*
 * Applies a parsed event: %process and %file become current, a close ends a file, others are
 * ignored. Returns 1 if the same text was current already; 0 if it is new; IOT_ELIMIT; IOT_ENOMEM.
 * *which: the entry that is now current, or NULL; valid until the next call of definitions_add.
 */
int definitions_add(struct definitions *all, const struct iot_event *ev, struct definition **which);

/* Returns NULL if none exists. Valid until the next call of definitions_add. */
struct definition *definitions_find(const struct definitions *all, enum definition_kind kind,
				    uint32_t process, uint32_t file);

/* Returns its text, with data NULL if texts are not kept or it was removed. Valid as above. */
static inline struct iot_text definitions_text(const struct definitions *all,
					       const struct definition *d)
{
	return (struct iot_text){all->texts ? d->text : NULL, d->size};
}

/*
 * Returns the last path of an object, with data NULL if none is known. Valid until the next call of
 * definitions_add or definitions_name.
 */
struct iot_text definitions_name(struct definitions *all, uint32_t object);
/* Returns its first path. Valid as above. */
struct iot_text definitions_first_name(const struct definitions *all, uint32_t object);

static inline struct definition *definitions_path(const struct definitions *all,
						  const struct iot_record *rec)
{
	return definitions_find(all, rec->type & IOT_LOGICAL ? DEFINITION_FILE : DEFINITION_DISK,
				rec->process, rec->file);
}

#endif
