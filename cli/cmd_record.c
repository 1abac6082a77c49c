/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace record: runs a program and writes the trace of its I/O while it runs. */
#include <stdlib.h>
#include <string.h>

#include "cli/record/run.h"
#include "cli/ui/options.h"

enum { MEMORY = 64 << 20, SPOOL = 256 << 20 };

static const char *take_variable(const struct option *opt, const char *value)
{
	struct variables *v = opt->target;
	if (*value == '\0' || strpbrk(value, "= \t") != NULL)
		return "the name of a variable";
	if (v->count == VARIABLES_MAX)
		return "at most 64 variables";
	v->name[v->count++] = value;
	return NULL;
}

/* Parsing changes the array. Returns NULL if out of memory. */
static char **copy_arguments(int argc, char **argv)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	if (copy != NULL)
		memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	return copy;
}

static int parse_and_run(struct record_job *j, int argc, char **argv)
{
	size_t count;
	enum exit_status status;
	if (!options_parse(j->command, argc, argv, &count, &status))
		return status == EXIT_OK ? EXIT_OK : EXIT_NOT_RECORDED;
	if (j->resume != NULL)
		return run_resume(j, count);
	if (!run_check(j, count))
		return EXIT_NOT_RECORDED;
	argv[count] = NULL;
	j->argv = argv;
	run_settle(j);
	return run_program(j);
}

enum exit_status cmd_record(int argc, char **argv)
{
	struct record_job j = {
	    .signals = -1,
	    .launch = {.release = -1, .failure = -1},
	    .recording = {.fd = -1, .pipe = -1},
	    .join = {.fd = -1},
	    .ops = 1,
	    .spool = {.fd = -1},
	    .disks = BLOCK_TRACE_INIT,
	    .live = LIVE_CONTROL_INIT,
	    .spool_limit = SPOOL,
	    .collector = {.memory = MEMORY},
	};
	struct ring_events_options *events = &j.collector.events;
	const struct option options[] = {
	    OPTION(STRING, 'o', "output", "OUT", &j.out,
		   "write the trace to OUT (default: PROGRAM.PID.iot.zst); .gz and .zst compress"),
	    OPTION(FLAG, 'f', "follow", NULL, &j.follow, "trace child processes, too (default)"),
	    OPTION(FLAG, 0, "no-follow", NULL, &j.no_follow, "trace only PROGRAM's own process"),
	    OPTION(FLAG, 0, "per-thread", NULL, &j.collector.per_thread,
		   "make each thread a process of the trace, with thread-of"),
	    CALL("path", "GLOB", &events->paths, "trace only files whose path matches",
		 glob_list_take),
	    CALL("skip-path", "GLOB", &events->skipped,
		 "do not trace files whose path matches (/dev, /proc and /sys are skipped unless "
		 "--path is given)",
		 glob_list_take),
	    OPTION(CHOICE, 0, "ops", "data|all", &j.ops,
		   "data: opens, closes and transfers; all: other operations, too (default)"),
	    OPTION(CHOICE, 0, "stdio", "transfers|calls|off", &j.stdio,
		   "of streams, record the transfers of their buffers, or the calls of the "
		   "program, or only count (default: transfers)"),
	    OPTION(
		CHOICE, 0, "seen", "calls|syscalls|traps|auto", &j.seen,
		"see the calls of libc's functions, or the system calls in libc, also those that "
		"it makes by itself; traps: also the system calls of any other code, by a signal "
		"for each; "
		"auto: "
		"syscalls, where it can (default: calls)"),
	    OPTION(CHOICE, 0, "cpu", "sampled|exact|none", &j.cpu,
		   "read the CPU time once per ms, at each I/O, or never (default: sampled)"),
	    OPTION(CHOICE, 0, "clock", "auto|tsc|monotonic", &j.clock_choice,
		   "take times from the processor's time stamp counter, or from CLOCK_MONOTONIC "
		   "(default: from the counter where the kernel uses it, too)"),
	    OPTION(CHOICE, 0, "full", "block|drop", &j.full,
		   "if PROGRAM is faster than the trace can be written, it waits, or records are "
		   "dropped and counted (default: block)"),
	    OPTION(CHOICE, 0, "transport", "ring|pipe", &j.transport,
		   "records come through shared memory, or as packets of procstat through a pipe "
		   "(default: ring)"),
	    OPTION(CHOICE, 0, "convert", "while|after|auto", &j.convert,
		   "write the trace while PROGRAM runs (default), or gather it in shared memory "
		   "first, and write it when PROGRAM has ended; auto: gather, where it can"),
	    RANGE(SIZE, 0, "spool", "SIZE", &j.spool_limit,
		  "gather at most SIZE with --convert=after and auto, then write (default: 256M)",
		  65536, UINT64_MAX),
	    OPTION(STRING, 0, "resume", "DIR", &j.resume,
		   "make the trace of a record that was killed, from what it gathered in DIR; no "
		   "PROGRAM"),
	    OPTION(STRING, 0, "join", "NAME", &j.join_name,
		   "add PROGRAM to the trace of the record process of this host that was started "
		   "first with NAME"),
	    CALL("rotate", "SIZE|TIME", &j.rotation,
		 "write the trace in parts OUT.0001.iot.zst, OUT.0002.iot.zst, ... of about SIZE, "
		 "or of TIME, which iotrace merge joins",
		 rotation_parse),
	    RANGE(NUMBER, 0, "keep-parts", "N", &j.rotation.keep,
		  "with --rotate, remove all parts but the N newest", 1, UINT64_MAX),
	    CALL("env", "NAME", &j.variables, "store this environment variable in the trace",
		 take_variable),
	    OPTION(
		STRING, 0, "blktrace", "FILE", &j.blktrace,
		"also trace the disks into FILE, and tie each disk I/O to the call of PROGRAM that "
		"caused it; implies --extents and --per-thread"),
	    OPTION(FLAG, 0, "extents", NULL, &events->extents,
		   "add the disk addresses of files, by which iotrace merge ties disk I/Os"),
	    OPTION(STRING, 0, "control", "PATH", &j.live.path,
		   "answer requests of 'iotrace control PATH'"),
	    CALL("analyze", "[NAME=]FILE.so[:ARGS]", &j.live.analyses,
		 "give all events to a module, which reports on standard error at the end, and "
		 "when 'iotrace control' asks; several modules have several names",
		 analyses_take),
	    OPTION(FLAG, 0, "discard", NULL, &j.live.discards,
		   "begin without keeping records; they are counted"),
	    OPTION(FLAG, 0, "check", NULL, &j.check,
		   "report the bytes that the kernel counted and those in the trace"),
	    OPTION(FLAG, 'q', "quiet", NULL, &j.quiet, "no report, no warnings"),
	    OPTION(STRING, 'p', "pid", "PID", &j.pid, NULL),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "record",
	    .summary = "Run a program and trace its I/O",
	    .synopsis = "[OPTION]... [--] PROGRAM [ARG]...",
	    .options = options,
	    .notes = "OUT may be \"-\", standard output, or \"|COMMAND\"; %p in it is the process "
		     "id, %h the\nhost, %r the MPI rank, %j the batch job, %% a percent sign. The "
		     "exit status is\nPROGRAM's, or 128 + the signal that killed it; 125: "
		     "record failed; 126: PROGRAM cannot be\nexecuted; 127: it was not found.\n",
	    .examples = "  iotrace record -o app.iot.zst ./app\n"
			"  iotrace record --path='/data/*' -- ./app -v input\n"
			"  mpirun -n 64 iotrace record -o 'job.%j.%r.iot.zst' ./app\n"
			"  mpirun -n 64 iotrace record --join=app -o 'job.%h.iot.zst' ./app\n",
	    .runs_program = true,
	};
	j.command = &command;
	j.arguments = copy_arguments(argc, argv);
	const int status = parse_and_run(&j, argc, argv);
	free(j.texts);
	free(j.arguments);
	return (enum exit_status)status;
}
