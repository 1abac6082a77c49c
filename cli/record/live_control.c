/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ui/message.h"

enum { LINES = 1 << 13 };

bool live_control_start(struct live_control *l)
{
	if (l->path != NULL && !control_open(&l->control, l->path)) {
		message_print_about(l->path, "%s", strerror(errno));
		return false;
	}
	return analyses_start(&l->analyses, &l->control, l->drops);
}

/* Statistics */

struct lines {
	char text[LINES];
	size_t size;
};

static void add_line(void *to, const char *text)
{
	struct lines *l = to;
	const int n = snprintf(l->text + l->size, sizeof l->text - l->size, "%s\n", text);
	if (n > 0 && (size_t)n < sizeof l->text - l->size)
		l->size += (size_t)n;
}

static void say_counts(const struct live_control *l, const struct control_request *q,
		       const struct live_calls *calls)
{
	struct lines lines = {.size = 0};
	char text[128];
	calls->count(calls->context, add_line, &lines);
	(void)snprintf(text, sizeof text,
		       "%s; discarded so far: %" PRIu64 " records, %" PRIu64 " operations",
		       l->discards ? "discard" : "keep", l->records, l->operations);
	add_line(&lines, text);
	control_answer(&l->control, q, true, lines.text, lines.size);
}

/* Requests */

static int keep(struct live_control *l, const struct control_request *q,
		const struct live_calls *calls, bool keeps)
{
	int status = calls->write(calls->context);
	if (status == IOT_OK && l->discards == keeps)
		status = calls->keep(calls->context, keeps);
	control_say(&l->control, q, status == IOT_OK, "%s: from here on records are %s", q->text,
		    keeps ? "kept" : "discarded");
	return status;
}

/* For the module: it has the records up to here then. */
static int pass_on(struct live_control *l, const struct control_request *q,
		   const struct live_calls *calls)
{
	const int status = calls->write(calls->context);
	analyses_flush(&l->analyses);
	analyses_ask(&l->analyses, &l->control, q);
	return status;
}

static int answer(struct live_control *l, const struct control_request *q,
		  const struct live_calls *calls)
{
	if (strcmp(q->text, "keep") == 0 || strcmp(q->text, "discard") == 0)
		return keep(l, q, calls, q->text[0] == 'k');
	if (strcmp(q->text, "report") == 0 || strncmp(q->text, "report ", 7) == 0 ||
	    strncmp(q->text, "module ", 7) == 0)
		return pass_on(l, q, calls);
	if (strcmp(q->text, "statistics") == 0)
		say_counts(l, q, calls);
	else
		control_say(&l->control, q, false, "the request is unknown");
	return IOT_OK;
}

int live_control_answer(struct live_control *l, const struct live_calls *calls)
{
	struct control_request q;
	int status = IOT_OK;
	while (status == IOT_OK && control_receive(&l->control, &q))
		status = answer(l, &q, calls);
	return status;
}

/* Settings */

static bool is_setting(const char *text)
{
	return strcmp(text, "keep") == 0 || strcmp(text, "discard") == 0 ||
	       strncmp(text, "module ", 7) == 0;
}

static int obey_line(struct live_control *l, const struct live_calls *calls, unsigned number,
		     struct control_request *q)
{
	q->text[strcspn(q->text, "\n")] = '\0';
	if (*q->text == '\0' || *q->text == '#')
		return IOT_OK;
	if (is_setting(q->text))
		return answer(l, q, calls);
	message_print_about(l->settings,
			    "line %u: found '%.40s', expected keep, discard or module FILE.so",
			    number, q->text);
	return IOT_OK;
}

int live_control_configure(struct live_control *l, const struct live_calls *calls)
{
	struct control_request q = {.is_printed = true};
	int status = IOT_OK;
	FILE *f = fopen(l->settings, "re");
	if (f == NULL)
		message_print_about(l->settings, "%s", strerror(errno));
	for (unsigned number = 1;
	     f != NULL && status == IOT_OK && fgets(q.text, sizeof q.text, f) != NULL; number++)
		status = obey_line(l, calls, number, &q);
	if (f != NULL)
		(void)fclose(f);
	return status;
}

void live_control_end(struct live_control *l)
{
	control_close(&l->control);
	analyses_end(&l->analyses);
}
