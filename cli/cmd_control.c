/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace control: requests to a record or mount that runs. */
#include "cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/control.h"
#include "cli/ui/message.h"
#include "cli/ui/options.h"
#include "cli/ui/output.h"

static void append(void *to, const char *text, size_t size)
{
	output_write(to, text, size);
}

/* The other process may have another working directory. "[NAME=]FILE[:ARGS]" */
static bool make_module(char text[CONTROL_TEXT], const char *module)
{
	char file[PATH_MAX], path[PATH_MAX];
	const size_t name = control_module_name(module);
	const char *begin = module + name + (name > 0), *colon = strchrnul(begin, ':');
	if (snprintf(file, sizeof file, "%.*s", (int)(colon - begin), begin) >= (int)sizeof file)
		errno = ENAMETOOLONG;
	else if (realpath(file, path) != NULL &&
		 snprintf(text, CONTROL_TEXT, "module %.*s%s%s", (int)(begin - module), module,
			  path, colon) < CONTROL_TEXT)
		return true;
	message_print_about(module, "%s", strerror(errno));
	return false;
}

static enum exit_status ask(const char *path, const char *text)
{
	struct output out;
	enum exit_status status = output_open(&out, "-", 0);
	if (status != EXIT_OK)
		return status;
	const int done = control_ask(path, text, append, &out);
	if (done < 0)
		message_print_about(
		    path, "%s", errno == ETIMEDOUT ? "nobody answered in time" : strerror(errno));
	status = done == 1 ? EXIT_OK : EXIT_FAILED;
	return exit_status_worse(status, output_close(&out));
}

enum exit_status cmd_control(int argc, char **argv)
{
	static const char *const words[] = {"keep", "discard", "statistics", "report", "module"};
	enum { WORDS = sizeof words / sizeof *words, MODULE = WORDS - 1, REPORT = MODULE - 1 };
	const struct option options[] = {OPTIONS_END};
	const struct command_spec command = {
	    .name = "control",
	    .summary = "Ask or change a record or mount that runs",
	    .synopsis = "PATH keep\nPATH discard\nPATH statistics\nPATH report [NAME]\n"
			"PATH module [NAME=]FILE.so[:ARGS]",
	    .options = options,
	    .notes = "PATH: the socket of an iotrace record or mount with the option 'control'.\n"
		     "keep, discard: records are written to the trace, or only counted and given "
		     "to the module.\n"
		     "statistics: print counts. report: print what a module reports.\n"
		     "module: replace that module. NAME: one of several modules.\n",
	    .examples = "  iotrace control /run/user/0/mount discard\n"
			"  iotrace control /run/user/0/mount module ./next.so\n",
	    .operands_max = 3,
	};
	char text[CONTROL_TEXT];
	size_t count, word = 0;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (count < 2)
		return options_wrong(&command, "name the socket and a request, such as keep");
	while (word < WORDS && strcmp(argv[1], words[word]) != 0)
		word++;
	if (word == WORDS)
		return options_wrong(&command,
				     "'%s' is none of keep, discard, statistics, report "
				     "and module",
				     argv[1]);
	if (count == 3 ? word < REPORT : word == MODULE)
		return options_wrong(
		    &command, word == MODULE ? "module: name one file" : "%s has no argument",
		    words[word]);
	if (word == MODULE)
		return make_module(text, argv[2]) ? ask(argv[0], text) : EXIT_FAILED;
	(void)snprintf(text, sizeof text, "%s%s%.64s", words[word], count == 3 ? " " : "",
		       count == 3 ? argv[2] : "");
	return ask(argv[0], text);
}
