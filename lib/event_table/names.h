/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that apply to a record: the path of its file, and the rank, host and program of its
 * process. Definitions are current at the record, not at the end of its batch.
 */
#ifndef LIB_EVENT_TABLE_NAMES_H
#define LIB_EVENT_TABLE_NAMES_H

#include "current.h"

/*
 * Writes a name in the form of an output format, to a buffer of 3 * size + 2 bytes, at least
 * NAMES_CAPACITY. Returns its size.
 */
typedef size_t names_encode(char *out, const char *text, size_t size);

enum { NAMES_CAPACITY = 4096, NAMES_SLOT_BITS = 13, NAMES_SLOTS = 1 << NAMES_SLOT_BITS };

struct name {
	char *text; /* NULL if unknown */
	size_t size;
	uint64_t lookup; /* differs if the text may differ */
	uint32_t code;   /* for the caller, which may change it: 0 after each lookup */
};

/* The path of a file while its %file is current, or of an object until a %file exists. */
struct path_slot {
	struct name name;
	size_t capacity;
	char *memory;
	uint32_t process, file;
	bool logical, own; /* own: from its %file */
	uint64_t version;  /* of the definitions at the lookup; 0: empty */
};

enum process_key { PROCESS_RANK, PROCESS_HOST, PROCESS_PROGRAM, PROCESS_KEYS };

struct process_slot {
	struct name name[PROCESS_KEYS];
	char *memory;
	size_t capacity;
	uint32_t process;
	bool valid;
};

struct names {
	struct current current;
	names_encode *encode;
	uint64_t version, lookups;
	struct path_slot path[NAMES_SLOTS]; /* beyond this number, names are looked up repeatedly */
	struct process_slot process[NAMES_SLOTS];
	struct name value; /* of a directive */
	char *memory;      /* for a name that is decoded */
	size_t capacity;
	unsigned lacks; /* enum iot_flag: what operations lack, which have no flags */
	bool failed;    /* out of memory */
};

/* encode NULL: names are decoded only. */
void names_init(struct names *n, names_encode *encode);
void names_free(struct names *n);

/* Must be called for every event, before the names of the following one are asked for. */
void names_event(struct names *n, const struct iot_event *ev);

/* The path under which a record's file was opened. Valid until the next call. */
struct name *names_path(struct names *n, const struct iot_record *rec);
/* A key of a record's process; as names_path. */
struct name *names_process(struct names *n, uint32_t process, enum process_key key);
/* Decodes a value. Returns NULL if it is absent, or out of memory; valid until the next call. */
const char *names_decode(struct names *n, struct iot_text value, size_t *size);
/* A value of a directive, decoded and encoded in the form of the format; as names_path. */
struct name *names_value(struct names *n, const struct iot_event *ev, const char *key);

/* Returns the number of the object that the %file of a record has; 0 if it has none. */
uint32_t names_object_of_file(const struct names *n, const struct iot_record *rec);

/* Returns the number of the object of a record's file; 0 if unknown. */
static inline uint32_t names_object(const struct names *n, const struct iot_record *rec)
{
	return rec->object != 0 ? rec->object : names_object_of_file(n, rec);
}

#endif
