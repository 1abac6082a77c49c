/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iotrace procstat: collects packets of traced programs from their shared pipes into a file. The
 * file is a log: it has its final name from the start and keeps its contents if the collector is
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

struct procstat_job {
	const char *out;
	bool keep, quiet;
	const struct command_spec *command;
	struct collector *collector;
	char out_name[512];
};

static const char *shown(char *text, size_t capacity, const char *path)
{
	return escape_text(text, capacity, path, strlen(path));
}

static int fault(const struct error *e)
{
	print_message("%s", e->text);
	return EXIT_FAULT;
}

/* Output */

/* Appends to existing contents, if they are packets. */
static int look_at_output(struct procstat_job *j, int fd)
{
	struct error *e = &j->collector->error;
	unsigned char head[PACKET_WORD_SIZE], magic[PACKET_WORD_SIZE];
	struct stat st;
	if (fstat(fd, &st) != 0)
		return error_system(e, errno, "%s: cannot be written", j->out_name);
	if (!S_ISREG(st.st_mode))
		return IOT_OK;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return error_set(e, IOT_EIO, "%s: another collector writes to it", j->out_name);
	j->collector->appends = st.st_size > 0;
	if (st.st_size == 0)
		return IOT_OK;
	packet_word_put(magic, PACKET_MAGIC);
	if (fdio_read(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head, magic, sizeof(head)) != 0)
		return error_set(e, IOT_EFORMAT,
				 "%s: not a file of packets; nothing is appended to it",
				 j->out_name);
	if (!j->quiet)
		print_message("%s: already exists; new packets are appended", j->out_name);
	return IOT_OK;
}

static int open_output(struct procstat_job *j)
{
	struct collector *c = j->collector;
	c->out_name = shown(j->out_name, sizeof(j->out_name), j->out);
	if (strcmp(j->out, "-") == 0) {
		if (isatty(STDOUT_FILENO))
			return options_wrong(j->command,
					     "standard output is a terminal; name a file with -o");
		c->out = STDOUT_FILENO;
		c->out_name = "standard output";
		return EXIT_OK;
	}
	c->out = open(j->out, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (c->out < 0) {
		error_system(&c->error, errno, "%s: cannot be opened", c->out_name);
		return fault(&c->error);
	}
	return look_at_output(j, c->out) == IOT_OK ? EXIT_OK : fault(&c->error);
}

/* Synchronizes the output to the disk, if it has one. */
static bool close_output(struct collector *c)
{
	bool ok = fsync(c->out) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
	if (c->out != STDOUT_FILENO && close(c->out) != 0)
		ok = false;
	if (!ok)
		error_system(&c->error, errno, "%s: cannot be written", c->out_name);
	return ok;
}

/* Input */

/*
 * A FIFO is opened without waiting for a writer; until the first writer arrives, reading returns
 * neither data nor an end. This process opens the FIFO for writing as well, which keeps it open
 * after the writers have closed it.
 */
static int open_pipe(struct procstat_job *j, const char *path)
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

static bool add_pipe(struct procstat_job *j, const char *path)
{
	struct collector *c = j->collector;
	char name[512];
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open_pipe(j, path);
	if (fd >= 0)
		return collector_add(c, fd, standard ? "standard input" : path);
	error_system(&c->error, errno, "%s: cannot be opened", shown(name, sizeof(name), path));
	return false;
}

/* End of the run */

static void report(const struct procstat_job *j)
{
	const struct collector *c = j->collector;
	const struct sequence *l = &c->sequence;
	if (j->quiet)
		return;
	print_message("%s: %" PRIu64 " packets with %" PRIu64 " records of %" PRIu64
		      " processes, %" PRIu64 " bytes",
		      c->out_name, l->packets, c->records, l->processes, c->bytes);
	if (l->lost > c->before)
		print_message("warning: %" PRIu64 " packets are missing", l->lost - c->before);
	if (c->before > 0)
		print_message("%" PRIu64 " packets were sent before this collector began",
			      c->before);
	if (c->damaged > 0)
		print_message("warning: %" PRIu64 " bytes are damaged, or no packets", c->damaged);
	if (l->duplicates > 0)
		print_message("warning: %" PRIu64 " packets came twice", l->duplicates);
}

static int collect(struct procstat_job *j, char **paths, size_t count)
{
	struct collector *c = j->collector;
	sigset_t blocked, waiting;
	bool ok = true;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGHUP);
	signals_catch(SIGNALS_COLLECT, "-", j->quiet); /* keeps the contents of OUT */
	(void)sigprocmask(SIG_BLOCK, &blocked, &waiting);
	for (size_t i = 0; i < count && ok; i++)
		ok = add_pipe(j, paths[i]);
	ok = ok && collector_run(c, &waiting);
	ok = close_output(c) && ok;
	(void)sigprocmask(SIG_SETMASK, &waiting, NULL);
	signals_restore();
	if (ok || c->bytes > 0)
		report(j);
	return ok ? EXIT_OK : fault(&c->error);
}

static int check(const struct procstat_job *j, char **paths, size_t count)
{
	if (count > COLLECTOR_PIPES_MAX)
		return options_wrong(j->command, "more than %d pipes", COLLECTOR_PIPES_MAX);
	struct files files = {.command = j->command};
	for (size_t i = 0; i < count; i++) {
		if (strcmp(paths[i], "-") == 0 && isatty(STDIN_FILENO))
			return options_wrong(j->command,
					     "standard input is a terminal; name a FIFO");
	}
	files_add(&files, ROLE_OUTPUT, j->out);
	for (size_t i = 0; i < count; i++)
		files_add(&files, ROLE_INPUT, paths[i]);
	const int status = files_check(&files);
	files_free(&files);
	return status;
}

int cmd_procstat(int argc, char **argv)
{
	struct procstat_job j = {.out = "-"};
	const struct option options[] = {
	    OPTION(STRING, 'o', "output", "OUT", &j.out,
		   "append to OUT (default: standard output)"),
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
	j.command = &command;
	int status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	status = check(&j, argv, count);
	if (status != EXIT_OK)
		return status;
	j.collector = calloc(1, sizeof(*j.collector));
	if (j.collector == NULL)
		return out_of_memory();
	collector_init(j.collector);
	j.collector->stop = &signal_stop()->asked;
	status = open_output(&j);
	if (status == EXIT_OK)
		status = collect(&j, argv, count);
	collector_free(j.collector);
	free(j.collector);
	return status;
}
