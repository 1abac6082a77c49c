/* SPDX-License-Identifier: BSD-2-Clause */
#include "form.h"

#include <string.h>

const char *option_form(const struct option *opt, const char *value)
{
#define FORM(choice, name, letter, help) &FORM_OBJECT(choice, name, letter, help)
	static const struct print_form *const forms[] = {PRINT_FORMS(FORM, choice, "", "")};
#undef FORM
	struct print_choice *choice = opt->target;
	(void)value;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (strcmp(forms[i]->name, opt->name) != 0)
			continue;
		if (choice->chosen != NULL && choice->chosen != forms[i])
			choice->other = choice->chosen;
		choice->chosen = forms[i];
	}
	return NULL;
}

bool print_choice_is_nested(const struct print_choice *choice)
{
	return choice->chosen != NULL && choice->chosen->is_nested;
}

void print_in_form(const struct print_form *form, struct output *o,
		   const struct iot_table *document, const struct iot_table *rows)
{
	form->print(o, form->is_nested ? document : rows, NULL);
}

bool print_choice_valid(const struct print_choice *choice, const struct command_spec *command)
{
	if (choice->other != NULL)
		options_wrong(command, "--%s and --%s exclude each other", choice->other->name,
			      choice->chosen->name);
	return choice->other == NULL;
}
