/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the trace while other threads serve requests. */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/base/clock.h"

#include "job_internal.h"
#include "statistics.h"

enum { FLUSH_MS = 1000 };

/* The kernel sends a hangup when the terminal is gone. */
static bool is_for_settings(const struct mount_job *j, const struct signalfd_siginfo *s)
{
	return s->ssi_signo == SIGHUP && s->ssi_code != SI_KERNEL &&
	       j->options->live->settings != NULL;
}

static void receive_signal(struct mount_job *j)
{
	struct signalfd_siginfo s;
	const bool runs = j->options->program != NULL && !j->launch.reaped;
	while (read(j->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		const int number = (int)s.ssi_signo;
		if (number == SIGUSR1)
			statistics_print(&j->m);
		else if (is_for_settings(j, &s))
			j->configures = true;
		else if (runs && s.ssi_code != SI_KERNEL)
			(void)kill(j->launch.pid, number);
		else if (!runs && (number == SIGINT || number == SIGTERM || number == SIGHUP))
			j->interrupted = true;
	}
}

static int write_full(struct mount_job *j)
{
	struct buffer *full;
	int status = IOT_OK;
	while (status == IOT_OK && (full = buffers_take(&j->m.buffers)) != NULL) {
		status = mount_trace_add(j->trace, full);
		buffers_return(&j->m.buffers, full);
	}
	return status;
}

/* Returns a status. */
int job_write(struct mount_job *j)
{
	int status = write_full(j);
	buffers_swap(&j->m.buffers);
	if (status == IOT_OK)
		status = write_full(j);
	return status == IOT_OK ? mount_trace_dropped(j->trace, atomic_load(&j->m.buffers.dropped))
				: status;
}

/* Writes a partly filled buffer, too, so that the growing trace is current. */
static int flush(struct mount_job *j, uint64_t *flushed)
{
	const uint64_t now = clock_monotonic_ns();
	if (now - *flushed < FLUSH_MS * UINT64_C(1000000))
		return IOT_OK;
	*flushed = now;
	int status = job_write(j);
	if (status == IOT_OK)
		status = mount_trace_look_for_ends(j->trace);
	analyses_flush(&j->options->live->analyses);
	return status == IOT_OK ? iot_writer_flush(j->writer) : status;
}

/* Requests of iotrace control */

static int write_for_request(void *context)
{
	return job_write(context);
}

static int keep(void *context, bool keep)
{
	struct mount_job *j = context;
	return mount_trace_keep(j->trace, keep);
}

static void count(void *context, void (*line)(void *to, const char *text), void *to)
{
	struct mount_job *j = context;
	statistics_each(&j->m, line, to);
}

int job_answer(struct mount_job *j)
{
	const struct live_calls calls = {
	    .context = j, .write = write_for_request, .keep = keep, .count = count};
	const int status =
	    j->configures ? live_control_configure(j->options->live, &calls) : IOT_OK;
	j->configures = false;
	return status == IOT_OK ? live_control_answer(j->options->live, &calls) : status;
}

static bool goes_on(struct mount_job *j)
{
	if (j->options->program != NULL)
		launch_reap(&j->launch, false);
	return !j->interrupted && !(j->options->program != NULL && j->launch.reaped);
}

int job_record(struct mount_job *j)
{
	struct pollfd polled[] = {{.fd = j->signals, .events = POLLIN},
				  {.fd = j->m.buffers.wake, .events = POLLIN},
				  {.fd = j->session.ended, .events = POLLIN},
				  {.fd = j->options->live->control.fd, .events = POLLIN}};
	const int wait_ms = j->options->program != NULL ? 20 : FLUSH_MS;
	uint64_t flushed = clock_monotonic_ns(), count;
	int status = IOT_OK;
	while (status == IOT_OK && goes_on(j) && polled[2].revents == 0) {
		if (poll(polled, 4, wait_ms) < 0)
			continue;
		(void)!read(j->m.buffers.wake, &count, sizeof(count));
		receive_signal(j);
		status = write_full(j);
		if (status == IOT_OK)
			status = flush(j, &flushed);
		if (status == IOT_OK)
			status = job_answer(j);
	}
	return status;
}
