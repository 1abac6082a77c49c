/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace mount: a file system that shows a directory and traces what is done to it. */
#include "cmd.h"

#include "cli/mount/buffers.h"
#include "cli/mount/job.h"
#include "cli/ui/message.h"
#include "cli/ui/options.h"

enum { BUFFER = 16 << 20, THREADS = 10 };

#ifndef IOTRACE_FUSE

int mount_run(const struct mount_options *options, const char *source, const char *point)
{
	(void)options, (void)source, (void)point;
	message_print("this iotrace was built without libfuse3, which mount needs: install "
		      "libfuse3-dev and build it again");
	return EXIT_FAILED;
}

enum exit_status mount_stop(const char *point)
{
	return (enum exit_status)mount_run(NULL, point, point);
}

#endif

enum exit_status cmd_mount(int argc, char **argv)
{
	static struct mount_options o = {.buffer = BUFFER, .threads = THREADS};
	static struct live_control live = LIVE_CONTROL_INIT;
	static bool runs, stops;
	static int view, full;
	const struct option options[] = {
	    OPTION(STRING, 'o', "output", "OUT", &o.out,
		   "write the trace to OUT (default: NAME.PID.iot.zst); .gz and .zst compress"),
	    OPTION(FLAG, 0, "run", NULL, &runs,
		   "run the program after --, and unmount when it ends"),
	    OPTION(FLAG, 0, "stop", NULL, &stops,
		   "unmount MOUNTPOINT, also after its iotrace was killed, and wait until the "
		   "trace is complete"),
	    OPTION(CHOICE, 0, "view", "application|kernel", &view,
		   "record the calls of applications, or what the page cache requests (default: "
		   "application)"),
	    CALL("mmap-fallback", "GLOB", &o.mapped,
		 "use the page cache for files whose path matches, so that they can be mapped "
		 "shared",
		 glob_list_take),
	    CALL("path", "GLOB", &o.events.paths, "trace only files whose path matches",
		 glob_list_take),
	    CALL("skip-path", "GLOB", &o.events.skipped, "do not trace files whose path matches",
		 glob_list_take),
	    RANGE(SIZE, 0, "buffer", "SIZE", &o.buffer,
		  "size of each of the two buffers (default: 16MiB)", BUFFERS_SIZE_MIN,
		  UINT64_C(1) << 32),
	    OPTION(CHOICE, 0, "full", "block|drop", &full,
		   "if both buffers are full, requests wait, or records are dropped and counted "
		   "(default: block)"),
	    RANGE(NUMBER, 0, "threads", "N", &o.threads, "threads for requests (default: 10)", 1,
		  256),
	    OPTION(STRING, 0, "control", "PATH", &live.path,
		   "answer requests of 'iotrace control PATH'"),
	    CALL("analyze", "[NAME=]FILE.so[:ARGS]", &live.analyses,
		 "give all events to a module, which reports on standard error at the end, and "
		 "when 'iotrace control' asks; several modules have several names",
		 analyses_take),
	    OPTION(STRING, 0, "settings", "FILE", &live.settings,
		   "fulfil the requests in FILE, one a line, and again at SIGHUP: keep, discard, "
		   "module [NAME=]FILE.so[:ARGS]"),
	    OPTION(FLAG, 0, "discard", NULL, &live.discards,
		   "begin without keeping records; they are counted"),
	    OPTION(FLAG, 'q', "quiet", NULL, &o.quiet, "no statistics"),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "mount",
	    .summary = "Show a directory at another place and trace what is done to it there",
	    .synopsis = "[OPTION]... SOURCE MOUNTPOINT\n[OPTION]... --run SOURCE MOUNTPOINT -- "
			"PROGRAM [ARG]...\n--stop MOUNTPOINT",
	    .options = options,
	    .notes =
		"It ends when MOUNTPOINT is unmounted, or by SIGINT or SIGTERM. SIGUSR1 prints "
		"statistics.\nWith --run, mount exits with the status of PROGRAM, or with 125 if "
		"mount failed,\n126 if PROGRAM cannot be executed, 127 if it was not found.\n",
	    .examples = "  iotrace mount /data /mnt & ./static-program /mnt/input; iotrace mount "
			"--stop /mnt\n"
			"  iotrace mount -o app.iot.zst --run /data /mnt -- ./app /mnt/input\n"
			"  iotrace mount -o app.iot.zst --run /data /data -- ./app\n",
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (stops)
		return count == 1 ? mount_stop(argv[0])
				  : options_wrong(&command, "--stop: name one mount point");
	if (runs ? count < 3 : count != 2)
		return options_wrong(&command, runs ? "name the source, the mount point and the "
						      "program"
						    : "name the source and the mount point");
	argv[count] = NULL;
	o.program = runs ? argv + 2 : NULL;
	o.cached = view == 1;
	o.drop = live.drops = full == 1;
	o.live = o.events.live = &live;
	return (enum exit_status)mount_run(&o, argv[0], argv[1]);
}
