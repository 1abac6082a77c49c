/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace info: summarizes traces and logs, and reports whether they are complete. */
#include "cli/info/info.h"
#include "cli/ui/same_file.h"
#include "cli/views/info.h"

static enum exit_status show(struct output *o, const char *path,
			     const struct trace_in_options *options, bool json,
			     const struct command_spec *command)
{
	struct info f = {0};
	struct trace_in in;
	enum exit_status status = trace_in_open(&in, path, options, command);
	if (status == EXIT_OK) {
		info_count(&f, &in);
		const bool read = info_was_read(&in);
		if (read && json)
			info_print_json(o, path, &f, &in);
		else if (read)
			info_print_text(o, path, &f, &in);
		status = f.interrupted ? EXIT_DAMAGED : trace_in_exit(&in, read);
	}
	trace_in_close(&in);
	info_free(&f);
	return status;
}

static const char notes[] =
    "json: an object per input, on one line; keys are always the same, but source, command,\n"
    "host, user, epoch_ns, lacks, layer, lengths, clocks and seen are omitted if the trace does\n"
    "not state them. A log of another tool has its format, and null for what only traces have.\n"
    "Bytes are those that I/Os moved; of physical records (\"disk\") 512 times their blocks.\n"
    "What is not known is \"-\" or null, never 0: of counters alone no reads and writes, without\n"
    "times no span; unknown_offsets, _durations, _cpu and _starts count records. last_ns is the\n"
    "latest end that is known, last_start_ns the latest start.\n"
    "The exit status is 1 if a trace is cut short, interrupted or damaged; what was good is\n"
    "counted.\n";

static const char examples[] =
    "  iotrace info t.iot.zst\n"
    "  iotrace info --json *.iot.zst | jq -r 'select(.state != \"complete\") | .path'\n"
    "  iotrace info --recover damaged.iot.zst\n"
    "  iotrace info app.strace                           a log, as a trace made of it\n";

enum exit_status cmd_info(int argc, char **argv)
{
	struct trace_in_options read = TRACE_IN_COUNTED_INIT;
	bool json = false;
	read.growing = read.no_names = true;
	const struct option options[] = {
	    OPTION(FLAG, 'j', "json", NULL, &json, "print JSON"),
	    OPTION_QUIET(read.quiet, read.progress),
	    GROUP("Reading"),
	    OPTION_READING(read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "info",
	    .summary = "Summarize traces and report whether they are complete",
	    .synopsis = "[OPTION]... IN...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	struct output out;
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	status = same_file_check_inputs(&command, argv, count, NULL);
	if (status != EXIT_OK)
		return status;
	if (output_open(&out, "-", 0) != EXIT_OK)
		return EXIT_FAILED;
	read.names_input = count > 1;
	for (size_t i = 0; i < count; i++) {
		enum exit_status shown = show(&out, argv[i], &read, json, &command);
		status = exit_status_worse(status, shown);
	}
	const enum exit_status closed = output_close(&out);
	return exit_status_worse(status, closed);
}
