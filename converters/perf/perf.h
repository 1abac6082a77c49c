/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the perf converter: system calls as text of three tracers of Linux.
 *
 * perf script, of the events syscalls:sys_enter_* and sys_exit_*, two lines for each call:
 *
 *	loop 12449 [001]  1364.912886230: syscalls:sys_enter_read: fd: 0x3, buf: 0x5, count: 0x10
 *	loop 12449 [001]  1364.912887663:  syscalls:sys_exit_read: 0x10
 *
 * perf trace, where arguments that are 0 are left out:
 *
 *	215.224 ( 0.018 ms): loop/15291 read(fd: 3</path>, buf: 0x5, count: 16)      = 16
 *
 * iotrace.bt, our script for bpftrace, one line for each call that has returned:
 *
 *	IOT1 NS PID TID COMM OP FD RET OFFSET|- DUR [FLAGS|- [PATH]]
 *
 * Each source file uses only those above it:
 *
 *     args.c         arguments of a call
 *     script_line.c  one line of perf script
 *     trace_line.c   one line of perf trace
 *     bt_line.c      one line of iotrace.bt
 *     tasks.c        threads, and calls that have not returned
 *     perf.c         the converter
 */
#ifndef CONVERTERS_PERF_PERF_H
#define CONVERTERS_PERF_PERF_H

#include <string.h>

#include "converters/calls/calls.h"
#include "converters/calls/lines.h"

enum perf_format { PERF_NONE, PERF_SCRIPT, PERF_TRACE, PERF_BT };

enum perf_kind {
	PERF_UNKNOWN,
	PERF_ENTER,
	PERF_EXIT,
	PERF_CALL,  /* entered and returned */
	PERF_OTHER, /* another event, or text of the tracer */
	PERF_LOST,  /* events were lost */
};

struct perf_line {
	enum perf_kind kind;
	bool has_pid;
	uint32_t pid, tid;
	int64_t time_ns; /* of the entry; in exits, of the exit */
	uint64_t lost;
	struct iot_text comm, name;
	struct call call; /* arguments, result and duration */
};

/* Sets the fields of an argument "key: value". */
void perf_argument(struct call *call, struct iot_text key, struct iot_text value);
/* Parses "key: value, key: value". */
void perf_arguments(struct call *call, struct iot_text text);
/* Returns the name of an error number, with size 0 if it has none. */
struct iot_text perf_error_name(int64_t number);
/* Parses seconds or milliseconds with a fraction. unit_ns: of the whole part. */
bool perf_time(struct iot_text text, int64_t unit_ns, int64_t *ns, unsigned *digits);

/* Advances past a word if it is next. */
static inline bool perf_after(const char **p, const char *end, const char *word)
{
	const size_t n = strlen(word);
	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static inline const char *skip_spaces(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

/* Each returns false if the line has another form; the kind is then undefined. */
bool perf_script_line(struct iot_text line, struct perf_line *l, unsigned *digits);
bool perf_trace_line(struct iot_text line, struct perf_line *l, unsigned *digits);
bool perf_bt_line(struct iot_text line, struct perf_line *l);

/* Tasks */

struct perf_task {
	bool active; /* a call was entered */
	bool seen;   /* it has had a line */
	const struct call_type *type;
	struct call call;
	int64_t entered_ns;
	char *text; /* of the texts of call */
	size_t text_size;
};

struct perf {
	struct calls calls;
	enum perf_format format;
	struct line_reader reader;
	size_t member, members; /* next member; all members */
	struct idmap tids;
	struct perf_task *task;
	size_t task_capacity;
	uint32_t forking; /* thread that entered the last fork that has not returned; 0: none */
	bool began, ended, has_pids, some_without_pids;
	uint64_t lost, unentered, no_paths, opens;
};

/* Returns NULL if out of memory. */
struct perf_task *perf_task_find(struct perf *p, uint32_t tid);
/* Keeps the arguments of a call until it returns. */
void perf_task_enter(struct perf *p, struct perf_task *t, const struct perf_line *l);
/* Adds the result to the arguments of the entered call. Returns false if there is none. */
bool perf_task_leave(struct perf_task *t, struct perf_line *l);
/* Returns the flags of a fork; without them, the flags of a thread. */
int64_t perf_clone_flags(const struct call *call);
/* Returns the process of a line; NULL if out of memory. */
struct caller *perf_caller(struct perf *p, struct perf_task *t, const struct perf_line *l);
void perf_tasks_free(struct perf *p);

#endif
