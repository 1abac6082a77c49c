/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of iotrace control: a report, or another module. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "lib/base/clock.h"

#include "module_run_internal.h"

enum { AWAIT_S = CONTROL_SECONDS / 2 };

static void answer_report(struct module_run *r, const struct control_request *q)
{
	struct module_text a = {.data = NULL};
	module_begin_call(r);
	const bool done =
	    r->module.is->report(r->module.state, module_append, &a) == 0 && !a.failed;
	module_end_call(r);
	control_answer(r->options->control, q, done, a.size > 0 ? a.data : "", a.size);
	free(a.data);
}

/* The file of the new module is watched from then on. */
static void answer_replacement(struct module_run *r, const struct control_request *q,
			       const char *module)
{
	char path[PATH_MAX], command[CONTROL_TEXT],
	    sentence[MODULE_SENTENCE] = "the path is too long";
	const char *args = r->args;
	memcpy(path, r->path, sizeof path);
	(void)snprintf(command, sizeof command, "%s", module);
	const bool done = module_parse(r, command) && module_exchange(r, sentence);
	if (done) {
		memcpy(r->command, command, sizeof command);
		r->args = r->command + (r->args - command);
		(void)module_watch_file(r);
	} else {
		memcpy(r->path, path, sizeof path);
		r->args = args;
	}
	control_say(r->options->control, q, done, "%s", sentence);
}

/* The module has the records that were in the pipe before the request, unless it is very slow. */
static void await_records(const struct module_run *r, uint64_t records)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const uint64_t limit = clock_monotonic_ns() + AWAIT_S * UINT64_C(1000000000);
	while (atomic_load(r->records) < records && !atomic_load(&r->ended) &&
	       clock_monotonic_ns() < limit)
		(void)nanosleep(&pause, NULL);
}

void module_obey(struct module_run *r)
{
	static const char module[] = "module ";
	struct control_request q;
	if (recv(r->commands, &q, sizeof q, MSG_DONTWAIT) != (ssize_t)sizeof q) {
		r->commands = -1;
		return;
	}
	await_records(r, q.records);
	if (strncmp(q.text, module, sizeof module - 1) == 0)
		answer_replacement(r, &q, q.text + sizeof module - 1);
	else
		answer_report(r, &q);
}
