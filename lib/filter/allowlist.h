/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of directives, and words of the format and of the tracing tools, that reveal nothing about
 * the owner of a trace. Any other word may be a name.
 */
#ifndef LIB_FILTER_ALLOWLIST_H
#define LIB_FILTER_ALLOWLIST_H

#include <limits.h>
#include <stdbool.h>

#include <iotrace/iotrace.h>

/* The type of a key's value, which determines its treatment. */
enum value_type {
	VALUE_TIME, /* ticks in the trace, nanoseconds here */
	VALUE_TOOK,
	VALUE_NUMBER, /* decimal */
	VALUE_PROCESS,
	VALUE_FILE,
	VALUE_OBJECT,
	VALUE_SIZE, /* of a file, or of what was transferred, in bytes */
	VALUE_SPAN, /* nanoseconds */
	VALUE_EPOCH,
	VALUE_PATH,
	VALUE_HOST,
	VALUE_USER,
	VALUE_COMMAND,
	VALUE_NAME,   /* of a process */
	VALUE_TARGET, /* a device, file system or storage target */
	VALUE_JOB,
	VALUE_SOURCE, /* a tool or a layer of one */
	VALUE_LACKS,
	VALUE_KEYWORD, /* posix, requested, rank-0 */
	VALUE_NUMERIC, /* signed, or with dots: -1, 3.41 */
	VALUE_OPERATION,
	VALUE_RESULT,     /* a number or the name of an errno */
	VALUE_KNOWN,      /* offset=known or unknown */
	VALUE_KIND,       /* kind=disk */
	VALUE_VERSION,    /* 3.41, 2.2.1 */
	VALUE_FILESYSTEM, /* ext4 */
	VALUE_REASON      /* why=interrupted */
};

struct key_rule {
	const char *name;
	enum value_type value;
};

enum { ALLOWLIST_SAMPLE = INT_MAX }; /* the kind of a %sample, beside enum iot_kind */

/* Returns the rule of a key of a directive of this kind, or NULL if the key is unknown. */
const struct key_rule *allowlist_key(uint32_t kind, struct iot_text name);
/* Returns whether a value of a type that is a number or one of a list of words is harmless. */
bool allowlist_has(enum value_type type, struct iot_text t);

#endif
