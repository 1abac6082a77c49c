/* SPDX-License-Identifier: BSD-2-Clause */
/* The error of a handle: its first failure and a sentence. Foreign text in sentences is escaped. */
#ifndef LIB_BASE_ERROR_H
#define LIB_BASE_ERROR_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

struct error {
	int status; /* IOT_OK until something fails */
	char text[1024];
};

/* Keeps the first error only; returns e->status. Long sentences are cut. */
int error_set(struct error *e, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As error_set(e, IOT_EIO, ...) with ": " and the system's reason for errnum behind it. */
int error_system(struct error *e, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Says why a handle that works refuses a call, which is not a failure of the handle: IOT_EUSAGE, and
 * the next call is as good as if this one had not been made.
 */
int error_refuse(struct error *e, const char *why);

static inline void error_clear(struct error *e)
{
	e->status = IOT_OK;
	e->text[0] = '\0';
}

/* Whether what comes elsewhere in the input may be good. */
static inline bool error_in_input(int status)
{
	return status == IOT_EFORMAT || status == IOT_ETRUNCATED || status == IOT_ELIMIT;
}

/*
 * Writes n bytes of text as printable ASCII to out: '\\' doubled, others as \xHH, "..." at the end
 * where room runs out. Always ends in NUL (room >= 4); returns out, so that it can stand in an
 * argument list.
 */
char *escape_text(char *out, size_t capacity, const char *text, size_t n);

#endif
