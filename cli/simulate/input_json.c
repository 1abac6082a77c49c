/* SPDX-License-Identifier: BSD-2-Clause */
#include "input_json.h"

#include <string.h>

static void text(struct json *j, const char *key, const char *value)
{
	if (value != NULL)
		json_text(j, key, value, strlen(value));
	else
		json_null(j, key);
}

void input_json_reading(struct json *j, const struct trace_in_options *o)
{
	json_open(j, "reading", '{');
	text(j, "in_format", o->source.format);
	json_open(j, "in_options", '[');
	for (size_t i = 0; i < o->source.settings; i++)
		text(j, NULL, o->source.setting[i]);
	json_close(j, ']');
	json_known(j, "in_base", o->base != NOT_GIVEN, o->base);
	json_known(j, "in_tick_ns", o->tick_ns != NOT_GIVEN, o->tick_ns);
	json_bool(j, "verify", !o->no_verify);
	json_bool(j, "recover", o->recover);
	json_bool(j, "allow_empty", o->allow_empty);
	json_close(j, '}');
}
