/* SPDX-License-Identifier: BSD-2-Clause */
/* The mount point of a run, which another command may unmount. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "cli/ui/message.h"

#include "job_internal.h"

bool job_lock(struct join *lock, const char *point)
{
	char name[64], unused[PATH_MAX];
	(void)snprintf(name, sizeof(name), "mount-%016llx",
		       (unsigned long long)XXH3_64bits(point, strlen(point)));
	return join_open(lock, name, unused);
}

/* A mount point whose file system has ended cannot be looked up, but its directory can. */
bool job_find_point(const char *point, char path[PATH_MAX])
{
	if (realpath(point, path) != NULL)
		return true;
	const char *slash = strrchr(point, '/');
	char parent[PATH_MAX], found[PATH_MAX];
	if (errno != ENOTCONN)
		return false;
	(void)snprintf(parent, sizeof(parent), "%.*s", slash != NULL ? (int)(slash - point) : 1,
		       slash != NULL ? point : ".");
	if (realpath(*parent != '\0' ? parent : "/", found) == NULL)
		return false;
	return snprintf(path, PATH_MAX, "%s/%s", strcmp(found, "/") == 0 ? "" : found,
			slash != NULL ? slash + 1 : point) < PATH_MAX;
}

enum exit_status mount_stop(const char *point)
{
	char path[PATH_MAX];
	struct join lock = {.fd = -1};
	int errnum = job_find_point(point, path) ? session_unmount(path) : errno;
	if (errnum != 0) {
		message_print_about(point, "cannot be unmounted: %s",
				    errnum == EINVAL ? "it is not a mount point"
						     : strerror(errnum));
		return EXIT_FAILED;
	}
	if (job_lock(&lock, path)) /* waits until the trace is complete */
		join_close(&lock, true);
	return EXIT_OK;
}
