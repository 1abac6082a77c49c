/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a library is read-only. It is written through /proc/self/mem, for which the kernel
 * copies the page: permissions never change, and code remains executable at all times. Bytes that are
 * different from the file were changed by others, such as a debugger, and are left alone.
 */
#include "patch.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "raw.h"
#include "recording.h"
#include "sites.h"
#include "stubs.h"
#include "text.h"

enum { WINDOW = RECORD_PAGE + RECORD_JUMP }; /* a jump may continue in the next page */

struct patch {
	int memory;   /* descriptor of /proc/self/mem */
	bool written; /* text of a library was changed */
	bool has_libc;
	unsigned used, used_any; /* stubs */
	/* changes of one page, which are written together: [first, last) are in `bytes` */
	uint64_t page, first, last;
	unsigned sites; /* of which one of them is the jump to the stub */
	uint8_t bytes[WINDOW];
};

static const uint8_t instruction[RECORD_SYSCALL] = {0x0f, 0x05};

/* The kernel counts the bytes as written by the process. */
static bool write_text(const struct patch *p, uint64_t at, const void *bytes, size_t size)
{
	const long n = raw_call(SYS_pwrite64, p->memory, (long)bytes, (long)size, (long)at, 0, 0);
	recording.own_writes++;
	recording.own_written += n > 0 ? (uint64_t)n : 0;
	return n == (long)size;
}

/* Writes the changes of the page. */
static void flush(struct patch *p)
{
	if (p->first < p->last &&
	    write_text(p, p->first, p->bytes + (p->first - p->page), p->last - p->first))
		p->written = true;
	else
		recording_count(RECORD_COUNTER_SITES, p->sites);
	p->first = p->last = 0;
	p->sites = 0;
}

/* Changes bytes, up to RECORD_JUMP. */
static void change(struct patch *p, uint64_t at, const uint8_t *bytes, size_t size)
{
	const uint64_t page = at & ~(uint64_t)(RECORD_PAGE - 1);
	if (p->first == p->last || page != p->page) {
		flush(p);
		p->page = page;
		p->first = p->last = at;
	}
	if (at + size > p->last) {
		memcpy(p->bytes + (p->last - page), (const void *)p->last, at + size - p->last);
		p->last = at + size;
	}
	if (at < p->first) {
		memcpy(p->bytes + (at - page), (const void *)at, p->first - at);
		p->first = at;
	}
	memcpy(p->bytes + (at - page), bytes, size);
}

/* Changes the bytes there to a jump to `target`. Returns false if that is too far away. */
static bool change_to_jump(struct patch *p, uint64_t at, uint64_t target)
{
	uint8_t jump[RECORD_JUMP] = {0xe9};
	const int64_t distance = (int64_t)(target - (at + RECORD_JUMP));
	const int32_t bytes = (int32_t)distance;
	if (bytes != distance) {
		recording_count(RECORD_COUNTER_FAR, 1);
		return false;
	}
	memcpy(jump + 1, &bytes, sizeof bytes);
	change(p, at, jump, sizeof jump);
	p->sites++;
	return true;
}

static bool is_unchanged(uint64_t base, const struct record_site *s)
{
	if (memcmp((const void *)(base + s->at), instruction, RECORD_SYSCALL) == 0 &&
	    memcmp((const void *)(base + s->jump), s->original, RECORD_JUMP) == 0)
		return true;
	recording_count(RECORD_COUNTER_CHANGED, 1);
	return false;
}

static bool creates_process(const struct record_site *s)
{
	return s->method == RECORD_SITE_NUMBER &&
	       (s->immediate == SYS_clone || s->immediate == SYS_fork ||
		s->immediate == SYS_vfork || s->immediate == SYS_clone3);
}

/* Prepares a stub for a site. Returns its address; 0 if all are in use. */
static uint64_t stub_for(struct patch *p, uint64_t base, const struct record_site *s)
{
	const uint64_t back = base + s->at + RECORD_SYSCALL;
	if (s->method == RECORD_SITE_PADDING || creates_process(s)) {
		if (p->used_any == STUBS_ANY)
			return 0;
		const unsigned i = p->used_any++;
		stubs_return[STUBS + i] = back;
		stubs_number[i] = s->method == RECORD_SITE_NUMBER ? (int32_t)s->immediate : -1;
		return (uint64_t)stubs_any_first + (uint64_t)i * STUBS_SIZE;
	}
	if (p->used == STUBS)
		return 0;
	const unsigned i = p->used++;
	stubs_return[i] = back;
	stubs_replaced[i] = (struct stub_replaced){.is_argument = s->method == RECORD_SITE_ARGUMENT,
						   .value = (int32_t)s->immediate};
	return (uint64_t)stubs_first + (uint64_t)i * STUB_SIZE;
}

static void patch_site(struct patch *p, uint64_t base, const struct record_site *s)
{
	if (!is_unchanged(base, s))
		return;
	const uint64_t stub = stub_for(p, base, s);
	if (stub == 0 || !change_to_jump(p, base + s->jump, stub)) {
		recording_count(RECORD_COUNTER_SITES, 1);
		return;
	}
	const uint8_t jump[RECORD_SYSCALL] = {0xeb, (uint8_t)(s->jump - (s->at + RECORD_SYSCALL))};
	if (s->method == RECORD_SITE_PADDING)
		change(p, base + s->at, jump, sizeof jump);
}

/* Reads the sites of a library; NULL if the recording has none for it. */
static const struct record_sites *sites_map(const uint8_t *build_id, size_t *size)
{
	static const char digits[] = "0123456789abcdef";
	char name[1200], id[2 * RECORD_BUILD_ID + 1];
	struct stat st = {.st_size = 0};
	for (int i = 0; i < RECORD_BUILD_ID; i++) {
		id[2 * i] = digits[build_id[i] >> 4];
		id[2 * i + 1] = digits[build_id[i] & 15];
	}
	id[2 * RECORD_BUILD_ID] = '\0';
	struct text t = text_in(name, sizeof name);
	text_add(&t, recording.directory);
	text_add(&t, "/sites.");
	text_add(&t, id);
	const int fd = raw_open(name, O_RDONLY);
	if (fd < 0)
		return NULL;
	const struct record_sites *s = NULL;
	if (raw_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 && st.st_size >= (off_t)sizeof *s)
		s = raw_map(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	raw_close(fd);
	*size = (size_t)st.st_size;
	return s;
}

static bool is_valid(const struct record_sites *s, size_t size, const uint8_t *build_id)
{
	return s->magic == RECORD_SITES_MAGIC && s->count <= RECORD_SITES_MAX &&
	       size >= sizeof *s + s->count * sizeof s->site[0] &&
	       memcmp(s->build_id, build_id, RECORD_BUILD_ID) == 0;
}

/* Returns whether all bytes that a site changes belong to executable text of the library. */
static bool is_text(const struct dl_phdr_info *object, uint64_t at)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const s = &object->dlpi_phdr[i];
		if (s->p_type == PT_LOAD && (s->p_flags & PF_X) != 0 && at >= s->p_vaddr &&
		    at - s->p_vaddr + RECORD_JUMP <= s->p_memsz)
			return true;
	}
	return false;
}

static const uint8_t *build_id_of(const struct dl_phdr_info *object)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const s = &object->dlpi_phdr[i];
		const char *at = (const char *)object->dlpi_addr + s->p_vaddr;
		size_t left = s->p_type == PT_NOTE ? s->p_memsz : 0;
		while (left >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *const n = (const void *)at;
			const size_t name = (n->n_namesz + (size_t)3) & ~(size_t)3,
				     whole = sizeof *n + name +
					     ((n->n_descsz + (size_t)3) & ~(size_t)3);
			if (whole > left)
				break;
			if (n->n_type == NT_GNU_BUILD_ID && n->n_descsz == RECORD_BUILD_ID)
				return (const uint8_t *)at + sizeof *n + name;
			at += whole;
			left -= whole;
		}
	}
	return NULL;
}

static void patch_library(struct patch *p, const struct dl_phdr_info *object,
			  const struct record_sites *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (is_text(object, s->site[i].jump) && is_text(object, s->site[i].at))
			patch_site(p, object->dlpi_addr, &s->site[i]);
	flush(p);
	recording_count(RECORD_COUNTER_SITES, s->missed);
	p->has_libc = p->has_libc || (s->is_libc != 0 && p->written);
}

static int patch_object(struct dl_phdr_info *object, size_t size, void *context)
{
	struct patch *const p = context;
	const uint8_t *const id = build_id_of(object);
	size_t bytes = 0;
	(void)size;
	const struct record_sites *const s = id != NULL ? sites_map(id, &bytes) : NULL;
	if (s == NULL)
		return 0;
	p->written = false;
	if (is_valid(s, bytes, id))
		patch_library(p, object, s);
	raw_unmap((void *)(uintptr_t)s, bytes);
	return 0;
}

bool patch_libraries(void)
{
	struct patch p;
	memset(&p, 0, offsetof(struct patch, bytes));
	p.memory = raw_open("/proc/self/mem", O_RDWR);
	if (p.memory < 0)
		return false;
	dl_iterate_phdr(patch_object, &p);
	raw_close(p.memory);
	return p.has_libc;
}
