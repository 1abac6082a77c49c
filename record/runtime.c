/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime.h"

#include <link.h>
#include <string.h>

#include "recording.h"

enum { GO_BUILD_ID = 4 };

static size_t round_up(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* Returns whether the notes of a segment have one that the linker of Go writes. */
static bool has_go_note(const char *at, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		memcpy(&note, at, sizeof note);
		const size_t name = round_up(note.n_namesz),
			     whole = sizeof note + name + round_up(note.n_descsz);
		if (whole > size)
			return false;
		if (note.n_type == GO_BUILD_ID && note.n_namesz == sizeof "Go\0" &&
		    memcmp(at + sizeof note, "Go\0", sizeof "Go\0") == 0)
			return true;
		at += whole;
		size -= whole;
	}
	return false;
}

static int count_object(struct dl_phdr_info *object, size_t size, void *context)
{
	(void)size;
	(void)context;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const p = &object->dlpi_phdr[i];
		if (p->p_type == PT_NOTE &&
		    has_go_note((const char *)object->dlpi_addr + p->p_vaddr, p->p_memsz)) {
			recording_count(RECORD_COUNTER_GO, 1);
			break;
		}
	}
	return 0;
}

/* Processors take the instructions for a way to do nothing. */
static bool valgrind_runs(void)
{
	const uint64_t request[6] = {0x1001};
	uint64_t result = 0;
	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n"
			 "	xchgq %%rbx, %%rbx"
			 : "+d"(result)
			 : "a"(request)
			 : "cc", "memory");
	return result != 0;
}

void runtime_find(void)
{
	recording.in_valgrind = valgrind_runs();
	dl_iterate_phdr(count_object, NULL);
}
