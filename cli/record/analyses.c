/* SPDX-License-Identifier: BSD-2-Clause */
#include "analyses.h"

#include <stdio.h>
#include <string.h>

#include "cli/ui/options.h"

/* The default name: the file's, up to its first dot. */
static size_t file_name(const char *module, const char **name)
{
	const size_t path = strcspn(module, ":");
	const char *slash = memrchr(module, '/', path);
	*name = slash != NULL ? slash + 1 : module;
	const size_t size = path - (size_t)(*name - module), dot = strcspn(*name, ".");
	return dot < size ? dot : size;
}

static size_t find(const struct analyses *a, const char *name, size_t size)
{
	size_t i = 0;
	while (i < a->count && (strncmp(a->name[i], name, size) != 0 || a->name[i][size] != '\0'))
		i++;
	return i;
}

const char *analyses_take(const struct option *opt, const char *value)
{
	struct analyses *a = opt->target;
	const char *name = value;
	size_t size = control_module_name(value);
	if (a->count == ANALYSES_MAX)
		return "at most 8 modules";
	a->module[a->count] = size > 0 ? value + size + 1 : value;
	if (size == 0)
		size = file_name(value, &name);
	if (size == 0 || size >= ANALYSIS_NAME)
		return "a name of up to 31 bytes: NAME=FILE.so";
	if (find(a, name, size) < a->count)
		return "a name that no other module has: NAME=FILE.so";
	memcpy(a->name[a->count++], name, size);
	return NULL;
}

bool analyses_start(struct analyses *a, const struct control *control, bool drops)
{
	for (size_t i = 0; i < a->count; i++)
		if (!analysis_start(&a->analysis[i], a->module[i], control, drops, a->analysis))
			return false;
	return true;
}

void analyses_events(struct analyses *a, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < a->count; i++)
		analysis_events(&a->analysis[i], ev, n);
}

void analyses_operations(struct analyses *a, const struct iot_operation *op, size_t n)
{
	for (size_t i = 0; i < a->count; i++)
		analysis_operations(&a->analysis[i], op, n);
}

void analyses_flush(struct analyses *a)
{
	for (size_t i = 0; i < a->count; i++)
		analysis_flush(&a->analysis[i]);
}

void analyses_end(struct analyses *a)
{
	for (size_t i = 0; i < a->count; i++)
		analysis_end(&a->analysis[i]);
}

/* Requests */

static void say_names(const struct analyses *a, const struct control *control,
		      const struct control_request *q)
{
	char text[ANALYSES_MAX * (ANALYSIS_NAME + 2)] = "";
	for (size_t i = 0; i < a->count; i++)
		(void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
			       i > 0 ? ", " : "", a->name[i]);
	control_say(control, q, false, "%.200s: expected the name of one of the modules %s",
		    q->text, text);
}

/* Stores the request without the name of the module, and returns the number of the module. */
static size_t find_named(const struct analyses *a, const struct control_request *q,
			 struct control_request *unnamed)
{
	const char *argument = strchrnul(q->text, ' ');
	argument += *argument == ' ';
	const bool reports = q->text[0] == 'r';
	const size_t size = reports ? strlen(argument) : control_module_name(argument);
	*unnamed = *q;
	(void)snprintf(unnamed->text, sizeof unnamed->text, "%s%s", reports ? "report" : "module ",
		       reports ? "" : argument + size + (size > 0));
	return size == 0 && a->count == 1 ? 0 : size == 0 ? a->count : find(a, argument, size);
}

void analyses_ask(struct analyses *a, const struct control *control,
		  const struct control_request *q)
{
	struct control_request unnamed;
	const size_t i = find_named(a, q, &unnamed);
	if (a->count == 0)
		control_say(control, q, false, "%.6s: this recording runs without a module",
			    q->text);
	else if (i == a->count)
		say_names(a, control, q);
	else if (!analysis_ask(&a->analysis[i], &unnamed))
		control_say(control, q, false, "%.6s: the module %s has ended", q->text,
			    a->name[i]);
}
