/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line of perf script: comm pid [cpu] time: event: arguments. Names of programs may contain
 * blanks and brackets, so the processor is found first.
 */
#include "perf.h"

#include <string.h>

#include "lib/base/number.h"

#define NS_PER_S INT64_C(1000000000)

/* Parses "[001]". Returns the position after it, NULL if it is something else. */
static const char *processor(const char *p, const char *end)
{
	uint64_t cpu;
	if (p == end || *p++ != '[' || !number_scan(&p, end, 10, &cpu) || p == end || *p != ']')
		return NULL;
	return p + 1;
}

/* Parses the time and the flags of interrupts that may precede it. Returns what follows its ':'. */
static const char *time_of(const char *p, const char *end, struct perf_line *l, unsigned *digits)
{
	for (int words = 0; words < 2; words++) {
		p = skip_spaces(p, end);
		const char *from = p;
		while (p < end && *p != ' ' && *p != ':')
			p++;
		if (p == end)
			return NULL;
		if (*p == ':' && perf_time((struct iot_text){from, (size_t)(p - from)}, NS_PER_S,
					   &l->time_ns, digits))
			return p + 1;
		while (p < end && *p != ' ')
			p++;
	}
	return NULL;
}

/* Parses "comm 12" or "comm 12/34", of process 12 and thread 34; also "comm-34". */
static bool task_of(const char *p, const char *end, struct perf_line *l)
{
	uint64_t value[2];
	int count = 0;
	p = skip_spaces(p, end);
	while (end > p && end[-1] == ' ')
		end--;
	const char *at = end;
	while (at > p && ((unsigned char)(at[-1] - '0') < 10 || (at[-1] == '/' && at < end)))
		at--;
	const char *digits = at;
	if (at == p || (at[-1] != ' ' && at[-1] != '-') ||
	    !number_scan(&digits, end, 10, &value[count++]))
		return false;
	if (digits < end && *digits++ == '/' && !number_scan(&digits, end, 10, &value[count++]))
		return false;
	if (digits != end || value[0] > UINT32_MAX || value[count - 1] > UINT32_MAX)
		return false;
	l->has_pid = count == 2;
	l->pid = (uint32_t)value[0];
	l->tid = (uint32_t)value[count - 1];
	for (at--; at > p && at[-1] == ' ';)
		at--;
	l->comm = (struct iot_text){p, (size_t)(at - p)};
	return true;
}

/* Parses "0xfffffffffffffffe", which is -2. */
static bool result(const char *p, const char *end, struct call *call)
{
	uint64_t v;
	p = skip_spaces(p, end);
	const bool hex = perf_after(&p, end, "0x"), minus = !hex && perf_after(&p, end, "-");
	if (!number_scan(&p, end, hex ? 16 : 10, &v) || skip_spaces(p, end) != end)
		return false;
	call->result = minus ? (int64_t)(0 - v) : (int64_t)v;
	call->has |= CALL_HAS_RESULT;
	if (call->result < 0)
		call->error = perf_error_name(call->result == INT64_MIN ? 0 : -call->result);
	return true;
}

static bool lost(const char *p, const char *end, struct perf_line *l)
{
	if (!perf_after(&p, end, "PERF_RECORD_LOST"))
		return false;
	perf_after(&p, end, "_SAMPLES");
	p = skip_spaces(p, end);
	perf_after(&p, end, "lost ");
	if (!number_scan(&p, end, 10, &l->lost))
		l->lost = 1;
	l->kind = PERF_LOST;
	return true;
}

/* Parses "syscalls:sys_enter_read: fd: 0x3, ...". */
static bool event(const char *p, const char *end, struct perf_line *l)
{
	p = skip_spaces(p, end);
	if (lost(p, end, l))
		return true;
	perf_after(&p, end, "syscalls:");
	const bool enter = perf_after(&p, end, "sys_enter_"),
		   exits = !enter && perf_after(&p, end, "sys_exit_");
	const char *colon = memchr(p, ':', (size_t)(end - p));
	l->kind = PERF_OTHER;
	if (!enter && !exits)
		return colon != NULL;
	if (colon == NULL)
		return false;
	l->kind = enter ? PERF_ENTER : PERF_EXIT;
	l->name = (struct iot_text){p, (size_t)(colon - p)};
	p = skip_spaces(colon + 1, end);
	if (exits)
		return result(p, end, &l->call);
	l->call.note = (struct iot_text){p, (size_t)(end - p)}; /* the arguments, parsed later */
	return true;
}

bool perf_script_line(struct iot_text line, struct perf_line *l, unsigned *digits)
{
	const char *begin = line.data, *end = begin + line.size, *p = begin;
	*l = (struct perf_line){.kind = PERF_UNKNOWN};
	while (p < end && (p = memchr(p, '[', (size_t)(end - p))) != NULL) {
		const char *next = processor(p, end);
		const char *rest = next == NULL ? NULL : time_of(next, end, l, digits);
		if (rest != NULL && task_of(begin, p, l))
			return event(rest, end, l);
		p++;
	}
	return false;
}
