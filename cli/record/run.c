/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a program from its start to the complete trace.
 *
 * The program's process is created first, as its pid is part of the trace's name; it waits until
 * the trace is open and the recording exists.
 */
#include "run_internal.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cli/ui/message.h"
#include "lib/base/clock.h"
#include "forward.h"

static int collect(struct record_job *j)
{
	if (run_open_over_older(j) != EXIT_OK || run_write_directive(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	struct collector *c = collector_new(&j->recording, j->writer, &j->clock, &j->collector);
	if (c == NULL)
		return run_failed("no collector", ENOMEM);
	collector_expect(c, (uint32_t)j->launch.pid, j->launch.program);
	const int status = run_collect(j, c);
	collector_free(c);
	return status;
}

static int record_released(struct record_job *j)
{
	const int errnum = launch_wait(&j->launch);
	const int status = errnum != 0 ? run_report_exec(j, errnum) : EXIT_OK;
	if (errnum != 0 && j->join_name == NULL)
		return status;
	const int collected = collect(j);
	return status == EXIT_OK ? collected : status;
}

/*
 * Makes all that programs and the collector share. It fails before an older file with the name of
 * the output is replaced.
 */
static int create_recording(struct record_job *j)
{
	clock_map_sample(&j->clock);
	const struct record_control settings = {
	    .cpu = (uint8_t)j->cpu,
	    .per_thread = j->collector.per_thread,
	    .stdio = (uint8_t)j->stdio,
	    .full = (uint8_t)j->full,
	    .data_only = j->ops == 0 || run_sends(j),
	    .counts_operations = j->ops != 0 && run_sends(j),
	    .transport = (uint8_t)j->transport,
	    .seen = (uint8_t)(j->seen == SEEN_AUTO ? RECORD_SYSCALLS : j->seen),
	    .no_follow = j->no_follow,
	    .leader = (uint32_t)j->launch.pid,
	    .clock = (uint8_t)j->clock.clock,
	    .cpu_step = clock_map_units(&j->clock, 1000000),
	    .heartbeat = clock_monotonic_ns()};
	if (!recording_create(&j->recording, &settings))
		return run_report_no_memory(errno);
	const int status = run_choose_seen(j);
	return status == EXIT_OK ? run_create_spool(j) : status;
}

static int run(struct record_job *j)
{
	if (j->join_name != NULL && !join_publish(&j->join, j->recording.path))
		return run_failed("--join", errno);
	launch_release(&j->launch, j->library, j->recording.path);
	const int status = record_released(j);
	atomic_store(&j->recording.control->closed, 1);
	return status;
}

static int start_clock(struct record_job *j)
{
	if (run_sends(j))
		j->clock_choice = CLOCK_MONOTONIC_ONLY; /* a tick of packets is whole picoseconds */
	const bool has_tsc = j->clock_choice != CLOCK_MONOTONIC_ONLY && clock_has_tsc();
	clock_map_start(&j->clock, has_tsc ? RECORD_TSC : RECORD_MONOTONIC);
	if (has_tsc || j->clock_choice != CLOCK_TSC_ONLY)
		return EXIT_OK;
	message_print(
	    "--clock=tsc: the kernel does not use the time stamp counter, as processors may "
	    "differ");
	return EXIT_NOT_RECORDED;
}

/* The output is open, or has the name of an older file. */
static int record_into_output(struct record_job *j)
{
	int status = run_receive_signals(j);
	if (status == EXIT_OK)
		status = run(j);
	run_end_disks(j);
	forward_end(j->signals);
	status = run_close_output(j, status);
	if (status == EXIT_OK)
		status = run_tie_disks(j);
	const bool ran = status != EXIT_CANNOT_RUN && status != EXIT_NOT_FOUND;
	if ((!ran && j->totals.processes == 0) || j->launch.release >= 0) {
		run_remove_output(j);
		run_remove_disks(j);
	}
	return status;
}

static int record_program(struct record_job *j)
{
	j->epoch_ns = clock_read_ns(CLOCK_REALTIME);
	run_raise_limits();
	int status =
	    j->launch.missing != 0 ? run_report_exec(j, j->launch.missing) : start_clock(j);
	if (status == EXIT_OK && !run_variables_fit(j))
		status = EXIT_NOT_RECORDED;
	if (status == EXIT_OK)
		status = run_choose_name(j);
	if (status == EXIT_OK)
		status = create_recording(j);
	if (status == EXIT_OK)
		status = run_begin_disks(j);
	if (status == EXIT_OK)
		status = run_open_output(j);
	if (status == EXIT_OK)
		status = record_into_output(j);
	else {
		run_end_disks(j);
		run_remove_disks(j);
	}
	run_end_recording(j, status);
	return status;
}

int run_program(struct record_job *j)
{
	if (j->convert == CONVERT_AUTO &&
	    (run_sends(j) || rotation_wanted(&j->rotation) || run_is_live(j)))
		j->convert = CONVERT_WHILE;
	if (j->seen == SEEN_AUTO && (run_sends(j) || j->stdio != RECORD_STDIO_TRANSFERS))
		j->seen = RECORD_CALLS;
	if (!run_find_library(j, j->seen))
		return EXIT_NOT_RECORDED;
	char path[PATH_MAX];
	if (j->join_name != NULL && !join_open(&j->join, j->join_name, path)) {
		message_print_about(j->join.path, "cannot be used: %s", strerror(errno));
		return EXIT_NOT_RECORDED;
	}
	const bool joins = j->join_name != NULL && recording_find(&j->recording, path);
	int status = EXIT_NOT_RECORDED;
	if (!joins && !live_control_start(&j->live)) {
		live_control_end(&j->live);
		join_close(&j->join, !joins);
		return status;
	}
	if (!launch_start(&j->launch, j->argv)) /* later than the collector */
		(void)run_failed("no process for the program", errno);
	else
		status = joins ? run_add_program(j) : record_program(j);
	join_close(&j->join, !joins);
	if (status == EXIT_OK || j->launch.release < 0)
		launch_reap(&j->launch, true);
	else
		launch_cancel(&j->launch);
	live_control_end(&j->live);
	if (status == EXIT_OK && !joins)
		run_report(j);
	iot_writer_free(j->writer);
	return status == EXIT_OK ? launch_status(&j->launch) : status;
}
