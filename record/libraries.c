/* SPDX-License-Identifier: BSD-2-Clause */
#include "libraries.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "enter.h"
#include "patch.h"
#include "paths.h"
#include "raw.h"
#include "recording.h"
#include "text.h"

enum {
	WAIT_NS = 500000,  /* for a table */
	WAITS_MAX = 20000, /* of a process: the collector may wait for the reader of its output */
	SEGMENTS_MAX = 32, /* of a library that is loaded */
	NOTES_MAX = 1024,
};

/* The identity of a library */

/* Reads the build id from notes. Returns false if there is none. */
static bool read_build_id(const char *at, size_t left, uint8_t id[RECORD_BUILD_ID])
{
	while (left >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) n;
		memcpy(&n, at, sizeof n);
		const size_t name = (n.n_namesz + (size_t)3) & ~(size_t)3,
			     whole = sizeof n + name + ((n.n_descsz + (size_t)3) & ~(size_t)3);
		if (whole > left)
			return false;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_descsz == RECORD_BUILD_ID) {
			memcpy(id, at + sizeof n + name, RECORD_BUILD_ID);
			return true;
		}
		at += whole;
		left -= whole;
	}
	return false;
}

static bool loaded_build_id(struct loaded_library *l)
{
	for (unsigned i = 0; i < l->segment_count; i++) {
		const ElfW(Phdr) *const s = &l->segment[i];
		if (s->p_type == PT_NOTE &&
		    read_build_id((const char *)l->base + s->p_vaddr, s->p_filesz, l->build_id))
			return true;
	}
	return false;
}

/* Tables */

/* Returns the table of a library; NULL if the recording has none. */
static const struct record_sites *table_find(const struct loaded_library *l)
{
	const char *const tables = (const char *)recording.control + RECORD_TABLES_AT;
	const uint32_t ready = atomic_load(&recording.control->tables);
	const size_t end = ready < RECORD_TABLES ? ready : RECORD_TABLES;
	const struct record_sites *s;
	for (size_t at = 0; at + sizeof *s <= end; at += record_sites_size(s->count)) {
		s = (const struct record_sites *)(tables + at);
		if (s->magic != RECORD_SITES_MAGIC || s->count > RECORD_SITES_MAX ||
		    record_sites_size(s->count) > end - at)
			return NULL;
		if (memcmp(s->build_id, l->build_id, RECORD_BUILD_ID) == 0)
			return s;
	}
	return NULL;
}

/* Returns whether the code contains the bytes of the instruction, perhaps inside another one. */
static bool may_make_calls(const struct loaded_library *l)
{
	for (unsigned i = 0; i < l->segment_count; i++) {
		const ElfW(Phdr) *const s = &l->segment[i];
		if (s->p_type != PT_LOAD || (s->p_flags & PF_X) == 0)
			continue;
		const uint8_t *at = (const uint8_t *)(l->base + s->p_vaddr);
		for (const uint8_t *const last = at + s->p_filesz - 1; at < last; at++)
			if (at[0] == 0x0f && at[1] == 0x05)
				return true;
	}
	return false;
}

/*
 * Waits for the table that was asked for. On a busy machine the collector may not run for seconds.
 */
static const struct record_sites *table_await(const struct loaded_library *l, uint32_t request)
{
	static _Atomic int waits;
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	const struct record_sites *s;
	while ((s = table_find(l)) == NULL && !recording_is_done("library", request) &&
	       recording_is_collected() && atomic_fetch_add(&waits, 1) < WAITS_MAX)
		raw_call(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	return s != NULL ? s : table_find(l);
}

/* Asks the collector for the table; waits for it if the library may need it. */
static const struct record_sites *table_request(const struct loaded_library *l, const char *path)
{
	const bool needed = may_make_calls(l);
	const uint32_t request = *path == '/' ? recording_write("library", path, strlen(path)) : 0;
	if (request != 0)
		recording_wake_collector();
	const struct record_sites *const s =
	    request != 0 && needed ? table_await(l, request) : NULL;
	if (needed && s == NULL)
		recording_count_unseen(RECORD_COUNTER_LIBRARIES, 1);
	return s;
}

/* Returns the table if the library is libc and its calls lead to stubs, else NULL. */
static const struct record_sites *patch_with_table(struct patch *p, const struct loaded_library *l,
						   const char *path)
{
	const struct record_sites *s = table_find(l);
	if (s == NULL)
		s = table_request(l, path);
	return s != NULL && s->count > 0 && patch_library(p, l, s) && s->is_libc != 0 ? s : NULL;
}

/* At the start */

struct libc_search {
	struct patch patch;
	bool has_libc;
};

static void libc_found(struct libc_search *s, const struct loaded_library *l,
		       const struct record_sites *libc)
{
	s->has_libc = true;
	if (libc->longjmp != 0 && libc->longjmp_chk != 0)
		jumps_are_at(l->base + libc->longjmp, l->base + libc->longjmp_chk);
}

/* Returns whether an address is in the library. */
static bool contains(const struct loaded_library *l, uintptr_t address)
{
	const uint64_t at = (uint64_t)address - l->base;
	for (unsigned i = 0; i < l->segment_count; i++)
		if (l->segment[i].p_type == PT_LOAD && at >= l->segment[i].p_vaddr &&
		    at - l->segment[i].p_vaddr < l->segment[i].p_memsz)
			return true;
	return false;
}

static int patch_object(struct dl_phdr_info *object, size_t size, void *context)
{
	struct libc_search *const s = context;
	struct loaded_library l = {.base = object->dlpi_addr,
				   .segment = object->dlpi_phdr,
				   .segment_count = object->dlpi_phnum};
	const char *const path = *object->dlpi_name != '\0' ? object->dlpi_name : "/proc/self/exe";
	const struct record_sites *libc;
	(void)size;
	if (*path != '/' ||
	    contains(&l, (uintptr_t)libraries_patch)) /* code of the kernel; this library */
		return 0;
	if (!loaded_build_id(&l))
		recording_count_unseen(RECORD_COUNTER_LIBRARIES, may_make_calls(&l) ? 1 : 0);
	else if ((libc = patch_with_table(&s->patch, &l, path)) != NULL)
		libc_found(s, &l, libc);
	return 0;
}

bool libraries_patch(void)
{
	struct libc_search s;
	s.has_libc = false;
	patch_begin(&s.patch, false);
	dl_iterate_phdr(patch_object, &s);
	patch_end(&s.patch);
	return s.has_libc;
}

/* Later */

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	const long n = raw_call(SYS_pread64, fd, (long)to, (long)size, (long)offset, 0, 0);
	recording.own_reads++;
	recording.own_bytes += n > 0 ? (uint64_t)n : 0;
	return n == (long)size;
}

/* Not all segments are mapped yet, so the file is read. */
static bool stored_build_id(struct loaded_library *l, int fd)
{
	char notes[NOTES_MAX];
	for (unsigned i = 0; i < l->segment_count; i++) {
		const ElfW(Phdr) *const s = &l->segment[i];
		if (s->p_type == PT_NOTE && s->p_filesz <= sizeof notes &&
		    read_at(fd, notes, s->p_filesz, s->p_offset) &&
		    read_build_id(notes, s->p_filesz, l->build_id))
			return true;
	}
	return false;
}

/* Finds the library that was mapped. Returns false if the mapping is not code of a library. */
static bool find_mapped(struct loaded_library *l, ElfW(Phdr) * segment, uint64_t at, int fd,
			uint64_t offset)
{
	ElfW(Ehdr) e = {.e_phnum = 0};
	if (!read_at(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof *segment ||
	    e.e_phnum > SEGMENTS_MAX ||
	    !read_at(fd, segment, e.e_phnum * sizeof *segment, e.e_phoff))
		return false;
	bool found = false;
	l->segment = segment;
	l->segment_count = e.e_phnum;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		const uint64_t into = segment[i].p_offset & (RECORD_PAGE - 1);
		if (segment[i].p_type != PT_LOAD || (segment[i].p_flags & PF_X) == 0)
			continue;
		if (segment[i].p_offset - into != offset) {
			segment[i].p_flags = 0; /* it may not be there yet */
			continue;
		}
		l->base = at - (segment[i].p_vaddr - into);
		found = true;
	}
	return found;
}

void libraries_mapped(uint64_t at, int fd, uint64_t offset)
{
	ElfW(Phdr) segment[SEGMENTS_MAX] = {{0}};
	char path[RECORD_TEXT_MAX];
	struct loaded_library l;
	struct patch p;
	if (!find_mapped(&l, segment, at, fd, offset)) {
		recording_count(RECORD_COUNTER_CODE, 1);
		return;
	}
	if (!stored_build_id(&l, fd)) {
		recording_count_unseen(RECORD_COUNTER_LIBRARIES, may_make_calls(&l) ? 1 : 0);
		return;
	}
	if (paths_of_descriptor(fd, path) == 0)
		*path = '\0';
	patch_begin(&p, true);
	(void)patch_with_table(&p, &l, path);
	patch_end(&p);
}
