/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iotrace record: runs a program and writes the trace of its I/O while it runs.
 *
 * The program's process is created first, as its pid is part of the trace's name; it waits until
 * the trace is open and the recording exists.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/block_trace.h"
#include "cli/record/collector.h"
#include "cli/record/join.h"
#include "cli/record/launch.h"
#include "cli/record/live_trace.h"
#include "cli/record/output_name.h"
#include "cli/record/forward.h"
#include "cli/record/process_start.h"
#include "cli/record/sites.h"
#include "cli/record/tie_disks.h"
#include "cli/ui/message.h"
#include "cli/ui/options.h"
#include "cli/ui/output.h"
#include "cli/ui/printable.h"
#include "cli/ui/rotation.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"

/* As of env(1), timeout(1) and others that run a program. */
enum { EXIT_NOT_RECORDED = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

enum { SEEN_AUTO = RECORD_SYSCALLS + 1 }; /* beyond enum record_seen */

enum { CONVERT_WHILE, CONVERT_AFTER, CONVERT_AUTO };

enum { CLOCK_AUTO, CLOCK_TSC_ONLY, CLOCK_MONOTONIC_ONLY };

enum {
	VARIABLES_MAX = 64,
	NAMES_MAX = 4096, /* bytes of host=, user= and job= */
	MEMORY = 64 << 20,
	SPOOL = 256 << 20,
	FLUSH_NS = 200000000
};

struct variables {
	const char *name[VARIABLES_MAX];
	size_t count;
};

struct record_job {
	const char *out, *pid, *join_name, *resume, *blktrace;
	struct block_trace disks; /* of --blktrace */
	int disk_errnum;          /* its file could not be written */
	bool quiet, follow, no_follow, check;
	int stdio, cpu, clock_choice, full, ops, transport, seen, convert;
	uint64_t spool_limit;
	struct spool spool;
	struct spool_begin begin;
	char *texts;      /* that follow `begin` */
	char **arguments; /* of this command */
	struct variables variables;
	struct collector_options collector;
	const struct command_spec *command;
	char **argv;
	int signals; /* descriptor of signals_receive() */
	struct launch launch;
	char library[PATH_MAX]; /* that programs load */
	struct recording recording;
	struct join join;
	struct iot_writer *writer;
	char name[PATH_MAX]; /* of the trace, or of its current part */
	struct rotation rotation;
	char first[PATH_MAX]; /* name of the first part; "": the trace has one part */
	bool part_failed;     /* the next part could not be begun, and a message says why */
	pid_t consumer;       /* of -o '|COMMAND'; 0: none */
	int consumer_fd;
	uint64_t epoch_ns;
	struct clock_map clock;       /* its first sample is time zero of the trace */
	uint64_t flushed_ns, flushed; /* when, and the events at that time */
	bool interrupted;
	struct ring_events_totals totals;
	uint64_t late; /* records */
};

static bool sends(const struct record_job *j)
{
	return j->transport == RECORD_PACKETS;
}

static const char *take_variable(const struct option *opt, const char *value)
{
	struct variables *v = opt->target;
	if (*value == '\0' || strpbrk(value, "= \t") != NULL)
		return "the name of a variable";
	if (v->count == VARIABLES_MAX)
		return "at most 64 variables";
	v->name[v->count++] = value;
	return NULL;
}

static int failed(const char *what, int errnum)
{
	message_print("%s: %s", what, strerror(errnum));
	return EXIT_NOT_RECORDED;
}

/* Output */

static void run_consumer(const char *command, int in)
{
	signals_inherit();
	/* The terminal's interrupt ends the traced program, not the trace. */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	if (dup2(in, STDIN_FILENO) == STDIN_FILENO)
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(EXIT_NOT_FOUND);
}

static int open_consumer(struct record_job *j)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return failed("no pipe to the command of -o", errno);
	j->consumer = fork();
	if (j->consumer == 0)
		run_consumer(j->name + 1, ends[0]);
	(void)close(ends[0]);
	j->consumer_fd = ends[1];
	if (j->consumer < 0)
		return failed("the command of -o cannot be run", errno);
	return iot_writer_open_fd(j->writer, ends[1], j->name + 1) == IOT_OK ? EXIT_OK
									     : EXIT_NOT_RECORDED;
}

/* Opens j->name. */
static int open_writer(struct record_job *j)
{
	struct iot_writer *w = j->writer = iot_writer_new();
	const bool is_new = j->out == NULL || rotation_wanted(&j->rotation);
	if (w == NULL)
		return failed("no writer", ENOMEM);
	const enum iot_compression compression = output_compression(j->name);
	if (live_trace_set(w, is_new, j->name[0] == '|' ? IOT_PLAIN : compression) == IOT_OK) {
		if (j->name[0] == '|')
			return open_consumer(j);
		if (iot_writer_open(w, j->name) == IOT_OK)
			return EXIT_OK;
	}
	message_print("%s", iot_writer_error(w));
	return EXIT_NOT_RECORDED;
}

static int name_part(struct record_job *j)
{
	const int errnum = rotation_next(&j->rotation, clock_monotonic_ns(), j->name);
	if (errnum == 0)
		return EXIT_OK;
	message_print_about(j->rotation.path, "a part of the trace cannot be opened: %s",
			    strerror(errnum));
	return EXIT_NOT_RECORDED;
}

/* j->name becomes the name of a part. */
static int open_first_part(struct record_job *j)
{
	(void)snprintf(j->rotation.path, sizeof(j->rotation.path), "%s", j->name);
	if (name_part(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	(void)snprintf(j->first, sizeof(j->first), "%s", j->name);
	return open_writer(j);
}

/* Sets j->name to the name of -o, or to one that no file has. */
static int choose_name(struct record_job *j)
{
	char why[128];
	const char *wrong = NULL;
	if (j->out != NULL && j->out[0] == '|')
		(void)snprintf(j->name, sizeof(j->name), "%s", j->out);
	else if (j->out != NULL)
		wrong = output_name_expand(j->out, j->launch.pid, j->name, sizeof(j->name), why);
	else
		output_name_default(j->argv[0], j->launch.pid, j->name, sizeof(j->name));
	if (wrong == NULL)
		return EXIT_OK;
	message_print("%s", wrong);
	return EXIT_NOT_RECORDED;
}

static int open_output(struct record_job *j)
{
	return rotation_wanted(&j->rotation) ? open_first_part(j) : open_writer(j);
}

static int close_consumer(struct record_job *j)
{
	int status = 0;
	if (j->consumer <= 0)
		return EXIT_OK;
	(void)close(j->consumer_fd);
	while (waitpid(j->consumer, &status, 0) < 0 && errno == EINTR)
		;
	j->consumer = 0;
	if (status == 0)
		return EXIT_OK;
	message_print("the command of -o failed: the trace may be lost");
	return EXIT_NOT_RECORDED;
}

/* %trace */

static void add_command(const struct record_job *j, struct iot_builder *b)
{
	char text[16384];
	size_t n = 0;
	for (char **a = j->argv; *a != NULL && n + 1 < sizeof(text); a++) {
		const int size = snprintf(text + n, sizeof(text) - n, "%s%s", n > 0 ? " " : "", *a);
		n = (size_t)size < sizeof(text) - n ? n + (size_t)size : sizeof(text) - 1;
	}
	iot_directive_text(b, "command", text, n);
}

static void add_variables(const struct variables *v, struct iot_builder *b)
{
	char key[256];
	for (size_t i = 0; i < v->count; i++) {
		const char *value = getenv(v->name[i]);
		const int n = snprintf(key, sizeof(key), "env.%s", v->name[i]);
		if (value != NULL && n > 0 && (size_t)n < sizeof(key))
			iot_directive_text(b, key, value, strlen(value));
	}
}

/* Checked before the program runs: %trace is written while it starts. */
static bool variables_fit(const struct record_job *j)
{
	static char memory[IOT_COMMENT_MAX - NAMES_MAX];
	struct iot_builder b;
	iot_directive_begin(&b, memory, sizeof(memory), "trace");
	add_command(j, &b);
	add_variables(&j->variables, &b);
	if (b.status != IOT_OK)
		message_print("the variables of --env are too long");
	return b.status == IOT_OK;
}

/* Packets carry opens and closes, but no other operations. */
static void add_lacks(const struct record_job *j, struct iot_builder *b)
{
	const bool no_cpu = j->cpu == RECORD_CPU_NONE, no_operations = sends(j) && j->ops != 0;
	const char *lacks = no_cpu && no_operations ? "cpu,operations"
			    : no_cpu                ? "cpu"
			    : no_operations         ? "operations"
						    : NULL;
	if (lacks != NULL)
		iot_directive_text(b, "lacks", lacks, strlen(lacks));
}

static int make_trace_directive(const struct record_job *j, struct iot_event *ev)
{
	static char memory[IOT_COMMENT_MAX];
	struct iot_builder b;
	const char *const seen = j->recording.control->seen == RECORD_CALLS ? "calls" : "syscalls";
	iot_directive_begin(&b, memory, sizeof(memory), "trace");
	iot_directive_text(&b, "source", "record", 6);
	add_command(j, &b);
	live_trace_names(&b);
	iot_directive_number(&b, "epoch", j->epoch_ns);
	add_lacks(j, &b);
	if (j->cpu == RECORD_CPU_SAMPLED)
		iot_directive_number(&b, "cpu-step", 1000000);
	if (j->stdio == RECORD_STDIO_CALLS)
		iot_directive_text(&b, "stdio", "calls", 5);
	iot_directive_text(&b, "seen", seen, strlen(seen));
	add_variables(&j->variables, &b);
	return iot_directive_end(&b, ev);
}

static int write_trace_directive(struct record_job *j)
{
	struct iot_event ev = {.kind = 0};
	if (make_trace_directive(j, &ev) == IOT_OK &&
	    iot_writer_events(j->writer, &ev, 1) == IOT_OK)
		return EXIT_OK;
	message_print("%s", iot_writer_error(j->writer));
	return EXIT_NOT_RECORDED;
}

/* The spool */

static bool has_file(const struct record_job *j)
{
	return j->name[0] != '|' && strcmp(j->name, "-") != 0;
}

/* Appends a text with its NUL to j->texts, which has the size. */
static void add_text(struct record_job *j, size_t *size, const char *text, size_t n)
{
	memcpy(j->texts + *size, text, n);
	j->texts[*size + n] = '\0';
	*size += n + 1;
}

static size_t arguments_size(const struct record_job *j)
{
	size_t size = 0;
	for (char **a = j->arguments; *a != NULL; a++)
		size += strlen(*a) + 1;
	return size;
}

/* All that another process needs to know of this one. */
static bool fill_begin(struct record_job *j)
{
	struct iot_event ev = {.kind = 0};
	char name[2 * PATH_MAX] = "", directory[PATH_MAX];
	const bool is_relative = j->name[0] != '/' && has_file(j);
	if (make_trace_directive(j, &ev) != IOT_OK)
		return false;
	if (is_relative && getcwd(directory, sizeof(directory)) == NULL)
		return false;
	(void)snprintf(name, sizeof(name), "%s%s%s", is_relative ? directory : "",
		       is_relative ? "/" : "", j->name);
	size_t size = 0;
	const size_t all =
	    strlen(name) + ev.text.size + 2 + (j->arguments != NULL ? arguments_size(j) : 0);
	j->texts = all <= SPOOL_DATA_MAX / 2 ? malloc(all) : NULL;
	if (j->texts == NULL || j->arguments == NULL)
		return false;
	j->begin = (struct spool_begin){.magic = SPOOL_MAGIC,
					.version = RECORD_VERSION,
					.text_size = (uint32_t)all,
					.clock = (uint8_t)j->clock.clock,
					.cpu = (uint8_t)j->cpu,
					.samples = (uint8_t)j->clock.count,
					.began = process_start((uint32_t)getpid()),
					.sample = {j->clock.sample[0], j->clock.sample[1]}};
	add_text(j, &size, name, strlen(name));
	add_text(j, &size, ev.text.data, ev.text.size);
	for (char **a = j->arguments; *a != NULL; a++, j->begin.arguments++)
		add_text(j, &size, *a, strlen(*a));
	return true;
}

/* Without a spool the trace is written while programs run. */
static int create_spool(struct record_job *j)
{
	if (j->convert == CONVERT_WHILE)
		return EXIT_OK;
	if (fill_begin(j) && spool_create(&j->spool, j->recording.fd, j->spool_limit) &&
	    spool_begin(&j->spool, &j->begin, j->texts)) {
		j->collector.spool = &j->spool;
		j->collector.begin = &j->begin;
		return EXIT_OK;
	}
	spool_close(&j->spool);
	(void)unlinkat(j->recording.fd, "spool", 0);
	return j->convert == CONVERT_AUTO ? EXIT_OK : failed("--convert=after", errno);
}

/* Run */

static int receive_signals(struct record_job *j)
{
	j->signals = signals_receive();
	return j->signals >= 0 ? EXIT_OK : failed("signals cannot be received", errno);
}

static void pass_signals(struct record_job *j)
{
	if (forward_signals(j->signals, j->launch.reaped ? 0 : j->launch.pid))
		j->interrupted = true;
}

static int report_failure(const struct record_job *j, const struct collector *c)
{
	const char *own = collector_error(c);
	if (j->part_failed)
		return EXIT_NOT_RECORDED;
	message_print("%s", *own != '\0' ? own : iot_writer_error(j->writer));
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
	j->part_failed = name_part(j) != EXIT_OK || open_writer(j) != EXIT_OK ||
			 write_trace_directive(j) != EXIT_OK;
	if (j->part_failed)
		return IOT_EIO;
	collector_begin_part(c, j->writer);
	return IOT_OK;
}

/* Disks */

/* Returns whether --blktrace may replace its file; otherwise prints a message. */
static bool is_replaceable(struct record_job *j)
{
	struct same_file_set files = {.command = j->command};
	same_file_add_output(&files, ROLE_EXPORT, "--blktrace", j->blktrace);
	same_file_add(&files, ROLE_TRACE, j->name);
	const bool ok = same_file_check(&files) == EXIT_OK;
	same_file_free(&files);
	return ok;
}

static int begin_disks(struct record_job *j)
{
	int errnum = 0;
	if (j->blktrace == NULL)
		return EXIT_OK;
	if (!is_replaceable(j))
		return EXIT_NOT_RECORDED;
	const char *const why =
	    block_trace_begin(&j->disks, j->blktrace, j->clock.sample[0].ns, j->epoch_ns, &errnum);
	if (why == NULL)
		return EXIT_OK;
	message_print("--blktrace=%s: %s%s%s%s", j->blktrace, why, errnum != 0 ? ": " : "",
		      errnum != 0 ? strerror(errnum) : "",
		      errnum == EPERM || errnum == EACCES ? "; it needs CAP_SYS_ADMIN" : "");
	return EXIT_NOT_RECORDED;
}

static void keep_disk_error(struct record_job *j, int errnum)
{
	if (j->disk_errnum == 0)
		j->disk_errnum = errnum;
}

static void drain_disks(struct record_job *j)
{
	if (j->blktrace != NULL && j->disk_errnum == 0)
		keep_disk_error(j, block_trace_drain(&j->disks));
}

/* The trace is complete. */
static int tie_to_disks(struct record_job *j)
{
	if (j->blktrace == NULL || j->resume != NULL)
		return EXIT_OK;
	if (j->disk_errnum != 0)
		return failed(j->blktrace, j->disk_errnum);
	if (j->disks.lost > 0)
		message_print("warning: %" PRIu64 " actions of disks are missing", j->disks.lost);
	return tie_disks(j->name, j->blktrace) ? EXIT_OK : EXIT_NOT_RECORDED;
}

static int collect_until_end(struct record_job *j, struct collector *c)
{
	int status = IOT_OK;
	while (status == IOT_OK && collector_is_active(c) && !j->interrupted) {
		status = collector_step(c, j->signals);
		if (status == IOT_OK)
			status = flush(j);
		drain_disks(j);
		if (status == IOT_OK && part_has_ended(j, c))
			status = begin_part(j, c);
		pass_signals(j);
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

static int collect(struct record_job *j, struct collector *c)
{
	int status = j->join_name != NULL ? collect_joined(j, c) : collect_until_end(j, c);
	atomic_store(&j->recording.control->closed, 1);
	if (status == IOT_OK)
		status = collector_finish(c);
	j->totals = *collector_totals(c);
	j->late = collector_late(c);
	return status == IOT_OK ? EXIT_OK : report_failure(j, c);
}

static int report_exec(const struct record_job *j, int errnum)
{
	message_print_about(j->argv[0], "%s", strerror(errnum));
	return errnum == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* Finds the library that programs load to be seen this way: enum record_seen. */
static bool find_library(struct record_job *j, int seen)
{
	const char *const directory = getenv("IOTRACE_LIBDIR"), *const name = launch_library(seen);
	if (launch_find_library(j->library, seen) && strpbrk(j->library, " :") == NULL)
		return true;
	if (j->library[0] != '\0')
		message_print_about(j->library, "LD_PRELOAD cannot name it: it has a blank or ':'");
	else if (directory != NULL && *directory != '\0')
		message_print_about(directory, "has no %s (IOTRACE_LIBDIR)", name);
	else
		message_print("%s is neither next to this program nor where it was installed; set "
			      "IOTRACE_LIBDIR to its directory",
			      name);
	return false;
}

/* Each traced process needs a descriptor. The program has inherited the old limit. */
static void raise_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* While the program starts, the beginning of the trace is written. */
static int record_released(struct record_job *j)
{
	if (write_trace_directive(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	struct collector *c = collector_new(&j->recording, j->writer, &j->clock, &j->collector);
	if (c == NULL)
		return failed("no collector", ENOMEM);
	collector_expect(c, (uint32_t)j->launch.pid, j->launch.program);
	raise_limit();
	const int errnum = launch_wait(&j->launch);
	int status = errnum != 0 ? report_exec(j, errnum) : EXIT_OK;
	if (errnum == 0 || j->join_name != NULL) {
		const int collected = collect(j, c);
		status = status == EXIT_OK ? collected : status;
	}
	collector_free(c);
	return status;
}

/* Makes the tables of libc, or chooses the other way if that is impossible. */
static int choose_seen(struct record_job *j)
{
	if (j->seen == RECORD_CALLS)
		return EXIT_OK;
	const bool can_write = sites_can_write();
	if (can_write && sites_write(j->recording.fd))
		return EXIT_OK;
	if (j->seen == SEEN_AUTO) {
		j->seen = RECORD_CALLS;
		j->recording.control->seen = RECORD_CALLS;
		return find_library(j, j->seen) ? EXIT_OK : EXIT_NOT_RECORDED;
	}
	message_print(can_write
			  ? "--seen=syscalls: the system calls in libc cannot be found; use "
			    "--seen=calls"
			  : "--seen=syscalls: code must not be changed here; use --seen=calls");
	return EXIT_NOT_RECORDED;
}

static int run(struct record_job *j)
{
	clock_map_sample(&j->clock);
	const struct record_control settings = {.cpu = (uint8_t)j->cpu,
						.per_thread = j->collector.per_thread,
						.stdio = (uint8_t)j->stdio,
						.full = (uint8_t)j->full,
						.data_only = j->ops == 0 || sends(j),
						.counts_operations = j->ops != 0 && sends(j),
						.transport = (uint8_t)j->transport,
						.seen = j->seen == RECORD_CALLS ? RECORD_CALLS
										: RECORD_SYSCALLS,
						.no_follow = j->no_follow,
						.leader = (uint32_t)j->launch.pid,
						.clock = (uint8_t)j->clock.clock,
						.cpu_step = clock_map_units(&j->clock, 1000000),
						.heartbeat = clock_monotonic_ns()};
	if (!recording_create(&j->recording, &settings))
		return failed("no directory for shared memory", errno);
	if (choose_seen(j) != EXIT_OK || create_spool(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	if (j->join_name != NULL && !join_publish(&j->join, j->recording.path))
		return failed("--join", errno);
	launch_release(&j->launch, j->library, j->recording.path);
	const int status = record_released(j);
	atomic_store(&j->recording.control->closed, 1);
	return status;
}

static int close_output(struct record_job *j, int status)
{
	if (status == EXIT_OK && iot_writer_close(j->writer) != IOT_OK) {
		message_print("%s", iot_writer_error(j->writer));
		status = EXIT_NOT_RECORDED;
	}
	const int consumed = close_consumer(j);
	return status == EXIT_OK ? consumed : status;
}

/* A program that was not run has no trace. */
static void remove_output(const struct record_job *j)
{
	if (has_file(j))
		(void)unlink(j->name);
}

static int start_clock(struct record_job *j)
{
	if (sends(j))
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

/* What has been spooled and did not become a trace is kept. */
static void end_recording(struct record_job *j, int status)
{
	const bool kept = status == EXIT_NOT_RECORDED && j->spool.fd >= 0;
	if (kept)
		message_print("%s is kept: 'iotrace record --resume %s -o OUT' makes the trace",
			      j->recording.path, j->recording.path);
	spool_close(&j->spool);
	if (kept)
		recording_close(&j->recording);
	else if (!recording_remove(&j->recording))
		message_print_about(j->recording.path, "cannot be removed: %s", strerror(errno));
}

static int record_program(struct record_job *j)
{
	j->epoch_ns = clock_read_ns(CLOCK_REALTIME);
	int status = start_clock(j);
	if (status == EXIT_OK && !variables_fit(j))
		status = EXIT_NOT_RECORDED;
	if (status == EXIT_OK)
		status = choose_name(j);
	if (status == EXIT_OK)
		status = begin_disks(j);
	if (status == EXIT_OK)
		status = open_output(j);
	if (status == EXIT_OK)
		status = receive_signals(j);
	if (status == EXIT_OK)
		status = run(j);
	keep_disk_error(j, block_trace_end(&j->disks));
	forward_end(j->signals);
	status = j->writer != NULL ? close_output(j, status) : status;
	if (status == EXIT_OK)
		status = tie_to_disks(j);
	if ((status == EXIT_CANNOT_RUN || status == EXIT_NOT_FOUND) && j->totals.processes == 0)
		remove_output(j);
	end_recording(j, status);
	return status;
}

/* A program that is added to the recording of another iotrace record */

static void wait_for_program(struct record_job *j)
{
	struct pollfd polled[] = {
	    {.fd = (int)syscall(SYS_pidfd_open, j->launch.pid, 0), .events = POLLIN},
	    {.fd = j->signals, .events = POLLIN}};
	while (!j->launch.reaped) {
		(void)poll(polled, 2, polled[0].fd >= 0 ? -1 : 50);
		pass_signals(j);
		launch_reap(&j->launch, false);
	}
	if (polled[0].fd >= 0)
		(void)close(polled[0].fd);
}

static int add_program(struct record_job *j)
{
	if (receive_signals(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	if (!find_library(j, j->recording.control->seen))
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
		return failed("--join", why);
	return errnum != 0 ? report_exec(j, errnum) : EXIT_OK;
}

/* Report */

static const char *with_commas(uint64_t n, char text[32])
{
	char digits[24];
	const int size = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *p = text;
	for (int i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return text;
}

static void report_check(const struct ring_events_totals *t)
{
	static const char *const directions[] = {"read", "written"};
	message_print("check: %" PRIu64 " of %" PRIu64
		      " processes differ from the kernel's counters",
		      t->differing, t->compared);
	if (t->of_libc > 0)
		message_print("check: %" PRIu64 " of %" PRIu64
			      " processes lack only what libc itself read (locales, users, "
			      "libraries): %" PRIu64 " bytes",
			      t->of_libc, t->compared, t->libc_bytes);
	for (int i = 0; i < 2; i++)
		message_print("check: bytes %s: the kernel counted %" PRIu64
			      ", the trace has %" PRIu64,
			      directions[i], t->kernel[i], t->traced[i]);
}

static void report_unseen(const struct unseen *u)
{
	char sentence[UNSEEN_TEXT], text[4 * UNSEEN_TEXT];
	if (!unseen_any(u))
		return;
	(void)unseen_sentence(u, sentence);
	message_print("warning: not seen: %s; %s",
		      printable(text, sizeof(text), sentence, strlen(sentence)), unseen_remedy(u));
}

/* The names of the trace: its file, or its first and last part. */
static void report_total(const struct record_job *j)
{
	const struct ring_events_totals *t = &j->totals;
	char records[32], processes[32];
	const bool has_parts = *j->first != '\0' && strcmp(j->first, j->name) != 0;
	message_print("%s I/Os of %s %s in %s%s%s", with_commas(t->records, records),
		      with_commas(t->processes, processes),
		      t->processes == 1 ? "process" : "processes", has_parts ? j->first : "",
		      has_parts ? " to " : "",
		      strcmp(j->name, "-") == 0 ? "standard output" : j->name);
}

static void report(const struct record_job *j)
{
	const struct ring_events_totals *t = &j->totals;
	if (j->check)
		report_check(t);
	if (j->quiet)
		return;
	if (isatty(STDERR_FILENO))
		report_total(j);
	report_unseen(&t->unseen);
	if (t->lost > 0)
		message_print("warning: %" PRIu64 " I/Os are missing", t->lost);
	if (t->killed > 0)
		message_print("%" PRIu64 " %s in progress when a process was killed", t->killed,
			      t->killed == 1 ? "call was" : "calls were");
	if (j->late > 0)
		message_print("warning: %" PRIu64 " records are not in order of start; see iotrace "
			      "reorder",
			      j->late);
	if (t->damaged > 0)
		message_print("warning: programs damaged %" PRIu64 " places of their records",
			      t->damaged);
	if (t->unmapped > 0)
		message_print("warning: %" PRIu64
			      " %s no %%extent: removed, not readable, or not on "
			      "a disk",
			      t->unmapped, t->unmapped == 1 ? "file has" : "files have");
	if (j->interrupted)
		message_print("warning: interrupted while traced processes were running");
}

/* Resume */

/* Finds the texts in the spool. Stores the arguments of the interrupted command in j->arguments. */
static int read_begin(struct record_job *j)
{
	const char *texts;
	if (!spool_open(&j->spool, j->recording.fd) ||
	    !spool_read_begin(&j->spool, &j->begin, &texts)) {
		message_print_about(j->resume, "the spool has no valid beginning");
		return EXIT_NOT_RECORDED;
	}
	j->texts = malloc(j->begin.text_size);
	j->arguments = calloc((size_t)j->begin.arguments + 1, sizeof(*j->arguments));
	if (j->texts == NULL || j->arguments == NULL)
		return failed("--resume", ENOMEM);
	memcpy(j->texts, texts, j->begin.text_size);
	char *text = j->texts + strlen(j->texts) + 1;
	for (uint32_t i = 0; i < j->begin.arguments; i++)
		j->arguments[i] = text += strlen(text) + 1;
	return EXIT_OK;
}

static int open_recording(struct record_job *j)
{
	const char *const why = recording_resume(&j->recording, j->resume);
	if (why == NULL)
		return read_begin(j);
	message_print_about(j->resume, "%s", why);
	return EXIT_NOT_RECORDED;
}

/* Starts the trace again, with the same %trace directive. */
static int open_again(struct record_job *j)
{
	const char *const directive = j->texts + strlen(j->texts) + 1;
	const struct iot_event ev = {.kind = IOT_DIRECTIVE, .text = {directive, strlen(directive)}};
	(void)snprintf(j->name, sizeof(j->name), "%s", j->out != NULL ? j->out : j->texts);
	j->out = j->name;
	if (open_writer(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	if (iot_writer_events(j->writer, &ev, 1) == IOT_OK)
		return EXIT_OK;
	message_print("%s", iot_writer_error(j->writer));
	return EXIT_NOT_RECORDED;
}

static int collect_resumed(struct record_job *j)
{
	j->clock =
	    (struct clock_map){.clock = j->begin.clock, .count = 1, .sample = {j->begin.sample[0]}};
	if (j->begin.samples > 1)
		clock_map_add(&j->clock, j->begin.sample[1]);
	j->launch.reaped = true;
	j->collector.spool = &j->spool;
	j->collector.begin = &j->begin;
	struct collector *c = collector_new(&j->recording, j->writer, &j->clock, &j->collector);
	if (c == NULL)
		return failed("no collector", ENOMEM);
	raise_limit();
	const int status =
	    collector_resume(c, j->begin.began) == IOT_OK ? collect(j, c) : report_failure(j, c);
	collector_free(c);
	return status;
}

static int resume(struct record_job *j)
{
	int status = receive_signals(j);
	if (status == EXIT_OK)
		status = open_again(j);
	if (status == EXIT_OK)
		status = collect_resumed(j);
	forward_end(j->signals);
	status = j->writer != NULL ? close_output(j, status) : status;
	end_recording(j, status);
	if (status == EXIT_OK)
		report(j);
	iot_writer_free(j->writer);
	return status;
}

/* Applies the options of the interrupted command, except --output and --quiet. */
static int resume_command(struct record_job *j, size_t operands)
{
	const char *const out = j->out;
	const bool quiet = j->quiet;
	enum exit_status parsed = EXIT_OK;
	if (operands > 0) {
		options_wrong(j->command, "--resume runs no program");
		return EXIT_NOT_RECORDED;
	}
	free(j->arguments);
	j->arguments = NULL;
	int status = open_recording(j);
	if (status == EXIT_OK &&
	    !options_parse(j->command, (int)j->begin.arguments, j->arguments, &operands, &parsed))
		status = EXIT_NOT_RECORDED;
	j->out = out;
	j->quiet = j->quiet || quiet;
	j->collector.events.data_only = j->ops == 0;
	j->collector.events.no_follow = j->no_follow;
	j->collector.events.extents |= j->blktrace != NULL;
	j->collector.per_thread |= j->blktrace != NULL;
	if (status == EXIT_OK)
		return resume(j);
	spool_close(&j->spool);
	recording_close(&j->recording);
	return status;
}

/* Options */

/* Parsing changes the array. Returns NULL if out of memory. */
static char **copy_arguments(int argc, char **argv)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	if (copy != NULL)
		memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	return copy;
}

static bool check(struct record_job *j, size_t count)
{
	if (j->pid != NULL)
		options_wrong(j->command, "a running program cannot be traced; use 'strace -p', "
					  "and 'iotrace convert' for its log");
	else if (count == 0)
		options_wrong(j->command, "name the program");
	else if (j->convert == CONVERT_AFTER && (sends(j) || rotation_wanted(&j->rotation)))
		options_wrong(j->command, "--convert=after excludes --transport=pipe and --rotate");
	else if (j->check && j->stdio != RECORD_STDIO_TRANSFERS)
		options_wrong(j->command, "--check needs --stdio=transfers");
	else if (sends(j) && j->check)
		options_wrong(j->command, "--transport=pipe and --check exclude each other: the "
					  "kernel counts the packets, too");
	else if (sends(j) && j->collector.events.extents)
		options_wrong(j->command, "--transport=pipe and --extents exclude each other: "
					  "packets do not identify files");
	else if (sends(j) && j->clock_choice == CLOCK_TSC_ONLY)
		options_wrong(j->command, "--transport=pipe and --clock=tsc exclude each other: "
					  "packets have times in nanoseconds");
	else if (sends(j) && j->collector.per_thread)
		options_wrong(j->command, "--transport=pipe and --per-thread exclude each other: "
					  "packets have no thread");
	else if (j->seen == RECORD_SYSCALLS && sends(j))
		options_wrong(j->command, "--transport=pipe needs --seen=calls");
	else if (j->seen == RECORD_SYSCALLS && j->stdio != RECORD_STDIO_TRANSFERS)
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
		 (j->join_name != NULL || rotation_wanted(&j->rotation) || sends(j)))
		options_wrong(j->command,
			      "--blktrace excludes --join, --rotate and --transport=pipe");
	else if (j->blktrace != NULL && j->out != NULL &&
		 (j->out[0] == '|' || strcmp(j->out, "-") == 0))
		options_wrong(j->command, "--blktrace needs a file name with -o");
	else if (j->join_name != NULL && j->no_follow)
		options_wrong(j->command, "--join and --no-follow exclude each other");
	else
		return true;
	return false;
}

static int record(struct record_job *j)
{
	if (j->convert == CONVERT_AUTO && (sends(j) || rotation_wanted(&j->rotation)))
		j->convert = CONVERT_WHILE;
	if (j->seen == SEEN_AUTO && (sends(j) || j->stdio != RECORD_STDIO_TRANSFERS))
		j->seen = RECORD_CALLS;
	if (!find_library(j, j->seen))
		return EXIT_NOT_RECORDED;
	char path[PATH_MAX];
	if (j->join_name != NULL && !join_open(&j->join, j->join_name, path)) {
		message_print_about(j->join.path, "cannot be used: %s", strerror(errno));
		return EXIT_NOT_RECORDED;
	}
	const bool joins = j->join_name != NULL && recording_find(&j->recording, path);
	int status = EXIT_NOT_RECORDED;
	if (!launch_start(&j->launch, j->argv)) /* later than the collector */
		(void)failed("no process for the program", errno);
	else
		status = joins ? add_program(j) : record_program(j);
	join_close(&j->join, !joins);
	if (status == EXIT_OK || j->launch.release < 0)
		launch_reap(&j->launch, true);
	else
		launch_cancel(&j->launch);
	if (status == EXIT_OK && !joins)
		report(j);
	iot_writer_free(j->writer);
	return status == EXIT_OK ? launch_status(&j->launch) : status;
}

static int parse_and_run(struct record_job *j, int argc, char **argv)
{
	size_t count;
	enum exit_status status;
	if (!options_parse(j->command, argc, argv, &count, &status))
		return status == EXIT_OK ? EXIT_OK : EXIT_NOT_RECORDED;
	if (j->resume != NULL)
		return resume_command(j, count);
	if (!check(j, count))
		return EXIT_NOT_RECORDED;
	argv[count] = NULL;
	j->argv = argv;
	j->collector.events.data_only = j->ops == 0;
	j->collector.events.no_follow = j->no_follow;
	j->collector.events.extents |= j->blktrace != NULL;
	j->collector.per_thread |= j->blktrace != NULL;
	return record(j);
}

enum exit_status cmd_record(int argc, char **argv)
{
	struct record_job j = {
	    .signals = -1,
	    .launch = {.release = -1, .failure = -1},
	    .recording = {.fd = -1, .pipe = -1},
	    .join = {.fd = -1},
	    .ops = 1,
	    .spool = {.fd = -1},
	    .disks = BLOCK_TRACE_INIT,
	    .spool_limit = SPOOL,
	    .collector = {.memory = MEMORY},
	};
	struct ring_events_options *events = &j.collector.events;
	const struct option options[] = {
	    OPTION(STRING, 'o', "output", "OUT", &j.out,
		   "write the trace to OUT (default: PROGRAM.PID.iot.zst); .gz and .zst compress"),
	    OPTION(FLAG, 'f', "follow", NULL, &j.follow, "trace child processes, too (default)"),
	    OPTION(FLAG, 0, "no-follow", NULL, &j.no_follow, "trace only PROGRAM's own process"),
	    OPTION(FLAG, 0, "per-thread", NULL, &j.collector.per_thread,
		   "make each thread a process of the trace, with thread-of"),
	    CALL("path", "GLOB", &events->paths, "trace only files whose path matches",
		 glob_list_take),
	    CALL("skip-path", "GLOB", &events->skipped,
		 "do not trace files whose path matches (/dev, /proc and /sys are skipped unless "
		 "--path is given)",
		 glob_list_take),
	    OPTION(CHOICE, 0, "ops", "data|all", &j.ops,
		   "data: opens, closes and transfers; all: other operations, too (default)"),
	    OPTION(CHOICE, 0, "stdio", "transfers|calls|off", &j.stdio,
		   "of streams, record the transfers of their buffers, or the calls of the "
		   "program, or only count (default: transfers)"),
	    OPTION(
		CHOICE, 0, "seen", "calls|syscalls|auto", &j.seen,
		"see the calls of libc's functions, or the system calls in libc, also those that "
		"it makes by itself; auto: these, where it can (default: calls)"),
	    OPTION(CHOICE, 0, "cpu", "sampled|exact|none", &j.cpu,
		   "read the CPU time once per ms, at each I/O, or never (default: sampled)"),
	    OPTION(CHOICE, 0, "clock", "auto|tsc|monotonic", &j.clock_choice,
		   "take times from the processor's time stamp counter, or from CLOCK_MONOTONIC "
		   "(default: from the counter where the kernel uses it, too)"),
	    OPTION(CHOICE, 0, "full", "block|drop", &j.full,
		   "if PROGRAM is faster than the trace can be written, it waits, or records are "
		   "dropped and counted (default: block)"),
	    OPTION(CHOICE, 0, "transport", "ring|pipe", &j.transport,
		   "records come through shared memory, or as packets of procstat through a pipe "
		   "(default: ring)"),
	    OPTION(CHOICE, 0, "convert", "while|after|auto", &j.convert,
		   "write the trace while PROGRAM runs (default), or gather it in shared memory "
		   "first, and write it when PROGRAM has ended; auto: gather, where it can"),
	    RANGE(SIZE, 0, "spool", "SIZE", &j.spool_limit,
		  "gather at most SIZE with --convert=after and auto, then write (default: 256M)",
		  65536, UINT64_MAX),
	    OPTION(STRING, 0, "resume", "DIR", &j.resume,
		   "make the trace of a record that was killed, from what it gathered in DIR; no "
		   "PROGRAM"),
	    OPTION(STRING, 0, "join", "NAME", &j.join_name,
		   "add PROGRAM to the trace of the record process of this host that was started "
		   "first with NAME"),
	    CALL("rotate", "SIZE|TIME", &j.rotation,
		 "write the trace in parts OUT.0001.iot.zst, OUT.0002.iot.zst, ... of about SIZE, "
		 "or of TIME, which iotrace merge joins",
		 rotation_parse),
	    RANGE(NUMBER, 0, "keep-parts", "N", &j.rotation.keep,
		  "with --rotate, remove all parts but the N newest", 1, UINT64_MAX),
	    CALL("env", "NAME", &j.variables, "store this environment variable in the trace",
		 take_variable),
	    OPTION(
		STRING, 0, "blktrace", "FILE", &j.blktrace,
		"also trace the disks into FILE, and tie each disk I/O to the call of PROGRAM that "
		"caused it; implies --extents and --per-thread"),
	    OPTION(FLAG, 0, "extents", NULL, &events->extents,
		   "add the disk addresses of files, by which iotrace merge ties disk I/Os"),
	    OPTION(FLAG, 0, "check", NULL, &j.check,
		   "report the bytes that the kernel counted and those in the trace"),
	    OPTION(FLAG, 'q', "quiet", NULL, &j.quiet, "no report, no warnings"),
	    OPTION(STRING, 'p', "pid", "PID", &j.pid, NULL),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "record",
	    .summary = "Run a program and trace its I/O",
	    .synopsis = "[OPTION]... [--] PROGRAM [ARG]...",
	    .options = options,
	    .notes = "OUT may be \"-\", standard output, or \"|COMMAND\"; %p in it is the process "
		     "id, %h the\nhost, %r the MPI rank, %j the batch job, %% a percent sign. The "
		     "exit status is that of\nPROGRAM, or 128 + the signal that killed it; 125: "
		     "record failed; 126: PROGRAM cannot be\nexecuted; 127: it was not found.\n",
	    .examples = "  iotrace record -o app.iot.zst ./app\n"
			"  iotrace record --path='/data/*' -- ./app -v input\n"
			"  mpirun -n 64 iotrace record -o 'job.%j.%r.iot.zst' ./app\n"
			"  mpirun -n 64 iotrace record --join=app -o 'job.%h.iot.zst' ./app\n",
	    .runs_program = true,
	};
	j.command = &command;
	j.arguments = copy_arguments(argc, argv);
	const int status = parse_and_run(&j, argc, argv);
	free(j.texts);
	free(j.arguments);
	return (enum exit_status)status;
}
