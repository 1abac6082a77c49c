/* SPDX-License-Identifier: BSD-2-Clause */
/* A command with an option of each kind, for tests of the parser, and for what fuzzes it. */
#ifndef IOT_OPTS_TEST_H
#define IOT_OPTS_TEST_H

#include "cli/cmd.h"
#include "cli/ui/options.h"
#include "cli/ui/parse_time.h"

struct values {
	bool verbose, quiet;
	const char *text;
	uint64_t number, size;
	int choice;
	struct iot_time from;
	size_t operands;
};

static inline const char *take_time(const struct iot_opt *opt, const char *value)
{
	return iot_time_parse(value, opt->target);
}

static inline int parse_words(struct values *v, int argc, char **argv)
{
	const struct iot_opt options[] = {
	    IOT_OPTION(FLAG, 'v', "verbose", NULL, &v->verbose, "say more"),
	    IOT_OPTION(FLAG, 'q', "quiet", NULL, &v->quiet, "say less"),
	    IOT_OPTION(STRING, 'o', "output", "OUT", &v->text, "where to"),
	    IOT_GROUP("Numbers"),
	    IOT_RANGE(NUMBER, 'n', "number", "N", &v->number, "how many", 2, 100),
	    IOT_OPTION(SIZE, 0, "size", "SIZE", &v->size, "how much"),
	    IOT_OPTION(CHOICE, 0, "colour", "red|green|blue", &v->choice, "which"),
	    IOT_CALL("from", "T", &v->from, "when", take_time),
	    IOT_OPTIONS_END,
	};
	const struct iot_command command = {.name = "test",
					    .summary = "Test",
					    .synopsis = "IN...",
					    .options = options,
					    .examples = ""};
	return iot_opts_parse(&command, argc, argv, &v->operands);
}

#endif
