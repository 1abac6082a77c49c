/* SPDX-License-Identifier: BSD-2-Clause */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "die.h"
#include "options.h"
#include "units.h"

enum { OPTIONS_MAX = 32, HELP = 256, FIRST_ROW };

static void store(const struct option_row *row, const char *text)
{
	switch (row->kind) {
	case OPTION_FLAG:
		*(int *)row->value = 1;
		break;
	case OPTION_TEXT:
		*(const char **)row->value = text;
		break;
	case OPTION_BYTES:
		*(size_t *)row->value = parse_size(row->name, text);
		break;
	case OPTION_COUNT:
		*(int *)row->value = parse_count(row->name, text, row->low, row->high);
		break;
	case OPTION_SECONDS:
		*(double *)row->value = parse_seconds(row->name, text);
		break;
	case OPTION_WORD:
		*(int *)row->value = parse_word(row->name, text, row->words);
		break;
	}
}

/*
 * Fills what getopt_long() expects: the long options, each with the number of its row, and the
 * letters.
 */
static void describe(const struct option_row *rows, struct option *options, char *letters)
{
	int n = 0;
	for (; rows[n].name != NULL; n++) {
		const int argument = rows[n].kind != OPTION_FLAG;
		if (n == OPTIONS_MAX)
			die("more than %d options", OPTIONS_MAX);
		options[n] = (struct option){rows[n].name + 2, argument, NULL, FIRST_ROW + n};
		if (rows[n].letter != 0)
			*letters++ = rows[n].letter;
		if (rows[n].letter != 0 && argument)
			*letters++ = ':';
	}
	options[n] = (struct option){"help", 0, NULL, HELP};
	*letters++ = 'h';
	*letters = '\0';
}

static const struct option_row *find_row(const struct option_row *rows, int option)
{
	if (option >= FIRST_ROW)
		return &rows[option - FIRST_ROW];
	while (rows->letter != option)
		rows++;
	return rows;
}

void options_parse(const struct option_row *rows, const char *help, int argc, char **argv)
{
	struct option options[OPTIONS_MAX + 2] = {{0}};
	char letters[2 * OPTIONS_MAX + 2];
	int option;
	describe(rows, options, letters);
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (option == '?')
			exit(2);
		if (option == HELP || option == 'h') {
			fputs(help, stdout);
			exit(0);
		}
		store(find_row(rows, option), optarg);
	}
}

void options_end(int argc, char **argv)
{
	if (optind < argc)
		die("'%s' is not an option; see --help", argv[optind]);
}
