/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace reorder: sorts packets or a trace by start. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert.h"
#include "lib/base/error.h"
#include "lib/packets/packet.h"
#include "cli/filter/reorder.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/ui/parse_time.h"

struct reorder_job {
	struct command_spec command;
	struct reorder_options reorder;
	struct report_file report;
	struct files files;
	bool verbose;
};

static const char notes[] =
    "I/Os that start together stay in the order of IN. Comments without a time go with the\n"
    "record that follows them; %file and %process are repeated where records need them.\n"
    "Without --window all of IN is read before the first record is written; beyond --memory it\n"
    "is kept in temporary files. With --window a record is written once a record that starts\n"
    "TIME later has been read: enough for pipes, and for input that is out of order by less than\n"
    "TIME. A record that arrives even later is written at once, out of order, and counted. TIME\n"
    "is a number followed by ns, us, ms, s, m, h or d; without a unit, seconds.\n"
    "Packets (procstat) state up to which time they are complete, and are written in order up to\n"
    "that time, as by iotrace convert.\n"
    "A damaged or truncated IN ends with %lost, the rest is complete; the exit status is 1.\n";

static const char examples[] =
    "  iotrace reorder -o sorted.iot.zst t.iot.zst       all of it\n"
    "  iotrace reorder --memory=64M --report=r.json -o sorted.iot t.iot\n"
    "  tail -f t.iot | iotrace reorder --no-verify --window=2s - | iotrace cat -f text\n"
    "  iotrace reorder --memory=8M -o job.iot.zst packets.bin\n";

static const char *take_window(const struct option *opt, const char *value)
{
	struct trace_time time;
	if (time_parse(value, &time) != NULL || time.kind != TIME_SINCE_ZERO ||
	    time.value > INT64_MAX)
		return "a time, as 500ms or 2s";
	*(uint64_t *)opt->target = time.value;
	return NULL;
}

/* Type of the input */

/* The first bytes of standard input, which remain to be read. */
static ssize_t peek_stdin(void *head, size_t size)
{
	int side[2];
	struct stat st;
	if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		return pread(STDIN_FILENO, head, size, lseek(STDIN_FILENO, 0, SEEK_CUR));
	if (pipe2(side, O_CLOEXEC) != 0)
		return -1;
	ssize_t n;
	do
		n = tee(STDIN_FILENO, side[1], size, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		n = read(side[0], head, (size_t)n);
	(void)close(side[0]);
	(void)close(side[1]);
	return n;
}

static bool stdin_is_packets(void)
{
	unsigned char head[PACKET_WORD_SIZE], magic[PACKET_WORD_SIZE];
	packet_word_put(magic, PACKET_MAGIC);
	return peek_stdin(head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       memcmp(head, magic, sizeof(magic)) == 0;
}

/* A FIFO can be opened once: it becomes standard input. */
static const char *open_fifo(const char *path)
{
	struct stat st;
	if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISFIFO(st.st_mode))
		return path;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return path; /* the next open reports the error */
	(void)close(fd);
	return "-";
}

static const struct converter *converter_of(const char *path)
{
	struct error error = {.status = IOT_OK};
	const struct converter *found = NULL;
	if (strcmp(path, "-") == 0)
		return stdin_is_packets() ? converter_find("procstat") : NULL;
	struct input *in = input_new(&path, 1, signal_stop(), &error);
	if (in != NULL)
		found = converter_sniff(in, &error);
	input_free(in);
	return found != NULL && found->live ? found : NULL;
}

/* Run */

static int convert(struct reorder_job *j, const struct converter *converter, const char *path)
{
	const struct reorder_options *o = &j->reorder;
	const struct setting ops = {"ops", "all"};
	const struct convert_options options = {.command = &j->command,
						.converter = converter,
						.settings = &ops,
						.setting_count = 1,
						.write = o->write,
						.memory = o->memory,
						.ops = OPS_ALL,
						.progress = o->read.progress,
						.quiet = o->read.quiet,
						.verbose = j->verbose,
						.files = &j->files};
	if (o->window_ns != NOT_GIVEN)
		return options_wrong(&j->command,
				     "--window applies to traces only; packets carry watermarks");
	return convert_and_report(&options, &path, 1, o->write.path, &j->report);
}

static void warn(const struct reorder_job *j, const struct reorder_report *r)
{
	if (r->late > 0 && !j->reorder.read.quiet)
		print_message("warning: %ju records came late, the worst by %.6g s; they are "
			      "written, but not in order",
			      (uintmax_t)r->late, (double)r->late_by_ns / 1e9);
	if (j->verbose && r->kept)
		print_message("%ju records, %ju late; %ju runs, %ju bytes in temporary files; "
			      "%ju bytes written",
			      (uintmax_t)r->records, (uintmax_t)r->late, (uintmax_t)r->runs,
			      (uintmax_t)r->spilled, (uintmax_t)r->written);
}

static void put_report(struct reorder_job *j, const char *path, const struct reorder_report *r)
{
	json_open(&j->report.json, NULL, '{');
	json_text(&j->report.json, "input", path, strlen(path));
	json_bool(&j->report.json, "kept", r->kept);
	json_number(&j->report.json, "records", r->records);
	json_number(&j->report.json, "late", r->late);
	json_number(&j->report.json, "late_by_ns", r->late_by_ns);
	json_number(&j->report.json, "runs", r->runs);
	json_number(&j->report.json, "spilled_bytes", r->spilled);
	json_number(&j->report.json, "written_bytes", r->written);
	json_close(&j->report.json, '}');
}

static int reorder(struct reorder_job *j, const char *path)
{
	struct reorder_report r;
	int status = reorder_trace(&j->reorder, path, &r);
	if (report_is_due(status)) {
		warn(j, &r);
		if (j->report.path != NULL)
			put_report(j, path, &r);
	}
	return status;
}

static int with_report(struct reorder_job *j, const char *path)
{
	const struct converter *converter = converter_of(path);
	int status = report_open(&j->report);
	if (status != EXIT_OK)
		return status;
	status = converter != NULL ? convert(j, converter, path) : reorder(j, path);
	return report_close(&j->report, status);
}

static int work(struct reorder_job *j, const char *path)
{
	struct files *files = &j->files;
	files->command = &j->command;
	files->reads_directories = true;
	files_add(files, ROLE_INPUT, path);
	files_add(files, ROLE_OUTPUT, j->reorder.write.path);
	if (j->report.path != NULL)
		files_add(files, ROLE_REPORT, j->report.path);
	const int status = files_check(files);
	if (status != EXIT_OK)
		return status;
	j->report.no_fsync = j->reorder.write.no_fsync;
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(&j->command, "standard input is a terminal; name a trace");
	return with_report(j, open_fifo(path));
}

int cmd_reorder(int argc, char **argv)
{
	struct reorder_job j = {.reorder = {.read = READ_OPTIONS_INIT,
					    .write = WRITE_OPTIONS_INIT,
					    .memory = MEMORY_DEFAULT,
					    .window_ns = NOT_GIVEN}};
	struct reorder_options *o = &j.reorder;
	const struct option options[] = {
	    OPTION_MEMORY(&o->memory),
	    CALL("window", "TIME", &o->window_ns,
		 "write a record once it is TIME older than the newest start (default: "
		 "sort all of IN first)",
		 take_window),
	    OPTION_OUTPUT(o->write),
	    OPTION(STRING, 0, "report", "FILE", &j.report.path,
		   "write a report with all counts to FILE, as JSON"),
	    OPTION(FLAG, 'v', "verbose", NULL, &j.verbose, "print a summary of what was done"),
	    OPTION_QUIET(o->read.quiet, o->read.progress),
	    GROUP("Reading"),
	    OPTION_READING(o->read),
	    GROUP("Writing"),
	    OPTION_BASE_OF_IN(o->write),
	    OPTION_WRITING(o->write),
	    OPTION(FLAG, 0, "framed", NULL, &o->write.framed,
		   "with %iotrace, %sync and %end, even if IN has none"),
	    OPTIONS_END,
	};
	size_t count;
	j.command = (struct command_spec){
	    .name = "reorder",
	    .summary = "Put a trace, or packets, in order of start",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	o->command = &j.command;
	int status;
	if (options_parse(&j.command, argc, argv, &count, &status))
		status = work(&j, count > 0 ? argv[0] : "-");
	files_free(&j.files);
	return status;
}
