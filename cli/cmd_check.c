/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace check: validates traces, and repairs damaged ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iotrace/verify.h>

#include "cli/check/check_log.h"
#include "check_part.h"
#include "cli/ui/foreign_file.h"
#include "cli/ui/printable.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "cli/ui/trace_in.h"
#include "cli/views/check.h"

enum {
	POSITIONS_DEFAULT = 5,
	POSITIONS_MAX = 1 << 16, /* kept for JSON */
};

struct check {
	const struct command_spec *command;
	struct trace_out_options write;
	uint64_t base, tick_ns; /* of IN; NOT_GIVEN */
	bool json, all, strict, quiet, repairs, keep_unverified, allow_empty;
	int how_progress;
	struct output out;
	struct progress progress;
	struct source_in_options source;
	struct plan_options plan;
	bool several;
};

static const char notes[] =
    "An error violates the format; a warning is legal but suspect; a note is neither, and its\n"
    "positions are listed with --all. After an error the rest of the interval is not checked;\n"
    "checking continues after the next %sync.\n"
    "The exit status is 1 if there are errors (--strict: or warnings), 2 if IN cannot be read.\n"
    "json: an object per trace, on one line; \"state\" is valid, questionable or damaged.\n"
    "--repair keeps each interval that a hash or the checksum of a frame verifies, at its\n"
    "position, and writes a %lost with the number of records missing in between. It exits with 1\n"
    "if anything is lost. iotrace-check(1) explains what repair can prove.\n";

static const char examples[] =
    "  iotrace check t.iot.zst\n"
    "  iotrace check --json *.iot.zst | jq -r 'select(.state == \"damaged\") | .path'\n"
    "  iotrace check --repair -o saved.iot.zst damaged.iot.zst\n";

/* One trace that is read. */
struct reading {
	struct check *check;
	const char *path;
	char name[256]; /* the path, escaped */
	int fd;
	struct stat st;
	uint64_t total_bytes; /* to be read, for the progress; 0: unknown */
	struct iot_verifier *verifier;
	struct finding_list found[CHECK_SEVERITIES]; /* for JSON */
	struct unseen unseen;
	uintmax_t gaps; /* %lost in the trace */
	bool failed;    /* out of memory, already reported */
};

static uint64_t fact(const struct reading *t, enum iot_verify_fact which)
{
	return iot_verifier_fact(t->verifier, which);
}

static uint64_t total(const struct reading *t, enum iot_severity severity)
{
	return iot_verifier_total(t->verifier, severity);
}

static const char *severity_name(unsigned severity)
{
	return severity == IOT_SEVERITY_ERROR     ? "error"
	       : severity == IOT_SEVERITY_WARNING ? "warning"
						  : "note";
}

/* Findings */

static void keep(struct reading *t, const struct iot_finding *f)
{
	size_t positions = 0;
	for (int i = 0; i < CHECK_SEVERITIES; i++)
		positions += t->found[i].count;
	if (positions == POSITIONS_MAX || t->failed)
		return;
	t->failed = !finding_list_add(&t->found[f->severity - IOT_SEVERITY_ERROR], f);
	if (t->failed)
		(void)message_no_memory();
}

static void found(void *context, const struct iot_finding *f)
{
	struct reading *t = context;
	struct check *c = t->check;
	if ((f->severity != IOT_SEVERITY_ERROR && c->quiet) ||
	    (f->severity == IOT_SEVERITY_NOTE && !c->all))
		return;
	if (c->json) {
		keep(t, f);
		return;
	}
	progress_clear(&c->progress);
	output_printf(&c->out, "%s:%ju:%u: %s: %s\n", t->name, (uintmax_t)f->line, f->column,
		      severity_name(f->severity), f->text);
}

static void print_json(const struct reading *t)
{
	const struct checked_trace checked = {
	    .path = t->path,
	    .state = total(t, IOT_SEVERITY_ERROR) > 0     ? "damaged"
		     : total(t, IOT_SEVERITY_WARNING) > 0 ? "questionable"
							  : "valid",
	    .verifier = t->verifier,
	    .unseen = &t->unseen,
	    .gaps = t->gaps,
	    .found = t->found,
	};
	check_print_trace(&t->check->out, &checked);
}

static void print_total(const struct reading *t, const char *before, enum iot_severity severity)
{
	const uint64_t n = total(t, severity);
	output_printf(&t->check->out, "%s%ju %s%s", before, (uintmax_t)n, severity_name(severity),
		      n == 1 ? "" : "s");
}

/* Follows "valid" in the output: names what the trace is missing. */
static void print_missing(const struct reading *t)
{
	char sentence[UNSEEN_TEXT], text[4 * UNSEEN_TEXT];
	if (t->gaps > 0)
		output_printf(&t->check->out, ", incomplete: %ju gap%s", t->gaps,
			      t->gaps == 1 ? "" : "s");
	if (!unseen_any(&t->unseen))
		return;
	(void)unseen_sentence(&t->unseen, sentence);
	output_printf(&t->check->out, ", %s: %s", unseen_state_name(&t->unseen),
		      printable(text, sizeof(text), sentence, strlen(sentence)));
}

static void print_text(const struct reading *t)
{
	struct output *out = &t->check->out;
	const char *before = " (";
	output_printf(out, "%s: ", t->name);
	if (total(t, IOT_SEVERITY_ERROR) + total(t, IOT_SEVERITY_WARNING) == 0) {
		output_text(out, "valid");
	} else {
		print_total(t, "", IOT_SEVERITY_ERROR);
		print_total(t, ", ", IOT_SEVERITY_WARNING);
	}
	if (total(t, IOT_SEVERITY_NOTE) > 0)
		print_total(t, ", ", IOT_SEVERITY_NOTE);
	for (unsigned i = 0; iot_finding_name(i) != NULL; i++) {
		const uint64_t n = iot_verifier_count(t->verifier, i);
		if (n == 0)
			continue;
		output_printf(out, "%s%s %ju", before, iot_finding_name(i), (uintmax_t)n);
		before = ", ";
	}
	output_text(out, before[0] == ',' ? ")" : "");
	print_missing(t);
	output_printf(out, "; records: %ju, comments: %ju\n",
		      (uintmax_t)fact(t, IOT_VERIFIED_RECORDS),
		      (uintmax_t)fact(t, IOT_VERIFIED_COMMENTS));
}

/* Verification */

static void show_progress(void *context, uint64_t bytes, uint64_t records)
{
	struct reading *t = context;
	progress_show(&t->check->progress, bytes, t->total_bytes, records);
}

/* Returns the exit status. */
static enum exit_status open_trace(struct reading *t)
{
	const struct check *c = t->check;
	t->fd = trace_in_descriptor(t->path, &t->st);
	if (t->fd < 0)
		return EXIT_FAILED;
	t->verifier = iot_verifier_new();
	if (t->verifier == NULL)
		return message_no_memory();
	printable(t->name, sizeof(t->name), t->path, strlen(t->path));
	if (c->base != NOT_GIVEN)
		(void)iot_verifier_set(t->verifier, IOT_VERIFY_BASE, c->base);
	if (c->tick_ns != NOT_GIVEN)
		(void)iot_verifier_set(t->verifier, IOT_VERIFY_TICK_NS, c->tick_ns);
	iot_verifier_on_progress(t->verifier, show_progress, t);
	return EXIT_OK;
}

static enum exit_status run(struct reading *t)
{
	const int status = iot_verifier_run(t->verifier, t->fd, t->path);
	progress_clear(&t->check->progress);
	if (status != IOT_OK)
		message_print("%s", iot_verifier_error(t->verifier));
	return status == IOT_OK ? EXIT_OK : EXIT_FAILED;
}

static void add_directive(void *context, const struct iot_event *directive)
{
	struct reading *t = context;
	unseen_add(&t->unseen, directive);
	t->gaps += directive->kind == IOT_LOST;
}

static void close_trace(struct reading *t)
{
	for (int i = 0; i < CHECK_SEVERITIES; i++)
		finding_list_free(&t->found[i]);
	iot_verifier_free(t->verifier);
	if (t->fd > STDIN_FILENO)
		close(t->fd);
}

static bool nothing_is_readable(const struct reading *t)
{
	return fact(t, IOT_VERIFIED_RECORDS) + fact(t, IOT_VERIFIED_COMMENTS) == 0;
}

static enum exit_status verify(struct reading *t)
{
	const struct check *c = t->check;
	t->total_bytes = S_ISREG(t->st.st_mode) ? (uint64_t)t->st.st_size : 0;
	iot_verifier_on_finding(t->verifier, found, t);
	iot_verifier_on_directive(t->verifier, add_directive, t);
	(void)iot_verifier_set(t->verifier, IOT_VERIFY_REPORTS, c->all ? 0 : POSITIONS_DEFAULT);
	(void)iot_verifier_set(t->verifier, IOT_VERIFY_ALLOW_EMPTY, c->allow_empty);
	if (run(t) != EXIT_OK)
		return EXIT_FAILED;
	if (c->json)
		print_json(t);
	else
		print_text(t);
	if (iot_verifier_count(t->verifier, IOT_BAD_RECORD) > 0 && nothing_is_readable(t))
		(void)foreign_file_report(t->path);
	else if (total(t, IOT_SEVERITY_ERROR) > 0 && fact(t, IOT_VERIFIED_FRAMED) != 0 &&
		 !c->json && !c->quiet)
		trace_in_suggest_repair(t->path);
	const bool bad = total(t, IOT_SEVERITY_ERROR) > 0 ||
			 (c->strict && total(t, IOT_SEVERITY_WARNING) > 0) || t->failed;
	return bad ? EXIT_DAMAGED : EXIT_OK;
}

static bool is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_log(const char *format)
{
	return format != NULL && strcmp(format, "iotrace") != 0;
}

static enum exit_status check_as_log(struct check *c, const char *path)
{
	const struct check_log log = {.command = c->command,
				      .options = &c->source,
				      .out = &c->out,
				      .progress = &c->progress,
				      .json = c->json,
				      .strict = c->strict,
				      .quiet = c->quiet,
				      .one_of_several = c->several};
	return check_log(&log, path);
}

static enum exit_status check_one(struct check *c, const char *path)
{
	struct reading t = {.check = c, .path = path};
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(c->command, "standard input is a terminal; name a trace");
	progress_begin(&c->progress, c->how_progress, c->quiet, NULL);
	if (is_directory(path))
		return check_as_log(c, path);
	enum exit_status status = open_trace(&t);
	bool packed = false;
	const char *format =
	    status == EXIT_OK ? source_in_detect(path, t.fd, &c->source, &packed) : NULL;
	if (status == EXIT_OK && (packed || is_log(format)))
		status = check_as_log(c, path);
	else if (status == EXIT_OK)
		status = verify(&t);
	close_trace(&t);
	return status;
}

static enum exit_status check_all(struct check *c, char **paths, size_t count)
{
	enum exit_status status = EXIT_OK;
	if (output_open(&c->out, "-", 0) != EXIT_OK)
		return EXIT_FAILED;
	c->several = count > 1;
	for (size_t i = 0; i < count; i++) {
		const enum exit_status one = check_one(c, paths[i]);
		status = exit_status_worse(status, one);
	}
	const enum exit_status closed = output_close(&c->out);
	return exit_status_worse(status, closed);
}

/* Repair */

/* Verifies the trace and selects what is kept. Returns the exit status. */
static enum exit_status survey(struct reading *t)
{
	const struct check *c = t->check;
	if (!S_ISREG(t->st.st_mode) || lseek(t->fd, 0, SEEK_CUR) < 0)
		return message_error(t->path, "--repair reads twice, so it needs a file");
	t->total_bytes = 2 * (uint64_t)t->st.st_size;
	(void)iot_verifier_set(t->verifier, IOT_VERIFY_WARNINGS, 0);
	(void)iot_verifier_set(t->verifier, IOT_VERIFY_REPAIR, 1);
	if (run(t) != EXIT_OK)
		return EXIT_FAILED;
	const int status = iot_verifier_select(t->verifier, c->keep_unverified);
	const bool unreadable = nothing_is_readable(t);
	if (unreadable && foreign_file_report(t->path) != FOREIGN_NOT)
		return EXIT_FAILED;
	if (status == IOT_EUSAGE)
		return message_error(
		    t->path, "its %iotrace line is damaged, so the tick is unknown; specify "
			     "it with --in-tick=NS (usually 1000)");
	if (status == IOT_OK)
		return EXIT_OK;
	return message_error(t->path,
			     unreadable ? "nothing in it can be verified, or read as a trace"
			     : c->keep_unverified ? "nothing in it can be verified, or kept"
						  : "nothing in it can be verified; "
						    "--keep-unverified keeps what can be read");
}

static enum exit_status write_events(struct reading *t, struct iot_stream *s, struct iot_writer *w)
{
	struct check *c = t->check;
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	int status = IOT_OK, got = 0;
	if (b == NULL)
		return message_no_memory();
	while (status == IOT_OK && signals_pending() == 0 && (got = iot_stream_next(s, b)) > 0) {
		status = iot_writer_events(w, b->events, b->count);
		progress_show(&c->progress, t->total_bytes / 2, t->total_bytes,
			      fact(t, IOT_REPAIR_KEPT));
	}
	iot_batch_free(b);
	progress_clear(&c->progress);
	if (signals_pending() != 0)
		return EXIT_FAILED;
	if (status == IOT_OK && got < 0) {
		message_print("%s", iot_stream_error(s));
		return EXIT_FAILED;
	}
	if (status == IOT_OK)
		status = trace_out_close(w);
	return status == IOT_OK ? EXIT_OK : trace_out_error(w, &c->write);
}

static enum exit_status write_kept(struct reading *t)
{
	struct trace_out_options o = t->check->write;
	struct iot_stream *s = iot_stream_of_repair(t->verifier);
	struct iot_writer *w = iot_writer_new();
	enum exit_status status;
	o.tick_ns = fact(t, IOT_VERIFIED_TICK_NS);
	if (o.base == NOT_GIVEN)
		o.base = fact(t, IOT_VERIFIED_BASE);
	if (o.sync == NOT_GIVEN && fact(t, IOT_VERIFIED_FRAMED) != 0)
		o.sync = fact(t, IOT_VERIFIED_SYNC);
	if (o.version == NOT_GIVEN)
		o.version = fact(t, IOT_VERIFIED_VERSION);
	if (s == NULL || w == NULL)
		status = message_error(t->path, "cannot be read again");
	else
		status = trace_out_open(w, &o, t->check->command);
	if (status == EXIT_OK)
		status = write_events(t, s, w);
	iot_stream_free(s);
	iot_writer_free(w);
	return status;
}

static void report(const struct reading *t)
{
	const uintmax_t second = fact(t, IOT_VERIFIED_SECOND_TRACE),
			repeated = fact(t, IOT_REPAIR_REPEATED),
			unverified = fact(t, IOT_REPAIR_UNVERIFIED),
			readable = fact(t, IOT_REPAIR_READABLE), lost = fact(t, IOT_REPAIR_LOST),
			kept = fact(t, IOT_REPAIR_KEPT), gaps = fact(t, IOT_REPAIR_GAPS);
	const bool lost_end = fact(t, IOT_REPAIR_LOST_END) != 0;
	if (second > 0)
		message_print_about(t->path,
				    "a second %%iotrace on line %ju: what belongs to another trace "
				    "is not kept",
				    second);
	if (repeated > 0)
		message_print_about(t->path, "intervals that were there twice: %ju", repeated);
	if (unverified > 0)
		message_print_about(t->path, "records kept that are not verified: %ju", unverified);
	if (readable > 0)
		message_print_about(t->path,
				    "records left out because no hash verifies them: %ju; "
				    "--keep-unverified keeps them",
				    readable);
	if (lost_end && lost == 0)
		message_print_about(t->path, "records kept: %ju, lost: unknown number (gaps: %ju)",
				    kept, gaps);
	else
		message_print_about(t->path, "records kept: %ju, lost: %s%ju (gaps: %ju)", kept,
				    lost_end ? "at least " : "", lost, gaps);
}

static bool is_whole(const struct reading *t)
{
	return fact(t, IOT_REPAIR_GAPS) + fact(t, IOT_REPAIR_UNVERIFIED) +
		   fact(t, IOT_VERIFIED_SECOND_TRACE) ==
	       0;
}

static enum exit_status refuse_log(const struct check *c, const char *path)
{
	char why[256];
	bool packed;
	const char *format = source_in_detect(path, STDIN_FILENO, &c->source, &packed);
	if (packed && !is_log(format))
		return message_error(path, "compressed, or in a tar: extract it first");
	if (!is_log(format))
		return EXIT_OK;
	snprintf(why, sizeof why,
		 "a log of %s; only traces are repaired (iotrace convert makes a trace of it)",
		 format);
	return message_error(path, why);
}

static enum exit_status repair_one(struct check *c, const char *path)
{
	struct reading t = {.check = c, .path = path};
	progress_begin(&c->progress, c->how_progress, c->quiet, c->write.path);
	enum exit_status status = refuse_log(c, path);
	if (status != EXIT_OK)
		return status;
	status = open_trace(&t);
	if (status == EXIT_OK)
		status = survey(&t);
	if (status == EXIT_OK) {
		signals_catch(SIGNALS_FILES, c->write.path, c->quiet);
		status = write_kept(&t);
		signals_restore();
	}
	if (status == EXIT_OK && !c->quiet)
		report(&t);
	if (status == EXIT_OK && !is_whole(&t))
		status = EXIT_DAMAGED;
	close_trace(&t);
	return status;
}

static enum exit_status repair(struct check *c, char **paths, size_t count)
{
	if (count > 1)
		return options_wrong(c->command, "--repair takes one trace");
	if (c->json || c->all || c->strict)
		return options_wrong(c->command, "--repair goes without --json, --all, --strict");
	if (strcmp(paths[0], "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(c->command, "standard input is a terminal; name a trace");
	const enum exit_status status = same_file_check_two(c->command, c->write.path, paths[0]);
	return status == EXIT_OK ? repair_one(c, paths[0]) : status;
}

static bool asks_for_writing(const struct check *c)
{
	const struct trace_out_options *o = &c->write;
	return strcmp(o->path, "-") != 0 || o->level > 0 || o->threads > 0 || o->bare ||
	       o->sync != NOT_GIVEN || o->version != NOT_GIVEN || o->compression >= 0 ||
	       o->no_fsync || c->keep_unverified;
}

enum exit_status cmd_check(int argc, char **argv)
{
	struct check c = {.write = TRACE_OUT_OPTIONS_INIT, .base = NOT_GIVEN, .tick_ns = NOT_GIVEN};
	const struct option options[] = {
	    OPTION(FLAG, 'j', "json", NULL, &c.json, "print JSON"),
	    OPTION(FLAG, 'a', "all", NULL, &c.all,
		   "list every position, not only the first 5 of each kind"),
	    OPTION(FLAG, 0, "strict", NULL, &c.strict, "exit with 1 also for warnings"),
	    OPTION_QUIET(c.quiet, c.how_progress),
	    GROUP("Reading"),
	    OPTION_SOURCE_IN(c.source),
	    OPTION_NUMBERS_OF_IN(c),
	    OPTION_ALLOW_EMPTY(c.allow_empty),
	    OPTION_PLAN(c.plan),
	    GROUP("Repair"),
	    OPTION(FLAG, 'r', "repair", NULL, &c.repairs,
		   "write everything that can be recovered from IN"),
	    OPTION_OUTPUT(c.write),
	    OPTION(FLAG, 0, "keep-unverified", NULL, &c.keep_unverified,
		   "also keep readable records that are not verified, marked by comments"),
	    OPTION_WRITING(c.write),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "check",
	    .summary = "Validate traces; repair damaged ones",
	    .synopsis = "[OPTION]... IN...\n--repair [OPTION]... [-o OUT] IN",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	c.command = &command;
	if (c.plan.file != NULL || c.plan.k != 0) {
		if (count > 1 || c.repairs || c.json || c.all || asks_for_writing(&c))
			return options_wrong(&command,
					     "--plan takes one trace, and excludes --repair, "
					     "--json and --all");
		return check_part(&c.plan, argv[0], c.quiet, &command);
	}
	if (c.repairs)
		return repair(&c, argv, count);
	if (asks_for_writing(&c))
		return options_wrong(&command, "nothing is written without --repair");
	status = same_file_check_inputs(&command, argv, count, NULL);
	return status == EXIT_OK ? check_all(&c, argv, count) : status;
}
