/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports as text. Those of iostat are tables with columns between blanks, after a line with the
 * time (-t); the first line of a run has the host in parentheses. Those of sadf -d have semicolons:
 *
 *     # hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;...
 *     node1;600;2026-11-28 10:00:01 UTC;sda;43.00;148.00;32.00;...
 */
#include "sysstat.h"

enum { SADF_HOST, SADF_INTERVAL, SADF_TIMESTAMP, SADF_VALUES };

/* Takes the next field up to a semicolon, or the next word. */
static bool next_field(const struct sysstat *y, struct iot_text *rest, struct iot_text *field)
{
	if (!y->is_sadf)
		return word_next(rest, field);
	if (rest->data == NULL)
		return false;
	const char *end = rest->size > 0 ? memchr(rest->data, ';', rest->size) : NULL;
	field->data = rest->data;
	field->size = end != NULL ? (size_t)(end - rest->data) : rest->size;
	*rest = end != NULL ? (struct iot_text){end + 1, rest->size - field->size - 1}
			    : (struct iot_text){NULL, 0};
	return true;
}

/* The names of the columns. */
static bool take_header(struct sysstat *y, struct iot_text line)
{
	struct iot_text field;
	bool device = false;
	y->columns = 0;
	while (y->columns < SYSSTAT_COLUMNS_MAX && next_field(y, &line, &field)) {
		const enum sysstat_field f = sysstat_field(field, &y->unit[y->columns]);
		device |= f == SYSSTAT_DEVICE;
		y->column[y->columns++] = (uint8_t)f;
	}
	if (!device)
		y->columns = 0;
	return device;
}

/* The first three fields of a line of sadf. */
static bool take_key(struct sampling *s, unsigned i, struct iot_text field)
{
	struct sysstat *y = s->own;
	uint64_t seconds;
	switch (i) {
	case SADF_HOST:
		return source_setting(s->src, "host") != NULL || samples_set_host(s, field);
	case SADF_INTERVAL:
		if (!number_decimal(field.data, field.size, &seconds) ||
		    seconds > SAMPLES_TIME_MAX / SAMPLES_NS_PER_S)
			return false;
		y->took_ns = seconds * SAMPLES_NS_PER_S;
		return true;
	default:
		return sysstat_report(s, field);
	}
}

static bool take_field(struct sampling *s, size_t i, struct iot_text field)
{
	struct sysstat *y = s->own;
	const enum sysstat_field f = y->column[i];
	if (y->is_sadf && i < SADF_VALUES)
		return take_key(s, (unsigned)i, field);
	if (f == SYSSTAT_DEVICE)
		return sysstat_begin_disk(y, field);
	return f == SYSSTAT_OTHER || sysstat_set(y, f, y->unit[i], field);
}

static bool take_row(struct sampling *s, struct iot_text line)
{
	struct sysstat *y = s->own;
	struct iot_text field;
	size_t i = 0;
	y->disk.name_size = 0;
	y->disk.known = 0;
	while (i < y->columns && next_field(y, &line, &field))
		if (!take_field(s, i++, field))
			return samples_unparsed(s);
	if (i < y->columns || y->disk.name_size == 0)
		return samples_unparsed(s);
	return sysstat_end_disk(s);
}

/* The line "Linux 6.1.0 (node1) ..." begins a run. */
static bool is_banner(struct sampling *s, struct iot_text line)
{
	const char *open = memchr(line.data, '(', line.size);
	const char *close =
	    open != NULL ? memchr(open, ')', line.size - (size_t)(open - line.data)) : NULL;
	if (line.size < 6 || memcmp(line.data, "Linux ", 6) != 0 || close == NULL)
		return false;
	if (source_setting(s->src, "host") == NULL)
		(void)samples_set_host(s, (struct iot_text){open + 1, (size_t)(close - open - 1)});
	return true;
}

static bool begins(struct iot_text line, const char *with)
{
	const size_t n = strlen(with);
	return line.size >= n && memcmp(line.data, with, n) == 0;
}

static bool sadf_line(struct sampling *s, struct iot_text line)
{
	struct sysstat *y = s->own;
	if (line.data[0] != '#' && memmem(line.data, line.size, "LINUX-RESTART", 13) != NULL)
		return true;
	if (line.data[0] != '#')
		return y->columns > 0 ? take_row(s, line) : samples_unparsed(s);
	do
		line = (struct iot_text){line.data + 1, line.size - 1};
	while (line.size > 0 && line.data[0] == ' ');
	return take_header(y, line) || samples_unparsed(s);
}

bool sysstat_table_line(struct sampling *s, struct iot_text line)
{
	struct sysstat *y = s->own;
	if (text_trimmed(line).size == 0) {
		y->columns = 0;
		return true;
	}
	if (y->is_sadf)
		return sadf_line(s, line);
	if (is_banner(s, line)) {
		sysstat_begin_run(y);
		return true;
	}
	if (begins(line, "Device"))
		return take_header(y, line) || samples_unparsed(s);
	if (y->columns > 0)
		return take_row(s, line);
	/* the processors: a line of names, and a line of numbers */
	if (begins(line, "avg-cpu:") || line.data[0] == ' ' || sysstat_report(s, line))
		return true;
	return samples_unparsed(s);
}
