/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace parts: a plan of the tasks that read traces in parts. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/analyze/states.h"
#include "cli/ui/plan.h"
#include "lib/base/array.h"

enum { MIN_SIZE = 256 << 20 };

struct parts_run {
	uint64_t n, min_size, max_size; /* max_size 0: no limit */
	uint64_t total;                 /* stored bytes of all traces */
	uint64_t lines;
	struct output out;
	struct plan_part together; /* short traces that share the next line */
	size_t capacity;
	uint64_t together_size;
	struct trace_in_options read;
	const struct command_spec *command;
};

static enum exit_status write_line(struct parts_run *p, const struct plan_part *part)
{
	if (p->lines == PLAN_LINES_MAX) {
		message_print("more than %d parts", PLAN_LINES_MAX);
		return EXIT_FAILED;
	}
	p->lines++;
	return plan_write(&p->out, part);
}

/* The bytes of a part, unless a trace has less. */
static uint64_t share(const struct parts_run *p)
{
	uint64_t size = p->total / p->n + (p->total % p->n != 0);
	if (size < p->min_size)
		size = p->min_size;
	return p->max_size != 0 && size > p->max_size ? p->max_size : size;
}

/* The number of parts of a trace. */
static uint64_t parts_of(const struct parts_run *p, uint64_t size)
{
	uint64_t n = (uint64_t)((double)size / (double)share(p) + 0.5);
	if (p->max_size != 0 && n < size / p->max_size + (size % p->max_size != 0))
		n = size / p->max_size + (size % p->max_size != 0);
	return n < 1 ? 1 : n > PLAN_LINES_MAX ? PLAN_LINES_MAX : n;
}

/* Short traces */

static enum exit_status flush(struct parts_run *p)
{
	const size_t count = p->together.count;
	enum exit_status status = count > 0 ? write_line(p, &p->together) : EXIT_OK;
	plan_part_free(&p->together);
	p->capacity = 0;
	p->together_size = 0;
	return status;
}

/*
 * A line with one trace states its range, and one with several neither ranges nor heads. Traces of
 * different layers do not share a line.
 */
static enum exit_status add_short(struct parts_run *p, const struct plan_part *part)
{
	enum { PATHS_MAX = IOT_COMMENT_MAX / 8 };
	const struct plan_trace *t = part->traces;
	enum exit_status status = EXIT_OK;
	size_t length = strlen(t->path);
	for (size_t i = 0; i < p->together.count; i++)
		length += strlen(p->together.traces[i].path) + 24;
	if (p->together.count > 0 && (p->together.physical != part->physical ||
				      p->together_size + t->size > share(p) || length > PATHS_MAX))
		status = flush(p);
	if (status != EXIT_OK)
		return status;
	char *path = strdup(t->path);
	if (path == NULL || !array_reserve(&p->together.traces, &p->capacity, p->together.count + 1,
					   sizeof *p->together.traces)) {
		free(path);
		return message_no_memory();
	}
	if (p->together.count == 0)
		p->together.physical = part->physical;
	p->together.traces[p->together.count++] = (struct plan_trace){path, t->size, t->id};
	p->together_size += t->size;
	return EXIT_OK;
}

/* Traces */

static enum exit_status refuse_input(struct trace_in *in, const char *path)
{
	in->probes = true; /* no warnings of what a refused log does not show */
	if (in->log != NULL)
		message_print_about(path,
				    "a log (%s), which cannot be cut; convert it, one task "
				    "for each log",
				    in->log);
	else
		message_print("%s", iot_reader_error(in->reader));
	return EXIT_FAILED;
}

/* Writes a line for each part with bytes. */
static enum exit_status write_parts(struct parts_run *p, struct iot_reader *r,
				    struct plan_part *part)
{
	enum exit_status status = EXIT_OK;
	for (part->k = 1; part->k <= part->n && status == EXIT_OK; part->k++) {
		if (iot_reader_find_range(r, part->k, part->n, &part->range) != IOT_OK) {
			message_print("%s", iot_reader_error(r));
			return EXIT_FAILED;
		}
		if (part->range.part.from < part->range.part.to)
			status = write_line(p, part);
	}
	return status;
}

static enum exit_status plan_trace(struct parts_run *p, char *path, bool shares)
{
	struct trace_in_options read = p->read;
	struct trace_in in;
	struct plan_trace trace = {.path = path};
	struct plan_part part = {.traces = &trace, .count = 1};
	char *paths[] = {path};
	enum exit_status status = trace_in_choose_layer(&read, paths, 1, p->command);
	part.physical = read.layer == LAYER_PHYSICAL;
	read.selects_layer = false;
	if (status != EXIT_OK)
		return status;
	status = trace_in_open(&in, path, &read, p->command);
	if (status == EXIT_OK &&
	    (in.log != NULL || iot_reader_find_range(in.reader, 1, 1, &part.range) != IOT_OK))
		status = refuse_input(&in, path);
	if (status == EXIT_OK) {
		trace.size = part.range.part.stored;
		trace.id = part.range.part.trace_id;
		part.n = parts_of(p, trace.size);
		if (part.n == 1 && shares && trace.size < p->min_size)
			status = add_short(p, &part);
		else
			status = write_parts(p, in.reader, &part);
	}
	trace_in_close(&in);
	return status;
}

static enum exit_status add_size(struct parts_run *p, const char *path)
{
	struct stat st;
	const int fd = trace_in_descriptor(path, &st);
	if (fd < 0)
		return EXIT_FAILED;
	(void)close(fd);
	if (S_ISREG(st.st_mode) && st.st_size == 0) {
		message_print_about(path, "empty file, not a trace");
		return EXIT_FAILED;
	}
	if (S_ISREG(st.st_mode) && analyze_is_state(path)) {
		message_print_about(path, "a state of an analysis, not a trace");
		return EXIT_FAILED;
	}
	if (S_ISREG(st.st_mode)) {
		p->total += (uint64_t)st.st_size;
		return EXIT_OK;
	}
	message_print_about(path, "not a regular file, whose parts could be read");
	return EXIT_FAILED;
}

static enum exit_status run(struct parts_run *p, char **paths, size_t count)
{
	enum exit_status status = EXIT_OK;
	for (size_t i = 0; i < count && status == EXIT_OK; i++)
		status = add_size(p, paths[i]);
	if (status == EXIT_OK)
		status = output_open(&p->out, "-", 0);
	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; i < count && status == EXIT_OK; i++)
		status = plan_trace(p, paths[i], count > 1);
	if (status == EXIT_OK)
		status = flush(p);
	plan_part_free(&p->together);
	if (status == EXIT_OK)
		return output_close(&p->out);
	output_abandon(&p->out);
	return status;
}

static const char notes[] =
    "Each line, %part, states the bytes of a part that begins and ends at %syncs, and what a\n"
    "task needs to read it without the rest of the trace; a line with several short traces states\n"
    "their paths. The same traces and options give the same plan. iotrace-parts(1) shows the\n"
    "tasks that read the lines.\n";

static const char examples[] =
    "  iotrace parts -n 64 app.iot.zst >plan            64 parts, or fewer of 256 MiB\n"
    "  iotrace parts -n 1000 rank*.iot.zst >plan        of many traces\n";

enum exit_status cmd_parts(int argc, char **argv)
{
	struct parts_run p = {
	    .n = PLAN_LINES_MAX, .min_size = MIN_SIZE, .read = TRACE_IN_OPTIONS_INIT};
	const struct option options[] = {
	    RANGE(NUMBER, 'n', "parts", "N", &p.n,
		  "cut all traces into about N parts (default: as --min-size allows)", 1,
		  PLAN_LINES_MAX),
	    RANGE(SIZE, 0, "min-size", "SIZE", &p.min_size,
		  "stored bytes of a part at least; shorter traces share a line (default: 256M)", 1,
		  UINT64_MAX / 2),
	    RANGE(SIZE, 0, "max-size", "SIZE", &p.max_size,
		  "cut into more parts than N if they would have more stored bytes", 1,
		  UINT64_MAX / 2),
	    OPTION_QUIET(p.read.quiet, p.read.progress),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "parts",
	    .summary = "Plan tasks that read traces in parts",
	    .synopsis = "[OPTION]... TRACE...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (p.max_size != 0 && p.max_size < p.min_size)
		return options_wrong(&command, "--max-size is less than --min-size");
	p.command = &command;
	return run(&p, argv, count);
}
