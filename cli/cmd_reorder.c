/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iotrace reorder: sorts packets or a trace by start. A trace: reader -> prefetch -> sort ->
 * writer. Signals interrupt the read of a pipe only in this thread: a pipe is not prefetched.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iotrace/filter.h>

#include "convert.h"
#include "cli/ui/trace_time.h"
#include "cli/ui/piped.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/ui/trace_in.h"
#include "cli/views/reorder.h"

struct reorder_job {
	struct command_spec command;
	struct trace_in_options read;
	struct trace_out_options write;
	uint64_t memory;
	uint64_t window_ns; /* NOT_GIVEN: the whole trace is sorted */
	struct report_file report;
	struct same_file_set files;
	bool verbose;
};

/* One trace that is sorted. */
struct reorder {
	struct reorder_job *job;
	struct trace_in in;
	struct trace_out_options write;
	struct iot_writer *writer;
	struct iot_sort_report sort;
	bool live, piped;
	bool opened; /* the writer is open, or open_status says why not */
	enum exit_status open_exit;
	bool kept; /* the output is complete */
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
	if (trace_time_parse(value, &time) != NULL || time.kind != TIME_SINCE_ZERO ||
	    time.value > INT64_MAX)
		return "a time, as 500ms or 2s";
	*(uint64_t *)opt->target = time.value;
	return NULL;
}

/* Type of the input */

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

/* Packets are converted: their watermarks release records early. */
static bool is_packets(const struct reorder_job *j, const char *path)
{
	bool packed;
	const char *format = source_in_detect(path, STDIN_FILENO, &j->read.source, &packed);
	return format != NULL && strcmp(format, "procstat") == 0;
}

/* Packets */

static enum exit_status convert(struct reorder_job *j, const char *path)
{
	const struct convert_options options = {.command = &j->command,
						.format = "procstat",
						.write = j->write,
						.memory = j->memory,
						.progress = j->read.progress,
						.quiet = j->read.quiet,
						.verbose = j->verbose,
						.files = &j->files};
	if (j->window_ns != NOT_GIVEN)
		return options_wrong(&j->command,
				     "--window applies to traces only; packets carry watermarks");
	return convert_and_report(&options, &path, 1, j->write.path, &j->report);
}

/* A trace */

/*
 * The source of the pipeline. It opens the writer, as the first events precede the framing of IN.
 */
static int read_events(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct reorder *r = context;
	b->count = trace_in_events(&r->in, b->events, b->capacity);
	if (!r->opened && (b->count > 0 || trace_in_exit(&r->in, false) == EXIT_OK)) {
		r->opened = true;
		trace_in_keep_framing(&r->in, &r->write);
		r->open_exit = trace_out_open(r->writer, &r->write, &r->job->command);
	}
	if (r->open_exit != EXIT_OK)
		return iot_stream_fail(self, IOT_EUSAGE, "no output");
	return b->count > 0;
}

static struct iot_stream *new_pipeline(struct reorder *r)
{
	static const struct iot_stage source = {.next = read_events};
	const struct iot_sort_options sort = {.size = sizeof(sort),
					      .mode = r->live ? IOT_SORT_WINDOW : IOT_SORT_ALL,
					      .memory = r->job->memory,
					      .window_ns = r->job->window_ns,
					      .prefetch = !r->live,
					      .report = &r->sort};
	struct iot_stream *s = iot_stream_new(NULL, &source, r);
	if (!r->piped)
		s = iot_stream_prefetch(s);
	return iot_stream_sort(s, &sort);
}

/* A reader may be waiting for the events so far, while the input has no more data. */
static int flush_if_idle(struct reorder *r)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	if (!r->live || !r->piped || poll(&in, 1, 0) != 0)
		return IOT_OK;
	return iot_writer_flush(r->writer);
}

/* Returns a status of the stream, or of the writer. */
static int write_events(struct reorder *r, struct iot_stream *s, struct iot_batch *b)
{
	int status, written = IOT_OK;
	while (written == IOT_OK && (status = iot_stream_next(s, b)) != 0) {
		if (status < 0 || signals_pending() != 0)
			return status < 0 ? status : IOT_OK;
		written = iot_writer_events(r->writer, b->events, b->count);
		if (written == IOT_OK)
			written = flush_if_idle(r);
		if (!r->live)
			progress_show_written(&r->in.progress,
					      iot_writer_fact(r->writer, IOT_FACT_RECORDS),
					      iot_reader_fact(r->in.reader, IOT_FACT_RECORDS));
	}
	return written;
}

static enum exit_status finish(struct reorder *r)
{
	/* Out of memory is not an error of the trace: the output is discarded. */
	if (r->in.status == IOT_ENOMEM || signals_pending() != 0)
		return EXIT_FAILED;
	if (trace_in_mark_lost(&r->in, r->writer) != IOT_OK || trace_out_close(r->writer) != IOT_OK)
		return trace_out_error(r->writer, &r->write);
	progress_clear(&r->in.progress);
	if (trace_in_cut(&r->in))
		trace_out_report_cut(r->write.path);
	r->kept = true;
	return trace_in_exit(&r->in, true);
}

/* Messages are printed when no other thread is running. */
static enum exit_status sort_trace(struct reorder *r)
{
	char error[1024] = "out of memory";
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	r->writer = iot_writer_new();
	struct iot_stream *s = r->writer != NULL ? new_pipeline(r) : NULL;
	int status = IOT_ENOMEM;
	if (b != NULL && s != NULL) {
		status = write_events(r, s, b);
		snprintf(error, sizeof(error), "%s", iot_stream_error(s));
	}
	iot_stream_free(s);
	iot_batch_free(b);
	progress_clear(&r->in.progress);
	if (r->open_exit != EXIT_OK)
		return r->open_exit;
	if (status == IOT_OK || signals_pending() != 0)
		return r->opened ? finish(r) : EXIT_FAILED;
	if (error[0] == '\0')
		return trace_out_error(r->writer, &r->write);
	message_print("%s", error);
	return EXIT_FAILED;
}

static void warn(const struct reorder *r, uint64_t records, uint64_t written)
{
	const struct iot_sort_report *sort = &r->sort;
	if (sort->late > 0 && !r->job->read.quiet)
		message_print("warning: %ju records came late, the worst by %.6g s; they are "
			      "written, but not in order",
			      (uintmax_t)sort->late, (double)sort->late_by_ns / 1e9);
	if (r->job->verbose && r->kept)
		message_print("%ju records, %ju late; %ju runs, %ju bytes in temporary files; "
			      "%ju bytes written",
			      (uintmax_t)records, (uintmax_t)sort->late, (uintmax_t)sort->runs,
			      (uintmax_t)sort->spilled, (uintmax_t)written);
}

static void report(const struct reorder *r, const char *path)
{
	struct json *json = &r->job->report.json;
	const uint64_t records =
	    r->in.reader != NULL ? iot_reader_fact(r->in.reader, IOT_FACT_RECORDS) : 0;
	const uint64_t written = r->kept ? iot_writer_fact(r->writer, IOT_FACT_BYTES_STORED) : 0;
	warn(r, records, written);
	if (r->job->report.path == NULL)
		return;
	r->job->report.due = true;
	const struct sorted_trace sorted = {.input = path,
					    .kept = r->kept,
					    .records = records,
					    .written_bytes = written,
					    .sort = &r->sort};
	sorted_trace_print(json, &sorted);
}

static enum exit_status reorder(struct reorder_job *j, const char *path)
{
	struct reorder r = {.job = j,
			    .write = j->write,
			    .live = j->window_ns != NOT_GIVEN,
			    .piped = piped_detect(path)};
	j->read.source.memory = j->memory;
	trace_in_catch_signals(path, &j->read, j->write.path);
	enum exit_status status = trace_in_open(&r.in, path, &j->read, &j->command);
	if (status == EXIT_OK)
		status = sort_trace(&r);
	if (r.in.reader != NULL && signals_pending() == 0)
		report(&r, path);
	trace_in_close(&r.in);
	iot_writer_free(r.writer);
	signals_restore();
	return status;
}

/* Run */

static enum exit_status with_report(struct reorder_job *j, const char *path)
{
	const bool packets = is_packets(j, path);
	enum exit_status status = report_file_open(&j->report);
	if (status != EXIT_OK)
		return status;
	status = packets ? convert(j, path) : reorder(j, path);
	return report_file_close(&j->report, status);
}

static enum exit_status work(struct reorder_job *j, const char *path)
{
	struct same_file_set *files = &j->files;
	files->command = &j->command;
	files->reads_directories = true;
	same_file_add(files, ROLE_INPUT, path);
	same_file_add(files, ROLE_TRACE, j->write.path);
	if (j->report.path != NULL)
		same_file_add_output(files, ROLE_REPORT, "--report", j->report.path);
	const enum exit_status status = same_file_check(files);
	if (status != EXIT_OK)
		return status;
	j->report.no_fsync = j->write.no_fsync;
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(&j->command, "standard input is a terminal; name a trace");
	return with_report(j, open_fifo(path));
}

enum exit_status cmd_reorder(int argc, char **argv)
{
	struct reorder_job j = {.read = TRACE_IN_OPTIONS_INIT,
				.write = TRACE_OUT_OPTIONS_INIT,
				.memory = MEMORY_DEFAULT,
				.window_ns = NOT_GIVEN};
	const struct option options[] = {
	    OPTION_MEMORY(&j.memory),
	    CALL("window", "TIME", &j.window_ns,
		 "write a record once it is TIME older than the newest start (default: "
		 "sort all of IN first)",
		 take_window),
	    OPTION_OUTPUT(j.write),
	    OPTION(STRING, 0, "report", "FILE", &j.report.path,
		   "write a report with all counts to FILE, as JSON"),
	    OPTION(FLAG, 'v', "verbose", NULL, &j.verbose, "print a summary of what was done"),
	    OPTION_QUIET(j.read.quiet, j.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(j.read),
	    GROUP("Writing"),
	    OPTION_BASE_OF_IN(j.write),
	    OPTION_WRITING(j.write),
	    OPTION(FLAG, 0, "framed", NULL, &j.write.framed,
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
	j.read.verified = true;
	enum exit_status status;
	if (options_parse(&j.command, argc, argv, &count, &status))
		status = work(&j, count > 0 ? argv[0] : "-");
	same_file_free(&j.files);
	return status;
}
