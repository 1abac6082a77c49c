/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of one trace or job in each form, and its warnings. */
#include "analyze_run.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/analyze/inputs.h"
#include "cli/analyze/states.h"
#include "cli/report/plots.h"
#include "cli/report/report.h"
#include "cli/ui/message.h"
#include "cli/views/against.h"
#include "cli/views/analyze.h"
#include "cli/views/analyze_rows.h"
#include "lib/base/atomic_file.h"
#include "lib/result/names.h"

enum { TOP_ON_TERMINAL = 20 };

static void warn_of(const struct analyze_run *a, const char *section, const char *name,
		    const char *sentence)
{
	const struct iot_analyze_value *v =
	    iot_analyze_find(a->results.analysis, section, name, NULL);
	if (v != NULL && v->number > 0)
		message_print("warning: %ju %s", (uintmax_t)v->number, sentence);
}

static bool has_requests(const struct iot_analyze *a)
{
	return iot_analyze_find(a, VALUE(totals, requests), NULL)->number > 0;
}

/* A trace without requests of file data may have only others. */
static void warn_of_others(const struct iot_analyze *a)
{
	static const char *const others[][3] = {
	    {"metadata_reads", "read", "metadata"},
	    {"metadata_writes", "write", "metadata"},
	    {"read_ahead_reads", "read", "read-ahead"},
	    {"read_ahead_writes", "write", "read-ahead"},
	    {"virtual_memory_reads", "read", "virtual memory"},
	    {"virtual_memory_writes", "write", "virtual memory"},
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const struct iot_analyze_value *v =
		    iot_analyze_find(a, VALUE(trace, other_requests), others[i][0]);
		if (v != NULL && v->number > 0)
			message_print(
			    "warning: left out: %ju %s%s of %s; only file data is analyzed",
			    (uintmax_t)v->number, others[i][1], v->number == 1 ? "" : "s",
			    others[i][2]);
	}
}

static void warn(const struct analyze_run *a)
{
	warn_of(a, VALUE(trace, left_out_logical), "logical records are left out");
	warn_of(a, VALUE(trace, left_out_physical), "physical records are left out; see --layer");
	warn_of(a, VALUE(trace, left_out), "requests of another layer are left out; see --layer");
	if (!has_requests(a->results.analysis))
		warn_of_others(a->results.analysis);
	if (a->in.status == IOT_OK) /* damage has been reported */
		warn_of(a, VALUE(trace, gaps), "%lost: the trace is incomplete");
	warn_of(a, VALUE(totals, out_of_order),
		"records or operations start before the previous one; see 'iotrace reorder'");
}

/* Without requests, operations and samples, an error of the trace is all there is to report. */
static bool is_worth_reporting(const struct analyze_run *a)
{
	return a->in.status == IOT_OK || analyze_has_activity(a->results.analysis);
}

/* Tables of --by */
static const enum iot_analyze_by table_by[] = {IOT_ANALYZE_BY_PROCESS,   IOT_ANALYZE_BY_RANK,
					       IOT_ANALYZE_BY_HOST,      IOT_ANALYZE_BY_FILE,
					       IOT_ANALYZE_BY_DIRECTORY, IOT_ANALYZE_BY_OPERATION};

static int print_table(struct analyze_run *a)
{
	if (a->top == NOT_GIVEN && a->form.chosen == NULL && isatty(STDOUT_FILENO))
		a->top = TOP_ON_TERMINAL;
	return analyze_rows_print(&a->results.out, a->results.analysis, table_by[a->by],
				  a->form.chosen, a->top);
}

/* Returns an enum iot_status. */
static int print(struct analyze_run *a)
{
	if (!a->in.quiet)
		warn(a);
	if (a->by != NOT_BY)
		return print_table(a);
	if (a->before != NULL)
		return analyze_against_print(&a->results.out, a->results.analysis, a->before,
					     a->against, a->form.chosen);
	if (a->form.chosen != NULL)
		analyze_print(&a->results, a->form.chosen);
	else
		(a->results.shows_all ? analyze_print_summary : analyze_print_text)(&a->results);
	return IOT_OK;
}

static struct report_options html_options(const struct analyze_run *a, bool damaged)
{
	enum { ROWS = 20 };
	return (struct report_options){.path = a->html,
				       .how = a->no_fsync ? ATOMIC_FILE_NO_SYNC : 0,
				       .rows = a->top == NOT_GIVEN ? ROWS : (size_t)a->top,
				       .damaged = damaged};
}

static enum exit_status write_plots(const struct analyze_run *a, const struct plot *const *list,
				    const struct plot_data *data)
{
	return plots_write(list, data, a->plots, a->png, a->no_fsync ? ATOMIC_FILE_NO_SYNC : 0);
}

/* Writes the report as HTML, and plots. */
static enum exit_status write_pictures(struct analyze_run *a)
{
	struct plot_data data;
	enum exit_status status = EXIT_OK;
	if (iot_analyze_finish(a->results.analysis) != IOT_OK)
		return message_no_memory();
	if (!a->in.quiet)
		warn(a);
	if (!is_worth_reporting(a))
		return EXIT_FAILED;
	if (plot_data_make(&data, a->results.analysis, a->options.interval_ns != 0) != IOT_OK)
		status = message_no_memory();
	if (status == EXIT_OK && a->plots != NULL)
		status = write_plots(a, trace_plots, &data);
	if (status == EXIT_OK && a->html != NULL) {
		const struct report_options options =
		    html_options(a, a->in.status != IOT_OK || a->incomplete);
		status = report_write(&data, &options);
	}
	plot_data_free(&data);
	return status;
}

/* The same of several jobs. */
enum exit_status analyze_run_job_pictures(const struct analyze_run *a, struct report_jobs *jobs,
					  bool incomplete)
{
	const struct report_options options = html_options(a, incomplete);
	struct plot_data data;
	enum exit_status status = report_jobs_data(jobs, &data) ? EXIT_OK : message_no_memory();
	if (status == EXIT_OK && a->plots != NULL)
		status = write_plots(a, job_plots, &data);
	if (status == EXIT_OK && a->html != NULL)
		status = report_jobs_write(jobs, &data, &options);
	return status;
}

enum exit_status analyze_run_report(struct analyze_run *a, const struct command_spec *command)
{
	if (a->state != NULL)
		return analyze_state_save(a->results.analysis, a->state, a->no_fsync, command);
	if (analyze_run_has_pictures(a))
		return write_pictures(a);
	enum exit_status status = output_open(&a->results.out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (iot_analyze_finish(a->results.analysis) != IOT_OK) {
		output_abandon(&a->results.out);
		return message_no_memory();
	}
	if (!is_worth_reporting(a)) {
		output_abandon(&a->results.out);
		return EXIT_FAILED;
	}
	if (print(a) != IOT_OK) {
		output_abandon(&a->results.out);
		return message_no_memory();
	}
	return output_close(&a->results.out);
}
