/* SPDX-License-Identifier: BSD-2-Clause */
#include "archive_library.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libarchive.so.13" /* of all versions since 3.0 */

#ifdef IOTRACE_STATIC

bool archive_library_open(struct archive_library *l, struct error *error)
{
#ifdef IOTRACE_ARCHIVES
	(void)error;
#define X(name) .name = name,
	*l = (struct archive_library){ARCHIVE_FUNCTIONS(X)};
#undef X
	return true;
#else
	*l = (struct archive_library){.handle = NULL};
	(void)error_set(error, IOT_EIO,
			"this program is static and reads no archives; unpack it first");
	return false;
#endif
}

void archive_library_close(struct archive_library *l)
{
	l->handle = NULL;
}

#else

/* Stores a pointer to a function, which ISO C does not convert from a pointer to data. */
static bool find(void *handle, const char *name, void *function)
{
	void *const found = dlsym(handle, name);
	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

/* RTLD_NODELETE: the next archive does not load it again. */
bool archive_library_open(struct archive_library *l, struct error *error)
{
	*l = (struct archive_library){.handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_NODELETE)};
	bool found = l->handle != NULL;
#define X(name) found = found && find(l->handle, #name, &l->name);
	ARCHIVE_FUNCTIONS(X)
#undef X
	if (found)
		return true;
	const char *why = dlerror();
	(void)error_set(error, IOT_EIO, "cannot load " LIBRARY ": %s", why != NULL ? why : "");
	archive_library_close(l);
	return false;
}

void archive_library_close(struct archive_library *l)
{
	if (l->handle != NULL)
		(void)dlclose(l->handle);
	l->handle = NULL;
}

#endif
