/* SPDX-License-Identifier: BSD-2-Clause */
#include "piped.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool piped_detect(const char *path)
{
	struct stat st;
	const int status = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);
	return status == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

bool piped_begins_file(const char *path)
{
	return !piped_detect(path) &&
	       (strcmp(path, "-") != 0 || lseek(STDIN_FILENO, 0, SEEK_CUR) == 0);
}

const char *piped_name_again(const char *path)
{
	return strcmp(path, "-") == 0 ? "/proc/self/fd/0" : path;
}
