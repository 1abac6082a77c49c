/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses one line. It is not parsed as JSON: names are not escaped, so that a string ends at the
 * first quote that the next key or the end of the object follows.
 */
#include "dftracer.h"

#include <string.h>

#include "lib/base/number.h"
#include "lib/base/word.h"

enum { NESTING_MAX = 64, NEAR = 12, DIGITS_SAFE = 18 };

#define MICROSECONDS_MAX (INT64_MAX / 2000)

struct cursor {
	const char *p, *end;
	struct pfw_event *event;
	uint64_t number;        /* digits at the start of the last bare value, modulo 2^64 */
	const char *number_end; /* of these digits */
	bool overflow;          /* a number that is needed does not fit */
};

/* Values */

/* Returns the next quote, NULL if there is none. Most are near, where a call would cost more. */
static inline const char *find_quote(const char *p, const char *end)
{
	const char *const near = end - p > NEAR ? p + NEAR : end;
	while (p < near && *p != '"')
		p++;
	return p < near ? p : memchr(p, '"', (size_t)(end - p));
}

static bool ends_object(const char *p, const char *end)
{
	p = skip_blanks(p, end);
	return p < end && *p == '}';
}

/* Returns whether the text after a quote shows that the quote ends a string. */
static bool ends_string(const char *p, const char *end)
{
	if (p < end && *p == ',')
		return ++p < end && (*p == '"' || *p == ' ' || *p == '}');
	return ends_object(p, end);
}

static bool string(struct cursor *c, struct iot_text *value)
{
	const char *from = ++c->p, *quote = from;
	while ((quote = find_quote(quote, c->end)) != NULL) {
		if (ends_string(quote + 1, c->end))
			break;
		c->event->repaired = true;
		quote++;
	}
	if (quote == NULL)
		return false;
	*value = (struct iot_text){from, (size_t)(quote - from)};
	c->p = quote + 1;
	return true;
}

/* Skips an object or an array within args. */
static bool skip_nested(struct cursor *c)
{
	unsigned depth = 0;
	for (; c->p < c->end; c->p++) {
		if (*c->p == '"') {
			c->p = memchr(c->p + 1, '"', (size_t)(c->end - c->p) - 1);
			if (c->p == NULL)
				return false;
		} else if (*c->p == '{' || *c->p == '[') {
			if (++depth > NESTING_MAX)
				return false;
		} else if ((*c->p == '}' || *c->p == ']') && --depth == 0) {
			c->p++;
			return true;
		}
	}
	return false;
}

/* Parses a value without quotes; up to DIGITS_SAFE digits are evaluated on the way. */
static bool bare(struct cursor *c, struct iot_text *value)
{
	const char *from = c->p, *p = from, *const end = c->end;
	uint64_t v = 0;
	unsigned digit;
	while (p < end && (digit = (unsigned char)*p - (unsigned)'0') <= 9) {
		v = v * 10 + digit;
		p++;
	}
	c->number = v;
	c->number_end = p;
	while (p < end && *p != ',' && *p != '}' && *p != ' ')
		p++;
	c->p = p;
	*value = (struct iot_text){from, (size_t)(p - from)};
	return p > from;
}

/* Numbers */

static bool decimal(const struct cursor *c, const char *p, size_t n, uint64_t *value)
{
	*value = c->number;
	return (c->number_end == p + n && n - 1 < DIGITS_SAFE) || number_decimal(p, n, value);
}

static bool integer(const struct cursor *c, struct iot_text text, int64_t *value)
{
	const bool minus = text.size > 0 && *text.data == '-';
	uint64_t v;
	if (!decimal(c, text.data + minus, text.size - minus, &v) || v > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

static void field(struct cursor *c, struct iot_text text, int64_t *value, unsigned has)
{
	if (integer(c, text, value))
		c->event->has |= has;
	else
		c->overflow = true;
}

static void microseconds(struct cursor *c, struct iot_text text, uint64_t *ns)
{
	uint64_t us = 0;
	if (decimal(c, text.data, text.size, &us) && us <= MICROSECONDS_MAX)
		*ns = us * 1000;
	else
		c->overflow = true;
}

/* Keys */

#define IS(key, name)                                                                              \
	((key).size == sizeof name - 1 && memcmp((key).data, name, sizeof name - 1) == 0)

static void store_time(struct cursor *c, struct iot_text value)
{
	uint64_t ns = 0;
	microseconds(c, value, &ns);
	c->event->start_ns = (int64_t)ns;
	c->event->timed = true;
}

static void store_pid(struct cursor *c, struct iot_text value)
{
	uint64_t pid;
	if (decimal(c, value.data, value.size, &pid) && pid <= UINT32_MAX)
		c->event->pid = (uint32_t)pid;
	else
		c->overflow = true;
}

static void store_duration(struct cursor *c, struct iot_text value)
{
	c->event->backwards = value.size > 1 && *value.data == '-';
	if (c->event->backwards)
		return;
	microseconds(c, value, &c->event->duration_ns);
	c->event->has |= CALL_HAS_DURATION;
}

static void store_top(struct cursor *c, struct iot_text key, struct iot_text value)
{
	struct pfw_event *e = c->event;
	if (key.size == 2) {
		if (IS(key, "ts"))
			store_time(c, value);
		else if (IS(key, "ph"))
			e->phase = value.size == 1 ? *value.data : '?';
	} else if (key.size == 3) {
		if (IS(key, "dur"))
			store_duration(c, value);
		else if (IS(key, "pid"))
			store_pid(c, value);
		else if (IS(key, "cat"))
			e->category = value;
	} else if (IS(key, "name")) {
		e->name = value;
	}
}

static void store_short(struct cursor *c, struct iot_text key, struct iot_text value)
{
	struct pfw_event *e = c->event;
	if (IS(key, "fd"))
		field(c, value, &e->fd, CALL_HAS_FD);
	else if (IS(key, "ret"))
		field(c, value, &e->result, CALL_HAS_RESULT);
	else if (IS(key, "cmd"))
		field(c, value, &e->flags, CALL_HAS_FLAGS);
	else if (IS(key, "size"))
		field(c, value, &e->size, CALL_HAS_SIZE);
	else if (IS(key, "mode"))
		e->mode = value;
	else if (IS(key, "name"))
		e->text = value;
	else if (IS(key, "hash"))
		e->hash = value;
}

static void store_five(struct cursor *c, struct iot_text key, struct iot_text value)
{
	struct pfw_event *e = c->event;
	if (IS(key, "fhash") || IS(key, "fname")) {
		e->file = value;
		e->file_hash = key.data[1] == 'h';
	} else if (IS(key, "hhash")) {
		e->host = value;
		e->host_hash = true;
	} else if (IS(key, "count")) {
		field(c, value, &e->count, CALL_HAS_COUNT);
	} else if (IS(key, "flags")) {
		field(c, value, &e->flags, CALL_HAS_FLAGS);
	} else if (IS(key, "dirfd")) {
		field(c, value, &e->directory, CALL_HAS_TO);
	} else if (IS(key, "value")) {
		e->hash = value;
	} else if (IS(key, "path2")) {
		e->to_path = value;
	}
}

static void store_long(struct cursor *c, struct iot_text key, struct iot_text value)
{
	struct pfw_event *e = c->event;
	if (IS(key, "offset") || IS(key, "length"))
		field(c, value, &e->offset, CALL_HAS_OFFSET);
	else if (IS(key, "whence"))
		field(c, value, &e->whence, CALL_HAS_WHENCE);
	else if (IS(key, "newpath"))
		e->to_path = value;
	else if (IS(key, "version"))
		e->version = value;
	else if (IS(key, "pathname"))
		e->path = value;
	else if (IS(key, "hostname")) {
		e->host = value;
		e->host_hash = false;
	}
}

static void store(struct cursor *c, bool top, struct iot_text key, struct iot_text value)
{
	if (top)
		store_top(c, key, value);
	else if (key.size < 5)
		store_short(c, key, value);
	else if (key.size == 5)
		store_five(c, key, value);
	else
		store_long(c, key, value);
}

/* Objects */

static bool parse_key(struct cursor *c, struct iot_text *key)
{
	const char *from = ++c->p, *quote = find_quote(from, c->end);
	if (quote == NULL)
		return false;
	*key = (struct iot_text){from, (size_t)(quote - from)};
	c->p = quote + 1;
	c->p = skip_blanks(c->p, c->end);
	if (c->p == c->end || *c->p++ != ':')
		return false;
	c->p = skip_blanks(c->p, c->end);
	return c->p < c->end;
}

/* Parses a value that is not an object with keys of its own. */
static bool parse_value(struct cursor *c, bool top, struct iot_text key)
{
	struct iot_text value = {NULL, 0};
	if (*c->p == '{' || *c->p == '[')
		return skip_nested(c);
	if (!(*c->p == '"' ? string(c, &value) : bare(c, &value)))
		return false;
	store(c, top, key, value);
	return true;
}

/* Parses an object from its '{' on, with the object "args" in it. Returns false if it is cut. */
static bool object(struct cursor *c)
{
	bool args = false;
	c->p++;
	for (;;) {
		struct iot_text key;
		while (c->p < c->end && (*c->p == ',' || is_blank(*c->p)))
			c->p++;
		if (c->p == c->end)
			return false;
		if (*c->p == '}') {
			c->p++;
			if (!args)
				return true;
			args = false;
		} else if (*c->p != '"' || !parse_key(c, &key)) {
			return false;
		} else if (!args && *c->p == '{' && IS(key, "args")) {
			args = true;
			c->p++;
		} else if (!parse_value(c, !args, key)) {
			return false;
		}
	}
}

/* A backslash in a name may be of the name, or escape a character. */
static void check_escapes(struct pfw_event *e)
{
	const struct iot_text texts[] = {e->file, e->text, e->path, e->to_path};
	for (size_t i = 0; i < sizeof texts / sizeof *texts && !e->repaired; i++)
		e->repaired =
		    texts[i].size > 0 && memchr(texts[i].data, '\\', texts[i].size) != NULL;
}

enum pfw_kind pfw_line_parse(struct iot_text line, struct pfw_event *e)
{
	struct cursor c = {.p = line.data, .end = line.data + line.size, .event = e};
	c.p = skip_blanks(c.p, c.end);
	if (c.p == c.end)
		return PFW_FRAME;
	if (*c.p == '[' || *c.p == ']') {
		c.p++;
		c.p = skip_blanks(c.p, c.end);
		return c.p == c.end ? PFW_FRAME : PFW_UNKNOWN;
	}
	*e = (struct pfw_event){.phase = 0};
	if (*c.p != '{' || !object(&c))
		return PFW_UNKNOWN;
	while (c.p < c.end && (*c.p == ',' || is_blank(*c.p)))
		c.p++;
	check_escapes(e);
	return c.p == c.end && e->phase != 0 && !c.overflow ? PFW_EVENT : PFW_UNKNOWN;
}
