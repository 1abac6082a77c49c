/* SPDX-License-Identifier: BSD-2-Clause */
#include "export.h"

#include "cli/ui/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/format/directive.h"

void export_event(struct export *x, const struct iot_event *ev)
{
	unsigned lacks;
	if (ev->kind == IOT_RECORD)
		return;
	names_event(&x->names, ev);
	if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		x->lacks = lacks;
	x->failed |= x->names.failed;
}

void export_fail(struct export *x, const char *format, ...)
{
	va_list args;
	if (x->failed)
		return;
	va_start(args, format);
	vsnprintf(x->error, sizeof x->error, format, args);
	va_end(args);
	x->failed = true;
}

void *export_state(struct export *x, size_t size)
{
	x->state = calloc(1, size);
	x->failed |= x->state == NULL;
	return x->state;
}

void export_report(const struct export *x, const char *format)
{
	static const char *const texts[] = {
	    [NOTE_OPERATIONS] = "operations left out (--all-events)",
	    [NOTE_COUNTERS] = "counters left out",
	    [NOTE_LOST] = "losses not marked",
	    [NOTE_OFFSET_TOO_LARGE] = "offsets or lengths beyond 64 bits, left empty",
	};
	char all[1024] = "";
	size_t used = 0;
	for (size_t i = 0; i < NOTES; i++)
		if (x->notes[i] > 0 && used < sizeof all)
			used += (size_t)snprintf(all + used, sizeof all - used, "%s%s: %ju",
						 used > 0 ? "; " : "", texts[i],
						 (uintmax_t)x->notes[i]);
	if (used > 0)
		message_print("%s: %s", format, all);
}

void export_free(struct export *x, const struct export_format *format)
{
	if (format->free != NULL)
		format->free(x);
	free(x->state);
	names_free(&x->names);
}
