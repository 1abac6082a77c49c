/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"

#include <errno.h>

#include "enter.h"
#include "raw.h"
#include "recording.h"

static bool has_other_ids(void)
{
	return raw_call(SYS_geteuid, 0, 0, 0, 0, 0, 0) != raw_call(SYS_getuid, 0, 0, 0, 0, 0, 0) ||
	       raw_call(SYS_getegid, 0, 0, 0, 0, 0, 0) != raw_call(SYS_getgid, 0, 0, 0, 0, 0, 0);
}

enum record_exec program_why(char *const *envp)
{
	const int found = recording_access();
	if (has_other_ids())
		return RECORD_EXEC_SECURE;
	if (found == -EACCES || found == -EPERM)
		return RECORD_EXEC_USER;
	if (found != 0 || !environment_has_library())
		return RECORD_EXEC_NAMESPACE;
	return environment_is_complete(envp) ? 0 : RECORD_EXEC_CLEARED;
}

bool program_follows(void)
{
	return recording.control != NULL && !recording.control->closed &&
	       !recording.control->no_follow;
}

void program_is_unrecorded(int n)
{
	const struct producer *p = &producer_self;
	if (program_follows() && (!p->vforked || p->parked == NULL))
		recording_count(RECORD_COUNTER_PROGRAMS, (uint64_t)(int64_t)n);
}

bool program_needs_environment(char *const *envp)
{
	return recording.control != NULL && !recording.control->no_follow &&
	       (!environment_is_complete(envp) || !environment_has_library());
}

char **program_environment(char *const *envp, char **out, char *text)
{
	if (environment_has_library())
		environment_complete(envp, out, text);
	else
		environment_without(envp, out, text);
	return out;
}
