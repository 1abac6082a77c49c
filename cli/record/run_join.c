/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that is added to the recording of another iotrace record. */
#include "run_internal.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "forward.h"

static void wait_for_program(struct record_job *j)
{
	struct pollfd polled[] = {
	    {.fd = (int)syscall(SYS_pidfd_open, j->launch.pid, 0), .events = POLLIN},
	    {.fd = j->signals, .events = POLLIN}};
	while (!j->launch.reaped) {
		(void)poll(polled, 2, polled[0].fd >= 0 ? -1 : 50);
		run_pass_signals(j);
		launch_reap(&j->launch, false);
	}
	if (polled[0].fd >= 0)
		(void)close(polled[0].fd);
}

int run_add_program(struct record_job *j)
{
	if (run_receive_signals(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	if (!run_find_library(j, j->recording.control->seen))
		return EXIT_NOT_RECORDED;
	const bool added = recording_add(&j->recording, j->launch.pid, j->launch.program);
	const int why = errno;
	join_close(&j->join, false);
	if (added)
		launch_release(&j->launch, j->library, j->recording.path);
	const int errnum = added ? launch_wait(&j->launch) : 0;
	if (added && errnum == 0)
		wait_for_program(j);
	forward_end(j->signals);
	recording_close(&j->recording);
	if (!added)
		return run_failed("--join", why);
	return errnum != 0 ? run_report_exec(j, errnum) : EXIT_OK;
}
