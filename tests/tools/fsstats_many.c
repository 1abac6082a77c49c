/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded, shows entries that do not exist in every directory called "many": NAMES regular files,
 * of which LINKED have two links each, in as many directories as there are links of that name; with
 * FOLDERS, NAMES directories, which have vanished when they are opened.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static __thread int at_fd = -1;
static __thread unsigned long at;

static unsigned long setting(const char *name)
{
	const char *text = getenv(name);
	return text != NULL ? strtoul(text, NULL, 10) : 0;
}

static int is_many(int fd)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	const ssize_t n = readlink(link, path, sizeof path - 1);
	return n >= 5 && memcmp(path + n - 5, "/many", 5) == 0;
}

ssize_t getdents64(int fd, void *buffer, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);
	if (real == NULL)
		real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "getdents64");
	if (!is_many(fd))
		return real(fd, buffer, size);
	const unsigned long names = setting("NAMES");
	size_t used = 0;
	if (at_fd != fd) {
		at_fd = fd;
		at = 0;
	}
	for (; at < names && size - used >= 64; at++) {
		struct dirent64 *e = (void *)((char *)buffer + used);
		e->d_ino = at + 1;
		e->d_type = getenv("FOLDERS") != NULL ? DT_DIR : DT_REG;
		e->d_reclen = 64;
		snprintf(e->d_name, 40, "made%lu", at);
		used += 64;
	}
	if (used == 0)
		at_fd = -1;
	return (ssize_t)used;
}

int statx(int fd, const char *restrict name, int flags, unsigned mask, struct statx *restrict st)
{
	static int (*real)(int, const char *, int, unsigned, struct statx *);
	if (real == NULL)
		real = (int (*)(int, const char *, int, unsigned, struct statx *))dlsym(RTLD_NEXT,
											"statx");
	if (strncmp(name, "made", 4) != 0)
		return real(fd, name, flags, mask, st);
	const unsigned long i = strtoul(name + 4, NULL, 10);
	memset(st, 0, sizeof *st);
	st->stx_mode = (getenv("FOLDERS") != NULL ? S_IFDIR : S_IFREG) | 0600;
	st->stx_nlink = i < setting("LINKED") ? 2 : 1;
	st->stx_ino = i + 1;
	st->stx_size = i;
	st->stx_blocks = i / 512;
	return 0;
}
