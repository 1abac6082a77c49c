/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iotrace procstat: packets of traced programs, out of the pipes that they share, into a file. The
 * file is a log: it has its name from the beginning and keeps what it has when the collector is
 * killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/fdio.h"

#include "cli/packets/collector.h"
#include "cli/ui/output.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"

struct job {
	const char *out;
	bool keep, quiet;
	const struct iot_command *command;
	struct iot_collector *collector;
	char out_name[512];
};

static const char *shown(char *text, size_t room, const char *path)
{
	return iot_escape(text, room, path, strlen(path));
}

static int fault(const struct iot_error *e)
{
	iot_message("%s", e->text);
	return IOT_EXIT_FAULT;
}

/* Output */

/* Behind what is there already, if that are packets. */
static int look_at_output(struct job *j, int fd)
{
	struct iot_error *e = &j->collector->error;
	unsigned char head[IOT_WORD], magic[IOT_WORD];
	struct stat st;
	if (fstat(fd, &st) != 0)
		return iot_error_system(e, errno, "%s: cannot be written", j->out_name);
	if (!S_ISREG(st.st_mode))
		return IOT_OK;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return iot_error_set(e, IOT_EIO, "%s: another collector writes to it", j->out_name);
	j->collector->appends = st.st_size > 0;
	if (st.st_size == 0)
		return IOT_OK;
	iot_word_put(magic, IOT_PACKET_MAGIC);
	if (iot_file_read(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head, magic, sizeof(head)) != 0)
		return iot_error_set(e, IOT_EFORMAT,
				     "%s: not a file of packets; nothing is appended to it",
				     j->out_name);
	if (!j->quiet)
		iot_message("%s: is there already; more packets are appended", j->out_name);
	return IOT_OK;
}

static int open_output(struct job *j)
{
	struct iot_collector *c = j->collector;
	c->out_name = shown(j->out_name, sizeof(j->out_name), j->out);
	if (strcmp(j->out, "-") == 0) {
		if (isatty(STDOUT_FILENO))
			return iot_opts_wrong(j->command,
					      "standard output is a terminal; name a file with -o");
		c->out = STDOUT_FILENO;
		c->out_name = "standard output";
		return IOT_OPTS_GO_ON;
	}
	c->out = open(j->out, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (c->out < 0) {
		iot_error_system(&c->error, errno, "%s: cannot be opened", c->out_name);
		return fault(&c->error);
	}
	return look_at_output(j, c->out) == IOT_OK ? IOT_OPTS_GO_ON : fault(&c->error);
}

/* On disk, as far as there is one behind it. */
static bool close_output(struct iot_collector *c)
{
	bool ok = fsync(c->out) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
	if (c->out != STDOUT_FILENO && close(c->out) != 0)
		ok = false;
	if (!ok)
		iot_error_system(&c->error, errno, "%s: cannot be written", c->out_name);
	return ok;
}

/* Input */

/*
 * A FIFO is opened without waiting for a writer; until the first one has come, there is nothing to
 * read and no end. To keep it open when its writers have gone, this is a writer itself.
 */
static int open_pipe(struct job *j, const char *path)
{
	struct stat st;
	int how = O_RDONLY;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode) && j->keep)
		how = O_RDWR;
	return open(path, how | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

static bool add_pipe(struct job *j, const char *path)
{
	struct iot_collector *c = j->collector;
	char name[512];
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open_pipe(j, path);
	if (fd >= 0)
		return iot_collector_add(c, fd, standard ? "standard input" : path);
	iot_error_system(&c->error, errno, "%s: cannot be opened", shown(name, sizeof(name), path));
	return false;
}

/* The end */

static void report(const struct job *j)
{
	const struct iot_collector *c = j->collector;
	const struct iot_ledger *l = &c->ledger;
	if (j->quiet)
		return;
	iot_message("%s: %" PRIu64 " packets with %" PRIu64 " records of %" PRIu64
		    " processes, %" PRIu64 " bytes",
		    c->out_name, l->packets, c->records, l->processes, c->bytes);
	if (l->lost > c->before)
		iot_message("warning: %" PRIu64 " packets are missing", l->lost - c->before);
	if (c->before > 0)
		iot_message("%" PRIu64 " packets were sent before this collector began", c->before);
	if (c->damaged > 0)
		iot_message("warning: %" PRIu64 " bytes are damaged, or no packets", c->damaged);
	if (l->duplicates > 0)
		iot_message("warning: %" PRIu64 " packets came twice", l->duplicates);
}

static int collect(struct job *j, char **paths, size_t count)
{
	struct iot_collector *c = j->collector;
	sigset_t blocked, waiting;
	bool ok = true;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGHUP);
	iot_signals_catch(IOT_SIGNALS_COLLECT, "-", j->quiet); /* what OUT has stays */
	(void)sigprocmask(SIG_BLOCK, &blocked, &waiting);
	for (size_t i = 0; i < count && ok; i++)
		ok = add_pipe(j, paths[i]);
	ok = ok && iot_collector_run(c, &waiting);
	ok = close_output(c) && ok;
	(void)sigprocmask(SIG_SETMASK, &waiting, NULL);
	iot_signals_restore();
	if (ok || c->bytes > 0)
		report(j);
	return ok ? IOT_EXIT_OK : fault(&c->error);
}

static int check(const struct job *j, char **paths, size_t count)
{
	if (count > IOT_PIPES_MAX)
		return iot_opts_wrong(j->command, "more than %d pipes", IOT_PIPES_MAX);
	struct iot_files files = {.command = j->command};
	for (size_t i = 0; i < count; i++) {
		if (strcmp(paths[i], "-") == 0 && isatty(STDIN_FILENO))
			return iot_opts_wrong(j->command,
					      "standard input is a terminal; name a FIFO");
	}
	iot_files_add(&files, IOT_ROLE_OUTPUT, j->out);
	for (size_t i = 0; i < count; i++)
		iot_files_add(&files, IOT_ROLE_INPUT, paths[i]);
	const int status = iot_files_check(&files);
	iot_files_free(&files);
	return status;
}

int iot_cmd_procstat(int argc, char **argv)
{
	struct job j = {.out = "-"};
	const struct iot_opt options[] = {
	    IOT_OPTION(STRING, 'o', "output", "OUT", &j.out,
		       "append to OUT (default: standard output)"),
	    IOT_OPTION(FLAG, 'k', "keep", NULL, &j.keep,
		       "go on when all writers of a FIFO have gone, until a signal ends it"),
	    IOT_OPTION(FLAG, 'q', "quiet", NULL, &j.quiet, "no warnings, no report"),
	    IOT_OPTIONS_END,
	};
	const struct iot_command command = {
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
	j.command = &command;
	int status = iot_opts_parse(&command, argc, argv, &count);
	if (status == IOT_OPTS_GO_ON)
		status = check(&j, argv, count);
	if (status != IOT_OPTS_GO_ON)
		return status;
	j.collector = calloc(1, sizeof(*j.collector));
	if (j.collector == NULL)
		return iot_no_memory();
	iot_collector_init(j.collector);
	j.collector->stop = &iot_signal_stop()->asked;
	status = open_output(&j);
	if (status == IOT_OPTS_GO_ON)
		status = collect(&j, argv, count);
	iot_collector_free(j.collector);
	free(j.collector);
	return status;
}
