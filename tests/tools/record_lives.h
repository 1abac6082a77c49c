/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of record_lives share: transfers that are logged, and children. */
#ifndef RECORD_LIVES_H
#define RECORD_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LOG_FD = 900 };

/* A program, and the next one of its list; the last one has no name. */
struct program {
	const char *name;
	void (*run)(void);
};
extern const struct program programs_with_descriptors[], programs_with_limits[];

/* A program of random calls, by a decimal number. */
void run_random(const char *seed);

extern char own_path[4096]; /* of this program */
extern const char *static_path;

/* A system call by instruction, which no wrapper sees. */
long raw(long number, long a, long b, long c);
/* Ends the process unless `ok`: with the status for skipped programs if privileges lack. */
void check(bool ok, const char *what);
/* Logs a transfer; direction is 'r' or 'w'. */
void note(char direction, long offset, long length, const char *file);

/* Transfer bytes at the position, or at the end of a file with O_APPEND, and log them. */
void put(int fd, size_t size, const char *file);
void get(int fd, size_t size, const char *file);
/* Creates an empty file. */
int make(const char *file, int flags);

/* Waits until a child ends; fails, or is skipped, as the child does. */
void wait_for(pid_t pid);
/* Runs this program as a child, which moves to an offset unless that is -1, and writes. */
pid_t forked_writer(int fd, long offset, size_t size, const char *file);
/* The arguments with which this program continues after exec. */
char **writer(int fd, long offset, size_t size, const char *file);
/* Becomes a user without privileges. */
void become_other(void);

#endif
