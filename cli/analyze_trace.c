/* SPDX-License-Identifier: BSD-2-Clause */
/* Analyzes one trace or a part of it, to the report, a state, or what precedes its damage. */
#include "analyze_run.h"

#include "cli/analyze/cpu_times.h"
#include "cli/analyze/inputs.h"
#include "cli/analyze/members.h"
#include "cli/analyze/periods.h"
#include "cli/analyze/states.h"
#include "cli/ui/message.h"
#include "cli/ui/piped.h"

#define PART_NEEDS                                                                                 \
	"--part=K/N needs a trace in a regular file; 'iotrace parts' makes plans for --plan, "     \
	"with which a part can be standard input"

/* Passes on all events in order of CPU time. Returns an enum iot_status. */
static int add_events(struct iot_analyze *a, struct iot_stream *s, struct cpu_times *clock)
{
	struct iot_batch *b = iot_batch_new(TRACE_IN_BATCH);
	int status = s != NULL && b != NULL ? IOT_OK : IOT_ENOMEM, got = 1;
	while (status == IOT_OK && (got = iot_stream_next(s, b)) > 0 &&
	       cpu_times_refusal(clock) == NULL)
		status = iot_analyze_events(a, b->events, b->count);
	iot_batch_free(b);
	return status == IOT_OK && got < 0 ? got : status;
}

/* The same as analyze(), for --clock=cpu. */
static int analyze_by_cpu(struct analyze_run *a, const char *path)
{
	struct cpu_times clock = {.capacity = 0};
	struct iot_stream *s = cpu_times_stream(trace_in_stream(&a->in), &clock);
	int status = add_events(a->results.analysis, s, &clock);
	iot_stream_free(s);
	progress_clear(&a->in.progress);
	const char *refusal = cpu_times_refusal(&clock);
	if (status == IOT_OK && refusal != NULL) {
		message_print_about(path, "%s", refusal);
		status = IOT_EFORMAT;
	}
	cpu_times_free(&clock);
	return status;
}

/*
 * Returns a status; an error of the trace is reported, and kept in a->in.status. IOT_EFORMAT: the
 * content is refused, after a message.
 */
static int analyze(struct analyze_run *a, const char *path)
{
	struct iot_event ev[TRACE_IN_BATCH];
	size_t n;
	int status = IOT_OK;
	n = trace_in_events(&a->in, ev, 1);
	if (n == 1 && analyze_members_begin(ev)) {
		message_print_about(path, "a state of several jobs is read from a file that is "
					  "named, and by itself");
		return IOT_EFORMAT;
	}
	if (n == 1 && analyze_state_begins(ev))
		return analyze_state_load(a->results.analysis, &a->in, ev) == EXIT_OK ? IOT_OK
										      : IOT_EFORMAT;
	for (; status == IOT_OK && n > 0; n = trace_in_events(&a->in, ev, TRACE_IN_BATCH))
		status = trace_in_refuses_layer(&a->in, ev, n)
			     ? IOT_EFORMAT
			     : iot_analyze_events(a->results.analysis, ev, n);
	progress_clear(&a->in.progress);
	return status;
}

/* The values and the state of a damaged trace say so; --recover delivers a %lost itself. */
static int mark_damage(struct analyze_run *a)
{
	static const char lost[] = "%lost why=damaged";
	const struct iot_event ev = {.kind = IOT_LOST, .text = {lost, sizeof lost - 1}};
	if (a->in.status == IOT_OK || a->read.recover)
		return IOT_OK;
	return iot_analyze_events(a->results.analysis, &ev, 1);
}

/* Which bytes of a stored trace are analyzed, for the state. */
static void name_part(struct analyze_run *a, const struct iot_part *part, uint64_t epoch_ns,
		      struct part_of numbers)
{
	a->options.trace_id = part->trace_id;
	a->options.from = part->from;
	a->options.to = part->to;
	a->options.stored = part->stored;
	a->options.part = part->from > 0;
	a->options.epoch_ns = part->from > 0 ? epoch_ns : 0;
	a->options.first = a->options.last = numbers.k;
	a->options.parts = numbers.n;
}

/* Reads the layer of a trace that is cut. Returns EXIT_OK, or another status after a message. */
static enum exit_status find_layer(struct analyze_run *a, const char *path,
				   const struct command_spec *command)
{
	if (!trace_in_find_layer(&a->in, &a->read) && analyze_is_state(piped_name_again(path)))
		return options_wrong(command, "--part needs a trace, and this is a state");
	return EXIT_OK;
}

/* Limits the input to the part, and stores which one it is. */
static enum exit_status choose_part(struct analyze_run *a, const char *path,
				    const struct command_spec *command)
{
	struct iot_range range = {.epoch_ns = 0};
	const bool whole = a->part.n == 1;
	if (a->read.range != NULL) {
		name_part(a, &a->read.range->part, a->read.range->epoch_ns, a->of_line);
		return EXIT_OK;
	}
	if (whole && a->state == NULL)
		return EXIT_OK;
	int status = whole ? iot_reader_part(a->in.reader, 1, 1, &range.part)
			   : iot_reader_find_range(a->in.reader, a->part.k, a->part.n, &range);
	if (status == IOT_OK && !whole && find_layer(a, path, command) != EXIT_OK)
		return EXIT_FAILED;
	if (status == IOT_OK && !whole)
		status = iot_reader_set_range(a->in.reader, &range, 0);
	if (status == IOT_EUSAGE)
		return options_wrong(command, PART_NEEDS);
	if (status != IOT_OK) {
		message_print("%s", iot_reader_error(a->in.reader));
		return EXIT_FAILED;
	}
	if (!whole && a->part.k == 1 && range.part.to == range.part.stored && !a->read.quiet)
		message_print(
		    "warning: the trace has no %%sync at which reading can begin, so all of it is "
		    "part 1; see 'iotrace cat --framed'");
	name_part(a, &range.part, range.epoch_ns, a->part);
	a->options.part = a->part.k > 1;
	return EXIT_OK;
}

/* Stores the analysis of a trace, or of what precedes its damage: then returns EXIT_DAMAGED. */
static enum exit_status analyze_trace(struct analyze_run *a, const char *path,
				      const struct command_spec *command)
{
	if (a->part.n > 1 && !piped_begins_file(path))
		return options_wrong(command, PART_NEEDS);
	enum exit_status status = trace_in_open(&a->in, path, &a->read, command);
	if (status == EXIT_OK)
		status = choose_part(a, path, command);
	a->options.physical = trace_in_is_physical(&a->in);
	a->results.analysis = status == EXIT_OK ? iot_analyze_new(&a->options) : NULL;
	if (status == EXIT_OK && a->results.analysis == NULL)
		status = message_no_memory();
	if (status != EXIT_OK)
		return status;
	const int analyzed = a->clock == CLOCK_CPU ? analyze_by_cpu(a, path) : analyze(a, path);
	if (analyzed == IOT_EFORMAT) {
		iot_analyze_free(a->results.analysis);
		a->results.analysis = NULL;
		return EXIT_FAILED;
	}
	if (analyzed != IOT_OK || mark_damage(a) != IOT_OK)
		return message_no_memory();
	if (a->in.partial) {
		iot_analyze_free(a->results.analysis);
		a->results.analysis = NULL;
	}
	return trace_in_exit(&a->in, true);
}

enum exit_status analyze_run_trace(struct analyze_run *a, const char *path,
				   const struct command_spec *command)
{
	const enum exit_status analyzed = analyze_trace(a, path, command);
	const bool any = analyzed == EXIT_OK || (analyzed == EXIT_DAMAGED && a->in.delivered);
	if (a->state != NULL)
		trace_in_close(&a->in); /* a state takes memory when it is written */
	const enum exit_status status = any ? analyze_run_report(a, command) : EXIT_FAILED;
	trace_in_close(&a->in);
	return exit_status_worse(status, analyzed);
}

enum exit_status analyze_run_one(void *context, const char *path, struct iot_analyze **to)
{
	const struct one_input *one = context;
	struct analyze_run *a = one->run;
	const enum exit_status status = analyze_trace(a, path, one->command);
	*to = a->results.analysis;
	a->results.analysis = NULL;
	trace_in_close(&a->in);
	return status;
}

enum exit_status analyze_run_before(struct analyze_run *a, const struct command_spec *command)
{
	struct one_input one = {a, command};
	const bool is_state = analyze_is_state(a->against);
	const enum exit_status status =
	    is_state ? analyze_state_open(&a->before, a->against, &a->read, &a->options, command)
		     : analyze_run_one(&one, a->against, &a->before);
	if (status == EXIT_FAILED) {
		iot_analyze_free(a->before);
		a->before = NULL;
	}
	if (a->before != NULL && iot_analyze_finish(a->before) != IOT_OK)
		return message_no_memory();
	if (status == EXIT_DAMAGED && !analyze_has_activity(a->before)) {
		iot_analyze_free(a->before);
		a->before = NULL;
		return EXIT_FAILED;
	}
	return status;
}

enum exit_status analyze_run_periods(struct analyze_run *a, const char *path,
				     const struct command_spec *command)
{
	static const int stats_by[] = {IOT_STATS_BY_PROCESS, IOT_STATS_BY_RANK, IOT_STATS_BY_HOST,
				       IOT_STATS_BY_OBJECT, IOT_STATS_BY_DIRECTORY};
	struct analyze_periods_options options = {.every_ns = a->every_ns,
						  .by = a->by == NOT_BY ? PERIOD_TOTAL
									: stats_by[a->by],
						  .form = a->form.chosen,
						  .top = a->top};
	a->read.side_by_side = false;
	enum exit_status status = trace_in_open(&a->in, path, &a->read, command);
	options.physical = trace_in_is_physical(&a->in);
	if (status == EXIT_OK)
		status = analyze_periods_print(&a->in, &options);
	trace_in_close(&a->in);
	return status;
}
