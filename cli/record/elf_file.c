/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FUNCTIONS_MAX = 1 << 20,
	ELF_FILE_MAX = 1 << 28,
};

/* Returns the file in memory; NULL if it cannot be read. */
static const uint8_t *map_file(const char *path, size_t *size)
{
	struct stat st;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	void *map = MAP_FAILED;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size < ELF_FILE_MAX)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	*size = map != MAP_FAILED ? (size_t)st.st_size : 0;
	return map != MAP_FAILED ? map : NULL;
}

/* Addresses of sites have 32 bits. A library may be linked for others, but hardly one is. */
static bool has_near_addresses(const struct elf_file *e)
{
	for (unsigned i = 0; i < e->segment_count; i++) {
		const Elf64_Phdr *const s = &e->segments[i];
		if (s->p_type == PT_LOAD &&
		    (s->p_vaddr > UINT32_MAX || s->p_memsz > UINT32_MAX - s->p_vaddr))
			return false;
	}
	return true;
}

static bool read_header(struct elf_file *e)
{
	const Elf64_Ehdr *const h = (const void *)e->data;
	if (e->size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != EM_X86_64 ||
	    h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > e->size || h->e_phoff % 8 != 0 ||
	    (e->size - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
		return false;
	e->segments = (const void *)(e->data + h->e_phoff);
	e->segment_count = h->e_phnum;
	return has_near_addresses(e);
}

bool elf_file_open(struct elf_file *e, const char *path)
{
	*e = (struct elf_file){.size = 0};
	e->data = map_file(path, &e->size);
	if (e->data != NULL && read_header(e))
		return true;
	elf_file_close(e);
	return false;
}

void elf_file_close(struct elf_file *e)
{
	free(e->functions);
	if (e->data != NULL)
		(void)munmap((void *)(uintptr_t)e->data, e->size);
	*e = (struct elf_file){.size = 0};
}

const uint8_t *elf_file_at(const struct elf_file *e, uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < e->segment_count; i++) {
		const Elf64_Phdr *s = &e->segments[i];
		if (s->p_type == PT_LOAD && address >= s->p_vaddr && size <= s->p_filesz &&
		    address - s->p_vaddr <= s->p_filesz - size && s->p_offset <= e->size &&
		    s->p_filesz <= e->size - s->p_offset)
			return e->data + s->p_offset + (address - s->p_vaddr);
	}
	return NULL;
}

static const Elf64_Phdr *segment_of_type(const struct elf_file *e, uint32_t type)
{
	for (unsigned i = 0; i < e->segment_count; i++)
		if (e->segments[i].p_type == type)
			return &e->segments[i];
	return NULL;
}

bool elf_file_build_id(const struct elf_file *e, uint8_t id[ELF_BUILD_ID])
{
	for (unsigned i = 0; i < e->segment_count; i++) {
		const Elf64_Phdr *const s = &e->segments[i];
		const uint8_t *at =
		    s->p_type == PT_NOTE ? elf_file_at(e, s->p_vaddr, s->p_filesz) : NULL;
		uint64_t left = at != NULL ? s->p_filesz : 0;
		Elf64_Nhdr n;
		while (left >= sizeof(n)) {
			memcpy(&n, at, sizeof(n));
			const uint64_t name = (n.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
			const uint64_t whole =
			    sizeof(n) + name + ((n.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
			if (whole > left)
				break;
			if (n.n_type == NT_GNU_BUILD_ID && n.n_descsz == ELF_BUILD_ID &&
			    n.n_namesz == 4 && memcmp(at + sizeof(n), "GNU", 4) == 0) {
				memcpy(id, at + sizeof(n) + name, ELF_BUILD_ID);
				return true;
			}
			at += whole;
			left -= whole;
		}
	}
	return false;
}

int32_t elf_int(const uint8_t *at)
{
	int32_t n;
	memcpy(&n, at, sizeof(n));
	return n;
}

/* One entry of the sorted table: where a function begins, and where its description is. */
static bool read_function(const struct elf_file *e, uint64_t table, const uint8_t *entry,
			  struct elf_function *f)
{
	enum { DESCRIPTION = 16 }; /* length, pointer, begin and size */
	f->begin = table + (uint64_t)(int64_t)elf_int(entry);
	const uint64_t at = table + (uint64_t)(int64_t)elf_int(entry + 4);
	const uint8_t *const d = elf_file_at(e, at, DESCRIPTION);
	if (d == NULL || at + 8 + (uint64_t)(int64_t)elf_int(d + 8) != f->begin ||
	    elf_int(d + 12) <= 0)
		return false;
	f->end = f->begin + (uint64_t)elf_int(d + 12);
	return true;
}

/* Reads .eh_frame_hdr with the encodings that linkers use. */
bool elf_file_functions(struct elf_file *e)
{
	static const uint8_t encodings[] = {1, 0x1b, 0x03, 0x3b};
	const Elf64_Phdr *const s = segment_of_type(e, PT_GNU_EH_FRAME);
	const uint8_t *const h = s != NULL ? elf_file_at(e, s->p_vaddr, s->p_filesz) : NULL;
	if (h == NULL || s->p_filesz < 12 || memcmp(h, encodings, sizeof(encodings)) != 0)
		return false;
	const uint64_t count = (uint32_t)elf_int(h + 8);
	if (count > FUNCTIONS_MAX || count > (s->p_filesz - 12) / 8)
		return false;
	e->functions = calloc(count + 1, sizeof(*e->functions));
	for (uint64_t i = 0; i < count && e->functions != NULL; i++) {
		struct elf_function *const f = &e->functions[e->function_count];
		if (read_function(e, s->p_vaddr, h + 12 + 8 * i, f) &&
		    elf_file_at(e, f->begin, f->end - f->begin) != NULL &&
		    (e->function_count == 0 || f[-1].end <= f->begin))
			e->function_count++;
	}
	return e->function_count > 0;
}

uint64_t elf_file_symbol(const struct elf_file *e, const char *name, uint64_t *size)
{
	const Elf64_Ehdr *const h = (const void *)e->data;
	if (h->e_shoff == 0 || h->e_shoff % 8 != 0 || h->e_shoff > e->size ||
	    h->e_shentsize != sizeof(Elf64_Shdr) ||
	    (e->size - h->e_shoff) / sizeof(Elf64_Shdr) < h->e_shnum)
		return 0;
	const Elf64_Shdr *const sections = (const void *)(e->data + h->e_shoff);
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *const s = &sections[i];
		if (s->sh_type != SHT_DYNSYM || s->sh_link >= h->e_shnum || s->sh_offset % 8 != 0 ||
		    s->sh_offset > e->size || s->sh_size > e->size - s->sh_offset)
			continue;
		const Elf64_Shdr *const names = &sections[s->sh_link];
		if (names->sh_offset > e->size || names->sh_size > e->size - names->sh_offset)
			continue;
		const Elf64_Sym *const symbols = (const void *)(e->data + s->sh_offset);
		for (size_t k = 0; k < s->sh_size / sizeof(*symbols); k++) {
			const char *const text =
			    (const char *)e->data + names->sh_offset + symbols[k].st_name;
			if (symbols[k].st_name < names->sh_size &&
			    strncmp(text, name, names->sh_size - symbols[k].st_name) == 0) {
				*size = symbols[k].st_size;
				return symbols[k].st_value;
			}
		}
	}
	return 0;
}
