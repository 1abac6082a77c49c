/* SPDX-License-Identifier: BSD-2-Clause */
#include "node_local.h"

#include <string.h>

bool path_is_node_local(const char *path, size_t size)
{
	static const char *const directories[] = {"/dev/", "/proc/", "/run/",
						  "/sys/", "/tmp/",  "/var/tmp/"};
	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
		const size_t n = strlen(directories[i]);
		if (size >= n && memcmp(path, directories[i], n) == 0)
			return true;
	}
	return false;
}
