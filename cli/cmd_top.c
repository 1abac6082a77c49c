/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace top: the I/O of a trace while it is being written, as a table that is kept up to date. */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/top/module_run.h"
#include "cli/top/table.h"
#include "cli/views/top.h"
#include "cli/ui/message.h"
#include "cli/ui/trace_time.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"

enum { LINES = 20 /* without a terminal, as text */ };

/* The position of "op" in --by, whose words lack "input". */
enum { BY_OP = IOT_STATS_BY_TRACE };

struct top_run {
	const struct command_spec *command;
	const char *path, *module; /* FILE.so[:ARGS], or NULL */
	int by, sort;
	uint64_t top, interval_ns;
	bool once, json;
	enum record_layer layer;
	struct follow input;
	struct event_counter counter;
	struct counts counts;
	struct rates rates;
	struct operation_rates operations;
	struct output out;
	struct screen screen;
	char name[256];
	uint64_t drawn_ns; /* when the last results were taken */
	bool complete;     /* the last results began when all that the file contained was read */
	bool draining;     /* interrupted, and waits for the end of a pipe */
	bool ended;        /* all of the input was read */
	bool quit;         /* on request */
	int signal;        /* that requested it */
};

/* Results */

/* Operations need no rows. */
static int rows_by(const struct top_run *t)
{
	return t->by == STAT_BY_OPERATION ? IOT_STATS_BY_PROCESS : t->by;
}

static void free_rates(struct top_run *t)
{
	rates_free(&t->rates);
	operation_rates_free(&t->operations);
}

/* The results of the time since the last call. */
static enum exit_status take_results(struct top_run *t, uint64_t *interval_ns)
{
	const uint64_t now = clock_monotonic_ns();
	const bool complete = t->complete;
	/* Before the snapshot: events that were read earlier belong to no interval. */
	t->complete = !t->input.file || atomic_load(&t->input.idle);
	const bool physical = t->counts.physical;
	iot_stats_free(t->counts.stats);
	if (!event_counter_snapshot(&t->counter, &t->counts))
		return message_no_memory();
	if (t->counts.physical != physical) { /* rates need counts of one layer */
		free_rates(t);
		t->rates = (struct rates){0};
		t->operations = (struct operation_rates){0};
	}
	if (!rates_next(&t->rates, t->counts.stats, rows_by(t), t->sort) ||
	    !operation_rates_next(&t->operations, t->counts.stats))
		return message_no_memory();
	*interval_ns = complete ? now - t->drawn_ns : 0;
	t->drawn_ns = now;
	return EXIT_OK;
}

static void print_results(struct top_run *t, uint64_t interval_ns)
{
	const bool physical = t->layer == LAYER_PHYSICAL || t->counts.physical;
	const struct table table = {
	    .name = t->name,
	    .rates = &t->rates,
	    .operations = &t->operations,
	    .counts = &t->counts,
	    .results = {.by = t->by,
			.top = t->top,
			.stats = t->counts.stats,
			/* its thread has ended, and leaves the last names */
			.in = {.reader = t->ended ? t->counter.reader : NULL},
			.layer = layer_name(physical ? LAYER_PHYSICAL : LAYER_LOGICAL),
			.physical = physical,
			.counters_only = stat_has_only_counters(t->counts.stats)},
	    .interval_ns = interval_ns,
	    .ended = t->ended};
	if (t->json)
		top_print_json(&t->out, &table);
	else
		table_print(&table, &t->screen, &t->out);
}

static enum exit_status draw(struct top_run *t)
{
	uint64_t interval_ns = 0;
	const bool separate = !t->json && !t->screen.on && !t->once && t->counts.stats != NULL;
	if (take_results(t, &interval_ns) != EXIT_OK)
		return EXIT_FAILED;
	output_text(&t->out, separate ? "\n" : "");
	print_results(t, interval_ns);
	return EXIT_OK;
}

/* Events */

static void handle_key(struct top_run *t, char key)
{
	if (key == 'q')
		t->quit = true;
	else if (key == '<' && t->sort > 0)
		t->sort--;
	else if (key == '>' && t->sort < IOT_STATS_SORT_WRITTEN_BYTES)
		t->sort++;
}

/* The program that writes to a pipe usually gets the same interrupt, and ends the trace. */
static void handle_signal(struct top_run *t, int number)
{
	if (number == SIGWINCH)
		return;
	if (number == SIGINT && !t->input.file && !t->draining) {
		t->draining = true;
		return;
	}
	t->quit = true;
	t->signal = number;
}

static void handle_events(struct top_run *t, int signals)
{
	struct signalfd_siginfo info;
	char key;
	while ((key = screen_key(&t->screen)) != '\0')
		handle_key(t, key);
	while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
		handle_signal(t, (int)info.ssi_signo);
}

/* Waits until an interval has passed or an event needs an answer. Returns whether it has passed. */
static bool wait_for_interval(struct top_run *t, int signals)
{
	struct pollfd p[] = {{.fd = t->counter.done, .events = POLLIN},
			     {.fd = signals, .events = POLLIN},
			     {.fd = t->screen.keys, .events = POLLIN}};
	const uint64_t passed = clock_monotonic_ns() - t->drawn_ns;
	const uint64_t left = passed < t->interval_ns ? t->interval_ns - passed : 0;
	const uint64_t ms = left / 1000000 + (left % 1000000 > 0);
	(void)poll(p, 3, ms < INT_MAX ? (int)ms : INT_MAX);
	t->ended = (p[0].revents & POLLIN) != 0;
	handle_events(t, signals);
	return !t->ended && p[1].revents == 0 && p[2].revents == 0 &&
	       clock_monotonic_ns() - t->drawn_ns >= t->interval_ns;
}

/* With --once, a table needs an interval after all that the file contained has been read. */
static enum exit_status pass_interval(struct top_run *t, bool *printed)
{
	uint64_t ignored;
	const bool early = t->once && (!t->complete || atomic_load(&t->input.ended));
	*printed = !early;
	return early ? take_results(t, &ignored) : draw(t);
}

static enum exit_status watch(struct top_run *t, int signals)
{
	bool printed = false;
	enum exit_status status = EXIT_OK;
	t->drawn_ns = clock_monotonic_ns();
	t->complete = !t->input.file;
	while (status == EXIT_OK && !t->quit && t->out.status == IOT_OK && !t->ended &&
	       !(t->once && printed))
		if (wait_for_interval(t, signals))
			status = pass_interval(t, &printed);
	if (!t->ended || status != EXIT_OK || t->quit)
		return status;
	/*
	 * Nothing was counted in an input that is not a trace, which differs from counts of zero.
	 */
	const bool refused =
	    event_counter_join(&t->counter) != IOT_OK && !event_counter_has_events(&t->counter);
	return refused ? EXIT_OK : draw(t);
}

/* The end */

static enum exit_status report(const struct top_run *t, int status)
{
	if (status == IOT_OK || !t->ended)
		return EXIT_OK;
	if (!trace_in_refused(t->path, t->counter.reader, status))
		message_print("%s", iot_reader_error(t->counter.reader));
	return event_counter_has_events(&t->counter) ? EXIT_DAMAGED : EXIT_FAILED;
}

static int catch_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(&set, caught[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void end_by_signal(int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	(void)signal(number, SIG_DFL);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static enum exit_status run_on(struct top_run *t)
{
	const struct iot_stats_options options = {.size = sizeof options,
						  .by = (uint32_t)rows_by(t),
						  .sort = (uint32_t)t->sort,
						  .physical = t->layer == LAYER_PHYSICAL};
	enum exit_status status = output_open(&t->out, "-", 0);
	if (status != EXIT_OK)
		return status;
	const int signals = catch_signals();
	if (event_counter_start(&t->counter, &t->input, t->name, &options,
				t->layer == LAYER_DEFAULT)) {
		screen_begin(&t->screen, &t->out, !t->json && !t->once);
		status = watch(t, signals);
		screen_end(&t->screen, &t->out);
	} else {
		status = EXIT_FAILED;
	}
	follow_stop(&t->input);
	const int ended = event_counter_join(&t->counter);
	if (status == EXIT_OK)
		status = report(t, ended);
	event_counter_free(&t->counter);
	iot_stats_free(t->counts.stats);
	free_rates(t);
	if (signals >= 0)
		(void)close(signals);
	return output_close(&t->out) == EXIT_OK ? status : EXIT_FAILED;
}

static enum exit_status run(struct top_run *t)
{
	if (strcmp(t->path, "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(t->command, "standard input is a terminal; name a trace");
	if (strcmp(t->path, "-") == 0)
		(void)snprintf(t->name, sizeof t->name, "standard input");
	else
		escape_text(t->name, sizeof t->name, t->path, strlen(t->path));
	if (t->module != NULL)
		return module_run(&(struct module_options){.path = t->path,
							   .name = t->name,
							   .module = t->module,
							   .interval_ns = t->interval_ns,
							   .once = t->once,
							   .commands = -1});
	if (!follow_open(&t->input, t->path))
		return EXIT_FAILED;
	const enum exit_status status = run_on(t);
	follow_close(&t->input);
	if (t->signal != 0)
		end_by_signal(t->signal);
	return status;
}

static const char notes[] =
    "IN is a trace that may grow: a file until no process writes to it any more, a pipe until its\n"
    "end. The last table, with the totals of 'iotrace stat', has averages instead of rates. Rows\n"
    "are in order of their values in the last interval, then of their totals. SECONDS: the sum of\n"
    "the durations of I/Os. K, M, ...: powers of 1024, of counts of 1000.\n"
    "op: operations, most time in the interval first; TIME/s: their time per second, all calls\n"
    "added; MEAN: the time of a call.\n"
    "On a terminal the table is redrawn in place; the keys are < and > (order) and q (quit).\n"
    "json: a line per interval with \"ended\", \"interval_ns\", \"span_ns\", \"processes\", "
    "\"lost\",\n"
    "\"total\" and \"rows\" (op: \"operations\") as of 'iotrace stat --json', and \"interval\", "
    "the\n"
    "growth, of each.\n";

static const char examples[] =
    "  iotrace record -o app.iot ./app & iotrace top app.iot    watch a program\n"
    "  iotrace record -o '|iotrace top --by=process' make -j8   without a file\n"
    "  iotrace top --once --interval=10s app.iot                the next ten seconds\n"
    "  iotrace top --by=op app.iot                              which calls take the time\n"
    "  iotrace top --json app.iot | jq .interval.read_bytes     feed another tool\n";

enum exit_status cmd_top(int argc, char **argv)
{
	struct top_run t = {.by = IOT_STATS_BY_OBJECT, .top = NOT_GIVEN, .interval_ns = 1000000000};
	const struct option options[] = {
	    OPTION(CHOICE, 'b', "by", "file|process|object|rank|host|dir|op", &t.by,
		   "group rows by (default: object)"),
	    OPTION(CHOICE, 0, "sort", "bytes|ios|time|opens|reads|writes|read|written", &t.sort,
		   "order of rows, largest first (default: bytes)"),
	    RANGE(NUMBER, 0, "top", "N", &t.top,
		  "print N rows (default: as many as fit; 20 without a terminal; json: all)", 0, 0),
	    {.kind = OPTION_CALL,
	     .letter = 'd',
	     .name = "interval",
	     .argument = "TIME",
	     .target = &t.interval_ns,
	     .help = "time between two tables, such as 500ms (default: 1s)",
	     .call = option_duration},
	    OPTION(FLAG, '1', "once", NULL, &t.once,
		   "print the table of one interval, or of a whole trace that has ended"),
	    OPTION(FLAG, 'j', "json", NULL, &t.json, "print a line of JSON per interval"),
	    OPTION(STRING, 'm', "module", "FILE[:ARGS]", &t.module,
		   "print what a module counts instead; a new version of its file replaces it"),
	    OPTION_LAYER(t.layer),
	    OPTIONS_END,
	};
	static const char attach[] = "to watch a running process: strace -f -ttt -T -y -s 0 -p PID "
				     "-o '|iotrace convert --unsorted - | iotrace top'";
	static const struct option_hint hints[] = {{"p", attach}, {"pid", attach}, {NULL, NULL}};
	const struct command_spec command = {
	    .name = "top",
	    .summary = "Show the I/O of a trace while it is being written",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	    .hints = hints,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	t.command = &command;
	if (t.by == BY_OP)
		t.by = STAT_BY_OPERATION;
	if (t.layer == LAYER_POSIX || t.layer == LAYER_MPIIO)
		return options_wrong(&command, "--layer: logical or physical is expected");
	if (t.module != NULL && (t.json || t.top != NOT_GIVEN || t.sort != 0 ||
				 t.by != IOT_STATS_BY_OBJECT || t.layer != LAYER_DEFAULT))
		return options_wrong(
		    &command, "of the other options, --module needs only --interval or --once");
	t.path = count > 0 ? argv[0] : "-";
	if (t.top == NOT_GIVEN && !t.json && (t.once || !isatty(STDOUT_FILENO)))
		t.top = LINES;
	return run(&t);
}
