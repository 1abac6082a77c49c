/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls after which a process may be unable to open the recording: they change its user, its root or
 * its namespaces. A child of fork joins before.
 */
#include "call.h"
#include "paths.h"

/* Before such a call. Returns whether it is recorded. */
static bool identity_changes(void)
{
	const bool records = thread_here() != NULL;
	if (records)
		recording_make_spares();
	return records;
}

#define CHANGES_USER(name, parameters, arguments)                                                  \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		(void)identity_changes();                                                          \
		return real.name arguments;                                                        \
	}

CHANGES_USER(setuid, (uid_t user), (user))
CHANGES_USER(seteuid, (uid_t user), (user))
CHANGES_USER(setreuid, (uid_t ruid, uid_t euid), (ruid, euid))
CHANGES_USER(setresuid, (uid_t ruid, uid_t euid, uid_t suid), (ruid, euid, suid))
CHANGES_USER(setfsuid, (uid_t user), (user))

/* Names may refer to other files now. */
static int named_anew(int result)
{
	if (result == 0 && thread_here() != NULL) {
		recording_count(RECORD_COUNTER_NAMESPACES, 1);
		paths_forget();
		paths_update_directory();
	}
	return result;
}

EXPORT int chroot(const char *path)
{
	(void)identity_changes();
	return named_anew(real.chroot(path));
}

EXPORT int setns(int fd, int type)
{
	(void)identity_changes();
	return named_anew(real.setns(fd, type));
}

EXPORT int unshare(int flags)
{
	const bool records = identity_changes();
	const int result = real.unshare(flags);
	if (records && result == 0 && (flags & CLONE_FILES) != 0)
		descriptors_divide();
	return (flags & ~(CLONE_FILES | CLONE_SYSVSEM)) != 0 ? named_anew(result) : result;
}
