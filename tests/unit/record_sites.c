/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of instructions, and the system calls found in libraries. */
#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/record/instruction.h"
#include "cli/record/sites.h"

static size_t length(const char *bytes, size_t size)
{
	uint8_t code[32];
	memset(code, 0x90, sizeof(code));
	memcpy(code, bytes, size);
	return instruction_length(code, sizeof(code));
}

#define IS_ONE(bytes)                                                                              \
	cr_assert_eq(length(bytes, sizeof(bytes) - 1), sizeof(bytes) - 1, "%s", #bytes)

Test(instruction, one_byte_opcodes)
{
	IS_ONE("\x90");
	IS_ONE("\xc3");
	IS_ONE("\x31\xc0");
	IS_ONE("\xb8\x01\x00\x00\x00");
	IS_ONE("\x41\xb8\x01\x00\x00\x00");
	IS_ONE("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08");
	IS_ONE("\x66\xb8\x01\x00");
	IS_ONE("\x48\xc7\xc0\x0f\x00\x00\x00");
	IS_ONE("\xf6\xc1\x01");
	IS_ONE("\xf7\xd8");
	IS_ONE("\x83\x3d\x01\x02\x03\x04\x00");
	IS_ONE("\xe8\x01\x02\x03\x04");
	IS_ONE("\xc8\x10\x00\x00");
}

Test(instruction, addresses)
{
	IS_ONE("\x8b\x44\x24\x08");
	IS_ONE("\x8b\x84\x24\x00\x01\x00\x00");
	IS_ONE("\x8b\x04\xc5\x00\x01\x00\x00");
	IS_ONE("\x64\x48\x8b\x04\x25\x28\x00\x00\x00");
	IS_ONE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00");
}

Test(instruction, two_bytes_and_vectors)
{
	IS_ONE("\x0f\x05");
	IS_ONE("\x0f\x84\x01\x02\x03\x04");
	IS_ONE("\xf3\x0f\x1e\xfa");
	IS_ONE("\x66\x0f\x3a\x0f\xc1\x08");
	IS_ONE("\xc5\xf8\x77");
	IS_ONE("\xc5\xfd\x70\xc0\x1b");
	IS_ONE("\xc4\xe3\x7d\x39\xc1\x01");
	IS_ONE("\x62\xf1\x7c\x48\x10\x47\x01");
}

Test(instruction, invalid_and_cut)
{
	static const uint8_t call[] = {0xe8, 0, 0, 0, 0};
	cr_assert_eq(length("\x06", 1), 0);
	cr_assert_eq(length("\x0f\x04", 2), 0);
	for (size_t i = 0; i < sizeof(call); i++)
		cr_assert_eq(instruction_length(call, i), 0);
}

static bool moves(const char *bytes)
{
	return instruction_moves((const uint8_t *)bytes, strlen(bytes));
}

Test(instruction, what_does_the_same_elsewhere)
{
	cr_assert(moves("\x8b\x7c\x24\x08"));                 /* mov 8(%rsp),%edi */
	cr_assert(moves("\x4c\x89\xe6"));                     /* mov %r12,%rsi */
	cr_assert(moves("\xc6\x85\x37\xf8\xff\xff\x73"));     /* movb $0x73,-0x7c9(%rbp) */
	cr_assert(moves("\x48\x8d\x4c\x24\x10"));             /* lea 0x10(%rsp),%rcx */
	cr_assert_not(moves("\x48\x8b\x05\x01\x01\x01\x01")); /* mov 0x1010101(%rip),%rax */
	cr_assert_not(moves("\x67\x8b\x05\x01\x01\x01\x01")); /* mov 0x1010101(%eip),%eax */
	cr_assert_not(moves("\xc7\xf8\x01\x01\x01\x01"));     /* xbegin */
	cr_assert_not(moves("\xe8\x01\x01\x01\x01"));         /* call */
	cr_assert_not(moves("\x75\x01"));                     /* jne */
	cr_assert_not(moves("\x0f\x05"));                     /* syscall */
	cr_assert_not(moves("\xff\xe0"));                     /* jmp *%rax */
}

/* Decodes all functions of libc's data as code, too: no length exceeds what exists. */
Test(instruction, any_bytes)
{
	uint8_t code[15];
	unsigned seed = 1;
	for (int i = 0; i < 100000; i++) {
		const size_t size = (size_t)i % (sizeof(code) + 1);
		for (size_t k = 0; k < size; k++)
			code[k] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
		cr_assert_leq(instruction_length(code, size), size);
	}
}

static int find_libc(struct dl_phdr_info *object, size_t size, void *to)
{
	(void)size;
	if (strstr(object->dlpi_name, "/libc.so.") == NULL)
		return 0;
	*(const char **)to = object->dlpi_name;
	return 1;
}

static const struct record_site *site_of(const struct record_sites *s, uint32_t number)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->site[i].method == RECORD_SITE_NUMBER && s->site[i].value == number)
			return &s->site[i];
	return NULL;
}

Test(sites, of_libc)
{
	const char *path = NULL;
	dl_iterate_phdr(find_libc, &path);
	struct record_sites *s = path != NULL ? sites_of(path) : NULL;
	if (s == NULL || !s->is_libc) { /* a libc whose system calls are in one function */
		free(s);
		return;
	}
	const struct record_site *const w = site_of(s, SYS_write);
	cr_assert_not_null(w);
	cr_assert_eq(w->jump + RECORD_JUMP, w->at);
	cr_assert_eq(w->original[0], 0xb8);
	cr_assert_null(site_of(s, SYS_rt_sigreturn));
	cr_assert_null(site_of(s, SYS_futex));
	cr_assert_eq(s->missed, 0);
	for (uint32_t i = 0; i < s->count; i++)
		if (s->site[i].method == RECORD_SITE_PADDING)
			cr_assert_lt(llabs((long long)s->site[i].at - s->site[i].jump), 128);
		else if (s->site[i].method == RECORD_SITE_MOVED)
			cr_assert_leq(s->site[i].at - s->site[i].jump, (uint32_t)RECORD_MOVED);
	free(s);
}

/* Returns the sites of libc, whose table of sections is stated to be elsewhere. */
static struct record_sites *sites_with_sections_at(const char *path, uint64_t added)
{
	static char data[1 << 23];
	char copy[64];
	Elf64_Ehdr e;
	const int from = open(path, O_RDONLY), to = memfd_create("library", 0);
	const ssize_t n = read(from, data, sizeof(data));
	memcpy(&e, data, sizeof(e));
	e.e_shoff += added;
	memcpy(data, &e, sizeof(e));
	cr_assert(n > 0 && write(to, data, (size_t)n) == n && close(from) == 0);
	(void)snprintf(copy, sizeof(copy), "/proc/self/fd/%d", to);
	struct record_sites *const s = sites_of(copy);
	cr_assert_eq(close(to), 0);
	return s;
}

Test(sites, sections_that_are_not_aligned)
{
	const char *path = NULL;
	dl_iterate_phdr(find_libc, &path);
	struct record_sites *const s = path != NULL ? sites_with_sections_at(path, 1) : NULL;
	cr_assert(s == NULL || !s->is_libc);
	free(s);
}

Test(sites, not_a_library)
{
	cr_assert_null(sites_of("/etc/passwd"));
	cr_assert_null(sites_of("/nonexistent"));
	cr_assert_null(sites_of("/dev/null"));
}
