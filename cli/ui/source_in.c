/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_in.h"

#include <string.h>

#include "message.h"
#include "signals.h"
#include "source_warnings.h"

enum { KEY_CAPACITY = 64 };

static const char trace_format[] = "iotrace";

/* Options */

static bool is_format(const char *name)
{
	struct iot_format f;
	for (size_t i = 0; iot_source_format(i, &f); i++)
		if (strcmp(f.name, name) == 0)
			return true;
	return strcmp(name, trace_format) == 0;
}

const char *source_in_take_format(const struct option *opt, const char *value)
{
	struct source_in_options *o = opt->target;
	o->format = value;
	return is_format(value) ? NULL : "iotrace, or a format of 'iotrace convert --list'";
}

const char *source_in_take_setting(const struct option *opt, const char *value)
{
	struct source_in_options *o = opt->target;
	if (value[0] == '\0' || value[0] == '=' || strcspn(value, "=") >= KEY_CAPACITY)
		return "KEY or KEY=VALUE";
	if (o->settings == SOURCE_IN_SETTINGS_MAX)
		return "fewer of them";
	o->setting[o->settings++] = value;
	return NULL;
}

static int apply(struct iot_source *s, const struct source_in_options *o)
{
	int status = iot_source_set(s, "fallback", trace_format);
	if (status == IOT_OK && o->format != NULL)
		status = iot_source_set(s, "format", o->format);
	for (size_t i = 0; i < o->settings && status == IOT_OK; i++) {
		const char *text = o->setting[i];
		const size_t n = strcspn(text, "=");
		char key[KEY_CAPACITY] = "";
		memcpy(key, text, n);
		/* convert has another option --threads */
		status = iot_source_set(s, strcmp(key, "per-thread") == 0 ? "threads" : key,
					text[n] == '=' ? text + n + 1 : "");
	}
	return status;
}

/* Input */

bool source_in_is_trace(const struct iot_source *s)
{
	const char *name = iot_source_name(s);
	return name != NULL && strcmp(name, trace_format) == 0;
}

bool source_in_cut(const struct iot_source *s)
{
	if (s == NULL || iot_source_fact(s, IOT_SOURCE_CANCELLED) == 0)
		return false;
	atomic_store(&signals_interrupt()->cut, true);
	return true;
}

static enum exit_status refuse(const struct iot_source *s, int status,
			       const struct command_spec *cmd)
{
	if (source_in_cut(s) || signals_ending() != 0)
		return EXIT_FAULT;
	if (status == IOT_EUSAGE)
		return options_wrong(cmd, "%s", iot_source_error(s));
	message_print("%s", iot_source_error(s));
	return EXIT_FAULT;
}

enum exit_status source_in_open(struct iot_source **s, const char *path,
				const struct source_in_options *o, bool interruptible,
				const struct command_spec *cmd)
{
	*s = iot_source_new();
	if (*s == NULL)
		return message_no_memory();
	if (interruptible)
		iot_source_cancel_by(*s, &signals_interrupt()->request);
	int status = apply(*s, o);
	if (status == IOT_OK)
		status = iot_source_open(*s, &path, 1);
	return status == IOT_OK ? EXIT_OK : refuse(*s, status, cmd);
}

void source_in_warn(const struct iot_source *s, const char *name, bool whole)
{
	const struct source_warnings warnings = {.source = s, .name = name, .whole = whole};
	if (!source_in_is_trace(s))
		source_warnings_print(&warnings);
}
