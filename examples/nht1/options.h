/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a program as a table. A wrong option and --help end the program. */
#ifndef NHT1_OPTIONS_H
#define NHT1_OPTIONS_H

enum option_kind {
	OPTION_FLAG,    /* int: set to 1 */
	OPTION_TEXT,    /* const char * */
	OPTION_BYTES,   /* size_t above 0 */
	OPTION_COUNT,   /* int from low to high */
	OPTION_SECONDS, /* double above 0 */
	OPTION_WORD     /* int: the index of the word */
};

struct option_row {
	const char *name; /* with its hyphens */
	enum option_kind kind;
	void *value;
	char letter; /* of the short form; 0: the option has none */
	int low, high;
	const char *const *words; /* end with NULL */
};

/*
 * Stores the values of the options in a table that ends with a row without a name, and sets optind.
 */
void options_parse(const struct option_row *rows, const char *help, int argc, char **argv);

/* Ends the program if an argument is left. */
void options_end(int argc, char **argv);

#endif
