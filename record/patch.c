/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a library is read-only. It is written through /proc/self/mem, for which the kernel
 * copies the page: permissions never change, and code remains executable at all times. Without
 * /proc, copies of pages take their place. Bytes that are different from the file were changed by
 * others, such as a debugger, and are left alone.
 */
#include "patch.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "raw.h"
#include "recording.h"
#include "sites.h"
#include "stubs.h"

/* Stubs that have been given out. Threads may load libraries at the same time. */
static _Atomic unsigned used, used_any;

enum { NUMBER_IN_REGISTER = -1 };

static const uint8_t instruction[RECORD_SYSCALL] = {0x0f, 0x05};

/*
 * Puts changed copies in the place of pages. The copies become code before that, or nothing is
 * done: where memory that was written must not become code, permissions of the pages could not be
 * restored.
 */
static bool replace_pages(uint64_t at, const void *bytes, size_t size)
{
	const uint64_t page = at & ~(uint64_t)(RECORD_PAGE - 1);
	const size_t all = (at + size - page + RECORD_PAGE - 1) & ~(size_t)(RECORD_PAGE - 1);
	char *const copy =
	    raw_map(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == NULL)
		return false;
	memcpy(copy, (const void *)page, all);
	memcpy(copy + (at - page), bytes, size);
	if (raw_call(SYS_mprotect, (long)copy, (long)all, PROT_READ | PROT_EXEC, 0, 0, 0) == 0 &&
	    raw_call(SYS_mremap, (long)copy, (long)all, (long)all, MREMAP_MAYMOVE | MREMAP_FIXED,
		     (long)page, 0) == (long)page)
		return true;
	raw_unmap(copy, all);
	return false;
}

/* The kernel counts what goes through /proc/self/mem as written by the process. */
static bool write_text(const struct patch *p, uint64_t at, const void *bytes, size_t size)
{
	const long n = p->memory < 0 ? -1
				     : raw_call(SYS_pwrite64, p->memory, (long)bytes, (long)size,
						(long)at, 0, 0);
	recording.own_writes += p->memory < 0 ? 0 : 1;
	recording.own_written += n > 0 ? (uint64_t)n : 0;
	return n == (long)size || replace_pages(at, bytes, size);
}

/* Writes the changes of the page. */
static void flush(struct patch *p)
{
	if (p->first < p->last &&
	    write_text(p, p->first, p->bytes + (p->first - p->page), p->last - p->first))
		p->written = true;
	else
		recording_count_unseen(RECORD_COUNTER_SITES, p->sites);
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

enum { CALL = 0xe8, JUMP = 0xe9 };

/* Changes the bytes there to a jump or call to `target`. Returns false if that is too far away. */
static bool change_to(struct patch *p, uint8_t opcode, uint64_t at, uint64_t target)
{
	uint8_t jump[RECORD_JUMP] = {opcode};
	const int64_t distance = (int64_t)(target - (at + RECORD_JUMP));
	const int32_t bytes = (int32_t)distance;
	if (bytes != distance) {
		recording_count_unseen(RECORD_COUNTER_FAR, 1);
		return false;
	}
	__builtin_memcpy(jump + 1, &bytes, sizeof bytes);
	change(p, at, jump, sizeof jump);
	p->sites++;
	return true;
}

static bool is_unchanged(uint64_t base, const struct record_site *s)
{
	const uint8_t *const code = (const uint8_t *)(base + s->jump);
	if (memcmp((const void *)(base + s->at), instruction, RECORD_SYSCALL) == 0 &&
	    memcmp(code, s->original, RECORD_JUMP) == 0 &&
	    (s->method != RECORD_SITE_MOVED ||
	     (s->at - s->jump <= RECORD_MOVED &&
	      record_sites_sum(code, s->at - s->jump) == s->value)))
		return true;
	recording_count_unseen(RECORD_COUNTER_CHANGED, 1);
	return false;
}

static bool creates_process(const struct record_site *s)
{
	return s->method == RECORD_SITE_NUMBER && (s->value == SYS_clone || s->value == SYS_fork ||
						   s->value == SYS_vfork || s->value == SYS_clone3);
}

/*
 * Returns the number of a stub from `first` on for this site: of one that had it before, for a
 * library that was unloaded, or of a new one. Returns `count` if all are in use.
 */
static unsigned stub_take(bool reuses, _Atomic unsigned *taken, unsigned first, unsigned count,
			  struct stub_site site)
{
	unsigned n = atomic_load(taken);
	for (unsigned i = 0; reuses && i < n; i++)
		if (stub_sites[first + i].back == site.back &&
		    stub_sites[first + i].number == site.number)
			return i;
	do
		if (n == count)
			return count;
	while (!atomic_compare_exchange_weak(taken, &n, n + 1));
	stub_sites[first + n] = site;
	return n;
}

static uint64_t any_stub(unsigned i)
{
	return (uint64_t)stubs_any_first + (uint64_t)i * STUBS_SIZE;
}

uint64_t patch_trapped(uint64_t back)
{
	const unsigned i =
	    stub_take(true, &used_any, 0, STUBS_ANY, (struct stub_site){back, NUMBER_IN_REGISTER});
	return i < STUBS_ANY ? any_stub(i) : 0;
}

/* Copies the moved instructions to the end of a stub. Returns 0 if it cannot be written. */
static uint64_t move(const struct patch *p, unsigned stub, uint64_t base,
		     const struct record_site *s)
{
	const size_t size = s->at - s->jump;
	const uint64_t to =
	    (uint64_t)stubs_moved_first + (uint64_t)stub * STUB_SIZE + RECORD_MOVED - size;
	return write_text(p, to, (const void *)(base + s->jump), size) ? to : 0;
}

/* Prepares a stub for a site. Returns its address, or 0 if the site cannot have a stub. */
static uint64_t stub_for(const struct patch *p, uint64_t base, const struct record_site *s)
{
	const struct stub_site site = {
	    .back = base + s->at + RECORD_SYSCALL,
	    .number = s->method == RECORD_SITE_NUMBER ? (int32_t)s->value : NUMBER_IN_REGISTER};
	const bool any = s->method != RECORD_SITE_NUMBER || creates_process(s);
	const unsigned first = any ? 0 : STUBS_ANY, count = any ? STUBS_ANY : STUBS;
	const unsigned i = stub_take(p->reuses, any ? &used_any : &used, first, count, site);
	if (i == count)
		return 0;
	if (s->method == RECORD_SITE_MOVED)
		return move(p, i, base, s);
	return any ? any_stub(i) : (uint64_t)stubs_first + (uint64_t)i * STUB_SIZE;
}

static uint64_t cancel_stub_for(uint64_t base, const struct record_site *s)
{
	return (uint64_t)stub_cancel_take((stub_cancellable *)(base + s->at - s->value));
}

static void patch_site(struct patch *p, uint64_t base, const struct record_site *s)
{
	if (!is_unchanged(base, s))
		return;
	const bool calls = s->method == RECORD_SITE_CALL;
	const uint64_t stub = calls ? cancel_stub_for(base, s) : stub_for(p, base, s);
	if (stub == 0)
		recording_count_unseen(RECORD_COUNTER_SITES, 1);
	if (stub == 0 || !change_to(p, calls ? CALL : JUMP, base + s->jump, stub))
		return;
	const uint8_t jump[RECORD_SYSCALL] = {0xeb, (uint8_t)(s->jump - (s->at + RECORD_SYSCALL))};
	if (s->method == RECORD_SITE_PADDING)
		change(p, base + s->at, jump, sizeof jump);
}

static bool is_text_of(const ElfW(Phdr) * s, uint64_t at)
{
	return s->p_type == PT_LOAD && (s->p_flags & PF_X) != 0 && at >= s->p_vaddr &&
	       at - s->p_vaddr + RECORD_JUMP <= s->p_filesz;
}

/*
 * Returns whether all bytes that a site changes belong to executable text of the library. *last:
 * the segment of the last site; most libraries have one.
 */
static bool is_text(const struct loaded_library *l, const ElfW(Phdr) * *last, uint64_t at)
{
	if (is_text_of(*last, at))
		return true;
	for (unsigned i = 0; i < l->segment_count; i++)
		if (is_text_of(&l->segment[i], at)) {
			*last = &l->segment[i];
			return true;
		}
	return false;
}

bool patch_library(struct patch *p, const struct loaded_library *l, const struct record_sites *s)
{
	if (p->memory < 0)
		p->memory = raw_open("/proc/self/mem", O_RDWR);
	p->written = false;
	const ElfW(Phdr) *text = l->segment;
	for (uint32_t i = 0; i < s->count; i++)
		if (is_text(l, &text, s->site[i].jump) && is_text(l, &text, s->site[i].at))
			patch_site(p, l->base, &s->site[i]);
	flush(p);
	recording_count_unseen(RECORD_COUNTER_SITES, s->missed);
	return p->written;
}

void patch_begin(struct patch *p, bool reuses)
{
	memset(p, 0, offsetof(struct patch, bytes));
	p->memory = -1;
	p->reuses = reuses;
}

void patch_end(struct patch *p)
{
	if (p->memory >= 0)
		raw_close(p->memory);
}
