/* SPDX-License-Identifier: BSD-2-Clause */
#include "site_tables.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/full_io.h"
#include "record/ring.h"
#include "sites.h"

/* Returns whether the recording has the table: several processes may ask for it. */
static bool is_there(int fd, uint32_t end, const struct record_sites *s)
{
	struct record_sites t;
	for (uint64_t at = 0; at + sizeof(t) <= end; at += record_sites_size(t.count))
		if (full_read(fd, &t, sizeof(t), RECORD_TABLES_AT + at) != (ssize_t)sizeof(t) ||
		    memcmp(t.build_id, s->build_id, RECORD_BUILD_ID) == 0)
			return true;
	return false;
}

/* Publishes a table once it is complete. */
static bool append(int fd, struct record_control *c, const struct record_sites *s)
{
	const uint32_t at = atomic_load(&c->tables);
	const size_t size = record_sites_size(s->count);
	const uint64_t offset = RECORD_TABLES_AT + (uint64_t)at;
	if (at > RECORD_TABLES || size > RECORD_TABLES - at)
		return false;
	if (is_there(fd, at, s))
		return true;
	if (posix_fallocate(fd, (off_t)offset, (off_t)size) != 0 ||
	    !full_write(fd, s, size, offset))
		return false;
	atomic_store(&c->tables, at + (uint32_t)size);
	return true;
}

static bool write_table(int directory, const struct record_sites *s)
{
	const int fd = openat(directory, "recording", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	void *const c = fd >= 0 ? mmap(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
				: MAP_FAILED;
	const bool written = c != MAP_FAILED && append(fd, c, s);
	if (c != MAP_FAILED)
		(void)munmap(c, RECORD_PAGE);
	if (fd >= 0)
		(void)close(fd);
	return written;
}

bool site_tables_provide(int directory, const char *path)
{
	struct record_sites *const s = sites_of(path);
	const bool is_libc = s != NULL && s->is_libc != 0;
	const bool written = s != NULL && write_table(directory, s);
	free(s);
	return written && is_libc;
}

struct sites_search {
	int directory;
	bool has_libc;
};

static int add_library(struct dl_phdr_info *object, size_t size, void *context)
{
	struct sites_search *const s = context;
	const char *const base = strrchr(object->dlpi_name, '/');
	(void)size;
	if (base != NULL &&
	    (strncmp(base, "/libc.so.", 9) == 0 || strncmp(base, "/ld-linux", 9) == 0) &&
	    site_tables_provide(s->directory, object->dlpi_name))
		s->has_libc = true;
	return 0;
}

bool site_tables_write(int directory)
{
	struct sites_search s = {.directory = directory};
	(void)dl_iterate_phdr(add_library, &s);
	return s.has_libc;
}

/* Returns whether the system lets written memory become code. */
static bool can_make_code(void)
{
	const size_t size = RECORD_PAGE;
	void *const page =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const bool can = page != MAP_FAILED && mprotect(page, size, PROT_READ | PROT_EXEC) == 0;
	if (page != MAP_FAILED)
		(void)munmap(page, size);
	return can;
}

bool site_tables_can_work(void)
{
	const int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	const off_t at = (off_t)(uintptr_t)site_tables_can_work;
	uint8_t byte;
	const bool written =
	    fd >= 0 && pread(fd, &byte, 1, at) == 1 && pwrite(fd, &byte, 1, at) == 1;
	if (fd >= 0)
		(void)close(fd);
	return written || can_make_code();
}
