/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/top/module_run.h"
#include "cli/ui/message.h"
#include "live_trace.h"

enum {
	PIPE = 1 << 20,
	EVENT_MAX = 64,     /* bytes of a record in the pipe, at most */
	FLUSHED_MAX = 4096, /* events that wait in the writer, at most */
};

/* Reports go to standard error, because standard output belongs to the program. */
static void run_child(const char *module, const struct control *control, int in, int commands)
{
	const struct module_options options = {.path = "-",
					       .name = "the records",
					       .module = module,
					       .once = true,
					       .commands = commands,
					       .control = control};
	const bool ready = dup2(in, STDIN_FILENO) == STDIN_FILENO &&
			   dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO;
	(void)close(in);
	_exit(ready ? (int)module_run(&options) : EXIT_FAILED);
}

static bool failed(const char *what)
{
	message_print("%s: %s", what, strerror(errno));
	return false;
}

static bool open_writer(struct analysis *a)
{
	a->writer = iot_writer_new();
	return a->writer != NULL && live_trace_set(a->writer, false, IOT_PLAIN) == IOT_OK &&
	       iot_writer_open_fd(a->writer, a->fd, "the pipe to the module") == IOT_OK;
}

/* A child that had the pipe of another one would keep it from ending. */
static void close_earlier(const struct analysis *first, const struct analysis *own)
{
	for (; first < own; first++) {
		(void)close(first->fd);
		(void)close(first->commands);
	}
}

bool analysis_start(struct analysis *a, const char *module, const struct control *control,
		    bool drops, const struct analysis *first)
{
	int records[2], commands[2];
	*a = (struct analysis){.drops = drops, .fd = -1, .commands = -1};
	if (pipe2(records, O_CLOEXEC) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, commands) != 0)
		return failed("no pipe to the module");
	const int capacity = fcntl(records[1], F_SETPIPE_SZ, PIPE);
	a->capacity = capacity > 0 ? (size_t)capacity : 1 << 16;
	a->pid = fork();
	if (a->pid == 0) {
		close_earlier(first, a);
		(void)close(records[1]);
		(void)close(commands[0]);
		run_child(module, control, records[0], commands[1]);
	}
	(void)close(records[0]);
	(void)close(commands[1]);
	a->fd = records[1];
	a->commands = commands[0];
	if (a->pid < 0)
		return failed("no process for the module");
	char loaded;
	if (recv(a->commands, &loaded, sizeof loaded, 0) != sizeof loaded)
		return false; /* it has printed the reason */
	return open_writer(a) || failed("no writer to the module");
}

/* The recording goes on after a failure: the module's process has printed a message. */
static void settle(struct analysis *a, int status)
{
	if (status == IOT_OK)
		return;
	iot_writer_free(a->writer);
	a->writer = NULL;
}

static bool has_capacity(const struct analysis *a, size_t n)
{
	int used = 0;
	if (!a->drops)
		return true;
	return ioctl(a->fd, FIONREAD, &used) == 0 && (size_t)used + n * EVENT_MAX <= a->capacity;
}

static int report_missed(struct analysis *a)
{
	char memory[128];
	struct iot_builder b;
	struct iot_event ev;
	if (a->missed == 0)
		return IOT_OK;
	iot_directive_begin(&b, memory, sizeof memory, "lost");
	iot_directive_number(&b, "records", a->missed);
	iot_directive_text(&b, "why", "overrun", 7);
	a->missed = 0;
	const int status = iot_directive_end(&b, &ev);
	return status == IOT_OK ? iot_writer_events(a->writer, &ev, 1) : status;
}

/* Directives are never left out, because later records refer to them. */
static int write_directives(struct analysis *a, const struct iot_event *ev, size_t n)
{
	int status = IOT_OK;
	for (size_t i = 0; i < n && status == IOT_OK; i++)
		if (ev[i].kind == IOT_RECORD)
			a->missed++;
		else
			status = iot_writer_events(a->writer, &ev[i], 1);
	return status;
}

void analysis_events(struct analysis *a, const struct iot_event *ev, size_t n)
{
	if (a->writer == NULL)
		return;
	if (!has_capacity(a, n)) {
		settle(a, write_directives(a, ev, n));
		return;
	}
	int status = report_missed(a);
	if (status == IOT_OK)
		status = iot_writer_events(a->writer, ev, n);
	for (size_t i = 0; i < n && status == IOT_OK; i++)
		a->given += ev[i].kind == IOT_RECORD;
	settle(a, status);
}

void analysis_operations(struct analysis *a, const struct iot_operation *op, size_t n)
{
	if (a->writer != NULL)
		settle(a, iot_writer_operations(a->writer, op, n));
}

void analysis_flush(struct analysis *a)
{
	if (a->writer == NULL || !has_capacity(a, FLUSHED_MAX))
		return;
	settle(a, iot_writer_flush(a->writer));
	a->flushed = a->given;
}

bool analysis_ask(struct analysis *a, const struct control_request *q)
{
	struct control_request later = *q;
	later.records = a->flushed;
	return a->pid > 0 && send(a->commands, &later, sizeof later, MSG_DONTWAIT | MSG_NOSIGNAL) ==
				 (ssize_t)sizeof later;
}

void analysis_end(struct analysis *a)
{
	if (a->pid <= 0)
		return;
	if (a->writer != NULL)
		settle(a, report_missed(a));
	if (a->writer != NULL)
		settle(a, iot_writer_close(a->writer));
	iot_writer_free(a->writer);
	(void)close(a->fd);
	(void)close(a->commands);
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*a = (struct analysis){.pid = 0};
}
