/* SPDX-License-Identifier: BSD-2-Clause */
#include "paths.h"

#include "raw.h"
#include "text.h"

static char directory[RECORD_TEXT_MAX];

void paths_update_directory(void)
{
	if (raw_call(SYS_getcwd, (long)directory, sizeof directory, 0, 0, 0, 0) < 0)
		directory[0] = '\0';
}

const char *paths_directory(void)
{
	return directory;
}

uint32_t paths_of_descriptor(int fd, char *out)
{
	char name[64];
	struct text t = text_in(name, sizeof name);
	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint64_t)fd);
	const long n =
	    raw_call(SYS_readlinkat, AT_FDCWD, (long)name, (long)out, RECORD_TEXT_MAX - 1, 0, 0);
	out[n < 0 ? 0 : n] = '\0';
	return n <= 0 ? 0 : (uint32_t)n + 1;
}

uint32_t paths_absolute(int fd, const char *path, char *out)
{
	struct text t = text_in(out, RECORD_TEXT_MAX);
	if (path == NULL)
		return 0;
	if (*path != '/') {
		if (fd == AT_FDCWD)
			text_add(&t, directory);
		else if (fd >= 0)
			t.at += paths_of_descriptor(fd, out);
		if (t.at > t.start && t.at[-1] == '\0')
			t.at--;
		if (t.at > t.start && t.at[-1] != '/' && *path != '\0')
			text_add(&t, "/");
	}
	text_add(&t, path);
	return (uint32_t)(t.at - t.start) + 1;
}
