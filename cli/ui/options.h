/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option tables, which set variables and print the help, so that the two cannot diverge. GNU
 * style: --opt=val, --opt val, -oVAL, -o VAL, flags in clusters (-qv), options and operands in any
 * order, "--" ends the options, "-" is an operand. --help (-h) and --help-all always exist.
 *
 *	const struct command_spec cat = { .name = "cat", .options = options, ... };
 *	int status;
 *	if (!options_parse(&cat, argc, argv, &count, &status))
 *		return status;
 *	use(argv[0 .. count));
 */
#ifndef CLI_UI_OPTIONS_H
#define CLI_UI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cmd.h"

struct option;

/*
 * For OPTION_CALL: value is "" if argument is NULL. Returns NULL; or the expected value; or
 * option_no_memory.
 */
typedef const char *option_fn(const struct option *opt, const char *value);
extern const char option_no_memory[];
/* Returns word i, from 0, of those that a value may be; NULL if there are no more. */
typedef const char *option_word_fn(size_t i);

enum option_kind {
	OPTION_END,    /* ends an array */
	OPTION_GROUP,  /* a heading in the help: `help` */
	OPTION_FLAG,   /* bool *target: true */
	OPTION_STRING, /* const char **target */
	OPTION_NUMBER, /* uint64_t *target, decimal, min .. max */
	OPTION_SIZE,   /* uint64_t *target, bytes with a unit of size_parse, min .. max */
	OPTION_CHOICE, /* int *target: the index in `argument`, which is "one|two|three" */
	OPTION_CALL,   /* call handles it */
};

struct option {
	enum option_kind kind;
	char letter;      /* 0: none */
	const char *name; /* without the dashes */
	/* name of the value in the help; "[=NAME]" if it may be omitted; NULL for flags */
	const char *argument;
	void *target;
	const char *help;  /* NULL: accepted, but not shown */
	uint64_t min, max; /* for numbers and sizes; max 0: no limit */
	option_fn *call;
	/* The value is one of these words, or a list of them; they end the sentence of `call`. */
	option_word_fn *word;
};

/* Elements of an array; arrays are local to their command, like the variables they fill. */
/* clang-format off */
#define OPTION(kind_, letter_, name_, argument_, target_, help_)                               \
	{ .kind = OPTION_##kind_, .letter = letter_, .name = name_, .argument = argument_,        \
	  .target = target_, .help = help_ }
#define RANGE(kind_, letter_, name_, argument_, target_, help_, min_, max_)                    \
	{ .kind = OPTION_##kind_, .letter = letter_, .name = name_, .argument = argument_,        \
	  .target = target_, .help = help_, .min = min_, .max = max_ }
#define CALL(name_, argument_, target_, help_, call_)                                          \
	{ .kind = OPTION_CALL, .name = name_, .argument = argument_, .target = target_,           \
	  .help = help_, .call = call_ }
#define WORDS(name_, argument_, target_, help_, call_, word_)                                  \
	{ .kind = OPTION_CALL, .name = name_, .argument = argument_, .target = target_,           \
	  .help = help_, .call = call_, .word = word_ }
#define GROUP(heading) { .kind = OPTION_GROUP, .help = heading }
#define OPTIONS_END    { .kind = OPTION_END }
#define OPTION_QUIET(quiet, progress)                                                             \
	OPTION(FLAG, 'q', "quiet", NULL, &(quiet), "no progress, no warnings"),                \
	OPTION(CHOICE, 0, "progress", "auto|always|never", &(progress),                         \
		   "show the progress on standard error (default: auto, on a terminal)")
/* clang-format on */

/* The value of a number that was not requested. */
#define NOT_GIVEN UINT64_MAX

/* Parses "16" or "10" into the uint64_t target. */
option_fn option_base;
/* Parses nanoseconds, or ns, us, ms, into the uint64_t target. */
option_fn option_tick;

/* What to do instead of giving an option that other tools have: a letter, or a name. */
struct option_hint {
	const char *name, *hint;
};

struct command_spec {
	const char *name, *summary;
	const char *synopsis; /* lines, each without the leading "iotrace NAME "; separated by LF */
	const struct option *options;
	const char *notes;    /* lines after the options, each ending in LF; may be NULL */
	const char *examples; /* lines, each ending in LF */
	unsigned operands_min, operands_max; /* max 0: any number */
	bool runs_program;                   /* the first operand ends the options */
	const struct option_hint *hints;     /* end with a NULL name; may be NULL */
};

/*
 * Sets the targets and moves the operands to argv[0 .. *count). Returns false, with *status set, if
 * the command ends here: the help was printed, or a usage error was reported.
 */
bool options_parse(const struct command_spec *cmd, int argc, char **argv, size_t *count,
		   enum exit_status *status);

/* Prints two lines to stderr: the error, and where the help is. Returns EXIT_FAILED. */
enum exit_status options_wrong(const struct command_spec *cmd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Prints the help to stdout: at most 40 lines, with the names alone of options that do not fit.
 * Returns the exit status.
 */
enum exit_status options_help(const struct command_spec *cmd);

#endif
