/* SPDX-License-Identifier: BSD-2-Clause */
/* The library that programs load, and the way in which it sees their calls. */
#include "run_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "cli/ui/message.h"
#include "site_tables.h"

bool run_find_library(struct record_job *j, int seen)
{
	const char *const directory = getenv("IOTRACE_LIBDIR"), *const name = launch_library(seen);
	if (launch_find_library(j->library, seen) && strpbrk(j->library, " :") == NULL)
		return true;
	if (j->library[0] != '\0')
		message_print_about(j->library, "LD_PRELOAD cannot name it: it has a blank or ':'");
	else if (directory != NULL && *directory != '\0')
		message_print_about(directory, "has no %s (IOTRACE_LIBDIR)", name);
	else
		message_print("%s is neither next to this program nor where it was installed; set "
			      "IOTRACE_LIBDIR to its directory",
			      name);
	return false;
}

/* Returns whether the kernel can send a signal instead of making a system call. */
static bool kernel_traps(void)
{
	const unsigned long number = 59; /* PR_SET_SYSCALL_USER_DISPATCH, since Linux 5.11 */
	char lets_pass = 0;
	return prctl(number, 1UL, 0UL, ULONG_MAX / 2, &lets_pass) == 0 &&
	       prctl(number, 0UL, 0UL, 0UL, 0UL) == 0;
}

int run_choose_seen(struct record_job *j)
{
	if (j->seen == RECORD_CALLS)
		return EXIT_OK;
	if (j->seen == RECORD_TRAPS && !kernel_traps()) {
		message_print("--seen=traps: the kernel does not offer Syscall User Dispatch "
			      "here; use --seen=syscalls");
		return EXIT_NOT_RECORDED;
	}
	const bool can_write = site_tables_can_work();
	const bool written = can_write && site_tables_write(j->recording.fd);
	if (written || j->seen == RECORD_TRAPS) {
		j->seen = j->seen == SEEN_AUTO ? RECORD_SYSCALLS : j->seen;
		return EXIT_OK;
	}
	if (j->seen == SEEN_AUTO) {
		j->seen = RECORD_CALLS;
		j->recording.control->seen = RECORD_CALLS;
		return run_find_library(j, j->seen) ? EXIT_OK : EXIT_NOT_RECORDED;
	}
	message_print(can_write
			  ? "--seen=syscalls: the system calls in libc cannot be found; use "
			    "--seen=calls"
			  : "--seen=syscalls: code must not be changed here; use --seen=calls");
	return EXIT_NOT_RECORDED;
}
