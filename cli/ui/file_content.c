/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_content.h"

#include <string.h>

#include <iotrace/source.h>

static bool begins_with(const struct iot_event *ev, const char *text)
{
	const size_t n = strlen(text);
	return ev->kind == IOT_DIRECTIVE && ev->text.size >= n &&
	       memcmp(ev->text.data, text, n) == 0;
}

bool file_content_is_state(const struct iot_event *first)
{
	return begins_with(first, "%state ") || begins_with(first, "%fsstats kind=header ");
}

/* A file without framing is a trace if a record or directive follows its comments. */
static enum file_content find_trace(struct iot_reader *r, const char *path)
{
	enum { COMMENTS_MAX = 64 };
	struct iot_event ev = {.kind = IOT_COMMENT};
	if (iot_reader_open(r, path) != IOT_OK)
		return CONTENT_OTHER;
	for (unsigned i = 0; i < COMMENTS_MAX && ev.kind == IOT_COMMENT; i++)
		if (iot_reader_events(r, &ev, 1) != 1)
			break;
	if (file_content_is_state(&ev))
		return CONTENT_STATE;
	return ev.kind != IOT_COMMENT || iot_reader_fact(r, IOT_FACT_FRAMED) != 0 ? CONTENT_TRACE
										  : CONTENT_OTHER;
}

static enum file_content find_log(const char *path)
{
	struct iot_source *s = iot_source_new();
	const enum file_content found =
	    s != NULL && iot_source_open(s, &path, 1) == IOT_OK ? CONTENT_LOG : CONTENT_OTHER;
	iot_source_free(s);
	return found;
}

enum file_content file_content_find(const char *path)
{
	struct iot_reader *r = iot_reader_new();
	const enum file_content found = r != NULL ? find_trace(r, path) : CONTENT_OTHER;
	iot_reader_free(r);
	return found != CONTENT_OTHER ? found : find_log(path);
}
