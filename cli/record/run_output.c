/* SPDX-License-Identifier: BSD-2-Clause */
/* The output: a file, the parts of --rotate, or a command. */
#include "run_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "cli/ui/output.h"
#include "cli/ui/signals.h"
#include "lib/base/clock.h"
#include "live_trace.h"
#include "output_name.h"

bool run_has_file(const struct record_job *j)
{
	return j->name[0] != '|' && strcmp(j->name, "-") != 0;
}

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
		return run_failed("no pipe to the command of -o", errno);
	j->consumer = fork();
	if (j->consumer == 0)
		run_consumer(j->name + 1, ends[0]);
	(void)close(ends[0]);
	j->consumer_fd = ends[1];
	if (j->consumer < 0)
		return run_failed("the command of -o cannot be run", errno);
	return iot_writer_open_fd(j->writer, ends[1], j->name + 1) == IOT_OK ? EXIT_OK
									     : EXIT_NOT_RECORDED;
}

int run_open_writer(struct record_job *j)
{
	struct iot_writer *w = j->writer = iot_writer_new();
	const bool is_new = j->out == NULL || rotation_wanted(&j->rotation);
	if (w == NULL)
		return run_failed("no writer", ENOMEM);
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

int run_name_part(struct record_job *j)
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
	if (run_name_part(j) != EXIT_OK)
		return EXIT_NOT_RECORDED;
	(void)snprintf(j->first, sizeof(j->first), "%s", j->name);
	return run_open_writer(j);
}

int run_choose_name(struct record_job *j)
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

/* An older file with the name of the output remains until the program runs. */
static bool is_over_older(const struct record_job *j)
{
	struct stat st;
	return j->out != NULL && run_has_file(j) && stat(j->name, &st) == 0 && S_ISREG(st.st_mode);
}

static int check_older(const struct record_job *j)
{
	const int fd = open(j->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		return close(fd) == 0 ? EXIT_OK : EXIT_NOT_RECORDED;
	message_print_about(j->name, "cannot be opened: %s", strerror(errno));
	return EXIT_NOT_RECORDED;
}

int run_open_output(struct record_job *j)
{
	if (rotation_wanted(&j->rotation))
		return open_first_part(j);
	return is_over_older(j) ? check_older(j) : run_open_writer(j);
}

int run_open_over_older(struct record_job *j)
{
	return j->writer == NULL ? run_open_writer(j) : EXIT_OK;
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

int run_close_output(struct record_job *j, int status)
{
	if (status == EXIT_OK && iot_writer_close(j->writer) != IOT_OK) {
		message_print("%s", iot_writer_error(j->writer));
		status = EXIT_NOT_RECORDED;
	}
	const int consumed = close_consumer(j);
	return status == EXIT_OK ? consumed : status;
}

void run_remove_file(const char *path)
{
	struct stat st;
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		(void)unlink(path);
}

void run_remove_output(const struct record_job *j)
{
	if (run_has_file(j) && j->writer != NULL)
		run_remove_file(j->name);
}
