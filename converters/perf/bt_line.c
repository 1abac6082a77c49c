/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of iotrace.bt. The name of the program may contain blanks, so the end is parsed first. */
#include "perf.h"

#include <string.h>

#include "lib/base/number.h"

static const char MAGIC[] = "IOT1 ";

static struct iot_text word(const char **p, const char *end)
{
	const char *from = *p;
	while (*p < end && **p != ' ')
		++*p;
	const struct iot_text text = {from, (size_t)(*p - from)};
	*p += *p < end;
	return text;
}

static bool integer(struct iot_text text, int64_t *value)
{
	const bool minus = text.size > 0 && *text.data == '-';
	uint64_t v;
	if (!number_decimal(text.data + minus, text.size - minus, &v) || v > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

/* Parses a number, or "-" for none. */
static bool field(struct iot_text text, struct call *call, int64_t *value, unsigned has)
{
	if (text.size == 1 && *text.data == '-')
		return true;
	call->has |= has;
	return integer(text, value);
}

/* Parses "OP FD RET OFFSET DUR [FLAGS [PATH]]". */
static bool parse_call(const char *p, const char *end, struct perf_line *l)
{
	struct call *c = &l->call;
	int64_t took;
	l->name = word(&p, end);
	if (l->name.size == 0 || !field(word(&p, end), c, &c->fd, CALL_HAS_FD) ||
	    !field(word(&p, end), c, &c->result, CALL_HAS_RESULT) ||
	    !field(word(&p, end), c, &c->offset, CALL_HAS_OFFSET) ||
	    !integer(word(&p, end), &took) || took < 0)
		return false;
	c->duration_ns = (uint64_t)took;
	c->has |= CALL_HAS_DURATION;
	if (p < end && !field(word(&p, end), c, &c->flags, CALL_HAS_FLAGS))
		return false;
	c->path = (struct iot_text){p, (size_t)(end - p)};
	return true;
}

/* Returns whether a word may be the name of a call. */
static bool is_op(struct iot_text text)
{
	bool letters = false;
	for (size_t i = 0; i < text.size; i++) {
		const char c = text.data[i];
		letters |= c >= 'a' && c <= 'z';
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return letters;
}

bool perf_bt_line(struct iot_text line, struct perf_line *l)
{
	const char *p = line.data, *end = p + line.size;
	const size_t n = sizeof MAGIC - 1;
	int64_t pid, tid;
	*l = (struct perf_line){.kind = PERF_CALL, .has_pid = true};
	if (line.size < n || memcmp(p, MAGIC, n) != 0)
		return false;
	p += n;
	if (!integer(word(&p, end), &l->time_ns) || !integer(word(&p, end), &pid) ||
	    !integer(word(&p, end), &tid) || l->time_ns < 0 || l->time_ns > INT64_MAX / 2 ||
	    pid < 0 || pid > UINT32_MAX || tid < 0 || tid > UINT32_MAX)
		return false;
	l->pid = (uint32_t)pid;
	l->tid = (uint32_t)tid;
	for (const char *comm = p; p < end;) {
		const struct iot_text w = word(&p, end);
		const char *rest = p;
		if (w.data > comm && is_op(w)) {
			const struct call empty = {.type = NULL};
			l->call = empty;
			if (parse_call(w.data, end, l)) {
				l->comm = (struct iot_text){comm, (size_t)(w.data - comm) - 1};
				return true;
			}
		}
		p = rest;
	}
	return false;
}
