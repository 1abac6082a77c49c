/* SPDX-License-Identifier: BSD-2-Clause */
#include "identity.h"
#include "wrap.h"

EXPORT int chroot(const char *path)
{
	(void)identity_changes();
	const int result = real.chroot(path);
	identity_renamed(result);
	return result;
}

EXPORT int setns(int fd, int type)
{
	(void)identity_changes();
	const int result = real.setns(fd, type);
	identity_renamed(result);
	return result;
}

EXPORT int unshare(int flags)
{
	const bool records = identity_changes();
	const int result = real.unshare(flags);
	identity_unshared(flags, result, records);
	return result;
}
