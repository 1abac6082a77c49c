/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the programs that this process runs will record, and their environment. */
#ifndef RECORD_PROGRAM_H
#define RECORD_PROGRAM_H

#include "environment.h"
#include "ring.h"

/* Returns 0, or why a program with this environment, and no privileges, cannot record. */
enum record_exec program_why(char *const *envp);
/* Counts a program that is not recorded as the child of a process; -1: takes one back. */
void program_is_unrecorded(int n);
/* Returns whether the programs that this process runs are to be recorded. */
bool program_follows(void);

/* Returns whether a program has to run with program_environment() rather than with `envp`. */
bool program_needs_environment(char *const *envp);
/*
 * Returns an environment with which a program loads the library; if it could not open that, one
 * without it. It takes the arguments of environment_complete().
 */
char **program_environment(char *const *envp, char **out, char *text);

#endif
