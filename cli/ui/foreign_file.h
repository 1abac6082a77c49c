/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what a file is that no format recognizes, and that is not a trace either. */
#ifndef CLI_UI_FOREIGN_FILE_H
#define CLI_UI_FOREIGN_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum foreign_file {
	FOREIGN_NOT,   /* it looks like a trace, or cannot be examined */
	FOREIGN_KNOWN, /* the sentence names its type */
	FOREIGN_TEXT,  /* text, which may be a trace with an error at its start */
};

/*
 * Examines the beginning of a file ("-": standard input, if that is a file) in which no record or
 * comment could be read. Writes "not a trace: ..." to sentence.
 */
enum foreign_file foreign_file_look(const char *path, char *sentence, size_t size);

/* Prints that sentence as a message; nothing if the file looks like a trace. */
enum foreign_file foreign_file_report(const char *path);

#endif
