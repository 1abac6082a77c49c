/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "samples.h"

bool samples_no_memory(struct sampling *s)
{
	if (s->status == IOT_OK)
		s->status = error_set(&s->src->error, IOT_ENOMEM, "out of memory");
	return false;
}

bool samples_fail(struct sampling *s, const char *format, ...)
{
	char text[512], name[256];
	const size_t member = s->member > 0 ? s->member - 1 : 0;
	const char *path = input_name(s->src->input, member);
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (s->status == IOT_OK)
		s->status = error_set(&s->src->error, IOT_EFORMAT, "%s: line %" PRIu64 ": %s",
				      escape_text(name, sizeof name, path, strlen(path)),
				      s->lines.number, text);
	return false;
}

bool samples_unparsed(struct sampling *s)
{
	if (s->is_unparsed)
		return true;
	s->is_unparsed = true;
	report_unparsed(&s->src->report, input_name(s->src->input, s->member - 1), s->lines.number,
			s->line.data, s->line.size);
	s->src->report.calls--;
	return true;
}
