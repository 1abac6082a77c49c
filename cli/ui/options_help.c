/* SPDX-License-Identifier: BSD-2-Clause */
/* Help, made of arrays of options, and the hint where it is. */
#include "options_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80, HELP_LINES = 40 };

/* Returns the length of the name, with dashes and argument, as the help shows it. */
static size_t option_name(const struct option *opt, char *left, size_t capacity)
{
	const int n = opt->letter ? snprintf(left, capacity, "  -%c, --%s", opt->letter, opt->name)
				  : snprintf(left, capacity, "      --%s", opt->name);
	if (opt->argument && n > 0 && (size_t)n < capacity)
		(void)snprintf(left + n, capacity - (size_t)n, "%s%s",
			       option_value_is_optional(opt) ? "" : "=", opt->argument);
	return strlen(left);
}

/* Returns the number of lines that the text takes from the column on; prints them if `print`. */
static size_t wrap(const char *text, size_t indent, bool print)
{
	size_t column = indent, lines = 1;
	while (*text) {
		const size_t n = strcspn(text, " ");
		if (column > indent && column + n >= HELP_WIDTH) {
			lines++;
			column = indent;
			if (print)
				printf("\n%*s", (int)indent, "");
		}
		if (print)
			printf("%s%.*s", column > indent ? " " : "", (int)n, text);
		column += n + 1;
		text += n + (text[n] != '\0');
	}
	if (print)
		putchar('\n');
	return lines;
}

static size_t option_lines(const struct option *opt)
{
	char left[96];
	return wrap(opt->help, HELP_COLUMN, false) +
	       (option_name(opt, left, sizeof left) > HELP_COLUMN - 2);
}

static void print_option(const struct option *opt)
{
	char left[96];
	if (!opt->help)
		return;
	if (opt->kind == OPTION_GROUP) {
		printf("\n%s:\n", opt->help);
		return;
	}
	if (option_name(opt, left, sizeof left) > HELP_COLUMN - 2)
		printf("%s\n%*s", left, HELP_COLUMN, "");
	else
		printf("%-*s", HELP_COLUMN, left);
	wrap(opt->help, HELP_COLUMN, true);
}

const struct option option_help = OPTION(FLAG, 'h', "help", NULL, NULL, "show this help"),
		    option_help_all = OPTION(FLAG, 0, "help-all", NULL, NULL, NULL);

/* For the completion of shells, see share/completion; the help does not name it. */
const struct option option_table = OPTION(FLAG, 0, "help-options", NULL, NULL, NULL);

/* Prints the words that the value may be, separated by blanks, or "-". */
static void print_words(const struct option *opt)
{
	const char *word =
	    opt->kind == OPTION_CHOICE && opt->argument != NULL ? opt->argument : "-";
	for (; opt->word == NULL && *word != '\0'; word++)
		putchar(*word == '|' ? ' ' : *word);
	for (size_t i = 0; opt->word != NULL && (word = opt->word(i)) != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", word);
}

enum exit_status options_help_table(const struct command_spec *cmd)
{
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++) {
		if (opt->kind == OPTION_GROUP || opt->help == NULL)
			continue;
		printf("%s\t%c\t%s\t", opt->name, opt->letter != '\0' ? opt->letter : '-',
		       opt->argument != NULL ? opt->argument : "-");
		print_words(opt);
		printf("\t%s\n", opt->help);
	}
	printf("help\th\t-\t-\t%s\n", option_help.help);
	return EXIT_OK;
}

static void print_synopsis(const struct command_spec *cmd)
{
	const char *before = "Usage: ";
	for (const char *line = cmd->synopsis; line; before = "       ") {
		size_t n = strcspn(line, "\n");
		printf("%siotrace %s %.*s\n", before, cmd->name, (int)n, line);
		line = line[n] ? line + n + 1 : NULL;
	}
}

enum exit_status options_help_all(const struct command_spec *cmd)
{
	print_synopsis(cmd);
	printf("\n%s.\n", cmd->summary);
	printf("\nOptions:\n");
	const struct option *opt = cmd->options;
	for (; opt->kind != OPTION_END && opt->kind != OPTION_GROUP; opt++)
		print_option(opt);
	print_option(&option_help);
	for (; opt->kind != OPTION_END; opt++)
		print_option(opt);
	if (cmd->notes)
		printf("\n%s", cmd->notes);
	printf("\nExamples:\n%s", cmd->examples);
	return EXIT_OK;
}

/* The short help: the options that come first, the names of the others, and some examples */

/* Appends the names of the options up to the next group, which it returns. */
static const struct option *append_names(const struct option *opt, char *text, size_t capacity)
{
	size_t n = strlen(text);
	for (; opt->kind != OPTION_END && opt->kind != OPTION_GROUP; opt++)
		if (opt->help && n < capacity)
			n += (size_t)snprintf(text + n, capacity - n, " --%s", opt->name);
	return opt;
}

/* Lists the names of the options from `opt` on, by group. Returns the number of lines. */
static size_t list_names(const struct option *opt, bool print)
{
	size_t lines = 0;
	const char *group = "More";
	while (opt->kind != OPTION_END) {
		char text[2048];
		if (opt->kind == OPTION_GROUP)
			group = opt++->help;
		const size_t n = (size_t)snprintf(text, sizeof text, "%s:", group);
		opt = append_names(opt, text, sizeof text);
		if (text[n] == '\0')
			continue;
		if (print)
			printf("  ");
		lines += wrap(text, 4, print);
	}
	return lines;
}

/* Returns the first option that has to be listed by name only, so that the help fits. */
static const struct option *find_rest(const struct command_spec *cmd, size_t lines)
{
	const struct option *rest = cmd->options;
	for (; rest->kind != OPTION_END && rest->kind != OPTION_GROUP; rest++)
		lines += rest->help ? option_lines(rest) : 0;
	while (rest > cmd->options && lines + list_names(rest, false) > HELP_LINES) {
		rest--;
		lines -= rest->help ? option_lines(rest) : 0;
	}
	return rest;
}

/* Prints the first of some lines. */
static void print_lines(const char *text, size_t n)
{
	while (n-- > 0 && *text) {
		const size_t size = strcspn(text, "\n");
		printf("%.*s\n", (int)size, text);
		text += size + (text[size] != '\0');
	}
}

static size_t count_lines(const char *text)
{
	size_t n = 1;
	for (; (text = strchr(text, '\n')) != NULL; text++)
		n++;
	return n;
}

enum exit_status options_help(const struct command_spec *cmd)
{
	enum { EXAMPLES = 3, OTHER_LINES = 9 }; /* headings, blank lines, references */
	const struct option *rest =
	    find_rest(cmd, count_lines(cmd->synopsis) + OTHER_LINES + EXAMPLES);
	print_synopsis(cmd);
	printf("\n%s.\n\nOptions:\n", cmd->summary);
	for (const struct option *opt = cmd->options; opt < rest; opt++)
		print_option(opt);
	if (rest->kind != OPTION_END)
		putchar('\n');
	list_names(rest, true);
	printf("\nAll options: iotrace help %s. Manual: iotrace-%s(1).\n", cmd->name, cmd->name);
	printf("\nExamples:\n");
	print_lines(cmd->examples, EXAMPLES);
	return EXIT_OK;
}

enum exit_status options_wrong(const struct command_spec *cmd, const char *format, ...)
{
	char text[MESSAGE_TEXT];
	va_list args;
	va_start(args, format);
	message_format(text, format, args);
	va_end(args);
	fprintf(stderr, "iotrace %s: %s\nTry 'iotrace %s --help'.\n", cmd->name, text, cmd->name);
	return EXIT_FAILED;
}
