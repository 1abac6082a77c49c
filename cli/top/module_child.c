/* SPDX-License-Identifier: BSD-2-Clause */
/* The process of a module: it reads the trace on a thread, and waits for what is to be done. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "cli/ui/trace_in.h"
#include "lib/base/clock.h"
#include "lib/base/thread.h"

#include "module_run_internal.h"

static void print(void *to, const void *data, size_t size)
{
	output_write(to, data, size);
}

static bool report(struct module_run *r)
{
	module_begin_call(r);
	const bool printed = r->module.is->report(r->module.state, print, &r->out) == 0;
	module_end_call(r);
	output_flush(&r->out);
	if (!printed)
		message_print("module %s: its function report fails", r->module.is->name);
	return printed && r->out.status == IOT_OK;
}

/* The program that writes to a pipe usually gets the same interrupt, and ends the trace. */
static bool wants_end(struct module_run *r)
{
	struct signalfd_siginfo info;
	bool end = false;
	while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		const bool drains = info.ssi_signo == SIGINT && !r->input.file && !r->draining;
		r->draining |= drains;
		end |= !drains;
	}
	return end;
}

/* Milliseconds until the next report. */
static int time_left(const struct module_run *r, uint64_t printed_ns)
{
	const uint64_t passed = clock_monotonic_ns() - printed_ns;
	if (r->options->once)
		return -1;
	if (passed >= r->options->interval_ns)
		return 0;
	const uint64_t ms = (r->options->interval_ns - passed) / 1000000 + 1;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* Until the end of the trace, or of the output. */
static void watch(struct module_run *r)
{
	struct pollfd p[] = {{.fd = r->done, .events = POLLIN},
			     {.fd = r->signals, .events = POLLIN},
			     {.fd = -1, .events = POLLIN},
			     {.fd = -1, .events = POLLIN}};
	char sentence[MODULE_SENTENCE];
	uint64_t printed_ns = clock_monotonic_ns();
	for (;;) {
		p[2].fd = r->notices;
		p[3].fd = r->commands;
		const int ready = poll(p, 4, time_left(r, printed_ns));
		if (ready > 0 && (p[0].revents != 0 || (p[1].revents != 0 && wants_end(r))))
			return;
		if (ready > 0 && p[2].revents != 0 && module_has_changed(r)) {
			(void)module_exchange(r, sentence);
			message_print("%s", sentence);
		}
		if (ready > 0 && p[3].revents != 0)
			module_obey(r);
		if (time_left(r, printed_ns) != 0)
			continue;
		printed_ns = clock_monotonic_ns();
		if (!report(r))
			return;
		output_text(&r->out, "\n");
	}
}

static bool start(struct module_run *r)
{
	if (!module_start(r))
		return false;
	if (r->commands >= 0) /* who asks waits for this */
		(void)send(r->commands, "", 1, MSG_NOSIGNAL);
	if (!follow_open_trace(&r->input, r->reader, r->options->name))
		return false;
	r->started = thread_start(&r->thread, module_read_trace, r);
	if (!r->started)
		message_print("no thread: %s", strerror(EAGAIN));
	return r->started;
}

/* After the last report. */
static enum exit_status result(const struct module_run *r)
{
	if (r->refused) {
		message_print("module %s: it refuses a record or event, of %" PRIu64 " so far",
			      r->module.is->name, atomic_load(r->records));
		return EXIT_FAILED;
	}
	if (r->status == IOT_OK)
		return EXIT_OK;
	if (!trace_in_refused(r->options->path, r->reader, r->status))
		message_print("%s", iot_reader_error(r->reader));
	return atomic_load(r->records) > 0 ? EXIT_DAMAGED : EXIT_FAILED;
}

static enum exit_status run(struct module_run *r)
{
	enum exit_status status = EXIT_FAILED;
	if (start(r)) {
		watch(r);
		follow_stop(&r->input);
		(void)pthread_join(r->thread, NULL);
		status = report(r) ? result(r) : EXIT_FAILED;
		module_begin_call(r);
		module_unload(&r->module);
		module_end_call(r);
	}
	return exit_status_worse(status, output_close(&r->out));
}

void module_signals(sigset_t *set)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigemptyset(set);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(set, caught[i]);
}

/* The end of the parent ends the child as a request does. */
static bool set_up(struct module_run *r)
{
	sigset_t set;
	module_signals(&set);
	(void)signal(SIGALRM, SIG_DFL);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	pthread_mutex_init(&r->lock, NULL);
	module_set_host(r);
	r->reader = iot_reader_new();
	r->batch = iot_batch_new(IOT_BATCH_EVENTS);
	r->done = eventfd(0, EFD_CLOEXEC);
	r->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (r->reader != NULL && r->batch != NULL && r->done >= 0 && r->signals >= 0)
		return true;
	(void)message_no_memory();
	return false;
}

enum exit_status module_child(struct module_run *r)
{
	return set_up(r) ? run(r) : EXIT_FAILED;
}
