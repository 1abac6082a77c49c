/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as aligned lines for people; not meant to be read by programs. */
#include <stdio.h>

#include "lib/error.h"

#include "show.h"

enum { NS_PER_S = 1000000000, PATH_ROOM = 4096 };

void iot_show_text_head(struct iot_show *s)
{
	iot_out_printf(s->out, "%16s %10s %8s %-6s %14s %10s  %s\n", "start s", "took s", "process",
		       "what", "offset", "length", "file");
}

/* So many digits behind the point as the tick is fine. */
static int fraction_digits(uint64_t tick_ns)
{
	return tick_ns % 1000 != 0 ? 9 : tick_ns % 1000000 != 0 ? 6 : 3;
}

static const char *seconds(char *text, size_t room, uint64_t ns, uint64_t tick_ns)
{
	int digits = fraction_digits(tick_ns);
	uint64_t unit = digits == 9 ? 1 : digits == 6 ? 1000 : 1000000;
	snprintf(text, room, "%ju.%0*ju", (uintmax_t)(ns / NS_PER_S), digits,
		 (uintmax_t)(ns % NS_PER_S / unit));
	return text;
}

/* "read", "write", and letters: p physical, a asynchronous, m metadata, r read-ahead, v paging. */
static const char *what(char *text, size_t room, unsigned type)
{
	static const char *const kinds[] = {"", "m", "r", "v"};
	snprintf(text, room, "%s%s%s%s", type & IOT_WRITE ? "write" : "read",
		 type & IOT_LOGICAL ? "" : "p", type & IOT_ASYNC ? "a" : "",
		 kinds[type & IOT_DATA_KIND]);
	return text;
}

static void text_record(struct iot_show *s, const struct iot_record *rec)
{
	char start[32], took[32], kind[16], path[PATH_ROOM];
	size_t size = 0;
	const char *name = rec->object ? iot_reader_name(s->reader, rec->object, &size) : NULL;
	if (name)
		iot_escape(path, sizeof path, name, size);
	else
		snprintf(path, sizeof path, "%s %u", rec->type & IOT_LOGICAL ? "file" : "disk",
			 rec->file);
	seconds(start, sizeof start, (uint64_t)rec->start_ns, s->tick_ns);
	seconds(took, sizeof took, rec->duration_ns, s->tick_ns);
	iot_out_printf(s->out, "%16s %10s %8u %-6s %s%*ju %10ju  ", start,
		       rec->flags & IOT_DURATION_UNKNOWN ? "?" : took, rec->process,
		       what(kind, sizeof kind, rec->type),
		       rec->flags & IOT_OFFSET_UNKNOWN ? "?+" : "",
		       rec->flags & IOT_OFFSET_UNKNOWN ? 12 : 14, (uintmax_t)rec->offset,
		       (uintmax_t)rec->length);
	iot_out_text(s->out, path);
	iot_out_write(s->out, "\n", 1);
}

static void value_of(const struct iot_event *ev, const char *key, char *text, size_t room)
{
	struct iot_text value = iot_directive_get(ev, key);
	if (value.data)
		iot_escape(text, room, value.data, value.size);
	else
		text[0] = '\0';
}

/* What moves no data: its name where records have read and write, its result behind the path. */
static void text_op(struct iot_show *s, const struct iot_event *ev)
{
	char start[32], took[32] = "", name[64], path[PATH_ROOM], result[64];
	size_t size = 0;
	value_of(ev, "name", name, sizeof name);
	value_of(ev, "path", path, sizeof path);
	value_of(ev, "result", result, sizeof result);
	if (path[0] == '\0' && (ev->has & IOT_HAS_FILE)) {
		const char *known = iot_reader_name(s->reader, ev->rec.object, &size);
		if (known)
			iot_escape(path, sizeof path, known, size);
		else
			snprintf(path, sizeof path, "file %u", ev->rec.file);
	}
	seconds(start, sizeof start, (uint64_t)ev->rec.start_ns, s->tick_ns);
	if (ev->has & IOT_HAS_TOOK)
		seconds(took, sizeof took, ev->rec.duration_ns, s->tick_ns);
	iot_out_printf(s->out, "%16s %10s %8u %-6s %14s %10s  ", start, took, ev->rec.process, name,
		       "", result[0] == '0' ? "" : result);
	iot_out_text(s->out, path);
	iot_out_write(s->out, "\n", 1);
}

static void text_comment(struct iot_show *s, const struct iot_event *ev)
{
	char text[PATH_ROOM];
	iot_out_text(s->out, "# ");
	iot_out_text(s->out, iot_escape(text, sizeof text, ev->text.data, ev->text.size));
	iot_out_write(s->out, "\n", 1);
}

void iot_show_text(struct iot_show *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			text_record(s, &ev[i].rec);
		else if (ev[i].kind == IOT_OP)
			text_op(s, &ev[i]);
		else
			text_comment(s, &ev[i]);
	}
}
