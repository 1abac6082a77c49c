/* SPDX-License-Identifier: BSD-2-Clause */
/* %trace: the first line of the trace. */
#include "run_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/message.h"
#include "live_trace.h"

enum { NAMES_MAX = 4096 }; /* bytes of host=, user= and job= */

static void add_command(const struct record_job *j, struct iot_builder *b)
{
	char text[16384];
	size_t n = 0;
	for (char **a = j->argv; *a != NULL && n + 1 < sizeof(text); a++) {
		const int size = snprintf(text + n, sizeof(text) - n, "%s%s", n > 0 ? " " : "", *a);
		n = (size_t)size < sizeof(text) - n ? n + (size_t)size : sizeof(text) - 1;
	}
	iot_directive_text(b, "command", text, n);
}

static void add_variables(const struct variables *v, struct iot_builder *b)
{
	char key[256];
	for (size_t i = 0; i < v->count; i++) {
		const char *value = getenv(v->name[i]);
		const int n = snprintf(key, sizeof(key), "env.%s", v->name[i]);
		if (value != NULL && n > 0 && (size_t)n < sizeof(key))
			iot_directive_text(b, key, value, strlen(value));
	}
}

bool run_variables_fit(const struct record_job *j)
{
	static char memory[IOT_COMMENT_MAX - NAMES_MAX];
	struct iot_builder b;
	iot_directive_begin(&b, memory, sizeof(memory), "trace");
	add_command(j, &b);
	add_variables(&j->variables, &b);
	if (b.status != IOT_OK)
		message_print("the variables of --env are too long");
	return b.status == IOT_OK;
}

/* Packets carry opens and closes, but no other operations. */
static void add_lacks(const struct record_job *j, struct iot_builder *b)
{
	const bool no_cpu = j->cpu == RECORD_CPU_NONE, no_operations = run_sends(j) && j->ops != 0;
	const char *lacks = no_cpu && no_operations ? "cpu,operations"
			    : no_cpu                ? "cpu"
			    : no_operations         ? "operations"
						    : NULL;
	if (lacks != NULL)
		iot_directive_text(b, "lacks", lacks, strlen(lacks));
}

int run_make_directive(const struct record_job *j, struct iot_event *ev)
{
	static char memory[IOT_COMMENT_MAX];
	struct iot_builder b;
	static const char *const names[] = {"calls", "syscalls", "syscalls,traps"};
	const char *const seen = names[j->seen];
	iot_directive_begin(&b, memory, sizeof(memory), "trace");
	iot_directive_text(&b, "source", "record", 6);
	add_command(j, &b);
	live_trace_names(&b);
	iot_directive_number(&b, "epoch", j->epoch_ns);
	add_lacks(j, &b);
	if (j->cpu == RECORD_CPU_SAMPLED)
		iot_directive_number(&b, "cpu-step", 1000000);
	if (j->stdio == RECORD_STDIO_CALLS)
		iot_directive_text(&b, "stdio", "calls", 5);
	iot_directive_text(&b, "seen", seen, strlen(seen));
	add_variables(&j->variables, &b);
	return iot_directive_end(&b, ev);
}

/* Modules get the events of all parts as one trace, which has the directive once. */
static bool is_later_part(const struct record_job *j)
{
	return j->first[0] != '\0' && strcmp(j->first, j->name) != 0;
}

int run_write_directive(struct record_job *j)
{
	struct iot_event ev = {.kind = 0};
	if (run_make_directive(j, &ev) == IOT_OK &&
	    iot_writer_events(j->writer, &ev, 1) == IOT_OK) {
		if (!is_later_part(j))
			analyses_events(&j->live.analyses, &ev, 1);
		return EXIT_OK;
	}
	message_print("%s", iot_writer_error(j->writer));
	return EXIT_NOT_RECORDED;
}
