/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions are decoded from their beginnings, which the unwind tables have also in a stripped
 * library: a search for bytes would take the end of mov $1,%r8d for mov $1,%eax. Only one
 * instruction is replaced by a jump: nothing can jump into it, and a jump to one that remains is
 * always right.
 */
#include "sites.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "elf_file.h"
#include "instruction.h"
#include "site_calls.h"

static_assert((int)ELF_BUILD_ID == (int)RECORD_BUILD_ID, "sites are found by build id");

enum { NUMBER_NONE = -1 };

struct library {
	struct elf_file file;
	uint64_t padding_used; /* bytes of padding before it have jumps */
	bool saves_padding;    /* for sites that no other method fits */
	bool has_number[SITE_CALLS], has_exit;
	/*
	 * a function that makes any call, and may cancel the thread: its begin, and the instruction
	 */
	uint64_t cancel, cancel_call;
	struct record_sites *sites;
};

/* Padding */

static bool is_padding(const uint8_t *code, size_t size)
{
	for (size_t n; size > 0; code += n, size -= n) {
		n = instruction_length(code, size);
		size_t prefixes = 0;
		while (prefixes < n && (code[prefixes] == 0x66 || code[prefixes] == 0x2e))
			prefixes++;
		const bool nop = n > prefixes && code[prefixes] == 0x90;
		const bool long_nop =
		    n > prefixes + 1 && code[prefixes] == 0x0f && code[prefixes + 1] == 0x1f;
		if (n == 0 || (!nop && !long_nop && code[0] != 0xcc))
			return false;
	}
	return true;
}

/* Returns where a jump fits that the instruction at `at` reaches in two bytes; 0 if nowhere. */
static uint64_t find_padding(struct library *l, size_t function, uint64_t at)
{
	enum { REACH = 120 };
	const size_t first = function > 16 ? function - 16 : 0;
	for (size_t i = first; i < function + 16 && i + 1 < l->file.function_count; i++) {
		uint64_t from = l->file.functions[i].end;
		const uint64_t to = l->file.functions[i + 1].begin;
		const uint8_t *const code = elf_file_at(&l->file, from, to - from);
		if (code == NULL || to - from >= 64 || !is_padding(code, to - from))
			continue;
		if (from < l->padding_used)
			from = l->padding_used;
		if (at > REACH && from < at - REACH)
			from = at - REACH;
		if (from + RECORD_JUMP <= to && from < at + REACH) {
			l->padding_used = from + RECORD_JUMP;
			return from;
		}
	}
	return 0;
}

/* Sites */

static bool is_inside(const struct library *l, const char *name, uint64_t at)
{
	uint64_t size = 0;
	const uint64_t begin = elf_file_symbol(&l->file, name, &size);
	return begin != 0 && at >= begin && at < begin + size;
}

static void add_site(struct library *l, const struct record_site *site, int64_t number)
{
	if (l->sites->count == RECORD_SITES_MAX)
		return;
	if (number >= 0 && number < SITE_CALLS)
		l->has_number[number] = true;
	l->sites->site[l->sites->count++] = *site;
}

/* What the last instructions before a syscall instruction are. */
struct before {
	const uint8_t *last; /* NULL: the first of the function */
	size_t last_size;
	const uint8_t *moved; /* the last that a jump fits in, if all since then can be moved */
	int64_t number;       /* that eax probably has */
	unsigned age;         /* instructions since then */
	bool tested;          /* the last one compared eax with 0 */
};

static uint32_t immediate_of(const uint8_t *code)
{
	return (uint32_t)elf_int(code + 1);
}

/* Returns whether the instruction before the site is mov disp(%rsp),%rax. */
static bool is_from_stack(const struct before *b)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x44, 0x24};
	return b->last_size == sizeof(load) + 1 && memcmp(b->last, load, sizeof(load)) == 0;
}

/* Sites whose number is in a register, among them any number that a program passes. */
static bool has_any_number(const struct library *l, uint64_t at, const struct before *b)
{
	return is_inside(l, "syscall", at) || is_inside(l, "_exit", at) || is_from_stack(b);
}

/*
 * Returns whether a function is the one in which glibc 2.41 and later makes calls that cancel a
 * thread: it tests the state at its first argument, and its last moves before the call store that
 * argument.
 */
static bool is_cancellable(const struct library *l, const struct elf_function *f, uint64_t at,
			   const struct before *b)
{
	static const uint8_t first[] = {0x8b, 0x07, 0xf6, 0x07, 0x08, 0x0f, 0x85};
	static const uint8_t last[] = {0x4c, 0x89, 0x5c, 0x24, 0x08}, end[] = {0x0f, 0x05, 0xc3};
	const uint8_t *const code = elf_file_at(&l->file, f->begin, sizeof(first));
	const uint8_t *const call = elf_file_at(&l->file, at, sizeof(end));
	return code != NULL && call != NULL && memcmp(code, first, sizeof(first)) == 0 &&
	       b->last_size == sizeof(last) && memcmp(b->last, last, sizeof(last)) == 0 &&
	       memcmp(call, end, sizeof(end)) == 0;
}

static void add_syscall(struct library *l, size_t function, uint64_t at, const struct before *b)
{
	struct record_site s = {.at = (uint32_t)at, .jump = (uint32_t)(at - RECORD_JUMP)};
	const bool in_place = b->last_size == RECORD_JUMP && b->last[0] == 0xb8;
	const uint8_t *const instruction = elf_file_at(&l->file, at, RECORD_SYSCALL);
	if (is_cancellable(l, &l->file.functions[function], at, b)) {
		l->cancel = l->file.functions[function].begin;
		l->cancel_call = at;
		return;
	}
	const bool any = b->number == NUMBER_NONE && has_any_number(l, at, b);
	if (!any && !site_call_is_wanted(b->number))
		return;
	const size_t moved = b->moved != NULL ? (size_t)(instruction - b->moved) : SIZE_MAX;
	const bool may_move = moved <= RECORD_MOVED;
	if (in_place) {
		s.method = RECORD_SITE_NUMBER;
		s.value = immediate_of(b->last);
	} else if ((!may_move || !l->saves_padding) &&
		   (s.jump = (uint32_t)find_padding(l, function, at)) != 0) {
		s.method = RECORD_SITE_PADDING;
	} else if (may_move) {
		s.method = RECORD_SITE_MOVED;
		s.jump = (uint32_t)(at - moved);
		s.value = record_sites_sum(b->moved, moved);
	} else {
		l->sites->missed++;
		return;
	}
	memcpy(s.original, elf_file_at(&l->file, s.jump, RECORD_JUMP), RECORD_JUMP);
	l->has_exit = l->has_exit || is_inside(l, "_exit", at);
	add_site(l, &s, b->number);
}

/* Tracks the value of eax. A wrong one does no harm, as the stub reads the register itself. */
static void follow(struct before *b, const uint8_t *code, size_t size)
{
	enum { FORGOTTEN = 12 };
	const bool jumps = code[0] == 0x75 || (size == 6 && code[0] == 0x0f && code[1] == 0x85);
	const bool is_zero = b->tested && jumps;
	b->last = code;
	b->last_size = size;
	if (!instruction_moves(code, size))
		b->moved = NULL;
	else if (size >= RECORD_JUMP)
		b->moved = code;
	b->age++;
	b->tested = size == 2 && code[0] == 0x85 && code[1] == 0xc0;
	if (code[0] == 0xb8 && size == RECORD_JUMP) {
		b->number = immediate_of(code);
		b->age = 0;
	} else if (is_zero ||
		   (size == 2 && (code[0] == 0x31 || code[0] == 0x33) && code[1] == 0xc0)) {
		b->number = 0;
		b->age = 0;
	} else if (b->age > FORGOTTEN || (code[0] == 0x89 && (code[1] & 0xc7) == 0xc0) ||
		   (code[0] == 0x44 && code[1] == 0x89 && (code[2] & 0xc7) == 0xc0)) {
		b->number = NUMBER_NONE;
	}
}

static void scan_function(struct library *l, size_t i)
{
	const struct elf_function *const f = &l->file.functions[i];
	const size_t size = f->end - f->begin;
	const uint8_t *const code = elf_file_at(&l->file, f->begin, size + RECORD_SYSCALL);
	struct before b = {.number = NUMBER_NONE};
	static const uint8_t instruction[] = {0x0f, 0x05};
	if (code == NULL || memmem(code, size + RECORD_SYSCALL, instruction, 2) == NULL)
		return;
	size_t n, at = 0;
	for (; at < size; at += n) {
		n = instruction_length(code + at, size - at);
		if (n == 0)
			return;
		if (n == 2 && memcmp(code + at, instruction, 2) == 0)
			add_syscall(l, i, f->begin + at, &b);
		follow(&b, code + at, n);
	}
	/* clone and clone3 end their unwind tables before the instruction, on purpose */
	if (at == size && memcmp(code + at, instruction, 2) == 0 && b.last_size == RECORD_JUMP &&
	    b.last[0] == 0xb8 && (b.number == SYS_clone || b.number == SYS_clone3))
		add_syscall(l, i, f->begin + at, &b);
}

static void scan_functions(struct library *l)
{
	l->sites->count = l->sites->missed = 0;
	l->padding_used = 0;
	for (size_t i = 0; i < l->file.function_count; i++)
		scan_function(l, i);
}

/* Returns whether an instruction of the function begins there. */
static bool is_instruction(const uint8_t *code, size_t size, size_t at)
{
	size_t i = 0;
	for (size_t n; i < at; i += n) {
		n = instruction_length(code + i, size - i);
		if (n == 0)
			return false;
	}
	return i == at;
}

/* Adds the calls to the function that may cancel the thread. */
static void scan_calls(struct library *l, const struct elf_function *f)
{
	const size_t size = f->end - f->begin;
	const uint8_t *const code = elf_file_at(&l->file, f->begin, size);
	for (size_t i = 0; code != NULL && i + RECORD_JUMP <= size; i++) {
		const uint64_t from = f->begin + i + RECORD_JUMP;
		if (code[i] != 0xe8 ||
		    from + (uint64_t)(int64_t)elf_int(code + i + 1) != l->cancel ||
		    !is_instruction(code, size, i))
			continue;
		struct record_site s = {.at = (uint32_t)l->cancel_call,
					.jump = (uint32_t)(f->begin + i),
					.value = (uint32_t)(l->cancel_call - l->cancel),
					.method = RECORD_SITE_CALL};
		memcpy(s.original, code + i, RECORD_JUMP);
		add_site(l, &s, NUMBER_NONE);
	}
}

/* Calls through this function may have any of these numbers. */
static void scan_cancellable(struct library *l)
{
	static const uint16_t numbers[] = {SYS_read,    SYS_write,    SYS_openat, SYS_close,
					   SYS_pread64, SYS_pwrite64, SYS_readv,  SYS_writev};
	const uint32_t count = l->sites->count;
	for (size_t i = 0; i < l->file.function_count; i++)
		scan_calls(l, &l->file.functions[i]);
	for (size_t i = 0; l->sites->count > count && i < sizeof(numbers) / sizeof(*numbers); i++)
		l->has_number[numbers[i]] = true;
}

/* A process changes the text page by page. */
static int by_address(const void *a, const void *b)
{
	const struct record_site *x = a, *y = b;
	return (x->jump > y->jump) - (x->jump < y->jump);
}

static bool has_required(const struct library *l)
{
	/* before glibc 2.34, another library has the calls of programs with threads */
	return site_calls_suffice(l->has_number) && l->has_exit &&
	       elf_file_symbol(&l->file, "pthread_create", &(uint64_t){0}) != 0;
}

static bool find_sites(struct library *l)
{
	l->sites = calloc(1, sizeof(*l->sites) + RECORD_SITES_MAX * sizeof(struct record_site));
	if (l->sites == NULL || !elf_file_build_id(&l->file, l->sites->build_id))
		return false;
	l->sites->magic = RECORD_SITES_MAGIC;
	if (!elf_file_functions(&l->file))
		return true;
	scan_functions(l);
	if (l->sites->missed > 0) {
		l->saves_padding = true;
		scan_functions(l);
	}
	if (l->cancel != 0)
		scan_cancellable(l);
	qsort(l->sites->site, l->sites->count, sizeof(*l->sites->site), by_address);
	l->sites->is_libc = has_required(l);
	l->sites->longjmp = (uint32_t)elf_file_symbol(&l->file, "longjmp", &(uint64_t){0});
	l->sites->longjmp_chk =
	    (uint32_t)elf_file_symbol(&l->file, "__longjmp_chk", &(uint64_t){0});
	return true;
}

struct record_sites *sites_of(const char *path)
{
	struct library l = {.sites = NULL};
	if (!elf_file_open(&l.file, path))
		return NULL;
	if (!find_sites(&l)) {
		free(l.sites);
		l.sites = NULL;
	}
	elf_file_close(&l.file);
	return l.sites;
}
