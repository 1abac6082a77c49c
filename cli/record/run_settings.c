/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks which settings exclude each other, and derives others from them. */
#include "run_internal.h"

#include <string.h>

#include "cli/ui/options.h"

/* Returns whether system calls were asked for. */
static bool is_at_kernel(const struct record_job *j)
{
	return j->seen == RECORD_SYSCALLS || j->seen == RECORD_TRAPS;
}

bool run_check(struct record_job *j, size_t count)
{
	if (j->pid != NULL)
		options_wrong(j->command, "a running program cannot be traced; use 'strace -p', "
					  "and 'iotrace convert' for its log");
	else if (count == 0)
		options_wrong(j->command, "name the program");
	else if (j->convert == CONVERT_AFTER && (run_sends(j) || rotation_wanted(&j->rotation)))
		options_wrong(j->command, "--convert=after excludes --transport=pipe and --rotate");
	else if (j->check && j->stdio != RECORD_STDIO_TRANSFERS)
		options_wrong(j->command, "--check needs --stdio=transfers");
	else if (run_sends(j) && j->check)
		options_wrong(j->command, "--transport=pipe and --check exclude each other: the "
					  "kernel counts the packets, too");
	else if (run_sends(j) && j->collector.events.extents)
		options_wrong(j->command, "--transport=pipe and --extents exclude each other: "
					  "packets do not identify files");
	else if (run_sends(j) && j->clock_choice == CLOCK_TSC_ONLY)
		options_wrong(j->command, "--transport=pipe and --clock=tsc exclude each other: "
					  "packets have times in nanoseconds");
	else if (run_sends(j) && j->collector.per_thread)
		options_wrong(j->command, "--transport=pipe and --per-thread exclude each other: "
					  "packets have no thread");
	else if (is_at_kernel(j) && run_sends(j))
		options_wrong(j->command, "--transport=pipe needs --seen=calls");
	else if (is_at_kernel(j) && j->stdio != RECORD_STDIO_TRANSFERS)
		options_wrong(j->command, "--stdio=calls and --stdio=off need --seen=calls: a "
					  "system call does not show which call made it");
	else if (j->join_name != NULL && !join_is_name(j->join_name))
		options_wrong(j->command,
			      "--join: a name has up to 64 letters, digits, '-', '_' and '.'");
	else if (rotation_wanted(&j->rotation) && j->out != NULL &&
		 (j->out[0] == '|' || strcmp(j->out, "-") == 0))
		options_wrong(j->command, "--rotate needs a file name with -o");
	else if (j->rotation.keep > 0 && !rotation_wanted(&j->rotation))
		options_wrong(j->command, "--keep-parts needs --rotate");
	else if (j->blktrace != NULL &&
		 (j->join_name != NULL || rotation_wanted(&j->rotation) || run_sends(j)))
		options_wrong(j->command,
			      "--blktrace excludes --join, --rotate and --transport=pipe");
	else if (j->blktrace != NULL && j->out != NULL &&
		 (j->out[0] == '|' || strcmp(j->out, "-") == 0))
		options_wrong(j->command, "--blktrace needs a file name with -o");
	else if (j->convert == CONVERT_AFTER && run_is_live(j))
		options_wrong(j->command,
			      "--convert=after excludes --control, --analyze and --discard");
	else if (j->join_name != NULL && j->no_follow)
		options_wrong(j->command, "--join and --no-follow exclude each other");
	else
		return true;
	return false;
}

void run_settle(struct record_job *j)
{
	j->live.drops = j->full != 0;
	if (run_is_live(j))
		j->collector.events.live = &j->live;
	j->collector.events.data_only = j->ops == 0;
	j->collector.events.no_follow = j->no_follow;
	j->collector.events.extents |= j->blktrace != NULL;
	j->collector.per_thread |= j->blktrace != NULL;
}
