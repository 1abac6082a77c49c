/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON. Bytes that are not UTF-8 are written as \u00XX, as if they were Latin-1, which every reader
 * accepts. pretty: one member per line, indented; otherwise all on one line.
 */
#ifndef CLI_UI_JSON_H
#define CLI_UI_JSON_H

#include "output.h"

struct json {
	struct output *out;
	const char *lines; /* if not pretty: the member whose rows have a line each; NULL: none */
	bool pretty, comma;
	unsigned depth;
};

/* key NULL: an element of an array, or the top level. */
void json_open(struct json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);                 /* '}' or ']' */
void json_text(struct json *j, const char *key, const char *text, size_t n);
void json_number(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_null(struct json *j, const char *key);
/* With the digits that a reader needs to get the same number; null if it is not finite. */
void json_exact(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
void json_string(struct output *o, const char *text, size_t n); /* with its quotes */

#endif
