/* SPDX-License-Identifier: BSD-2-Clause */
/* A command with an option of each kind, for tests of the parser and for its fuzz harness. */
#ifndef OPTIONS_TEST_H
#define OPTIONS_TEST_H

#include "cli/cmd.h"
#include "cli/ui/options.h"
#include "cli/ui/trace_time.h"

struct values {
	bool verbose, quiet;
	const char *text;
	uint64_t number, size;
	int choice;
	struct trace_time from;
	size_t operands;
};

static inline const char *take_time(const struct option *opt, const char *value)
{
	return trace_time_parse(value, opt->target);
}

static inline const char *take_memory(const struct option *opt, const char *value)
{
	(void)opt, (void)value;
	return option_no_memory;
}

static inline bool parse_words(struct values *v, int argc, char **argv, enum exit_status *status)
{
	const struct option options[] = {
	    OPTION(FLAG, 'v', "verbose", NULL, &v->verbose, "say more"),
	    OPTION(FLAG, 'q', "quiet", NULL, &v->quiet, "say less"),
	    OPTION(STRING, 'o', "output", "OUT", &v->text, "where to"),
	    GROUP("Numbers"),
	    RANGE(NUMBER, 'n', "number", "N", &v->number, "how many", 2, 100),
	    OPTION(SIZE, 0, "size", "SIZE", &v->size, "how much"),
	    OPTION(CHOICE, 0, "colour", "red|green|blue", &v->choice, "which"),
	    CALL("from", "T", &v->from, "when", take_time),
	    CALL("memory", "ANY", NULL, "fails", take_memory),
	    OPTIONS_END,
	};
	const struct command_spec command = {.name = "test",
					     .summary = "Test",
					     .synopsis = "IN...",
					     .options = options,
					     .examples = ""};
	return options_parse(&command, argc, argv, &v->operands, status);
}

#endif
