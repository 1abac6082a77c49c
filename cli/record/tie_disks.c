/* SPDX-License-Identifier: BSD-2-Clause */
#include "tie_disks.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/ui/message.h"

/* Takes copies, as parsing changes the array. */
static bool merge(const char *trace, const char *blktrace, const char *out)
{
	char command[] = "merge", quiet[] = "-q", option[] = "-o", end[] = "--";
	char name[PATH_MAX], physical[PATH_MAX + 16], from[PATH_MAX];
	char *argv[] = {command, quiet, physical, option, name, end, from, NULL};
	(void)snprintf(name, sizeof name, "%s", out);
	(void)snprintf(from, sizeof from, "%s", trace);
	(void)snprintf(physical, sizeof physical, "--physical=%s", blktrace);
	return cmd_merge((int)(sizeof argv / sizeof *argv) - 1, argv) == EXIT_OK;
}

bool tie_disks(const char *trace, const char *blktrace)
{
	char untied[PATH_MAX];
	const int n = snprintf(untied, sizeof untied, "%s.untied", trace);
	if (n >= (int)sizeof untied || rename(trace, untied) != 0) {
		message_print_about(trace, "cannot be renamed: %s",
				    strerror(n >= (int)sizeof untied ? ENAMETOOLONG : errno));
		return false;
	}
	const bool merged = merge(untied, blktrace, trace);
	if (!merged && rename(untied, trace) != 0)
		message_print_about(untied, "is the trace without ties");
	return merged && unlink(untied) == 0;
}
