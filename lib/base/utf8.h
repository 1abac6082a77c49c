/* SPDX-License-Identifier: BSD-2-Clause */
/* Characters of UTF-8, and names percent-encoded so that every display may show them. */
#ifndef LIB_BASE_UTF8_H
#define LIB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the size in bytes of the UTF-8 character at s, n >= 1; 0 if it is invalid. Rejects
 * overlong forms and surrogates.
 */
size_t utf8_size(const unsigned char *s, size_t n);

/*
 * Returns the size in bytes of the character at s if every display may show it: not a control or
 * format character, private, or invalid. Else 0. Does not depend on the locale.
 */
size_t utf8_shown_size(const char *s, size_t n);

/* Returns the code point of a character whose size utf8_size has returned. */
uint32_t utf8_code_point(const unsigned char *s, size_t size);

/*
 * Returns whether a character may be invisible or have an effect on its neighbours, although the C
 * library calls it printable.
 */
bool utf8_is_treacherous(uint32_t code_point);

/*
 * Percent-encodes '%', the characters of `also`, and all bytes of characters that utf8_shown_size
 * rejects. Writes at most 3 * size bytes to out, and returns their number.
 */
size_t percent_encode(char *out, const char *text, size_t size, const char *also);
/* Percent-encodes a cell of a table, and also a first character that begins a formula. */
size_t percent_encode_cell(char *out, const char *text, size_t size, const char *also);

#endif
