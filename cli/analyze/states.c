/* SPDX-License-Identifier: BSD-2-Clause */
#include "states.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/trace_out.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

bool analyze_state_begins(const struct iot_event *first)
{
	return first->kind == IOT_DIRECTIVE &&
	       text_equals(iot_directive_get(first, "kind"), "header") && first->text.size > 7 &&
	       memcmp(first->text.data, "%state ", 7) == 0;
}

static uint64_t number_of(const struct iot_event *ev, const char *key)
{
	const struct iot_text text = iot_directive_get(ev, key);
	uint64_t v = 0;
	if (text.data != NULL)
		(void)number_decimal(text.data, text.size, &v);
	return v;
}

bool analyze_is_state(const char *path)
{
	struct iot_reader *r = strcmp(path, "-") != 0 ? iot_reader_new() : NULL;
	struct iot_event first;
	const bool is_state = r != NULL && iot_reader_open(r, path) == IOT_OK &&
			      iot_reader_events(r, &first, 1) == 1 && analyze_state_begins(&first);
	iot_reader_free(r);
	return is_state;
}

/* Beginnings */

/* The job of a %trace, or of a %state, in which texts are encoded once more. Freed by the caller. */
static char *job_of(const struct iot_event *ev, bool is_state)
{
	const struct iot_text text = iot_directive_get(ev, "job");
	char *job = text.data != NULL && text.size > 0 ? malloc(text.size + 1) : NULL;
	if (job == NULL)
		return NULL;
	size_t size = iot_percent_decode(text, job, NULL);
	if (is_state)
		size = iot_percent_decode((struct iot_text){job, size}, job, NULL);
	job[size] = '\0';
	return job;
}

/* Reads up to what may declare the job: the tables before that of a state, or the first record. */
static void read_job(struct analyze_head *head, struct trace_in *in)
{
	enum { EVENTS_MAX = 64 };
	struct iot_event ev = {.kind = IOT_DIRECTIVE};
	for (unsigned i = 0; i < EVENTS_MAX && head->job == NULL && ev.kind != IOT_RECORD; i++) {
		if (iot_reader_events(in->reader, &ev, 1) != 1)
			return;
		if (ev.kind == IOT_TRACE ||
		    (head->is_state && text_equals(iot_directive_get(&ev, "kind"), "job")))
			head->job = job_of(&ev, head->is_state);
	}
}

static void read_part(struct analyze_head *head, const struct iot_event *first)
{
	head->is_state = true;
	head->trace = number_of(first, "trace");
	head->from = number_of(first, "from");
	head->to = number_of(first, "to");
	head->stored = number_of(first, "stored");
}

enum exit_status analyze_head_read(struct analyze_head *head, char *path,
				   const struct trace_in_options *read,
				   const struct command_spec *command)
{
	struct trace_in_options quiet = *read;
	struct trace_in in;
	struct iot_event first;
	quiet.quiet = true;
	quiet.side_by_side = false;
	quiet.threads = 0;
	*head = (struct analyze_head){.path = path};
	const enum exit_status status = trace_in_open(&in, path, &quiet, command);
	if (status == EXIT_OK && iot_reader_events(in.reader, &first, 1) == 1) {
		if (analyze_state_begins(&first))
			read_part(head, &first);
		else if (first.kind == IOT_TRACE)
			head->job = job_of(&first, false);
		read_job(head, &in);
	}
	trace_in_close(&in);
	return status;
}

/* States */

enum exit_status analyze_state_load(struct iot_analyze *a, struct trace_in *in,
				    const struct iot_event *first)
{
	const int status = iot_analyze_load(a, in->reader, first);
	progress_clear(&in->progress);
	if (status == IOT_OK)
		return EXIT_OK;
	if (status == IOT_ENOMEM)
		return message_no_memory();
	if (*iot_reader_error(in->reader) != '\0')
		message_print("%s", iot_reader_error(in->reader));
	else
		message_print("%s:%ju: not a valid state: %s", in->path,
			      (uintmax_t)iot_reader_fact(in->reader, IOT_FACT_LINE),
			      iot_analyze_error(a));
	return EXIT_FAULT;
}

enum exit_status analyze_state_open(struct iot_analyze **a, const char *path,
				    const struct trace_in_options *read,
				    const struct iot_analyze_options *options,
				    const struct command_spec *command)
{
	struct trace_in in;
	struct iot_event first;
	enum exit_status status = trace_in_open(&in, path, read, command);
	*a = status == EXIT_OK ? iot_analyze_new(options) : NULL;
	if (status == EXIT_OK && *a == NULL)
		status = message_no_memory();
	if (status == EXIT_OK)
		status = trace_in_events(&in, &first, 1) == 1 ? analyze_state_load(*a, &in, &first)
							      : EXIT_FAULT;
	trace_in_close(&in);
	return status;
}

enum exit_status analyze_state_save(struct iot_analyze *a, const char *path, bool no_fsync,
				    const struct command_spec *command)
{
	struct trace_out_options o = TRACE_OUT_OPTIONS_INIT;
	struct iot_writer *w = iot_writer_new();
	o.path = path;
	o.no_fsync = no_fsync;
	if (w == NULL)
		return message_no_memory();
	enum exit_status status = trace_out_open(w, &o, command);
	if (status == EXIT_OK) {
		const int saved = iot_analyze_save(a, w);
		if (saved == IOT_ENOMEM)
			status = message_no_memory();
		else if (saved != IOT_OK || trace_out_close(w) != IOT_OK)
			status = trace_out_error(w, &o);
	}
	iot_writer_free(w);
	return status;
}
