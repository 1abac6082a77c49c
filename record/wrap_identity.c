/* SPDX-License-Identifier: BSD-2-Clause */
#include "identity.h"
#include "wrap.h"

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

EXPORT int chroot(const char *path)
{
	(void)identity_changes();
	const int result = real.chroot(path);
	identity_named_anew(result);
	return result;
}

EXPORT int setns(int fd, int type)
{
	(void)identity_changes();
	const int result = real.setns(fd, type);
	identity_named_anew(result);
	return result;
}

EXPORT int unshare(int flags)
{
	const bool records = identity_changes();
	const int result = real.unshare(flags);
	identity_unshared(flags, result, records);
	return result;
}
