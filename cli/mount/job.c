/* SPDX-License-Identifier: BSD-2-Clause */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/record/forward.h"
#include "cli/record/join.h"
#include "cli/record/launch.h"
#include "cli/record/live_trace.h"
#include "cli/record/output_name.h"
#include "cli/ui/message.h"
#include "cli/ui/output.h"
#include "cli/ui/signals.h"
#include "lib/base/clock.h"
#include "session.h"
#include "statistics.h"
#include "trace.h"

enum {
	FLUSH_MS = 1000,
	DESCRIPTORS = 1 << 20, /* the default of fs.nr_open */
};

struct mount_job {
	const struct mount_options *options;
	struct mount m;
	struct session session;
	struct clock_map clock;
	struct iot_writer *writer;
	struct mount_trace *trace;
	struct launch launch;
	struct join lock;
	char name[PATH_MAX];
	uint64_t epoch_ns;
	int signals;
	int failure;                  /* with --run: the exit status if the mount fails */
	bool is_new;                  /* the file of the trace */
	bool interrupted, configures; /* configures: the settings are to be read */
};

static bool failed(const char *what, int errnum)
{
	message_print("%s: %s", what, strerror(errnum));
	return false;
}

/* The name of the lock that a mount holds until its trace is complete. */
static bool lock_mount(struct join *lock, const char *point)
{
	char name[64], unused[PATH_MAX];
	(void)snprintf(name, sizeof(name), "mount-%016llx",
		       (unsigned long long)XXH3_64bits(point, strlen(point)));
	return join_open(lock, name, unused);
}

/* A mount point whose file system has ended cannot be looked up, but its directory can. */
static bool resolve_point(const char *point, char path[PATH_MAX])
{
	if (realpath(point, path) != NULL)
		return true;
	const char *slash = strrchr(point, '/');
	char parent[PATH_MAX], found[PATH_MAX];
	if (errno != ENOTCONN)
		return false;
	(void)snprintf(parent, sizeof(parent), "%.*s", slash != NULL ? (int)(slash - point) : 1,
		       slash != NULL ? point : ".");
	if (realpath(*parent != '\0' ? parent : "/", found) == NULL)
		return false;
	return snprintf(path, PATH_MAX, "%s/%s", strcmp(found, "/") == 0 ? "" : found,
			slash != NULL ? slash + 1 : point) < PATH_MAX;
}

enum exit_status mount_stop(const char *point)
{
	char path[PATH_MAX];
	struct join lock = {.fd = -1};
	int errnum = resolve_point(point, path) ? session_unmount(path) : errno;
	if (errnum != 0) {
		message_print_about(point, "cannot be unmounted: %s",
				    errnum == EINVAL ? "it is not a mount point"
						     : strerror(errnum));
		return EXIT_FAILED;
	}
	if (lock_mount(&lock, path)) /* waits until the trace is complete */
		join_close(&lock, true);
	return EXIT_OK;
}

/* Preparation */

static bool open_source(struct mount *m, const char *source, const char *point)
{
	struct stat st;
	if (realpath(source, m->source) == NULL || stat(m->source, &st) != 0) {
		message_print_about(source, "%s", strerror(errno));
		return false;
	}
	if (!resolve_point(point, m->point) || stat(m->point, &st) != 0 || !S_ISDIR(st.st_mode)) {
		message_print_about(point, errno == ENOTCONN
					       ? "the file system here has ended; run iotrace "
						 "mount --stop first"
					       : "is not a directory");
		return false;
	}
	m->root.fd = open(m->source, O_PATH | O_DIRECTORY | O_CLOEXEC);
	m->root.type = S_IFDIR;
	if (m->root.fd >= 0)
		return true;
	message_print_about(source, "%s", strerror(errno));
	return false;
}

static bool open_trace(struct mount_job *j)
{
	char why[128];
	const char *wrong = NULL;
	if (j->options->out == NULL)
		output_name_default(j->m.point, getpid(), j->name, sizeof(j->name));
	else
		wrong =
		    output_name_expand(j->options->out, getpid(), j->name, sizeof(j->name), why);
	if (wrong != NULL) {
		message_print("%s", wrong);
		return false;
	}
	j->is_new = access(j->name, F_OK) != 0;
	j->writer = iot_writer_new();
	if (j->writer == NULL)
		return failed("no writer", ENOMEM);
	if (live_trace_set(j->writer, j->options->out == NULL, output_compression(j->name)) ==
		IOT_OK &&
	    iot_writer_open(j->writer, j->name) == IOT_OK)
		return true;
	message_print("%s", iot_writer_error(j->writer));
	return false;
}

static bool write_trace_directive(struct mount_job *j)
{
	char memory[IOT_COMMENT_MAX];
	struct iot_builder b;
	struct iot_event ev = {.kind = 0};
	const char *const view = j->m.cached ? "kernel" : "application";
	iot_directive_begin(&b, memory, sizeof(memory), "trace");
	iot_directive_text(&b, "source", "mount", 5);
	live_trace_names(&b);
	iot_directive_number(&b, "epoch", j->epoch_ns);
	iot_directive_text(&b, "lacks", "cpu,asynchronous", 16);
	iot_directive_text(&b, "view", view, strlen(view));
	if (iot_directive_end(&b, &ev) == IOT_OK &&
	    iot_writer_events(j->writer, &ev, 1) == IOT_OK) {
		analyses_events(&j->options->live->analyses, &ev, 1);
		return true;
	}
	message_print("%s", iot_writer_error(j->writer));
	return false;
}

/*
 * Each file that the kernel knows has a descriptor, and each open file another one. Root may raise
 * the limit of the shell. Returns the limit.
 */
static size_t raise_limit(void)
{
	const rlim_t many = DESCRIPTORS;
	struct rlimit limit = {many, many};
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return DESCRIPTORS;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	return (size_t)limit.rlim_cur;
}

/* Leaves three quarters of the descriptors to open files. */
static void limit_inodes(struct mount *m)
{
	const size_t limit = raise_limit();
	const int source = open(m->source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (source >= 0)
		inodes_limit(&m->inodes, source, limit / 4);
}

static bool prepare(struct mount_job *j)
{
	struct mount *m = &j->m;
	j->epoch_ns = clock_read_ns(CLOCK_REALTIME);
	clock_map_start(&j->clock, clock_has_tsc() ? RECORD_TSC : RECORD_MONOTONIC);
	clock_map_sample(&j->clock);
	m->clock = &j->clock;
	m->cached = j->options->cached;
	m->mapped = j->options->mapped;
	m->timeout = 1;
	m->as_root = geteuid() == 0;
	(void)umask(0); /* the kernel applies the umask of the caller before it asks */
	if (!inodes_init(&m->inodes) || !requesters_init(&m->requesters, m->clock) ||
	    pthread_mutex_init(&m->pieces.mutex, NULL) != 0 ||
	    !buffers_init(&m->buffers, j->options->buffer, j->options->drop, m->clock))
		return failed("no buffers", errno);
	limit_inodes(m);
	j->signals = signals_receive();
	if (j->signals < 0)
		return failed("signals cannot be received", errno);
	j->trace = mount_trace_new(j->writer, &j->clock, &j->options->events);
	return j->trace != NULL ? write_trace_directive(j) : failed("no trace", ENOMEM);
}

/* Recording */

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
static int write_all(struct mount_job *j)
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
	int status = write_all(j);
	if (status == IOT_OK)
		status = mount_trace_look_for_ends(j->trace);
	analyses_flush(&j->options->live->analyses);
	return status == IOT_OK ? iot_writer_flush(j->writer) : status;
}

/* Requests of iotrace control */

static int write_for_request(void *context)
{
	return write_all(context);
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

static int answer(struct mount_job *j)
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

static int record(struct mount_job *j)
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
			status = answer(j);
	}
	return status;
}

static void report_failure(const struct mount_job *j)
{
	const char *own = mount_trace_error(j->trace);
	message_print("%s", *own != '\0' ? own : iot_writer_error(j->writer));
}

/* After a failure requests go on: the buffers are emptied without being written. */
static bool serve(struct mount_job *j)
{
	int status = record(j);
	if (status != IOT_OK)
		j->m.buffers.drop = true;
	session_end(&j->session);
	if (status == IOT_OK)
		status = write_all(j);
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
	if (answer(j) != IOT_OK) {
		report_failure(j);
		return false;
	}
	if (!session_start(&j->session, &j->m, (unsigned)j->options->threads))
		return false;
	if (j->options->program != NULL && !start_program(j)) {
		session_end(&j->session);
		if (j->is_new)
			(void)unlink(j->name);
		return false;
	}
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
	if (j->options->program != NULL && !launch_start(&j->launch, j->options->program))
		return failed("no process for the program", errno);
	if (!open_source(&j->m, source, point) || !open_trace(j) || !prepare(j))
		return false;
	(void)lock_mount(&j->lock, j->m.point);
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
				     .session = {.ended = -1},
				     .launch = {.release = -1, .failure = -1}};
	j.options = options;
	const bool done = run(&j, source, point);
	live_control_end(options->live);
	const int status = status_of_run(&j, done);
	release(&j);
	return status;
}
