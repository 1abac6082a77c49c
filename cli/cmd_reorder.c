/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace reorder: packets or a trace, in order of start. */
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

struct job {
	struct iot_command command;
	struct iot_reorder_options reorder;
	struct iot_report_file report;
	struct iot_files files;
	bool verbose;
};

static const char notes[] =
    "I/Os that start together stay in the order of IN. Comments without a time go with the\n"
    "record that follows them; %file and %process are told again where records need them.\n"
    "Without --window all of IN is held before the first record is written, beyond --memory in\n"
    "temporary files. With it a record is written when one has come that starts so much later:\n"
    "enough for input that is out of order by less than TIME, and for pipes. Who comes later\n"
    "still is written at once, out of order, and counted. TIME is a number with ns, us, ms, s,\n"
    "m, h or d behind it; of seconds where nothing is.\n"
    "Packets (procstat) tell how far they are complete, and are written in order as that allows:\n"
    "the same as iotrace convert.\n"
    "A damaged or truncated IN ends with %lost, the rest is complete; the exit status is 1.\n";

static const char examples[] =
    "  iotrace reorder -o sorted.iot.zst t.iot.zst       all of it\n"
    "  iotrace reorder --memory=64M --report=r.json -o sorted.iot t.iot\n"
    "  tail -f t.iot | iotrace reorder --no-verify --window=2s - | iotrace cat -f text\n"
    "  iotrace reorder --memory=8M -o job.iot.zst packets.bin\n";

static const char *take_window(const struct iot_opt *opt, const char *value)
{
	struct iot_time time;
	if (iot_time_parse(value, &time) != NULL || time.kind != IOT_TIME_SINCE_ZERO ||
	    time.value > INT64_MAX)
		return "a time, as 500ms or 2s";
	*(uint64_t *)opt->target = time.value;
	return NULL;
}

/* What IN is */

/* The first bytes of standard input, which stay there to be read. */
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
	unsigned char head[IOT_WORD], magic[IOT_WORD];
	iot_word_put(magic, IOT_PACKET_MAGIC);
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
		return path; /* whoever opens it next will say why it cannot be */
	(void)close(fd);
	return "-";
}

static const struct iot_converter *converter_of(const char *path)
{
	struct iot_error error = {.status = IOT_OK};
	const struct iot_converter *found = NULL;
	if (strcmp(path, "-") == 0)
		return stdin_is_packets() ? iot_converter_find("procstat") : NULL;
	struct iot_input *in = iot_input_new(&path, 1, iot_signal_stop(), &error);
	if (in != NULL)
		found = iot_converter_sniff(in, &error);
	iot_input_free(in);
	return found != NULL && found->live ? found : NULL;
}

/* Work */

static int convert(struct job *j, const struct iot_converter *converter, const char *path)
{
	const struct iot_reorder_options *o = &j->reorder;
	const struct iot_setting ops = {"ops", "all"};
	const struct iot_convert_options options = {.command = &j->command,
						    .converter = converter,
						    .settings = &ops,
						    .setting_count = 1,
						    .write = o->write,
						    .memory = o->memory,
						    .ops = IOT_OPS_ALL,
						    .progress = o->read.progress,
						    .quiet = o->read.quiet,
						    .verbose = j->verbose,
						    .files = &j->files};
	if (o->window_ns != IOT_NOT_GIVEN)
		return iot_opts_wrong(&j->command,
				      "--window is for traces; packets tell themselves");
	return iot_convert_and_tell(&options, &path, 1, o->write.path, &j->report);
}

static void warn(const struct job *j, const struct iot_reorder_report *r)
{
	if (r->late > 0 && !j->reorder.read.quiet)
		iot_message("warning: %ju records came late, the worst by %.6g s; they are "
			    "written, but not in order",
			    (uintmax_t)r->late, (double)r->late_by_ns / 1e9);
	if (j->verbose && r->kept)
		iot_message("%ju records, %ju late; %ju runs, %ju bytes in temporary files; "
			    "%ju bytes written",
			    (uintmax_t)r->records, (uintmax_t)r->late, (uintmax_t)r->runs,
			    (uintmax_t)r->spilled, (uintmax_t)r->written);
}

static void put_report(struct job *j, const char *path, const struct iot_reorder_report *r)
{
	iot_json_open(&j->report.json, NULL, '{');
	iot_json_text(&j->report.json, "input", path, strlen(path));
	iot_json_bool(&j->report.json, "kept", r->kept);
	iot_json_number(&j->report.json, "records", r->records);
	iot_json_number(&j->report.json, "late", r->late);
	iot_json_number(&j->report.json, "late_by_ns", r->late_by_ns);
	iot_json_number(&j->report.json, "runs", r->runs);
	iot_json_number(&j->report.json, "spilled_bytes", r->spilled);
	iot_json_number(&j->report.json, "written_bytes", r->written);
	iot_json_close(&j->report.json, '}');
}

static int reorder(struct job *j, const char *path)
{
	struct iot_reorder_report r;
	int status = iot_reorder(&j->reorder, path, &r);
	if (iot_report_is_due(status)) {
		warn(j, &r);
		if (j->report.path != NULL)
			put_report(j, path, &r);
	}
	return status;
}

static int with_report(struct job *j, const char *path)
{
	const struct iot_converter *converter = converter_of(path);
	int status = iot_report_open(&j->report);
	if (status != IOT_EXIT_OK)
		return status;
	status = converter != NULL ? convert(j, converter, path) : reorder(j, path);
	return iot_report_close(&j->report, status);
}

static int work(struct job *j, const char *path)
{
	struct iot_files *files = &j->files;
	files->command = &j->command;
	files->reads_folders = true;
	iot_files_add(files, IOT_ROLE_INPUT, path);
	iot_files_add(files, IOT_ROLE_OUTPUT, j->reorder.write.path);
	if (j->report.path != NULL)
		iot_files_add(files, IOT_ROLE_REPORT, j->report.path);
	const int status = iot_files_check(files);
	if (status != IOT_OPTS_GO_ON)
		return status;
	j->report.no_fsync = j->reorder.write.no_fsync;
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return iot_opts_wrong(&j->command, "standard input is a terminal; name a trace");
	return with_report(j, open_fifo(path));
}

int iot_cmd_reorder(int argc, char **argv)
{
	struct job j = {.reorder = {.read = IOT_READ_OPTIONS_INIT,
				    .write = IOT_WRITE_OPTIONS_INIT,
				    .memory = IOT_MEMORY_DEFAULT,
				    .window_ns = IOT_NOT_GIVEN}};
	struct iot_reorder_options *o = &j.reorder;
	const struct iot_opt options[] = {
	    IOT_OPT_MEMORY(&o->memory),
	    IOT_CALL("window", "TIME", &o->window_ns,
		     "write what starts so much before the latest (default: hold everything)",
		     take_window),
	    IOT_OPT_OUTPUT(o->write),
	    IOT_OPTION(STRING, 0, "report", "FILE", &j.report.path,
		       "write what was counted to FILE, as JSON"),
	    IOT_OPTION(FLAG, 'v', "verbose", NULL, &j.verbose, "tell what was done"),
	    IOT_OPT_QUIET(o->read.quiet, o->read.progress),
	    IOT_GROUP("Reading"),
	    IOT_OPT_READING(o->read),
	    IOT_GROUP("Writing"),
	    IOT_OPT_BASE_OF_IN(o->write),
	    IOT_OPT_WRITING(o->write),
	    IOT_OPTION(FLAG, 0, "framed", NULL, &o->write.framed,
		       "with %iotrace, %sync and %end, even if IN has none"),
	    IOT_OPTIONS_END,
	};
	size_t count;
	j.command = (struct iot_command){
	    .name = "reorder",
	    .summary = "Put a trace, or packets, in order of start",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	o->command = &j.command;
	int status = iot_opts_parse(&j.command, argc, argv, &count);
	if (status == IOT_OPTS_GO_ON)
		status = work(&j, count > 0 ? argv[0] : "-");
	iot_files_free(&j.files);
	return status;
}
