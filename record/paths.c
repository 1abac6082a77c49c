/* SPDX-License-Identifier: BSD-2-Clause */
#include "paths.h"

#include <string.h>

#include "descriptor_table.h"
#include "producer.h"
#include "raw.h"
#include "text.h"

enum { KEPT = 4, KEPT_SIZE = 1024 };

/* Paths of directories, by number of the description, until a rename. */
static struct path_kept {
	_Atomic uint32_t locked; /* never waited for: a signal handler may have interrupted */
	uint32_t number, renames;
	uint32_t size; /* of the text with its NUL */
	char text[KEPT_SIZE];
} kept[KEPT];

static char directory[RECORD_TEXT_MAX];
static size_t directory_length;

/* A child of vfork has a directory of its own, in the memory of its parent. */
void paths_update_directory(void)
{
	if (producer_self.child != 0)
		return;
	const long size = raw_call(SYS_getcwd, (long)directory, sizeof directory, 0, 0, 0, 0);
	directory_length = size > 0 ? (size_t)size - 1 : 0;
	directory[directory_length] = '\0';
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

void paths_forget(void)
{
	atomic_fetch_add(&recording.control->renames, 1);
}

static uint32_t keep(struct path_kept *k, uint32_t number, int fd, char *out)
{
	const uint32_t renames = atomic_load(&recording.control->renames);
	if (k->number == number && k->renames == renames) {
		memcpy(out, k->text, k->size);
		return k->size;
	}
	const uint32_t size = paths_of_descriptor(fd, out);
	k->number = size > 0 && size <= KEPT_SIZE ? number : 0;
	if (k->number == 0)
		return size;
	k->renames = renames;
	k->size = size;
	memcpy(k->text, out, size);
	return size;
}

/* The path of a directory, for which the kernel is asked once. */
static uint32_t path_of_directory(int fd, char *out)
{
	const union descriptor d = entry_load(fd);
	struct path_kept *k = &kept[d.number % KEPT];
	if (d.kind != DESCRIPTOR_DIRECTORY || d.number == 0 ||
	    atomic_exchange_explicit(&k->locked, 1, memory_order_acquire) != 0)
		return paths_of_descriptor(fd, out);
	const uint32_t size = keep(k, d.number, fd, out);
	atomic_store_explicit(&k->locked, 0, memory_order_release);
	return size;
}

/* Copies the directory of a relative path. Returns its length. */
static size_t put_directory(int fd, char *out)
{
	if (fd == AT_FDCWD && producer_self.child != 0) {
		const long size = raw_call(SYS_getcwd, (long)out, RECORD_TEXT_MAX, 0, 0, 0, 0);
		return size > 0 ? (size_t)size - 1 : 0;
	}
	if (fd == AT_FDCWD) {
		memcpy(out, directory, directory_length);
		return directory_length;
	}
	const uint32_t size = fd >= 0 ? path_of_directory(fd, out) : 0;
	return size > 0 ? size - 1 : 0;
}

uint32_t paths_absolute(int fd, const char *path, char *out)
{
	if (path == NULL)
		return 0;
	size_t n = *path != '/' ? put_directory(fd, out) : 0;
	if (n > 0 && n < RECORD_TEXT_MAX - 1 && out[n - 1] != '/' && *path != '\0')
		out[n++] = '/';
	const size_t length = strlen(path), left = RECORD_TEXT_MAX - 1 - n;
	const size_t size = length < left ? length : left;
	memcpy(out + n, path, size);
	out[n + size] = '\0';
	return (uint32_t)(n + size) + 1;
}
