/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a tracer could not see, as the %process and %counter of a trace state it. Of `iotrace
 * record`: programs that did not load its library, and calls without a record. Of a log of strace:
 * processes and calls that it does not contain. All commands decide by this module whether a trace
 * is complete.
 */
#ifndef LIB_FORMAT_UNSEEN_H
#define LIB_FORMAT_UNSEEN_H

#include <stdbool.h>
#include <stddef.h>

#include <iotrace/iotrace.h>

/* The values of why= in %process. */
enum unseen_why {
	UNSEEN_STATIC,
	UNSEEN_SETUID,
	UNSEEN_USER,
	UNSEEN_ELFCLASS,
	UNSEEN_MUSL,
	UNSEEN_ENVIRONMENT,
	UNSEEN_NAMESPACE,
	UNSEEN_UNKNOWN,
	UNSEEN_WHYS
};

/* Counters of processes that are in the trace. */
enum unseen_calls {
	UNSEEN_RECORDS,
	UNSEEN_EXECS,
	UNSEEN_GO,
	UNSEEN_RINGS,
	UNSEEN_REQUESTS,
	UNSEEN_AIO,
	UNSEEN_FALLBACK,
	UNSEEN_LIBRARIES,
	UNSEEN_FAR,
	UNSEEN_CHANGED,
	/* of a log of strace */
	UNSEEN_CHILDREN,
	UNSEEN_LEFT_OUT,
	UNSEEN_LOG_AIO,
	UNSEEN_LOG_RINGS,
	UNSEEN_LOG_REQUESTS,
	/* of record again: states contain these numbers, so a new count is the last one */
	UNSEEN_OFFSETS,
	UNSEEN_SITES, /* places, not calls */
	UNSEEN_CODE,  /* bytes */
	UNSEEN_EXITS, /* of processes whose completed calls are there */
	UNSEEN_CALLS
};

enum {
	UNSEEN_NAME = 48,  /* bytes of a name, with its NUL */
	UNSEEN_TEXT = 2048 /* bytes of a sentence, with its NUL */
};

struct unseen {
	uint64_t programs[UNSEEN_WHYS];
	uint64_t calls[UNSEEN_CALLS];
	/* of the first program, without its directory, percent-encoded */
	char name[UNSEEN_WHYS][UNSEEN_NAME];
};

/* Counts what a %process or a %counter states; other events are ignored. */
void unseen_add(struct unseen *u, const struct iot_event *ev);
/* Counts a program, with the values of why= and name=, and calls, with the name of a counter. */
void unseen_add_program(struct unseen *u, struct iot_text why, struct iot_text name);
void unseen_add_calls(struct unseen *u, const char *counter, uint64_t n);
void unseen_join(struct unseen *u, const struct unseen *more);
/* Returns whether the trace lacks programs or calls. */
bool unseen_any(const struct unseen *u);
/*
 * Returns whether there is a sentence: also if the trace may lack calls at places of libraries that
 * few programs reach (UNSEEN_SITES), or a process was killed (UNSEEN_EXITS).
 */
bool unseen_possible(const struct unseen *u);
/* Returns the state of a trace for which unseen_any() is true. */
const char *unseen_state_name(const struct unseen *u);
uint64_t unseen_programs(const struct unseen *u);
/* The value of why= of a reason. */
const char *unseen_why_name(enum unseen_why why);
/* The name of a count, as in JSON. */
const char *unseen_calls_name(enum unseen_calls calls);
/*
 * Writes "2 programs that run as another user (sh), 407 calls ..." and returns it; "" if there is
 * nothing. Names are as in the trace: they may contain any byte.
 */
const char *unseen_sentence(const struct unseen *u, char text[UNSEEN_TEXT]);
/* Returns how to see the rest; NULL if there is nothing. */
const char *unseen_remedy(const struct unseen *u);

#endif
