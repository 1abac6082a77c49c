/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace cat: writes a trace in canonical form, or in a form for other tools and people. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/atomic_file.h"
#include "lib/event_table/event_table.h"

#include "cli/export/export.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/ui/plan.h"
#include "cli/ui/trace_in.h"

struct cat {
	const struct command_spec *command;
	struct trace_in in;
	struct trace_in_options read;
	struct plan_options plan;
	struct trace_out_options write;
	struct export_options export;
	int format; /* index in formats */
};

/* In the order of --format; iot is not an export: trace_in_copy writes it. */
static const struct format {
	const char *name;
	const struct export_format *export;
} formats[] = {{"iot", NULL},
	       {"csv", &export_csv},
	       {"tsv", &export_tsv},
	       {"parquet", &export_parquet},
	       {"jsonl", &export_jsonl},
	       {"text", &export_text},
	       {"fio", &export_fio},
	       {"oracle", &export_oracle},
	       {"lcs", &export_lcs},
	       {"chrome", &export_chrome},
	       {"perfetto", &export_perfetto},
	       {"blkparse", &export_blkparse}};

enum { PREFIX_MAX = 200, BLOCK_DEFAULT = 4096, CACHE_MEMORY_DEFAULT = 1 << 30 };

#define FORMATS "iot|csv|tsv|parquet|jsonl|text|fio|oracle|lcs|chrome|perfetto|blkparse"

static const char notes[] =
    "iot: the canonical form of the trace, with its own tick, base and sync; a trace without\n"
    "%iotrace stays without, unless --framed says so. The output of cat is a fixed point.\n"
    "csv, tsv, parquet: start_ns,duration_ns,op,kind,offset,length,process,rank,file,path, or\n"
    "--columns of these and cpu_ns, relative_offset, operation, object, program, host, to,\n"
    "result, size. Times are nanoseconds from the trace's zero, sizes are bytes; unknown values\n"
    "are empty, never 0.\n"
    "In names, '%', control characters and bytes that are not UTF-8 are %XX.\n"
    "--columns=raw: type,start,duration,cpu,offset,length,operation,file,process, in ticks.\n"
    "jsonl: an object per event; times are nanoseconds, cpu_ns the process's CPU clock, of which\n"
    "only differences count; what the source did not know is null; an unknown offset has a\n"
    "relative_offset, from a base that is not known; bytes that are not UTF-8 become \\u00XX.\n"
    "text: what the source did not know is \"-\", an unknown offset \"?+\" and the relative one.\n"
    "fio: a log that fio replays, in which files are DIR/1, DIR/2, ...: fio writes to them.\n"
    "oracle, lcs: libCacheSim's requests; each block of a file is an object.\n"
    "chrome, perfetto: timelines for ui.perfetto.dev. blkparse: I/Os of disks as text.\n"
    "Damaged or truncated input: iot has what was verified, the other formats have all that was\n"
    "read; the exit status is 1. What a format cannot represent is counted on stderr.\n";

static const char examples[] =
    "  iotrace cat t.iot.zst | less                      see the trace as it is\n"
    "  iotrace cat --format=text t.iot.zst | less        the same for people\n"
    "  iotrace cat --format=csv t.iot.zst >t.csv         a table for pandas, R or sqlite\n"
    "  iotrace cat -f tsv --columns=op,length,path t.iot | sort | uniq -c\n"
    "  iotrace cat --format=jsonl t.iot | jq -c 'select(.op == \"write\")'\n"
    "  iotrace cat -f fio --setup=setup.sh -o t.iolog t.iot   replay it with fio\n"
    "  iotrace cat -f oracle -o t.oracleGeneral.bin t.iot     simulate caches\n"
    "  iotrace cat -f perfetto -o t.pftrace t.iot             open in ui.perfetto.dev\n"
    "  iotrace cat --in-base=10 --in-tick=10000 --framed -o t.iot.zst old.trace\n";

/* The formats that have the I/Os of one layer. */
#define BY_LAYER "fio|oracle|lcs"

static bool is_raw(const struct export_options *o)
{
	return o->columns != NULL && strcmp(o->columns, "raw") == 0;
}

static const struct export_format *chosen(const struct cat *c)
{
	if (formats[c->format].export == &export_csv && is_raw(&c->export))
		return &export_csv_raw;
	return formats[c->format].export;
}

static void export_all(struct cat *c, struct export *x, const struct export_format *format)
{
	struct iot_event ev[TRACE_IN_BATCH];
	/* The first events precede the tick. */
	size_t n = trace_in_events(&c->in, ev, TRACE_IN_BATCH);
	if (n == 0 && c->in.status != IOT_OK)
		return;
	c->export.physical = trace_in_is_physical(&c->in);
	x->tick_ns = iot_reader_fact(c->in.reader, IOT_FACT_TICK_NS);
	format->begin(x);
	for (; n > 0 && x->out->status == IOT_OK && !x->failed;
	     n = trace_in_events(&c->in, ev, TRACE_IN_BATCH))
		format->events(x, ev, n);
	if (format->end != NULL && !x->failed)
		format->end(x);
}

static enum exit_status finish(struct cat *c, struct export *x)
{
	progress_clear(&c->in.progress);
	if (x->failed && x->error[0] != '\0')
		message_print_about(c->in.operand, "%s", x->error);
	else if (x->failed && !x->reported)
		(void)message_no_memory();
	const enum exit_status read = trace_in_exit(&c->in, c->in.delivered);
	/* Out of memory is not an error of the trace: the output is discarded. */
	if (x->failed || read == EXIT_FAILED || signals_pending() != 0) {
		output_abandon(x->out);
		(void)export_close(x, true);
		return EXIT_FAILED;
	}
	if (!c->read.quiet)
		export_report(x, formats[c->format].name);
	const enum exit_status status = output_close(x->out);
	const bool failed = export_close(x, status != EXIT_OK) != EXIT_OK;
	if (status != EXIT_OK || failed)
		return EXIT_FAILED;
	if (trace_in_cut(&c->in))
		message_print("interrupted before the end of the input: the output has what was "
			      "read");
	return read;
}

static enum exit_status cat_export(struct cat *c)
{
	const struct export_format *const format = chosen(c);
	struct output out;
	enum exit_status status = trace_out_check_suffix(c->command, c->write.path);
	if (status != EXIT_OK)
		return status;
	if (format->binary && strcmp(c->write.path, "-") == 0 && isatty(STDOUT_FILENO))
		return options_wrong(c->command, "--format=%s is binary; name a file with -o",
				     formats[c->format].name);
	struct export *x = calloc(1, sizeof *x);
	if (x == NULL)
		return message_no_memory();
	status = output_open(&out, c->write.path, c->write.no_fsync ? ATOMIC_FILE_NO_SYNC : 0);
	if (status == EXIT_OK) {
		*x = (struct export){.out = &out, .options = &c->export};
		names_init(&x->names, format->encode);
		export_all(c, x, format);
		status = finish(c, x);
		export_free(x, format);
	}
	free(x);
	return status;
}

static enum exit_status check_files(const struct cat *c, const char *path, bool iot)
{
	struct same_file_set files = {.command = c->command, .reads_directories = true};
	same_file_add(&files, ROLE_INPUT, path);
	same_file_add_output(&files, iot ? ROLE_TRACE : ROLE_EXPORT, "-o", c->write.path);
	if (c->export.setup != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "--setup", c->export.setup);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}

static enum exit_status run(struct cat *c, const char *path)
{
	const bool iot = formats[c->format].export == NULL;
	enum exit_status status = check_files(c, path, iot);
	if (status != EXIT_OK)
		return status;
	c->read.verified = iot && c->read.range == NULL;
	c->export.input = path;
	c->export.path = c->write.path;
	c->export.level = c->write.level;
	c->export.no_fsync = c->write.no_fsync;
	c->export.command = c->command;
	trace_in_catch_signals(path, &c->read, c->write.path);
	status = trace_in_open(&c->in, path, &c->read, c->command);
	if (status == EXIT_OK)
		status = iot ? trace_in_copy(&c->in, trace_in_stream(&c->in), &c->write, c->command)
			     : cat_export(c);
	trace_in_close(&c->in);
	signals_restore();
	return status;
}

/* Returns whether `word` is in a list such as "csv|tsv". */
static bool has_word(const char *list, const char *word)
{
	const size_t n = strlen(word);
	for (; *list != '\0'; list += strcspn(list, "|"), list += *list == '|')
		if (strcspn(list, "|") == n && memcmp(list, word, n) == 0)
			return true;
	return false;
}

/* Returns EXIT_OK, or EXIT_FAILED after a message. */
static enum exit_status check_columns(const struct cat *c)
{
	const struct export_options *o = &c->export;
	struct event_columns columns;
	struct iot_text wrong;
	char name[64];
	const char *raw = o->ns ? "--ns" : o->names ? "--names" : o->unknown ? "--unknown" : NULL;
	if (raw != NULL && !is_raw(o))
		return options_wrong(c->command, "%s goes with --columns=raw alone", raw);
	if (is_raw(o) && formats[c->format].export == &export_csv)
		return EXIT_OK;
	if (event_columns_parse(&columns, o->columns, &wrong))
		return EXIT_OK;
	return options_wrong(c->command, "--columns: unknown column '%s'",
			     escape_text(name, sizeof name, wrong.data, wrong.size));
}

/* Returns EXIT_OK, or EXIT_FAILED after a message, if an option belongs to another format. */
static enum exit_status check_options(const struct cat *c)
{
	const struct export_options *o = &c->export;
	const struct trace_out_options *w = &c->write;
	const struct {
		bool given;
		const char *option, *formats;
	} options[] = {{o->columns != NULL, "--columns", "csv|tsv|parquet"},
		       {o->ns, "--ns", "csv"},
		       {o->names, "--names", "csv"},
		       {o->unknown, "--unknown", "csv"},
		       {o->no_header, "--no-header", "csv|tsv"},
		       {o->all_events, "--all-events", "csv|tsv|parquet"},
		       {c->read.layer != LAYER_DEFAULT, "--layer", BY_LAYER},
		       {o->block != 0, "--block", "oracle|lcs"},
		       {o->memory != 0, "--memory", "oracle|lcs"},
		       {o->counters, "--counters", "chrome|perfetto"},
		       {o->prefix != NULL, "--prefix", "fio"},
		       {o->real_names, "--real-names", "fio"},
		       {o->per_process, "--per-process", "fio"},
		       {o->setup != NULL, "--setup", "fio"},
		       {w->base != NOT_GIVEN, "--base", "iot"},
		       {w->compression >= 0, "--compress", "iot"},
		       {w->level != 0, "--level", "iot|parquet"},
		       {w->threads != 0, "--threads", "iot"},
		       {w->bare, "--bare", "iot"},
		       {w->sync != NOT_GIVEN, "--sync", "iot"},
		       {w->version != NOT_GIVEN, "--format-version", "iot"},
		       {w->framed, "--framed", "iot"}};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given && !has_word(options[i].formats, formats[c->format].name))
			return options_wrong(c->command, "%s goes with --format=%s",
					     options[i].option, options[i].formats);
	if (o->per_process && strcmp(c->write.path, "-") == 0)
		return options_wrong(c->command, "--per-process needs -o OUT, for the names");
	if (o->prefix != NULL && (*o->prefix == '\0' || strlen(o->prefix) > PREFIX_MAX ||
				  strpbrk(o->prefix, " \t\r\n\v\f") != NULL))
		return options_wrong(c->command,
				     "--prefix: expected up to %d characters without blanks",
				     PREFIX_MAX);
	return check_columns(c);
}

static void set_defaults(struct export_options *o)
{
	if (o->block == 0)
		o->block = BLOCK_DEFAULT;
	if (o->memory == 0)
		o->memory = CACHE_MEMORY_DEFAULT;
	if (o->prefix == NULL)
		o->prefix = "replay";
}

/* The format decides which columns are valid, and may follow. */
static const char *take_columns(const struct option *opt, const char *value)
{
	*(const char **)opt->target = value;
	return NULL;
}

static const char *column_word(size_t i)
{
	return i < EVENT_COLUMNS    ? event_column_name((enum event_column)i)
	       : i == EVENT_COLUMNS ? "raw"
				    : NULL;
}

enum exit_status cmd_cat(int argc, char **argv)
{
	struct cat c = {.read = TRACE_IN_WHOLE_INIT, .write = TRACE_OUT_OPTIONS_INIT};
	struct export_options *const o = &c.export;
	const struct option options[] = {
	    OPTION(CHOICE, 'f', "format", FORMATS, &c.format, "what to write (default: iot)"),
	    OPTION_OUTPUT(c.write),
	    OPTION_QUIET(c.read.quiet, c.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(c.read),
	    OPTION_PLAN(c.plan),
	    GROUP("Formats csv, tsv and parquet"),
	    WORDS("columns", "LIST|raw", &o->columns,
		  "these columns, or the numbers of the record lines (csv)", take_columns,
		  column_word),
	    OPTION(FLAG, 0, "all-events", NULL, &o->all_events,
		   "rows for operations without data, too"),
	    OPTION(FLAG, 0, "no-header", NULL, &o->no_header, "no line with column names"),
	    GROUP("Format csv with --columns=raw"),
	    OPTION(FLAG, 0, "ns", NULL, &o->ns, "times in nanoseconds instead of ticks"),
	    OPTION(FLAG, 0, "names", NULL, &o->names, "append the columns object and path"),
	    OPTION(FLAG, 0, "unknown", NULL, &o->unknown,
		   "append the columns unknown: which of offset, duration, cpu and start the "
		   "source did not know, and relative_offset: an unknown offset from its "
		   "unknown base"),
	    GROUP("Format fio"),
	    OPTION(STRING, 0, "prefix", "DIR", &o->prefix,
		   "names are DIR/1, DIR/2, ... (default: replay)"),
	    OPTION(FLAG, 0, "real-names", NULL, &o->real_names,
		   "traced paths: fio overwrites these files"),
	    OPTION(STRING, 0, "setup", "FILE", &o->setup,
		   "write a script that creates the files, sparse"),
	    OPTION(FLAG, 0, "per-process", NULL, &o->per_process,
		   "also a log NAME.PROCESS.iolog for each process"),
	    GROUP("Formats oracle and lcs"),
	    RANGE(SIZE, 0, "block", "SIZE", &o->block,
		  "block size, the size of every object (default: 4096)", 1, 1U << 30),
	    RANGE(SIZE, 0, "memory", "SIZE", &o->memory,
		  "for the numbers of the blocks (default: 1G)", 1 << 16, 0),
	    GROUP("Formats fio, oracle and lcs"),
	    OPTION_LAYER(c.read.layer),
	    GROUP("Formats chrome and perfetto"),
	    OPTION(FLAG, 0, "counters", NULL, &o->counters,
		   "bytes per second of each process, every 10 ms"),
	    GROUP("Format iot"),
	    OPTION_BASE_OF_IN(c.write),
	    OPTION_WRITING(c.write),
	    OPTION(FLAG, 0, "framed", NULL, &c.write.framed,
		   "with %iotrace, %sync and %end, even if IN has none"),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "cat",
	    .summary = "Write a trace in canonical form, or in a format of other tools",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	c.command = &command;
	status = check_options(&c);
	set_defaults(o);
	const char *path = count > 0 ? argv[0] : NULL;
	if (status == EXIT_OK)
		status = plan_choose(&c.plan, &path, &c.read, &command);
	if (status == EXIT_OK && has_word(BY_LAYER, formats[c.format].name))
		status = trace_in_choose_layer(&c.read, argv, count, &command);
	if (status == EXIT_OK)
		status = run(&c, path != NULL ? path : "-");
	plan_part_free(&c.plan.part);
	return status;
}
