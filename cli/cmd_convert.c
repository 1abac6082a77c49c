/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace convert: options, and the assignment of inputs to outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "convert.h"
#include "cli/ui/same_file.h"
#include "lib/base/error.h"
#include "cli/ui/signals.h"
#include "cli/ui/trace_out.h"

enum { OPTIONS_MAX = 128, SETTINGS_MAX = 32 };

/* The setting "ops" of a converter: the operations to produce. */
static const char *const ops_names[] = {"all", "names", "none"};

struct settings {
	struct convert_setting setting[SETTINGS_MAX];
	size_t count;
};

struct convert_job {
	struct convert_options convert;
	const char *from, *directory;
	int ops; /* index in ops_names */
	struct report_file report;
	struct same_file_set files;
	bool list;
	struct settings settings;
	struct option options[OPTIONS_MAX];
	size_t option_count, own_count; /* options that belong to no converter */
	struct command_spec command;
};

/* Options */

static const char *setting_name(const char *shown)
{
	return strcmp(shown, "per-thread") == 0 ? "threads" : shown;
}

static const char *take_setting(const struct option *opt, const char *value)
{
	struct settings *s = opt->target;
	if (s->count == SETTINGS_MAX - 1 && strcmp(opt->name, "ops") != 0)
		return "fewer options";
	s->setting[s->count++] = (struct convert_setting){setting_name(opt->name), value};
	return NULL;
}

static const char *format_word(size_t i)
{
	struct iot_format f;
	return iot_source_format(i, &f) ? f.name : NULL;
}

static const char *take_format(const struct option *opt, const char *value)
{
	const char *name;
	for (size_t i = 0; (name = format_word(i)) != NULL; i++)
		if (strcmp(name, value) == 0)
			*(const char **)opt->target = name;
	return *(const char **)opt->target != NULL ? NULL : "one of";
}

static void add_option(struct convert_job *j, struct option opt)
{
	if (j->option_count < OPTIONS_MAX - 1)
		j->options[j->option_count++] = opt;
}

static bool is_own(const struct convert_job *j, const char *name)
{
	for (size_t i = 0; i < j->own_count; i++)
		if (j->options[i].name != NULL && strcmp(j->options[i].name, name) == 0)
			return true;
	return false;
}

/*
 * If several converters have an option of one name, the first one is found: all handle it alike,
 * and each converter checks which values it accepts.
 */
static void add_format_options(struct convert_job *j, const struct iot_format *f)
{
	const struct iot_format_option *o = f->options;
	if (o == NULL || o->name == NULL)
		return;
	add_option(j, (struct option)GROUP(f->name));
	for (; o->name != NULL; o++)
		if (!is_own(j, setting_shown(o->name)))
			add_option(j, (struct option){.kind = OPTION_CALL,
						      .name = setting_shown(o->name),
						      .argument = o->argument,
						      .help = o->help,
						      .target = &j->settings,
						      .call = take_setting});
}

static void make_options(struct convert_job *j)
{
	struct convert_options *o = &j->convert;
	const struct option own[] = {
	    WORDS("from", "FORMAT", &o->format, "input format (default: auto-detect)", take_format,
		  format_word),
	    OPTION(FLAG, 0, "list", NULL, &j->list, "list the formats and exit"),
	    OPTION_OUTPUT(o->write),
	    OPTION(
		STRING, 'O', "output-dir", "DIR", &j->directory,
		"convert each IN to a trace of its own, DIR/IN.iot.zst; continue after a failure"),
	    OPTION(STRING, 0, "report", "FILE", &j->report.path,
		   "write a report with all counts to FILE, as JSON"),
	    OPTION(FLAG, 0, "strict", NULL, &o->strict,
		   "write no output if any input is not understood, damaged or ambiguous"),
	    OPTION(CHOICE, 0, "ops", "all|names|none", &j->ops,
		   "operations without data to keep; names: close, and operations that "
		   "change names (default: all)"),
	    OPTION(FLAG, 'v', "verbose", NULL, &o->verbose, "print a summary of what was done"),
	    OPTION_QUIET(o->quiet, o->progress),
	    GROUP("Order"),
	    OPTION(FLAG, 0, "unsorted", NULL, &o->unsorted,
		   "keep input order; do not sort by start time"),
	    OPTION_MEMORY(&o->memory),
	    GROUP("Output"),
	    OPTION_TICK(o->write, "the resolution of IN"),
	    OPTION_BASE(o->write),
	    OPTION_WRITING(o->write),
	};
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		add_option(j, own[i]);
	j->own_count = j->option_count;
	struct iot_format f;
	for (size_t i = 0; iot_source_format(i, &f); i++)
		add_format_options(j, &f);
	j->options[j->option_count] = (struct option)OPTIONS_END;
}

static void make_command(struct convert_job *j)
{
	make_options(j);
	j->command = (struct command_spec){
	    .name = "convert",
	    .summary = "Turn logs of another tool into a trace, in order of start",
	    .synopsis = "[OPTION]... [-o OUT] IN...\n[OPTION]... -O DIR IN...",
	    .options = j->options,
	    .notes = "IN is a file, a directory (all files in it), a tar, or \"-\"; all may be\n"
		     "compressed with gzip, bzip2, xz, zstd or lz4. Several IN are parts of one "
		     "trace.\n",
	    .examples =
		"  iotrace convert -o app.iot.zst app.strace\n"
		"  iotrace convert -o app.iot.zst app.strace.*       (strace -ff)\n"
		"  iotrace convert -O traces logs/*.strace.xz\n"
		"  iotrace convert --check -o app.iot.zst app.darshan\n"
		"  iotrace convert --layer=both -o app.iot.zst recorder-folder\n"
		"\nTo log a program with strace, and to convert without a log on disk:\n"
		"  strace -f -ttt -T -y -s 0 -e 'abbrev=!/io_|msg|pipe|pair' -o app.strace ./app\n"
		"  strace -f -ttt -T -y -s 0 -e 'abbrev=!/io_|msg|pipe|pair' "
		"-o '|iotrace convert -o app.iot.zst -' ./app\n",
	};
	j->convert.command = &j->command;
}

static enum exit_status list_formats(void)
{
	struct iot_format f;
	for (size_t i = 0; iot_source_format(i, &f); i++)
		printf("%-12s%s\n", f.name, f.summary);
	return EXIT_OK;
}

static enum exit_status check(struct convert_job *j, char **paths, size_t count)
{
	const struct trace_out_options *w = &j->convert.write;
	const char *path = w->path;
	if (count == 0)
		return options_wrong(&j->command, "name the input (\"-\" is standard input)");
	if (j->directory != NULL && strcmp(path, "-") != 0)
		return options_wrong(&j->command, "-o and -O exclude each other");
	for (size_t i = 0; i < count; i++)
		if (strcmp(paths[i], "-") == 0 && isatty(STDIN_FILENO))
			return options_wrong(&j->command,
					     "standard input is a terminal; name a log");
	return EXIT_OK;
}

/* Run */

static enum exit_status convert_one(struct convert_job *j, const char *const *paths, size_t count,
				    const char *out)
{
	return convert_and_report(&j->convert, paths, count, out, &j->report);
}

/* Returns whether an earlier path has the same name in DIR. */
static bool taken(char **paths, size_t i)
{
	const struct iot_text name = trace_out_name_part(paths[i]);
	for (size_t k = 0; k < i; k++) {
		const struct iot_text other = trace_out_name_part(paths[k]);
		if (other.size == name.size && memcmp(other.data, name.data, name.size) == 0)
			return true;
	}
	return false;
}

static enum exit_status convert_into(struct convert_job *j, char **paths, size_t i)
{
	const char *const path = paths[i];
	char shown[512];
	char *out = trace_out_name(&j->convert.write, j->directory, path);
	enum exit_status status = EXIT_FAILED;
	if (out == NULL) {
		(void)message_no_memory();
	} else if (taken(paths, i)) {
		(void)message_error(
		    path, "its trace would replace the trace of another IN of the same name");
	} else {
		if (j->convert.verbose)
			message_print("%s", escape_text(shown, sizeof(shown), out, strlen(out)));
		status = convert_one(j, &path, 1, out);
	}
	free(out);
	return status;
}

static enum exit_status convert_each(struct convert_job *j, char **paths, size_t count)
{
	enum exit_status worst = EXIT_OK;
	j->convert.names_inputs = count > 1;
	report_file_list(&j->report);
	for (size_t i = 0; i < count && signals_ending() == 0; i++) {
		enum exit_status status = convert_into(j, paths, i);
		worst = exit_status_worse(worst, status);
	}
	report_file_list_end(&j->report);
	return worst;
}

/*
 * Registers every file that is read or written. Traces of one name are rejected one by one, later.
 */
static void add_files(struct convert_job *j, char **paths, size_t count)
{
	struct same_file_set *files = &j->files;
	for (size_t i = 0; i < count; i++)
		same_file_add(files, ROLE_INPUT, paths[i]);
	if (j->directory == NULL && !j->convert.quiet)
		files->if_twice = "its events are read twice";
	if (j->directory == NULL)
		same_file_add(files, ROLE_TRACE, j->convert.write.path);
	for (size_t i = 0; i < count && j->directory != NULL; i++) {
		char *out = trace_out_name(&j->convert.write, j->directory, paths[i]);
		if (out == NULL)
			files->failed = true;
		else if (!taken(paths, i))
			same_file_add(files, ROLE_TRACE, out);
		free(out);
	}
	if (j->report.path != NULL)
		same_file_add_output(files, ROLE_REPORT, "--report", j->report.path);
}

/* Names below a directory that is made now may not have resolved before. */
static enum exit_status prepare(struct convert_job *j, char **paths, size_t count)
{
	add_files(j, paths, count);
	enum exit_status status = same_file_check(&j->files);
	if (status != EXIT_OK)
		return status;
	if (j->directory != NULL) {
		status = trace_out_make_directory(j->directory);
		if (status == EXIT_OK)
			status = same_file_check(&j->files);
		if (status != EXIT_OK)
			return status;
	}
	j->report.no_fsync = j->convert.write.no_fsync;
	return report_file_open(&j->report);
}

static enum exit_status work(struct convert_job *j, char **paths, size_t count)
{
	enum exit_status status = prepare(j, paths, count);
	if (status != EXIT_OK)
		return status;
	if (j->directory != NULL)
		status = convert_each(j, paths, count);
	else
		status = convert_one(j, (const char *const *)paths, count, j->convert.write.path);
	return report_file_close(&j->report, status);
}

enum exit_status cmd_convert(int argc, char **argv)
{
	struct convert_job j = {
	    .convert = {.write = TRACE_OUT_OPTIONS_INIT, .memory = MEMORY_DEFAULT}};
	size_t count;
	make_command(&j);
	enum exit_status status;
	if (!options_parse(&j.command, argc, argv, &count, &status))
		return status;
	if (j.list)
		return list_formats();
	status = check(&j, argv, count);
	if (status != EXIT_OK)
		return status;
	(void)take_setting(&(struct option){.name = "ops", .target = &j.settings},
			   ops_names[j.ops]);
	j.convert.settings = j.settings.setting;
	j.convert.setting_count = j.settings.count;
	j.files.command = &j.command;
	j.files.reads_directories = true;
	j.convert.files = &j.files;
	status = work(&j, argv, count);
	same_file_free(&j.files);
	return status;
}
