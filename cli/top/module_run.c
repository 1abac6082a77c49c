/* SPDX-License-Identifier: BSD-2-Clause */
#include "module_run.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/stream.h>

#include "cli/ui/message.h"
#include "cli/ui/output.h"
#include "cli/ui/trace_in.h"
#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/thread.h"

#include "follow.h"
#include "module.h"

/* The child's state. The lock protects the module and the reader's names. */
struct module_run {
	const struct module_options *options;
	char path[PATH_MAX]; /* of the module */
	const char *args;
	_Atomic uint64_t *records; /* that the modules have had; the parent reads it */
	uint64_t begin;            /* records before the present module */
	struct iot_module_host host;
	struct module module;
	struct follow input;
	struct iot_reader *reader;
	struct iot_batch *batch;
	struct iot_record run[IOT_BATCH_EVENTS];
	struct output out;
	pthread_mutex_t lock;
	pthread_t thread;
	char command[CONTROL_TEXT]; /* that named the module; args may be in it */
	int done, notices, signals, commands;
	int status; /* of the reader */
	bool refused, started, draining;
	_Atomic bool ended; /* the reader has no more records */
};

static const char *object_name(void *context, uint32_t object, size_t *size)
{
	struct module_run *r = context;
	return iot_reader_name(r->reader, object, size);
}

static void log_line(void *context, const char *line)
{
	const struct module_run *r = context;
	message_print("module %s: %s", r->module.is != NULL ? r->module.is->name : r->path, line);
}

/* A function that does not return ends the process. */
static void begin_call(struct module_run *r)
{
	pthread_mutex_lock(&r->lock);
	(void)alarm(IOT_MODULE_SECONDS);
}

static void end_call(struct module_run *r)
{
	(void)alarm(0);
	pthread_mutex_unlock(&r->lock);
}

/* Records */

static bool give_records(struct module_run *r, size_t n)
{
	if (n == 0)
		return true;
	atomic_fetch_add(r->records, n);
	return r->module.is->records(r->module.state, r->run, n) == 0;
}

static bool give_event(struct module_run *r, const struct iot_event *ev)
{
	const struct iot_module *is = r->module.is;
	return is->event == NULL || is->event(r->module.state, ev) == 0;
}

static bool give_batch(struct module_run *r, const struct iot_event *ev, size_t n)
{
	size_t gathered = 0;
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD) {
			r->run[gathered++] = ev[i].rec;
			continue;
		}
		if (!give_records(r, gathered) || !give_event(r, &ev[i]))
			return false;
		gathered = 0;
	}
	return give_records(r, gathered);
}

static void *read_trace(void *context)
{
	struct module_run *r = context;
	ssize_t n = 0;
	while (!r->refused &&
	       (n = iot_reader_events(r->reader, r->batch->events, IOT_BATCH_EVENTS)) > 0) {
		begin_call(r);
		r->refused = !give_batch(r, r->batch->events, (size_t)n);
		end_call(r);
	}
	r->status = (int)(n < 0 ? n : 0);
	atomic_store(&r->ended, true);
	(void)eventfd_write(r->done, 1);
	return NULL;
}

/* Reports and replacement */

static void print(void *to, const void *data, size_t size)
{
	output_write(to, data, size);
}

static bool report(struct module_run *r)
{
	begin_call(r);
	const bool printed = r->module.is->report(r->module.state, print, &r->out) == 0;
	end_call(r);
	output_flush(&r->out);
	if (!printed)
		message_print("module %s: its function report fails", r->module.is->name);
	return printed && r->out.status == IOT_OK;
}

enum { SENTENCE = PATH_MAX + MODULE_WHY + 128 };

/* Stores what happened as a sentence. Returns false if the module stays. */
static bool replace(struct module_run *r, char sentence[SENTENCE])
{
	char why[MODULE_WHY];
	bool starts_empty = false;
	begin_call(r);
	const struct module old = r->module;
	char from[64];
	(void)snprintf(from, sizeof from, "%s", old.is->version);
	const bool replaced =
	    module_replace(&r->module, r->path, r->args, &r->host, &starts_empty, why);
	const uint64_t records = atomic_load(r->records);
	end_call(r);
	if (!replaced) {
		(void)snprintf(sentence, SENTENCE, "%s: %s; the module stays", r->path, why);
		return false;
	}
	(void)snprintf(sentence, SENTENCE,
		       "%s: version %.64s replaces %s after %" PRIu64 " records%s", r->path,
		       r->module.is->version, from, records - r->begin,
		       starts_empty ? "; it starts empty" : "");
	r->begin = records;
	return true;
}

/* Returns whether a notice is about the module: its file is complete. */
static bool has_changed(struct module_run *r)
{
	_Alignas(struct inotify_event) char memory[4096];
	char copy[PATH_MAX];
	bool changed = false;
	ssize_t n;
	memcpy(copy, r->path, sizeof copy);
	const char *name = basename(copy);
	while ((n = read(r->notices, memory, sizeof memory)) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const void *)(memory + at);
			changed |= e->len > 0 && strcmp(e->name, name) == 0;
			at += (ssize_t)(sizeof *e + e->len);
		}
	return changed;
}

static bool watch_file(struct module_run *r)
{
	char copy[PATH_MAX];
	memcpy(copy, r->path, sizeof copy);
	if (r->notices > 0)
		(void)close(r->notices);
	r->notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	return r->notices >= 0 &&
	       inotify_add_watch(r->notices, dirname(copy), IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
}

/* Requests */

enum { AWAIT_S = CONTROL_SECONDS / 2 };

static bool split(struct module_run *r, const char *module);

/* A text that grows, for an answer. */
struct answer {
	char *data;
	size_t size, capacity;
	bool failed;
};

static void append(void *to, const void *data, size_t size)
{
	struct answer *a = to;
	a->failed |= !array_reserve(&a->data, &a->capacity, a->size + size, 1);
	if (a->failed)
		return;
	memcpy(a->data + a->size, data, size);
	a->size += size;
}

static void answer_report(struct module_run *r, const struct control_request *q)
{
	struct answer a = {.data = NULL};
	begin_call(r);
	const bool done = r->module.is->report(r->module.state, append, &a) == 0 && !a.failed;
	end_call(r);
	control_answer(r->options->control, q, done, a.size > 0 ? a.data : "", a.size);
	free(a.data);
}

/* The file of the new module is watched from then on. */
static void answer_replacement(struct module_run *r, const struct control_request *q,
			       const char *module)
{
	char path[PATH_MAX], command[CONTROL_TEXT], sentence[SENTENCE] = "the path is too long";
	const char *args = r->args;
	memcpy(path, r->path, sizeof path);
	(void)snprintf(command, sizeof command, "%s", module);
	const bool done = split(r, command) && replace(r, sentence);
	if (done) {
		memcpy(r->command, command, sizeof command);
		r->args = r->command + (r->args - command);
		(void)watch_file(r);
	} else {
		memcpy(r->path, path, sizeof path);
		r->args = args;
	}
	control_say(r->options->control, q, done, "%s", sentence);
}

/* The module has the records that were in the pipe before the request, unless it is very slow. */
static void await_records(const struct module_run *r, uint64_t records)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const uint64_t limit = clock_monotonic_ns() + AWAIT_S * UINT64_C(1000000000);
	while (atomic_load(r->records) < records && !atomic_load(&r->ended) &&
	       clock_monotonic_ns() < limit)
		(void)nanosleep(&pause, NULL);
}

static void obey(struct module_run *r)
{
	static const char module[] = "module ";
	struct control_request q;
	if (recv(r->commands, &q, sizeof q, MSG_DONTWAIT) != (ssize_t)sizeof q) {
		r->commands = -1;
		return;
	}
	await_records(r, q.records);
	if (strncmp(q.text, module, sizeof module - 1) == 0)
		answer_replacement(r, &q, q.text + sizeof module - 1);
	else
		answer_report(r, &q);
}

/* Run */

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
	char sentence[SENTENCE];
	uint64_t printed_ns = clock_monotonic_ns();
	for (;;) {
		p[2].fd = r->notices;
		p[3].fd = r->commands;
		const int ready = poll(p, 4, time_left(r, printed_ns));
		if (ready > 0 && (p[0].revents != 0 || (p[1].revents != 0 && wants_end(r))))
			return;
		if (ready > 0 && p[2].revents != 0 && has_changed(r)) {
			(void)replace(r, sentence);
			message_print("%s", sentence);
		}
		if (ready > 0 && p[3].revents != 0)
			obey(r);
		if (time_left(r, printed_ns) != 0)
			continue;
		printed_ns = clock_monotonic_ns();
		if (!report(r))
			return;
		output_text(&r->out, "\n");
	}
}

static bool load(struct module_run *r)
{
	char why[MODULE_WHY];
	if (!watch_file(r)) {
		message_print("%s: its directory cannot be watched: %s", r->path, strerror(errno));
		return false;
	}
	begin_call(r);
	const bool loaded = module_load(&r->module, r->path, r->args, &r->host, why);
	end_call(r);
	if (!loaded)
		message_print("%s: %s", r->path, why);
	return loaded;
}

static bool start(struct module_run *r)
{
	if (!load(r))
		return false;
	if (r->commands >= 0) /* who asks waits for this */
		(void)send(r->commands, "", 1, MSG_NOSIGNAL);
	if (iot_reader_set(r->reader, IOT_SET_ALLOW_EMPTY, 0) != IOT_OK ||
	    iot_reader_open_callback(r->reader, follow_read, &r->input, r->options->name) !=
		IOT_OK) {
		message_print("%s", iot_reader_error(r->reader));
		return false;
	}
	r->started = thread_start(&r->thread, read_trace, r);
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
		begin_call(r);
		module_unload(&r->module);
		end_call(r);
	}
	return exit_status_worse(status, output_close(&r->out));
}

static void set_signals(sigset_t *set)
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
	set_signals(&set);
	(void)signal(SIGALRM, SIG_DFL);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	pthread_mutex_init(&r->lock, NULL);
	r->host = (struct iot_module_host){
	    .size = sizeof r->host, .context = r, .object_name = object_name, .log = log_line};
	r->reader = iot_reader_new();
	r->batch = iot_batch_new(IOT_BATCH_EVENTS);
	r->done = eventfd(0, EFD_CLOEXEC);
	r->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (r->reader != NULL && r->batch != NULL && r->done >= 0 && r->signals >= 0)
		return true;
	(void)message_no_memory();
	return false;
}

/* The parent */

static enum exit_status outcome(const struct module_run *r, int status)
{
	if (WIFEXITED(status))
		return (enum exit_status)WEXITSTATUS(status);
	const uint64_t records = atomic_load(r->records);
	if (WTERMSIG(status) == SIGALRM)
		message_print("%s: a function has not returned for %d s, after %" PRIu64 " records",
			      r->path, IOT_MODULE_SECONDS, records);
	else
		message_print("%s: ended by signal %d (%s), after %" PRIu64 " records", r->path,
			      WTERMSIG(status), strsignal(WTERMSIG(status)), records);
	return EXIT_FAILED;
}

/* Passes on signals that are for this process alone. */
static int wait_for(pid_t child)
{
	sigset_t set;
	siginfo_t info;
	int status = 0;
	set_signals(&set);
	sigaddset(&set, SIGCHLD);
	while (waitpid(child, &status, WNOHANG) == 0)
		if (sigwaitinfo(&set, &info) > 0 && info.si_signo != SIGCHLD &&
		    info.si_code != SI_KERNEL)
			(void)kill(child, info.si_signo);
	return status;
}

static enum exit_status fork_run(struct module_run *r)
{
	sigset_t set, before;
	set_signals(&set);
	sigaddset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, &before);
	const pid_t child = fork();
	if (child == 0)
		_exit(set_up(r) ? (int)run(r) : EXIT_FAILED);
	if (child < 0)
		message_print("no process for the module: %s", strerror(errno));
	const enum exit_status status = child > 0 ? outcome(r, wait_for(child)) : EXIT_FAILED;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

/* "FILE:ARGS" */
static bool split(struct module_run *r, const char *module)
{
	const char *colon = strchr(module, ':');
	const size_t size = colon != NULL ? (size_t)(colon - module) : strlen(module);
	if (size >= sizeof r->path) {
		message_print("%s: %s", module, strerror(ENAMETOOLONG));
		return false;
	}
	memcpy(r->path, module, size);
	r->path[size] = '\0';
	r->args = colon != NULL ? colon + 1 : "";
	return true;
}

enum exit_status module_run(const struct module_options *options)
{
	static struct module_run r;
	enum exit_status status;
	r = (struct module_run){
	    .options = options, .module = {.copy = -1}, .commands = options->commands};
	r.records = mmap(NULL, sizeof *r.records, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.records == MAP_FAILED)
		return message_no_memory();
	if (!split(&r, options->module) || !follow_open(&r.input, options->path))
		return EXIT_FAILED;
	status = output_open(&r.out, "-", 0);
	if (status == EXIT_OK)
		status = fork_run(&r);
	follow_close(&r.input);
	(void)munmap(r.records, sizeof *r.records);
	return status;
}
