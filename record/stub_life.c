/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of the program, before all other constructors. Its last system call is its end. */
#include "enter.h"
#include "patch.h"

__attribute__((constructor)) static void program_starts(int argc, char **argv, char **envp)
{
	jumps_find();
	if (process_start(argc, argv, envp) && !patch_libraries())
		recording_count(RECORD_COUNTER_FALLBACK, 1);
}
