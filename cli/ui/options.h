/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options as arrays, which fill variables and print the help, so that the two cannot drift. GNU
 * style: --opt=val, --opt val, -oVAL, -o VAL, flags in clusters (-qv), options and operands in any
 * order, "--" ends the options, "-" is an operand. --help (-h) is known everywhere.
 *
 *	const struct iot_command cat = { .name = "cat", .options = options, ... };
 *	int status = iot_opts_parse(&cat, argc, argv, &count);
 *	if (status != IOT_OPTS_GO_ON)
 *		return status;
 *	use(argv[0 .. count));
 */
#ifndef CLI_UI_OPTIONS_H
#define CLI_UI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iot_opt;

/* Of IOT_OPT_CALL: value is "" where argument is NULL. NULL: fine; else what was expected. */
typedef const char *iot_opt_fn(const struct iot_opt *opt, const char *value);

enum iot_opt_kind {
	IOT_OPT_END,    /* ends an array */
	IOT_OPT_GROUP,  /* a heading in the help: `help` */
	IOT_OPT_FLAG,   /* bool *target: true */
	IOT_OPT_STRING, /* const char **target */
	IOT_OPT_NUMBER, /* uint64_t *target, decimal, min .. max */
	IOT_OPT_SIZE, /* uint64_t *target, bytes: the same with K, M, G, T (times 1024) behind it */
	IOT_OPT_CHOICE, /* int *target: the index in `argument`, which is "one|two|three" */
	IOT_OPT_CALL,   /* call does it */
};

struct iot_opt {
	enum iot_opt_kind kind;
	char letter;          /* 0: none */
	const char *name;     /* without the dashes */
	const char *argument; /* what the help calls the value; NULL for flags */
	void *target;
	const char *help;  /* NULL: works, but is not shown */
	uint64_t min, max; /* of numbers and sizes; max 0: no limit */
	iot_opt_fn *call;
};

/* Elements of an array; arrays are local to their command, like the variables they fill. */
/* clang-format off */
#define IOT_OPTION(kind_, letter_, name_, argument_, target_, help_)                               \
	{ .kind = IOT_OPT_##kind_, .letter = letter_, .name = name_, .argument = argument_,        \
	  .target = target_, .help = help_ }
#define IOT_RANGE(kind_, letter_, name_, argument_, target_, help_, min_, max_)                    \
	{ .kind = IOT_OPT_##kind_, .letter = letter_, .name = name_, .argument = argument_,        \
	  .target = target_, .help = help_, .min = min_, .max = max_ }
#define IOT_CALL(name_, argument_, target_, help_, call_)                                          \
	{ .kind = IOT_OPT_CALL, .name = name_, .argument = argument_, .target = target_,           \
	  .help = help_, .call = call_ }
#define IOT_GROUP(heading) { .kind = IOT_OPT_GROUP, .help = heading }
#define IOT_OPTIONS_END    { .kind = IOT_OPT_END }
/* clang-format on */

struct iot_command {
	const char *name, *summary;
	const char *synopsis; /* lines, each without "iotrace NAME " before it; separated by LF */
	const struct iot_opt *options;
	const char *notes;    /* lines behind the options, each ending in LF; may be NULL */
	const char *examples; /* lines, each ending in LF */
	unsigned operands_min, operands_max; /* max 0: any number */
};

#define IOT_OPTS_GO_ON (-1)

/*
 * Fills the targets and moves the operands to argv[0 .. *count). IOT_OPTS_GO_ON, or the exit status
 * of a command that ends here: help was asked for and printed, or the usage is wrong and was told.
 */
int iot_opts_parse(const struct iot_command *cmd, int argc, char **argv, size_t *count);

/* Two lines on stderr: what is wrong, and where the help is. Returns IOT_EXIT_USAGE. */
int iot_opts_wrong(const struct iot_command *cmd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The whole help, on stdout; returns the exit status. */
int iot_opts_help(const struct iot_command *cmd);

/* For "did you mean": how many single-character edits make b of a; 1 if b begins with a. */
unsigned iot_word_distance(const char *a, const char *b);
/* Whether so many edits are few enough for `word` to be a slip of the keyboard. */
bool iot_word_close(unsigned distance, const char *word);

#endif
