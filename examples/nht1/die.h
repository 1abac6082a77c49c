/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a program with a message, and removes the files of a benchmark that did not complete. */
#ifndef NHT1_DIE_H
#define NHT1_DIE_H

/*
 * Prints the program's name and a message, removes the temporary files, and exits with status 1.
 * Threads may call it.
 */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the program after a system call that failed on a file; the message ends with the reason. */
_Noreturn void die_errno(const char *path, const char *action);

/* Registers a file that die() and the signals INT, TERM and HUP remove. Keeps the pointer. */
void temporary_add(const char *path);

/* Removes all registered files. */
void temporary_remove(void);

/* Forgets all registered files, so that they stay. */
void temporary_keep(void);

#endif
