/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads JSON token by token. Keys and values are kept from line to line, so that it does not matter
 * how the text is broken into lines.
 */
#include <stdio.h>

#include "sysstat.h"

#include "lib/base/civil_time.h"

static bool key_is(const struct sysstat *y, const char *name)
{
	return strcmp(y->key, name) == 0;
}

static bool keep(char to[SYSSTAT_KEY_SIZE], struct iot_text text)
{
	if (text.size >= SYSSTAT_KEY_SIZE)
		return false;
	memcpy(to, text.data, text.size);
	to[text.size] = '\0';
	return true;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ':';
}

/* Values */

/* A part of the object "timestamp" of sadf. */
static bool store_timestamp(struct sysstat *y, struct iot_text value)
{
	uint64_t seconds;
	if (key_is(y, "date"))
		return keep(y->date, value);
	if (key_is(y, "time"))
		return keep(y->clock, value);
	if (key_is(y, "utc"))
		y->is_utc = text_equals(value, "1");
	if (!key_is(y, "interval"))
		return true;
	if (!number_decimal(value.data, value.size, &seconds) ||
	    seconds > SAMPLES_TIME_MAX / SAMPLES_NS_PER_S)
		return false;
	y->took_ns = seconds * SAMPLES_NS_PER_S;
	return true;
}

static bool end_timestamp(struct sampling *s)
{
	struct sysstat *y = s->own;
	char text[2 * SYSSTAT_KEY_SIZE + 2];
	const int n =
	    snprintf(text, sizeof text, "%s %s%s", y->date, y->clock, y->is_utc ? "Z" : "");
	y->in_timestamp = false;
	return sysstat_report(s, (struct iot_text){text, (size_t)n});
}

static bool store(struct sampling *s, struct iot_text value)
{
	struct sysstat *y = s->own;
	uint64_t factor;
	if (y->in_timestamp)
		return store_timestamp(y, value);
	if (key_is(y, "nodename")) {
		sysstat_begin_run(y);
		return source_setting(s->src, "host") != NULL || samples_set_host(s, value);
	}
	if (key_is(y, "timestamp"))
		return sysstat_report(s, value);
	const enum sysstat_field f =
	    sysstat_field((struct iot_text){y->key, strlen(y->key)}, &factor);
	if (f == SYSSTAT_DEVICE)
		return sysstat_begin_disk(y, value);
	return f == SYSSTAT_OTHER || y->disk.name_size == 0 || sysstat_set(y, f, factor, value);
}

/* Objects */

static bool open_object(struct sysstat *y, char bracket)
{
	if (bracket == '{' && y->is_sadf && key_is(y, "timestamp"))
		y->in_timestamp = true;
	y->key[0] = '\0';
	return ++y->depth <= SYSSTAT_DEPTH_MAX;
}

static bool close_object(struct sampling *s, bool *ok)
{
	struct sysstat *y = s->own;
	*ok = y->depth > 0;
	y->depth -= *ok ? 1 : 0;
	if (y->in_timestamp)
		*ok = end_timestamp(s) && *ok;
	if (y->disk.name_size == 0)
		return true;
	const bool ended = sysstat_end_disk(s);
	y->disk.name_size = 0;
	return ended;
}

/* Takes a text in quotes: a key if a colon follows. */
static bool take_text(struct sampling *s, const char **at, const char *end)
{
	struct sysstat *y = s->own;
	const char *from = ++*at, *p = from;
	while (p < end && *p != '"')
		p += *p == '\\' && end - p > 1 ? 2 : 1;
	if (p >= end) {
		*at = end;
		return false;
	}
	const struct iot_text text = {from, (size_t)(p - from)};
	*at = p = skip_blanks(p + 1, end);
	if (p == end || *p != ':')
		return store(s, text);
	if (!keep(y->key, text))
		y->key[0] = '\0';
	return true;
}

static bool take_bare(struct sampling *s, const char **at, const char *end)
{
	const char *from = *at;
	while (*at < end && !is_space(**at) && memchr("{}[]\"", **at, 5) == NULL)
		++*at;
	return store(s, (struct iot_text){from, (size_t)(*at - from)});
}

/* Drops the disk of a value that is not understood; the brackets of its line still count. */
static void drop_disk(struct sysstat *y)
{
	y->disk.name_size = 0;
	y->key[0] = '\0';
}

bool sysstat_json_line(struct sampling *s, struct iot_text line)
{
	struct sysstat *y = s->own;
	const char *at = line.data, *end = at + line.size;
	bool all = true;
	while (at < end) {
		bool ok = true;
		if (is_space(*at)) {
			at++;
		} else if (*at == '{' || *at == '[') {
			ok = open_object(y, *at++);
		} else if (*at == '}' || *at == ']') {
			at++;
			if (!close_object(s, &ok))
				return false;
		} else {
			ok = *at == '"' ? take_text(s, &at, end) : take_bare(s, &at, end);
		}
		if (!ok)
			drop_disk(y);
		all = all && ok;
	}
	return all || samples_unparsed(s);
}
