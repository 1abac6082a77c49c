/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iotrace procstat: collects packets of traced programs from their shared pipes into a file. The
 * file is a log: it has its final name from the start and keeps its contents if the collector is
 * killed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iotrace/packets.h>

#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/ui/message.h"
#include "cli/ui/options.h"
#include "cli/ui/rotation.h"
#include "lib/base/clock.h"
#include "lib/base/plural.h"

struct procstat_job {
	const char *out, *out_name;
	struct rotation rotation;
	char part[PATH_MAX]; /* name of the current part with --rotate */
	bool keep, quiet;
	const struct command_spec *command;
	struct iot_collector *collector;
};

static uint64_t fact(const struct procstat_job *j, enum iot_collector_fact which)
{
	return iot_collector_fact(j->collector, which);
}

static enum exit_status fault(const struct procstat_job *j)
{
	message_print("%s", iot_collector_error(j->collector));
	return EXIT_FAILED;
}

/* The parts are pieces of one log: each begins with a packet, and cat(1) joins them. */
static int rotate(void *context, struct iot_collector *c, uint64_t bytes)
{
	struct procstat_job *j = context;
	const uint64_t now = clock_monotonic_ns();
	if (bytes == 0 || !rotation_is_due(&j->rotation, bytes, now))
		return IOT_OK;
	const int errnum = rotation_next(&j->rotation, now, j->part);
	if (errnum == 0)
		return iot_collector_reopen(c, j->part);
	message_print_about(j->out, "the next part cannot be opened: %s", strerror(errnum));
	return IOT_EIO;
}

static enum exit_status open_first_part(struct procstat_job *j)
{
	(void)snprintf(j->rotation.path, sizeof(j->rotation.path), "%s", j->out);
	const int errnum = rotation_resume(&j->rotation, clock_monotonic_ns(), j->part);
	if (errnum != 0) {
		message_print_about(j->out, "a part cannot be opened: %s", strerror(errnum));
		return EXIT_FAILED;
	}
	j->out = j->part;
	iot_collector_before_write(j->collector, rotate, j);
	return EXIT_OK;
}

static enum exit_status open_output(struct procstat_job *j)
{
	const bool standard = strcmp(j->out, "-") == 0;
	if (rotation_wanted(&j->rotation) && open_first_part(j) != EXIT_OK)
		return EXIT_FAILED;
	if (standard && isatty(STDOUT_FILENO))
		return options_wrong(j->command,
				     "standard output is a terminal; name a file with -o");
	j->out_name = standard ? "standard output" : j->out;
	const int status = standard
			       ? iot_collector_open_fd(j->collector, STDOUT_FILENO, j->out_name)
			       : iot_collector_open(j->collector, j->out);
	if (status == IOT_OK && fact(j, IOT_COLLECTED_APPENDS) != 0 && !j->quiet)
		message_print_about(j->out_name, "already exists; new packets are appended");
	return status == IOT_OK ? EXIT_OK : fault(j);
}

static void report(const struct procstat_job *j)
{
	const uint64_t lost = fact(j, IOT_COLLECTED_LOST), earlier = fact(j, IOT_COLLECTED_EARLIER),
		       damaged = fact(j, IOT_COLLECTED_DAMAGED),
		       duplicates = fact(j, IOT_COLLECTED_DUPLICATES);
	message_print_about(j->out_name,
			    "%" PRIu64 " packets with %" PRIu64 " records of %" PRIu64
			    " processes, %" PRIu64 " bytes",
			    fact(j, IOT_COLLECTED_PACKETS), fact(j, IOT_COLLECTED_RECORDS),
			    fact(j, IOT_COLLECTED_PROCESSES), fact(j, IOT_COLLECTED_BYTES));
	if (lost > 0)
		message_print("warning: %" PRIu64 " %s missing", lost,
			      plural(lost, "packet is", "packets are"));
	if (earlier > 0)
		message_print("%" PRIu64 " %s sent before this collector began", earlier,
			      plural(earlier, "packet was", "packets were"));
	if (damaged > 0)
		message_print("warning: %" PRIu64 " %s", damaged,
			      plural(damaged, "byte is damaged, or not a packet",
				     "bytes are damaged, or not packets"));
	if (duplicates > 0)
		message_print("warning: %" PRIu64 " %s twice", duplicates,
			      plural(duplicates, "packet came", "packets came"));
}

static int add(const struct procstat_job *j, const char *path)
{
	if (strcmp(path, "-") == 0)
		return iot_collector_add_fd(j->collector, STDIN_FILENO, "standard input");
	return iot_collector_add(j->collector, path, j->keep);
}

/* The file was created for packets that did not come. */
static void remove_output(const struct procstat_job *j)
{
	struct stat st;
	if (strcmp(j->out, "-") != 0 && lstat(j->out, &st) == 0 && S_ISREG(st.st_mode))
		(void)unlink(j->out);
}

static enum exit_status collect(struct procstat_job *j, char **paths, size_t count)
{
	sigset_t blocked, waiting;
	int status = IOT_OK;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGHUP);
	signals_catch(SIGNALS_COLLECT, "-", j->quiet); /* keeps the contents of OUT */
	(void)sigprocmask(SIG_BLOCK, &blocked, &waiting);
	for (size_t i = 0; i < count && status == IOT_OK; i++)
		status = add(j, paths[i]);
	if (status == IOT_OK)
		(void)iot_collector_run(j->collector, &signals_interrupt()->request, &waiting);
	status = iot_collector_close(j->collector);
	(void)sigprocmask(SIG_SETMASK, &waiting, NULL);
	signals_restore();
	const bool any = fact(j, IOT_COLLECTED_BYTES) > 0;
	if (!j->quiet && (status == IOT_OK || any))
		report(j);
	if (status != IOT_OK && !any && fact(j, IOT_COLLECTED_APPENDS) == 0)
		remove_output(j);
	return status == IOT_OK ? EXIT_OK : fault(j);
}

static enum exit_status check(const struct procstat_job *j, char **paths, size_t count)
{
	if (rotation_wanted(&j->rotation) && strcmp(j->out, "-") == 0)
		return options_wrong(j->command, "--rotate needs a file name with -o");
	if (count > IOT_COLLECTOR_PIPES_MAX)
		return options_wrong(j->command, "more than %d pipes", IOT_COLLECTOR_PIPES_MAX);
	struct same_file_set files = {.command = j->command};
	for (size_t i = 0; i < count; i++) {
		if (strcmp(paths[i], "-") == 0 && isatty(STDIN_FILENO))
			return options_wrong(j->command,
					     "standard input is a terminal; name a FIFO");
	}
	same_file_add(&files, ROLE_EXPORT, j->out);
	for (size_t i = 0; i < count; i++)
		same_file_add(&files, ROLE_INPUT, paths[i]);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}

enum exit_status cmd_procstat(int argc, char **argv)
{
	struct procstat_job j = {.out = "-"};
	const struct option options[] = {
	    OPTION(STRING, 'o', "output", "OUT", &j.out,
		   "append to OUT (default: standard output)"),
	    CALL("rotate", "SIZE|TIME", &j.rotation,
		 "append to parts OUT.0001, OUT.0002, ... of about SIZE, or of TIME",
		 rotation_parse),
	    OPTION(FLAG, 'k', "keep", NULL, &j.keep,
		   "go on when all writers of a FIFO have gone, until a signal ends it"),
	    OPTION(FLAG, 'q', "quiet", NULL, &j.quiet, "no warnings, no report"),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "procstat",
	    .summary = "Gather the packets that traced programs send",
	    .synopsis = "[OPTION]... [-o OUT] FIFO...",
	    .options = options,
	    .notes =
		"FIFO may be \"-\", standard input. OUT grows as packets arrive and keeps them if\n"
		"this is killed; the end is when all writers have gone, or SIGINT, SIGTERM.\n",
	    .examples = "  mkfifo fifo; iotrace procstat -o packets.bin fifo &\n"
			"  iotrace convert -o app.iot.zst packets.bin\n"
			"  iotrace procstat fifo | iotrace convert -o app.iot.zst -\n",
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	j.command = &command;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	status = check(&j, argv, count);
	if (status != EXIT_OK)
		return status;
	j.collector = iot_collector_new();
	if (j.collector == NULL)
		return message_no_memory();
	status = open_output(&j);
	if (status == EXIT_OK)
		status = collect(&j, argv, count);
	iot_collector_free(j.collector);
	return status;
}
