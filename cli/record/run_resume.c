/* SPDX-License-Identifier: BSD-2-Clause */
/* --resume: completes the trace of a record that was killed. */
#include "run_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/message.h"
#include "cli/ui/options.h"
#include "forward.h"

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
		return run_failed("--resume", ENOMEM);
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
	if (run_open_writer(j) != EXIT_OK)
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
		return run_failed("no collector", ENOMEM);
	run_raise_limits();
	const int status = collector_resume(c, j->begin.began) == IOT_OK ? run_collect(j, c)
									 : run_report_failure(j, c);
	collector_free(c);
	return status;
}

static int resume(struct record_job *j)
{
	int status = run_receive_signals(j);
	if (status == EXIT_OK)
		status = open_again(j);
	if (status == EXIT_OK)
		status = collect_resumed(j);
	forward_end(j->signals);
	status = j->writer != NULL ? run_close_output(j, status) : status;
	run_end_recording(j, status);
	if (status == EXIT_OK)
		run_report(j);
	iot_writer_free(j->writer);
	return status;
}

/* Applies the options of the interrupted command, except --output and --quiet. */
int run_resume(struct record_job *j, size_t operands)
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
	run_settle(j);
	if (status == EXIT_OK)
		return resume(j);
	spool_close(&j->spool);
	recording_close(&j->recording);
	return status;
}
