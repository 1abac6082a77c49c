/* SPDX-License-Identifier: BSD-2-Clause */
#include "operation_kind.h"

#include "lib/base/text.h"

const char *const operation_kinds[OPERATION_KINDS] = {
    [OPERATION_OPEN] = "opens",
    [OPERATION_LOOKUP] = "lookups",
    [OPERATION_NAMES] = "names",
    [OPERATION_ATTRIBUTES] = "attributes",
    [OPERATION_DIRECTORY] = "directories",
    [OPERATION_SYNC] = "syncs",
    [OPERATION_LOCK] = "locks",
    [OPERATION_SEEK] = "seeks",
    [OPERATION_SPACE] = "space",
    [OPERATION_OTHER] = "other",
};

static const struct {
	const char *name;
	enum operation_kind kind;
} names[] = {
    {"open", OPERATION_OPEN},           {"close", OPERATION_OPEN},
    {"create", OPERATION_OPEN},         {"stat", OPERATION_LOOKUP},
    {"access", OPERATION_LOOKUP},       {"readlink", OPERATION_LOOKUP},
    {"statfs", OPERATION_LOOKUP},       {"getcwd", OPERATION_LOOKUP},
    {"unlink", OPERATION_NAMES},        {"rename", OPERATION_NAMES},
    {"mkdir", OPERATION_NAMES},         {"rmdir", OPERATION_NAMES},
    {"link", OPERATION_NAMES},          {"symlink", OPERATION_NAMES},
    {"mknod", OPERATION_NAMES},         {"chmod", OPERATION_ATTRIBUTES},
    {"chown", OPERATION_ATTRIBUTES},    {"utime", OPERATION_ATTRIBUTES},
    {"xattr", OPERATION_ATTRIBUTES},    {"getxattr", OPERATION_ATTRIBUTES},
    {"setxattr", OPERATION_ATTRIBUTES}, {"removexattr", OPERATION_ATTRIBUTES},
    {"readdir", OPERATION_DIRECTORY},   {"opendir", OPERATION_DIRECTORY},
    {"closedir", OPERATION_DIRECTORY},  {"fsync", OPERATION_SYNC},
    {"fdatasync", OPERATION_SYNC},      {"sync", OPERATION_SYNC},
    {"syncfs", OPERATION_SYNC},         {"msync", OPERATION_SYNC},
    {"lock", OPERATION_LOCK},           {"flock", OPERATION_LOCK},
    {"seek", OPERATION_SEEK},           {"lseek", OPERATION_SEEK},
    {"truncate", OPERATION_SPACE},      {"ftruncate", OPERATION_SPACE},
    {"allocate", OPERATION_SPACE},      {"exchange", OPERATION_NAMES},
};

enum operation_kind operation_kind_of(struct iot_text name, bool failed)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (text_equals(name, names[i].name))
			return failed && names[i].kind == OPERATION_OPEN ? OPERATION_LOOKUP
									 : names[i].kind;
	return OPERATION_OTHER;
}

const char *operation_kind_name(struct iot_text name)
{
	if (text_equals(name, "read"))
		return "reads";
	return text_equals(name, "write") ? "writes"
					  : operation_kinds[operation_kind_of(name, false)];
}
