/* SPDX-License-Identifier: BSD-2-Clause */
/* The error of a handle: its first failure and a message. Foreign text in messages is escaped. */
#ifndef LIB_BASE_ERROR_H
#define LIB_BASE_ERROR_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

struct error {
	int status; /* IOT_OK until something fails */
	char text[1024];
};

/* Keeps only the first error; returns e->status. Long messages are truncated. */
int error_set(struct error *e, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As error_set(e, IOT_EIO, ...), followed by ": " and the system's reason for errnum. */
int error_system(struct error *e, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * States why a working handle rejects a call, which is not a failure of the handle: returns
 * IOT_EUSAGE and leaves the status at IOT_OK, so later calls are not affected.
 */
int error_refuse(struct error *e, const char *why);

static inline int error_no_memory(struct error *e)
{
	return error_set(e, IOT_ENOMEM, "out of memory");
}

static inline void error_clear(struct error *e)
{
	e->status = IOT_OK;
	e->text[0] = '\0';
}

/* Returns whether input after the error may still be valid. */
static inline bool error_in_input(int status)
{
	return status == IOT_EFORMAT || status == IOT_ETRUNCATED || status == IOT_ELIMIT;
}

/*
 * Writes n bytes of text as printable ASCII to out: '\\' is doubled, other bytes become \xHH, and
 * "..." marks truncation. The output always ends in NUL (capacity >= 4). Returns out, for use in an
 * argument list.
 */
char *escape_text(char *out, size_t capacity, const char *text, size_t n);

#endif
