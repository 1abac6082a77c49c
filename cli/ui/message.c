/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "printable.h"

void message_format(char text[static MESSAGE_TEXT], const char *format, va_list args)
{
	vsnprintf(text, MESSAGE_TEXT, format, args);
	printable_sentence(text);
}

void message_print(const char *format, ...)
{
	char text[MESSAGE_TEXT];
	va_list args;
	va_start(args, format);
	message_format(text, format, args);
	va_end(args);
	/* A single call, so that lines of several processes do not mix. */
	fprintf(stderr, "iotrace: %s\n", text);
}

void message_print_about(const char *path, const char *format, ...)
{
	char name[512], text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (*path == '\0')
		path = "''";
	message_print("%s: %s", escape_text(name, sizeof name, path, strlen(path)), text);
}

enum exit_status message_error(const char *path, const char *what)
{
	message_print_about(path, "%s", what);
	return EXIT_FAILED;
}

enum exit_status message_no_memory(void)
{
	message_print("out of memory");
	return EXIT_FAILED;
}

const char *message_lost(char *text, size_t capacity, uint64_t records)
{
	if (records > 0)
		snprintf(text, capacity, "at least %ju", (uintmax_t)records);
	else
		snprintf(text, capacity, "not known");
	return text;
}
