/* SPDX-License-Identifier: BSD-2-Clause */
#include "analyze_states.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/trace_out.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

/* The first line of a state. */
struct state_range {
	char *path;
	uint64_t trace, from, to, stored;
};

bool analyze_state_begins(const struct iot_event *first)
{
	return first->kind == IOT_DIRECTIVE &&
	       text_equals(iot_directive_get(first, "kind"), "header") && first->text.size > 7 &&
	       memcmp(first->text.data, "%state ", 7) == 0;
}

static enum exit_status refuse(const char *path, const char *why)
{
	message_print_about(path, "%s", why);
	return EXIT_USAGE;
}

static uint64_t number_of(const struct iot_event *ev, const char *key)
{
	const struct iot_text text = iot_directive_get(ev, key);
	uint64_t v = 0;
	if (text.data != NULL)
		(void)number_decimal(text.data, text.size, &v);
	return v;
}

/* Reads the first line. Returns false if the file is no state; its reader reports errors later. */
static bool read_range(const char *path, struct state_range *range)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event first;
	const bool is_state = r != NULL && iot_reader_open(r, path) == IOT_OK &&
			      iot_reader_events(r, &first, 1) == 1 && analyze_state_begins(&first);
	if (is_state) {
		range->trace = number_of(&first, "trace");
		range->from = number_of(&first, "from");
		range->to = number_of(&first, "to");
		range->stored = number_of(&first, "stored");
	}
	iot_reader_free(r);
	return is_state;
}

bool analyze_is_state(const char *path)
{
	struct state_range range;
	return strcmp(path, "-") != 0 && read_range(path, &range);
}

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

static enum exit_status load(const struct analyze_states *s, const char *path,
			     struct iot_analyze **a)
{
	const struct iot_analyze_options options = {.size = sizeof options};
	struct trace_in in;
	struct iot_event first;
	enum exit_status status = trace_in_open(&in, path, s->read, s->command);
	*a = status == EXIT_OK ? iot_analyze_new(&options) : NULL;
	if (status == EXIT_OK && *a == NULL)
		status = message_no_memory();
	if (status == EXIT_OK)
		status = trace_in_events(&in, &first, 1) == 1 ? analyze_state_load(*a, &in, &first)
							      : EXIT_FAULT;
	trace_in_close(&in);
	return status;
}

static int by_bytes(const void *left, const void *right)
{
	const struct state_range *a = left, *b = right;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static bool are_equal(const struct state_range *a, const struct state_range *b)
{
	return a->trace == b->trace && a->from == b->from && a->to == b->to &&
	       a->stored == b->stored;
}

/* Drops repeated parts, which a task that ran twice has written. */
static void drop_equal(struct state_range *of, size_t *count)
{
	size_t used = 0;
	for (size_t i = 0; i < *count; i++) {
		if (used > 0 && are_equal(&of[used - 1], &of[i]) && of[i].from < of[i].to)
			message_print("%s: the same part as %s; left out", of[i].path,
				      of[used - 1].path);
		else
			of[used++] = of[i];
	}
	*count = used;
}

/* Parts have to be neighbours; a state without bytes is that of a whole trace. */
static enum exit_status check_ranges(const struct state_range *of, size_t count)
{
	for (size_t i = 0; i < count && count > 1; i++) {
		if (of[i].stored == 0)
			return refuse(of[i].path, "a state of a whole trace, which other "
						  "states cannot be appended to");
		if (of[i].trace != of[0].trace || of[i].stored != of[0].stored)
			return refuse(of[i].path, "a state of another trace than the first");
		if (i == 0 || of[i].from == of[i - 1].to)
			continue;
		message_print("%s: begins at byte %ju, but the part before it ends at byte %ju: "
			      "bytes %ju to %ju %s",
			      of[i].path, (uintmax_t)of[i].from, (uintmax_t)of[i - 1].to,
			      (uintmax_t)(of[i].from < of[i - 1].to ? of[i].from : of[i - 1].to),
			      (uintmax_t)(of[i].from < of[i - 1].to ? of[i - 1].to : of[i].from),
			      of[i].from < of[i - 1].to ? "are in both" : "are missing");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static enum exit_status read_ranges(const struct analyze_states *s, struct state_range *of)
{
	for (size_t i = 0; i < s->count; i++) {
		of[i].path = s->paths[i];
		if (strcmp(s->paths[i], "-") == 0 || !read_range(s->paths[i], &of[i]))
			return refuse(s->paths[i], "not a state; several inputs have to be states");
	}
	return EXIT_OK;
}

static enum exit_status join_next(const struct analyze_states *s, const char *path,
				  struct iot_analyze *a)
{
	struct iot_analyze *part;
	enum exit_status status = load(s, path, &part);
	if (status != EXIT_OK) {
		iot_analyze_free(part);
		return status;
	}
	const int joined = iot_analyze_join(a, part);
	if (joined != IOT_EUSAGE)
		return joined == IOT_OK ? EXIT_OK : message_no_memory();
	iot_analyze_free(part);
	return refuse(path, iot_analyze_error(a));
}

enum exit_status analyze_states_join(struct analyze_states *s, struct iot_analyze **a)
{
	struct state_range *of = calloc(s->count, sizeof *of);
	size_t count = s->count;
	*a = NULL;
	if (of == NULL)
		return message_no_memory();
	enum exit_status status = read_ranges(s, of);
	if (status == EXIT_OK) {
		qsort(of, count, sizeof *of, by_bytes);
		drop_equal(of, &count);
		status = check_ranges(of, count);
	}
	if (status == EXIT_OK)
		status = load(s, of[0].path, a);
	for (size_t i = 1; i < count && status == EXIT_OK; i++)
		status = join_next(s, of[i].path, *a);
	s->complete = of[0].from == 0 && of[count - 1].to == of[count - 1].stored;
	free(of);
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
