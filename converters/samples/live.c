/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that a program reads itself at intervals, instead of an input; see samples.h. */
#include "samples.h"

static bool take_lines(struct sampling *s, struct iot_text text)
{
	const char *at = text.data, *end = at + text.size, *lf;
	for (; at < end && s->status == IOT_OK; at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		if (lf == NULL)
			break;
		s->line = (struct iot_text){at, (size_t)(lf - at)};
		s->is_unparsed = false;
		s->src->report.calls++;
		if (!s->format->line(s, s->line))
			return false;
	}
	return true;
}

int samples_live(struct source_state *src, int64_t time_ns, struct iot_text text,
		 struct iot_event *out, int max)
{
	struct sampling *s = src->state;
	const char *host = source_setting(src, "host");
	emit_start(&s->emit, out, max);
	s->stamp_ns = time_ns;
	(void)samples_set_host(s, (struct iot_text){host, host != NULL ? strlen(host) : 0});
	const bool done = (s->format->begin == NULL || s->format->begin(s)) &&
			  take_lines(s, text) && (s->format->end == NULL || s->format->end(s));
	if (!done)
		return s->status != IOT_OK ? s->status : IOT_ENOMEM;
	return (int)s->emit.count;
}

int samples_live_more(struct source_state *src, struct iot_event *out, int max)
{
	return emit_leftovers(&((struct sampling *)src->state)->emit, out, max);
}
