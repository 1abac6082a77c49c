/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forms in which commands print results instead of text: a form is a file of this directory
 * with a PRINT_FORM, which makes it an option of each command.
 */
#ifndef CLI_PRINT_FORM_H
#define CLI_PRINT_FORM_H

#include <iotrace/result.h>

#include "cli/print/form_list.h"
#include "cli/ui/options.h"
#include "cli/ui/output.h"

struct print_form {
	const char *name; /* of the option */
	bool is_nested;   /* it prints a document with nested tables; else rows */
	/*
	 * lines: the member of a document of one line whose rows have a line each; NULL: each
	 * member of the document has a line
	 */
	void (*print)(struct output *o, const struct iot_table *table, const char *lines);
	/* Prints more rows of a table of which some are printed; NULL if the form is nested. */
	void (*print_more)(struct output *o, const struct iot_table *table);
};

/* The form that the options selected. chosen is NULL for text. */
struct print_choice {
	const struct print_form *chosen, *other; /* other: a form before it */
};

/*
 * Defines a form, and its option with its help, in which `document` and `rows` are what the command
 * prints. A definition is on one line, from which the GNUmakefile makes PRINT_FORMS.
 */
#define PRINT_FORM(name, letter, help) const struct print_form form_##name

/* Elements of an array of options. */
#define OPTION_FORM(choice, name_, letter_, help_)                                                 \
	{                                                                                          \
		.kind = OPTION_CALL, .letter = letter_, .name = #name_, .target = &(choice),       \
		.help = help_, .call = option_form                                                 \
	}
#define OPTION_FORMS(choice, document, rows) PRINT_FORMS(OPTION_FORM, choice, document, rows)

option_fn option_form;
/* Returns whether the selected form is a document with nested tables. */
bool print_choice_is_nested(const struct print_choice *choice);
/* Prints a document with nested tables in a form that has these, else the rows. */
void print_in_form(const struct print_form *form, struct output *o,
		   const struct iot_table *document, const struct iot_table *rows);
/* Returns false, with an error, if two forms were selected. */
bool print_choice_valid(const struct print_choice *choice, const struct command_spec *command);

#define FORM_OBJECT(choice, name, letter, help) form_##name
extern const struct print_form PRINT_FORMS(FORM_OBJECT, , "", "");

#endif
