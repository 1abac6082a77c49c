/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file in memory: its bytes by address, its build id, functions and symbols. */
#ifndef CLI_RECORD_ELF_FILE_H
#define CLI_RECORD_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_BUILD_ID = 20 };

struct elf_function {
	uint64_t begin, end; /* addresses */
};

struct elf_file {
	const uint8_t *data;
	size_t size;
	const Elf64_Phdr *segments;
	unsigned segment_count;
	struct elf_function *functions; /* in order; none if the unwind tables are not understood */
	size_t function_count;
};

/* Returns false unless it is a file of this machine that can be read, with addresses of 32 bits. */
bool elf_file_open(struct elf_file *e, const char *path);
void elf_file_close(struct elf_file *e);
/* Returns `size` bytes at an address; NULL if the file ends before. */
const uint8_t *elf_file_at(const struct elf_file *e, uint64_t address, uint64_t size);
/* Returns false if the file has none. */
bool elf_file_build_id(const struct elf_file *e, uint8_t id[ELF_BUILD_ID]);
/* Reads the functions. Returns false if there are none. */
bool elf_file_functions(struct elf_file *e);
/* Returns the value of a symbol, and stores its size; 0 if the file does not export it. */
uint64_t elf_file_symbol(const struct elf_file *e, const char *name, uint64_t *size);
int32_t elf_int(const uint8_t *at);

#endif
