/* SPDX-License-Identifier: BSD-2-Clause */
#include "untraced.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/base/full_io.h"

enum { HEADERS_MAX = 128, INTERPRETERS_MAX = 4 };

#ifdef __LP64__
enum { OWN_CLASS = ELFCLASS64 };
#else
enum { OWN_CLASS = ELFCLASS32 };
#endif

static bool has_privileges(int fd)
{
	struct stat st;
	const bool executable = fstat(fd, &st) == 0 && (st.st_mode & S_IXUSR) != 0;
	return executable && ((st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
			      fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

static const char *interpreter_of(int fd, const ElfW(Phdr) * header, char *text, size_t capacity)
{
	const size_t size = header->p_filesz < capacity ? header->p_filesz : capacity - 1;
	const ssize_t n = full_read(fd, text, size, header->p_offset);
	text[n > 0 ? n : 0] = '\0';
	return strstr(text, "musl") != NULL ? "musl" : "unknown";
}

static const char *why_not_elf(int fd, const ElfW(Ehdr) * elf)
{
	char text[PATH_MAX];
	if (elf->e_ident[EI_CLASS] != OWN_CLASS)
		return "elfclass";
	for (unsigned i = 0; i < elf->e_phnum && i < HEADERS_MAX; i++) {
		ElfW(Phdr) header;
		const uint64_t at = elf->e_phoff + i * sizeof(header);
		if (full_read(fd, &header, sizeof(header), at) != (ssize_t)sizeof(header))
			return "unknown";
		if (header.p_type == PT_INTERP)
			return interpreter_of(fd, &header, text, sizeof(text));
	}
	return "static";
}

/* Replaces path by the interpreter that "#! INTERPRETER" names. */
static bool is_script(int fd, char *path, size_t capacity)
{
	char line[PATH_MAX];
	const ssize_t n = full_read(fd, line, sizeof(line) - 1, 0);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	const char *name = line + 2 + strspn(line + 2, " \t");
	const int size = (int)strcspn(name, " \t\n");
	(void)snprintf(path, capacity, "%.*s", size, name);
	return size > 0;
}

static const char *why_not(int fd, char *path, size_t capacity, bool *again)
{
	ElfW(Ehdr) elf;
	*again = false;
	if (has_privileges(fd))
		return "setuid";
	if (full_read(fd, &elf, sizeof(elf), 0) == (ssize_t)sizeof(elf) &&
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0)
		return why_not_elf(fd, &elf);
	*again = is_script(fd, path, capacity);
	return "unknown";
}

const char *untraced_why(const char *program)
{
	char path[PATH_MAX];
	const char *why = "unknown";
	bool again = true;
	(void)snprintf(path, sizeof(path), "%s", program);
	for (int i = 0; again && i < INTERPRETERS_MAX; i++) {
		struct stat st;
		/* a program may name any file: opening a device can have effects */
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
			return why;
		const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			return why;
		why = why_not(fd, path, sizeof(path), &again);
		(void)close(fd);
	}
	return why;
}
