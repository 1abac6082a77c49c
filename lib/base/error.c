/* SPDX-License-Identifier: BSD-2-Clause */
/* The error of a handle, names of statuses, and escaping of foreign text. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *iot_version(void)
{
	return IOT_VERSION;
}

const char *iot_status_name(int status)
{
	switch (status) {
	case IOT_OK:
		return "ok";
	case IOT_EFORMAT:
		return "format error";
	case IOT_EIO:
		return "input or output error";
	case IOT_ENOMEM:
		return "out of memory";
	case IOT_EUSAGE:
		return "usage error";
	case IOT_ELIMIT:
		return "limit reached";
	case IOT_ETRUNCATED:
		return "truncated input";
	default:
		return status > 0 ? "ok" : "unknown status";
	}
}

/* `size` is the result of vsnprintf: the length of the whole sentence. */
static void mark_cut(struct error *e, int size)
{
	if (size >= (int)sizeof(e->text))
		memcpy(e->text + sizeof(e->text) - 4, "...", 4);
}

int error_set(struct error *e, int status, const char *format, ...)
{
	va_list args;

	if (e->status != IOT_OK)
		return e->status;
	e->status = status;
	va_start(args, format);
	mark_cut(e, vsnprintf(e->text, sizeof(e->text), format, args));
	va_end(args);
	return status;
}

int error_refuse(struct error *e, const char *why)
{
	const int status = error_set(e, IOT_EUSAGE, "%s", why);

	e->status = IOT_OK;
	return status;
}

int error_system(struct error *e, int errnum, const char *format, ...)
{
	/* The reason must not be truncated, so part of the capacity is reserved for it. */
	enum { REASON_CAPACITY = 256 };
	char sentence[sizeof(e->text) - REASON_CAPACITY];
	char reason[REASON_CAPACITY - 4];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	if (size >= (int)sizeof(sentence))
		memcpy(sentence + sizeof(sentence) - 4, "...", 4);
	return error_set(e, IOT_EIO, "%s: %s", sentence,
			 strerror_r(errnum, reason, sizeof(reason)));
}

/* Writes the escaped form of one byte; returns its size, at most 4. */
static size_t escape_byte(char piece[4], unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	piece[0] = '\\';
	if (byte == '\\') {
		piece[1] = '\\';
		return 2;
	}
	if (byte >= 0x20 && byte < 0x7f) {
		piece[0] = (char)byte;
		return 1;
	}
	piece[1] = 'x';
	piece[2] = digits[byte >> 4];
	piece[3] = digits[byte & 15];
	return 4;
}

char *escape_text(char *out, size_t capacity, const char *text, size_t n)
{
	size_t used = 0;
	size_t cut = 0; /* the last boundary of escaped bytes that leaves capacity for "..." */

	for (size_t i = 0; i < n; i++) {
		char piece[4];
		const size_t size = escape_byte(piece, (unsigned char)text[i]);

		if (used + sizeof("...") <= capacity)
			cut = used;
		if (used + size >= capacity) {
			memcpy(out + cut, "...", sizeof("..."));
			return out;
		}
		memcpy(out + used, piece, size);
		used += size;
	}
	out[used] = '\0';
	return out;
}
