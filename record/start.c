/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of the program, before all other constructors. */
#include "enter.h"
#include "patch.h"

/* From here on stubs record the calls, or, if that is impossible, wrappers. */
static void see_system_calls(void)
{
	recording.has_stubs = patch_libraries();
	if (recording.has_stubs)
		*recording.joined = RECORDING_BY_STUBS;
	else
		recording_count(RECORD_COUNTER_FALLBACK, 1);
}

__attribute__((constructor)) static void program_starts(int argc, char **argv, char **envp)
{
	if (process_start(argc, argv, envp) && recording.control->seen == RECORD_SYSCALLS)
		see_system_calls();
}
