/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as aligned lines, not intended for programs. %file and %process are omitted: the lines
 * contain their data.
 */
#include <stdio.h>

#include "lib/format/directive.h"

#include "lib/base/number.h"
#include "cli/ui/printable.h"
#include "print.h"

enum {
	NS_PER_S = 1000000000,
	NAME_CAPACITY = 4096,
	WORD_CAPACITY = 104,
	LINE_CAPACITY = 512,
	START_WIDTH = 16,
	TOOK_WIDTH = 10,
	PROCESS_WIDTH = 8,
	WHAT_WIDTH = 6,
	OFFSET_WIDTH = 14,
	LENGTH_WIDTH = 10,
};

void print_text_head(struct printer *s)
{
	output_printf(s->out, "%*s %*s %*s %-*s %*s %*s  file\n", START_WIDTH, "start s",
		      TOOK_WIDTH, "took s", PROCESS_WIDTH, "process", WHAT_WIDTH, "what",
		      OFFSET_WIDTH, "offset", LENGTH_WIDTH, "length");
}

static char *put_blanks(char *to, unsigned n)
{
	memset(to, ' ', n);
	return to + n;
}

/* Pads to at least `width` characters with blanks. */
static char *put_left(char *to, const char *text, unsigned width)
{
	size_t n = strlen(text);
	memcpy(to, text, n);
	return n < width ? put_blanks(to + n, width - (unsigned)n) : to + n;
}

/* Seconds, with as many decimals as the tick requires. */
static char *put_seconds(char *to, uint64_t ns, uint64_t tick_ns, unsigned width)
{
	unsigned digits = tick_ns % 1000 != 0 ? 9 : tick_ns % 1000000 != 0 ? 6 : 3;
	uint64_t unit = digits == 9 ? 1 : digits == 6 ? 1000 : 1000000;
	to = number_right(to, ns / NS_PER_S, width > digits + 1 ? width - digits - 1 : 0);
	*to++ = '.';
	return number_fixed(to, ns % NS_PER_S / unit, digits);
}

/* An unknown number. */
static char *put_dash(char *to, unsigned width)
{
	to = put_blanks(to, width - 1);
	*to++ = '-';
	return to;
}

/* "read", "write", and letters: p physical, a asynchronous, m metadata, r read-ahead, v paging. */
static char *put_what(char *to, unsigned type)
{
	char text[16], *end = text;
	end = put_left(end, type & IOT_WRITE ? "write" : "read", 0);
	if (!(type & IOT_LOGICAL))
		*end++ = 'p';
	if (type & IOT_ASYNC)
		*end++ = 'a';
	if (type & IOT_DATA_KIND)
		*end++ = " mrv"[type & IOT_DATA_KIND];
	*end = '\0';
	return put_left(to, text, WHAT_WIDTH);
}

static char *put_offset(char *to, const struct iot_record *rec)
{
	if (!(rec->flags & IOT_OFFSET_UNKNOWN))
		return number_right(to, rec->offset, OFFSET_WIDTH);
	to = put_left(to, "?+", 0);
	return number_right(to, rec->offset, OFFSET_WIDTH - 2);
}

static void end_line(struct printer *s, char *to, const struct iot_record *rec)
{
	size_t size;
	const char *name = printer_path(s, rec, &size);
	to = put_left(to, "  ", 0);
	output_took(s->out, to);
	if (name != NULL)
		output_write(s->out, name, size);
	output_write(s->out, "\n", 1);
}

static void text_record(struct printer *s, const struct iot_record *rec)
{
	char *to = output_reserve(s->out, LINE_CAPACITY);
	if (rec->flags & IOT_START_UNKNOWN)
		to = put_dash(to, START_WIDTH);
	else
		to = put_seconds(to, (uint64_t)rec->start_ns, s->tick_ns, START_WIDTH);
	*to++ = ' ';
	if (rec->flags & IOT_DURATION_UNKNOWN)
		to = put_dash(to, TOOK_WIDTH);
	else
		to = put_seconds(to, rec->duration_ns, s->tick_ns, TOOK_WIDTH);
	*to++ = ' ';
	to = number_right(to, rec->process, PROCESS_WIDTH);
	*to++ = ' ';
	to = put_what(to, rec->type);
	*to++ = ' ';
	to = put_offset(to, rec);
	*to++ = ' ';
	to = number_right(to, rec->length, LENGTH_WIDTH);
	end_line(s, to, rec);
}

/* A key's value, decoded and printable. */
static void value_of(struct printer *s, const struct iot_event *ev, const char *key, char *text,
		     size_t size)
{
	struct iot_text value = iot_directive_get(ev, key);
	text[0] = '\0';
	if (value.data && printer_reserve(s, value.size))
		printable(text, size, s->memory, iot_percent_decode(value, s->memory, NULL));
}

static void write_blanks(struct printer *s, size_t n)
{
	output_printf(s->out, "%*s", (int)n, "");
}

/* The name of an operation and its error, in the columns of what, offset and length. */
static void write_words(struct printer *s, const char *operation, const char *error)
{
	const size_t columns = WHAT_WIDTH + 1 + OFFSET_WIDTH + 1 + LENGTH_WIDTH;
	const size_t used = printable_width(operation) + printable_width(error);
	write_blanks(s, 1);
	output_text(s->out, operation);
	write_blanks(s, used < columns ? columns - used : 1);
	output_text(s->out, error);
	write_blanks(s, 2);
}

/*
 * An operation without data: its name in the column of read and write, and an error before the
 * path.
 */
static void text_op(struct printer *s, const struct iot_event *ev)
{
	char operation[WORD_CAPACITY], result[WORD_CAPACITY], reported[NAME_CAPACITY],
	    to_path[NAME_CAPACITY];
	const char *path = reported;
	size_t size;
	char *to = output_reserve(s->out, LINE_CAPACITY);
	struct iot_record rec = ev->rec;
	rec.type |= IOT_LOGICAL;
	value_of(s, ev, "name", operation, sizeof operation);
	value_of(s, ev, "path", reported, sizeof reported);
	value_of(s, ev, "to", to_path, sizeof to_path);
	value_of(s, ev, "result", result, sizeof result);
	if (path[0] == '\0' && (ev->has & IOT_HAS_FILE))
		path = printer_path(s, &rec, &size);
	if ((ev->has & IOT_HAS_TIME) && (s->lacks & IOT_START_UNKNOWN) == 0)
		to = put_seconds(to, (uint64_t)ev->rec.start_ns, s->tick_ns, START_WIDTH);
	else
		to = put_dash(to, START_WIDTH);
	*to++ = ' ';
	if ((ev->has & IOT_HAS_TOOK) && (s->lacks & IOT_DURATION_UNKNOWN) == 0)
		to = put_seconds(to, ev->rec.duration_ns, s->tick_ns, TOOK_WIDTH);
	else
		to = put_dash(to, TOOK_WIDTH);
	*to++ = ' ';
	output_took(s->out, number_right(to, ev->rec.process, PROCESS_WIDTH));
	write_words(s, operation, result[0] == '0' ? "" : result);
	output_text(s->out, path ? path : "");
	output_text(s->out, to_path[0] ? " -> " : "");
	output_text(s->out, to_path);
	output_write(s->out, "\n", 1);
}

static void text_comment(struct printer *s, const struct iot_event *ev)
{
	char text[NAME_CAPACITY];
	output_text(s->out, "# ");
	output_text(s->out, printable(text, sizeof text, ev->text.data, ev->text.size));
	output_write(s->out, "\n", 1);
}

static void take_lacks(struct printer *s, const struct iot_event *ev)
{
	unsigned lacks;
	if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		s->lacks = lacks;
}

void print_text(struct printer *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		take_lacks(s, &ev[i]);
		if (ev[i].kind == IOT_RECORD) {
			text_record(s, &ev[i].rec);
		} else if (ev[i].kind == IOT_OP) {
			text_op(s, &ev[i]);
		} else if (ev[i].kind != IOT_FILE && ev[i].kind != IOT_PROCESS) {
			text_comment(s, &ev[i]);
		}
		printer_event(s, &ev[i]);
	}
}
