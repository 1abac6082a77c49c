/* SPDX-License-Identifier: BSD-2-Clause */
/* The kind of a descriptor, from the name that Linux shows with it. */
#include "fdtable.h"

#include <string.h>

static bool begins(const char *path, size_t size, const char *word)
{
	const size_t n = strlen(word);
	return size >= n && memcmp(path, word, n) == 0;
}

enum descriptor_kind descriptor_kind_of_path(const char *path, size_t size, bool block)
{
	static const struct {
		const char *start;
		enum descriptor_kind kind;
	} KINDS[] = {
	    {"/dev/shm/", FD_FILE},   {"/dev/tty", FD_TTY}, {"/dev/pts/", FD_TTY},
	    {"/dev/console", FD_TTY}, {"/dev/", FD_DEVICE}, {"/memfd:", FD_MEMFD},
	    {"/", FD_FILE},           {"pipe:", FD_PIPE},   {"socket:", FD_SOCKET},
	    {"TCP", FD_SOCKET},       {"UDP", FD_SOCKET},   {"UNIX", FD_SOCKET},
	    {"NETLINK", FD_SOCKET},   {"RAW", FD_SOCKET},
	};
	if (block && begins(path, size, "/dev/"))
		return FD_FILE;
	for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
		if (size > 0 && *path == *KINDS[i].start && begins(path, size, KINDS[i].start))
			return KINDS[i].kind;
	return FD_OTHER;
}
