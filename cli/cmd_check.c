/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace check: whether traces hold what the format demands, and what of a damaged one can be saved. */
#include <sys/stat.h>
#include <unistd.h>

#include "check_report.h"
#include "cli/ui/foreign_file.h"
#include "cli/repair/repair.h"
#include "cli/ui/same_file.h"

enum { PLACES_DEFAULT = 5 };

struct check {
	const struct iot_command *command;
	struct iot_repair_options repair; /* what both ways of this command need is here, too */
	bool json, all, strict, do_repair, allow_empty;
	struct iot_out out;
	struct iot_progress progress;
	uint64_t total_bytes;
};

static const char notes[] =
    "Errors are what the format forbids, warnings what is merely odd; notes, of which places are\n"
    "told with --all, are neither. After an error what belongs to the same interval is not "
    "judged;\n"
    "it goes on behind the next %sync.\n"
    "The exit status is 0 if there are no errors (--strict: and no warnings), else 1.\n"
    "json: an object per trace, on one line; \"state\" is fine, odd or damaged.\n"
    "--repair keeps the intervals between %syncs that a hash or a frame's checksum proves, each "
    "in\n"
    "its place, and says in %lost how many records are missing between them. It exits with 1 if\n"
    "anything is lost. iotrace-check(1) says what is certain, and why.\n";

static const char examples[] =
    "  iotrace check t.iot.zst\n"
    "  iotrace check --json *.iot.zst | jq -r 'select(.state == \"damaged\") | .path'\n"
    "  iotrace check --repair -o saved.iot.zst damaged.iot.zst\n";

static void show_progress(void *context, uint64_t stored, uint64_t records)
{
	struct check *c = context;
	iot_progress_show(&c->progress, stored, c->total_bytes, records);
}

static int verify(struct check *c, int fd, struct iot_check_report *report)
{
	const uint64_t base = c->repair.base, tick_ns = c->repair.tick_ns;
	struct iot_verdict verdict;
	struct iot_error error;
	const struct iot_verify_options options = {
	    .found = iot_check_report_found,
	    .context = report,
	    .places = c->all ? UINT64_MAX : PLACES_DEFAULT,
	    .lint = true,
	    .base = base == IOT_NOT_GIVEN ? 0 : base,
	    .tick_ns = tick_ns == IOT_NOT_GIVEN ? IOT_TICK_DEFAULT_NS : tick_ns,
	    .memory_max = (uint64_t)1 << 30,
	    .allow_empty = c->allow_empty,
	    .progress = show_progress,
	    .progress_context = c,
	};
	if (iot_verify(fd, report->path, &options, &verdict, &error) != IOT_OK) {
		iot_progress_clear(&c->progress);
		iot_message("%s", error.text);
		return IOT_EXIT_FAULT;
	}
	iot_check_report_end(report, &verdict);
	if (verdict.count[IOT_BAD_RECORD] > 0 && verdict.records + verdict.comments == 0)
		(void)iot_foreign_tell(report->path);
	const bool bad = iot_check_errors(&verdict) > 0 ||
			 (c->strict && iot_check_warnings(&verdict) > 0) || report->failed;
	return bad ? IOT_EXIT_FAULT : IOT_EXIT_OK;
}

static int check_one(struct check *c, const char *path)
{
	struct iot_check_report report = {.out = &c->out,
					  .progress = &c->progress,
					  .json = c->json,
					  .quiet = c->repair.quiet,
					  .all = c->all};
	struct stat st;
	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return iot_opts_wrong(c->command, "standard input is a terminal; name a trace");
	iot_check_report_begin(&report, path);
	iot_progress_begin(&c->progress, c->repair.progress, c->repair.quiet, NULL);
	const int fd = iot_in_descriptor(path, &st);
	if (fd >= 0)
		c->total_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	const int status = fd < 0 ? IOT_EXIT_FAULT : verify(c, fd, &report);
	iot_progress_clear(&c->progress);
	iot_check_report_free(&report);
	if (fd > STDIN_FILENO)
		close(fd);
	return status;
}

static int check_all(struct check *c, char **paths, size_t count)
{
	int status = IOT_EXIT_OK;
	if (iot_out_open(&c->out, "-", 0) != IOT_EXIT_OK)
		return IOT_EXIT_FAULT;
	for (size_t i = 0; i < count; i++) {
		const int one = check_one(c, paths[i]);
		status = one > status ? one : status;
	}
	const int closed = iot_out_close(&c->out);
	return closed > status ? closed : status;
}

static int repair(struct check *c, char **paths, size_t count)
{
	if (count > 1)
		return iot_opts_wrong(c->command, "--repair takes one trace");
	if (c->json || c->all || c->strict)
		return iot_opts_wrong(c->command, "--repair goes without --json, --all, --strict");
	if (strcmp(paths[0], "-") == 0 && isatty(STDIN_FILENO))
		return iot_opts_wrong(c->command, "standard input is a terminal; name a trace");
	const int status = iot_refuse_same(c->command, c->repair.write.path, paths[0]);
	return status == IOT_OPTS_GO_ON ? iot_repair(paths[0], &c->repair, c->command) : status;
}

static bool asks_for_writing(const struct iot_repair_options *o)
{
	return strcmp(o->write.path, "-") != 0 || o->write.level > 0 || o->write.threads > 0 ||
	       o->write.bare || o->write.sync != IOT_NOT_GIVEN || o->write.compression >= 0 ||
	       o->write.no_fsync || o->keep_unverified;
}

int iot_cmd_check(int argc, char **argv)
{
	struct check c = {.repair = {.write = IOT_WRITE_OPTIONS_INIT,
				     .base = IOT_NOT_GIVEN,
				     .tick_ns = IOT_NOT_GIVEN}};
	const struct iot_opt options[] = {
	    IOT_OPTION(FLAG, 'j', "json", NULL, &c.json, "print JSON"),
	    IOT_OPTION(FLAG, 'a', "all", NULL, &c.all,
		       "tell every place, not the first 5 of a kind"),
	    IOT_OPTION(FLAG, 0, "strict", NULL, &c.strict, "exit with 1 also for warnings"),
	    IOT_OPT_QUIET(c.repair.quiet, c.repair.progress),
	    IOT_GROUP("Reading"),
	    IOT_OPT_NUMBERS_OF_IN(c.repair),
	    IOT_OPT_ALLOW_EMPTY(c.allow_empty),
	    IOT_GROUP("Repair"),
	    IOT_OPTION(FLAG, 'r', "repair", NULL, &c.do_repair, "write what can be saved of IN"),
	    IOT_OPT_OUTPUT(c.repair.write),
	    IOT_OPTION(FLAG, 0, "keep-unverified", NULL, &c.repair.keep_unverified,
		       "also what can be read but is not proven; comments mark it"),
	    IOT_OPT_WRITING(c.repair.write),
	    IOT_OPTIONS_END,
	};
	const struct iot_command command = {
	    .name = "check",
	    .summary = "Tell whether traces are valid, and save what is in damaged ones",
	    .synopsis = "[OPTION]... IN...\n--repair [OPTION]... [-o OUT] IN",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_min = 1,
	};
	size_t count;
	const int status = iot_opts_parse(&command, argc, argv, &count);
	if (status != IOT_OPTS_GO_ON)
		return status;
	c.command = &command;
	if (c.do_repair)
		return repair(&c, argv, count);
	if (asks_for_writing(&c.repair))
		return iot_opts_wrong(&command, "nothing is written without --repair");
	return check_all(&c, argv, count);
}
