/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the program, after all other destructors. libc would drain streams after it. */
#include "stream.h"

__attribute__((destructor)) static void program_ends(void)
{
	if (recording.has_stubs) /* its last system call ends it */
		return;
	streams_flush();
	process_exit();
}
