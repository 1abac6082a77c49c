/* SPDX-License-Identifier: BSD-2-Clause */
/* The variables that make new programs load the library, and those that describe the process. */
#ifndef RECORD_ENVIRONMENT_H
#define RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENVIRONMENT_TEXT = 8192 }; /* bytes of a variable that loads the library */

/* Remembers the variables. Returns the directory of the recording; NULL if there is none. */
const char *environment_init(char **envp);
/* Returns the rank in a parallel job; -1 if it is unknown. */
int64_t environment_rank(char **envp);
/* Returns true if a program with this environment loads the library into the same recording. */
bool environment_is_complete(char *const *envp);
size_t environment_count(char *const *envp);
/*
 * Fills `out`, of environment_count() + 3 entries, with the environment and the missing variables.
 * `text` has ENVIRONMENT_TEXT bytes.
 */
void environment_complete(char *const *envp, char **out, char *text);

/* Returns whether this process can open the library by the path that LD_PRELOAD has. */
bool environment_has_library(void);
/* Writes an environment in which LD_PRELOAD does not have the library. Sizes are as above. */
void environment_without(char *const *envp, char **out, char *text);

#endif
