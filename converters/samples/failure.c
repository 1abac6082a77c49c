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

/* Returns the name of the member; of a text that a program reads itself, of the format. */
static const char *member_name(const struct sampling *s)
{
	const size_t member = s->member > 0 ? s->member - 1 : 0;
	return s->src->input != NULL ? input_name(s->src->input, member) : s->src->converter->name;
}

bool samples_fail(struct sampling *s, const char *format, ...)
{
	char text[512], name[256];
	const char *path = member_name(s);
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
	report_unparsed(&s->src->report, member_name(s), s->lines.number, s->line.data,
			s->line.size);
	s->src->report.calls--;
	return true;
}
