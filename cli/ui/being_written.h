/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a trace is being written. */
#ifndef CLI_UI_BEING_WRITTEN_H
#define CLI_UI_BEING_WRITTEN_H

#include <stdbool.h>

/* Returns whether a writer has the file locked, as one does with IOT_SET_IN_PLACE. */
bool being_written(int fd);
/* The same for a path; "-" is standard input. */
bool being_written_at(const char *path);

#endif
