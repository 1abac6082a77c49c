/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that change the user. In a program with threads, libc has each thread make the call in
 * a signal handler, with a system call number read from memory, which no stub replaces.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "enter.h"
#include "identity.h"

#define CHANGES_USER(name, parameters, arguments)                                                  \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		__typeof__(name) *function;                                                        \
		void *const found = dlsym(RTLD_NEXT, #name);                                       \
		memcpy(&function, &found, sizeof found);                                           \
		(void)identity_changes();                                                          \
		return function arguments;                                                         \
	}

CHANGES_USER(setuid, (uid_t user), (user))
CHANGES_USER(seteuid, (uid_t user), (user))
CHANGES_USER(setreuid, (uid_t ruid, uid_t euid), (ruid, euid))
CHANGES_USER(setresuid, (uid_t ruid, uid_t euid, uid_t suid), (ruid, euid, suid))
CHANGES_USER(setfsuid, (uid_t user), (user))
