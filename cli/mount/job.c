/* SPDX-License-Identifier: BSD-2-Clause */
#include "job_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/forward.h"
#include "cli/ui/message.h"
#include "statistics.h"

static void report_failure(const struct mount_job *j)
{
	const char *own = mount_trace_error(j->trace);
	message_print("%s", *own != '\0' ? own : iot_writer_error(j->writer));
}

/* After a failure requests go on: the buffers are emptied without being written. */
static bool serve(struct mount_job *j)
{
	int status = job_record(j);
	if (status != IOT_OK)
		j->m.buffers.drop = true;
	session_end(&j->session);
	if (status == IOT_OK)
		status = job_write(j);
	if (status == IOT_OK)
		status = mount_trace_end(j->trace);
	if (status == IOT_OK)
		status = iot_writer_close(j->writer);
	if (status != IOT_OK)
		report_failure(j);
	return status == IOT_OK;
}

static bool start_program(struct mount_job *j)
{
	launch_release(&j->launch, "", "");
	const int errnum = launch_wait(&j->launch);
	if (errnum != 0)
		j->failure = launch_report(j->options->program[0], errnum);
	return errnum == 0;
}

static bool mount_and_record(struct mount_job *j)
{
	if (job_answer(j) != IOT_OK) {
		report_failure(j);
		return false;
	}
	if (!session_start(&j->session, &j->m, (unsigned)j->options->threads))
		return false;
	if (j->options->program != NULL && !start_program(j)) {
		session_end(&j->session);
		return false;
	}
	older_output_remove(&j->older);
	return serve(j) && !(j->options->program != NULL && j->interrupted);
}

static void report(const struct mount_job *j)
{
	if (j->options->program != NULL && statistics_calls(&j->m) == 0)
		message_print("warning: nothing was done in %s: the program has to find its files "
			      "there, not in %s",
			      j->m.point, j->m.source);
	if (j->options->quiet)
		return;
	statistics_print(&j->m);
	message_print("the trace is %s", j->name);
}

static bool run(struct mount_job *j, const char *source, const char *point)
{
	if (!live_control_start(j->options->live)) /* before all threads */
		return false;
	j->configures = j->options->live->settings != NULL;
	if (j->options->program != NULL && !launch_start(&j->launch, j->options->program)) {
		message_print("no process for the program: %s", strerror(errno));
		return false;
	}
	if (!job_open_source(&j->m, source, point) || !job_open_trace(j) || !job_prepare(j))
		return false;
	(void)job_lock(&j->lock, j->m.point);
	const bool done = mount_and_record(j);
	if (done)
		report(j);
	join_close(&j->lock, true);
	return done;
}

static void release(struct mount_job *j)
{
	mount_trace_free(j->trace);
	iot_writer_free(j->writer);
	inodes_free(&j->m.inodes);
	requesters_free(&j->m.requesters);
	buffers_free(&j->m.buffers);
	forward_end(j->signals);
	for (struct mount_thread *t = atomic_load(&j->m.threads), *next; t != NULL; t = next) {
		next = t->next;
		free(t->data);
		free(t);
	}
}

static int status_of_run(struct mount_job *j, bool done)
{
	if (j->options->program == NULL)
		return done ? EXIT_OK : EXIT_FAILED;
	if (j->launch.release >= 0)
		launch_cancel(&j->launch);
	return done ? launch_status(&j->launch) : j->failure;
}

int mount_run(const struct mount_options *options, const char *source, const char *point)
{
	static struct mount_job j = {.signals = -1,
				     .failure = EXIT_NOT_RECORDED,
				     .lock = {.fd = -1},
				     .older = {.directory = -1},
				     .session = {.ended = -1},
				     .launch = {.release = -1, .failure = -1}};
	j.options = options;
	const bool done = run(&j, source, point);
	older_output_restore(&j.older);
	live_control_end(options->live);
	const int status = status_of_run(&j, done);
	release(&j);
	return status;
}
