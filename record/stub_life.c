/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of the program, before all other constructors. Its last system call is its end. */
#include "libraries.h"
#include "stub_calls.h"
#include "stub_traps.h"

__attribute__((constructor)) static void program_starts(int argc, char **argv, char **envp)
{
	stub_code_mapped = libraries_mapped;
	if (process_start(argc, argv, envp)) {
		traps_begin();
		if (!libraries_patch())
			recording_count_unseen(RECORD_COUNTER_FALLBACK, 1);
	}
	jumps_find();
}
