/* SPDX-License-Identifier: BSD-2-Clause */
#include "unseen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

struct reason {
	const char *why, *one, *more; /* after the number of programs */
};

static const struct reason reasons[UNSEEN_WHYS] = {
    [UNSEEN_STATIC] = {"static", "static program", "static programs"},
    [UNSEEN_SETUID] = {"setuid", "program with privileges of its own",
		       "programs with privileges of their own"},
    [UNSEEN_USER] = {"user", "program that runs as another user",
		     "programs that run as other users"},
    [UNSEEN_ELFCLASS] = {"elfclass", "program for another processor",
			 "programs for another processor"},
    [UNSEEN_MUSL] = {"musl", "program with another libc", "programs with another libc"},
    [UNSEEN_ENVIRONMENT] = {"cleared-environment", "program with a cleared environment",
			    "programs with a cleared environment"},
    [UNSEEN_NAMESPACE] = {"namespace", "program in another root or mount namespace",
			  "programs in another root or mount namespace"},
    [UNSEEN_UNKNOWN] = {"unknown", "program that did not load the library",
			"programs that did not load the library"},
};

static bool is_of_record(unsigned calls)
{
	return calls < UNSEEN_CHILDREN || calls >= UNSEEN_OFFSETS;
}

/* Returns the value of source= in the %counter that has a count. */
static const char *source_of(unsigned calls)
{
	return is_of_record(calls) ? "record" : "strace";
}

static const struct counted {
	const char *counter, *name, *one, *more;
} counted[UNSEEN_CALLS] = {
    [UNSEEN_RECORDS] = {"unrecorded", "calls", "call of a process that could not join",
			"calls of processes that could not join"},
    [UNSEEN_EXECS] = {"unrecorded.programs", "execs", "program that such a process ran",
		      "programs that such processes ran"},
    [UNSEEN_GO] = {"hidden.go", "go", "program or library of Go", "programs and libraries of Go"},
    [UNSEEN_RINGS] = {"hidden.io_uring_rings", "io_uring_rings", "ring of io_uring",
		      "rings of io_uring"},
    [UNSEEN_REQUESTS] = {"hidden.io_uring_requests", "io_uring_requests", "request of io_uring",
			 "requests of io_uring"},
    [UNSEEN_AIO] = {"hidden.aio", "aio", "asynchronous request", "asynchronous requests"},
    [UNSEEN_FALLBACK] = {"unseen.syscalls", "system_calls",
			 "program whose system calls could not be seen",
			 "programs whose system calls could not be seen"},
    [UNSEEN_LIBRARIES] = {"unseen.libraries", "libraries", "library whose system calls are unknown",
			  "libraries whose system calls are unknown"},
    [UNSEEN_FAR] = {"unseen.far", "far", "system call in code too far away",
		    "system calls in code too far away"},
    [UNSEEN_CHANGED] = {"unseen.changed", "changed", "system call in code that others changed",
			"system calls in code that others changed"},
    [UNSEEN_CHILDREN] = {"unseen.children", "children", "process without a line in the log",
			 "processes without a line in the log"},
    [UNSEEN_LEFT_OUT] = {"missed.close", "left_out", "close that the log leaves out",
			 "closes that the log leaves out"},
    [UNSEEN_LOG_AIO] = {"hidden.io_submit_entries", "log_aio",
			"asynchronous request that the log abbreviates",
			"asynchronous requests that the log abbreviates"},
    [UNSEEN_LOG_RINGS] = {"hidden.io_uring_rings", "log_io_uring_rings", "ring of io_uring",
			  "rings of io_uring"},
    [UNSEEN_LOG_REQUESTS] = {"hidden.io_uring", "log_io_uring_requests", "request of io_uring",
			     "requests of io_uring"},
    [UNSEEN_OFFSETS] = {"unsent.offsets", "offsets",
			"transfer at an unknown offset, which a pipe does not carry",
			"transfers at unknown offsets, which a pipe does not carry"},
    [UNSEEN_SITES] = {"unseen.sites", "sites", "place of a system call that cannot be seen",
		      "places of system calls that cannot be seen"},
    [UNSEEN_CODE] = {"unseen.code", "code", "byte that generated code moved",
		     "bytes that generated code moved"},
    [UNSEEN_EXITS] = {"unseen.exits", "exits", "end of a process, which may have been killed",
		      "ends of processes, which may have been killed"},
};

/* A trace can claim any number: a sum saturates. */
static void add(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

static void keep_name(char name[UNSEEN_NAME], struct iot_text text)
{
	const char *slash = text.size > 0 ? memrchr(text.data, '/', text.size) : NULL;
	if (slash != NULL)
		text = (struct iot_text){slash + 1, text.size - (size_t)(slash + 1 - text.data)};
	if (*name == '\0' && text.size > 0)
		(void)snprintf(name, UNSEEN_NAME, "%.*s", (int)text.size, text.data);
}

void unseen_add_program(struct unseen *u, struct iot_text why, struct iot_text name)
{
	unsigned i = 0;
	while (i < UNSEEN_UNKNOWN && !text_equals(why, reasons[i].why))
		i++;
	add(&u->programs[i], 1);
	keep_name(u->name[i], name);
}

void unseen_add_calls(struct unseen *u, const char *counter, uint64_t n)
{
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		if (is_of_record(i) && strcmp(counted[i].counter, counter) == 0)
			add(&u->calls[i], n);
}

static void add_process(struct unseen *u, const struct iot_event *process)
{
	if (text_equals(iot_directive_get(process, "traced"), "no"))
		unseen_add_program(u, iot_directive_get(process, "why"),
				   iot_directive_get(process, "name"));
}

static void add_counter(struct unseen *u, const struct iot_event *counter)
{
	const struct iot_text source = iot_directive_get(counter, "source");
	uint64_t n;
	for (unsigned i = 0; i < UNSEEN_CALLS; i++) {
		const struct iot_text value = iot_directive_get(counter, counted[i].counter);
		if (text_equals(source, source_of(i)) && value.data != NULL &&
		    number_decimal(value.data, value.size, &n))
			add(&u->calls[i], n);
	}
}

void unseen_add(struct unseen *u, const struct iot_event *ev)
{
	if (ev->kind == IOT_PROCESS)
		add_process(u, ev);
	else if (ev->kind == IOT_COUNTER)
		add_counter(u, ev);
}

void unseen_join(struct unseen *u, const struct unseen *more)
{
	for (unsigned i = 0; i < UNSEEN_WHYS; i++) {
		if (u->programs[i] == 0)
			memcpy(u->name[i], more->name[i], UNSEEN_NAME);
		add(&u->programs[i], more->programs[i]);
	}
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		add(&u->calls[i], more->calls[i]);
}

uint64_t unseen_programs(const struct unseen *u)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < UNSEEN_WHYS; i++)
		add(&n, u->programs[i]);
	return n;
}

bool unseen_any(const struct unseen *u)
{
	bool any = unseen_programs(u) > 0;
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		any = any || (u->calls[i] > 0 && i != UNSEEN_SITES && i != UNSEEN_EXITS);
	return any;
}

bool unseen_possible(const struct unseen *u)
{
	return unseen_any(u) || u->calls[UNSEEN_SITES] > 0 || u->calls[UNSEEN_EXITS] > 0;
}

/* Returns whether calls are missing only in a log. */
static bool is_of_log(const struct unseen *u)
{
	bool record = unseen_programs(u) > 0;
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		record = record || (is_of_record(i) && u->calls[i] > 0);
	return !record;
}

const char *unseen_state_name(const struct unseen *u)
{
	return is_of_log(u) ? "complete but for what the log does not show"
			    : "complete but for what record could not see";
}

const char *unseen_why_name(enum unseen_why why)
{
	return reasons[why].why;
}

const char *unseen_calls_name(enum unseen_calls calls)
{
	return counted[calls].name;
}

static void append(char text[UNSEEN_TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char text[UNSEEN_TEXT], const char *format, ...)
{
	const size_t used = strlen(text);
	va_list list;
	va_start(list, format);
	(void)vsnprintf(text + used, UNSEEN_TEXT - used, format, list);
	va_end(list);
}

static void append_name(char text[UNSEEN_TEXT], const char *encoded, bool others)
{
	char name[UNSEEN_NAME];
	name[iot_percent_decode((struct iot_text){encoded, strlen(encoded)}, name, NULL)] = '\0';
	append(text, " (%s%s)", name, others ? ", ..." : "");
}

static void append_count(char text[UNSEEN_TEXT], uint64_t n, const char *one, const char *more)
{
	append(text, "%s%" PRIu64 " %s", *text != '\0' ? ", " : "", n, n == 1 ? one : more);
}

const char *unseen_sentence(const struct unseen *u, char text[UNSEEN_TEXT])
{
	text[0] = '\0';
	for (unsigned i = 0; i < UNSEEN_WHYS; i++) {
		if (u->programs[i] == 0)
			continue;
		append_count(text, u->programs[i], reasons[i].one, reasons[i].more);
		if (*u->name[i] != '\0')
			append_name(text, u->name[i], u->programs[i] > 1);
	}
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		if (u->calls[i] > 0)
			append_count(text, u->calls[i], counted[i].one, counted[i].more);
	return text;
}

static const char *remedy_of_log(const struct unseen *u)
{
	if (u->calls[UNSEEN_CHILDREN] > 0)
		return "log with 'strace -f -ttt -T -y', which follows children";
	if (u->calls[UNSEEN_LEFT_OUT] > 0)
		return "log from the start of the program, without -e trace=";
	if (u->calls[UNSEEN_LOG_AIO] > 0)
		return "log with -e 'abbrev=!/io_', which shows the requests";
	return "no log of system calls shows them";
}

const char *unseen_remedy(const struct unseen *u)
{
	if (!unseen_any(u) && u->calls[UNSEEN_SITES] == 0)
		return NULL;
	if (is_of_log(u))
		return remedy_of_log(u);
	if (u->programs[UNSEEN_USER] > 0 && u->programs[UNSEEN_USER] == unseen_programs(u))
		return "run 'iotrace record' as that user, or convert a log of 'strace -f'";
	if (u->programs[UNSEEN_ENVIRONMENT] > 0 &&
	    u->programs[UNSEEN_ENVIRONMENT] == unseen_programs(u))
		return "keep LD_PRELOAD and IOTRACE_RECORDING, or convert a log of 'strace -f'";
	if (u->calls[UNSEEN_CODE] > 0 && unseen_programs(u) == 0)
		return "trap the system calls, or convert a log of 'strace -f'";
	if (u->calls[UNSEEN_FALLBACK] > 0 && unseen_programs(u) == 0)
		return "record the calls of functions of libc instead";
	return "use 'iotrace mount', or convert a log of 'strace -f', which have their calls";
}
