/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "cli/ui/source_warnings.h"
#include "cli/views/check.h"

/* One log that was read. */
struct read_log {
	const struct check_log *check;
	const char *path;
	struct iot_source *source;
	uint64_t records, comments;
	int status; /* of its stream */
	char error[1024];
};

static uint64_t fact(const struct read_log *l, enum iot_source_fact which)
{
	return iot_source_fact(l->source, which);
}

static void show_progress(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	progress_show(context, done, total, records);
}

static void count(struct read_log *l, const struct iot_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->events[i].kind == IOT_RECORD)
			l->records++;
		else
			l->comments++;
}

/* Returns false if out of memory. */
static bool read_all(struct read_log *l)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_stream *s = b != NULL ? iot_source_stream(l->source) : NULL;
	while (s != NULL && (l->status = iot_stream_next(s, b)) > 0)
		count(l, b);
	snprintf(l->error, sizeof l->error, "%s",
		 s == NULL       ? "out of memory"
		 : l->status < 0 ? iot_stream_error(s)
				 : "");
	iot_stream_free(s);
	iot_batch_free(b);
	progress_clear(l->check->progress);
	return s != NULL && l->status != IOT_ENOMEM;
}

static void print_json(const struct read_log *l)
{
	const struct checked_log checked = {
	    .path = l->path,
	    .state = l->status < 0                      ? "damaged"
		     : fact(l, IOT_SOURCE_UNPARSED) > 0 ? "questionable"
							: "valid",
	    .source = l->source,
	    .records = l->records,
	    .comments = l->comments,
	    .complete = l->status == 0,
	    .error = l->error,
	};
	check_print_log(l->check->out, &checked);
}

static void print_text(const struct read_log *l)
{
	char name[512];
	const bool trace = source_in_is_trace(l->source);
	output_printf(l->check->out, "%s: a %s%s, %s; records: %ju, comments: %ju\n",
		      printable(name, sizeof name, l->path, strlen(l->path)),
		      trace ? "trace" : "log of ", trace ? "" : iot_source_name(l->source),
		      l->status < 0 ? "damaged" : "valid", (uintmax_t)l->records,
		      (uintmax_t)l->comments);
}

static enum exit_status verdict(const struct read_log *l)
{
	const bool violated =
	    fact(l, IOT_SOURCE_UNPARSED) > 0 || source_count_sum(l->source, "ambiguous") > 0;
	const bool damaged = l->status < 0 || source_is_mostly_unparsed(l->source);
	return damaged || (l->check->strict && violated) ? EXIT_DAMAGED : EXIT_OK;
}

static enum exit_status check_source(struct read_log *l)
{
	const struct check_log *c = l->check;
	if (c->progress->on)
		iot_source_on_progress(l->source, show_progress, c->progress);
	if (!read_all(l))
		return message_no_memory();
	if (c->json)
		print_json(l);
	else
		print_text(l);
	if (l->error[0] != '\0')
		message_print("%s", l->error);
	source_in_warn(l->source, c->one_of_several ? l->path : NULL, true, c->quiet);
	return verdict(l);
}

enum exit_status check_log(const struct check_log *c, const char *path)
{
	struct read_log l = {.check = c, .path = path};
	enum exit_status status = source_in_open(&l.source, path, c->options, false, c->command);
	if (status == EXIT_OK)
		status = check_source(&l);
	iot_source_free(l.source);
	return status;
}
