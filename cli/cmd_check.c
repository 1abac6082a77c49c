/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace check: validates traces, and repairs damaged ones. */
#include <sys/stat.h>
#include <unistd.h>

#include "check_report.h"
#include "cli/ui/foreign_file.h"
#include "cli/repair/repair.h"
#include "cli/ui/same_file.h"

enum { PLACES_DEFAULT = 5 };

struct check {
	const struct command_spec *command;
	struct repair_options repair; /* declares what both modes of this command need */
	bool json, all, strict, do_repair, allow_empty;
	struct output out;
	struct progress progress;
	uint64_t total_bytes;
};

static const char notes[] =
    "An error violates the format; a warning is legal but suspect; a note is neither, and its\n"
    "positions are listed with --all. After an error the rest of the interval is not checked;\n"
    "checking continues after the next %sync.\n"
    "The exit status is 0 if there are no errors (--strict: and no warnings), else 1.\n"
    "json: an object per trace, on one line; \"state\" is fine, odd or damaged.\n"
    "--repair keeps each interval that a hash or the checksum of a frame verifies, at its\n"
    "position, and writes a %lost with the number of records missing in between. It exits with 1\n"
    "if anything is lost. iotrace-check(1) explains what repair can prove.\n";

static const char examples[] =
    "  iotrace check t.iot.zst\n"
    "  iotrace check --json *.iot.zst | jq -r 'select(.state == \"damaged\") | .path'\n"
    "  iotrace check --repair -o saved.iot.zst damaged.iot.zst\n";

static void show_progress(void *context, uint64_t stored, uint64_t records)
{
	struct check *c = context;
	progress_show(&c->progress, stored, c->total_bytes, records);
}

static int verify(struct check *c, int fd, struct check_report *report)
{
	const uint64_t base = c->repair.base, tick_ns = c->repair.tick_ns;
	struct verdict verdict;
	struct error error;
	const struct verify_options options = {
	    .found = check_report_found,
	    .context = report,
	    .places = c->all ? UINT64_MAX : PLACES_DEFAULT,
	    .lint = true,
	    .base = base == NOT_GIVEN ? 0 : base,
	    .tick_ns = tick_ns == NOT_GIVEN ? IOT_TICK_DEFAULT_NS : tick_ns,
	    .memory_max = (uint64_t)1 << 30,
	    .allow_empty = c->allow_empty,
	    .progress = show_progress,
	    .progress_context = c,
	};
	if (verify_trace(fd, report->path, &options, &verdict, &error) != IOT_OK) {
		progress_clear(&c->progress);
		print_message("%s", error.text);
		return EXIT_FAULT;
	}
	check_report_end(report, &verdict);
	if (verdict.count[BAD_RECORD] > 0 && verdict.records + verdict.comments == 0)
		(void)foreign_report(report->path);
	const bool bad = check_errors(&verdict) > 0 ||
			 (c->strict && check_warnings(&verdict) > 0) || report->failed;
	return bad ? EXIT_FAULT : EXIT_OK;
}

static int check_one(struct check *c, const char *path)
{
	struct check_report report = {.out = &c->out,
				      .progress = &c->progress,
				      .json = c->json,
				      .quiet = c->repair.quiet,
				      .all = c->all};
	struct stat st;
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(c->command, "standard input is a terminal; name a trace");
	check_report_begin(&report, path);
	progress_begin(&c->progress, c->repair.progress, c->repair.quiet, NULL);
	const int fd = trace_in_descriptor(path, &st);
	if (fd >= 0)
		c->total_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	const int status = fd < 0 ? EXIT_FAULT : verify(c, fd, &report);
	progress_clear(&c->progress);
	check_report_free(&report);
	if (fd > STDIN_FILENO)
		close(fd);
	return status;
}

static int check_all(struct check *c, char **paths, size_t count)
{
	int status = EXIT_OK;
	if (output_open(&c->out, "-", 0) != EXIT_OK)
		return EXIT_FAULT;
	for (size_t i = 0; i < count; i++) {
		const int one = check_one(c, paths[i]);
		status = one > status ? one : status;
	}
	const int closed = output_close(&c->out);
	return closed > status ? closed : status;
}

static int repair(struct check *c, char **paths, size_t count)
{
	if (count > 1)
		return options_wrong(c->command, "--repair takes one trace");
	if (c->json || c->all || c->strict)
		return options_wrong(c->command, "--repair goes without --json, --all, --strict");
	if (strcmp(paths[0], "-") == 0 && isatty(STDIN_FILENO))
		return options_wrong(c->command, "standard input is a terminal; name a trace");
	const int status = refuse_same_file(c->command, c->repair.write.path, paths[0]);
	return status == EXIT_OK ? repair_trace(paths[0], &c->repair, c->command) : status;
}

static bool asks_for_writing(const struct repair_options *o)
{
	return strcmp(o->write.path, "-") != 0 || o->write.level > 0 || o->write.threads > 0 ||
	       o->write.bare || o->write.sync != NOT_GIVEN || o->write.compression >= 0 ||
	       o->write.no_fsync || o->keep_unverified;
}

int cmd_check(int argc, char **argv)
{
	struct check c = {
	    .repair = {.write = WRITE_OPTIONS_INIT, .base = NOT_GIVEN, .tick_ns = NOT_GIVEN}};
	const struct option options[] = {
	    OPTION(FLAG, 'j', "json", NULL, &c.json, "print JSON"),
	    OPTION(FLAG, 'a', "all", NULL, &c.all,
		   "list every position, not only the first 5 of each kind"),
	    OPTION(FLAG, 0, "strict", NULL, &c.strict, "exit with 1 also for warnings"),
	    OPTION_QUIET(c.repair.quiet, c.repair.progress),
	    GROUP("Reading"),
	    OPTION_NUMBERS_OF_IN(c.repair),
	    OPTION_ALLOW_EMPTY(c.allow_empty),
	    GROUP("Repair"),
	    OPTION(FLAG, 'r', "repair", NULL, &c.do_repair,
		   "write everything that can be recovered from IN"),
	    OPTION_OUTPUT(c.repair.write),
	    OPTION(FLAG, 0, "keep-unverified", NULL, &c.repair.keep_unverified,
		   "also keep readable records that are not verified, marked by comments"),
	    OPTION_WRITING(c.repair.write),
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
	int status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	c.command = &command;
	if (c.do_repair)
		return repair(&c, argv, count);
	if (asks_for_writing(&c.repair))
		return options_wrong(&command, "nothing is written without --repair");
	return check_all(&c, argv, count);
}
