/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_UI_FILE_CONTENT_H
#define CLI_UI_FILE_CONTENT_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

enum file_content { CONTENT_OTHER, CONTENT_TRACE, CONTENT_STATE, CONTENT_LOG };

/*
 * Returns what a regular file contains, judged by its beginning: a trace, a state of 'iotrace
 * analyze', or a log of another tool. Returns CONTENT_OTHER for a file that cannot be read.
 */
enum file_content file_content_find(const char *path);
/* Returns whether an input that begins with this event is a state. */
bool file_content_is_state(const struct iot_event *first);

#endif
