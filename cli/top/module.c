/* SPDX-License-Identifier: BSD-2-Clause */
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/array.h"

static bool fail(char why[MODULE_WHY], const char *sentence, const char *more)
{
	(void)snprintf(why, MODULE_WHY, "%s%s%s", sentence, *more != '\0' ? ": " : "", more);
	return false;
}

/* The file */

/* Returns whether another user than root can change what a name refers to. */
static bool is_shared(const struct stat *st)
{
	const bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX) != 0;
	return (st->st_uid != geteuid() && st->st_uid != 0) ||
	       ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky);
}

static bool directory_is_shared(const char *path)
{
	char name[PATH_MAX];
	struct stat st;
	return snprintf(name, sizeof name, "%s", path) >= (int)sizeof name ||
	       stat(dirname(name), &st) != 0 || is_shared(&st);
}

/* Returns a descriptor of a copy in memory; -1 with the reason. */
static int copy_file(const char *path, char why[MODULE_WHY])
{
	struct stat st;
	const int in = open(path, O_RDONLY | O_CLOEXEC);
	const int out = memfd_create("module", MFD_CLOEXEC);
	ssize_t n = -1;
	bool copied = false;
	if (in < 0 || out < 0 || fstat(in, &st) != 0)
		(void)fail(why, "it cannot be read", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		(void)fail(why, "it is not a regular file", "");
	else if (is_shared(&st) || directory_is_shared(path))
		(void)fail(why, "another user can change the file or its directory", "");
	else {
		while ((n = sendfile(out, in, NULL, 1 << 20)) > 0)
			;
		copied = n == 0 || fail(why, "it cannot be read", strerror(errno));
	}
	if (in >= 0)
		(void)close(in);
	if (!copied && out >= 0)
		(void)close(out);
	return copied ? out : -1;
}

/* The loader maps segments beyond the end of a file that is not complete. */
static bool is_complete(int fd)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;
	struct stat st;
	if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || fstat(fd, &st) != 0 ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		const off_t at = (off_t)(head.e_phoff + (uint64_t)i * sizeof segment);
		if (pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment ||
		    segment.p_offset > (uint64_t)st.st_size ||
		    segment.p_filesz > (uint64_t)st.st_size - segment.p_offset)
			return false;
	}
	return head.e_phnum > 0;
}

/* The module */

static bool check(const struct iot_module *is, char why[MODULE_WHY])
{
	if (is == NULL)
		return fail(why, "it has no symbol iot_module", "");
	if (is->abi != IOT_MODULE_ABI) {
		(void)snprintf(why, MODULE_WHY, "its ABI is %u, expected %d", is->abi,
			       IOT_MODULE_ABI);
		return false;
	}
	/* fini is the last member of the first version */
	if (is->size < offsetof(struct iot_module, fini) + sizeof is->fini || is->name == NULL ||
	    is->version == NULL || is->init == NULL || is->records == NULL || is->report == NULL ||
	    is->fini == NULL)
		return fail(why, "it lacks members of iot_module", "");
	return true;
}

#ifdef IOTRACE_STATIC

static void *open_library(const char *path, char why[MODULE_WHY])
{
	(void)path;
	(void)fail(why, "this program is static and loads no modules", "");
	return NULL;
}

#else

static void *open_library(const char *path, char why[MODULE_WHY])
{
	void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		(void)fail(why, "it cannot be loaded", dlerror());
	return library;
}

#endif

static bool load_copy(struct module *m, const char *args, const struct iot_module_host *host,
		      char why[MODULE_WHY])
{
	char path[64];
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", m->copy);
	if (!is_complete(m->copy))
		return fail(why, "it is not a complete shared object", "");
	m->library = open_library(path, why);
	if (m->library == NULL)
		return false;
	m->is = dlsym(m->library, "iot_module");
	if (!check(m->is, why))
		return false;
	m->state = m->is->init(args, host);
	return m->state != NULL || fail(why, "its function init refuses", "");
}

bool module_load(struct module *m, const char *path, const char *args,
		 const struct iot_module_host *host, char why[MODULE_WHY])
{
	*m = (struct module){.copy = copy_file(path, why)};
	if (m->copy >= 0 && load_copy(m, args, host, why))
		return true;
	module_unload(m);
	return false;
}

void module_unload(struct module *m)
{
	if (m->state != NULL)
		m->is->fini(m->state);
	if (m->library != NULL)
		(void)dlclose(m->library);
	if (m->copy >= 0)
		(void)close(m->copy);
	*m = (struct module){.copy = -1};
}

/* States */

void module_append(void *text, const void *data, size_t size)
{
	struct module_text *t = text;
	t->failed |= !array_reserve(&t->data, &t->capacity, t->size + size, 1);
	if (t->failed)
		return;
	memcpy(t->data + t->size, data, size);
	t->size += size;
}

/* Returns whether the new module continues from the state of the old one. */
static bool hand_over(const struct module *from, struct module *to)
{
	struct module_text s = {.data = NULL};
	const bool taken = from->is->save != NULL && to->is->load != NULL &&
			   from->is->save(from->state, module_append, &s) == 0 && !s.failed &&
			   to->is->load(to->state, s.data, s.size, from->is->version) == 0;
	free(s.data);
	return taken;
}

bool module_replace(struct module *m, const char *path, const char *args,
		    const struct iot_module_host *host, bool *starts_empty, char why[MODULE_WHY])
{
	struct module next;
	if (!module_load(&next, path, args, host, why))
		return false;
	*starts_empty = !hand_over(m, &next);
	module_unload(m);
	*m = next;
	return true;
}
