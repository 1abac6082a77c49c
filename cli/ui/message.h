/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages: one line on stderr, preceded by "iotrace: ". Escape foreign text with escape_text. */
#ifndef CLI_UI_MESSAGE_H
#define CLI_UI_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cmd.h"

enum { MESSAGE_TEXT = 2048 };

/* Formats a sentence for a terminal, without its beginning "iotrace: ". */
void message_format(char text[static MESSAGE_TEXT], const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "PATH: text"; escapes the path. */
void message_print_about(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Both print a message that ends a command, and return EXIT_FAILED: return message_error(...). Use
 * message_print_about if the command goes on.
 */
enum exit_status message_error(const char *path, const char *what);
enum exit_status message_no_memory(void);

/* "at least 4", or "not known": the value of "records lost"; returns text. */
const char *message_lost(char *text, size_t capacity, uint64_t records);

#endif
