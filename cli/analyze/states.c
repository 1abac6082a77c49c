/* SPDX-License-Identifier: BSD-2-Clause */
#include "members.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "cli/ui/piped.h"
#include "cli/ui/trace_out.h"
#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

enum { STATE_LEVEL = 6 /* of compression: states are small, and many are kept */ };

static bool is_state_line(const struct iot_event *ev, const char *kind)
{
	return ev->kind == IOT_DIRECTIVE && text_equals(iot_directive_get(ev, "kind"), kind) &&
	       ev->text.size > 7 && memcmp(ev->text.data, "%state ", 7) == 0;
}

bool analyze_state_begins(const struct iot_event *first)
{
	return is_state_line(first, "header");
}

bool analyze_members_begin(const struct iot_event *first)
{
	return is_state_line(first, "member");
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
	const bool again = strcmp(path, "-") != 0 && !piped_detect(path);
	struct iot_reader *r = again ? iot_reader_new() : NULL;
	struct iot_event first;
	const bool is_state = r != NULL && iot_reader_open(r, path) == IOT_OK &&
			      iot_reader_events(r, &first, 1) == 1 &&
			      (analyze_state_begins(&first) || analyze_members_begin(&first));
	iot_reader_free(r);
	return is_state;
}

/* Beginnings */

/*
 * The job of a %trace, or of a %state, in which texts are encoded once more. Freed by the caller.
 */
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

/* Reads up to the %trace that may declare the job, or the first record. */
static void read_job(struct analyze_head *head, struct trace_in *in)
{
	enum { EVENTS_MAX = 64 };
	struct iot_event ev = {.kind = IOT_DIRECTIVE};
	for (unsigned i = 0; i < EVENTS_MAX && head->job == NULL && ev.kind != IOT_RECORD; i++) {
		if (iot_reader_events(in->reader, &ev, 1) != 1)
			return;
		if (ev.kind == IOT_TRACE)
			head->job = job_of(&ev, false);
	}
}

/* Reads a line of a state. Returns false if none of the following lines belongs to the head. */
static bool read_state_line(struct analyze_head *head, const struct iot_event *ev)
{
	const bool totals = is_state_line(ev, "totals") || is_state_line(ev, "events");
	if (head->job == NULL && is_state_line(ev, "job"))
		head->job = job_of(ev, true);
	if (totals || is_state_line(ev, "trace"))
		head->totals_hash =
		    XXH3_64bits_withSeed(ev->text.data, ev->text.size, head->totals_hash);
	return !totals;
}

static void read_state_head(struct analyze_head *head, struct trace_in *in)
{
	struct iot_event ev;
	while (iot_reader_events(in->reader, &ev, 1) == 1 && read_state_line(head, &ev))
		;
}

static void read_part(struct analyze_head *head, const struct iot_event *first)
{
	head->is_state = true;
	head->trace = head->text = number_of(first, "trace");
	head->from = number_of(first, "from");
	head->to = number_of(first, "to");
	head->stored = number_of(first, "stored");
	head->first = number_of(first, "first");
	head->last = number_of(first, "last");
	head->parts = number_of(first, "parts");
}

void analyze_head_free(struct analyze_head *head)
{
	free(head->job);
	if (head->container != NULL)
		free(head->path);
}

static struct analyze_head *add_head(struct analyze_heads *to, char *path)
{
	if (path == NULL || to->count == ANALYZE_MEMBERS_MAX ||
	    !array_reserve(&to->of, &to->capacity, to->count + 1, sizeof *to->of))
		return NULL;
	to->of[to->count] = (struct analyze_head){.path = path};
	return &to->of[to->count++];
}

static struct analyze_head *add_member(struct analyze_heads *to, const char *container,
				       size_t number, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "name");
	char *name = malloc(text.size + 1);
	if (name != NULL)
		name[text.size > 0 ? iot_percent_decode(text, name, NULL) : 0] = '\0';
	struct analyze_head *head = add_head(to, name);
	if (head == NULL) {
		free(name);
		return NULL;
	}
	head->container = container;
	head->member = number;
	return head;
}

static enum exit_status no_member(const struct analyze_heads *to, const char *path)
{
	if (to->count < ANALYZE_MEMBERS_MAX)
		return message_no_memory();
	message_print_about(path, "more than %d states", ANALYZE_MEMBERS_MAX);
	return EXIT_FAILED;
}

/* The members of a state of several jobs; the first event has been read. */
static enum exit_status read_members(struct analyze_heads *to, const char *path,
				     struct trace_in *in, struct iot_event *ev)
{
	size_t members = 0;
	struct analyze_head *head = add_member(to, path, members++, ev);
	while (head != NULL && trace_in_events(in, ev, 1) == 1) {
		if (analyze_members_begin(ev))
			head = add_member(to, path, members++, ev);
		else if (analyze_state_begins(ev))
			read_part(head, ev);
		else
			(void)read_state_line(head, ev);
	}
	if (head == NULL)
		return no_member(to, path);
	return in->status == IOT_OK ? EXIT_OK : EXIT_FAILED;
}

static enum exit_status read_head(struct analyze_heads *to, char *path, struct trace_in *in,
				  const struct iot_event *first)
{
	struct analyze_head *head = add_head(to, path);
	if (head == NULL)
		return message_no_memory();
	if (first == NULL)
		return EXIT_OK;
	if (analyze_state_begins(first)) {
		read_part(head, first);
		read_state_head(head, in);
		return EXIT_OK;
	}
	if (first->kind == IOT_TRACE)
		head->job = job_of(first, false);
	read_job(head, in);
	return EXIT_OK;
}

enum exit_status analyze_heads_read(struct analyze_heads *heads, char *path,
				    const struct trace_in_options *read,
				    const struct command_spec *command)
{
	struct trace_in_options quiet = *read;
	struct trace_in in;
	struct iot_event first;
	struct iot_part part = {.trace_id = 0};
	const size_t count = heads->count;
	quiet.quiet = true;
	quiet.side_by_side = false;
	quiet.threads = 0;
	enum exit_status status = trace_in_open(&in, path, &quiet, command);
	if (status == EXIT_OK && iot_reader_part(in.reader, 1, 1, &part) != IOT_OK)
		part.trace_id = 0;
	if (status == EXIT_OK) {
		const bool any = iot_reader_events(in.reader, &first, 1) == 1;
		status = any && analyze_members_begin(&first)
			     ? read_members(heads, path, &in, &first)
			     : read_head(heads, path, &in, any ? &first : NULL);
	}
	if (heads->count == count + 1 && !heads->of[count].is_state) {
		heads->of[count].text = part.trace_id;
		heads->of[count].trace = heads->identifies ? part.trace_id : 0;
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
	return EXIT_FAILED;
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
	const bool any = status == EXIT_OK && trace_in_events(&in, &first, 1) == 1;
	if (any && analyze_members_begin(&first)) {
		message_print_about(path, "a state of several jobs, not of one");
		status = EXIT_FAILED;
	} else if (status == EXIT_OK) {
		status = any ? analyze_state_load(*a, &in, &first) : EXIT_FAILED;
	}
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
	o.level = STATE_LEVEL;
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
