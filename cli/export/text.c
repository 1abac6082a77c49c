/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as aligned lines, not intended for programs. %file and %process are omitted: the lines
 * contain their data.
 */
#include <stdio.h>

#include "lib/base/number.h"
#include "cli/ui/printable.h"
#include "export.h"

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

static size_t encode(char *out, const char *text, size_t size)
{
	return strlen(printable(out, NAMES_CAPACITY, text, size));
}

static void begin(struct export *x)
{
	output_printf(x->out, "%*s %*s %*s %-*s %*s %*s  file\n", START_WIDTH, "start s",
		      TOOK_WIDTH, "took s", PROCESS_WIDTH, "process", WHAT_WIDTH, "what",
		      OFFSET_WIDTH, "offset", LENGTH_WIDTH, "length");
}

static char *put_blanks(char *to, unsigned n)
{
	memset(to, ' ', n);
	return to + n;
}

static inline char *put_text(char *to, const char *text)
{
	const size_t n = strlen(text);
	memcpy(to, text, n);
	return to + n;
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
	const char *const end = to + WHAT_WIDTH;
	to = type & IOT_WRITE ? put_text(to, "write") : put_text(to, "read");
	if (!(type & IOT_LOGICAL))
		*to++ = 'p';
	if (type & IOT_ASYNC)
		*to++ = 'a';
	if (type & IOT_DATA_KIND)
		*to++ = " mrv"[type & IOT_DATA_KIND];
	while (to < end)
		*to++ = ' ';
	return to;
}

static char *put_bytes(struct export *x, char *to, const struct iot_record *rec, uint64_t value,
		       unsigned width)
{
	uint64_t bytes;
	return export_bytes(x, rec, value, &bytes) ? number_right(to, bytes, width)
						   : put_dash(to, width);
}

static char *put_offset(struct export *x, char *to, const struct iot_record *rec)
{
	if (!(rec->flags & IOT_OFFSET_UNKNOWN))
		return put_bytes(x, to, rec, rec->offset, OFFSET_WIDTH);
	to = put_text(to, "?+");
	return put_bytes(x, to, rec, rec->offset, OFFSET_WIDTH - 2);
}

/* "file 7": the name of a file without a path. */
static void write_number(struct output *out, const struct iot_record *rec)
{
	char *to = output_reserve(out, LINE_CAPACITY);
	to = rec->type & IOT_LOGICAL ? put_text(to, "file ") : put_text(to, "disk ");
	output_took(out, to + number_dec(to, rec->file));
}

static void write_path(struct export *x, const struct iot_record *rec)
{
	const struct name *path = names_path(&x->names, rec);
	if (path->text != NULL)
		output_write(x->out, path->text, path->size);
	else
		write_number(x->out, rec);
}

static void end_line(struct export *x, char *to, const struct iot_record *rec)
{
	output_took(x->out, put_text(to, "  "));
	write_path(x, rec);
	output_write(x->out, "\n", 1);
}

static void text_record(struct export *x, const struct iot_record *rec)
{
	char *to = output_reserve(x->out, LINE_CAPACITY);
	if (rec->flags & IOT_START_UNKNOWN)
		to = put_dash(to, START_WIDTH);
	else
		to = put_seconds(to, (uint64_t)rec->start_ns, x->tick_ns, START_WIDTH);
	*to++ = ' ';
	if (rec->flags & IOT_DURATION_UNKNOWN)
		to = put_dash(to, TOOK_WIDTH);
	else
		to = put_seconds(to, rec->duration_ns, x->tick_ns, TOOK_WIDTH);
	*to++ = ' ';
	to = number_right(to, rec->process, PROCESS_WIDTH);
	*to++ = ' ';
	to = put_what(to, rec->type);
	*to++ = ' ';
	to = put_offset(x, to, rec);
	*to++ = ' ';
	to = put_bytes(x, to, rec, rec->length, LENGTH_WIDTH);
	end_line(x, to, rec);
}

/* A key's value, decoded and printable. */
static void value_of(struct export *x, const struct iot_event *ev, const char *key, char *text,
		     size_t size)
{
	size_t n;
	const char *value = names_decode(&x->names, iot_directive_get(ev, key), &n);
	text[0] = '\0';
	if (value != NULL)
		printable(text, size, value, n);
}

static void write_blanks(struct export *x, size_t n)
{
	output_printf(x->out, "%*s", (int)n, "");
}

/* The name of an operation and its error, in the columns of what, offset and length. */
static void write_words(struct export *x, const char *operation, const char *error)
{
	const size_t columns = WHAT_WIDTH + 1 + OFFSET_WIDTH + 1 + LENGTH_WIDTH;
	const size_t used = printable_width(operation) + printable_width(error);
	write_blanks(x, 1);
	output_text(x->out, operation);
	write_blanks(x, used < columns ? columns - used : 1);
	output_text(x->out, error);
	write_blanks(x, 2);
}

/*
 * An operation without data: its name in the column of read and write, and an error before the
 * path.
 */
static void text_op(struct export *x, const struct iot_event *ev)
{
	char operation[WORD_CAPACITY], result[WORD_CAPACITY], reported[NAME_CAPACITY],
	    to_path[NAME_CAPACITY];
	char *to = output_reserve(x->out, LINE_CAPACITY);
	struct iot_record rec = ev->rec;
	rec.type |= IOT_LOGICAL;
	value_of(x, ev, "name", operation, sizeof operation);
	value_of(x, ev, "path", reported, sizeof reported);
	value_of(x, ev, "to", to_path, sizeof to_path);
	value_of(x, ev, "result", result, sizeof result);
	if ((ev->has & IOT_HAS_TIME) && (x->names.lacks & IOT_START_UNKNOWN) == 0)
		to = put_seconds(to, (uint64_t)ev->rec.start_ns, x->tick_ns, START_WIDTH);
	else
		to = put_dash(to, START_WIDTH);
	*to++ = ' ';
	if ((ev->has & IOT_HAS_TOOK) && (x->names.lacks & IOT_DURATION_UNKNOWN) == 0)
		to = put_seconds(to, ev->rec.duration_ns, x->tick_ns, TOOK_WIDTH);
	else
		to = put_dash(to, TOOK_WIDTH);
	*to++ = ' ';
	output_took(x->out, number_right(to, ev->rec.process, PROCESS_WIDTH));
	write_words(x, operation, result[0] == '0' ? "" : result);
	if (reported[0] == '\0' && (ev->has & IOT_HAS_FILE))
		write_path(x, &rec);
	else
		output_text(x->out, reported);
	output_text(x->out, to_path[0] ? " -> " : "");
	output_text(x->out, to_path);
	output_write(x->out, "\n", 1);
}

static void text_comment(struct export *x, const struct iot_event *ev)
{
	char text[NAME_CAPACITY];
	output_text(x->out, "# ");
	output_text(x->out, printable(text, sizeof text, ev->text.data, ev->text.size));
	output_write(x->out, "\n", 1);
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			text_record(x, &ev[i].rec);
		else if (ev[i].kind == IOT_OP)
			text_op(x, &ev[i]);
		else if (ev[i].kind != IOT_FILE && ev[i].kind != IOT_PROCESS)
			text_comment(x, &ev[i]);
		export_event(x, &ev[i]);
	}
}

const struct export_format export_text = {.encode = encode, .begin = begin, .events = events};
