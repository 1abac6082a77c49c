/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by options.c, which parses, options_help.c and options_nearest.c. */
#ifndef CLI_UI_OPTIONS_INTERNAL_H
#define CLI_UI_OPTIONS_INTERNAL_H

#include "options.h"

enum { OPTION_SHOWN_MAX = 128 };

/* The options that every command has. */
extern const struct option option_help, option_help_all, option_table;

static inline bool option_is_named(const struct option *opt)
{
	return opt->kind != OPTION_GROUP;
}

/* An argument such as "[=SECONDS]" follows the name only after '='. */
static inline bool option_value_is_optional(const struct option *opt)
{
	return opt->argument != NULL && opt->argument[0] == '[';
}

/* Prints all options. */
enum exit_status options_help_all(const struct command_spec *cmd);
/* A line for each option: name, letter, argument, words, help; "-" where there is none. */
enum exit_status options_help_table(const struct command_spec *cmd);

/*
 * Corrects the value of an option of words: the first element of a list that is not one of them.
 * Returns false if no word is near.
 */
bool option_correct_value(const struct option *opt, const char *value, char *text, size_t capacity);
/* These report an option that the command does not have. next: the following argument. */
enum exit_status options_unknown_long(const struct command_spec *cmd, const char *name, size_t n,
				      const char *next);
/* Suggests --json for -f json, and --format=jsonl for -j. */
enum exit_status options_unknown_letter(const struct command_spec *cmd, const char *letters,
					const char *next);

#endif
