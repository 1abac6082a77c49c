/* SPDX-License-Identifier: BSD-2-Clause */
#include "members.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

/* Writing */

static enum exit_status begin(struct analyze_members_out *m)
{
	m->options = (struct trace_out_options)TRACE_OUT_OPTIONS_INIT;
	m->options.path = m->path;
	m->options.no_fsync = m->no_fsync;
	m->writer = iot_writer_new();
	return m->writer == NULL ? message_no_memory()
				 : trace_out_open(m->writer, &m->options, m->command);
}

static int write_name(struct iot_writer *w, const char *name)
{
	char text[IOT_COMMENT_MAX];
	struct iot_builder b;
	struct iot_event ev;
	iot_directive_begin(&b, text, sizeof text, "state");
	iot_directive_text(&b, "kind", "member", strlen("member"));
	iot_directive_number(&b, "rows", 1);
	iot_directive_text(&b, "name", name, strlen(name));
	const int status = iot_directive_end(&b, &ev);
	return status == IOT_OK ? iot_writer_events(w, &ev, 1) : status;
}

enum exit_status analyze_members_write(void *members_out, struct iot_analyze *a, const char *name)
{
	struct analyze_members_out *m = members_out;
	const enum exit_status status = m->writer == NULL ? begin(m) : EXIT_OK;
	if (status != EXIT_OK)
		return status;
	int saved = write_name(m->writer, name);
	if (saved == IOT_OK)
		saved = iot_analyze_save(a, m->writer);
	if (saved == IOT_OK)
		return EXIT_OK;
	return saved == IOT_ENOMEM ? message_no_memory() : trace_out_error(m->writer, &m->options);
}

enum exit_status analyze_members_close(struct analyze_members_out *m)
{
	return trace_out_close(m->writer) == IOT_OK ? EXIT_OK
						    : trace_out_error(m->writer, &m->options);
}

void analyze_members_abandon(struct analyze_members_out *m)
{
	iot_writer_free(m->writer);
}

/* Reading */

struct members_file {
	const char *path;
	struct trace_in in;
	size_t next; /* the member that follows */
};

static void close_file(struct members_file **f)
{
	if (*f != NULL)
		trace_in_close(&(*f)->in);
	free(*f);
	*f = NULL;
}

/* Opens a file in the place of the oldest one. */
static enum exit_status open_file(struct analyze_members_in *m, const char *path,
				  const struct trace_in_options *read,
				  const struct command_spec *command, struct members_file **f)
{
	struct trace_in_options o = *read;
	struct iot_event first;
	struct members_file **at = &m->file[m->oldest];
	m->oldest = (m->oldest + 1) % ANALYZE_MEMBERS_OPEN;
	o.progress = PROGRESS_NEVER;
	o.side_by_side = false;
	o.threads = 0;
	close_file(at);
	*at = calloc(1, sizeof **at);
	if (*at == NULL)
		return message_no_memory();
	(*at)->path = path;
	*f = *at;
	const enum exit_status status = trace_in_open(&(*at)->in, path, &o, command);
	if (status != EXIT_OK)
		return status;
	return trace_in_events(&(*at)->in, &first, 1) == 1 ? EXIT_OK : EXIT_FAILED;
}

static enum exit_status skip(struct members_file *f)
{
	struct iot_event ev;
	bool end = false;
	while (!end && trace_in_events(&f->in, &ev, 1) == 1)
		end = text_equals(iot_directive_get(&ev, "kind"), "end");
	f->next++;
	return end && trace_in_events(&f->in, &ev, 1) == 1 ? EXIT_OK : EXIT_FAILED;
}

enum exit_status analyze_member_open(struct analyze_members_in *m, struct iot_analyze **a,
				     const struct analyze_head *head,
				     const struct trace_in_options *read,
				     const struct iot_analyze_options *options,
				     const struct command_spec *command)
{
	static const char line[] = "%state kind=member";
	const struct iot_event first = {.kind = IOT_DIRECTIVE, .text = {line, sizeof line - 1}};
	struct members_file *f = NULL;
	enum exit_status status = EXIT_OK;
	for (unsigned i = 0; i < ANALYZE_MEMBERS_OPEN; i++)
		if (m->file[i] != NULL && m->file[i]->path == head->container &&
		    m->file[i]->next <= head->member)
			f = m->file[i];
	if (f == NULL)
		status = open_file(m, head->container, read, command, &f);
	while (status == EXIT_OK && f->next < head->member)
		status = skip(f);
	*a = status == EXIT_OK ? iot_analyze_new(options) : NULL;
	if (status == EXIT_OK && *a == NULL)
		status = message_no_memory();
	if (status == EXIT_OK)
		status = analyze_state_load(*a, &f->in, &first);
	if (f != NULL)
		f->next++;
	return status;
}

void analyze_members_free(struct analyze_members_in *m)
{
	for (unsigned i = 0; i < ANALYZE_MEMBERS_OPEN; i++)
		close_file(&m->file[i]);
}
