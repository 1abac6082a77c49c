/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the program. It exists, and has its pid, before the recording does, and waits to be
 * released.
 */
#ifndef CLI_RECORD_LAUNCH_H
#define CLI_RECORD_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* As of env(1), timeout(1) and others that run a program. */
enum { EXIT_NOT_RECORDED = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

struct launch {
	pid_t pid;
	char program[PATH_MAX]; /* the file that argv[0] names, for messages and %process */
	int missing;            /* errno of the search for the file; 0: found */
	int release, failure;   /* pipes: to the child; from it, an errno of exec */
	int status;             /* of waitpid, when reaped */
	bool released, reaped;
};

/* Returns the name of the library that programs load. seen: enum record_seen. */
const char *launch_library(int seen);
/*
 * Writes its absolute path to `path`: in the directory $IOTRACE_LIBDIR if that is set, else next to
 * this program or where install puts it. Returns false if it is not there.
 */
bool launch_find_library(char path[PATH_MAX], int seen);
/*
 * Finds the file of a program as execvp(3) does; `name` itself if there is none. Returns 0 or the
 * errno of that.
 */
int launch_find_program(char path[PATH_MAX], const char *name);

/* Creates the process. Returns false with errno set. */
bool launch_start(struct launch *l, char *const *argv);
/*
 * Lets it run the program, with the library and the directory of the recording in its environment;
 * library "": in an unchanged environment.
 */
void launch_release(struct launch *l, const char *library, const char *recording);
/* Waits until the program runs. Returns 0, or the errno of exec. */
int launch_wait(struct launch *l);
/* Reports that exec of a program failed. Returns the exit status of the command. */
int launch_report(const char *program, int errnum);
/* Ends the process instead. */
void launch_cancel(struct launch *l);
/* Reaps the program if it has ended, or waits until it has. */
void launch_reap(struct launch *l, bool wait);
/* Returns the exit status as a shell has it: 128 + the signal if it was killed. */
int launch_status(const struct launch *l);

#endif
