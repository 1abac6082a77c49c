/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line of perf trace: time ( duration ms): comm/tid name(arguments) = result. A call that lasts
 * has two: "name(arguments) ..." and "... [continued]: name()) = result".
 */
#include "perf.h"

#include <string.h>

#include "lib/base/number.h"

#define NS_PER_MS INT64_C(1000000)

/* Parses "( 0.018 ms): " or "(         ): ". */
static bool duration(const char **p, const char *end, struct call *call)
{
	const char *at = skip_spaces(*p, end);
	int64_t ns = 0;
	unsigned digits;
	if (!perf_after(&at, end, "("))
		return false;
	at = skip_spaces(at, end);
	const char *from = at;
	while (at < end && *at != ' ' && *at != ')')
		at++;
	if (at > from) {
		if (!perf_time((struct iot_text){from, (size_t)(at - from)}, NS_PER_MS, &ns,
			       &digits) ||
		    !perf_after(&at, end, " ms"))
			return false;
		call->duration_ns = (uint64_t)ns;
		call->has |= CALL_HAS_DURATION;
	}
	*p = at;
	return perf_after(p, end, "): ");
}

/* Parses "comm/12 ", if it is present. The name may contain blanks and slashes. */
static const char *task_of(const char *p, const char *end, struct perf_line *l)
{
	const char *stop = memchr(p, '(', (size_t)(end - p));
	stop = stop == NULL ? end : stop;
	for (const char *slash = p; (slash = memchr(slash, '/', (size_t)(end - slash))) != NULL;) {
		const char *digits = ++slash;
		uint64_t tid;
		if (number_scan(&digits, end, 10, &tid) && digits < end && *digits == ' ' &&
		    tid <= UINT32_MAX) {
			l->tid = (uint32_t)tid;
			l->comm = (struct iot_text){p, (size_t)(slash - 1 - p)};
			return skip_spaces(digits, end);
		}
		if (slash > stop)
			break;
	}
	return p;
}

/* Returns the last " = ", which precedes the result; NULL if there is none. */
static const char *find_result(const char *p, const char *end)
{
	for (const char *at = end - 2; at > p; at--)
		if (at[-1] == ' ' && at[0] == '=' && at[1] == ' ')
			return at;
	return NULL;
}

/* Parses "832", "-1 ENOENT (No such file or directory)", "4</path>" or "0x7f00". */
static void result(const char *p, const char *end, struct call *call)
{
	uint64_t v;
	p = skip_spaces(p, end);
	const bool hex = perf_after(&p, end, "0x"), minus = !hex && perf_after(&p, end, "-");
	if (!number_scan(&p, end, hex ? 16 : 10, &v))
		return; /* "?" or nothing: it did not return */
	call->result = minus ? (int64_t)(0 - v) : (int64_t)v;
	call->has |= CALL_HAS_RESULT;
	if (!perf_after(&p, end, " ") || call->result >= 0)
		return;
	const char *from = p;
	while (p < end && *p != ' ')
		p++;
	call->error = (struct iot_text){from, (size_t)(p - from)};
}

static bool continued(const char *p, const char *end, struct perf_line *l)
{
	if (!perf_after(&p, end, "... [continued]: "))
		return false;
	const char *bracket = memchr(p, '(', (size_t)(end - p)), *equals = find_result(p, end);
	if (bracket == NULL || equals == NULL)
		return false;
	l->kind = PERF_EXIT;
	l->name = (struct iot_text){p, (size_t)(bracket - p)};
	result(equals + 1, end, &l->call);
	return true;
}

static bool call(const char *p, const char *end, struct perf_line *l)
{
	const char *bracket = memchr(p, '(', (size_t)(end - p));
	const char *equals = find_result(p, end), *stop = equals;
	if (bracket == NULL || bracket == p)
		return false;
	l->name = (struct iot_text){p, (size_t)(bracket - p)};
	l->kind = equals != NULL ? PERF_CALL : PERF_ENTER;
	if (equals == NULL) {
		if (end - p < 3 || memcmp(end - 3, "...", 3) != 0)
			return false;
		stop = end - 3;
	} else {
		result(equals + 1, end, &l->call);
	}
	while (stop > bracket && stop[-1] == ' ')
		stop--;
	if (stop <= bracket || stop[-1] != ')')
		return false;
	l->call.note = (struct iot_text){bracket + 1, (size_t)(stop - bracket) - 2};
	return true;
}

bool perf_trace_line(struct iot_text line, struct perf_line *l, unsigned *digits)
{
	const char *end = line.data + line.size, *p = skip_spaces(line.data, end), *from = p;
	*l = (struct perf_line){.kind = PERF_UNKNOWN};
	if (p == end)
		return false;
	while (p < end && *p != ' ')
		p++;
	const struct iot_text time = {from, (size_t)(p - from)};
	const bool unknown = time.size == 1 && *from == '?';
	if ((!unknown && !perf_time(time, NS_PER_MS, &l->time_ns, digits)) ||
	    !duration(&p, end, &l->call))
		return false;
	p = task_of(p, end, l);
	p = skip_spaces(p, end);
	if (continued(p, end, l) || call(p, end, l)) {
		l->kind = unknown ? PERF_OTHER : l->kind;
		return true;
	}
	l->kind = PERF_OTHER; /* an event that is not a call */
	return l->tid != 0;
}
