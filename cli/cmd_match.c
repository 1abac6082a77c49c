/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace match: shares the counters of hosts among the jobs that ran there. */
#include <assert.h>
#include <stdlib.h>

#include "cli/jobs/list_reader.h"
#include "cli/ui/same_file.h"
#include "cli/ui/trace_out.h"
#include "cli/views/match.h"

struct match_run {
	struct trace_in_options read;
	struct trace_out_options write;
	struct job_list_options list_options;
	const char *jobs;
	int strategy; /* enum strategy */
	bool tsv;
	const struct command_spec *command;
};

static enum exit_status print(const struct match_run *run, const struct match *m)
{
	assert(m->hosts->list != NULL);
	const size_t listed = m->hosts->list->count;
	size_t *jobs = malloc((listed + 1) * sizeof *jobs), count = 0;
	struct output out;
	if (jobs == NULL)
		return message_no_memory();
	for (size_t i = 0; i < listed; i++)
		if (m->job[i].samples > 0 || m->job[i].bound > 0)
			jobs[count++] = i;
	enum exit_status status = output_open(&out, "-", 0);
	if (status == EXIT_OK) {
		if (run->tsv)
			match_print_tsv(&out, m, jobs, count);
		else
			match_print_text(&out, m);
		status = output_close(&out);
	}
	free(jobs);
	return status;
}

/* Reads the samples, and writes them if there is an output. */
static enum exit_status read_samples(struct match_run *run, struct match *m, const char *path)
{
	enum exit_status status = EXIT_OK;
	run->write.tick_ns = 1;
	if (run->write.path != NULL) {
		m->writer = iot_writer_new();
		status = m->writer == NULL ? message_no_memory()
					   : trace_out_open(m->writer, &run->write, run->command);
	}
	if (status == EXIT_OK)
		status = match_read(m, path, &run->read, run->command);
	if (m->status == IOT_ENOMEM)
		return message_no_memory();
	if (m->status != IOT_OK && m->writer != NULL)
		return trace_out_error(m->writer, &run->write);
	if (status == EXIT_FAILED)
		return status;
	status = exit_status_worse(status, match_report(m, run->read.quiet));
	if (status != EXIT_FAILED && m->writer != NULL && trace_out_close(m->writer) != IOT_OK)
		return trace_out_error(m->writer, &run->write);
	return status;
}

static enum exit_status run_match(struct match_run *run, const char *path)
{
	struct job_list list = {.job = NULL};
	struct host_jobs hosts = {.list = NULL};
	struct match m = {.hosts = &hosts, .strategy = (enum strategy)run->strategy};
	run->list_options.quiet = run->read.quiet;
	enum exit_status status = job_list_read(&list, run->jobs, &run->list_options);
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, host_jobs_make(&hosts, &list, run->jobs));
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, read_samples(run, &m, path));
	if (status != EXIT_FAILED &&
	    (run->write.path == NULL || run->write.path[0] != '-' || run->write.path[1] != '\0'))
		status = exit_status_worse(status, print(run, &m));
	iot_writer_free(m.writer);
	match_free(&m);
	host_jobs_free(&hosts);
	job_list_free(&list);
	return status;
}

static const char *take_zone(const struct option *opt, const char *value)
{
	*(const char **)opt->target = value;
	return list_zone_exists(value) ? NULL : "a time zone, such as Europe/Berlin";
}

static const char notes[] =
    "SAMPLES is a trace with %sample directives, in order of time; JOBS is the output of\n"
    "'sacct -P', an accounting log of PBS, or a table, with the hosts of each job.\n"
    "Several jobs that run on a host during one interval share its sample by their time in it\n"
    "(weighted); or those at its end get all (simple), none does (discard), or each (double).\n";

static const char examples[] =
    "  iotrace match --jobs=jobs.txt -o matched.iot.zst day.iot.zst\n"
    "  iotrace match --jobs=jobs.txt --strategy=discard --tsv day.iot.zst\n";

enum exit_status cmd_match(int argc, char **argv)
{
	struct match_run run = {.read = TRACE_IN_OPTIONS_INIT, .write = TRACE_OUT_OPTIONS_INIT};
	const struct option options[] = {
	    OPTION(STRING, 0, "jobs", "JOBS", &run.jobs, "the list of jobs; required"),
	    CALL("tz", "ZONE", &run.list_options.zone,
		 "time zone of the list, for times without one (default: UTC)", take_zone),
	    OPTION(CHOICE, 0, "strategy", "weighted|simple|discard|double", &run.strategy,
		   "who gets the samples of several jobs (default: weighted)"),
	    OPTION(STRING, 'o', "output", "OUT", &run.write.path,
		   "write the samples with job=, and %job, as a trace"),
	    OPTION(FLAG, 't', "tsv", NULL, &run.tsv, "print the bytes of jobs, with tabs"),
	    OPTION_QUIET(run.read.quiet, run.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(run.read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "match",
	    .summary = "Match counters of hosts with the jobs that ran there",
	    .synopsis = "--jobs=JOBS [OPTION]... SAMPLES",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	struct same_file_set files = {.command = &command};
	size_t count;
	enum exit_status status;
	run.write.path = NULL;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (run.jobs == NULL)
		return options_wrong(&command, "--jobs is missing: the list of jobs");
	if (count > 1)
		return options_wrong(&command,
				     "one trace of samples; 'iotrace merge' makes one of several");
	run.command = &command;
	same_file_add_inputs(&files, argv, count);
	same_file_add(&files, ROLE_INPUT, run.jobs);
	if (run.write.path != NULL)
		same_file_add_output(&files, ROLE_TRACE, "--output", run.write.path);
	status = same_file_check(&files);
	same_file_free(&files);
	return status == EXIT_OK ? run_match(&run, argv[0]) : status;
}
