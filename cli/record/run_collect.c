/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects until all programs have ended: writes, begins parts, and passes signals on. */
#include "run_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "cli/ui/message.h"
#include "cli/ui/signals.h"
#include "lib/base/clock.h"
#include "forward.h"

enum { FLUSH_NS = 200000000 };

int run_receive_signals(struct record_job *j)
{
	j->signals = signals_receive();
	return j->signals >= 0 ? EXIT_OK : run_failed("signals cannot be received", errno);
}

void run_pass_signals(struct record_job *j)
{
	if (forward_signals(j->signals, j->launch.reaped ? 0 : j->launch.pid))
		j->interrupted = true;
}

/* Without the privilege, a limit can only be raised to its maximum. */
static void raise_limit(unsigned resource, rlim_t maximum)
{
	struct rlimit limit = {maximum, maximum};
	if (maximum != 0 && setrlimit(resource, &limit) == 0)
		return;
	if (getrlimit(resource, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(resource, &limit);
}

void run_raise_limits(void)
{
	raise_limit(RLIMIT_NOFILE, 0);
	raise_limit(RLIMIT_FSIZE, RLIM_INFINITY);
}

int run_report_no_memory(int errnum)
{
	struct rlimit limit;
	if (errnum != EFBIG || getrlimit(RLIMIT_FSIZE, &limit) != 0)
		return run_failed("no directory for shared memory", errnum);
	message_print(
	    "the limit of the size of files (ulimit -f) is %ju KiB, but record needs files of "
	    "%d KiB",
	    (uintmax_t)limit.rlim_cur / 1024, (RECORD_SHARED_SIZE + 1023) / 1024);
	return EXIT_NOT_RECORDED;
}

static uint64_t events_written(const struct record_job *j)
{
	return iot_writer_fact(j->writer, IOT_FACT_RECORDS) +
	       iot_writer_fact(j->writer, IOT_FACT_COMMENTS);
}

/* A trace that grows can be read up to the last flush. */
static int flush(struct record_job *j)
{
	const uint64_t now = clock_monotonic_ns(), events = events_written(j);
	if (events == j->flushed || now - j->flushed_ns < FLUSH_NS)
		return IOT_OK;
	j->flushed_ns = now;
	j->flushed = events;
	analyses_flush(&j->live.analyses);
	return iot_writer_flush(j->writer);
}

/* A part without I/O does not end: while programs do nothing, no parts are made. */
static bool part_has_ended(const struct record_job *j, const struct collector *c)
{
	return rotation_wanted(&j->rotation) && collector_part_has_times(c) &&
	       rotation_is_due(&j->rotation, iot_writer_fact(j->writer, IOT_FACT_BYTES_STORED),
			       clock_monotonic_ns());
}

/* Completes the part and begins the next one. Returns a status. */
static int begin_part(struct record_job *j, struct collector *c)
{
	const int status = iot_writer_close(j->writer);
	if (status != IOT_OK)
		return status;
	iot_writer_free(j->writer);
	j->writer = NULL;
	j->part_failed = run_name_part(j) != EXIT_OK || run_open_writer(j) != EXIT_OK ||
			 run_write_directive(j) != EXIT_OK;
	if (j->part_failed)
		return IOT_EIO;
	collector_begin_part(c, j->writer);
	return IOT_OK;
}

/* Requests of iotrace control */

struct live_run {
	struct record_job *job;
	struct collector *collector;
};

/* Each step writes all collected events. */
static int write_for_request(void *context)
{
	(void)context;
	return IOT_OK;
}

static int keep(void *context, bool keep)
{
	struct live_run *r = context;
	return collector_keep(r->collector, keep);
}

static void count(void *context, void (*line)(void *to, const char *text), void *to)
{
	struct live_run *r = context;
	const struct ring_events_totals *t = collector_totals(r->collector);
	char text[128];
	(void)snprintf(text, sizeof text,
		       "%" PRIu64 " records of %" PRIu64 " processes; lost: %" PRIu64 " records",
		       t->records, t->processes, t->lost);
	line(to, text);
}

static int answer(struct record_job *j, struct collector *c)
{
	struct live_run r = {j, c};
	const struct live_calls calls = {
	    .context = &r, .write = write_for_request, .keep = keep, .count = count};
	return live_control_answer(&j->live, &calls);
}

static int collect_until_end(struct record_job *j, struct collector *c)
{
	int status = IOT_OK;
	while (status == IOT_OK && collector_is_active(c) && !j->interrupted) {
		status = collector_step(c, j->signals);
		if (status == IOT_OK)
			status = flush(j);
		if (status == IOT_OK)
			status = answer(j, c);
		run_drain_disks(j);
		if (status == IOT_OK && part_has_ended(j, c))
			status = begin_part(j, c);
		run_pass_signals(j);
		launch_reap(&j->launch, false);
	}
	return status;
}

/* Nothing can be added while the name is locked, nor after it has been removed. */
static int collect_joined(struct record_job *j, struct collector *c)
{
	int status = collect_until_end(j, c);
	join_lock(&j->join);
	while (status == IOT_OK && !j->interrupted &&
	       (status = collector_step(c, j->signals)) == IOT_OK && collector_is_active(c)) {
		join_unlock(&j->join);
		status = collect_until_end(j, c);
		join_lock(&j->join);
	}
	join_close(&j->join, true);
	return status;
}

int run_collect(struct record_job *j, struct collector *c)
{
	int status = j->join_name != NULL ? collect_joined(j, c) : collect_until_end(j, c);
	atomic_store(&j->recording.control->closed, 1);
	if (status == IOT_OK)
		status = collector_finish(c);
	j->totals = *collector_totals(c);
	j->late = collector_late(c);
	return status == IOT_OK ? EXIT_OK : run_report_failure(j, c);
}
