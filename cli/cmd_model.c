/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace model: what the logged I/O of a system would take in another system. */
#include <stdlib.h>
#include <string.h>

#include "cli/model/counters.h"
#include "cli/model/fit.h"
#include "cli/model/plots.h"
#include "cli/views/model.h"
#include "lib/io/bufreader.h"

struct model_run {
	struct trace_in_options read;
	const char *variant, *out, *plots;
	struct print_choice form;
	struct fit_grid grid;
	const struct command_spec *command;
};

static enum exit_status read_system(struct model_system *s, const char *path)
{
	struct bufreader *in = bufreader_new(path, NULL);
	struct error e = {0};
	size_t size = 0;
	if (in == NULL)
		return message_no_memory();
	enum exit_status status = EXIT_OK;
	const char *text =
	    bufreader_open(in, path) == IOT_OK ? bufreader_peek(in, MODEL_FILE_MAX, &size) : NULL;
	if (bufreader_status(in) != IOT_OK)
		status = message_error(path, bufreader_error(in)->text);
	else if (size >= MODEL_FILE_MAX)
		status = message_error(path, "larger than 64 KiB, not a description of a system");
	else if (model_system_parse(s, text, size, &e) != IOT_OK)
		status = message_error(path, e.text);
	bufreader_free(in);
	return status;
}

static enum exit_status failed(int status)
{
	return status == IOT_OK ? EXIT_OK : message_no_memory();
}

/* Hosts beyond the I/O nodes of the system are listed. */
static enum exit_status check(const struct model_system *s, const struct model_results *r)
{
	struct error e = {0};
	if (model_check(s, &r->input, &e) == IOT_OK)
		return EXIT_OK;
	message_print("%s", e.text);
	for (size_t i = s->io_nodes; i < r->input.nodes; i++)
		message_print_about(r->samples->host[i], "not an I/O node");
	return EXIT_FAILED;
}

static enum exit_status simulate(const struct model_run *run, const struct model_system *system,
				 struct model_results *r)
{
	struct model_system variant = *system;
	enum exit_status status = check(system, r);
	if (status == EXIT_OK && run->variant != NULL)
		status = read_system(&variant, run->variant);
	if (status == EXIT_OK && run->grid.keys > 0)
		return failed(fit_run(&run->grid, system, r));
	if (status == EXIT_OK)
		status = failed(model_simulate(system, &r->input, NULL, &r->base));
	r->has_variant = run->variant != NULL;
	if (status == EXIT_OK && r->has_variant)
		status = failed(model_simulate(&variant, &r->input, &r->base, &r->variant));
	if (status == EXIT_OK && !model_results_evaluate(r))
		status = message_no_memory();
	return status;
}

static enum exit_status print(const struct model_run *run, const struct model_results *r)
{
	struct output out;
	if (run->out != NULL && strcmp(run->out, "-") == 0)
		return EXIT_OK;
	const enum exit_status status = output_open(&out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (run->form.chosen != NULL)
		model_print(&out, r, run->form.chosen);
	else
		model_print_text(&out, r);
	return output_close(&out);
}

static void warn(const struct model_run *run, const struct model_results *r)
{
	if (run->read.quiet)
		return;
	if (r->samples->gaps > 0)
		message_print("warning: %ju samples with gap=1 are left out",
			      (uintmax_t)r->samples->gaps);
	if (r->samples->incomplete > 0)
		message_print(
		    "warning: %ju samples without read-bytes or written-bytes are left out",
		    (uintmax_t)r->samples->incomplete);
	if (r->variant.unsynchronized_jobs > 0)
		message_print("warning: %ju jobs do not begin together on their hosts, which wait "
			      "for each other in a circle",
			      (uintmax_t)r->variant.unsynchronized_jobs);
}

static enum exit_status write_all(const struct model_run *run, const struct model_results *r)
{
	enum exit_status status = EXIT_OK;
	warn(run, r);
	if (run->out != NULL)
		status = counters_write(r, run->out, run->command);
	if (run->plots != NULL)
		status = exit_status_worse(status, model_plots_write(r, run->plots));
	status = exit_status_worse(status, wrong_samples_report(&r->samples->wrong));
	return exit_status_worse(status, print(run, r));
}

static enum exit_status run_model(const struct model_run *run, char **paths, size_t count)
{
	struct samples samples = {0};
	struct model_results r = {.samples = &samples};
	struct model_system system;
	model_system_init(&system);
	enum exit_status status = read_system(&system, paths[0]);
	for (size_t i = 1; i < count && status != EXIT_FAILED; i++)
		status = exit_status_worse(
		    status, samples_read(&samples, paths[i], &run->read, run->command));
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, samples_finish(&samples));
	if (status != EXIT_FAILED) {
		r.input = samples_input(&samples);
		status = exit_status_worse(status, simulate(run, &system, &r));
	}
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, write_all(run, &r));
	model_results_free(&r);
	samples_free(&samples);
	return status;
}

/* Options */

static const char *add_fit(const struct option *opt, const char *value)
{
	return fit_grid_add(opt->target, value);
}

static enum exit_status check_files(const struct model_run *run, char **paths, size_t count)
{
	struct same_file_set files = {.command = run->command};
	same_file_add_inputs(&files, paths, count);
	if (run->variant != NULL)
		same_file_add(&files, ROLE_INPUT, run->variant);
	if (run->out != NULL)
		same_file_add_output(&files, ROLE_TRACE, "--output", run->out);
	if (run->plots != NULL)
		model_plots_add_files(&files, run->plots);
	const enum exit_status status = same_file_check(&files);
	same_file_free(&files);
	return status;
}

static const char notes[] =
    "SAMPLES are traces with %sample directives: what counters of I/O nodes logged in\n"
    "intervals, with job= for the times of jobs. SYSTEM is a text of \"key = value\" lines.\n"
    "Without --variant: the simulated counters against the logged ones. With it: the times\n"
    "of I/O nodes and jobs in both systems, with the same computation between the I/O.\n";

static const char examples[] =
    "  iotrace model jugene.system day.iot.zst\n"
    "  iotrace model --variant=buffers.system jugene.system day.iot.zst\n"
    "  iotrace model --fit=network=1Gbit/s:20Gbit/s:20 jugene.system day.iot.zst\n";

enum exit_status cmd_model(int argc, char **argv)
{
	struct model_run run = {.read = TRACE_IN_OPTIONS_INIT};
	const struct option options[] = {
	    OPTION(STRING, 0, "variant", "FILE", &run.variant,
		   "compare with SYSTEM as this file changes it"),
	    CALL("fit", "KEY=FROM:TO:STEPS", &run.grid,
		 "print how values of KEY fit the logs; may be repeated", add_fit),
	    OPTION(STRING, 'o', "output", "OUT", &run.out,
		   "write the simulated counters as a trace of samples"),
	    OPTION_FORMS(run.form, "", "jobs, or else I/O nodes, as columns"),
	    OPTION(STRING, 0, "plots", "DIR", &run.plots, "write plots to DIR"),
	    OPTION_QUIET(run.read.quiet, run.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(run.read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "model",
	    .summary = "Simulate the logged I/O of a system, as it is or with changes",
	    .synopsis = "[OPTION]... SYSTEM SAMPLES...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 2,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (!print_choice_valid(&run.form, &command))
		return EXIT_FAILED;
	if (run.variant != NULL && run.grid.keys > 0)
		return options_wrong(&command, "--variant and --fit exclude each other");
	if (run.grid.keys > 0 && (run.out != NULL || run.plots != NULL))
		return options_wrong(&command, "--fit has no -o and no --plots");
	run.command = &command;
	status = check_files(&run, argv, count);
	return status == EXIT_OK ? run_model(&run, argv, count) : status;
}
