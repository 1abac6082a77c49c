/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions are decoded from their beginnings, which the unwind tables have also in a stripped
 * library: a search for bytes would take the end of mov $1,%r8d for mov $1,%eax. Only one
 * instruction is replaced by a jump: nothing can jump into it, and a jump to one that remains is
 * always right.
 */
#include "sites.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "instruction.h"
#include "lib/base/full_io.h"
#include "record/ring.h"

/* Calls that become records, that change what descriptors refer to, or that make processes. */
static const uint16_t wanted[] = {SYS_read,
				  SYS_write,
				  SYS_pread64,
				  SYS_pwrite64,
				  SYS_readv,
				  SYS_writev,
				  SYS_preadv,
				  SYS_pwritev,
				  SYS_preadv2,
				  SYS_pwritev2,
				  SYS_sendfile,
				  SYS_copy_file_range,
				  SYS_splice,
				  SYS_tee,
				  SYS_vmsplice,
				  SYS_process_vm_readv,
				  SYS_process_vm_writev,
				  SYS_recvfrom,
				  SYS_sendto,
				  SYS_recvmsg,
				  SYS_sendmsg,
				  SYS_recvmmsg,
				  SYS_sendmmsg,
				  SYS_open,
				  SYS_openat,
				  SYS_openat2,
				  SYS_creat,
				  SYS_open_by_handle_at,
				  SYS_close,
				  SYS_close_range,
				  SYS_dup,
				  SYS_dup2,
				  SYS_dup3,
				  SYS_fcntl,
				  SYS_lseek,
				  SYS_pipe,
				  SYS_pipe2,
				  SYS_socket,
				  SYS_socketpair,
				  SYS_accept,
				  SYS_accept4,
				  SYS_eventfd,
				  SYS_eventfd2,
				  SYS_epoll_create,
				  SYS_epoll_create1,
				  SYS_timerfd_create,
				  SYS_signalfd,
				  SYS_signalfd4,
				  SYS_inotify_init,
				  SYS_inotify_init1,
				  SYS_memfd_create,
				  SYS_pidfd_getfd,
				  SYS_mmap,
				  SYS_msync,
				  SYS_ioctl,
				  SYS_fsync,
				  SYS_fdatasync,
				  SYS_sync,
				  SYS_syncfs,
				  SYS_sync_file_range,
				  SYS_ftruncate,
				  SYS_truncate,
				  SYS_fallocate,
				  SYS_fadvise64,
				  SYS_readahead,
				  SYS_flock,
				  SYS_stat,
				  SYS_lstat,
				  SYS_fstat,
				  SYS_newfstatat,
				  SYS_statx,
				  SYS_access,
				  SYS_faccessat,
				  SYS_faccessat2,
				  SYS_rename,
				  SYS_renameat,
				  SYS_renameat2,
				  SYS_unlink,
				  SYS_unlinkat,
				  SYS_rmdir,
				  SYS_mkdir,
				  SYS_mkdirat,
				  SYS_link,
				  SYS_linkat,
				  SYS_symlink,
				  SYS_symlinkat,
				  SYS_readlink,
				  SYS_readlinkat,
				  SYS_chmod,
				  SYS_fchmod,
				  SYS_fchmodat,
				  SYS_chown,
				  SYS_fchown,
				  SYS_lchown,
				  SYS_fchownat,
				  SYS_utime,
				  SYS_utimes,
				  SYS_futimesat,
				  SYS_utimensat,
				  SYS_mknod,
				  SYS_mknodat,
				  SYS_statfs,
				  SYS_fstatfs,
				  SYS_getdents,
				  SYS_getdents64,
				  SYS_getxattr,
				  SYS_lgetxattr,
				  SYS_fgetxattr,
				  SYS_setxattr,
				  SYS_lsetxattr,
				  SYS_fsetxattr,
				  SYS_listxattr,
				  SYS_llistxattr,
				  SYS_flistxattr,
				  SYS_removexattr,
				  SYS_lremovexattr,
				  SYS_fremovexattr,
				  SYS_chdir,
				  SYS_fchdir,
				  SYS_setuid,
				  SYS_setreuid,
				  SYS_setresuid,
				  SYS_setfsuid,
				  SYS_chroot,
				  SYS_setns,
				  SYS_unshare,
				  SYS_fork,
				  SYS_vfork,
				  SYS_clone,
				  SYS_clone3,
				  SYS_execve,
				  SYS_execveat,
				  SYS_exit_group};

/* Without these, a process would be seen in part. */
static const uint16_t required[] = {SYS_read,  SYS_write,    SYS_openat, SYS_close,
				    SYS_lseek, SYS_pread64,  SYS_clone,  SYS_execve,
				    SYS_readv, SYS_pwrite64, SYS_writev};

enum {
	NUMBER_NONE = -1,
	FUNCTIONS_MAX = 1 << 20,
	FILE_MAX = 1 << 28,
};

struct function {
	uint64_t begin, end;
};

struct library {
	const uint8_t *data; /* the file */
	size_t size;
	const Elf64_Phdr *segments;
	unsigned segment_count;
	struct function *functions; /* in order */
	size_t function_count;
	uint64_t padding_used; /* bytes of padding before it have jumps */
	bool saves_padding;    /* for sites that no other method fits */
	bool has_number[512], has_exit;
	/*
	 * a function that makes any call, and may cancel the thread: its begin, and the instruction
	 */
	uint64_t cancel, cancel_call;
	struct record_sites *sites;
};

static bool is_wanted(int64_t number)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (wanted[i] == number)
			return true;
	return false;
}

/* Returns `size` bytes at an address of the library; NULL if the file ends before. */
static const uint8_t *at_address(const struct library *l, uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < l->segment_count; i++) {
		const Elf64_Phdr *s = &l->segments[i];
		if (s->p_type == PT_LOAD && address >= s->p_vaddr && size <= s->p_filesz &&
		    address - s->p_vaddr <= s->p_filesz - size && s->p_offset <= l->size &&
		    s->p_filesz <= l->size - s->p_offset)
			return l->data + s->p_offset + (address - s->p_vaddr);
	}
	return NULL;
}

static const Elf64_Phdr *segment_of_type(const struct library *l, uint32_t type)
{
	for (unsigned i = 0; i < l->segment_count; i++)
		if (l->segments[i].p_type == type)
			return &l->segments[i];
	return NULL;
}

static bool read_header(struct library *l)
{
	const Elf64_Ehdr *const e = (const void *)l->data;
	if (l->size < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != EM_X86_64 ||
	    e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phoff > l->size || e->e_phoff % 8 != 0 ||
	    (l->size - e->e_phoff) / sizeof(Elf64_Phdr) < e->e_phnum)
		return false;
	l->segments = (const void *)(l->data + e->e_phoff);
	l->segment_count = e->e_phnum;
	return true;
}

static bool read_build_id(const struct library *l, uint8_t id[RECORD_BUILD_ID])
{
	for (unsigned i = 0; i < l->segment_count; i++) {
		const Elf64_Phdr *const s = &l->segments[i];
		const uint8_t *at =
		    s->p_type == PT_NOTE ? at_address(l, s->p_vaddr, s->p_filesz) : NULL;
		uint64_t left = at != NULL ? s->p_filesz : 0;
		Elf64_Nhdr n;
		while (left >= sizeof(n)) {
			memcpy(&n, at, sizeof(n));
			const uint64_t name = (n.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
			const uint64_t whole =
			    sizeof(n) + name + ((n.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
			if (whole > left)
				break;
			if (n.n_type == NT_GNU_BUILD_ID && n.n_descsz == RECORD_BUILD_ID &&
			    n.n_namesz == 4 && memcmp(at + sizeof(n), "GNU", 4) == 0) {
				memcpy(id, at + sizeof(n) + name, RECORD_BUILD_ID);
				return true;
			}
			at += whole;
			left -= whole;
		}
	}
	return false;
}

/* Functions */

static int32_t read_int(const uint8_t *at)
{
	int32_t n;
	memcpy(&n, at, sizeof(n));
	return n;
}

/* One entry of the sorted table: where a function begins, and where its description is. */
static bool read_function(const struct library *l, uint64_t table, const uint8_t *entry,
			  struct function *f)
{
	enum { DESCRIPTION = 16 }; /* length, pointer, begin and size */
	f->begin = table + (uint64_t)(int64_t)read_int(entry);
	const uint64_t at = table + (uint64_t)(int64_t)read_int(entry + 4);
	const uint8_t *const d = at_address(l, at, DESCRIPTION);
	if (d == NULL || at + 8 + (uint64_t)(int64_t)read_int(d + 8) != f->begin ||
	    read_int(d + 12) <= 0)
		return false;
	f->end = f->begin + (uint64_t)read_int(d + 12);
	return true;
}

/* Reads .eh_frame_hdr with the encodings that linkers use. */
static bool read_functions(struct library *l)
{
	static const uint8_t encodings[] = {1, 0x1b, 0x03, 0x3b};
	const Elf64_Phdr *const s = segment_of_type(l, PT_GNU_EH_FRAME);
	const uint8_t *const h = s != NULL ? at_address(l, s->p_vaddr, s->p_filesz) : NULL;
	if (h == NULL || s->p_filesz < 12 || memcmp(h, encodings, sizeof(encodings)) != 0)
		return false;
	const uint64_t count = (uint32_t)read_int(h + 8);
	if (count > FUNCTIONS_MAX || count > (s->p_filesz - 12) / 8)
		return false;
	l->functions = calloc(count + 1, sizeof(*l->functions));
	for (uint64_t i = 0; i < count && l->functions != NULL; i++) {
		struct function *const f = &l->functions[l->function_count];
		if (read_function(l, s->p_vaddr, h + 12 + 8 * i, f) &&
		    at_address(l, f->begin, f->end - f->begin) != NULL &&
		    (l->function_count == 0 || f[-1].end <= f->begin))
			l->function_count++;
	}
	return l->function_count > 0;
}

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
	for (size_t i = first; i < function + 16 && i + 1 < l->function_count; i++) {
		uint64_t from = l->functions[i].end;
		const uint64_t to = l->functions[i + 1].begin;
		const uint8_t *const code = at_address(l, from, to - from);
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

static uint64_t symbol_value(const struct library *l, const char *name, uint64_t *size)
{
	const Elf64_Ehdr *const e = (const void *)l->data;
	const Elf64_Shdr *const sections = (const void *)(l->data + e->e_shoff);
	if (e->e_shoff == 0 || e->e_shoff % 8 != 0 || e->e_shoff > l->size ||
	    e->e_shentsize != sizeof(*sections) ||
	    (l->size - e->e_shoff) / sizeof(*sections) < e->e_shnum)
		return 0;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		const Elf64_Shdr *const s = &sections[i];
		if (s->sh_type != SHT_DYNSYM || s->sh_link >= e->e_shnum || s->sh_offset % 8 != 0 ||
		    s->sh_offset > l->size || s->sh_size > l->size - s->sh_offset)
			continue;
		const Elf64_Shdr *const names = &sections[s->sh_link];
		if (names->sh_offset > l->size || names->sh_size > l->size - names->sh_offset)
			continue;
		const Elf64_Sym *const symbols = (const void *)(l->data + s->sh_offset);
		for (size_t k = 0; k < s->sh_size / sizeof(*symbols); k++) {
			const char *const text =
			    (const char *)l->data + names->sh_offset + symbols[k].st_name;
			if (symbols[k].st_name < names->sh_size &&
			    strncmp(text, name, names->sh_size - symbols[k].st_name) == 0) {
				*size = symbols[k].st_size;
				return symbols[k].st_value;
			}
		}
	}
	return 0;
}

static bool is_inside(const struct library *l, const char *name, uint64_t at)
{
	uint64_t size = 0;
	const uint64_t begin = symbol_value(l, name, &size);
	return begin != 0 && at >= begin && at < begin + size;
}

static void add_site(struct library *l, const struct record_site *site, int64_t number)
{
	if (l->sites->count == RECORD_SITES_MAX)
		return;
	if (number >= 0 && number < 512)
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
	return (uint32_t)read_int(code + 1);
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
static bool is_cancellable(const struct library *l, const struct function *f, uint64_t at,
			   const struct before *b)
{
	static const uint8_t first[] = {0x8b, 0x07, 0xf6, 0x07, 0x08, 0x0f, 0x85};
	static const uint8_t last[] = {0x4c, 0x89, 0x5c, 0x24, 0x08}, end[] = {0x0f, 0x05, 0xc3};
	const uint8_t *const code = at_address(l, f->begin, sizeof(first));
	const uint8_t *const call = at_address(l, at, sizeof(end));
	return code != NULL && call != NULL && memcmp(code, first, sizeof(first)) == 0 &&
	       b->last_size == sizeof(last) && memcmp(b->last, last, sizeof(last)) == 0 &&
	       memcmp(call, end, sizeof(end)) == 0;
}

static void add_syscall(struct library *l, size_t function, uint64_t at, const struct before *b)
{
	struct record_site s = {.at = (uint32_t)at, .jump = (uint32_t)(at - RECORD_JUMP)};
	const bool in_place = b->last_size == RECORD_JUMP && b->last[0] == 0xb8;
	const uint8_t *const instruction = at_address(l, at, RECORD_SYSCALL);
	if (is_cancellable(l, &l->functions[function], at, b)) {
		l->cancel = l->functions[function].begin;
		l->cancel_call = at;
		return;
	}
	const bool any = b->number == NUMBER_NONE && has_any_number(l, at, b);
	if (!any && !is_wanted(b->number))
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
	memcpy(s.original, at_address(l, s.jump, RECORD_JUMP), RECORD_JUMP);
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
	const struct function *const f = &l->functions[i];
	const size_t size = f->end - f->begin;
	const uint8_t *const code = at_address(l, f->begin, size + RECORD_SYSCALL);
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
	for (size_t i = 0; i < l->function_count; i++)
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
static void scan_calls(struct library *l, const struct function *f)
{
	const size_t size = f->end - f->begin;
	const uint8_t *const code = at_address(l, f->begin, size);
	for (size_t i = 0; code != NULL && i + RECORD_JUMP <= size; i++) {
		const uint64_t from = f->begin + i + RECORD_JUMP;
		if (code[i] != 0xe8 ||
		    from + (uint64_t)(int64_t)read_int(code + i + 1) != l->cancel ||
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
	for (size_t i = 0; i < l->function_count; i++)
		scan_calls(l, &l->functions[i]);
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
	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
		if (!l->has_number[required[i]])
			return false;
	/* before glibc 2.34, another library has the calls of programs with threads */
	return l->has_exit && symbol_value(l, "pthread_create", &(uint64_t){0}) != 0;
}

static bool find_sites(struct library *l)
{
	l->sites = calloc(1, sizeof(*l->sites) + RECORD_SITES_MAX * sizeof(struct record_site));
	if (l->sites == NULL || !read_header(l) || !read_build_id(l, l->sites->build_id))
		return false;
	l->sites->magic = RECORD_SITES_MAGIC;
	if (!read_functions(l))
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
	l->sites->longjmp = (uint32_t)symbol_value(l, "longjmp", &(uint64_t){0});
	l->sites->longjmp_chk = (uint32_t)symbol_value(l, "__longjmp_chk", &(uint64_t){0});
	return true;
}

/* Returns the file in memory; NULL if it cannot be read. */
static const uint8_t *map_file(const char *path, size_t *size)
{
	struct stat st;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	void *map = MAP_FAILED;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < FILE_MAX)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	*size = map != MAP_FAILED ? (size_t)st.st_size : 0;
	return map != MAP_FAILED ? map : NULL;
}

struct record_sites *sites_of(const char *path)
{
	struct library l = {.size = 0};
	l.data = map_file(path, &l.size);
	if (l.data == NULL)
		return NULL;
	if (!find_sites(&l)) {
		free(l.sites);
		l.sites = NULL;
	}
	free(l.functions);
	(void)munmap((void *)(uintptr_t)l.data, l.size);
	return l.sites;
}

/* Tables of a recording */

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

static bool write_sites(int directory, const struct record_sites *s)
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

bool sites_provide(int directory, const char *path)
{
	struct record_sites *const s = sites_of(path);
	const bool is_libc = s != NULL && s->is_libc != 0;
	const bool written = s != NULL && write_sites(directory, s);
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
	    sites_provide(s->directory, object->dlpi_name))
		s->has_libc = true;
	return 0;
}

bool sites_write(int directory)
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

bool sites_can_write(void)
{
	const int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	const off_t at = (off_t)(uintptr_t)sites_can_write;
	uint8_t byte;
	const bool written =
	    fd >= 0 && pread(fd, &byte, 1, at) == 1 && pwrite(fd, &byte, 1, at) == 1;
	if (fd >= 0)
		(void)close(fd);
	return written || can_make_code();
}
