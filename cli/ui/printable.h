/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in human-readable output: in the characters of a UTF-8 locale, otherwise as escaped ASCII.
 */
#ifndef CLI_UI_PRINTABLE_H
#define CLI_UI_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

/*
 * Writes n bytes of text to out. In a UTF-8 locale valid printable characters are kept; control and
 * format characters (such as those that change the direction of writing), unassigned ones and
 * invalid bytes become \xHH, and '\\' is doubled. In any other locale this is escape_text, whose
 * rules for size also apply: out always ends in NUL, and in "..." if size was too small (size >=
 * 4). Returns out.
 */
char *printable(char *out, size_t size, const char *text, size_t n);

/*
 * The name of a file for people: the last one, and the first one in brackets if there is one.
 */
char *printable_renamed(char *out, size_t size, struct iot_text last, struct iot_text first);

/*
 * The same, in place, for a sentence in which escape_text has escaped names, such as names in the
 * messages of the library.
 */
void printable_sentence(char *text);

/* The number of terminal columns of a text made by printable. */
size_t printable_width(const char *text);

/* "512 B", "1.50 MiB", "23.4 GiB"; returns text. */
const char *printable_bytes(char *text, size_t capacity, uint64_t bytes);
/* "53.8 us", "3.51 ms", "7200 s"; returns text. */
const char *printable_time(char *text, size_t capacity, double ns);

enum { REAL_CAPACITY = 32 };
/* The shortest decimal number that reads as the same double, which is finite; returns text. */
const char *printable_real(char text[REAL_CAPACITY], double value);
#endif
