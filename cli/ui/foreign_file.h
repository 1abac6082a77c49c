/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are given as traces, but are something else: what they seem to be. */
#ifndef CLI_UI_FOREIGN_FILE_H
#define CLI_UI_FOREIGN_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum foreign {
	FOREIGN_NOT,   /* it looks like a trace, or cannot be looked at */
	FOREIGN_KNOWN, /* the sentence names its kind */
	FOREIGN_TEXT,  /* text, which may be a trace that begins with a mistake */
};

/*
 * Looks at the beginning of a file ("-": standard input, if that is a file) that no record or comment
 * could be read from. Writes "not a trace: ..." to sentence.
 */
enum foreign foreign_look(const char *path, char *sentence, size_t size);

/* Prints that sentence as a message; nothing if the file looks like a trace. */
enum foreign foreign_report(const char *path);

#endif
