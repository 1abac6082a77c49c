/* SPDX-License-Identifier: BSD-2-Clause */
#include "real.h"

#include <dlfcn.h>
#include <string.h>

struct real real;

void *real_find(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Stores a function pointer, which ISO C does not convert from a pointer to data. */
static void resolve(const char *name, void *to)
{
	void *const found = real_find(name);
	memcpy(to, &found, sizeof found);
}

void real_resolve(void)
{
#define X(name) resolve(#name, &real.name);
	REAL_DECLARED(X)
	REAL_STREAMS(X)
	REAL_OTHERS(X)
#undef X
	real.resolved = true;
}
