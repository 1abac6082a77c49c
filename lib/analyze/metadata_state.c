/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads operations, whose names are in the order of their first use; see state.h. */
#include "metadata.h"

#include <string.h>

#include "state.h"

static void operation_columns(struct state *s, struct metadata_operation *o)
{
	state_number(s, "calls", &o->calls);
	state_number(s, "failed", &o->failed);
	state_number(s, "timed", &o->timed);
	state_number(s, "ns", &o->ns);
	state_number(s, "min", &o->min_ns);
	state_number(s, "max", &o->max_ns);
}

static void name_column(struct state *s, struct metadata_names *n, size_t i)
{
	struct iot_text text = {n->name[i], strlen(n->name[i])};
	state_text(s, "name", &text);
	state_check(s, metadata_is_key(text), "a name of up to 31 printable characters");
	if (state_saves(s) || state_failed(s))
		return;
	memcpy(n->name[i], text.data, text.size);
	n->count = i + 1;
}

/* Names without uses do not exist, so the next row is that of the next number. */
static void names_state(struct state *s, struct metadata *m)
{
	size_t i, n = 0;
	while (state_each(s, "op", state_saves(s) ? m->names.count : METADATA_MAX, &i)) {
		state_check(s, i == n++, "operations without gaps");
		name_column(s, &m->names, i);
		operation_columns(s, &m->operation[i]);
	}
	n = 0;
	while (state_each(s, "op.error", state_saves(s) ? m->results.count : METADATA_MAX, &i)) {
		state_check(s, i == n++, "results without gaps");
		name_column(s, &m->results, i);
		state_number(s, "calls", &m->errors[i]);
	}
}

void metadata_state(struct state *s, struct metadata *m)
{
	size_t i;
	while (state_each(s, "ops", 1, &i)) {
		operation_columns(s, &m->all);
		state_number(s, "other", &m->names.other);
		state_number(s, "other_errors", &m->results.other);
		state_flag(s, "inexact", &m->inexact);
	}
	while (state_each(s, "ops.kind", OPERATION_KINDS, &i))
		operation_columns(s, &m->kind[i]);
	names_state(s, m);
	while (state_each(s, "ops.group", METADATA_GROUPS, &i))
		state_number(s, "calls", &m->group[i]);
}
