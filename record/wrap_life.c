/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of the program, before all other constructors, and its end, after all other
 * destructors.
 */
#include "stream.h"
#include "wrap.h"

__attribute__((constructor)) static void program_starts(int argc, char **argv, char **envp)
{
	real_resolve();
	jumps_find();
	(void)process_start(argc, argv, envp);
}

/* libc would drain streams after it. */
__attribute__((destructor)) static void program_ends(void)
{
	streams_flush();
	process_exit();
}
