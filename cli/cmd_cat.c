/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace cat: writes a trace in canonical form, or in a form for other tools and people. */
#include <string.h>

#include "lib/base/atomic_file.h"

#include "cli/ui/trace_in.h"
#include "cli/ui/same_file.h"
#include "cli/print/print.h"
#include "cli/ui/signals.h"
#include "cli/ui/output.h"

enum format { FORMAT_IOT, FORMAT_CSV, FORMAT_JSONL, FORMAT_TEXT };

struct cat {
	const struct command_spec *command;
	struct trace_in in;
	struct trace_in_options read;
	struct trace_out_options write;
	int format;
	bool ns, names, unknown;
};

static const char notes[] =
    "iot: the canonical form of the trace, with its own tick, base and sync; a trace without\n"
    "%iotrace stays without, unless --framed says so. The output of cat is a fixed point.\n"
    "csv: type,start,duration,cpu,offset,length,operation,file,process in decimal. Times are\n"
    "ticks (--ns: nanoseconds), start from the trace's zero, cpu since the previous record of\n"
    "the process. A field that the source did not know is empty. Comments are left out. path: "
    "under\n"
    "which the record's file was opened.\n"
    "jsonl: an object per event; times are nanoseconds, cpu_ns the process's CPU clock, of which\n"
    "only differences count; what the source did not know is null; an unknown offset has a\n"
    "relative_offset, from a base that is not known; bytes that are not UTF-8 become \\u00XX.\n"
    "text: what the source did not know is \"-\", an unknown offset \"?+\" and the relative one.\n"
    "Damaged or truncated input: iot has what was verified, the other formats have all that was\n"
    "read; the exit status is 1.\n";

static const char examples[] =
    "  iotrace cat t.iot.zst | less                      see the trace as it is\n"
    "  iotrace cat --format=text t.iot.zst | less        the same for people\n"
    "  iotrace cat --format=csv --ns --names t.iot.zst   a table with paths\n"
    "  iotrace cat --format=jsonl t.iot | jq -c 'select(.op == \"write\")'\n"
    "  iotrace cat --in-base=10 --in-tick=10000 --framed -o t.iot.zst old.trace\n";

static void show_csv(struct cat *c, struct printer *s)
{
	struct iot_record rec[TRACE_IN_BATCH];
	size_t n = trace_in_records(&c->in, rec, TRACE_IN_BATCH);
	if (n == 0 && c->in.status != IOT_OK)
		return;
	s->tick_ns = c->ns ? 1 : iot_reader_fact(c->in.reader, IOT_FACT_TICK_NS);
	print_csv_head(s);
	for (; n > 0 && s->out->status == IOT_OK && !s->failed;
	     n = trace_in_records(&c->in, rec, TRACE_IN_BATCH))
		print_csv(s, rec, n);
}

static void show_events(struct cat *c, struct printer *s)
{
	struct iot_event ev[TRACE_IN_BATCH];
	size_t n = trace_in_events(&c->in, ev, TRACE_IN_BATCH);
	s->tick_ns =
	    c->ns && c->format == FORMAT_CSV ? 1 : iot_reader_fact(c->in.reader, IOT_FACT_TICK_NS);
	if (c->format == FORMAT_TEXT && n > 0)
		print_text_head(s);
	if (c->format == FORMAT_CSV && (n > 0 || c->in.status == IOT_OK))
		print_csv_head(s);
	for (; n > 0 && s->out->status == IOT_OK && !s->failed;
	     n = trace_in_events(&c->in, ev, TRACE_IN_BATCH)) {
		if (c->format == FORMAT_TEXT)
			print_text(s, ev, n);
		else if (c->format == FORMAT_CSV)
			print_csv_named(s, ev, n);
		else
			print_json(s, ev, n);
	}
}

static int cat_shown(struct cat *c)
{
	struct output out;
	struct printer s;
	const int status = trace_out_check_suffix(c->command, c->write.path);
	if (status != EXIT_OK)
		return status;
	if (output_open(&out, c->write.path, c->write.no_fsync ? ATOMIC_FILE_NO_SYNC : 0) !=
	    EXIT_OK)
		return EXIT_FAULT;
	print_init(&s, &out, c->in.reader);
	s.names = c->names;
	s.unknown = c->unknown;
	s.for_human = c->format == FORMAT_TEXT;
	if (c->format == FORMAT_CSV && !c->names)
		show_csv(c, &s);
	else
		show_events(c, &s);
	progress_clear(&c->in.progress);
	if (s.failed)
		(void)message_no_memory();
	print_free(&s);
	/* Out of memory is not an error of the trace: the output is discarded. */
	if (s.failed || c->in.status == IOT_ENOMEM || signals_pending() != 0) {
		output_abandon(&out);
		return EXIT_FAULT;
	}
	if (output_close(&out) != EXIT_OK)
		return EXIT_FAULT;
	if (trace_in_cut(&c->in))
		message_print("interrupted before the end of the input: the output has what was "
			      "read");
	return trace_in_exit(&c->in);
}

static int run(struct cat *c, const char *path)
{
	int status = same_file_check_two(c->command, c->write.path, path);
	if (status != EXIT_OK)
		return status;
	c->read.verified = c->format == FORMAT_IOT;
	trace_in_catch_signals(path, &c->read, c->write.path);
	status = trace_in_open(&c->in, path, &c->read, c->command);
	if (status == EXIT_OK)
		status = c->format == FORMAT_IOT
			     ? trace_in_copy(&c->in, trace_in_stream(&c->in), &c->write, c->command)
			     : cat_shown(c);
	trace_in_close(&c->in);
	signals_restore();
	return status;
}

int cmd_cat(int argc, char **argv)
{
	struct cat c = {.read = TRACE_IN_WHOLE_INIT, .write = TRACE_OUT_OPTIONS_INIT};
	const struct option options[] = {
	    OPTION(CHOICE, 'f', "format", "iot|csv|jsonl|text", &c.format,
		   "what to write (default: iot)"),
	    OPTION_OUTPUT(c.write),
	    OPTION_QUIET(c.read.quiet, c.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(c.read),
	    GROUP("Format csv"),
	    OPTION(FLAG, 0, "ns", NULL, &c.ns, "times in nanoseconds instead of ticks"),
	    OPTION(FLAG, 0, "names", NULL, &c.names, "append the columns object and path"),
	    OPTION(FLAG, 0, "unknown", NULL, &c.unknown,
		   "append the columns unknown: which of offset, duration, cpu and start the "
		   "source did not know, and relative_offset: an unknown offset from its "
		   "unknown base"),
	    GROUP("Format iot"),
	    OPTION_BASE_OF_IN(c.write),
	    OPTION_WRITING(c.write),
	    OPTION(FLAG, 0, "framed", NULL, &c.write.framed,
		   "with %iotrace, %sync and %end, even if IN has none"),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "cat",
	    .summary = "Write a trace in canonical form, or as CSV, JSON lines or text",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	size_t count;
	int status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if ((c.names || c.unknown) && c.format != FORMAT_CSV)
		return options_wrong(&command, "%s goes with --format=csv alone",
				     c.names ? "--names" : "--unknown");
	c.command = &command;
	return run(&c, count > 0 ? argv[0] : "-");
}
