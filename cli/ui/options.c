/* SPDX-License-Identifier: BSD-2-Clause */
#include "options_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/base/size.h"

#include "cli/cmd.h"
#include "message.h"
#include "nearest.h"
#include "printable.h"

enum { EXPECTED_MAX = 256 };

const char option_no_memory[] = "";

/* Values */

static bool parse_number(const struct option *opt, const char *value, uint64_t *number)
{
	const size_t n = strlen(value);
	const bool valid = opt->kind == OPTION_SIZE ? size_parse(value, n, number) == SIZE_VALID
						    : number_decimal(value, n, number);
	return valid && *number >= opt->min && (opt->max == 0 || *number <= opt->max);
}

static int find_choice(const char *choices, const char *value)
{
	size_t n = strlen(value);
	for (int i = 0; choices; i++) {
		size_t length = strcspn(choices, "|");
		if (n == length && memcmp(choices, value, n) == 0)
			return i;
		choices = choices[length] ? choices + length + 1 : NULL;
	}
	return -1;
}

/* A limit as users write it: 64K, 16M; in bytes if it has no unit. */
static void print_limit(char *text, size_t capacity, const struct option *opt, uint64_t limit)
{
	static const char units[] = " KMGTPE";
	size_t unit = 0;
	while (opt->kind == OPTION_SIZE && limit > 0 && limit % 1024 == 0) {
		limit /= 1024;
		unit++;
	}
	snprintf(text, capacity, "%ju%.*s", (uintmax_t)limit, unit > 0, units + unit);
}

static const char *expected_number(const struct option *opt, const char *value, char *text,
				   size_t capacity)
{
	const bool is_size = opt->kind == OPTION_SIZE;
	const bool limited = opt->max > 0 && opt->max < UINT64_MAX;
	const size_t n = is_size ? strlen(value) : strspn(value, "0123456789");
	const char *noun = is_size ? "a size" : "a whole number";
	char min[32], max[32];
	uint64_t number;
	const enum size_status status = size_parse(value, n, &number);
	print_limit(min, sizeof min, opt, opt->min);
	print_limit(max, sizeof max, opt, limited ? opt->max : UINT64_MAX);
	if (limited || status == SIZE_TOO_LARGE)
		snprintf(text, capacity, "%s from %s to %s", noun, min, max);
	else
		snprintf(text, capacity, "%s%s%s%s", noun,
			 is_size && status == SIZE_INVALID ? " such as 4096, 64K, 64MB or 1GiB"
							   : "",
			 opt->min > 0 ? ", at least " : "", opt->min > 0 ? min : "");
	return text;
}

/* Returns whether the value is the name of a file or directory. */
static bool names_file(const struct option *opt)
{
	static const char *const names[] = {"FILE", "OUT", "DIR", "RUN"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(opt->argument, names[i]) == 0)
			return true;
	return false;
}

/* Returns NULL on success; otherwise the expected value. */
static const char *take_value(const struct option *opt, const char *value, char *text,
			      size_t capacity)
{
	switch (opt->kind) {
	case OPTION_FLAG:
		*(bool *)opt->target = true;
		return NULL;
	case OPTION_STRING:
		*(const char **)opt->target = value;
		return *value == '\0' && names_file(opt) ? "a name" : NULL;
	case OPTION_NUMBER:
	case OPTION_SIZE: {
		uint64_t number;
		if (!parse_number(opt, value, &number))
			return expected_number(opt, value, text, capacity);
		*(uint64_t *)opt->target = number;
		return NULL;
	}
	case OPTION_CHOICE: {
		int choice = find_choice(opt->argument, value);
		if (choice < 0)
			return opt->argument;
		*(int *)opt->target = choice;
		return NULL;
	}
	case OPTION_CALL:
		return opt->call(opt, value);
	default:
		return "something else";
	}
}

/* The expected value: "a list of", and the words. */
static void list_words(const struct option *opt, const char *expected, char *text, size_t capacity)
{
	const char *word, *comma = " ";
	size_t n = (size_t)snprintf(text, capacity, "%s", expected);
	for (size_t i = 0; n < capacity && opt->word && (word = opt->word(i)) != NULL; i++) {
		n += (size_t)snprintf(text + n, capacity - n, "%s%s", comma, word);
		comma = ", ";
	}
}

/* The arguments that follow, ending in NULL. */
struct words {
	char **next;
	const struct option *help; /* which of the options for help was the last one */
};

static enum exit_status set_option(const struct command_spec *cmd, struct words *words,
				   const struct option *opt, const char *value)
{
	char shown[OPTION_SHOWN_MAX], text[96], list[EXPECTED_MAX];
	if (opt == &option_help || opt == &option_help_all || opt == &option_table) {
		words->help = opt;
		return EXIT_OK;
	}
	value = value ? value : "";
	const char *expected = take_value(opt, value, text, sizeof text);
	if (!expected)
		return EXIT_OK;
	if (expected == option_no_memory)
		return message_no_memory();
	list_words(opt, expected, list, sizeof list);
	escape_text(shown, sizeof shown, value, strlen(value));
	if ((opt->kind == OPTION_CHOICE || opt->word) &&
	    option_correct_value(opt, shown, text, sizeof text))
		return options_wrong(cmd, "--%s is '%s', expected %s; did you mean --%s=%s?",
				     opt->name, shown, list, opt->name, text);
	return options_wrong(cmd, "--%s is '%s', expected %s", opt->name, shown, list);
}

/* Command line arguments */

static const struct option *find_long(const struct command_spec *cmd, const char *name, size_t n)
{
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++)
		if (option_is_named(opt) && strlen(opt->name) == n &&
		    memcmp(opt->name, name, n) == 0)
			return opt;
	if (n == strlen(option_help_all.name) && memcmp(name, option_help_all.name, n) == 0)
		return &option_help_all;
	if (n == strlen(option_table.name) && memcmp(name, option_table.name, n) == 0)
		return &option_table;
	return n == 4 && memcmp(name, "help", n) == 0 ? &option_help : NULL;
}

static const struct option *find_letter(const struct command_spec *cmd, char letter)
{
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++)
		if (option_is_named(opt) && opt->letter == letter)
			return opt;
	return letter == 'h' ? &option_help : NULL;
}

/* "--NAME", "--NAME=VALUE" or "--NAME VALUE", whose VALUE is consumed. */
static enum exit_status parse_long(const struct command_spec *cmd, const char *name,
				   struct words *words)
{
	size_t n = strcspn(name, "=");
	const char *value = name[n] ? name + n + 1 : NULL;
	const struct option *opt = find_long(cmd, name, n);
	if (!opt)
		return options_unknown_long(cmd, name, n, *words->next);
	if (!opt->argument && value)
		return options_wrong(cmd, "--%s takes no value", opt->name);
	const bool needs_value = opt->argument && !option_value_is_optional(opt);
	if (needs_value && !value && *words->next != NULL)
		value = *words->next++;
	if (needs_value && !value)
		return options_wrong(cmd, "--%s needs a value: %s", opt->name, opt->argument);
	return set_option(cmd, words, opt, value);
}

/* "-abcVALUE": flags, the last of them perhaps with a value, here or in the next word. */
static enum exit_status parse_letters(const struct command_spec *cmd, const char *letters,
				      struct words *words)
{
	for (; *letters; letters++) {
		const struct option *opt = find_letter(cmd, *letters);
		if (!opt)
			return options_unknown_letter(cmd, letters, *words->next);
		const char *value = NULL;
		if (opt->argument) {
			value = letters[1]             ? letters + 1
				: *words->next != NULL ? *words->next++
						       : NULL;
			if (!value)
				return options_wrong(cmd, "-%c needs a value: %s", opt->letter,
						     opt->argument);
		}
		const enum exit_status status = set_option(cmd, words, opt, value);
		if (status != EXIT_OK || value || words->help)
			return status;
	}
	return EXIT_OK;
}

static enum exit_status check_operands(const struct command_spec *cmd, char **argv, size_t count)
{
	char shown[OPTION_SHOWN_MAX];
	if (count < cmd->operands_min)
		return options_wrong(cmd, "name the input (\"-\" is standard input)");
	for (size_t i = 0; i < count && !cmd->runs_program; i++)
		if (argv[i][0] == '\0')
			return options_wrong(cmd, "the name of an input is empty");
	if (cmd->operands_max == 0 || count <= cmd->operands_max)
		return EXIT_OK;
	const char *extra = argv[cmd->operands_max];
	return options_wrong(cmd, "one input only, '%s' is too much",
			     escape_text(shown, sizeof shown, extra, strlen(extra)));
}

static enum exit_status parse_words(const struct command_spec *cmd, struct words *words,
				    char **argv, size_t *count)
{
	enum exit_status status = EXIT_OK;
	bool options = true;
	*count = 0;
	while (status == EXIT_OK && !words->help && *words->next != NULL) {
		char *word = *words->next++;
		if (!options || word[0] != '-' || word[1] == '\0') {
			argv[(*count)++] = word;
			options = options && !cmd->runs_program;
		} else if (strcmp(word, "--") == 0) {
			options = false;
		} else if (word[1] == '-') {
			status = parse_long(cmd, word + 2, words);
		} else {
			status = parse_letters(cmd, word + 1, words);
		}
	}
	return status;
}

bool options_parse(const struct command_spec *cmd, int argc, char **argv, size_t *count,
		   enum exit_status *status)
{
	struct words words = {.next = argv + 1};
	assert(argv[argc] == NULL);
	(void)argc;
	*status = parse_words(cmd, &words, argv, count);
	if (*status == EXIT_OK && !words.help)
		*status = check_operands(cmd, argv, *count);
	if (*status != EXIT_OK || !words.help)
		return *status == EXIT_OK;
	*status = words.help == &option_table      ? options_help_table(cmd)
		  : words.help == &option_help_all ? options_help_all(cmd)
						   : options_help(cmd);
	return false;
}

const char *option_base(const struct option *opt, const char *value)
{
	bool hex = strcmp(value, "16") == 0;
	if (!hex && strcmp(value, "10") != 0)
		return "16 or 10";
	*(uint64_t *)opt->target = hex ? 16 : 10;
	return NULL;
}

const char *option_tick(const struct option *opt, const char *value)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}};
	uint64_t ns = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(value, units[i].name) == 0)
			ns = units[i].ns;
	if (ns == 0 && !number_decimal(value, strlen(value), &ns))
		ns = 0;
	if (ns < 1 || ns > INT64_MAX)
		return "nanoseconds, or one of ns, us, ms";
	*(uint64_t *)opt->target = ns;
	return NULL;
}
