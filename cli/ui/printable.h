/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for people: in the characters of the locale if that is UTF-8, else as escaped ASCII. */
#ifndef CLI_UI_PRINTABLE_H
#define CLI_UI_PRINTABLE_H

#include <stddef.h>

/*
 * Writes n bytes of text to out. In a UTF-8 locale valid printable characters stay as they are; control
 * and format characters (such as those that change the direction of writing), unassigned ones and
 * invalid bytes become \xHH, and '\\' is doubled. In any other locale this is escape_text, whose rules
 * for size also hold: out always ends in NUL, and in "..." if size was too small (size >= 4).
 * Returns out.
 */
char *printable(char *out, size_t size, const char *text, size_t n);

/*
 * The same, in place, for a sentence in which names were escaped by escape_text, as those of the
 * library are.
 */
void printable_sentence(char *text);

/* Columns of a terminal that a text made by printable takes. */
size_t printable_width(const char *text);

/* The bytes of the UTF-8 character that s begins with; 0: none. No overlong forms, no surrogates. */
size_t utf8_size(const unsigned char *s, size_t n);

#endif
