/* SPDX-License-Identifier: BSD-2-Clause */
#include "unseen_values.h"

#include <string.h>

#include "lib/result/names.h"

#include "state.h"
#include "values.h"

void unseen_values(const struct unseen *u, struct values *v)
{
	v->section = SECTION_OF(trace);
	for (unsigned i = 0; i < UNSEEN_WHYS; i++)
		if (u->programs[i] > 0)
			values_number(v, NAME_OF(unseen_programs), unseen_why_name(i), "",
				      u->programs[i]);
	for (unsigned i = 0; i < UNSEEN_WHYS; i++)
		if (*u->name[i] != '\0')
			values_text(v, NAME_OF(unseen_program), unseen_why_name(i),
				    (struct iot_text){u->name[i], strlen(u->name[i])});
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		if (u->calls[i] > 0)
			values_number(v, NAME_OF(unseen_calls), unseen_calls_name(i), "",
				      u->calls[i]);
}

static void name_column(struct state *s, char name[UNSEEN_NAME])
{
	struct iot_text text = {name, strlen(name)};
	state_text(s, "name", &text);
	state_check(s, text.size < UNSEEN_NAME, "a name of up to 47 bytes");
	if (state_saves(s) || state_failed(s))
		return;
	memcpy(name, text.data, text.size);
	name[text.size] = '\0';
}

void unseen_state(struct state *s, struct unseen *u)
{
	size_t i;
	while (state_each(s, "unseen.programs", UNSEEN_WHYS, &i)) {
		state_number(s, "programs", &u->programs[i]);
		name_column(s, u->name[i]);
	}
	while (state_each(s, "unseen.calls", UNSEEN_CALLS, &i))
		state_number(s, "calls", &u->calls[i]);
}
